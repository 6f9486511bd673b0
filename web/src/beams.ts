// SPDX-License-Identifier: Apache-2.0
// A beam as one bent tube through its nodes, coloured by the stress at the edge of its section, or by
// its curvature where the section has no shape. Between two nodes the axis is the cubic with the
// nodes' tangents. Stretch and curvature of an element follow from the frames of its nodes:
// phi the turn between them, u their distance in axes halfway: |u| (phi/2)/sin(phi/2)/L - 1, (phi - phi_free)/L.

import { BufferAttribute, BufferGeometry, Color, Intersection, Mesh, MeshLambertMaterial, Quaternion, Raycaster, Vector3 } from "three";
import type { BeamData, Run } from "./data";
import { number } from "./format";
import { Poses } from "./pose";
import type { Sizes } from "./shapes";

const AROUND = 8;

/** Blue over green and yellow to red. */
export function heat(share: number, out: Color): Color {
  return out.setHSL(0.62 * (1 - Math.min(1, Math.max(0, share))), 0.75, 0.45);
}

export class BentBeam extends Mesh<BufferGeometry, MeshLambertMaterial> {
  readonly quantity: "stress" | "curvature";
  readonly unit: string;
  most = 0; // over the run
  private pieces: number; // of an element
  private radius: number;
  private values: number[];

  constructor(run: Run, readonly data: BeamData, sizes: Sizes, ghost: boolean) {
    super(new BufferGeometry(), new MeshLambertMaterial(ghost ? { vertexColors: true, transparent: true, opacity: 0.3, depthWrite: false } : { vertexColors: true }));
    this.quantity = data.stress.length ? "stress" : "curvature";
    this.unit = data.stress.length ? "Pa" : "1/m";
    this.pieces = data.elements > 200 ? 1 : data.elements > 40 ? 2 : 6;
    this.radius = Math.max(run.header.bodies[data.first].shape?.radius ?? 0, 0.5 * sizes.unit);
    if (!data.stress.length) this.radius = 0.6 * sizes.unit;
    this.values = new Array(data.elements + 1).fill(0);
    const rings = data.elements * this.pieces + 1;
    const index: number[] = [];
    for (let r = 0; r + 1 < rings; r++)
      for (let k = 0; k < AROUND; k++) {
        const a = r * AROUND + k;
        const b = r * AROUND + ((k + 1) % AROUND);
        index.push(a, a + AROUND, b, b, a + AROUND, b + AROUND);
      }
    this.geometry.setIndex(index);
    for (const name of ["position", "normal", "color"]) this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * AROUND * rings), 3));
    this.frustumCulled = false;
    const poses = new Poses(run);
    const n = Math.min(run.time.length, Math.max(8, Math.floor(20000 / data.elements)));
    for (let s = 0; s < n; s++) {
      poses.at(run.time[Math.floor((s * (run.time.length - 1)) / Math.max(1, n - 1))]);
      this.load(poses);
      for (const v of this.values) if (Number.isFinite(v)) this.most = Math.max(this.most, v);
    }
  }

  /** What its colours mean. */
  legend(): string {
    return `${this.data.name}: ${this.quantity} up to ${number(this.most, 3)} ${this.unit}`;
  }

  // stress or curvature at the nodes: the mean of the neighbouring elements, at the ends on their line
  private load(poses: Poses): void {
    const { first, elements } = this.data;
    const of: number[] = [];
    const end = (here: number, next: number) => (elements > 1 ? Math.max(0, 1.5 * here - 0.5 * next) : here);
    for (let e = 0; e < elements; e++) of.push(this.element(poses, first + e, e));
    for (let k = 0; k <= elements; k++) this.values[k] = k === 0 ? end(of[0], of[1]) : k === elements ? end(of[k - 1], of[k - 2]) : 0.5 * (of[k - 1] + of[k]);
  }

  private element(poses: Poses, body: number, e: number): number {
    const { length, stress, round, free } = this.data;
    const turn = poses.rotation[body].clone().invert().multiply(poses.rotation[body + 1]);
    if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
    const s = Math.hypot(turn.x, turn.y, turn.z);
    const angle = 2 * Math.atan2(s, turn.w);
    const by = s > 1e-12 ? angle / s : 2;
    const k = [turn.x, turn.y, turn.z].map((x, i) => (by * x - free[e][i]) / length);
    if (!stress.length) return Math.hypot(k[1], k[2]);
    const chord = poses.position[body].distanceTo(poses.position[body + 1]);
    const stretch = (chord * (angle > 1e-6 ? angle / 2 / Math.sin(angle / 2) : 1)) / length - 1;
    const bending = round ? stress[1] * Math.hypot(k[1], k[2]) : stress[1] * Math.abs(k[1]) + stress[2] * Math.abs(k[2]);
    return stress[0] * Math.abs(stretch) + bending;
  }

  /** Takes the shape of the nodes at the time of the poses. */
  bend(poses: Poses): void {
    const { first, elements } = this.data;
    const position = this.geometry.getAttribute("position") as BufferAttribute;
    const normal = this.geometry.getAttribute("normal") as BufferAttribute;
    const colors = this.geometry.getAttribute("color") as BufferAttribute;
    const color = new Color();
    const at = new Vector3();
    const out = new Vector3();
    const axes = new Quaternion();
    this.load(poses);
    for (let e = 0, ring = 0; e < elements; e++)
      for (let p = 0; p < this.pieces + (e === elements - 1 ? 1 : 0); p++, ring++) {
        const x = p / this.pieces;
        this.axis(poses, first + e, x, at);
        axes.slerpQuaternions(poses.rotation[first + e], poses.rotation[first + e + 1], x);
        heat(this.most > 0 ? (this.values[e] * (1 - x) + this.values[e + 1] * x) / this.most : 0, color);
        for (let k = 0; k < AROUND; k++) {
          const i = ring * AROUND + k;
          const a = (2 * Math.PI * k) / AROUND;
          out.set(0, Math.cos(a), Math.sin(a)).applyQuaternion(axes);
          normal.setXYZ(i, out.x, out.y, out.z);
          position.setXYZ(i, at.x + this.radius * out.x, at.y + this.radius * out.y, at.z + this.radius * out.z);
          colors.setXYZ(i, color.r, color.g, color.b);
        }
      }
    for (const a of [position, normal, colors]) a.needsUpdate = true;
    this.geometry.boundingSphere = null;
  }

  // cubic with the tangents of the nodes
  private axis(poses: Poses, body: number, x: number, out: Vector3): void {
    const a = poses.position[body];
    const b = poses.position[body + 1];
    const l = this.data.length;
    const ta = new Vector3(l, 0, 0).applyQuaternion(poses.rotation[body]);
    const tb = new Vector3(l, 0, 0).applyQuaternion(poses.rotation[body + 1]);
    const y = 1 - x;
    out.set(0, 0, 0).addScaledVector(a, y * y * (1 + 2 * x)).addScaledVector(b, x * x * (3 - 2 * x)).addScaledVector(ta, x * y * y).addScaledVector(tb, -x * x * y);
  }

  /** The node nearest to where a ray meets it: `batchId` is its body. */
  raycast(ray: Raycaster, hits: Intersection[]): void {
    const found: Intersection[] = [];
    super.raycast(ray, found);
    for (const hit of found) {
      const ring = Math.floor((hit.face?.a ?? 0) / AROUND);
      hits.push({ ...hit, batchId: this.data.first + Math.min(this.data.elements, Math.round(ring / this.pieces)) });
    }
  }
}
