// SPDX-License-Identifier: Apache-2.0
// Debian's chromium for the tests, without network, and small helpers.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// playwright-core is installed beside the page's sources
const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");

export async function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
}

/** A page with the file open; problems collects console errors and requests that leave the disk. */
export async function open(browser, file, { width = 1400, height = 900, scheme = "light", touch = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, offline: true, hasTouch: touch, acceptDownloads: true });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (m) => (m.type() === "error" || m.type() === "warning") && problems.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => problems.push(String(e)));
  page.on("request", (r) => !/^(file|data|blob):/.test(r.url()) && problems.push(`request to ${r.url()}`));
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true", null, { timeout: 30000 });
  return { page, problems, context };
}

/** Some animation frames, so that what was asked for is drawn, and the finer picture at rest after a motion. */
export const settle = (page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let k = 0; k < 3; k++) await frame();
    const end = performance.now() + 2000;
    while (document.querySelector('#view canvas[data-rest="false"]') && performance.now() < end) await frame();
  });

/** Waits until the check no longer throws: what a click starts may come a task later. */
export async function eventually(check, seconds = 10) {
  const end = performance.now() + 1000 * seconds;
  for (;;) {
    try {
      return await check();
    } catch (problem) {
      if (performance.now() > end) throw problem;
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Processor time of all processes of the browser [s]. */
export async function processorTime(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.reduce((sum, p) => sum + p.cpuTime, 0);
}

/** Colours of the picture of an element, as a histogram and as raw PNG bytes. */
export async function picture(page, selector) {
  await settle(page);
  const png = await page.locator(selector).screenshot();
  const colours = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    const g = canvas.getContext("2d");
    g.drawImage(image, 0, 0);
    const data = g.getImageData(0, 0, image.width, image.height).data;
    const seen = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const key = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    const most = Math.max(...seen.values());
    const solid = data.filter((_, i) => i % 4 !== 3);
    let text = "";
    for (let i = 0; i < solid.length; i += 32768) text += String.fromCharCode(...solid.subarray(i, i + 32768));
    return { width: image.width, distinct: seen.size, other: 1 - most / (data.length / 4), bytes: btoa(text) };
  }, png.toString("base64"));
  return { png, ...colours, bytes: Buffer.from(colours.bytes, "base64") };
}

/** Share of pixels that differ between two pictures of the same size. */
export function difference(a, b) {
  if (a.bytes.length !== b.bytes.length) return 1;
  let n = 0;
  for (let i = 0; i < a.bytes.length; i += 3)
    if (Math.abs(a.bytes[i] - b.bytes[i]) + Math.abs(a.bytes[i + 1] - b.bytes[i + 1]) + Math.abs(a.bytes[i + 2] - b.bytes[i + 2]) > 24) n++;
  return n / (a.bytes.length / 3);
}
