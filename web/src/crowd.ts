// SPDX-License-Identifier: Apache-2.0
// Many rigid solids in one drawing call. Every vertex knows its solid; a small texture holds, for
// each solid, the three rows of its placement and its colour. Software renderers are slow by the
// call, so a thousand bodies must not be a thousand calls.

import { BufferAttribute, BufferGeometry, Color, DataTexture, FloatType, Intersection, Matrix4, Mesh, MeshLambertMaterial, NearestFilter, Raycaster, RGBAFormat } from "three";
import { merge } from "./solids";

const PER_ROW = 256; // solids in a row of the texture, four texels each

const DECLARE = `
uniform highp sampler2D placements;
attribute float solid;
attribute float shade;
varying vec3 vSolidColor;
vec4 solidTexel(int k) {
  int i = int(solid + 0.5);
  return texelFetch(placements, ivec2(4 * (i % ${PER_ROW}) + k, i / ${PER_ROW}), 0);
}
`;

export class Crowd extends Mesh<BufferGeometry, MeshLambertMaterial> {
  private texture: DataTexture;
  private texels: Float32Array;
  private placement: Matrix4[];

  constructor(private solids: BufferGeometry[], material: MeshLambertMaterial) {
    super(merge(solids), material);
    const index = new Float32Array(this.geometry.getAttribute("position").count);
    let at = 0;
    solids.forEach((s, i) => {
      const n = s.getAttribute("position").count;
      index.fill(i, at, at + n);
      at += n;
      s.computeBoundingSphere();
    });
    this.geometry.setAttribute("solid", new BufferAttribute(index, 1));
    const rows = Math.ceil(solids.length / PER_ROW);
    this.texels = new Float32Array(rows * PER_ROW * 16);
    this.texture = new DataTexture(this.texels, 4 * PER_ROW, rows, RGBAFormat, FloatType);
    this.texture.magFilter = this.texture.minFilter = NearestFilter;
    this.placement = solids.map(() => new Matrix4());
    solids.forEach((_, i) => {
      this.place(i, this.placement[i]);
      this.paint(i, new Color(0xffffff));
    });
    this.frustumCulled = false;
    material.onBeforeCompile = (shader) => {
      shader.uniforms.placements = { value: this.texture };
      shader.vertexShader = (DECLARE + shader.vertexShader)
        .replace("#include <beginnormal_vertex>", "vec4 row0 = solidTexel(0), row1 = solidTexel(1), row2 = solidTexel(2);\nvSolidColor = shade * solidTexel(3).rgb;\nvec3 objectNormal = vec3(dot(row0.xyz, normal), dot(row1.xyz, normal), dot(row2.xyz, normal));")
        .replace("#include <begin_vertex>", "vec4 local = vec4(position, 1.0);\nvec3 transformed = vec3(dot(row0, local), dot(row1, local), dot(row2, local));");
      shader.fragmentShader = ("varying vec3 vSolidColor;\n" + shader.fragmentShader).replace("#include <color_fragment>", "diffuseColor.rgb *= vSolidColor;");
    };
  }

  place(i: number, m: Matrix4): void {
    this.placement[i].copy(m);
    const e = m.elements;
    for (let row = 0; row < 3; row++) for (let c = 0; c < 4; c++) this.texels[16 * i + 4 * row + c] = e[4 * c + row];
    this.texture.needsUpdate = true;
  }

  paint(i: number, color: Color): void {
    color.toArray(this.texels, 16 * i + 12);
    this.texture.needsUpdate = true;
  }

  /** Which solid a ray meets: each is tried in its own axes; `batchId` tells which. */
  raycast(ray: Raycaster, hits: Intersection[]): void {
    const probe = new Mesh(undefined, this.material);
    const found: Intersection[] = [];
    this.solids.forEach((s, i) => {
      probe.geometry = s;
      probe.matrixWorld = this.placement[i];
      found.length = 0;
      probe.raycast(ray, found);
      for (const hit of found) hits.push({ ...hit, object: this, batchId: i });
    });
  }
}
