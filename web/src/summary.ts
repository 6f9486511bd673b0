// SPDX-License-Identifier: Apache-2.0
// Below the view: summary tables, warnings, redundancies, the model file with line numbers.

import { digitsCard } from "./certificate";
import type { Report, Run } from "./data";
import { eventsCard } from "./events";
import { make } from "./format";

function group(title: string, items: { key: string; value: string }[]): HTMLElement {
  const rows = items.map((i) => make("tr", {}, make("th", { scope: "row" }, i.key), make("td", {}, i.value)));
  return make("section", { class: "card" }, make("h3", {}, title), make("table", {}, make("tbody", {}, ...rows)));
}

function list(title: string, items: string[], kind: string): HTMLElement {
  return make("section", { class: `card ${kind}` }, make("h3", {}, title), make("ul", {}, ...items.map((text) => make("li", {}, text))));
}

export function summaryCards(run: Run): HTMLElement[] {
  const h = run.header;
  const cards = h.groups.filter((g) => g.items.length > 0).map((g) => group(g.title, g.items));
  const digits = digitsCard(run);
  if (digits) cards.unshift(digits);
  if (h.redundancies.length) cards.push(list("Redundant constraints", h.redundancies, "note"));
  if (h.warnings.length) cards.unshift(list("Warnings and remarks", h.warnings, "warning"));
  return cards;
}

// one element a line, so that a line can be addressed and the numbers stay out of a copied text
export function sourceText(source: string): HTMLElement {
  const code = make("code", {});
  const lines = source.replace(/\n$/, "").split("\n");
  lines.forEach((text, i) => {
    const { body, comment } = splitComment(text);
    const line = make("span", { class: "line", id: `L${i + 1}` }, body);
    if (comment) line.append(make("span", { class: "comment" }, comment));
    code.append(line, "\n");
  });
  return make("pre", { class: "source", tabindex: 0, "aria-label": "Model file" }, code);
}

function splitComment(text: string): { body: string; comment: string } {
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quote) quote = c === quote ? "" : quote;
    else if (c === '"' || c === "'") quote = c;
    else if (c === "#" && (i === 0 || /\s/.test(text[i - 1]))) return { body: text.slice(0, i), comment: text.slice(i) };
  }
  return { body: text, comment: "" };
}

export function fillSummary(report: Report, seek: (t: number) => void): void {
  const host = document.getElementById("summary")!;
  report.runs.forEach((run, i) => {
    if (report.runs.length > 1) host.append(make("h2", { class: "wide" }, `(${i + 1}) ${run.header.label}`));
    host.append(...summaryCards(run));
    const events = eventsCard(run, seek);
    if (events) host.append(events);
  });
  const first = report.runs[0].header;
  const section = document.getElementById("model")!;
  if (first.source) {
    document.getElementById("model-file")!.textContent = first.file;
    section.append(sourceText(first.source));
  } else section.hidden = true;
  document.getElementById("made-by")!.textContent = `Made by ${report.header.generator}, ${report.header.created.replace("T", " ").replace("Z", " UTC")}`;
}
