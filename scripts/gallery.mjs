// SPDX-License-Identifier: Apache-2.0
// Renders every model of models/ with our own page in chromium: docs/gallery/NAME.png and NAME.html,
// index.md, the animation of Andrews' mechanism, and pictures of the report and the studio.
//   node scripts/gallery.mjs HOLONOM [NAME...]
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { launch, open, settle } from "../test/web/browser.mjs";
import { gif, pixels } from "./gif.mjs";

const holonom = resolve(process.argv[2]);
const wanted = process.argv.slice(3);
const folder = "docs/gallery";
mkdirSync(folder, { recursive: true });

const models = readdirSync("models", { recursive: true })
  .filter((f) => f.endsWith(".yaml") && !f.startsWith("parts/"))
  .sort((a, b) => a.split("/").length - b.split("/").length || a.localeCompare(b));
const nameOf = (file) => file.replace(/\.yaml$/, "").replaceAll("/", "-");

const seek = (page, share) =>
  page.evaluate((s) => {
    const slider = document.getElementById("scrub");
    slider.value = String(Number(slider.min) + s * (Number(slider.max) - Number(slider.min)));
    slider.dispatchEvent(new Event("input"));
  }, share);

// the mechanism alone, on the whole page
const ALONE = ".stage,.picture,#view{position:fixed!important;inset:0!important;width:auto!important;height:auto!important;max-height:none!important;min-height:0!important;z-index:99;border:0!important;border-radius:0!important}.tools,.transport,#grid-size{display:none!important}";

async function mechanism(browser, html, width, height) {
  const opened = await open(browser, html, { width, height });
  await opened.page.addStyleTag({ content: ALONE });
  await settle(opened.page);
  return opened;
}

async function render(browser, file) {
  const name = nameOf(file);
  const html = join(folder, `${name}.html`);
  execFileSync(holonom, ["run", join("models", file), "-q", "--report", html], { timeout: 120000 });
  const empty = /nothing to draw/;
  const { page, context } = await mechanism(browser, html, 480, 320);
  if (empty.test(await page.textContent("#view"))) {
    await context.close();
    const plain = await open(browser, html, { width: 900, height: 700 });
    writeFileSync(join(folder, `${name}.png`), await plain.page.locator(".plot .chart").last().screenshot());
    await plain.context.close();
  } else {
    await page.evaluate(() => document.querySelector("[data-layer=traces]").click());
    await seek(page, 0.37);
    await settle(page);
    writeFileSync(join(folder, `${name}.png`), await page.screenshot());
    await context.close();
  }
  return name;
}

async function animate(browser) {
  const [width, height, n] = [480, 340, 90];
  const { page, context } = await mechanism(browser, join(folder, "andrews.html"), width, height);
  const frames = [];
  for (let i = 0; i < n; i++) {
    await seek(page, i / n);
    await settle(page);
    frames.push(pixels(await page.screenshot()));
  }
  await context.close();
  writeFileSync(join(folder, "andrews.gif"), gif(frames, width, height, 4));
}

async function screenshots(browser) {
  const { page, context } = await open(browser, join(folder, "andrews.html"), { width: 1280, height: 800 });
  await seek(page, 0.37);
  await page.evaluate(() => document.querySelector("[data-layer=traces]").click());
  await settle(page);
  await page.screenshot({ path: join(folder, "report.png") });
  await context.close();
  const server = spawn(holonom, ["studio", "models/slider-crank.yaml"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const address = await new Promise((done) => server.stdout.on("data", (d) => done(String(d).trim())));
    const other = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const studio = await other.newPage();
    await studio.goto(address);
    await studio.waitForFunction(() => document.documentElement.dataset.ready === "true");
    await studio.click("#run");
    await studio.frameLocator("#report").locator("html[data-ready=true]").waitFor();
    await studio.waitForSelector(".entry.shown");
    await studio.waitForTimeout(500);
    await studio.screenshot({ path: join(folder, "studio.png") });
    await other.close();
  } finally {
    server.kill();
  }
}

// the title and the first sentence of the comment above a model
function about(file) {
  const text = readFileSync(join("models", file), "utf8");
  const title = /^name:\s*(.*)$/m.exec(text)?.[1].replace(/^["']|["']$/g, "") ?? nameOf(file);
  const comment = text.split("\n").filter((l) => l.startsWith("#")).map((l) => l.replace(/^#\s?/, "")).join(" ");
  return { title, text: /^.*?[.;:](?=\s|$)/.exec(comment)?.[0].replace(/[;:]$/, ".") ?? "" };
}

function index() {
  const lines = ["# Gallery", "", "Every model of `models/`, drawn by the page of `holonom run MODEL --report FILE.html`; `make gallery` makes these pictures", "and a page for each (`docs/gallery/NAME.html`).", ""];
  for (const file of models) {
    const { title, text } = about(file);
    lines.push(`## ${title}`, "", `![${title}](${nameOf(file)}.png)`, "", `[\`models/${file}\`](../../models/${file})${text ? `: ${text}` : ""}`, "");
  }
  writeFileSync(join(folder, "index.md"), lines.join("\n"));
}

const browser = await launch();
let failed = 0;
for (const file of models) {
  if (wanted.length && !wanted.includes(nameOf(file))) continue;
  try {
    const name = await render(browser, file);
    console.log(`${name}.png: ${(statSync(join(folder, `${name}.png`)).size / 1000).toFixed(0)} kB`);
  } catch (problem) {
    failed++;
    console.error(`${file}: ${problem.message}`);
  }
}
if (!wanted.length || wanted.includes("andrews")) {
  await animate(browser);
  await screenshots(browser);
  console.log(`andrews.gif: ${(statSync(join(folder, "andrews.gif")).size / 1000).toFixed(0)} kB`);
}
await browser.close();
index();
process.exit(failed ? 1 : 0);
