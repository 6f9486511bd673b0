// SPDX-License-Identifier: Apache-2.0
// Triangles of simple solids: position, normal and shade only, so that many merge into one drawing call.

import { BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, CylinderGeometry, Matrix4, Quaternion, SphereGeometry, TorusGeometry, TubeGeometry, Vector3 } from "three";

const Y = new Vector3(0, 1, 0);

/** Position and normal of any geometry, without an index. */
export function plain(geometry: BufferGeometry): BufferGeometry {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const out = new BufferGeometry();
  out.setAttribute("position", flat.getAttribute("position"));
  out.setAttribute("normal", flat.getAttribute("normal"));
  return out;
}

export function merge(parts: BufferGeometry[]): BufferGeometry {
  const total = parts.reduce((n, p) => n + p.getAttribute("position").count, 0);
  const position = new Float32Array(total * 3);
  const normal = new Float32Array(total * 3);
  const shade = new Float32Array(total).fill(1);
  let at = 0;
  for (const part of parts) {
    const own = part.getAttribute("shade");
    if (own) shade.set(own.array as Float32Array, at / 3);
    position.set(part.getAttribute("position").array as Float32Array, at);
    normal.set(part.getAttribute("normal").array as Float32Array, at);
    at += part.getAttribute("position").array.length;
  }
  const out = new BufferGeometry();
  out.setAttribute("position", new BufferAttribute(position, 3));
  out.setAttribute("normal", new BufferAttribute(normal, 3));
  out.setAttribute("shade", new BufferAttribute(shade, 1));
  return out;
}

/** The same solid, darker (below 1) than the rest of what it is merged with. */
export function shaded(geometry: BufferGeometry, factor: number): BufferGeometry {
  const n = geometry.getAttribute("position").count;
  geometry.setAttribute("shade", new BufferAttribute(new Float32Array(n).fill(factor), 1));
  return geometry;
}

export function sphere(center: Vector3, radius: number, segments = 16): BufferGeometry {
  return plain(new SphereGeometry(radius, segments, segments <= 4 ? 2 : Math.max(4, segments / 2))).translate(center.x, center.y, center.z);
}

/** Turns +y onto `direction` and moves to `center`. */
export function place(geometry: BufferGeometry, direction: Vector3, center: Vector3): BufferGeometry {
  const turn = new Quaternion().setFromUnitVectors(Y, direction.clone().normalize());
  return geometry.applyMatrix4(new Matrix4().compose(center, turn, new Vector3(1, 1, 1)));
}

export function cylinder(from: Vector3, to: Vector3, radius: number, segments = 16, radiusTo = radius): BufferGeometry {
  const along = to.clone().sub(from);
  const length = along.length();
  if (length < 1e-12) return sphere(from, radius, segments);
  const solid = plain(new CylinderGeometry(radiusTo, radius, length, segments, 1));
  return place(solid, along, from.clone().add(to).multiplyScalar(0.5));
}

/** A cylinder without ends. */
export function tube(from: Vector3, to: Vector3, radius: number, segments: number): BufferGeometry {
  const along = to.clone().sub(from);
  const solid = plain(new CylinderGeometry(radius, radius, along.length(), segments, 1, true));
  return place(solid, along, from.clone().add(to).multiplyScalar(0.5));
}

export function box(size: Vector3, center: Vector3): BufferGeometry {
  return plain(new BoxGeometry(size.x, size.y, size.z)).translate(center.x, center.y, center.z);
}

/** Ring around `axis`. */
export function ring(center: Vector3, axis: Vector3, radius: number, tube: number): BufferGeometry {
  const solid = plain(new TorusGeometry(radius, tube, 8, 24)).rotateX(Math.PI / 2);
  return place(solid, axis, center);
}

type Point2 = { x: number; y: number };

/** Convex hull, counter-clockwise (monotone chain). */
export function hull(points: Point2[]): Point2[] {
  const p = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const cross = (o: Point2, a: Point2, b: Point2) => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  const half = (list: Point2[]) => {
    const out: Point2[] = [];
    for (const q of list) {
      while (out.length >= 2 && cross(out[out.length - 2], out[out.length - 1], q) <= 0) out.pop();
      out.push(q);
    }
    out.pop();
    return out;
  };
  return [...half(p), ...half(p.reverse())];
}

/** Plate with rounded corners around the points, between two heights: bar, disc or polygon; open: no back. */
export function plate(points: Point2[], radius: number, z0: number, z1: number, segments = 20, closed = true): BufferGeometry {
  const circle: Point2[] = [];
  for (const p of points)
    for (let k = 0; k < segments; k++) {
      const angle = (2 * Math.PI * k) / segments;
      circle.push({ x: p.x + radius * Math.cos(angle), y: p.y + radius * Math.sin(angle) });
    }
  return prism(hull(circle), z0, z1, closed);
}

/** Rectangle at one height around the line between two points, longer by its half width at both ends. */
export const strip = (from: Point2, to: Point2, half: number, z: number): BufferGeometry => bar(from, to, half, z, z);

/** The same between two heights; of one height without a back. */
export function bar(from: Point2, to: Point2, half: number, z0: number, z1: number): BufferGeometry {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [x, y] = length > 0 ? [(half * (to.x - from.x)) / length, (half * (to.y - from.y)) / length] : [half, 0];
  const corners = [
    { x: from.x - x + y, y: from.y - y - x },
    { x: to.x + x + y, y: to.y + y - x },
    { x: to.x + x - y, y: to.y + y + x },
    { x: from.x - x - y, y: from.y - y + x },
  ];
  return prism(corners, z0, z1, z1 > z0);
}

function prism(outline: Point2[], z0: number, z1: number, closed: boolean): BufferGeometry {
  const position: number[] = [];
  const normal: number[] = [];
  const put = (p: Point2, z: number, nx: number, ny: number, nz: number) => {
    position.push(p.x, p.y, z);
    normal.push(nx, ny, nz);
  };
  for (let i = 1; i + 1 < outline.length; i++) {
    for (const p of [outline[0], outline[i], outline[i + 1]]) put(p, z1, 0, 0, 1);
    if (closed) for (const p of [outline[0], outline[i + 1], outline[i]]) put(p, z0, 0, 0, -1);
  }
  if (z1 > z0) outline.forEach((a, i) => {
    const b = outline[(i + 1) % outline.length];
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const nx = (b.y - a.y) / length;
    const ny = (a.x - b.x) / length;
    for (const [p, z] of [[a, z0], [b, z0], [b, z1], [a, z0], [b, z1], [a, z1]] as [Point2, number][]) put(p, z, nx, ny, 0);
  });
  const out = new BufferGeometry();
  out.setAttribute("position", new BufferAttribute(new Float32Array(position), 3));
  out.setAttribute("normal", new BufferAttribute(new Float32Array(normal), 3));
  return out;
}

/** Coil from (0,0,0) to (0,length,0); stretched later along y. */
export function coil(length: number, radius: number, wire: number, turns: number): BufferGeometry {
  const points: Vector3[] = [new Vector3(0, 0, 0)];
  const ends = 0.12;
  const n = turns * 12;
  for (let i = 0; i <= n; i++) {
    const s = i / n;
    const angle = 2 * Math.PI * turns * s;
    // the radius grows from the axis, so that the ends meet it smoothly
    const r = radius * Math.min(1, 8 * s, 8 * (1 - s));
    points.push(new Vector3(r * Math.cos(angle), length * (ends + (1 - 2 * ends) * s), r * Math.sin(angle)));
  }
  points.push(new Vector3(0, length, 0));
  return plain(new TubeGeometry(new CatmullRomCurve3(points), n * 2, wire, 5));
}
