// SPDX-License-Identifier: Apache-2.0
// A modal body as the lines between its nodes, which move with its modes: r + A (x_i + sum p_ki z_k).

import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Vector3 } from "three";
import type { ModalData } from "./data";
import type { Poses } from "./pose";

export class ModalLines extends LineSegments<BufferGeometry, LineBasicMaterial> {
  private place: Float32Array; // of the nodes, three numbers each

  constructor(readonly data: ModalData, ghost: boolean) {
    super(new BufferGeometry(), new LineBasicMaterial(ghost ? { color: 0x4a7fb5, transparent: true, opacity: 0.3 } : { color: 0x4a7fb5 }));
    this.place = new Float32Array(data.nodes.length);
    this.geometry.setAttribute("position", new BufferAttribute(this.place, 3));
    this.geometry.setIndex(data.edges);
    this.frustumCulled = false;
  }

  /** As the poses of its bodies are now. */
  bend(poses: Poses): void {
    const { body, modes, nodes, shapes } = this.data;
    const p = new Vector3();
    for (let i = 0; 3 * i < nodes.length; i++) {
      p.set(nodes[3 * i], nodes[3 * i + 1], nodes[3 * i + 2]);
      for (let k = 0; k < modes; k++) {
        const z = poses.position[body + 1 + k].x;
        const at = 3 * (modes * i + k);
        p.x += z * shapes[at];
        p.y += z * shapes[at + 1];
        p.z += z * shapes[at + 2];
      }
      p.applyMatrix4(poses.matrix[body]);
      p.toArray(this.place, 3 * i);
    }
    this.geometry.attributes.position.needsUpdate = true;
  }
}
