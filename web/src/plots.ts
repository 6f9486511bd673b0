// SPDX-License-Identifier: Apache-2.0
// Plots over time: any columns, one shared time cursor, shared zoom, PNG and CSV export.

import uPlot from "uplot";
import { boundAt, certified, digitsText, drawBand } from "./certificate";
import { valueAt, type Run } from "./data";
import { fileName, make, number, save, tick } from "./format";
import type { Player } from "./player";
import { pickColumns } from "./picker";

export interface PlotSpec {
  title: string;
  columns: string[];
  log: boolean;
}

interface Curve {
  run: number;
  name: string;
  unit: string;
  color: string;
}

const LIGHT = ["#1f6fb5", "#d9731a", "#2f8f4e", "#c23b3b", "#7b53b0", "#138a8a", "#9a6b14", "#b04b86"];
const DARK = ["#66b0f0", "#f5a25d", "#6fcf8e", "#f27f7f", "#b79af0", "#55cfcf", "#d9b25f", "#e58fc0"];
const DASHES = [[], [6, 4], [2, 3], [8, 3, 2, 3]];
const INCREMENTS = Array.from({ length: 60 }, (_, i) => i - 30).flatMap((e) => [1, 2, 2.5, 5].map((m) => Number(`${m}e${e}`)));

const style = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function isDark(): boolean {
  return document.documentElement.dataset.theme === "dark";
}

/** All plots of the page: they zoom together and show the same time. */
export class PlotSet {
  private plots: Plot[] = [];
  zoom: [number, number] | null = null;

  constructor(readonly host: HTMLElement, readonly runs: Run[], readonly player: Player) {
    player.onChange(() => this.plots.forEach((p) => p.cursor()));
  }

  add(spec: PlotSpec): Plot {
    const plot = new Plot(this, spec);
    this.plots.push(plot);
    this.host.append(plot.element);
    plot.rebuild();
    return plot;
  }

  remove(plot: Plot): void {
    plot.destroy();
    this.plots = this.plots.filter((p) => p !== plot);
  }

  setZoom(range: [number, number] | null): void {
    this.zoom = range;
    this.plots.forEach((p) => p.applyZoom());
  }

  rebuild(): void {
    this.plots.forEach((p) => p.rebuild());
  }
}

export class Plot {
  readonly element: HTMLElement;
  private chart: uPlot | null = null;
  private canvasHost = make("div", { class: "chart" });
  private legend = make("div", { class: "legend" });
  private curves: Curve[] = [];
  private off = new Set<string>();
  private values: HTMLElement[] = [];
  private observer: ResizeObserver;
  private heading = make("h3", {}, "");
  private logButton: HTMLButtonElement;

  constructor(private set: PlotSet, private spec: PlotSpec) {
    const button = (text: string, label: string, action: () => void) => {
      const b = make("button", { type: "button", title: label, "aria-label": `${label}: ${spec.title}` }, text);
      b.addEventListener("click", action);
      return b;
    };
    this.logButton = button("log", "Logarithmic axis", () => {
      this.spec.log = !this.spec.log;
      this.rebuild();
    });
    this.element = make(
      "article",
      { class: "plot", "aria-label": `Plot: ${spec.title}` },
      make(
        "header",
        {},
        this.heading,
        button("columns", "Choose columns", () => this.choose()),
        this.logButton,
        button("PNG", "Save picture", () => this.savePicture()),
        button("CSV", "Save numbers", () => this.saveNumbers()),
        button("×", "Remove plot", () => this.set.remove(this)),
      ),
      this.canvasHost,
      this.legend,
    );
    let width = 0;
    this.observer = new ResizeObserver(() => {
      if (this.canvasHost.clientWidth === width) return;
      width = this.canvasHost.clientWidth;
      this.chart?.setSize({ width, height: this.height() });
    });
    this.observer.observe(this.canvasHost);
  }

  private height(): number {
    return 190;
  }

  private async choose(): Promise<void> {
    const chosen = await pickColumns(this.set.runs[0], this.spec.title, this.spec.columns);
    if (!chosen) return;
    this.spec.columns = chosen;
    this.rebuild();
  }

  private makeCurves(): void {
    const colors = isDark() ? DARK : LIGHT;
    this.curves = this.spec.columns.flatMap((name, k) =>
      this.set.runs.flatMap((run, r) => {
        const column = run.byName.get(name);
        return column ? [{ run: r, name, unit: column.unit, color: colors[k % colors.length] }] : [];
      }),
    );
  }

  // tables of the runs joined over the union of their times; a log axis takes absolute values
  private data(): uPlot.AlignedData {
    const log = this.spec.log;
    // before the first step there is none to tell about: a gap, not zero
    const gap = (name: string, i: number) => name === "step.size" || (name === "step.iterations" && i === 0);
    const one = (name: string, values: Float64Array) => Array.from(values, (x, i) => (x === 0 && (log || gap(name, i)) ? null : log ? Math.abs(x) : x));
    const tables = this.set.runs
      .map((run, r) => [Array.from(run.time), ...this.curves.filter((c) => c.run === r).map((c) => one(c.name, run.byName.get(c.name)!.values))])
      .filter((t) => t.length > 1) as uPlot.AlignedData[];
    if (tables.length === 0) return [Array.from(this.set.runs[0].time)];
    const joined = tables.length === 1 ? tables[0] : uPlot.join(tables);
    // join orders by run; the curves are sorted the same way
    this.curves.sort((a, b) => a.run - b.run);
    return joined;
  }

  private units(): string[] {
    return [...new Set(this.curves.map((c) => c.unit))];
  }

  rebuild(): void {
    this.makeCurves();
    this.heading.textContent = this.spec.title;
    this.logButton.setAttribute("aria-pressed", String(this.spec.log));
    this.chart?.destroy();
    const data = this.data();
    const units = this.units();
    const two = units.length === 2;
    const scaleOf = (unit: string) => (two && unit === units[1] ? "y2" : "y");
    const options: uPlot.Options = {
      width: Math.max(120, this.canvasHost.clientWidth),
      height: this.height(),
      padding: [10, two ? 4 : 14, 0, 4],
      pxAlign: false,
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, points: { size: 6 } },
      scales: { x: { time: false }, y: this.scale(), ...(two ? { y2: this.scale() } : {}) },
      axes: [this.timeAxis(), this.axis("y", 3, units.length <= 2 ? units[0] : ""), ...(two ? [this.axis("y2", 1, units[1])] : [])],
      series: [
        {},
        ...this.curves.map((c) => ({
          label: c.name,
          scale: scaleOf(c.unit),
          stroke: c.color,
          width: 1.6,
          dash: DASHES[c.run % DASHES.length],
          spanGaps: this.set.runs.length > 1,
          show: !this.off.has(c.name),
          ...(isCount(c.name) ? { paths: () => null, points: { show: true, size: 4, width: 0, fill: c.color } } : { points: { show: false } }),
        })),
      ],
      hooks: {
        drawAxes: [(u) => this.drawBands(u, scaleOf)],
        draw: [(u) => this.drawEvents(u), (u) => this.drawCursor(u)],
        setSelect: [(u) => this.zoomTo(u)],
      },
    };
    this.chart = new uPlot(options, data, this.canvasHost);
    this.chart.over.addEventListener("click", (e) => this.clickTime(e));
    this.chart.over.addEventListener("dblclick", () => this.set.setZoom(null));
    this.buildLegend();
    this.applyZoom();
    this.cursor();
  }

  private scale(): uPlot.Scale {
    if (this.spec.log) {
      return {
        distr: 3,
        range: (_u, min, max) => {
          if (min === null || !(min > 0)) return [1e-16, 1];
          // not more than 14 powers of ten: a residual of 1e-57 by chance says nothing
          const hi = Math.ceil(Math.log10(max) + 1e-9);
          const lo = Math.max(Math.floor(Math.log10(min) - 1e-9), hi - 14);
          return [10 ** lo, 10 ** Math.max(hi, lo + 1)];
        },
      };
    }
    return {
      range: (_u, min, max) => {
        if (min === null || !Number.isFinite(min)) return [0, 1];
        const pad = max > min ? 0.06 * (max - min) : 0.1 * Math.abs(max) || 1;
        return [min - pad, max + pad];
      },
    };
  }

  private axisLook(): Pick<uPlot.Axis, "stroke" | "font" | "labelFont" | "grid" | "ticks"> {
    const family = getComputedStyle(document.body).fontFamily;
    const line = { stroke: style("--line"), width: 1 };
    return { stroke: style("--muted"), font: `11px ${family}`, labelFont: `11px ${family}`, grid: line, ticks: { ...line, size: 4 } };
  }

  private timeAxis(): uPlot.Axis {
    return {
      ...this.axisLook(),
      label: "time / s",
      labelSize: 16,
      size: 26,
      gap: 3,
      incrs: INCREMENTS,
      space: 60,
      values: (_u, splits, _a, _s, incr) => splits.map((v) => tick(v, incr, Math.max(...splits.map(Math.abs)))),
    };
  }

  private axis(scale: string, side: uPlot.Axis.Side, unit: string): uPlot.Axis {
    const look = this.axisLook();
    // wide enough for the longest number; the usual ones take the same room, so that plots line up
    const size = (_u: uPlot, values: string[] | null) => {
      const longest = Math.max(0, ...(values ?? []).map((v) => v.length));
      return longest <= 8 ? 58 : 8 + 7 * longest;
    };
    const common: uPlot.Axis = { ...look, scale, side, size, gap: 4, label: unit || " ", labelSize: 15, labelGap: 0 };
    if (side === 1) common.grid = { show: false };
    if (!this.spec.log)
      return { ...common, incrs: INCREMENTS, space: 28, values: (_u, splits, _a, _s, incr) => splits.map((v) => tick(v, incr, Math.max(...splits.map(Math.abs)))) };
    return {
      ...common,
      splits: (_u, _i, min, max) => decades(min, max),
      filter: (_u, splits) => splits,
      values: (_u, splits) => splits.map((v) => `1e${Math.round(Math.log10(v))}`.replace("-", "−")),
    };
  }

  // below the curves: how far they may be off
  private drawBands(u: uPlot, scaleOf: (unit: string) => string): void {
    if (this.spec.log) return;
    for (const c of this.curves)
      if (!this.off.has(c.name)) drawBand(u, { run: this.set.runs[c.run], name: c.name, scale: scaleOf(c.unit), color: c.color });
  }

  // marks at events: a short stroke from the top, and a line through the plot where there are few
  private drawEvents(u: uPlot): void {
    const { left, top, width, height } = u.bbox;
    const places = new Set<number>();
    for (const k of new Set(this.curves.map((c) => c.run)))
      for (const e of this.set.runs[k].header.events ?? []) {
        const x = Math.round(u.valToPos(e.time, "x", true));
        if (x >= left && x <= left + width) places.add(x);
      }
    if (places.size === 0) return;
    const few = places.size <= 40;
    u.ctx.save();
    u.ctx.strokeStyle = style("--muted");
    u.ctx.lineWidth = devicePixelRatio;
    for (const x of places) {
      u.ctx.globalAlpha = 0.9;
      u.ctx.beginPath();
      u.ctx.moveTo(x, top);
      u.ctx.lineTo(x, top + 6 * devicePixelRatio);
      u.ctx.stroke();
      if (!few) continue;
      u.ctx.globalAlpha = 0.3;
      u.ctx.beginPath();
      u.ctx.moveTo(x, top);
      u.ctx.lineTo(x, top + height);
      u.ctx.stroke();
    }
    u.ctx.restore();
  }

  // vertical line at the present time
  private drawCursor(u: uPlot): void {
    const x = u.valToPos(this.set.player.time, "x", true);
    const { left, top, width, height } = u.bbox;
    if (x < left - 1 || x > left + width + 1) return;
    u.ctx.save();
    u.ctx.strokeStyle = style("--accent");
    u.ctx.setLineDash([]);
    u.ctx.lineWidth = 1.5 * devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, top);
    u.ctx.lineTo(x, top + height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  private lastTime = NaN;

  cursor(): void {
    const t = this.set.player.time;
    if (!this.chart || t === this.lastTime) return;
    this.lastTime = t;
    this.chart.redraw(false, false);
    this.curves.forEach((c, i) => {
      const run = this.set.runs[c.run];
      const bound = boundAt(certified(run, c.name), t);
      const within = bound ? ` ± ${number(bound, 2)}` : bound === null ? " ± ?" : "";
      this.values[i].textContent = `${number(valueAt(run, run.byName.get(c.name)!, t), 5)}${within} ${c.unit}`.trim();
    });
  }

  private clickTime(e: MouseEvent): void {
    const u = this.chart!;
    if (u.select.width > 2) return;
    this.set.player.seek(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, "x"));
  }

  private zoomTo(u: uPlot): void {
    if (u.select.width < 4) return;
    const range: [number, number] = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.set.setZoom(range);
  }

  applyZoom(): void {
    const { start, end } = this.set.player;
    const [min, max] = this.set.zoom ?? [start, end > start ? end : start + 1];
    this.chart?.setScale("x", { min, max });
    this.element.classList.toggle("zoomed", this.set.zoom !== null);
  }

  private buildLegend(): void {
    this.lastTime = NaN;
    this.values = [];
    const entries = this.curves.map((c, i) => {
      const value = make("span", { class: "value", "data-column": c.name });
      this.values.push(value);
      const label = this.set.runs.length > 1 ? `${c.name} (${c.run + 1})` : c.name;
      const b = make("button", { type: "button", "aria-pressed": String(!this.off.has(c.name)), title: "Show or hide" }, make("i", { class: c.run ? "swatch dashed" : "swatch" }), label, value);
      const digits = digitsText(certified(this.set.runs[c.run], c.name));
      if (digits) b.append(make("span", { class: "digits", title: "Digits you may print" }, digits));
      (b.firstChild as HTMLElement).style.borderColor = c.color;
      b.addEventListener("click", () => {
        const show = this.off.has(c.name);
        if (show) this.off.delete(c.name);
        else this.off.add(c.name);
        b.setAttribute("aria-pressed", String(show));
        this.chart?.setSeries(i + 1, { show });
      });
      return b;
    });
    this.legend.replaceChildren(...(entries.length ? entries : [make("span", { class: "muted" }, "No columns chosen.")]));
  }

  private savePicture(): void {
    const from = this.chart!.ctx.canvas;
    const k = devicePixelRatio;
    const lines = this.curves.filter((c) => !this.off.has(c.name));
    const canvas = make("canvas", { width: from.width, height: from.height + (34 + 18 * Math.ceil(lines.length / 2)) * k });
    const g = canvas.getContext("2d")!;
    g.fillStyle = style("--panel");
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.scale(k, k);
    const family = getComputedStyle(document.body).fontFamily;
    g.fillStyle = style("--text");
    g.font = `600 13px ${family}`;
    g.fillText(`${this.set.runs[0].header.model}: ${this.spec.title}`, 12, 20);
    g.drawImage(from, 0, 28, from.width / k, from.height / k);
    g.font = `12px ${family}`;
    lines.forEach((c, i) => {
      const x = 14 + (i % 2) * (from.width / k / 2);
      const y = 28 + from.height / k + 14 + 18 * Math.floor(i / 2);
      g.fillStyle = c.color;
      g.fillRect(x, y - 5, 16, 3);
      g.fillStyle = style("--text");
      g.fillText(c.unit ? `${c.name} [${c.unit}]` : c.name, x + 22, y);
    });
    canvas.toBlob((blob) => blob && save(`${this.baseName()}.png`, blob), "image/png");
  }

  private baseName(): string {
    return fileName(`${this.set.runs[0].header.model} ${this.spec.title}`);
  }

  private saveNumbers(): void {
    save(`${this.baseName()}.csv`, new Blob([this.csv()], { type: "text/csv" }));
  }

  /** Rows of the first run inside the zoom, with the names as in the results file. */
  csv(): string {
    const run = this.set.runs[0];
    const columns = this.curves.filter((c) => c.run === 0).map((c) => run.byName.get(c.name)!);
    const [from, to] = this.set.zoom ?? [-Infinity, Infinity];
    const rows = [["time", ...columns.map((c) => c.name)].join(",")];
    run.time.forEach((t, i) => {
      if (t >= from && t <= to) rows.push([t, ...columns.map((c) => c.values[i])].map((x) => String(x)).join(","));
    });
    return rows.join("\n") + "\n";
  }

  destroy(): void {
    this.observer.disconnect();
    this.chart?.destroy();
    this.element.remove();
  }
}

// numbers of events a step: dots, because a line between them means nothing
const isCount = (name: string) => /(^|\.)(iterations|rejected|order)$/.test(name);

// at most six powers of ten between min and max
function decades(min: number, max: number): number[] {
  const lo = Math.round(Math.log10(min));
  const hi = Math.round(Math.log10(max));
  const skip = Math.max(1, Math.ceil((hi - lo) / 6));
  const out: number[] = [];
  for (let e = Math.ceil(lo / skip) * skip; e <= hi; e += skip) out.push(10 ** e);
  return out;
}
