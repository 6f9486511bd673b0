// SPDX-License-Identifier: Apache-2.0
// The page in a real browser, from file:// with the network off, on reports made in closed form.
//   TEMPLATE=template.html node --test test/web/page.test.mjs
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { difference, eventually, launch, open, picture, processorTime, settle } from "./browser.mjs";
import { fill, fourbar, samples } from "./sample.mjs";

const template = process.env.TEMPLATE ?? "web/dist/template.html";
const folder = mkdtempSync(join(tmpdir(), "holonom-web-"));
let browser;

function file(name) {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, fill(readFileSync(template, "utf8"), samples[name]()));
  return path;
}

const quiet = (problems) => problems.filter((p) => !p.includes("GPU stall due to ReadPixels"));
const seek = (page, t) =>
  page.evaluate((value) => {
    const slider = document.getElementById("scrub");
    slider.value = String(value);
    slider.dispatchEvent(new Event("input"));
  }, t);
const selectItem = (page, value) => page.selectOption("#items", value);
// a number as the page writes it
const read = (text) => Number.parseFloat(text.replace("−", "-").replace("e−", "e-"));

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the template is small and asks for nothing outside", () => {
  assert.ok(statSync(template).size < 900_000);
  const text = readFileSync(template, "utf8");
  assert.equal(text.split("<!--HOLONOM-DATA-->").length, 2);
  assert.ok(!/<(script|link|img)[^>]+(src|href)="https?:/.test(text));
});

test("an empty template says so", async () => {
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  const path = join(folder, "empty.html");
  writeFileSync(path, readFileSync(template, "utf8"));
  await page.goto(`file://${path}`);
  await page.waitForSelector("#message:not([hidden])");
  assert.match(await page.textContent("#message"), /empty template/);
  await context.close();
});

for (const width of [390, 1400])
  test(`opens at ${width} px: mechanism and plots drawn, nothing sticks out, no error`, async () => {
    const { page, problems, context } = await open(browser, file("fourbar"), { width });
    const view = await picture(page, "#view canvas");
    assert.ok(view.distinct > 50, `only ${view.distinct} colours in the view`);
    assert.ok(view.other > 0.03, "the view is nearly blank");
    assert.equal(await page.locator(".plot").count(), 6);
    for (const plot of await page.locator(".plot .chart canvas").all()) assert.ok((await plot.boundingBox()).width > 0.6 * Math.min(width, 500));
    const charts = await page.evaluate(() =>
      [...document.querySelectorAll(".chart canvas")].map((c) => {
        const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
        return new Set(new Uint32Array(data.buffer)).size;
      }),
    );
    for (const colours of charts) assert.ok(colours > 20, `a plot has only ${colours} colours`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page scrolls sideways");
    // buttons of the tool bar and of the player must not cover one another
    const boxes = await page.evaluate(() =>
      [...document.querySelectorAll(".tools > *, .transport > *")].map((e) => {
        const r = e.getBoundingClientRect();
        return [r.left, r.top, r.right, r.bottom];
      }),
    );
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => assert.ok(a[2] <= b[0] + 1 || b[2] <= a[0] + 1 || a[3] <= b[1] + 1 || b[3] <= a[1] + 1, "controls overlap")));
    assert.deepEqual(quiet(problems), []);
    await context.close();
  });

test("scrubbing moves the mechanism and the label shows the value of that time", async () => {
  const { page, problems, context } = await open(browser, file("fourbar"));
  const data = fourbar();
  await selectItem(page, "body:2");
  const first = await picture(page, "#view canvas");
  for (const i of [77, 250, 499]) {
    await seek(page, data.columns[0].values[i]);
    await settle(page);
    for (const name of ["coupler.x", "coupler.y", "coupler.angle"]) {
      const exact = data.columns.find((c) => c.name === name).values[i];
      await eventually(async () => {
        const shown = read(await page.textContent(`#info td[data-column="${name}"]`));
        assert.ok(Math.abs(shown - exact) <= 1e-6 * (1 + Math.abs(exact)), `${name}: ${shown} instead of ${exact}`);
      });
    }
  }
  await seek(page, 1.2);
  const second = await picture(page, "#view canvas");
  assert.ok(difference(first, second) > 0.02, "the picture did not change");
  await seek(page, 0);
  assert.ok(difference(first, await picture(page, "#view canvas")) < 0.001, "the picture did not come back");
  assert.deepEqual(quiet(problems), []);
  await context.close();
});

test("small drifts survive single precision", async () => {
  const { page, context } = await open(browser, file("fourbar"));
  await seek(page, 5);
  const exact = 3e-11 * Math.sin(15) - 5e-12;
  await eventually(async () => {
    const shown = read(await page.textContent('.legend [data-column="energy.numerical"]'));
    assert.ok(Math.abs(shown - exact) < 1e-4 * Math.abs(exact), `${shown} instead of ${exact}`);
  });
  await context.close();
});

test("keyboard: space plays and pauses, arrows step one sample, end and home", async () => {
  const { page, context } = await open(browser, file("fourbar"));
  const time = () => page.evaluate(() => Number(document.getElementById("scrub").value));
  await page.keyboard.press("ArrowRight");
  await eventually(async () => assert.ok(Math.abs((await time()) - 0.02) < 1e-9));
  await page.keyboard.press("Shift+ArrowRight");
  await eventually(async () => assert.ok(Math.abs((await time()) - 0.22) < 1e-9));
  await page.keyboard.press("ArrowLeft");
  await eventually(async () => assert.ok(Math.abs((await time()) - 0.2) < 1e-9));
  await page.keyboard.press("Space");
  await page.waitForFunction(() => Number(document.getElementById("scrub").value) > 0.4);
  await eventually(async () => assert.equal(await page.getAttribute("#play", "aria-label"), "Pause"));
  await page.keyboard.press("Space");
  await eventually(async () => assert.equal(await page.getAttribute("#play", "aria-label"), "Play"));
  const stopped = await time();
  await page.waitForTimeout(150);
  assert.equal(await time(), stopped);
  await page.keyboard.press("End");
  await eventually(async () => assert.equal(await time(), 10));
  await page.keyboard.press("Home");
  await eventually(async () => assert.equal(await time(), 0));
  await context.close();
});

test("plots: zoom by dragging, reset, time by clicking, columns, PNG and CSV", async () => {
  const { page, problems, context } = await open(browser, file("fourbar"));
  const over = page.locator(".plot .u-over").first();
  const chart = page.locator(".plot .chart canvas").first();
  const whole = await picture(page, ".plot:first-child .chart");
  const box = await over.boundingBox();
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await eventually(async () => assert.equal(await page.locator(".plot.zoomed").count(), 6));
  assert.ok(difference(whole, await picture(page, ".plot:first-child .chart")) > 0.01, "the plot did not zoom");

  const [csv] = await Promise.all([page.waitForEvent("download"), page.locator(".plot button", { hasText: "CSV" }).first().click()]);
  const lines = readFileSync(await csv.path(), "utf8").trim().split("\n");
  assert.equal(lines[0], "time,energy.kinetic,energy.potential,energy.total");
  const times = lines.slice(1).map((l) => Number(l.split(",")[0]));
  assert.ok(times[0] >= 1.9 && times[times.length - 1] <= 5.1 && times.length > 130, "the CSV holds the zoomed part");
  const row = fourbar().columns;
  const i = Math.round(times[3] / 0.02);
  assert.ok(Math.abs(Number(lines[4].split(",")[3]) - row.find((c) => c.name === "energy.total").values[i]) < 1e-5);

  await page.click("#unzoom");
  await eventually(async () => assert.equal(await page.locator(".plot.zoomed").count(), 0));
  await over.click({ position: { x: 0.75 * box.width, y: 50 } });
  await eventually(async () => assert.ok(Math.abs((await page.evaluate(() => Number(document.getElementById("scrub").value))) - 7.5) < 0.1));

  const [png] = await Promise.all([page.waitForEvent("download"), page.locator(".plot button", { hasText: "PNG" }).first().click()]);
  assert.equal(readFileSync(await png.path()).subarray(1, 4).toString(), "PNG");

  await page.locator(".plot button", { hasText: "columns" }).first().click();
  await page.fill(".picker input[type=search]", "rocker. omega");
  await eventually(async () => assert.equal(await page.locator(".choices label").count(), 1));
  await page.locator(".choices input").check();
  await page.locator(".picker button.primary").click();
  await eventually(async () => assert.equal(await page.locator(".plot").first().locator(".legend button").count(), 4));
  await eventually(async () => assert.ok((await chart.boundingBox()).width > 100));
  assert.deepEqual(quiet(problems), []);
  await context.close();
});

test("layers, hover and selection in the picture", async () => {
  const { page, problems, context } = await open(browser, file("fourbar"));
  const bare = await picture(page, "#view");
  await page.click(".menu summary");
  for (const layer of ["names", "traces", "velocity", "reaction"]) await page.check(`[data-layer=${layer}]`);
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  assert.ok(difference(bare, await picture(page, "#view")) > 0.005, "arrows and names change the picture");
  await eventually(async () => assert.ok((await page.locator(".labels .body").allTextContents()).includes("rocker")));
  // pointing at the name of a body means pointing at the body
  const name = await page.locator(".labels .body", { hasText: "rocker" }).boundingBox();
  await page.mouse.move(name.x + name.width / 2, name.y + name.height / 2);
  await page.waitForSelector(".tip:not([hidden])");
  await eventually(async () => assert.match(await page.textContent(".tip"), /^rocker \(body\)/));
  await page.mouse.click(name.x + name.width / 2, name.y + name.height / 2);
  await eventually(async () => assert.match(await page.textContent("#info"), /rocker/));
  assert.deepEqual(quiet(problems), []);
  await context.close();
});

test("dark and light, by the system and by the button", async () => {
  const { page, context } = await open(browser, file("spatial"), { scheme: "dark" });
  const shade = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await shade();
  const first = await picture(page, "#view canvas");
  await page.click("#theme");
  await eventually(async () => assert.notEqual(await shade(), dark));
  assert.ok(difference(first, await picture(page, "#view canvas")) > 0.5);
  await context.close();
});

test("orbit, zoom and fit change and restore the picture", async () => {
  const { page, problems, context } = await open(browser, file("spatial"));
  const first = await picture(page, "#view canvas");
  const box = await page.locator("#view canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 120, box.y + box.height / 2 + 30, { steps: 4 });
  await page.mouse.up();
  assert.ok(difference(first, await picture(page, "#view canvas")) > 0.01, "dragging turns");
  const turned = await picture(page, "#view canvas");
  await page.mouse.wheel(0, -600);
  assert.ok(difference(turned, await picture(page, "#view canvas")) > 0.01, "the wheel zooms");
  await page.click("[data-view=corner]");
  assert.ok(difference(first, await picture(page, "#view canvas")) < 0.002, "the view comes back");
  assert.deepEqual(quiet(problems), []);
  await context.close();
});

test("two runs in one page: both drawn, both in the legend", async () => {
  const { page, problems, context } = await open(browser, file("compare"));
  await eventually(async () => assert.equal(await page.locator(".plot").first().locator(".legend button").count(), 6));
  await eventually(async () => assert.match(await page.textContent("#subtitle"), /\(1\).*\(2\)/));
  assert.deepEqual(quiet(problems), []);
  await context.close();
});

test("the model file stands with line numbers, as text", async () => {
  const { page, context } = await open(browser, file("fourbar"));
  await eventually(async () => assert.equal(await page.locator(".source .line").count(), 6));
  await eventually(async () => assert.match(await page.textContent("#L6"), /<\/script> & <b>/));
  await context.close();
});

test("every control has a name", async () => {
  const { page, context } = await open(browser, file("fourbar"));
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input, canvas[role]")]
      .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim()))
      .map((e) => e.outerHTML),
  );
  assert.deepEqual(nameless, []);
  await context.close();
});

// Pictures in a second of play, and the processor time of one [s]: of all threads of all processes,
// so that it does not depend on what else the machine does.
async function play(page) {
  const before = await processorTime(browser);
  const [frames, seconds] = await page.evaluate(
    () =>
      new Promise((done) => {
        let frames = 0;
        const start = performance.now();
        const tick = () => {
          const passed = performance.now() - start;
          if (passed > 1000) done([frames, passed / 1000]);
          else requestAnimationFrame(tick);
          frames++;
        };
        requestAnimationFrame(tick);
      }),
  );
  return { rate: frames / seconds, cost: ((await processorTime(browser)) - before) / frames };
}

test("a thousand bodies play with 20 frames a second on a software renderer", async () => {
  const { page, problems, context } = await open(browser, file("chain"));
  await page.keyboard.press("Space");
  await page.waitForTimeout(500);
  const still = await page.evaluate(() => document.getElementById("scrub").value);
  // the best second counts: a busy machine takes some away
  const tries = [await play(page)];
  while (tries.length < 12 && !tries.some((t) => t.rate >= 20 && t.cost < 0.05)) tries.push(await play(page));
  const rate = Math.max(...tries.map((t) => t.rate));
  const cost = Math.min(...tries.map((t) => t.cost));
  console.log(`    ${rate.toFixed(1)} frames a second, ${(1000 * cost).toFixed(1)} ms of processor time each`);
  await eventually(async () => assert.notEqual(await page.evaluate(() => document.getElementById("scrub").value), still));
  assert.ok(cost < 0.05, `a frame takes ${(1000 * cost).toFixed(1)} ms of processor time: one core cannot make 20 a second`);
  assert.ok(rate >= 20, `${rate.toFixed(1)} frames a second`);
  assert.deepEqual(quiet(problems), []);
  await context.close();
});

test("in a crowd, a body is named when pointed at, lit when chosen, and sharp at rest", async () => {
  const { page, problems, context } = await open(browser, file("chain"));
  await page.keyboard.press("Space");
  await page.waitForSelector('#view canvas[data-rest="false"]');
  await page.keyboard.press("Space");
  await page.waitForSelector('#view canvas[data-rest="true"]');
  const canvas = await page.evaluate(() => {
    const c = document.querySelector("#view canvas");
    return c.width / c.clientWidth;
  });
  assert.ok(canvas > 1.9, "at rest every pixel is made of four");
  await page.keyboard.press("Home");
  const plain = await picture(page, "#view canvas");
  const box = await page.locator("#view canvas").boundingBox();
  // coloured points of one row of the picture
  const { width } = plain;
  const row = Math.round(0.4 * box.height);
  const strong = (x) => {
    const [r, g, b] = plain.bytes.subarray(3 * (row * width + x));
    return Math.max(r, g, b) - Math.min(r, g, b) > 60;
  };
  let name = "";
  for (let x = 0; x < width && !name; x++) {
    if (!strong(x)) continue;
    await page.mouse.move(box.x + x, box.y + row);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    if (await page.isVisible(".tip")) name = /^[lj](\d+) \((body|joint)\)/.exec(await page.textContent(".tip"))?.[0] ?? "";
  }
  assert.ok(name, "something is named");
  await page.mouse.move(box.x + 2, box.y + 2);
  await selectItem(page, "body:500");
  await eventually(async () => assert.match(await page.textContent("#info"), /l499/));
  const lit = difference(plain, await picture(page, "#view canvas"));
  assert.ok(lit > 0 && lit < 0.01, `one body is lit: ${lit} of the picture`);
  await page.keyboard.press("Escape");
  assert.ok(difference(plain, await picture(page, "#view canvas")) < 1e-4, "and takes its own colour again");
  assert.deepEqual(quiet(problems), []);
  await context.close();
});
