// SPDX-License-Identifier: Apache-2.0
// Grid, axes, light and camera positions: everything around the mechanism.

import { Box3, BufferAttribute, BufferGeometry, Camera, Color, DirectionalLight, Group, HemisphereLight, LineBasicMaterial, LineSegments, OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import type { RunHeader } from "./data";
import { niceBelow } from "./format";

/** Direction against gravity where it follows an axis; y in the plane, z in space otherwise. */
export function upward(header: RunHeader): Vector3 {
  if (header.space === "planar") return new Vector3(0, 1, 0);
  const g = header.gravity;
  const k = [0, 1, 2].reduce((best, i) => (Math.abs(g[i]) > Math.abs(g[best]) ? i : best), 2);
  const up = new Vector3();
  up.setComponent(k, g[k] > 0 ? -1 : 1);
  return up;
}

function lines(points: number[], material: LineBasicMaterial): LineSegments {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  return new LineSegments(geometry, material);
}

export class Stage {
  readonly group = new Group();
  readonly grid = new Group();
  readonly axes = new Group();
  readonly gridStep: number;
  readonly axisLength: number;
  private fine = new LineBasicMaterial();
  private coarse = new LineBasicMaterial();
  readonly axisColors = [0xd64545, 0x3f9e4d, 0x3b6fd4];

  constructor(readonly bounds: Box3, readonly up: Vector3, readonly planar: boolean, unit: number) {
    const size = bounds.getSize(new Vector3());
    const wide = Math.max(size.x, size.y, size.z);
    this.gridStep = niceBelow(wide / 5);
    this.axisLength = 0.12 * wide;
    this.buildGrid(unit);
    this.buildAxes();
    const sky = new HemisphereLight(0xffffff, 0x9aa4b5, 2.1);
    sky.position.copy(up);
    this.group.add(sky, this.grid, this.axes);
  }

  // behind a planar mechanism, under a spatial one
  private buildGrid(unit: number): void {
    const normal = this.planar ? 2 : [0, 1, 2].find((k) => this.up.getComponent(k) !== 0)!;
    const [a, b] = [0, 1, 2].filter((k) => k !== normal);
    const step = this.gridStep;
    const sign = this.up.getComponent(normal) < 0 ? -1 : 1;
    const floor = sign > 0 ? Math.min(this.bounds.min.getComponent(normal), 0) : Math.max(this.bounds.max.getComponent(normal), 0);
    const level = this.planar ? -4.2 * unit : floor;
    const range = (k: number) => [
      (Math.floor(Math.min(0, this.bounds.min.getComponent(k)) / step) - 1) * step,
      (Math.ceil(Math.max(0, this.bounds.max.getComponent(k)) / step) + 1) * step,
    ];
    const [a0, a1] = range(a);
    const [b0, b1] = range(b);
    // a run that ends far away must not make thousands of lines
    const skip = Math.max(1, Math.ceil(Math.max(a1 - a0, b1 - b0) / step / 60));
    const thin: number[] = [];
    const thick: number[] = [];
    const line = (along: number, across: number, from: number, to: number, at: number) => {
      for (const end of [from, to]) {
        const p = [0, 0, 0];
        p[along] = end;
        p[across] = at;
        p[normal] = level;
        (Math.abs(at) < 1e-9 * step ? thick : thin).push(...p);
      }
    };
    for (let i = Math.round(b0 / step); i * step <= b1 + 1e-9 * step; i += skip) line(a, b, a0, a1, i * step);
    for (let i = Math.round(a0 / step); i * step <= a1 + 1e-9 * step; i += skip) line(b, a, b0, b1, i * step);
    this.grid.add(lines(thin, this.fine), lines(thick, this.coarse));
  }

  private buildAxes(): void {
    const n = this.planar ? 2 : 3;
    for (let k = 0; k < n; k++) {
      const end = [0, 0, 0];
      end[k] = this.axisLength;
      const axis = lines([0, 0, 0, ...end], new LineBasicMaterial({ color: this.axisColors[k], depthTest: false }));
      axis.renderOrder = 4;
      this.axes.add(axis);
    }
  }

  setTheme(dark: boolean): void {
    this.fine.color = new Color(dark ? 0x2a323f : 0xe1e6ed);
    this.coarse.color = new Color(dark ? 0x414c5d : 0xc3cbd6);
  }
}

/** Light that comes over the shoulder of the viewer. */
export function headLight(camera: Camera): DirectionalLight {
  const light = new DirectionalLight(0xffffff, 1.7);
  light.position.set(0.4, 0.7, 1);
  camera.add(light, light.target);
  light.target.position.set(0, 0, -1);
  return light;
}

export type ViewName = "front" | "top" | "side" | "corner";

/** Direction from the mechanism to the eye. */
export function viewDirection(name: ViewName, planar: boolean, up: Vector3): Vector3 {
  const front = planar ? new Vector3(0, 0, 1) : Math.abs(up.y) > 0.5 ? new Vector3(0, 0, 1) : Math.abs(up.z) > 0.5 ? new Vector3(0, -1, 0) : new Vector3(0, 0, 1);
  const right = new Vector3().crossVectors(up, front);
  // a little off the axis: exactly along `up` the camera would have no upper side
  if (name === "top") return up.clone().addScaledVector(front, 1e-3).normalize();
  if (name === "side") return right;
  if (name === "corner") return front.clone().addScaledVector(right, 0.75).addScaledVector(up, 0.55).normalize();
  return front;
}

/** Moves the camera so that the box fills the picture, seen from `direction`. */
export function fitCamera(camera: PerspectiveCamera | OrthographicCamera, bounds: Box3, direction: Vector3, up: Vector3, aspect: number): Vector3 {
  const center = bounds.getCenter(new Vector3());
  const radius = 0.5 * bounds.getSize(new Vector3()).length() || 1;
  const right = new Vector3().crossVectors(up, direction).normalize();
  const top = new Vector3().crossVectors(direction, right).normalize();
  const slope = camera instanceof PerspectiveCamera ? Math.tan((camera.fov * Math.PI) / 360) : 1;
  // half extents of the box across the view, and the distance from which every corner is seen
  let w = 0;
  let h = 0;
  let distance = 0;
  for (let k = 0; k < 8; k++) {
    const corner = new Vector3(k & 1 ? bounds.max.x : bounds.min.x, k & 2 ? bounds.max.y : bounds.min.y, k & 4 ? bounds.max.z : bounds.min.z).sub(center);
    const x = Math.abs(corner.dot(right));
    const y = Math.abs(corner.dot(top));
    w = Math.max(w, x);
    h = Math.max(h, y);
    distance = Math.max(distance, corner.dot(direction) + (1.08 * Math.max(y, x / aspect)) / slope);
  }
  const margin = 1.12;
  camera.up.copy(up);
  if (camera instanceof OrthographicCamera) {
    const half = margin * Math.max(h, w / aspect, 1e-9);
    camera.top = half;
    camera.bottom = -half;
    camera.left = -half * aspect;
    camera.right = half * aspect;
    camera.zoom = 1;
    camera.near = 0.01 * radius;
    camera.far = 40 * radius;
    camera.position.copy(center).addScaledVector(direction, 20 * radius);
  } else {
    camera.near = 0.005 * distance;
    camera.far = 60 * distance;
    camera.position.copy(center).addScaledVector(direction, distance);
  }
  camera.lookAt(center);
  camera.updateProjectionMatrix();
  return center;
}
