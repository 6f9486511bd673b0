// SPDX-License-Identifier: Apache-2.0
// Where every body of a run is at a time, from its pose columns.

import { Matrix4, Quaternion, Vector3 } from "three";
import { locate, type AnchorData, type Run, type Vec3 } from "./data";

const Z = new Vector3(0, 0, 1);

export class Poses {
  readonly position: Vector3[];
  readonly rotation: Quaternion[];
  readonly matrix: Matrix4[];
  private q1 = new Quaternion();
  private one = new Vector3(1, 1, 1);

  constructor(readonly run: Run) {
    const n = run.header.bodies.length;
    this.position = Array.from({ length: n }, () => new Vector3());
    this.rotation = Array.from({ length: n }, () => new Quaternion());
    this.matrix = Array.from({ length: n }, () => new Matrix4());
  }

  /** All bodies at time t. */
  at(t: number): void {
    const { i, f } = locate(this.run.time, t);
    for (let k = 0; k < this.position.length; k++) this.set(k, i, f);
  }

  /** One body between samples i and i+1: position linear, rotation spherical in f. */
  set(k: number, i: number, f: number): void {
    const body = this.run.header.bodies[k];
    const next = Math.min(i + 1, this.run.time.length - 1);
    const columns = this.run.columns;
    const pose = body.pose;
    const value = (j: number) => {
      const v = columns[pose[j]].values;
      return f === 0 ? v[i] : v[i] + f * (v[next] - v[i]);
    };
    if (pose.length === 7) {
      this.position[k].set(value(0), value(1), value(2));
      this.quaternion(pose, i, this.rotation[k]);
      if (f > 0) this.rotation[k].slerp(this.quaternion(pose, next, this.q1), f);
    } else if (pose.length === 3 && body.type === "rigid") {
      this.position[k].set(value(0), value(1), 0);
      this.rotation[k].setFromAxisAngle(Z, value(2));
    } else if (pose.length === 1) { // a scalar coordinate
      this.position[k].set(value(0), 0, 0);
    } else if (pose.length >= 2) {
      this.position[k].set(value(0), value(1), pose.length > 2 ? value(2) : 0);
    }
    this.matrix[k].compose(this.position[k], this.rotation[k], this.one);
  }

  // columns are w, x, y, z
  private quaternion(pose: number[], sample: number, out: Quaternion): Quaternion {
    const part = (j: number) => this.run.columns[pose[j]].values[sample];
    return out.set(part(4), part(5), part(6), part(3)).normalize();
  }

  /** A point of a body in global axes, at the time of the last `at`. */
  point(body: number, at: Vec3, out: Vector3): Vector3 {
    return out.set(at[0], at[1], at[2]).applyMatrix4(this.matrix[body]);
  }

  anchor(a: AnchorData, out: Vector3): Vector3 {
    return this.point(a.body, a.at, out);
  }

  direction(body: number, axis: Vec3, out: Vector3): Vector3 {
    return out.set(axis[0], axis[1], axis[2]).applyQuaternion(this.rotation[body]);
  }
}
