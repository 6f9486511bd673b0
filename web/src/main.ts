// SPDX-License-Identifier: Apache-2.0
// The page: reads the report in the document and connects view, plots and summary to one clock.

import { loadReport, type Report } from "./data";
import { markEvents } from "./events";
import { fileName, make, save } from "./format";
import { InfoCard, tooltip } from "./info";
import { setUpModes } from "./modes";
import { Player } from "./player";
import { isDark, PlotSet } from "./plots";
import { startingPlots } from "./presets";
import { fillSummary } from "./summary";
import { setUpKeys, setUpTransport } from "./transport";
import type { ViewName } from "./stage";
import { View, type Layer } from "./view";

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

function message(text: string): void {
  const box = byId("message");
  box.textContent = text;
  box.hidden = false;
}

// the choice of the reader, else that of the system
function setUpTheme(changed: (dark: boolean) => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let own: boolean | null = null;
  const apply = () => {
    const dark = own ?? system.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    byId("theme").setAttribute("aria-pressed", String(dark));
    changed(dark);
  };
  const toggle = () => {
    own = !isDark();
    apply();
  };
  system.addEventListener("change", apply);
  byId("theme").addEventListener("click", toggle);
  apply();
  return toggle;
}

function setUpView(report: Report, player: Player): View | null {
  const host = byId("view");
  let view: View;
  try {
    view = new View(host, report.runs);
  } catch (problem) {
    host.append(make("p", { class: "notice" }, `The 3D view needs WebGL, which this browser does not offer (${(problem as Error).message}). Plots and summary work without it.`));
    return null;
  }
  if (view.empty) host.append(make("p", { class: "notice" }, "This model has scalar coordinates only, nothing to draw: see the plots."));
  const card = new InfoCard(byId("info"), view.mechanism, () => view.select(null));
  view.describe = (pick) => tooltip(view.mechanism, pick, player.time);
  view.onSelect = (pick) => card.show(pick, player.time);
  player.onChange(() => {
    view.update(player.time);
    card.update(player.time);
  });
  byId("grid-size").textContent = view.gridText();
  document.querySelectorAll<HTMLInputElement>("[data-layer]").forEach((box) => {
    const layer = box.dataset.layer as Layer;
    if (layer === "velocity" || layer === "reaction") box.disabled = view.arrowCount(layer) === 0;
    box.checked = view.layers[layer];
    box.addEventListener("change", () => {
      view.setLayer(layer, box.checked);
      if (layer === "grid") byId("grid-size").hidden = !box.checked;
    });
  });
  document.querySelectorAll<HTMLElement>("[data-view]").forEach((b) => b.addEventListener("click", () => view.show(b.dataset.view as ViewName)));
  byId("fit").addEventListener("click", () => view.fitHere());
  byId("picture").addEventListener("click", async () => {
    const blob = await view.picture(getComputedStyle(host).backgroundColor);
    if (blob) save(`${fileName(report.runs[0].header.model)}.png`, blob);
  });
  fillItems(report, view);
  view.update(player.time);
  return view;
}

// bodies and joints by name, for those who do not point at the picture
function fillItems(report: Report, view: View): void {
  const select = byId<HTMLSelectElement>("items");
  const h = report.runs[0].header;
  const group = (label: string, kind: string, names: { name: string; index: number }[]) => {
    if (names.length) select.append(make("optgroup", { label }, ...names.slice(0, 2000).map((n) => make("option", { value: `${kind}:${n.index}` }, n.name))));
  };
  group("Bodies", "body", h.bodies.map((b, index) => ({ name: b.name, index })).filter((_, k) => k > 0));
  group("Joints", "joint", h.joints.map((j, index) => ({ name: j.name, index })));
  group("Springs", "spring", h.springs.map((s, index) => ({ name: s.name || `spring ${index + 1}`, index })));
  select.addEventListener("change", () => {
    const [kind, index] = select.value.split(":");
    view.select(kind ? { kind: kind as "body" | "joint" | "spring", index: Number(index) } : null);
  });
  const shown = view.onSelect;
  view.onSelect = (pick) => {
    select.value = pick ? `${pick.kind}:${pick.index}` : "";
    shown(pick);
  };
}

// a menu closes on a click elsewhere
function setUpMenus(): void {
  document.addEventListener("pointerdown", (e) => {
    document.querySelectorAll<HTMLDetailsElement>("details.menu[open]").forEach((d) => {
      if (!d.contains(e.target as Node)) d.open = false;
    });
  });
}

async function start(): Promise<void> {
  const report = await loadReport(document);
  if (!report || report.runs.length === 0) {
    setUpTheme(() => {});
    message("This page is an empty template: holonom run MODEL --report FILE.html fills it.");
    return;
  }
  const first = report.runs[0].header;
  document.title = `${first.model} – Holonom report`;
  byId("title").textContent = first.model;
  byId("subtitle").textContent = report.runs.map((r, i) => (report.runs.length > 1 ? `(${i + 1}) ${r.header.label}` : r.header.label)).join(", ");
  const longest = report.runs.reduce((a, b) => (b.time[b.time.length - 1] > a.time[a.time.length - 1] ? b : a));
  const player = new Player(longest.time);
  fillSummary(report, (t) => {
    player.playing = false;
    player.seek(t);
  });
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const view = setUpView(report, player);
  const plots = new PlotSet(byId("plots"), report.runs, player);
  for (const spec of startingPlots(report.runs[0])) plots.add(spec);
  byId("add-plot").addEventListener("click", () => {
    const plot = plots.add({ title: "More columns", columns: [], log: false });
    plot.element.scrollIntoView({ block: "nearest" });
    plot.element.querySelector("button")?.click();
  });
  byId("unzoom").addEventListener("click", () => plots.setZoom(null));
  setUpTransport(player);
  markEvents(byId("marks"), report.runs, player);
  setUpModes(report, player, plots);
  setUpMenus();
  const toggleTheme = setUpTheme((dark) => {
    view?.setTheme(dark);
    plots.rebuild();
  });
  setUpKeys(player, {
    f: () => view?.fitHere(),
    t: toggleTheme,
    l: () => {
      player.loop = !player.loop;
      player.seek(player.time);
    },
    Escape: () => view?.select(null),
  });
  document.documentElement.dataset.ready = "true";
}

start().catch((problem: Error) => {
  message(`The report could not be read: ${problem.message}`);
  console.error(problem);
});
