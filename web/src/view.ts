// SPDX-License-Identifier: Apache-2.0
// The mechanism on its canvas: camera, picking, names. Draws only when something changed.

import { type Box3, MOUSE, OrthographicCamera, PerspectiveCamera, Raycaster, Scene, TOUCH, Vector2, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Arrows, Traces } from "./arrows";
import type { Run } from "./data";
import { make, number } from "./format";
import { measure, Mechanism, type Pick } from "./mechanism";
import { Quality } from "./quality";
import { COARSE } from "./shapes";
import { fitCamera, headLight, Stage, upward, viewDirection, type ViewName } from "./stage";

export type Layer = "grid" | "axes" | "joints" | "springs" | "ground" | "names" | "traces" | "velocity" | "reaction";

const MOST_NAMES = 400;

const samePick = (a: Pick | null, b: Pick | null) => a === b || (!!a && !!b && a.kind === b.kind && a.index === b.index);

// what the colours of beams mean, from none to the largest value of the run
function beamLegend(lines: string[]): HTMLElement {
  const shown = lines.length > 6 ? [...lines.slice(0, 6), `and ${lines.length - 6} more`] : lines;
  return make("div", { class: "beam-legend" }, make("div", { class: "beam-scale" }), ...shown.map((l) => make("div", {}, l)));
}

/** A mechanism so small a part of its way is followed. */
const DOT = 0.15;

export class View {
  readonly mechanism: Mechanism;
  readonly ghosts: Mechanism[];
  readonly stage: Stage;
  readonly empty: boolean;
  readonly layers: Record<Layer, boolean> = { grid: true, axes: true, joints: true, springs: true, ground: true, names: false, traces: false, velocity: false, reaction: false };
  selected: Pick | null = null;
  onSelect: (pick: Pick | null) => void = () => {};
  describe: (pick: Pick) => string[] = () => [];
  private renderer: WebGLRenderer;
  private quality: Quality;
  private scene = new Scene();
  private camera: PerspectiveCamera | OrthographicCamera;
  private controls: OrbitControls;
  private arrows: Record<"velocity" | "reaction", Arrows>;
  private traces: Traces;
  private bounds;
  private start: Box3;
  /** The picture shows the mechanism alone and goes with it: its whole way would leave a dot of it. */
  private follows = false;
  private centre = new Vector3();
  private hovered: Pick | null = null;
  private time = 0;
  private dirty = false;
  private labels: HTMLElement;
  private tip: HTMLElement;

  constructor(private host: HTMLElement, runs: Run[]) {
    const first = runs[0];
    const { bounds, start, sizes, empty } = measure(first);
    for (const other of runs.slice(1)) bounds.union(measure(other).bounds);
    this.bounds = bounds;
    this.start = start;
    const part = start.isEmpty() ? 1 : start.getSize(new Vector3()).length() / bounds.getSize(new Vector3()).length();
    this.follows = part < DOT && runs.length === 1;
    this.start.expandByScalar(0.4 * start.getSize(new Vector3()).length()); // with some of what is around it
    this.empty = empty;
    const planar = first.header.space === "planar";
    const up = upward(first.header);
    const smooth = sizes.segments > COARSE;
    this.renderer = new WebGLRenderer({ antialias: smooth, alpha: true });
    const canvas = this.renderer.domElement;
    this.quality = new Quality(window.devicePixelRatio, smooth, (ratio, atRest) => {
      this.renderer.setPixelRatio(ratio);
      canvas.dataset.rest = String(atRest);
    });
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `Mechanism ${first.header.model}. Drag to turn, wheel to zoom; keys: space plays, arrows step.`);
    canvas.tabIndex = 0;
    this.labels = make("div", { class: "labels", "aria-hidden": "true" });
    this.tip = make("div", { class: "tip", hidden: true, role: "tooltip" });
    host.append(canvas, this.labels, this.tip);

    this.camera = planar ? new OrthographicCamera() : new PerspectiveCamera(35);
    headLight(this.camera);
    this.stage = new Stage(bounds, up, planar, sizes.unit);
    this.ghosts = runs.slice(1).map((r) => new Mechanism(r, sizes, up, true));
    this.mechanism = new Mechanism(first, sizes, up, false, bounds);
    this.traces = new Traces(this.mechanism);
    if (this.mechanism.beams.length) host.append(beamLegend(this.mechanism.beams.map((b) => b.legend())));
    const longest = 0.22 * bounds.getSize(new Vector3()).length();
    this.arrows = {
      velocity: new Arrows(this.mechanism, "velocity", longest, sizes.unit, 0x2bb673),
      reaction: new Arrows(this.mechanism, "reaction", longest, sizes.unit, 0xe5484d),
    };
    this.scene.add(this.camera, this.stage.group, this.mechanism.root, this.traces.group, this.arrows.velocity.group, this.arrows.reaction.group);
    for (const g of this.ghosts) this.scene.add(g.root);

    this.controls = new OrbitControls(this.camera, canvas);
    if (planar) {
      this.controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.ROTATE };
      this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_ROTATE };
    }
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.invalidate());
    this.listen(canvas);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.show(planar ? "front" : "corner");
  }

  arrowCount(kind: "velocity" | "reaction"): number {
    return this.arrows[kind].count;
  }

  private fitted: ViewName | null = null;
  private direction = new Vector3(0, 0, 1);

  show(name: ViewName): void {
    this.direction = viewDirection(name, this.stage.planar, this.stage.up);
    this.fitted = name;
    this.fit();
  }

  fit(): void {
    const aspect = Math.max(0.1, this.host.clientWidth / Math.max(1, this.host.clientHeight));
    const box = this.follows ? this.start.clone().translate(this.centre) : this.bounds;
    const target = fitCamera(this.camera, box, this.direction, this.stage.up, aspect);
    this.controls.target.copy(target);
    this.controls.update();
    this.invalidate();
  }

  /** How far the bodies have moved since the start, on average. */
  private moved(): Vector3 {
    const { run, poses } = this.mechanism;
    const moving = run.header.bodies.map((_, k) => k).filter((k) => ["rigid", "point"].includes(run.header.bodies[k].type));
    const sum = new Vector3();
    for (const k of moving) sum.add(poses.position[k]);
    poses.at(run.time[0]);
    for (const k of moving) sum.sub(poses.position[k]);
    poses.at(this.time);
    return sum.divideScalar(Math.max(1, moving.length));
  }

  private follow(): void {
    const now = this.moved();
    const step = now.clone().sub(this.centre);
    if (!Number.isFinite(step.length())) return;
    this.centre.copy(now);
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.controls.update();
  }

  /** Whole motion in the picture, from where the eye is now. */
  fitHere(): void {
    this.follows = false;
    this.direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.fit();
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.host;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h, false);
    if (this.camera instanceof PerspectiveCamera) this.camera.aspect = w / h;
    else {
      const half = this.camera.top;
      this.camera.left = (-half * w) / h;
      this.camera.right = (half * w) / h;
    }
    this.camera.updateProjectionMatrix();
    if (this.fitted) this.fit();
    this.invalidate();
  }

  private listen(canvas: HTMLCanvasElement): void {
    let down = new Vector2();
    let moved: PointerEvent | null = null;
    canvas.addEventListener("pointerdown", (e) => {
      down = new Vector2(e.clientX, e.clientY);
    });
    canvas.addEventListener("pointerup", (e) => {
      if (down.distanceTo(new Vector2(e.clientX, e.clientY)) < 4) this.select(this.pick(e));
      else this.fitted = null;
    });
    canvas.addEventListener("wheel", () => (this.fitted = null), { passive: true });
    canvas.addEventListener("pointermove", (e) => {
      if (e.buttons !== 0 || e.pointerType === "touch") return;
      if (!moved) requestAnimationFrame(() => {
        if (moved) this.hover(this.pick(moved), moved);
        moved = null;
      });
      moved = e;
    });
    canvas.addEventListener("pointerleave", () => {
      moved = null;
      this.hover(null, null);
    });
    canvas.addEventListener("dblclick", () => this.fitHere());
  }

  private pick(e: PointerEvent): Pick | null {
    const box = this.renderer.domElement.getBoundingClientRect();
    const at = new Vector2(((e.clientX - box.left) / box.width) * 2 - 1, 1 - ((e.clientY - box.top) / box.height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(at, this.camera);
    const hit = ray.intersectObjects(this.mechanism.targets(), false)[0];
    return hit ? this.mechanism.identify(hit.object, hit.batchId) : null;
  }

  private hover(pick: Pick | null, e: PointerEvent | null): void {
    if (pick && e) {
      const box = this.host.getBoundingClientRect();
      this.tip.replaceChildren(...this.describe(pick).map((line) => make("div", {}, line)));
      this.tip.hidden = false;
      const x = Math.min(e.clientX - box.left + 14, box.width - this.tip.offsetWidth - 6);
      const y = Math.min(e.clientY - box.top + 14, box.height - this.tip.offsetHeight - 6);
      this.tip.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
    } else this.tip.hidden = true;
    this.renderer.domElement.style.cursor = pick ? "pointer" : "";
    if (samePick(pick, this.hovered)) return;
    this.hovered = pick;
    this.mark();
  }

  select(pick: Pick | null): void {
    this.selected = pick;
    this.mark();
    if (this.layers.traces) this.setLayer("traces", true);
    this.onSelect(pick);
  }

  private mark(): void {
    this.mechanism.highlight([this.hovered, this.selected].filter((p): p is Pick => p !== null));
    this.invalidate();
  }

  setLayer(layer: Layer, on: boolean): void {
    this.layers[layer] = on;
    if (layer === "grid") this.stage.grid.visible = on;
    if (layer === "axes") this.stage.axes.visible = on;
    if (layer === "joints" || layer === "springs" || layer === "ground") this.mechanism.setVisible(layer, on);
    if (layer === "velocity" || layer === "reaction") this.arrows[layer].group.visible = on;
    if (layer === "traces") this.traces.show(on ? this.tracedPoints() : []);
    this.update(this.time);
  }

  // the selected body with its points, or the centres of mass of all bodies
  private tracedPoints(): { body: number; at: [number, number, number] }[] {
    const bodies = this.mechanism.run.header.bodies;
    const s = this.selected;
    if (s?.kind === "body")
      return [{ body: s.index, at: [0, 0, 0] }, ...bodies[s.index].points.map((p) => ({ body: s.index, at: p.at }))];
    const moving = bodies.map((b, k) => ({ b, k })).filter(({ b }) => b.type === "rigid" || b.type === "point");
    return moving.slice(0, 60).map(({ k }) => ({ body: k, at: [0, 0, 0] }));
  }

  setTheme(dark: boolean): void {
    this.mechanism.setTheme(dark);
    this.stage.setTheme(dark);
    this.invalidate();
  }

  update(t: number): void {
    this.time = t;
    this.mechanism.update(t);
    if (this.follows) this.follow();
    for (const g of this.ghosts) g.update(Math.min(t, g.run.time[g.run.time.length - 1]));
    this.traces.update(t);
    this.arrows.velocity.update(t);
    this.arrows.reaction.update(t);
    this.invalidate();
  }

  invalidate(): void {
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame((now) => {
      this.dirty = false;
      this.draw(now);
    });
  }

  private draw(now: number): void {
    this.quality.frame(now, () => this.invalidate());
    this.renderer.render(this.scene, this.camera);
    this.placeLabels();
  }

  /** The present picture on the given background. */
  picture(background: string): Promise<Blob | null> {
    this.quality.sharpen();
    this.renderer.render(this.scene, this.camera);
    const from = this.renderer.domElement;
    const canvas = make("canvas", { width: from.width, height: from.height });
    const context = canvas.getContext("2d")!;
    context.fillStyle = background;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(from, 0, 0);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  gridText(): string {
    return `grid ${number(this.stage.gridStep)} m`;
  }

  // names that would cover one another are left out, nearer to the list's start wins
  private placeLabels(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    const placed: { x: number; y: number; w: number }[] = [];
    const at = new Vector3();
    let tried = 0;
    // `at` holds the place of the name in global axes
    const put = (text: string, kind: string) => {
      if (++tried > MOST_NAMES) return;
      const p = at.project(this.camera);
      const x = ((p.x + 1) / 2) * width;
      const y = ((1 - p.y) / 2) * height;
      const w = 7 * text.length + 12;
      if (p.z > 1 || x < 0 || y < 0 || x > width || y > height) return;
      if (placed.some((q) => Math.abs(q.x - x) < (q.w + w) / 2 && Math.abs(q.y - y) < 17)) return;
      this.label(placed.length, text, kind, x, y);
      placed.push({ x, y, w });
    };
    if (this.layers.axes)
      ["x", "y", "z"].slice(0, this.stage.planar ? 2 : 3).forEach((text, k) => {
        at.set(0, 0, 0).setComponent(k, 1.12 * this.stage.axisLength);
        put(text, "axis");
      });
    if (this.layers.names) {
      const { joints, bodies } = this.mechanism.run.header;
      joints.forEach((j, k) => {
        this.mechanism.locate({ kind: "joint", index: k }, at);
        put(j.name, "joint");
      });
      bodies.forEach((b, k) => {
        if (b.type !== "rigid" && b.type !== "point") return;
        at.copy(this.mechanism.poses.position[k]);
        put(b.name, "body");
      });
    }
    while (this.labels.children.length > placed.length) this.labels.lastElementChild!.remove();
  }

  // the i-th name, in an element that is used again from picture to picture
  private label(i: number, text: string, kind: string, x: number, y: number): void {
    const node = (this.labels.children[i] ?? this.labels.appendChild(make("span", {}))) as HTMLElement;
    if (node.textContent !== text) node.textContent = text;
    if (node.className !== kind) node.className = kind;
    node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
  }
}
