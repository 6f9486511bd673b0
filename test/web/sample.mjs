// SPDX-License-Identifier: Apache-2.0
// Reports made without the solver, for tests of the page alone: kinematics in closed form, written
// as docs/report-data.md says.   node sample.mjs TEMPLATE OUTPUT [fourbar|spatial|chain|compare]
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";

// columns -> byte planes of Float32 (time Float64), relative to the first value
function pack(columns, samples) {
  const parts = [];
  const described = columns.map(({ name, unit = "", values, hidden = false }) => {
    const f64 = name === "time";
    const base = f64 ? 0 : values[0];
    if (!f64 && values.every((v) => v === base)) return { name, unit, type: "f32", count: 0, base, hidden, chosen: false };
    const numbers = f64 ? Float64Array.from(values) : Float32Array.from(values, (v) => v - base);
    const bytes = new Uint8Array(numbers.buffer);
    const width = f64 ? 8 : 4;
    const planes = new Uint8Array(bytes.length);
    for (let i = 0; i < values.length; i++) for (let k = 0; k < width; k++) planes[k * values.length + i] = bytes[i * width + k];
    parts.push(planes);
    return { name, unit, type: f64 ? "f64" : "f32", count: values.length, base, hidden, chosen: false };
  });
  const raw = Buffer.concat(parts);
  return { columns: described, samples, raw };
}

export function fill(template, runs) {
  const blocks = [];
  const header = {
    format: 1,
    generator: "holonom page sample",
    created: "2026-01-01T00:00:00Z",
    runs: runs.map(({ columns, samples, ...rest }, i) => {
      const packed = pack(columns, samples);
      const id = `holonom-block-${i}`;
      const small = packed.raw.length < 65536;
      const bytes = small ? packed.raw : deflateRawSync(packed.raw);
      blocks.push(`<script type="application/octet-stream" id="${id}">${bytes.toString("base64")}</script>`);
      return { ...rest, samples, columns: packed.columns, block: { id, encoding: small ? "base64" : "deflate-raw+base64", bytes: packed.raw.length } };
    }),
  };
  const json = JSON.stringify(header).replaceAll("<", "\\u003c");
  return template.replace("<!--HOLONOM-DATA-->", () => `<script type="application/json" id="holonom-data">${json}</script>\n${blocks.join("\n")}`);
}

const ground = { name: "ground", type: "ground", mass: 0, inertia: [0], shape: null, points: [], pose: [] };
const anchor = (body, x, y, z = 0, axis = null) => ({ body, at: [x, y, z], axis });

// crank 0.3, coupler 1.0 (a plate with a tip), rocker 0.8, ground 1.0; crank turns with 2 rad/s
export function fourbar(n = 501, rate = 2) {
  const [a, b, c, d] = [0.3, 1.0, 0.8, 1.0];
  const time = Array.from({ length: n }, (_, i) => (10 * i) / (n - 1));
  const rows = time.map((t) => {
    const phi = rate * t + 0.5;
    const A = [a * Math.cos(phi), a * Math.sin(phi)];
    const r = Math.hypot(d - A[0], A[1]);
    const gamma = Math.atan2(-A[1], d - A[0]);
    const beta = Math.acos((b * b + r * r - c * c) / (2 * b * r));
    const theta = gamma + beta;
    const B = [A[0] + b * Math.cos(theta), A[1] + b * Math.sin(theta)];
    const psi = Math.atan2(B[1], B[0] - d);
    return { crank: [A[0] / 2, A[1] / 2, phi], coupler: [(A[0] + B[0]) / 2, (A[1] + B[1]) / 2, theta], rocker: [(d + B[0]) / 2, B[1] / 2, psi] };
  });
  const columns = [{ name: "time", unit: "s", values: time }];
  const add = (name, unit, values) => columns.push({ name, unit, values }) - 1;
  const rateOf = (values) => values.map((_, i) => (values[Math.min(i + 1, n - 1)] - values[Math.max(i - 1, 0)]) / (time[Math.min(i + 1, n - 1)] - time[Math.max(i - 1, 0)]));
  const length = { crank: a, coupler: b, rocker: c };
  const bodies = [{ ...ground, points: [{ name: "O", at: [0, 0, 0] }] }];
  for (const [name, l] of Object.entries(length)) {
    const pose = ["x", "y", "angle"].map((p, k) => add(`${name}.${p}`, k < 2 ? "m" : "rad", rows.map((r) => r[name][k])));
    ["vx", "vy", "omega"].forEach((p, k) => add(`${name}.${p}`, k < 2 ? "m/s" : "rad/s", rateOf(columns[pose[k]].values)));
    const points = name === "coupler" ? [{ name: "tip", at: [0.1, 0.35, 0] }] : [];
    bodies.push({ name, type: "rigid", mass: l, inertia: [l ** 3 / 12], shape: null, points, pose });
  }
  const kinetic = time.map((_, i) => ["crank", "coupler", "rocker"].reduce((s, name) => {
    const v = (p) => columns.find((c) => c.name === `${name}.${p}`).values[i];
    return s + 0.5 * length[name] * (v("vx") ** 2 + v("vy") ** 2) + (length[name] ** 3 / 24) * v("omega") ** 2;
  }, 0));
  const potential = rows.map((r) => 9.81 * (a * r.crank[1] + b * r.coupler[1] + c * r.rocker[1]));
  add("energy.kinetic", "J", kinetic);
  add("energy.potential", "J", potential);
  add("energy.total", "J", kinetic.map((k, i) => k + potential[i]));
  add("energy.numerical", "J", time.map((t) => 3e-11 * Math.sin(3 * t) - 1e-12 * t));
  add("constraint.position", "m", time.map((t, i) => (i ? 2e-15 * (1.2 + Math.sin(40 * t)) : 0)));
  add("constraint.velocity", "m/s", time.map((t, i) => (i ? 3e-14 * (1.2 + Math.cos(31 * t)) : 0)));
  add("constraint.acceleration", "m/s^2", time.map((t, i) => (i ? 5e-12 * (1.2 + Math.sin(17 * t)) : 0)));
  add("step.size", "s", time.map((t) => 0.004 * (1.5 + Math.sin(2 * t))));
  add("step.iterations", "", time.map((t, i) => 2 + (i % 3)));
  ["O", "A", "B", "C"].forEach((j, k) => {
    add(`${j}.fx`, "N", time.map((t) => 10 * Math.cos(rate * t + k)));
    add(`${j}.fy`, "N", time.map((t) => 8 * Math.sin(rate * t + k) + 5));
  });
  return {
    label: "tangent hermite, tolerance 1e-6",
    model: "Four-bar linkage", space: "planar", gravity: [0, -9.81, 0], file: "fourbar.yaml",
    source: "holonom: 1   # format\nname: Four-bar linkage\nspace: planar\nparameters: {a: 0.3, b: 1.0}\nbodies:\n  - {name: crank, mass: 0.3, note: \"</script> & <b>\"}\n",
    bodies,
    joints: [
      { name: "O", type: "revolute", a: anchor(0, 0, 0), b: anchor(1, -a / 2, 0) },
      { name: "A", type: "revolute", a: anchor(1, a / 2, 0), b: anchor(2, -b / 2, 0) },
      { name: "B", type: "revolute", a: anchor(2, b / 2, 0), b: anchor(3, c / 2, 0) },
      { name: "C", type: "revolute", a: anchor(3, -c / 2, 0), b: anchor(0, d, 0) },
    ],
    springs: [{ name: "S", type: "spring_damper", a: anchor(0, 0.5, -0.25), b: anchor(2, 0.1, 0.35) }],
    forces: [], columns, samples: n,
    groups: [
      { title: "Model", items: [{ key: "bodies", value: "3" }, { key: "joints", value: "4" }, { key: "degrees of freedom", value: "1" }] },
      { title: "Method", items: [{ key: "method", value: "tangent hermite" }, { key: "tolerance", value: "1e-6" }] },
      { title: "Cost", items: [{ key: "steps", value: "1234" }, { key: "CPU time", value: "0.012 s" }] },
    ],
    warnings: ["Sample data: made without the solver."], redundancies: ["O row 2 depends on A, B, C"],
  };
}

// a spinning plate on a rod and a double pendulum in space
export function spatial(n = 301) {
  const time = Array.from({ length: n }, (_, i) => (6 * i) / (n - 1));
  const columns = [{ name: "time", unit: "s", values: time }];
  const add = (name, unit, values) => columns.push({ name, unit, values }) - 1;
  const body = (name, motion, extra) => {
    const list = time.map(motion);
    const names = ["x", "y", "z", "qw", "qx", "qy", "qz"];
    return { name, type: "rigid", mass: 1, inertia: [0.02, 0.03, 0.04], shape: null, points: [], pose: names.map((p, k) => add(`${name}.${p}`, k < 3 ? "m" : "", list.map((m) => m[k]))), ...extra };
  };
  const swing = (t) => 0.9 * Math.cos(2 * t);
  const rod = body("rod", (t) => {
    const f = swing(t);
    return [0.5 * Math.sin(f), 0, -0.5 * Math.cos(f), Math.cos(f / 2), 0, -Math.sin(f / 2), 0];
  }, { inertia: [1 / 12, 1 / 12, 0] });
  const plateBody = body("plate", (t) => {
    const f = swing(t);
    return [Math.sin(f), 0, -Math.cos(f), Math.cos(2 * t), 0, 0, Math.sin(2 * t)];
  }, { shape: { type: "box", from: [0, 0, 0], to: [0, 0, 0], size: [0.5, 0.3, 0.05], radius: 0, color: "#c8553d", mesh: -1 } });
  const ball = body("ball", (t) => [0.6 * Math.cos(t), 0.6 * Math.sin(t), 0.2 * Math.sin(3 * t), 1, 0, 0, 0], { type: "rigid", shape: { type: "sphere", from: [0, 0, 0], to: [0, 0, 0], size: [0, 0, 0], radius: 0.1, color: "", mesh: -1 } });
  return {
    ...fourbar(3), label: "taylor, tolerance 1e-10", model: "Spatial sample", space: "spatial", gravity: [0, 0, -9.81], bodies: [ground, rod, plateBody, ball],
    joints: [
      { name: "hinge", type: "revolute", a: anchor(0, 0, 0, 0, [0, 1, 0]), b: anchor(1, 0, 0, 0.5, [0, 1, 0]) },
      { name: "ball joint", type: "spherical", a: anchor(1, 0, 0, -0.5), b: anchor(2, 0, 0, 0) },
    ],
    springs: [{ name: "spring", type: "spring_damper", a: anchor(0, 0, 0, 0.5), b: anchor(3, 0, 0, 0) }],
    columns, samples: n, warnings: [], redundancies: [],
  };
}

// many bodies: a hanging chain that waves
export function chain(links = 1000, n = 101) {
  const time = Array.from({ length: n }, (_, i) => (4 * i) / (n - 1));
  const columns = [{ name: "time", unit: "s", values: time }];
  const bodies = [ground];
  const joints = [];
  const x = time.map(() => 0);
  const y = time.map(() => 0);
  for (let k = 0; k < links; k++) {
    const angle = time.map((t) => -Math.PI / 2 + 0.8 * Math.sin(2 * t + k / 60));
    const at = columns.length;
    columns.push({ name: `l${k}.x`, unit: "m", values: time.map((_, i) => x[i] + 0.05 * Math.cos(angle[i])) });
    columns.push({ name: `l${k}.y`, unit: "m", values: time.map((_, i) => y[i] + 0.05 * Math.sin(angle[i])) });
    columns.push({ name: `l${k}.angle`, unit: "rad", values: angle });
    time.forEach((_, i) => {
      x[i] += 0.1 * Math.cos(angle[i]);
      y[i] += 0.1 * Math.sin(angle[i]);
    });
    bodies.push({ name: `l${k}`, type: "rigid", mass: 1, inertia: [0.01 / 12], shape: null, points: [], pose: [at, at + 1, at + 2] });
    joints.push({ name: `j${k}`, type: "revolute", a: anchor(k, k ? 0.05 : 0, 0), b: anchor(k + 1, -0.05, 0) });
  }
  return { ...fourbar(3), label: "sample", model: `Chain of ${links}`, bodies, joints, springs: [], columns, samples: n, warnings: [], redundancies: [] };
}

export const samples = { fourbar: () => [fourbar()], spatial: () => [spatial()], chain: () => [chain()], compare: () => [fourbar(), { ...fourbar(301, 2.1), label: "hht, step 1e-2" }] };

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [template, output, kind = "fourbar"] = process.argv.slice(2);
  writeFileSync(output, fill(readFileSync(template, "utf8"), samples[kind]()));
}
