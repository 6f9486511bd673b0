// SPDX-License-Identifier: Apache-2.0
// Texts of a model that are scripts: names, titles, paths of meshes, expressions, outputs, events,
// messages. None of them may run in a page that Holonom writes or serves.
//   HOLONOM=build/holonom node --test test/web/hostile.test.mjs
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const holonom = resolve(process.env.HOLONOM ?? "build/holonom");
const place = mkdtempSync(join(tmpdir(), "holonom-hostile-"));
let browser;
before(async () => (browser = await launch()));
after(async () => {
  await browser?.close();
  rmSync(place, { recursive: true, force: true });
});

/** Each sets window.hacked where it runs: as an element, out of a script, an attribute, a template, a text of JSON. */
const payloads = [
  `<img src=x onerror="window.hacked=1">`,
  `</script><script>window.hacked=2</script>`,
  `"><svg onload=window.hacked=3>`,
  `' onmouseover='window.hacked=4' autofocus onfocus='window.hacked=4`,
  "${window.hacked=5}",
  `<!--<script>window.hacked=6</script>-->`,
  `\u2028window.hacked=7//`,
  `javascript:window.hacked=8`,
  `<iframe srcdoc="<script>parent.hacked=9</script>"></iframe>`,
  `]]></script><style onload=window.hacked=10></style>`,
];
const quoted = (text) => JSON.stringify(text);

/** A model with the payload wherever a free text may stand. */
const hostile = (p) => `holonom: 1
name: ${quoted(p)}
space: planar
gravity: [0, -9.81]
parameters: {L: 1}
bodies:
  - name: rod
    mass: 1
    inertia: 0.1
    position: [L, 0]
joints:
  - {name: O, type: revolute, between: [ground, {body: rod, at: [-L, 0]}]}
events:
  - {name: low, when: "rod.y + 0.5", stop: false}
outputs: [rod.x, "rod.x + 1"]
simulation: {end: 0.5, step: 0.01}
`;

/** Models with the payload where only a name, an expression or a path may stand: refused with it in the message. */
const refused = (p) =>
  [
    ["name: rod", `name: ${quoted(p)}`],
    ["name: O", `name: ${quoted(p)}`],
    ["name: low", `name: ${quoted(p)}`],
    ["between: [ground", `between: [${quoted(p)}`],
    ["rod.y + 0.5", JSON.stringify(p).slice(1, -1)],
    ["rod.x + 1", JSON.stringify(p).slice(1, -1)],
    ["mass: 1", `mass: ${quoted(p)}`],
    ["mass: 1", `${quoted(p)}: 1`],
    ["inertia: 0.1", `inertia: 0.1\n    shape: {type: mesh, file: ${quoted(p)}}`],
    ["space: planar", `space: ${quoted(p)}`],
  ].map(([from, to]) => hostile("plain").replace(from, to));

async function visit(where, { ready = true, frames = true, act } = {}) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const dialogs = [];
  page.on("dialog", (d) => (dialogs.push(d.message()), d.dismiss()));
  await page.goto(where);
  if (ready) await page.waitForFunction(() => document.documentElement.dataset.ready === "true", null, { timeout: 30000 });
  if (act) await act(page);
  // events that only the pointer or the focus starts
  await page.mouse.move(200, 200);
  await page.evaluate(() => {
    for (const e of document.querySelectorAll("*")) {
      e.dispatchEvent(new Event("mouseover", { bubbles: true }));
      if (typeof e.focus === "function") e.focus();
    }
    return new Promise((done) => setTimeout(done, 50));
  });
  for (const frame of frames ? page.frames() : [page.mainFrame()]) assert.equal(await frame.evaluate(() => window.hacked), undefined, where);
  assert.deepEqual(dialogs, []);
  await context.close();
}

const file = (name, text) => (writeFileSync(join(place, name), text), join(place, name));
const run = (...words) => spawnSync(holonom, words, { cwd: place, encoding: "utf8" });

test("a page that would run a payload is seen by this test", async () => {
  const bad = file("bad.html", `<html data-ready="true"><body>${payloads[0]}</body></html>`);
  await assert.rejects(visit(pathToFileURL(bad).href));
});

test("reports of models with scripts as texts", async () => {
  for (const [i, p] of payloads.entries()) {
    const model = file(`m${i}.yaml`, hostile(p)), report = join(place, `r${i}.html`);
    const ended = run("run", model, "-q", "--report", report, "-o", join(place, `o${i}.csv`));
    assert.equal(ended.status, 0, ended.stderr);
    await visit(pathToFileURL(report).href);
  }
});

test("names of files that are scripts", async () => {
  for (const p of payloads.slice(0, 5)) {
    const name = p.replaceAll("/", "&#47;"), model = file(`${name}.yaml`, hostile(p).replace(/events:[^]*outputs/, "outputs"));
    const report = join(place, "f.html"), modes = join(place, "fm.html"), sweep = join(place, "fs.html");
    assert.equal(run("run", model, "-q", "--report", report, "-o", `${name}.csv`).status, 0);
    await visit(pathToFileURL(report).href);
    assert.equal(run("view", `${name}.csv`, "-o", report).status, 0);
    await visit(pathToFileURL(report).href);
    assert.equal(run("modes", model, "--report", modes).status, 0);
    await visit(pathToFileURL(modes).href);
    const study = file(`${name}.study.yaml`, `study: 1\nmodel: ${quoted(`${name}.yaml`)}\nvary: {L: [1, 1.1]}\nrecord: {top: max(rod.y)}\n`);
    const swept = run("sweep", study, "-o", "fs.csv", "--report", sweep);
    assert.equal(swept.status, 0, swept.stderr);
    await visit(pathToFileURL(sweep).href, { ready: false });
  }
});

test("results with scripts as names of columns and in the manifest, seen again", async () => {
  for (const [i, p] of payloads.entries()) {
    const csv = readFileSync(join(place, `o${i}.csv`), "utf8");
    writeFileSync(join(place, "v.csv"), csv.replace("rod.x", `"${p.replaceAll('"', '""').replaceAll("\u2028", "")}"`));
    const manifest = JSON.parse(readFileSync(join(place, `o${i}.csv.json`), "utf8"));
    const spoiled = JSON.stringify(manifest, (key, value) => (typeof value === "string" && key !== "sha256" && !/file|path|source/.test(key) ? p : value));
    for (const text of [spoiled, JSON.stringify(manifest)]) {
      writeFileSync(join(place, "v.csv.json"), text);
      rmSync(join(place, "v.html"), { force: true });
      const ended = run("view", "v.csv", "-o", "v.html");
      assert.equal(ended.signal, null);
      if (ended.status === 0) await visit(pathToFileURL(join(place, "v.html")).href);
    }
  }
});

test("the page of modes and that of a sweep", async () => {
  for (const [i, p] of payloads.entries()) {
    const model = file(`s${i}.yaml`, hostile(p).replace(/events:[^]*outputs/, "outputs"));
    const modes = join(place, `modes${i}.html`);
    const ended = run("modes", model, "--report", modes);
    assert.equal(ended.status, 0, ended.stderr);
    await visit(pathToFileURL(modes).href);
    const study = file(`study${i}.yaml`, `study: 1\nmodel: s${i}.yaml\nvary: {L: [1, 1.1]}\nrecord: {top: max(rod.y)}\n`);
    const page = join(place, `sweep${i}.html`);
    const swept = run("sweep", study, "-o", join(place, `sweep${i}.csv`), "--report", page);
    assert.equal(swept.status, 0, swept.stderr);
    await visit(pathToFileURL(page).href, { ready: false });
  }
});

test("the studio: texts, messages about them, and reports", async (t) => {
  if (!execFileSync(holonom, ["--version"], { encoding: "utf8" }).includes("libmicrohttpd")) return t.skip("no studio");
  const model = file("studio.yaml", hostile("plain"));
  const server = spawn(holonom, ["studio", model, "--limit", "8"], { env: { ...process.env, TMPDIR: place }, stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((done, fail) => {
    let text = "";
    server.stdout.on("data", (d) => (text += d).includes("\n") && done(text.trim()));
    server.on("exit", (code) => fail(new Error(`studio ended with ${code}`)));
  });
  try {
    for (const p of payloads)
      await visit(address, {
        frames: false,
        act: async (page) => {
          const type = async (text) => {
            await page.evaluate((text) => {
              const area = document.getElementById("text");
              area.value = text;
              area.dispatchEvent(new Event("input"));
            }, text);
          };
          for (const text of refused(p)) {
            await type(text);
            await page.waitForTimeout(400);
            assert.equal(await page.evaluate(() => window.hacked), undefined, text);
          }
          await type(hostile(p));
          await page.waitForTimeout(700);
          assert.equal(await page.evaluate(() => window.hacked), undefined, p);
        },
      });
  } finally {
    server.kill("SIGTERM");
  }
});
