// SPDX-License-Identifier: Apache-2.0
// The shapes of bodies that touch others: of a moving body part of its solid, of the ground surfaces as
// wide as the motion, hatched on the side of the material.

import { Box3, BufferGeometry, DoubleSide, Group, Mesh, MeshLambertMaterial, Vector3, type Material } from "three";
import type { ContactShape, RunHeader } from "./data";
import { bar, box, cylinder, merge, place, plate, ring, shaded, sphere } from "./solids";
import { vector, type Sizes } from "./shapes";

const Z = new Vector3(0, 0, 1);

const sorted = new WeakMap<RunHeader, Map<number, ContactShape[]>>();

/** Shapes of one body; sorted once, since there may be thousands. */
export function contactsOf(header: RunHeader, body: number): ContactShape[] {
  let by = sorted.get(header);
  if (!by) {
    by = new Map();
    for (const c of header.contacts ?? []) by.set(c.body, [...(by.get(c.body) ?? []), c]);
    sorted.set(header, by);
  }
  return by.get(body) ?? [];
}

/** True for what has a size of its own and may stand for the whole body. */
export const isWhole = (c: ContactShape): boolean => !c.hollow && ["circle", "sphere", "corners", "cylinder"].includes(c.type);

function points(c: ContactShape): Vector3[] {
  const path = c.path ?? [];
  return Array.from({ length: path.length >> 1 }, (_, i) => new Vector3(path[2 * i], path[2 * i + 1], 0));
}

// between two heights in the plane, from piece to piece
function outline(path: Vector3[], half: number, z0: number, z1: number): BufferGeometry[] {
  return path.slice(1).map((b, i) => bar(path[i], b, half, z0, z1));
}

/** A shape that moves with its body; z0, z1: the layer of a planar one. */
export function contactSolid(c: ContactShape, planar: boolean, z0: number, z1: number, sizes: Sizes): BufferGeometry | null {
  const u = sizes.unit;
  const at = vector(c.at);
  const middle = at.clone().setZ(planar ? 0.5 * (z0 + z1) : at.z);
  const radius = c.radius ?? 0;
  const above = z1 + 0.05 * u;
  switch (c.type) {
    case "point":
      return planar ? plate([at], 0.5 * u, z0, above, 12) : sphere(at, 0.5 * u, sizes.segments);
    case "circle":
      return c.hollow ? ring(at.setZ(z1), Z, radius, Math.min(0.3 * u, 0.1 * radius)) : plate([at], radius, z0, above, 40);
    case "sphere":
      return c.hollow ? null : sphere(at, radius, 2 * sizes.segments);
    case "cylinder": {
      const half = vector(c.axis!).multiplyScalar(0.5 * (c.length ?? 0));
      return cylinder(at.clone().sub(half), at.clone().add(half), radius, 2 * sizes.segments);
    }
    case "corners":
      return box(new Vector3(c.edges![0], c.edges![1], planar ? z1 - z0 : c.edges![2]), middle);
    case "polyline":
    case "curve":
      return shaded(merge(outline(points(c), 0.25 * u, z0, above)), 0.6);
    case "line":
    case "plane":
      return plank(at, vector(c.axis!), planar, z0, above, sizes);
  }
  return null;
}

// a piece of a line or plane that a moving body carries
function plank(at: Vector3, normal: Vector3, planar: boolean, z0: number, z1: number, sizes: Sizes): BufferGeometry {
  const reach = 0.15 * sizes.size;
  const half = 0.25 * sizes.unit;
  const below = at.clone().addScaledVector(normal, -half);
  if (!planar) return place(box(new Vector3(2 * reach, 2 * half, 2 * reach), new Vector3()), normal, below);
  const along = new Vector3(-normal.y, normal.x, 0).multiplyScalar(reach);
  return shaded(bar(below.clone().sub(along), below.clone().add(along), half, z0, z1), 0.6);
}

const corners = (b: Box3): Vector3[] => Array.from({ length: 8 }, (_, i) => new Vector3(i & 1 ? b.max.x : b.min.x, i & 2 ? b.max.y : b.min.y, i & 4 ? b.max.z : b.min.z));

// how far the motion reaches along a direction, from a place
function span(bounds: Box3, at: Vector3, along: Vector3): [number, number] {
  const places = corners(bounds).map((p) => p.sub(at).dot(along));
  return [Math.min(...places), Math.max(...places)];
}

// a straight surface from a to b with its material on the right, and strokes into it
function hatched(a: Vector3, b: Vector3, z: number, step: number, sizes: Sizes): BufferGeometry[] {
  const half = 0.2 * sizes.unit;
  const along = b.clone().sub(a);
  const length = along.length();
  if (!(length > 0)) return [];
  along.divideScalar(length);
  const into = new Vector3(along.y, -along.x, 0);
  const solid = [bar(a.clone().addScaledVector(into, half), b.clone().addScaledVector(into, half), half, z, z + half)];
  const stroke = into.clone().sub(along).multiplyScalar(1.2 * sizes.unit);
  for (let s = 0.5 * step; s < length; s += step) {
    const from = a.clone().addScaledVector(along, s);
    solid.push(shaded(bar(from, from.clone().add(stroke), 0.4 * half, z, z), 0.85));
  }
  return solid;
}

function flatSurface(c: ContactShape, bounds: Box3, z: number, sizes: Sizes): BufferGeometry {
  const at = vector(c.at);
  const along = new Vector3(c.axis![1], -c.axis![0], 0); // the material lies on its right
  const [from, to] = span(bounds, at, along);
  const step = Math.max(2 * sizes.unit, (to - from) / 300);
  return merge(hatched(at.clone().addScaledVector(along, from), at.clone().addScaledVector(along, to), z, step, sizes));
}

function pathSurface(c: ContactShape, z: number, sizes: Sizes): BufferGeometry {
  const path = points(c);
  const closed = path.length > 2 && path[0].distanceTo(path[path.length - 1]) < 1e-9 * sizes.size;
  if (closed) return merge(outline(path, 0.2 * sizes.unit, z, z + 0.2 * sizes.unit));
  const length = path.slice(1).reduce((sum, p, i) => sum + p.distanceTo(path[i]), 0);
  const step = Math.max(2 * sizes.unit, length / 300);
  return merge(path.slice(1).flatMap((p, i) => hatched(path[i], p, z, step, sizes)));
}

// seen through: what moves may be behind it
function wall(c: ContactShape, bounds: Box3): BufferGeometry {
  const at = vector(c.at);
  const normal = vector(c.axis!);
  const side = new Vector3(Math.abs(normal.x) < 0.9 ? 1 : 0, Math.abs(normal.x) < 0.9 ? 0 : 1, 0).projectOnPlane(normal).normalize();
  const across = normal.clone().cross(side);
  const [x0, x1] = span(bounds, at, side);
  const [y0, y1] = span(bounds, at, across);
  const centre = at.clone().addScaledVector(side, 0.5 * (x0 + x1)).addScaledVector(across, 0.5 * (y0 + y1));
  const solid = box(new Vector3(x1 - x0, 0, y1 - y0), new Vector3());
  return place(turned(solid, normal, side), normal, centre);
}

// place() turns y onto the normal; before that x onto what becomes `side`
function turned(solid: BufferGeometry, normal: Vector3, side: Vector3): BufferGeometry {
  const probe = place(bar({ x: 0, y: 0 }, { x: 1, y: 0 }, 0, 0, 0), normal, new Vector3());
  const position = probe.getAttribute("position");
  const x = new Vector3(position.getX(1) - position.getX(0), position.getY(1) - position.getY(0), position.getZ(1) - position.getZ(0)).normalize();
  const angle = Math.atan2(x.clone().cross(side).dot(normal), x.dot(side));
  return solid.rotateY(angle);
}

/** What belongs to the ground. */
export function groundContacts(header: RunHeader, bounds: Box3, given: Sizes, material: Material, walls: MeshLambertMaterial): Group {
  const planar = header.space === "planar";
  // (a body that hardly moves may be much larger than its path, which symbols go by)
  const sizes = { ...given, unit: Math.max(given.unit, 0.008 * bounds.getSize(new Vector3()).length()) };
  const group = new Group();
  const z = -3.2 * sizes.unit;
  for (const c of contactsOf(header, 0)) {
    if (c.type === "plane") {
      const mesh = new Mesh(wall(c, bounds), walls);
      mesh.renderOrder = -1;
      group.add(mesh);
    } else if (c.type === "line") group.add(new Mesh(flatSurface(c, bounds, z, sizes), material));
    else if (c.path?.length) group.add(new Mesh(pathSurface(c, z, sizes), material));
    else {
      const solid = contactSolid(c, planar, z, z + 0.4 * sizes.unit, sizes);
      if (solid) group.add(new Mesh(solid, material));
    }
  }
  return group;
}

export const wallMaterial = () => new MeshLambertMaterial({ color: 0x8a8f98, transparent: true, opacity: 0.16, depthWrite: false, side: DoubleSide });
