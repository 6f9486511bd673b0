// SPDX-License-Identifier: Apache-2.0
// Vector arrows (velocities, reactions) and traces of points.

import { BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, Group, InstancedMesh, Line, LineBasicMaterial, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import { between, locate, type Column, type Run } from "./data";
import type { Mechanism } from "./mechanism";

const Y = new Vector3(0, 1, 0);

interface Source {
  columns: (Column | undefined)[];
  place: (out: Vector3) => Vector3;
}

/** Arrows of one quantity; the largest of the run gets the length `longest`. */
export class Arrows {
  readonly group = new Group();
  private sources: Source[];
  private shaft: InstancedMesh;
  private head: InstancedMesh;
  private scale: number;

  constructor(mechanism: Mechanism, kind: "velocity" | "reaction", longest: number, private unit: number, color: number) {
    this.sources = kind === "velocity" ? velocitySources(mechanism) : reactionSources(mechanism);
    const n = Math.max(1, this.sources.length);
    const material = new MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.9 });
    this.shaft = new InstancedMesh(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), material, n);
    this.head = new InstancedMesh(new ConeGeometry(1, 1, 12).translate(0, 0.5, 0), material, n);
    this.shaft.frustumCulled = this.head.frustumCulled = false;
    this.shaft.renderOrder = this.head.renderOrder = 5;
    this.group.add(this.shaft, this.head);
    this.group.visible = false;
    this.scale = longest / (largest(this.sources) || 1);
    this.run = mechanism.run;
  }

  private run: Run;

  get count(): number {
    return this.sources.length;
  }

  update(t: number): void {
    if (!this.group.visible) return;
    const at = new Vector3();
    const v = new Vector3();
    const turn = new Quaternion();
    const matrix = new Matrix4();
    const size = new Vector3();
    const along = new Vector3();
    const thick = 0.28 * this.unit;
    const moment = locate(this.run.time, t);
    const part = (c: Column | undefined) => (c ? between(c, moment) : 0);
    this.sources.forEach((s, i) => {
      v.set(part(s.columns[0]), part(s.columns[1]), part(s.columns[2])).multiplyScalar(this.scale);
      s.place(at);
      const length = v.length();
      const head = Math.min(2.2 * this.unit, 0.5 * length);
      if (length > 0) turn.setFromUnitVectors(Y, along.copy(v).divideScalar(length));
      const wide = length > 1e-3 * this.unit ? thick : 0;
      this.shaft.setMatrixAt(i, matrix.compose(at, turn, size.set(wide, Math.max(length - head, 1e-9), wide)));
      at.addScaledVector(v, length > 0 ? (length - head) / length : 0);
      const cone = Math.min(0.8 * this.unit, 0.5 * head) * (wide > 0 ? 1 : 0);
      this.head.setMatrixAt(i, matrix.compose(at, turn, size.set(cone, Math.max(head, 1e-9), cone)));
    });
    this.shaft.instanceMatrix.needsUpdate = this.head.instanceMatrix.needsUpdate = true;
  }
}

function velocitySources(m: Mechanism): Source[] {
  return m.run.header.bodies.flatMap((b, k) => {
    const columns = ["vx", "vy", "vz"].map((p) => m.run.byName.get(`${b.name}.${p}`));
    return columns[0] && columns[1] ? [{ columns, place: (out: Vector3) => out.copy(m.poses.position[k]) }] : [];
  });
}

function reactionSources(m: Mechanism): Source[] {
  return m.run.header.joints.flatMap((j) => {
    const columns = ["fx", "fy", "fz"].map((p) => m.run.byName.get(`${j.name}.${p}`));
    return columns[0] && columns[1] ? [{ columns, place: (out: Vector3) => m.poses.anchor(j.b, out) }] : [];
  });
}

function largest(sources: Source[]): number {
  let top = 0;
  for (const s of sources) {
    const n = s.columns[0]!.values.length;
    for (let i = 0; i < n; i++) {
      const size = s.columns.reduce((sum, c) => sum + (c ? c.values[i] ** 2 : 0), 0);
      if (size > top) top = size;
    }
  }
  return Math.sqrt(top);
}

/** Paths of points: faint for the whole run, strong up to the present time. */
export class Traces {
  readonly group = new Group();
  private lines: { done: Line; n: number }[] = [];

  constructor(private mechanism: Mechanism) {}

  show(points: { body: number; at: [number, number, number] }[]): void {
    this.group.clear();
    this.lines = points.map((p) => {
      const path = this.mechanism.path(p.body, p.at);
      const attribute = new BufferAttribute(path, 3);
      const color: Color = this.mechanism.bodyColor(p.body);
      const whole = new BufferGeometry().setAttribute("position", attribute);
      const part = new BufferGeometry().setAttribute("position", attribute);
      const done = new Line(part, new LineBasicMaterial({ color }));
      const faint = new Line(whole, new LineBasicMaterial({ color, transparent: true, opacity: 0.35 }));
      done.frustumCulled = faint.frustumCulled = false;
      this.group.add(faint, done);
      return { done, n: path.length / 3 };
    });
  }

  update(t: number): void {
    const time = this.mechanism.run.time;
    const span = time[time.length - 1] - time[0];
    let before = 0;
    while (before < time.length && time[before] <= t) before++;
    for (const l of this.lines) {
      const share = time.length > 1 && span > 0 ? (before - 1) / (time.length - 1) : 1;
      l.done.geometry.setDrawRange(0, Math.max(1, Math.floor(share * (l.n - 1)) + 1));
    }
  }
}
