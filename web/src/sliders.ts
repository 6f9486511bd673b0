// SPDX-License-Identifier: Apache-2.0
// A slider and a number for every parameter of the model; what differs from the text is a setting.

import { make } from "./format";

export interface Parameter {
  name: string;
  value: number;
}

interface Row {
  base: number;
  value: number;
  element: HTMLElement;
  range: HTMLInputElement;
  field: HTMLInputElement;
}

const text = (x: number) => String(Number(x.toPrecision(6)));

export class Sliders {
  private rows = new Map<string, Row>();
  onRelease: () => void = () => {};

  constructor(private host: HTMLElement, private count: HTMLElement) {}

  /** The parameters of the model; values that were moved stay, as long as the text says the same. */
  show(parameters: Parameter[]): void {
    const before = this.rows;
    this.rows = new Map();
    for (const p of parameters) {
      const old = before.get(p.name);
      if (old && old.base === p.value) this.rows.set(p.name, old);
      else this.rows.set(p.name, this.row(p));
    }
    this.host.replaceChildren(...[...this.rows.values()].map((r) => r.element));
    this.tell();
  }

  forget(): void {
    this.rows.clear();
  }

  reset(): void {
    const moved = this.changed().length > 0;
    for (const row of this.rows.values()) this.set(row, row.base);
    if (moved) this.onRelease();
  }

  changed(): [string, number][] {
    return [...this.rows].filter(([, r]) => r.value !== r.base).map(([name, r]) => [name, r.value]);
  }

  private tell(): void {
    const n = this.changed().length;
    this.count.textContent = n ? `(${n} changed)` : "";
  }

  private set(row: Row, value: number): void {
    row.value = value;
    row.field.value = text(value);
    if (value < Number(row.range.min)) row.range.min = String(value);
    if (value > Number(row.range.max)) row.range.max = String(value);
    row.range.value = String(value);
    row.element.classList.toggle("changed", value !== row.base);
    this.tell();
  }

  private row(p: Parameter): Row {
    const [min, max] = p.value === 0 ? [-1, 1] : p.value > 0 ? [0, 2 * p.value] : [2 * p.value, 0];
    const range = make("input", { type: "range", min, max, step: (max - min) / 200, "aria-label": `Parameter ${p.name}` });
    const field = make("input", { type: "number", step: "any", "aria-label": `Value of ${p.name}` });
    const element = make("label", { class: "slider" }, make("span", { title: p.name }, p.name), range, field);
    const row: Row = { base: p.value, value: p.value, element, range, field };
    range.addEventListener("input", () => {
      const value = Number(Number(range.value).toPrecision(6));
      this.set(row, Math.abs(value - p.value) < 1e-9 * Math.abs(p.value) ? p.value : value);
    });
    range.addEventListener("change", () => this.onRelease());
    field.addEventListener("change", () => {
      if (field.value.trim() === "" || !Number.isFinite(Number(field.value))) this.set(row, row.value);
      else this.set(row, Number(field.value));
      this.onRelease();
    });
    this.set(row, p.value);
    return row;
  }
}
