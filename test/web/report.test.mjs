// SPDX-License-Identifier: Apache-2.0
// Reports that the command writes, in a real browser: what the page shows equals the CSV file of the
// same run.   HOLONOM=build/holonom node --test test/web/report.test.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { difference, eventually, launch, open, picture, settle } from "./browser.mjs";

const holonom = process.env.HOLONOM ?? "build/holonom";
const folder = mkdtempSync(join(tmpdir(), "holonom-report-"));
let browser;

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(model, ...more) {
  const html = join(folder, `${model}.html`);
  const csv = join(folder, `${model}.csv`);
  execFileSync(holonom, ["run", `models/${model}.yaml`, "-q", "--report", html, "-o", csv, ...more]);
  const [head, ...lines] = readFileSync(csv, "utf8").trim().split("\n");
  return { html, names: head.split(","), rows: lines.map((l) => l.split(",").map(Number)) };
}

const quiet = (problems) => problems.filter((p) => !p.includes("GPU stall due to ReadPixels"));
const read = (text) => Number.parseFloat(text.replaceAll("−", "-"));
const seek = (page, t) =>
  page.evaluate((value) => {
    const slider = document.getElementById("scrub");
    slider.value = String(value);
    slider.dispatchEvent(new Event("input"));
  }, t);

for (const { model, text } of [
  { model: "beam-load", text: /^leaf: stress up to [\d.]+e?\d* Pa$/ },
  { model: "beam-pendulum", text: /^rod: curvature up to [\d.]+ 1\/m$/ },
])
  test(`${model}: bent, and coloured with a scale`, async () => {
    const { html } = run(model);
    const { page, problems, context } = await open(browser, html, { width: 1400 });
    const straight = await picture(page, "#view canvas");
    assert.ok(straight.other > 0.001, "the beam is drawn");
    assert.match(await page.textContent(".beam-legend div:last-child"), text);
    await seek(page, model === "beam-load" ? 0.05 : 0.6);
    await settle(page);
    const bent = await picture(page, "#view canvas");
    assert.ok(bent.distinct > straight.distinct / 2 && bent.other > 0.001, "it is still drawn");
    assert.deepEqual(quiet(problems), []);
    await context.close();
  });

test("bouncing-ball: the floor, the ball as large as it touches, events in a table and on the slider", async () => {
  const { html } = run("bouncing-ball");
  const { page, problems, context } = await open(browser, html, { width: 1400 });
  const shown = await picture(page, "#view canvas");
  await page.click(".menu summary");
  await page.uncheck("[data-layer=ground]");
  await page.click("#title");
  assert.ok(difference(shown, await picture(page, "#view canvas")) > 0.0005, "the floor is drawn");
  assert.ok((await page.locator("#marks i").count()) > 8);
  const box = await page.locator(".card.events tbody").boundingBox();
  assert.ok(box && box.x >= 0 && box.x + box.width <= 1400);
  assert.equal(await page.locator(".card.events tbody tr").count(), 29);
  assert.deepEqual(await page.locator(".card.events tbody tr").first().locator("td").allTextContents(), ["0.451523641", "floor", "impact", "7.5301", "5.0031"]);
  await page.locator(".card.events tbody button").first().click();
  assert.match(await page.textContent("#clock"), /^0\.4515 /);
  const summary = await page.textContent("#summary");
  assert.match(summary, /all29impact28rest1/);
  assert.match(summary, /impacts took9\.81 J/);
  assert.deepEqual(quiet(problems), []);
  await context.close();
});

// its whole way would leave a dot of it: it is shown large, and stays in the picture
test("a small mechanism on a long way is followed", async () => {
  const { html } = run("rough-road");
  const { page, problems, context } = await open(browser, html, { width: 1000 });
  const near = await picture(page, "#view canvas");
  await page.click("#fit");
  assert.ok(difference(near, await picture(page, "#view canvas")) > 0.02, "the whole way is another picture");
  assert.deepEqual(quiet(problems), []);
  await context.close();
});

// friction that sticks at the end is said; surfaces of the ground are drawn, whatever their kind
for (const { model, holds, parts } of [
  { model: "rolling-cylinder", holds: /slope\.1, since 0\.0562023/, parts: ["plane", "cylinder"] },
  { model: "marble-run", holds: /track, since 1\.2237744/, parts: ["polyline", "circle"] },
  { model: "rocking-block", holds: null, parts: ["line", "corners"] },
  { model: "painleve-rod", holds: /tip, since 0 s/, parts: ["line", "point"] },
])
  test(`${model}: shapes that touch, friction that holds, at 500 px`, async () => {
    const { html } = run(model);
    const { page, problems, context } = await open(browser, html, { width: 500 });
    const data = JSON.parse(await page.textContent("#holonom-data"));
    assert.deepEqual(data.runs[0].contacts.map((c) => c.type).slice(0, 2), parts);
    const drawn = await picture(page, "#view canvas");
    await page.click(".menu summary");
    await page.uncheck("[data-layer=ground]");
    await page.click("#title");
    assert.ok(difference(drawn, await picture(page, "#view canvas")) > 0.0003, "the ground is drawn");
    if (holds) assert.match(await page.textContent("#summary"), holds);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    assert.deepEqual(quiet(problems), []);
    await context.close();
  });

// a column of the file that names a body's coordinate, and the item that shows it
for (const { model, item, columns, width } of [
  { model: "andrews", item: "K3", columns: ["K3.angle", "K3.omega"], width: 1400 },
  { model: "slider-crank", item: null, columns: [], width: 390 },
  { model: "heavy-top", item: null, columns: [], width: 1400 },
  { model: "flyball", item: null, columns: [], width: 390 },
])
  test(`${model} at ${width} px: drawn, moves, shows the numbers of the file`, async () => {
    const { html, names, rows } = run(model);
    const { page, problems, context } = await open(browser, html, { width });
    const first = await picture(page, "#view canvas");
    assert.ok(first.distinct > 50 && first.other > 0.005, "the mechanism is drawn");
    const bodies = await page.evaluate(() => [...document.querySelectorAll("#items optgroup[label=Bodies] option")].map((o) => ({ value: o.value, name: o.textContent })));
    assert.ok(bodies.length > 0);
    if (item) await page.selectOption("#items", bodies.find((b) => b.name === item).value);
    let moved = 0;
    for (const share of [0.31, 0.5, 0.87]) {
      const row = rows[Math.floor(share * (rows.length - 1))];
      await seek(page, row[0]);
      await settle(page);
      for (const name of columns) {
        const exact = row[names.indexOf(name)];
        await eventually(async () => {
          const shown = read(await page.textContent(`#info td[data-column="${name}"]`));
          assert.ok(Math.abs(shown - exact) <= 2e-6 * (1e-3 + Math.abs(exact)), `${name}: ${shown}, the file says ${exact}`);
        });
      }
      for (const value of await page.locator(".legend .value").all()) {
        const name = await value.getAttribute("data-column");
        const k = names.indexOf(name);
        if (k < 0 || name.startsWith("constraint.")) continue;
        const exact = row[k];
        const span = rows.reduce((top, r) => Math.max(top, Math.abs(r[k])), 0);
        await eventually(async () => assert.ok(Math.abs(read(await value.textContent()) - exact) <= 1e-4 * Math.abs(exact) + 1e-6 * span, `${name} at ${row[0]}`));
      }
      moved = Math.max(moved, difference(first, await picture(page, "#view canvas")));
    }
    assert.ok(moved > 0.002, "scrubbing moves the mechanism");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.match(await page.textContent("#summary"), /Newton iterations/);
    assert.ok((await page.locator(".source .line").count()) > 5);
    assert.deepEqual(quiet(problems), []);
    await context.close();
  });

test("a 10 s run of Andrews' mechanism stays below 2 MB", () => {
  const { html } = run("andrews", "--end", "10", "--step", "1e-4", "--output-step", "0.01", "--set", "mom=0");
  assert.ok(statSync(html).size < 2_000_000, `${statSync(html).size} bytes`);
});

test("redundant constraints are named in the summary", async () => {
  const { html } = run("bricard");
  const { page, context } = await open(browser, html);
  assert.match(await page.textContent("#summary"), /Redundant constraints/);
  await context.close();
});

test("a certified run shows bands, bounds and the digits to print", async () => {
  const { html, names } = run("double-pendulum", "--tolerance", "1e-3", "--certify", "--end", "14");
  const { page, problems, context } = await open(browser, html);
  const text = await page.textContent("#summary");
  assert.match(text, /Digits you may print/);
  assert.match(text, /no digit is certain after [0-9.]+ s/);
  assert.match(await page.textContent(".card.warning"), /certain/);
  const digits = await page.locator("td[data-digits]").evaluateAll((cells) => cells.map((c) => [c.dataset.digits, c.textContent]));
  assert.ok(digits.length > 20 && digits.every(([name, said]) => names.includes(name) && /^(\d+ digits?|no digit certain|not unique)$/.test(said)));
  const legend = await page.locator('.legend button:has([data-column="rod1.angle"])').first().textContent();
  assert.match(legend, /rod1\.angle.*±.*rad\d+ digit/);
  await seek(page, 14);
  await settle(page);
  await eventually(async () => assert.match(await page.locator('.legend .value[data-column="energy.kinetic"]').textContent(), /± \?/));
  assert.deepEqual(quiet(problems), []);
  await context.close();
});

test("reactions that redundancy leaves undetermined are marked", async () => {
  const html = join(folder, "redundant.html");
  const model = join(folder, "redundant.yaml");
  writeFileSync(model, readFileSync("models/double-pendulum.yaml", "utf8").replace("  - {name: P,", "  - {name: O2, type: revolute, between: [ground.O, rod1.left]}\n  - {name: P,"));
  execFileSync(holonom, ["run", model, "-q", "--accuracy", "1e-5", "--report", html]);
  const { page, context } = await open(browser, html);
  assert.equal(await page.textContent('td[data-digits="O2.fx"]'), "not unique");
  assert.match(await page.textContent('td[data-digits="P.fx"]'), /digits/);
  await context.close();
});

test("the view of stored results overlays them and shows their numbers", async () => {
  const one = join(folder, "one.csv");
  const two = join(folder, process.env.NO_HDF5 ? "two.csv" : "two.h5");
  execFileSync(holonom, ["run", "models/andrews.yaml", "-q", "-o", one]);
  execFileSync(holonom, ["run", "models/andrews.yaml", "-q", "--set", "mom=0.05", "-o", two]);
  const html = join(folder, "view.html");
  const said = execFileSync(holonom, ["view", one, two, "-o", html], { stdio: ["ignore", "pipe", "ignore"] });
  assert.equal(String(said).trim(), html);
  const { page, problems, context } = await open(browser, html);
  assert.match(await page.textContent("#subtitle"), /\(1\) auto.*\(2\) auto.*mom = 0\.05/);
  const [head, ...lines] = readFileSync(one, "utf8").trim().split("\n");
  const row = lines[200].split(",").map(Number);
  await seek(page, row[0]);
  await settle(page);
  const shown = read(await page.locator('.legend .value[data-column="energy.total"]').first().textContent());
  const exact = row[head.split(",").indexOf("energy.total")];
  assert.ok(Math.abs(shown - exact) < 1e-4 * Math.abs(exact));
  const other = read(await page.locator('.legend .value[data-column="energy.total"]').nth(1).textContent());
  assert.ok(Math.abs(other - exact) > 1e-3, "the second run differs");
  assert.match(await page.textContent("#summary"), /its run was repeated/);
  assert.ok((await picture(page, "#view canvas")).other > 0.005);
  assert.deepEqual(quiet(problems), []);
  await context.close();
});

test("modes: a list to choose from, each moves", async () => {
  const html = join(folder, "modes.html");
  execFileSync(holonom, ["modes", "test/ref/linear/hanging-rods.yaml", "--report", html]);
  const { page, problems, context } = await open(browser, html, { width: 1400 });
  const names = await page.evaluate(() => [...document.querySelectorAll("#modes option")].map((o) => o.textContent));
  assert.equal(names.length, 4);
  assert.match(names[0], /^mode 1: 0\.42459/); // 2.667825816087931 / 2 pi
  assert.match(await page.textContent("#mode-text"), /r4/);
  const pictures = [];
  for (const k of [0, 1, 2, 3]) {
    await page.selectOption("#modes", String(k));
    await settle(page);
    pictures.push(await picture(page, "#view canvas"));
    await seek(page, 3 * k + 1.5); // the other side
    await settle(page);
    assert.ok(difference(pictures[k], await picture(page, "#view canvas")) > 0.002, `mode ${k + 1} moves`);
  }
  for (const k of [1, 2, 3]) assert.ok(difference(pictures[0], pictures[k]) > 0.002, "the shapes differ");
  assert.deepEqual(quiet(problems), []);
  await context.close();
});
