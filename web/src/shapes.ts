// SPDX-License-Identifier: Apache-2.0
// The solid drawn for each body, joint and spring: the shape given in the model, or a default made
// of what is known (attachment points, mass, inertia). Body axes; a planar body lies in its layer.

import { BufferAttribute, BufferGeometry, Vector3 } from "three";
import { contactsOf, contactSolid, isWhole } from "./contacts";
import type { AnchorData, BodyData, ContactShape, JointData, Run, RunHeader, Vec3 } from "./data";
import { box, cylinder, merge, plate, ring, shaded, sphere, strip, tube } from "./solids";

export interface Sizes {
  unit: number; // half width of a bar
  symbol: number; // the same for joints, which may be smaller in a crowd
  size: number; // of the whole mechanism
  segments: number; // roundness
}

/** Roundness from which solids lose what is hardly seen: many bodies must stay fast. */
export const COARSE = 4;

export const vector = (v: Vec3) => new Vector3(v[0], v[1], v[2]);

// joints without a point of their own
const loose = new Set(["rolling", "planar", "point_on_plane", "parallel", "perpendicular"]);

/** Points of a body that something attaches to, without doubles. */
export function attachments(header: RunHeader, body: number, tolerance: number): Vector3[] {
  const found: Vector3[] = [];
  const add = (at: Vec3) => {
    const p = vector(at);
    if (!found.some((q) => q.distanceTo(p) <= tolerance)) found.push(p);
  };
  for (const j of header.joints) for (const a of [j.a, j.b]) if (a.body === body && !j.couples && !loose.has(j.type)) add(a.at);
  for (const s of header.springs) for (const a of [s.a, s.b]) if (a.body === body) add(a.at);
  for (const p of header.bodies[body].points) add(p.at);
  if (body > 0) for (const c of contactsOf(header, body)) if (["point", "circle", "sphere"].includes(c.type)) add(c.at);
  return found;
}

/** Height of the layer of a planar body: neighbours must not lie in one plane. */
export function layer(body: number, sizes: Sizes): number {
  return (((body - 1) % 4) - 1.5) * sizes.unit * 0.9;
}

export function bodySolid(run: Run, index: number, sizes: Sizes): BufferGeometry | null {
  const body = run.header.bodies[index];
  if (body.type === "ground" || body.type === "coordinate") return null;
  if (run.header.beams?.some((b) => index >= b.first && index <= b.first + b.elements)) return null; // beams.ts draws them
  if (run.header.modals?.some((b) => index === b.body || b.interfaces.includes(index))) return null; // modal.ts
  const planar = run.header.space === "planar";
  const z = planar ? layer(index, sizes) : 0;
  const shapes = contactsOf(run.header, index);
  // a given shape stands for what touches as well, but for its lines
  const drawn = (body.shape ? shapes.filter((c) => c.path?.length) : shapes).map((c) => contactSolid(c, planar, z - 0.4 * sizes.unit, z + 0.4 * sizes.unit, sizes)).filter((g): g is BufferGeometry => g !== null);
  const points = attachments(run.header, index, 1e-3 * sizes.unit);
  // what touches is the body itself, where nothing else of it is known
  const alone = !body.shape && shapes.some(isWhole) && points.every((p) => p.length() <= 1e-6 * sizes.size);
  if (alone) return merge([...drawn, ...turnMarks(shapes, planar, z + 0.45 * sizes.unit)]);
  const solid = body.shape ? givenShape(run, index, planar, sizes) : defaultSolid(body, points, planar, index, sizes);
  return drawn.length ? merge([solid, ...drawn]) : solid;
}

function turnMarks(shapes: ContactShape[], planar: boolean, z: number): BufferGeometry[] {
  return shapes.filter((c) => !c.hollow).flatMap((c) => {
    if (c.type === "circle") return [wheelMark(vector(c.at), c.radius!, z)];
    return c.type === "sphere" && !planar ? spots(vector(c.at), c.radius!) : [];
  });
}

function defaultSolid(body: BodyData, points: Vector3[], planar: boolean, index: number, sizes: Sizes): BufferGeometry {
  if (body.type === "point") return sphere(new Vector3(), 2 * sizes.unit, sizes.segments);
  return planar ? planarDefault(body, points, layer(index, sizes), sizes) : spatialDefault(body, points, sizes);
}

function givenShape(run: Run, index: number, planar: boolean, sizes: Sizes): BufferGeometry {
  const s = run.header.bodies[index].shape!;
  const from = vector(s.from);
  const to = vector(s.to);
  const middle = from.clone().add(to).multiplyScalar(0.5);
  const radius = s.radius > 0 ? s.radius : sizes.unit;
  const thick = 2 * sizes.unit;
  if (s.type === "sphere") return merge([sphere(from, radius, 2 * sizes.segments), ...spots(from, radius)]);
  if (s.type === "cylinder") {
    // a planar cylinder without length is a disc seen from the front
    if (from.distanceTo(to) < 1e-12 && planar) return merge([plate([from], radius, -thick / 2, thick / 2, 48), wheelMark(from, radius, thick / 2)]);
    return merge([cylinder(from, to, radius, 2 * sizes.segments), ...discMarks(from, to, radius), ...arms(run, index, from, to, radius, sizes)]);
  }
  if (s.type === "mesh" && s.mesh >= 0) return meshSolid(run.columns[s.mesh].values);
  const size = vector(s.size);
  const long = to.clone().sub(from);
  if (size.x <= 0) size.x = Math.abs(long.x) || thick;
  if (size.y <= 0) size.y = Math.abs(long.y) || thick;
  if (size.z <= 0) size.z = Math.abs(long.z) || thick;
  return box(size, middle);
}

// marks that show the turning of what is round
function wheelMark(center: Vector3, radius: number, z: number): BufferGeometry {
  const ends = [0.3, 0.75].map((k) => ({ x: center.x + k * radius, y: center.y }));
  return shaded(plate(ends, 0.1 * radius, z, z + 0.02 * radius, 12), 0.6);
}

function spots(center: Vector3, radius: number): BufferGeometry[] {
  const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
  return axes.flatMap((a) => [1, -1].map((sign) => shaded(sphere(center.clone().addScaledVector(a, sign * 0.86 * radius), 0.2 * radius, 12), 0.65)));
}

function discMarks(from: Vector3, to: Vector3, radius: number): BufferGeometry[] {
  const axis = to.clone().sub(from);
  if (axis.length() > radius) return [];
  const side = new Vector3(Math.abs(axis.y) + Math.abs(axis.z) > 0 ? 1 : 0, Math.abs(axis.x) > 0 ? 1 : 0, 0).projectOnPlane(axis).normalize();
  const mark = axis.clone().multiplyScalar(0.06);
  const at = from.clone().sub(mark).addScaledVector(side, 0.62 * radius);
  const end = to.clone().add(mark).addScaledVector(side, 0.62 * radius);
  return [shaded(cylinder(at, end, 0.16 * radius, 12), 0.6)];
}

// rods from the given cylinder to attachments that lie off it
function arms(run: Run, index: number, from: Vector3, to: Vector3, radius: number, sizes: Sizes): BufferGeometry[] {
  const line = to.clone().sub(from);
  const length2 = line.lengthSq();
  if (length2 === 0) return [];
  return attachments(run.header, index, 1e-3 * sizes.unit).flatMap((p) => {
    const along = Math.min(1, Math.max(0, p.clone().sub(from).dot(line) / length2));
    const foot = from.clone().addScaledVector(line, along);
    const thin = Math.min(0.6 * sizes.unit, 0.7 * radius);
    return foot.distanceTo(p) > 1.2 * radius + thin ? [cylinder(foot, p, thin, sizes.segments), sphere(p, 1.3 * thin, sizes.segments)] : [];
  });
}

function meshSolid(numbers: Float64Array): BufferGeometry {
  const out = new BufferGeometry();
  out.setAttribute("position", new BufferAttribute(Float32Array.from(numbers), 3));
  out.computeVertexNormals();
  return merge([out]);
}

// radius of gyration about axis k, 0 when the mass is zero
function gyration(body: BodyData, k = 0): number {
  return body.mass > 0 ? Math.sqrt(Math.max(0, body.inertia[k] ?? 0) / body.mass) : 0;
}

const clamp = (x: number, lo: number, hi: number) => Math.min(hi, Math.max(lo, x));

// With one attachment at p the body is taken for a uniform rod: half length sqrt(3) k, k the radius
// of gyration; it goes from p through the centre of mass.
function farEnd(p: Vector3, k: number): Vector3 {
  const reach = Math.min(Math.sqrt(3) * k, 1.5 * p.length());
  return p.clone().multiplyScalar(-reach / p.length());
}

function planarDefault(body: BodyData, points: Vector3[], z: number, sizes: Sizes): BufferGeometry {
  const u = sizes.unit;
  const away = points.filter((p) => p.length() > 1e-6 * sizes.size);
  const z0 = z - 0.4 * u;
  const z1 = z + 0.4 * u;
  if (away.length === 0) {
    // a wheel of the same inertia
    const radius = clamp(Math.SQRT2 * gyration(body), 2 * u, 0.25 * sizes.size);
    const disc = plate([{ x: 0, y: 0 }], radius, z0, z1, 40);
    return merge([disc, wheelMark(new Vector3(), radius, z1)]);
  }
  const outline = [...away];
  if (points.length > away.length) outline.push(new Vector3());
  if (outline.length === 1) outline.push(farEnd(away[0], gyration(body)));
  if (sizes.segments <= COARSE) return outline.length > 2 ? plate(outline, 0.9 * u, z1, z1, COARSE, false) : strip(outline[0], outline[1], u, z1);
  return plate(outline, outline.length > 2 ? 0.9 * u : u, z0, z1, sizes.segments);
}

function spatialDefault(body: BodyData, points: Vector3[], sizes: Sizes): BufferGeometry {
  const u = sizes.unit;
  const away = points.filter((p) => p.length() > 1e-6 * sizes.size);
  const rod = (a: Vector3, b: Vector3) => sizes.segments <= COARSE ? [tube(a, b, 0.7 * u, COARSE)] : [cylinder(a, b, 0.7 * u, sizes.segments), sphere(a, 0.7 * u, sizes.segments), sphere(b, 0.7 * u, sizes.segments)];
  if (away.length === 1) {
    const end = farEnd(away[0], Math.max(gyration(body, 0), gyration(body, 1), gyration(body, 2)));
    return merge([...rod(away[0], end), ...(end.length() < u ? [sphere(new Vector3(), 2 * u, sizes.segments)] : [])]);
  }
  if (away.length === 2) {
    const direct = away[1].clone().sub(away[0]);
    const off = away[0].clone().cross(direct).length() / (direct.length() || 1);
    if (off < 2 * u) return merge(rod(away[0], away[1]));
  }
  if (away.length >= 2) return merge([...away.flatMap((p) => rod(new Vector3(), p)), sphere(new Vector3(), 1.3 * u, sizes.segments)]);
  return inertiaBox(body, sizes);
}

// the box of uniform density with the same inertia
function inertiaBox(body: BodyData, sizes: Sizes): BufferGeometry {
  const [x, y, z] = [0, 1, 2].map((k) => gyration(body, k) ** 2);
  const edge = (s: number) => clamp(Math.sqrt(Math.max(0, 6 * s)), 0.6 * sizes.unit, 0.5 * sizes.size);
  if (x + y + z === 0) return sphere(new Vector3(), 2 * sizes.unit, sizes.segments);
  return box(new Vector3(edge(y + z - x), edge(z + x - y), edge(x + y - z)), new Vector3());
}

/** The side whose axes the joint is drawn in: the one that has its axis. */
export function jointFrame(joint: JointData): AnchorData {
  return joint.a.axis && !joint.b.axis ? joint.a : joint.b;
}

/** A joint in the axes of its frame's body. */
export function jointSolid(header: RunHeader, joint: JointData, sizes: Sizes): BufferGeometry | null {
  const u = sizes.symbol;
  const frame = jointFrame(joint);
  const at = vector(frame.at);
  const planar = header.space === "planar";
  const axis = frame.axis ? vector(frame.axis) : planar ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1);
  const along = axis.lengthSq() > 0 ? axis.normalize() : new Vector3(0, 0, 1);
  const depth = 2.6 * sizes.unit; // above and below all layers
  const round = sizes.segments <= COARSE ? tube : cylinder;
  const bar = (half: number, radius: number) => round(at.clone().addScaledVector(along, -half), at.clone().addScaledVector(along, half), radius, sizes.segments);
  if (joint.couples) return null;
  switch (joint.type) {
    case "rolling":
    case "distance":
    case "parallel":
    case "perpendicular":
      return null;
    case "revolute":
      if (planar) return planarPin(at, depth, sizes);
      return bar(1.6 * u, 1.15 * u);
    case "spherical":
      return sphere(at, 1.35 * u, sizes.segments);
    case "universal":
      return merge([bar(1.7 * u, 0.5 * u), sphere(at, 1.0 * u, sizes.segments)]);
    case "cylindrical":
    case "screw":
      return merge([bar(3.2 * u, 0.45 * u), bar(1.4 * u, 1.2 * u)]);
    case "prismatic":
      return merge([bar(4 * u, 0.35 * u), blockAlong(at, along, u, planar ? depth : 0)]);
    case "slot":
    case "point_on_line":
      return bar(8 * u, 0.4 * u);
    default:
      return box(new Vector3(1.7 * u, 1.7 * u, planar ? 2 * depth : 1.7 * u), at);
  }
}

// a pin through all layers, with a rim where there are few enough of them to see it
function planarPin(at: Vector3, depth: number, sizes: Sizes): BufferGeometry {
  const z = new Vector3(0, 0, 1);
  const top = at.clone().addScaledVector(z, depth);
  if (sizes.segments <= COARSE) return plate([at], 0.5 * sizes.symbol, depth, depth, COARSE, false);
  if (sizes.segments < 12) return plate([at], 0.5 * sizes.symbol, -depth, depth, sizes.segments);
  const pin = cylinder(at.clone().addScaledVector(z, -depth), top, 0.5 * sizes.symbol, sizes.segments);
  return merge([ring(top, z, 0.62 * sizes.symbol, 0.16 * sizes.symbol), pin]);
}

function blockAlong(at: Vector3, along: Vector3, u: number, depth: number): BufferGeometry {
  const half = along.clone().multiplyScalar(1.6 * u);
  const solid = cylinder(at.clone().sub(half), at.clone().add(half), 1.1 * u, 4);
  return depth > 0 ? solid.translate(0, 0, 0.6 * depth) : solid;
}

/** Mark of a point fixed to the ground: a stand below it, `down` pointing away from the mechanism. */
export function groundSolid(at: Vector3, down: Vector3, planar: boolean, sizes: Sizes): BufferGeometry {
  const u = sizes.unit;
  const foot = at.clone().addScaledVector(down, 3.2 * u);
  if (!planar) return merge([cylinder(foot, at, 2.2 * u, 4, 0.5 * u), cylinder(foot, foot.clone().addScaledVector(down, 0.4 * u), 3 * u, 4)]);
  const side = new Vector3(-down.y, down.x, 0);
  const left = foot.clone().addScaledVector(side, 1.7 * u);
  const right = foot.clone().addScaledVector(side, -1.7 * u);
  const z0 = -3.2 * u;
  const base = foot.clone().addScaledVector(down, 0.25 * u);
  return merge([
    plate([at, left, right], 0.25 * u, z0, z0 + 0.8 * u, 12),
    plate([base.clone().addScaledVector(side, 2.6 * u), base.clone().addScaledVector(side, -2.6 * u)], 0.28 * u, z0, z0 + 0.8 * u, 8),
  ]);
}
