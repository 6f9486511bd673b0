// SPDX-License-Identifier: Apache-2.0
// Animated GIF (GIF89a) from frames of RGB bytes: one palette for all, each frame only what changed.

import { inflateSync } from "node:zlib";

/** RGB bytes of a PNG as chromium writes it: 8 bits a channel, not interlaced. */
export function pixels(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const data = inflateSync(Buffer.concat(parts));
  const row = width * channels;
  const plain = new Uint8Array(row * height);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (row + 1)];
    for (let i = 0; i < row; i++) {
      const left = i >= channels ? plain[y * row + i - channels] : 0;
      const up = y ? plain[(y - 1) * row + i] : 0;
      const corner = y && i >= channels ? plain[(y - 1) * row + i - channels] : 0;
      const guess = left + up - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      plain[y * row + i] = data[y * (row + 1) + 1 + i] + [0, left, up, (left + up) >> 1, paeth][filter];
    }
  }
  if (channels === 3) return plain;
  const rgb = new Uint8Array(3 * width * height);
  for (let i = 0; i < width * height; i++) rgb.set(plain.subarray(4 * i, 4 * i + 3), 3 * i);
  return rgb;
}

// the colours of all frames, by how often they occur, merged to `size` of them
function makePalette(frames, size) {
  const counts = new Map();
  for (const f of frames)
    for (let i = 0; i < f.length; i += 3) {
      const key = ((f[i] >> 2) << 12) | ((f[i + 1] >> 2) << 6) | (f[i + 2] >> 2);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  // median cut: split the box with the most pixels along its longest side
  const colour = (key) => [(key >> 12) << 2, ((key >> 6) & 63) << 2, (key & 63) << 2];
  let boxes = [[...counts].map(([key, n]) => ({ c: colour(key), n }))];
  const spread = (box) => [0, 1, 2].map((k) => Math.max(...box.map((e) => e.c[k])) - Math.min(...box.map((e) => e.c[k])));
  while (boxes.length < size) {
    const scores = boxes.map((b) => (b.length < 2 ? 0 : Math.max(...spread(b)) * Math.log(1 + b.reduce((s, e) => s + e.n, 0))));
    const best = scores.indexOf(Math.max(...scores));
    if (scores[best] === 0) break;
    const box = boxes[best];
    const sides = spread(box);
    const k = sides.indexOf(Math.max(...sides));
    box.sort((a, b) => a.c[k] - b.c[k]);
    const middle = (box[0].c[k] + box[box.length - 1].c[k]) / 2;
    let cut = box.findIndex((e) => e.c[k] > middle);
    cut = Math.max(1, Math.min(box.length - 1, cut));
    boxes.splice(best, 1, box.slice(0, cut), box.slice(cut));
  }
  return boxes.map((box) => {
    // the commonest colour of a box stands for it: grounds stay exact
    const top = box.reduce((a, b) => (b.n > a.n ? b : a));
    return top.c.map((v) => (v >= 252 ? 255 : v + 2));
  });
}

function nearest(palette) {
  const known = new Map();
  return (r, g, b) => {
    const key = (r << 16) | (g << 8) | b;
    let best = known.get(key);
    if (best === undefined) {
      let least = Infinity;
      palette.forEach((p, i) => {
        const d = 2 * (p[0] - r) ** 2 + 4 * (p[1] - g) ** 2 + 3 * (p[2] - b) ** 2;
        if (d < least) [least, best] = [d, i];
      });
      known.set(key, best);
    }
    return best;
  };
}

// variable-length codes of the GIF kind, in blocks of up to 255 bytes
function compress(indices, bits) {
  const bytes = [];
  let buffer = 0;
  let filled = 0;
  const clear = 1 << bits;
  let width = bits + 1;
  let next = clear + 2;
  let table = new Map();
  const emit = (code) => {
    buffer |= code << filled;
    filled += width;
    while (filled >= 8) {
      bytes.push(buffer & 255);
      buffer >>>= 8;
      filled -= 8;
    }
  };
  emit(clear);
  let prefix = indices[0];
  for (let i = 1; i < indices.length; i++) {
    const key = prefix * 256 + indices[i];
    const found = table.get(key);
    if (found !== undefined) {
      prefix = found;
      continue;
    }
    emit(prefix);
    table.set(key, next++);
    if (next > 1 << width && width < 12) width++;
    else if (next > 4095) {
      emit(clear);
      table = new Map();
      next = clear + 2;
      width = bits + 1;
    }
    prefix = indices[i];
  }
  emit(prefix);
  emit(clear + 1);
  if (filled) bytes.push(buffer & 255);
  const out = [bits];
  for (let i = 0; i < bytes.length; i += 255) out.push(Math.min(255, bytes.length - i), ...bytes.slice(i, i + 255));
  return [...out, 0];
}

const word = (n) => [n & 255, n >> 8];

/** Frames of width x height RGB bytes; delay in hundredths of a second. */
export function gif(frames, width, height, delay, colours = 64) {
  const bits = Math.ceil(Math.log2(colours));
  const palette = makePalette(frames, (1 << bits) - 1);
  const none = (1 << bits) - 1; // unchanged
  const find = nearest(palette);
  const out = [...Buffer.from("GIF89a"), ...word(width), ...word(height), 0x80 | (bits - 1) | ((bits - 1) << 4), 0, 0];
  for (let i = 0; i < 1 << bits; i++) out.push(...(palette[i] ?? [0, 0, 0]));
  out.push(0x21, 0xff, 11, ...Buffer.from("NETSCAPE2.0"), 3, 1, 0, 0, 0); // for ever
  const parts = [Buffer.from(out)];
  let before = null;
  for (const f of frames) {
    const now = new Uint8Array(width * height);
    for (let i = 0; i < now.length; i++) now[i] = find(f[3 * i], f[3 * i + 1], f[3 * i + 2]);
    let [x0, y0, x1, y1] = before ? [width, height, -1, -1] : [0, 0, width - 1, height - 1];
    for (let i = 0; before && i < now.length; i++)
      if (now[i] !== before[i]) {
        const x = i % width;
        const y = (i - x) / width;
        [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x), Math.max(y1, y)];
      }
    if (x1 < 0) [x0, y0, x1, y1] = [0, 0, 0, 0];
    const indices = [];
    for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) indices.push(before && before[y * width + x] === now[y * width + x] ? none : now[y * width + x]);
    parts.push(Buffer.from([0x21, 0xf9, 4, 0x05, ...word(delay), none, 0, 0x2c, ...word(x0), ...word(y0), ...word(x1 - x0 + 1), ...word(y1 - y0 + 1), 0, ...compress(indices, bits)]));
    before = now;
  }
  return Buffer.concat([...parts, Buffer.from([0x3b])]);
}
