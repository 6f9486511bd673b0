// SPDX-License-Identifier: Apache-2.0
// Certified digits on the page: bounds of errors over time, bands around curves, digits that may be
// printed.

import type uPlot from "uplot";
import type { CertifiedColumn, Run } from "./data";
import { make } from "./format";

export function certified(run: Run, name: string): CertifiedColumn | undefined {
  return run.header.certificate?.columns[name];
}

/** Bound of the error at time t; null where none can be given, undefined without a certificate. */
export function boundAt(column: CertifiedColumn | undefined, t: number): number | null | undefined {
  if (!column || !column.unique) return undefined;
  let bound: number | null = 0;
  for (const [from, value] of column.bounds) {
    if (from > t) break;
    bound = value;
  }
  return bound;
}

/** What a legend says behind a name. */
export function digitsText(column: CertifiedColumn | undefined): string {
  if (!column) return "";
  if (!column.unique) return "not unique";
  if (column.digits === 0) return "no digit certain";
  return `${column.digits} digit${column.digits === 1 ? "" : "s"}`;
}

export interface Band {
  run: Run;
  name: string;
  scale: string;
  color: string;
}

/** The band value ± bound of a curve; from where nothing is certain, the whole height. */
export function drawBand(u: uPlot, band: Band): void {
  const column = certified(band.run, band.name);
  const values = band.run.byName.get(band.name)?.values;
  if (!column || !column.unique || !values) return;
  const { left, top, width, height } = u.bbox;
  const time = band.run.time;
  const upper: [number, number][] = [];
  const lower: [number, number][] = [];
  let lost = NaN;
  for (let i = 0; i < time.length; i++) {
    const bound = boundAt(column, time[i]);
    if (bound === null || bound === undefined) {
      lost = u.valToPos(time[i], "x", true);
      break;
    }
    const x = u.valToPos(time[i], "x", true);
    upper.push([x, u.valToPos(values[i] + bound, band.scale, true)]);
    lower.push([x, u.valToPos(values[i] - bound, band.scale, true)]);
  }
  const g = u.ctx;
  g.save();
  g.beginPath();
  g.rect(left, top, width, height);
  g.clip();
  g.fillStyle = band.color;
  g.globalAlpha = 0.22;
  g.beginPath();
  upper.forEach(([x, y], i) => (i ? g.lineTo(x, y) : g.moveTo(x, y)));
  lower.reverse().forEach(([x, y]) => g.lineTo(x, y));
  g.closePath();
  g.fill();
  if (Number.isFinite(lost)) {
    g.globalAlpha = 0.1;
    g.fillRect(lost, top, left + width - lost, height);
  }
  g.restore();
}

/** The card with the digits of every result. */
export function digitsCard(run: Run): HTMLElement | null {
  const z = run.header.certificate;
  if (!z) return null;
  const names = [...Object.keys(z.digits), ...z.not_unique];
  const rows = names.map((name) => {
    const column = z.columns[name];
    const text = z.not_unique.includes(name) ? "not unique" : digitsText(column ?? { digits: z.digits[name], unique: true, bounds: [] });
    return make("tr", {}, make("th", { scope: "row" }, name), make("td", { "data-digits": name }, text));
  });
  const table = make("table", {}, make("tbody", {}, ...rows));
  const list = make("details", rows.length <= 12 ? { open: true } : {}, make("summary", {}, `${rows.length} results`), table);
  return make("section", { class: "card certificate" }, make("h3", {}, "Digits you may print"), make("p", {}, z.text), list);
}
