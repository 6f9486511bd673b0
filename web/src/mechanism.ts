// SPDX-License-Identifier: Apache-2.0
// One run as moving solids: all bodies in one drawing call, all joints in another, springs as coils.

import { Box3, BufferAttribute, BufferGeometry, Color, DoubleSide, Group, Line, LineBasicMaterial, Mesh, MeshLambertMaterial, Object3D, Vector3 } from "three";
import { BentBeam } from "./beams";
import { ModalLines } from "./modal";
import { groundContacts, wallMaterial } from "./contacts";
import { Crowd } from "./crowd";
import type { Run } from "./data";
import { Poses } from "./pose";
import { attachments, bodySolid, COARSE, groundSolid, jointFrame, jointSolid, type Sizes } from "./shapes";
import { coil } from "./solids";

export type Pick = { kind: "body" | "joint" | "spring"; index: number };

export const palette = ["#3b82c4", "#e08a2e", "#4da167", "#c8553d", "#8b6bb8", "#2a9d9d", "#b8893b", "#c76b98"];
const Y = new Vector3(0, 1, 0);

/** Room that the run takes and the size that symbols should have. */
export function measure(run: Run): { bounds: Box3; start: Box3; sizes: Sizes; empty: boolean } {
  const poses = new Poses(run);
  const bounds = new Box3();
  const first = new Box3();
  const start = new Box3(); // with shapes
  const p = new Vector3();
  const header = run.header;
  const drawn = header.bodies.some((b) => b.type === "rigid" || b.type === "point");
  const anchors = header.bodies.map((_, k) => attachments(header, k, 0));
  const n = Math.min(60, run.time.length);
  for (let s = 0; s < n; s++) {
    poses.at(run.time[Math.floor((s * (run.time.length - 1)) / Math.max(1, n - 1))]);
    header.bodies.forEach((b, k) => {
      if (b.type === "coordinate") return;
      const list = b.type === "ground" ? anchors[k] : [...anchors[k], new Vector3()];
      for (const a of list) {
        p.copy(a).applyMatrix4(poses.matrix[k]);
        if (![p.x, p.y, p.z].every(Number.isFinite)) continue;
        bounds.expandByPoint(p);
        if (s === 0) first.expandByPoint(p);
      }
      for (const a of shapeCorners(run, k)) {
        bounds.expandByPoint(a.applyMatrix4(poses.matrix[k]));
        if (s === 0) start.expandByPoint(a);
      }
    });
  }
  if (bounds.isEmpty()) bounds.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  const whole = bounds.getSize(new Vector3()).length() || 1;
  const size = (first.isEmpty() ? 0 : first.getSize(new Vector3()).length()) || whole;
  // links: median distance between the attachments of a body, so that long chains get thin bars
  const links = anchors
    .filter((a, k) => k > 0 && a.length > 0)
    .map((a) => Math.max(...a.flatMap((u) => [2 * u.length(), ...a.map((v) => u.distanceTo(v))])))
    .filter((l) => l > 0)
    .sort((a, b) => a - b);
  const median = links.length ? links[links.length >> 1] : size;
  // bars never thinner than about a pixel and a half; joints of a crowd may be, lest they hide the bars
  const symbol = Math.min(0.016 * Math.max(size, 0.25 * whole), 0.11 * median);
  const unit = Math.max(symbol, 0.0022 * whole);
  const sizes = { unit, symbol: header.bodies.length > 300 ? symbol : unit, size, segments: header.bodies.length > 300 ? COARSE : header.bodies.length > 60 ? 8 : 20 };
  if (header.bodies.length <= 60) addSolids(run, poses, sizes, n, bounds);
  bounds.expandByScalar(4 * unit);
  start.union(first);
  if (header.bodies.length <= 60) addSolids(run, poses, sizes, 1, start);
  if (!start.isEmpty()) start.expandByScalar(4 * unit);
  return { bounds, start, sizes, empty: !drawn };
}

// a body may be drawn larger than its attachments: a box of the same inertia, say
function addSolids(run: Run, poses: Poses, sizes: Sizes, samples: number, bounds: Box3): void {
  const boxes = run.header.bodies.map((b, k) => {
    const solid = b.type === "rigid" ? bodySolid(run, k, sizes) : null;
    solid?.computeBoundingBox();
    const box = solid?.boundingBox?.clone() ?? null;
    solid?.dispose();
    return box;
  });
  const corner = new Vector3();
  for (let s = 0; s < samples; s++) {
    poses.at(run.time[Math.floor((s * (run.time.length - 1)) / Math.max(1, samples - 1))]);
    boxes.forEach((box, k) => {
      for (let i = 0; box && i < 8; i++) {
        corner.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).applyMatrix4(poses.matrix[k]);
        if ([corner.x, corner.y, corner.z].every(Number.isFinite)) bounds.expandByPoint(corner);
      }
    });
  }
}

function shapeCorners(run: Run, body: number): Vector3[] {
  const s = run.header.bodies[body].shape;
  if (!s || s.type === "mesh") return [];
  const ends = [new Vector3(...s.from), new Vector3(...s.to)];
  const r = Math.max(s.radius, 0.5 * Math.max(...s.size));
  return ends.flatMap((e) => [e.clone().addScalar(r), e.clone().addScalar(-r)]);
}

export class Mechanism {
  readonly root = new Group();
  readonly poses: Poses;
  private bodies: Crowd | null = null;
  private joints: Crowd | null = null;
  readonly springs = new Group();
  readonly stands = new Group();
  readonly beams: BentBeam[] = [];
  readonly modals: ModalLines[] = [];
  private bodyOf: number[] = []; // instance -> body
  private jointOf: number[] = [];
  private jointBody: number[] = []; // instance -> body that carries it
  private springMeshes: { mesh: Mesh; index: number; length: number }[] = [];
  private distances: { line: Line; joint: number }[] = [];
  private material: MeshLambertMaterial;
  private jointMaterial = new MeshLambertMaterial({ color: 0xffffff });
  private standMaterial = new MeshLambertMaterial({ color: 0x8a8f98 });
  private walls = wallMaterial();
  private springMaterial = new MeshLambertMaterial({ color: 0x8a8f98 });
  private lineMaterial = new LineBasicMaterial({ color: 0x8a8f98 });
  private lit: Pick[] = [];

  constructor(readonly run: Run, readonly sizes: Sizes, private readonly up: Vector3, ghost: boolean, bounds: Box3 | null = null) {
    this.poses = new Poses(run);
    this.material = new MeshLambertMaterial(ghost ? { transparent: true, opacity: 0.3, depthWrite: false } : {});
    if (sizes.segments <= COARSE) this.material.side = this.jointMaterial.side = DoubleSide; // some are open
    this.buildBodies();
    for (const b of run.header.beams ?? []) {
      const beam = new BentBeam(run, b, sizes, ghost);
      this.beams.push(beam);
      this.root.add(beam);
    }
    for (const b of run.header.modals ?? []) {
      const lines = new ModalLines(b, ghost);
      this.modals.push(lines);
      this.root.add(lines);
    }
    this.poses.at(run.time[0] ?? 0);
    if (!ghost) {
      this.buildJoints();
      this.buildSprings();
      this.buildStands();
      if (bounds) this.stands.add(groundContacts(run.header, bounds, sizes, this.standMaterial, this.walls));
    }
    this.root.add(this.springs, this.stands);
  }

  private crowd(solids: BufferGeometry[], material: MeshLambertMaterial): Crowd | null {
    if (solids.length === 0) return null;
    const crowd = new Crowd(solids, material);
    this.root.add(crowd);
    return crowd;
  }

  private buildBodies(): void {
    const solids: BufferGeometry[] = [];
    this.run.header.bodies.forEach((_, k) => {
      const solid = bodySolid(this.run, k, this.sizes);
      if (!solid) return;
      solids.push(solid);
      this.bodyOf.push(k);
    });
    this.bodies = this.crowd(solids, this.material);
    this.bodyOf.forEach((k, i) => this.bodies!.paint(i, this.bodyColor(k)));
  }

  bodyColor(body: number): Color {
    const given = this.run.header.bodies[body].shape?.color;
    if (!given && this.sizes.segments <= COARSE) return this.crowdColor(body);
    return new Color(given || palette[(body - 1 + palette.length) % palette.length]);
  }

  // of bodies too small to be told apart: from blue over green to red along the list, in two shades
  private crowdColor(body: number): Color {
    const share = body / this.run.header.bodies.length;
    return new Color().setHSL(0.6 * (1 - share), 0.7, body % 2 ? 0.34 : 0.4);
  }

  private buildJoints(): void {
    const solids: BufferGeometry[] = [];
    this.run.header.joints.forEach((joint, k) => {
      if (joint.type === "distance") this.addDistance(k);
      const solid = jointSolid(this.run.header, joint, this.sizes);
      if (!solid) return;
      solids.push(solid);
      this.jointOf.push(k);
      this.jointBody.push(jointFrame(joint).body);
    });
    this.joints = this.crowd(solids, this.jointMaterial);
  }

  private addDistance(joint: number): void {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(6), 3));
    const line = new Line(geometry, this.lineMaterial);
    line.frustumCulled = false;
    this.root.add(line);
    this.distances.push({ line, joint });
  }

  private buildSprings(): void {
    const a = new Vector3();
    const b = new Vector3();
    this.run.header.springs.forEach((spring, index) => {
      const length = this.poses.anchor(spring.a, a).distanceTo(this.poses.anchor(spring.b, b));
      const drawn = Math.max(length, 0.02 * this.sizes.size);
      const radius = Math.min(1.5 * this.sizes.unit, 0.2 * drawn);
      const mesh = new Mesh(coil(drawn, radius, 0.2 * radius, 8), this.springMaterial);
      mesh.frustumCulled = false;
      this.springs.add(mesh);
      this.springMeshes.push({ mesh, index, length: drawn });
    });
  }

  // one stand for each point of the ground that a joint or spring holds
  private buildStands(): void {
    const header = this.run.header;
    const planar = header.space === "planar";
    const held = [...header.joints, ...header.springs].flatMap((j) => [j.a, j.b]).filter((x) => x.body === 0);
    const points = attachments({ ...header, bodies: [{ ...header.bodies[0], points: [] }] }, 0, 1e-6 * this.sizes.size);
    if (held.length === 0 || points.length > 200) return;
    for (const p of points) {
      this.stands.add(new Mesh(groundSolid(p, this.up.clone().negate(), planar, this.sizes), this.standMaterial));
    }
  }

  update(t: number): void {
    this.poses.at(t);
    this.bodyOf.forEach((k, i) => this.bodies!.place(i, this.poses.matrix[k]));
    this.jointBody.forEach((k, i) => this.joints!.place(i, this.poses.matrix[k]));
    for (const beam of this.beams) beam.bend(this.poses);
    for (const lines of this.modals) lines.bend(this.poses);
    for (const d of this.distances) this.updateDistance(d);
    const a = new Vector3();
    const b = new Vector3();
    for (const s of this.springMeshes) {
      const spring = this.run.header.springs[s.index];
      this.poses.anchor(spring.a, a);
      this.poses.anchor(spring.b, b).sub(a);
      const length = b.length();
      s.mesh.position.copy(a);
      // in the plane: in front of all bodies
      if (this.run.header.space === "planar") s.mesh.position.z = 3.4 * this.sizes.unit;
      if (length > 0) s.mesh.quaternion.setFromUnitVectors(Y, b.divideScalar(length));
      s.mesh.scale.set(1, Math.max(length / s.length, 1e-3), 1);
    }
  }

  private updateDistance(d: { line: Line; joint: number }): void {
    const joint = this.run.header.joints[d.joint];
    const position = d.line.geometry.getAttribute("position") as BufferAttribute;
    const p = new Vector3();
    [joint.a, joint.b].forEach((anchor, i) => {
      this.poses.anchor(anchor, p);
      position.setXYZ(i, p.x, p.y, p.z);
    });
    position.needsUpdate = true;
  }

  setVisible(what: "joints" | "springs" | "ground", on: boolean): void {
    if (what === "joints" && this.joints) this.joints.visible = on;
    if (what === "joints") for (const d of this.distances) d.line.visible = on;
    if (what === "springs") this.springs.visible = on;
    if (what === "ground") this.stands.visible = on;
  }

  setTheme(dark: boolean): void {
    this.jointMaterial.color.set(dark ? 0xdfe5ee : 0x3a4250);
    this.standMaterial.color.set(dark ? 0x5b6575 : 0xaab2bf);
    this.springMaterial.color.set(dark ? 0xb9c2cf : 0x59616e);
    this.lineMaterial.color.set(dark ? 0xb9c2cf : 0x59616e);
  }

  /** Marks the given items; the others return to their own colour. */
  highlight(picks: Pick[]): void {
    for (const p of this.lit) this.tint(p, false);
    for (const p of picks) this.tint(p, true);
    this.lit = picks;
  }

  private tint(p: Pick, lit: boolean): void {
    const white = new Color(0xffffff);
    if (p.kind === "body") {
      const i = this.bodyOf.indexOf(p.index);
      const own = this.bodyColor(p.index);
      if (i >= 0) this.bodies?.paint(i, lit ? own.lerp(white, 0.45) : own);
    } else if (p.kind === "joint") {
      // multiplies the colour of the material: a lit joint turns amber
      const i = this.jointOf.indexOf(p.index);
      if (i >= 0) this.joints?.paint(i, lit ? new Color(4, 2, 0.2) : white);
    }
  }

  targets(): Object3D[] {
    return [this.joints, this.bodies, ...this.beams, ...this.springMeshes.map((s) => s.mesh)].filter((o): o is Crowd => o !== null && o.visible);
  }

  /** What a ray hit, by object and instance. */
  identify(object: Object3D, instance: number | undefined): Pick | null {
    if (object === this.bodies && instance !== undefined) return { kind: "body", index: this.bodyOf[instance] };
    if (object instanceof BentBeam && instance !== undefined) return { kind: "body", index: instance };
    if (object === this.joints && instance !== undefined) return { kind: "joint", index: this.jointOf[instance] };
    const spring = this.springMeshes.find((s) => s.mesh === object);
    return spring ? { kind: "spring", index: spring.index } : null;
  }

  /** Present place of an item, for labels. */
  locate(p: Pick, out: Vector3): Vector3 {
    if (p.kind === "body") return out.copy(this.poses.position[p.index]);
    const item = p.kind === "joint" ? this.run.header.joints[p.index] : this.run.header.springs[p.index];
    this.poses.anchor(item.b, out);
    if (p.kind === "spring") out.add(this.poses.anchor(item.a, new Vector3())).multiplyScalar(0.5);
    return out;
  }

  /** Path of a body point over the whole run. */
  path(body: number, at: [number, number, number]): Float32Array {
    const poses = new Poses(this.run);
    const n = Math.min(this.run.time.length, 4000);
    const out = new Float32Array(3 * n);
    const p = new Vector3();
    for (let s = 0; s < n; s++) {
      poses.set(body, Math.round((s * (this.run.time.length - 1)) / Math.max(1, n - 1)), 0);
      poses.point(body, at, p).toArray(out, 3 * s);
    }
    return out;
  }
}
