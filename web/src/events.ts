// SPDX-License-Identifier: Apache-2.0
// The table of events below the view, and their marks above the slider of time.

import type { Run } from "./data";
import { make, number } from "./format";
import type { Player } from "./player";

const FIRST = 200; // lines before "Show all"

/** A table of what happened; a click on a time goes there. */
export function eventsCard(run: Run, seek: (t: number) => void): HTMLElement | null {
  const events = run.header.events ?? [];
  if (events.length === 0) return null;
  const strikes = events.some((e) => e.impulse_n || e.impulse_t || e.loss);
  const heads = ["time / s", "name", "kind", ...(strikes ? ["impulse / N s", "loss / J"] : [])];
  const body = make("tbody", {});
  const add = (from: number, to: number) => {
    for (const e of events.slice(from, to)) {
      const go = make("button", { type: "button", title: "Show this time" }, number(e.time, 9));
      go.addEventListener("click", () => seek(e.time));
      const row = make("tr", {}, make("td", {}, go), make("td", {}, e.name), make("td", {}, e.kind));
      if (strikes) row.append(make("td", {}, blank(Math.hypot(e.impulse_n ?? 0, e.impulse_t ?? 0))), make("td", {}, blank(e.loss ?? 0)));
      body.append(row);
    }
  };
  add(0, FIRST);
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((h) => make("th", { scope: "col" }, h)))), body);
  const card = make("section", { class: "card events" }, make("h3", {}, "Table of events"), make("div", { class: "rows", tabindex: 0 }, table));
  if (events.length > FIRST) {
    const all = make("button", { type: "button" }, `Show all ${events.length}`);
    all.addEventListener("click", () => {
      add(FIRST, events.length);
      all.remove();
    });
    card.append(all);
  }
  return card;
}

const blank = (x: number) => (x === 0 ? "" : number(x, 5));

/** Strokes above the slider, one for all events that fall on the same place. */
export function markEvents(host: HTMLElement, runs: Run[], player: Player): void {
  const span = player.end - player.start;
  const places = new Set<number>();
  for (const run of runs)
    for (const e of run.header.events ?? [])
      if (span > 0 && e.time >= player.start && e.time <= player.end) places.add(Math.round((400 * (e.time - player.start)) / span) / 400);
  for (const f of places) {
    const mark = make("i", {});
    mark.style.left = `calc(8px + ${f} * (100% - 16px))`;
    host.append(mark);
  }
}
