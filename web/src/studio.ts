// SPDX-License-Identifier: Apache-2.0
// The studio's page: edit a model, run it, move its parameters, compare runs. It talks to the
// `holonom studio` process it came from and to nothing else.

import { Editor, type Problem } from "./editor";
import { fileName, make, number, save } from "./format";
import { Sliders } from "./sliders";

/** The model that the studio was opened with, as it is on disk; without a version it cannot be written. */
interface OpenedFile {
  name: string;
  model: string;
  version: string;
}

interface Start extends OpenedFile {
  program: string;
  seconds: number;
  largest: number;
  methods: string[];
  models: string[];
}

interface Checked {
  ok: boolean;
  problems: Problem[];
  name: string;
  bodies: number;
  joints: number;
  label: string;
  parameters: { name: string; value: number }[];
}

interface Run {
  id: number;
  comparison: boolean;
  state: "running" | "done" | "failed" | "invalid" | "stopped" | "late";
  seconds: number;
  label: string;
  time: number;
  end: number;
  report: boolean;
  problems: Problem[];
  summary?: { method: string | null; cpu_seconds: number; steps: number; warnings?: string[] } | null;
}

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

async function ask(path: string, options: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { ...options, credentials: "same-origin", cache: "no-store" });
  if (response.ok) return response;
  const text = response.headers.get("Content-Type") === "application/json" ? ((await response.json()) as { message?: string }).message : "";
  throw new Error(text || `the studio answers ${response.status}`);
}

const OPENED = "/"; // in the list of models: the opened file

class Studio {
  private editor = new Editor();
  private sliders = new Sliders(byId("sliders"), byId("changed"));
  private runs: Run[] = [];
  private chosen = new Set<number>();
  private names = new Map<number, string>();
  private shown = 0;
  private current: number | null = null; // run under way
  private timer = 0;
  private unsaved = false; // the message says why the file was not written
  private checks = 0;
  private title = "";
  private file: OpenedFile | null = null; // what was read or written last
  private from: string | null = null; // model of the gallery that the text came from; null: the file
  private lineEnd = "\n";

  async start(): Promise<void> {
    const start = (await (await ask("start")).json()) as Start;
    const gallery = byId<HTMLSelectElement>("gallery");
    const groups = new Map<string, string[]>();
    for (const m of start.models) {
      const group = m.includes("/") ? m.slice(0, m.lastIndexOf("/")) : "Models";
      groups.set(group, [...(groups.get(group) ?? []), m]);
    }
    if (start.version) gallery.append(make("optgroup", { label: "Opened" }, make("option", { value: OPENED }, start.name)));
    for (const [label, list] of groups)
      gallery.append(make("optgroup", { label }, ...list.map((m) => make("option", { value: m }, m.slice(m.lastIndexOf("/") + 1).replace(/\.yaml$/, "")))));
    byId("method").append(...start.methods.map((m) => make("option", { value: m }, m)));
    gallery.addEventListener("change", () => gallery.value && void this.open(gallery.value));
    this.editor.onChange = () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.check(), 250);
      this.showSaved();
    };
    byId("run").addEventListener("click", () => void this.run());
    byId("stop").addEventListener("click", () => void this.stop());
    byId("save").addEventListener("click", () => void this.save());
    byId("download").addEventListener("click", () => this.download());
    window.addEventListener("beforeunload", (e) => this.changed && e.preventDefault());
    byId("reset").addEventListener("click", () => this.sliders.reset());
    byId("compare").addEventListener("click", () => void this.compare());
    document.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
        e.preventDefault();
        void this.run();
      }
      if (e.key === "s" && (e.ctrlKey || e.metaKey)) {
        e.preventDefault();
        if (this.file && this.from === null) void this.save();
        else this.download();
      }
    });
    this.sliders.onRelease = () => {
      if (byId<HTMLInputElement>("auto").checked) void this.run();
    };
    setUpTheme();
    this.take(start.model, null, start.version ? start : null);
    await this.check();
    this.runs = ((await (await ask("runs")).json()) as { runs: Run[] }).runs;
    this.list();
    document.documentElement.dataset.ready = "true";
  }

  private say(text: string, ...more: HTMLElement[]): void {
    const box = byId("message");
    this.unsaved = false;
    box.replaceChildren(text, ...more);
    box.hidden = text === "";
  }

  /** A text into the editor: of the gallery, or (from null) of the opened file. */
  private take(text: string, from: string | null, file: OpenedFile | null = this.file): void {
    this.file = file;
    this.from = from;
    this.lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
    this.editor.text = text;
    byId<HTMLSelectElement>("gallery").value = from ?? (file ? OPENED : "");
    this.showSaved();
  }

  /** The text as a file has it: the field knows only one kind of line end. */
  private get text(): string {
    return this.editor.text.replaceAll("\n", this.lineEnd);
  }

  private get changed(): boolean {
    return this.file !== null && this.from === null && this.text !== this.file.model;
  }

  private showSaved(): void {
    const button = byId<HTMLButtonElement>("save");
    button.hidden = this.file === null || this.from !== null;
    button.disabled = !this.changed;
    button.textContent = this.changed ? "Save*" : "Save";
  }

  private async open(name: string): Promise<void> {
    if (this.changed && !confirm(`Leave the changes to ${this.file!.name}? They are not saved.`)) {
      byId<HTMLSelectElement>("gallery").value = OPENED;
      return;
    }
    try {
      if (name === OPENED) {
        const file = (await (await ask("file")).json()) as OpenedFile;
        if (!file.version) throw new Error(`${file.name} can no longer be read`);
        this.take(file.model, null, file);
      } else this.take(await (await ask(`models/${name.split("/").map(encodeURIComponent).join("/")}`)).text(), name);
      this.say("");
      this.sliders.forget();
      await this.check();
    } catch (problem) {
      this.say((problem as Error).message);
    }
  }

  /** Writes the opened file; a file that others changed meanwhile is left alone. */
  private async save(): Promise<void> {
    const text = this.text;
    try {
      this.file = (await (await ask(`file?version=${this.file!.version}`, { method: "PUT", body: text })).json()) as OpenedFile;
      this.showSaved();
      this.say("");
      byId("status").textContent = `saved to ${this.file.name}`;
    } catch (problem) {
      const again = make("button", { type: "button", id: "again" }, "Load the file again");
      again.addEventListener("click", () => void this.open(OPENED));
      this.say((problem as Error).message, again);
      this.unsaved = true;
    }
  }

  private download(): void {
    save(`${fileName(this.title || "model")}.yaml`, new Blob([this.text], { type: "text/yaml" }));
  }

  // where the server looks for files that the text names
  private get origin(): [string, string][] {
    return this.from === null ? [] : [["from", this.from]];
  }

  private problems(list: Problem[]): void {
    this.editor.mark(list);
    byId("problems").replaceChildren(
      ...list.map((p) => {
        const button = make("button", { type: "button" }, p.line > 0 ? `Line ${p.line}: ${p.text}` : p.text);
        button.addEventListener("click", () => this.editor.show(p));
        return make("li", {}, button);
      }),
    );
  }

  /** Problems, title and parameters of the text; true when it is a model. */
  private async check(): Promise<boolean> {
    const mine = ++this.checks;
    try {
      const found = (await (await ask(`check?${new URLSearchParams(this.origin)}`, { method: "POST", body: this.editor.text })).json()) as Checked;
      if (mine !== this.checks) return found.ok;
      this.problems(found.problems);
      const n = found.problems.length;
      byId("status").textContent = found.ok ? `${found.bodies} ${found.bodies === 1 ? "body" : "bodies"}, ${found.joints} joint${found.joints === 1 ? "" : "s"}, ${found.label}` : `${n} problem${n === 1 ? "" : "s"}`;
      if (found.ok) {
        this.title = found.name;
        byId("name").textContent = found.name;
        this.sliders.show(found.parameters);
        byId("parameters").hidden = found.parameters.length === 0;
      }
      byId<HTMLButtonElement>("run").disabled = !found.ok;
      if (!this.unsaved) this.say("");
      return found.ok;
    } catch (problem) {
      this.say((problem as Error).message);
      return false;
    }
  }

  private async run(): Promise<void> {
    clearTimeout(this.timer);
    if (!(await this.check())) return;
    const query = new URLSearchParams(this.origin);
    const method = byId<HTMLSelectElement>("method").value;
    if (method) query.append("set", `method=${method}`);
    const accuracy = byId<HTMLSelectElement>("accuracy").value;
    if (accuracy) query.append("set", `accuracy=${accuracy}`);
    for (const [name, value] of this.sliders.changed()) query.append("set", `${name}=${value}`);
    await this.stop();
    await this.follow(() => ask(`runs?${query}`, { method: "POST", body: this.editor.text }));
  }

  private async compare(): Promise<void> {
    const query = new URLSearchParams([...this.chosen].sort((a, b) => a - b).map((id) => ["run", String(id)]));
    await this.follow(() => ask(`compare?${query}`, { method: "POST" }));
  }

  private async stop(): Promise<void> {
    if (this.current === null) return;
    const id = this.current;
    this.current = null;
    await ask(`runs/${id}`, { method: "POST" }).catch(() => {});
  }

  /** Start something, watch it, show its report. */
  private async follow(begin: () => Promise<Response>): Promise<void> {
    const bar = byId<HTMLProgressElement>("progress");
    const stop = byId<HTMLButtonElement>("stop");
    let run: Run;
    try {
      this.say("");
      run = (await (await begin()).json()) as Run;
    } catch (problem) {
      this.say((problem as Error).message);
      return;
    }
    this.current = run.id;
    if (!run.comparison) this.names.set(run.id, this.title);
    stop.disabled = false;
    bar.value = 0;
    let wait = 60;
    try {
      while (run.state === "running") {
        await new Promise((done) => setTimeout(done, wait));
        wait = Math.min(300, wait * 1.4);
        run = (await (await ask(`runs/${run.id}`)).json()) as Run;
        bar.value = run.end > 0 ? run.time / run.end : 0;
        if (run.state === "running" && run.end > 0) byId("status").textContent = `running: ${number(run.time, 4)} of ${number(run.end, 4)} s`;
      }
    } catch (problem) {
      this.say((problem as Error).message);
      return;
    }
    const mine = this.current === run.id;
    if (mine) {
      this.current = null;
      stop.disabled = true;
    }
    bar.value = run.state === "done" ? 1 : 0;
    if (run.summary?.method) byId("status").textContent = `${run.summary.method}: ${run.summary.steps} steps, ${number(run.summary.cpu_seconds, 3)} s`;
    if (run.problems.length) this.problems(run.problems);
    if (run.state === "done" && run.summary?.warnings?.length) this.say(`Warning: ${run.summary.warnings.join("; ")}`);
    this.runs = [...this.runs.filter((r) => r.id !== run.id), run];
    if (run.report && (mine || run.comparison)) this.show(run);
    this.list();
  }

  private show(run: Run): void {
    const frame = byId<HTMLIFrameElement>("report");
    this.shown = run.id;
    byId("hint").hidden = true;
    frame.hidden = false;
    frame.src = `runs/${run.id}/report`;
  }

  private list(): void {
    const entries = [...this.runs].reverse().map((run) => {
      const box = make("input", { type: "checkbox", "aria-label": `Compare run ${run.id}`, disabled: run.comparison || !run.report });
      box.checked = this.chosen.has(run.id);
      box.addEventListener("change", () => {
        if (box.checked) this.chosen.add(run.id);
        else this.chosen.delete(run.id);
        this.list();
      });
      const what = [this.names.get(run.id), run.comparison ? "comparison" : "", run.label].filter(Boolean).join(", ");
      const view = make("button", { type: "button", disabled: !run.report, "aria-label": `Show run ${run.id}` }, "Show");
      view.addEventListener("click", () => {
        this.show(run);
        this.list();
      });
      const csv = make("a", { href: `runs/${run.id}/result.csv`, download: `run-${run.id}.csv` }, "CSV");
      const remove = make("button", { type: "button", "aria-label": `Remove run ${run.id}` }, "×");
      remove.addEventListener("click", () => void this.remove(run.id));
      const bad = run.state === "failed" || run.state === "invalid" || run.state === "late";
      return make(
        "div",
        { class: run.id === this.shown ? "entry shown" : "entry", "data-run": run.id },
        box,
        make("span", { class: "what", title: what }, `${run.id}. ${what}`),
        make("span", { class: bad ? "state bad" : "state" }, run.state === "done" ? `${number(run.seconds, 2)} s` : run.state),
        ...(run.comparison || !run.report ? [] : [csv]),
        view,
        remove,
      );
    });
    byId("runs").replaceChildren(...(entries.length ? entries : [make("span", { class: "muted" }, "None yet.")]));
    byId<HTMLButtonElement>("compare").disabled = this.chosen.size < 2 || this.chosen.size > 8;
  }

  private async remove(id: number): Promise<void> {
    await ask(`runs/${id}`, { method: "DELETE" }).catch(() => {});
    this.runs = this.runs.filter((r) => r.id !== id);
    this.chosen.delete(id);
    this.list();
  }
}

function setUpTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let own: boolean | null = null;
  const apply = () => {
    const dark = own ?? system.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    byId("theme").setAttribute("aria-pressed", String(dark));
  };
  system.addEventListener("change", apply);
  byId("theme").addEventListener("click", () => {
    own = document.documentElement.dataset.theme !== "dark";
    apply();
  });
  apply();
}

new Studio().start().catch((problem: Error) => {
  const box = byId("message");
  box.textContent = `The studio does not answer: ${problem.message}`;
  box.hidden = false;
});
