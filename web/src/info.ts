// SPDX-License-Identifier: Apache-2.0
// What is known of a body, joint or spring at an instant: the card of the selection and the tooltip.

import { Vector3 } from "three";
import { valueAt, type Run } from "./data";
import { make, number } from "./format";
import type { Mechanism, Pick } from "./mechanism";

interface Row {
  column: string;
  label: string;
  value: string;
}

function title(run: Run, pick: Pick): { name: string; kind: string } {
  const h = run.header;
  if (pick.kind === "body") return { name: h.bodies[pick.index].name, kind: h.bodies[pick.index].type === "point" ? "point mass" : "body" };
  const item = pick.kind === "joint" ? h.joints[pick.index] : h.springs[pick.index];
  return { name: item.name, kind: item.type.replaceAll("_", " ") };
}

/** Values at t: every column NAME.something; lengths of springs from the geometry. */
function rows(mechanism: Mechanism, pick: Pick, t: number): Row[] {
  const run = mechanism.run;
  const { name } = title(run, pick);
  const out: Row[] = [];
  for (const [column, c] of run.byName) {
    const own = column.startsWith(`${name}.`) && column.indexOf(".", name.length + 1) < 0;
    if (own) out.push({ column, label: column.slice(name.length + 1), value: `${number(valueAt(run, c, t), 7)} ${c.unit}`.trim() });
  }
  if (pick.kind === "spring") {
    const s = run.header.springs[pick.index];
    const length = mechanism.poses.anchor(s.a, new Vector3()).distanceTo(mechanism.poses.anchor(s.b, new Vector3()));
    out.unshift({ column: "", label: "length", value: `${number(length)} m` });
  }
  return out;
}

export function tooltip(mechanism: Mechanism, pick: Pick, t: number): string[] {
  const { name, kind } = title(mechanism.run, pick);
  const lines = rows(mechanism, pick, t).slice(0, 6).map((r) => `${r.label} = ${r.value}`);
  return [`${name} (${kind})`, ...lines];
}

/** The card of the selected item; its numbers follow the time. */
export class InfoCard {
  private pick: Pick | null = null;
  private cells: HTMLElement[] = [];

  constructor(private host: HTMLElement, private mechanism: Mechanism, private close: () => void) {}

  show(pick: Pick | null, t: number): void {
    this.pick = pick;
    this.host.hidden = pick === null;
    if (!pick) return;
    const run = this.mechanism.run;
    const { name, kind } = title(run, pick);
    const list = rows(this.mechanism, pick, t);
    this.cells = list.map((r) => make("td", r.column ? { "data-column": r.column } : {}, r.value));
    const shut = make("button", { type: "button", "aria-label": "Close" }, "×");
    shut.addEventListener("click", this.close);
    const facts = this.facts(pick);
    this.host.replaceChildren(
      make("header", {}, make("strong", {}, name), make("span", { class: "muted" }, kind), shut),
      ...(facts ? [make("p", { class: "muted" }, facts)] : []),
      make("table", {}, make("tbody", {}, ...list.map((r, i) => make("tr", {}, make("th", { scope: "row" }, r.label), this.cells[i])))),
    );
  }

  private facts(pick: Pick): string {
    const h = this.mechanism.run.header;
    if (pick.kind === "body") return `mass ${number(h.bodies[pick.index].mass)} kg`;
    const item = pick.kind === "joint" ? h.joints[pick.index] : h.springs[pick.index];
    return `between ${h.bodies[item.a.body].name} and ${h.bodies[item.b.body].name}`;
  }

  update(t: number): void {
    if (!this.pick) return;
    rows(this.mechanism, this.pick, t).forEach((r, i) => {
      if (this.cells[i]) this.cells[i].textContent = r.value;
    });
  }
}
