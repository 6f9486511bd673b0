// SPDX-License-Identifier: Apache-2.0
// The text of a model with line numbers, marked problems and a little colour: a transparent text
// field above a copy of its text.

import { make } from "./format";

export interface Problem {
  line: number; // 0: no place
  column: number;
  text: string;
}

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export class Editor {
  private area = byId<HTMLTextAreaElement>("text");
  private backdrop = byId("backdrop");
  private gutter = byId("gutter");
  private host = byId("editor");
  private problems: Problem[] = [];
  onChange: () => void = () => {};

  constructor() {
    this.area.addEventListener("input", () => {
      this.problems = [];
      this.draw();
      this.onChange();
    });
    this.area.addEventListener("keydown", (e) => {
      if (e.key !== "Tab" || e.shiftKey || e.ctrlKey || e.altKey) return;
      e.preventDefault(); // Escape, then Tab leaves the field
      if (this.leaving) this.area.blur();
      else document.execCommand("insertText", false, "  ");
    });
    this.area.addEventListener("keyup", (e) => (this.leaving = e.key === "Escape"));
  }

  private leaving = false;

  get text(): string {
    return this.area.value;
  }

  set text(value: string) {
    this.area.value = value;
    this.problems = [];
    this.draw();
    this.host.scrollTop = 0;
  }

  mark(problems: Problem[]): void {
    this.problems = problems;
    this.draw();
  }

  /** The cursor at a problem, in view. */
  show(p: Problem): void {
    const lines = this.text.split("\n");
    if (p.line < 1 || p.line > lines.length) return;
    const at = lines.slice(0, p.line - 1).reduce((n, l) => n + l.length + 1, 0) + Math.max(0, p.column - 1);
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(at, at);
    this.host.scrollTop = Math.max(0, (p.line - 6) * 20);
    this.host.scrollLeft = 0;
  }

  private draw(): void {
    const lines = this.text.split("\n");
    const bad = new Map<number, Problem[]>();
    for (const p of this.problems) if (p.line > 0) bad.set(p.line, [...(bad.get(p.line) ?? []), p]);
    this.gutter.replaceChildren(
      ...lines.map((_, i) => {
        const found = bad.get(i + 1);
        return make("div", found ? { class: "bad", title: found.map((p) => p.text).join("\n") } : {}, String(i + 1));
      }),
    );
    this.backdrop.replaceChildren(...lines.map((text, i) => this.line(text, bad.get(i + 1))));
  }

  private line(text: string, problems: Problem[] | undefined): HTMLElement {
    const line = make("span", { class: problems ? "line bad" : "line" });
    if (problems) {
      const from = Math.max(0, Math.min(text.length, problems[0].column - 1));
      const word = /^[^\s,{}[\]]*/.exec(text.slice(from))![0] || text.slice(from, from + 1);
      line.append(text.slice(0, from), make("mark", {}, word), text.slice(from + word.length) || " ");
      return line;
    }
    const comment = commentStart(text);
    const body = text.slice(0, comment);
    const key = /^(\s*(?:- )?\{?\s*)([A-Za-z_][\w.]*)(:)/.exec(body);
    if (key) line.append(key[1], make("span", { class: "key" }, key[2]), body.slice(key[1].length + key[2].length));
    else line.append(body);
    if (comment < text.length) line.append(make("span", { class: "comment" }, text.slice(comment)));
    if (text === "") line.append(" ");
    return line;
  }
}

// where a YAML comment starts, else the length
function commentStart(text: string): number {
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quote) quote = c === quote ? "" : quote;
    else if (c === '"' || c === "'") quote = c;
    else if (c === "#" && (i === 0 || /\s/.test(text[i - 1]))) return i;
  }
  return text.length;
}
