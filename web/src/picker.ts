// SPDX-License-Identifier: Apache-2.0
// Dialog to choose columns of a plot.

import { plottable, type Run } from "./data";
import { make } from "./format";

const SHOWN = 400;

/** The chosen names, or null when the dialog was left. */
export function pickColumns(run: Run, title: string, chosen: string[]): Promise<string[] | null> {
  const names = plottable(run);
  const selected = new Set(chosen);
  const search = make("input", { type: "search", placeholder: "Filter, for example rod. or fx", "aria-label": "Filter columns" });
  const list = make("div", { class: "choices", role: "group", "aria-label": "Columns" });
  const count = make("span", { class: "muted", "aria-live": "polite" });
  const done = make("button", { type: "submit", class: "primary" }, "Show");
  const cancel = make("button", { type: "button" }, "Cancel");
  const clear = make("button", { type: "button" }, "Clear");
  const form = make("form", { method: "dialog" }, make("h2", {}, `Columns of “${title}”`), search, list, make("footer", {}, count, clear, cancel, done));
  const dialog = make("dialog", { class: "picker", "aria-label": `Columns of ${title}` }, form);

  const fill = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = names.filter((n) => words.every((w) => n.toLowerCase().includes(w)));
    found.sort((a, b) => Number(selected.has(b)) - Number(selected.has(a)));
    list.replaceChildren(
      ...found.slice(0, SHOWN).map((name) => {
        const check = make("input", { type: "checkbox", checked: selected.has(name) });
        check.addEventListener("change", () => {
          if (check.checked) selected.add(name);
          else selected.delete(name);
          report(found.length);
        });
        const unit = run.byName.get(name)!.unit;
        return make("label", {}, check, name, make("span", { class: "muted" }, unit));
      }),
    );
    report(found.length);
  };
  const report = (found: number) => {
    const more = found > SHOWN ? `, first ${SHOWN} shown` : "";
    count.textContent = `${selected.size} chosen, ${found} found${more}`;
  };
  search.addEventListener("input", fill);
  clear.addEventListener("click", () => {
    selected.clear();
    fill();
  });
  fill();
  document.body.append(dialog);
  dialog.showModal();
  search.focus();
  return new Promise((resolve) => {
    let result: string[] | null = null;
    form.addEventListener("submit", () => (result = names.filter((n) => selected.has(n))));
    cancel.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(result);
    });
  });
}
