// SPDX-License-Identifier: Apache-2.0
// The studio in a real browser: edit, see the error at its line, run, see the report, move a slider,
// compare; who has no token gets nothing, and a second client does not see the first's runs.
//   HOLONOM=build/holonom node --test test/web/studio.test.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { difference, eventually, launch, picture } from "./browser.mjs";

const holonom = process.env.HOLONOM ?? "build/holonom";
/** Where the servers of this file write; others may be running on the machine. */
const place = mkdtempSync(join(tmpdir(), "holonom-test-"));
let browser, server, address, url;

async function serve(...words) {
  const env = { ...globalThis.process.env, TMPDIR: place };
  const process = spawn(holonom, ["studio", ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
  const address = await new Promise((done, fail) => {
    let text = "";
    process.stdout.on("data", (d) => (text += d).includes("\n") && done(text.trim()));
    process.on("exit", (code) => fail(new Error(`studio ended with ${code}`)));
  });
  return { process, place: address };
}

before(async () => {
  const studio = await serve("models/double-pendulum.yaml", "--limit", "8");
  server = studio.process;
  address = studio.place;
  url = new URL(address);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.kill("SIGTERM");
  rmSync(place, { recursive: true, force: true });
});

/** A plain client, without a browser: status, headers and body of one request. */
function ask(path, { method = "GET", headers = {}, body = "", host, port = url.port } = {}) {
  return new Promise((done, fail) => {
    const r = request({ host: "127.0.0.1", port, path, method, headers: { ...(host ? { Host: host } : {}), ...headers } }, (answer) => {
      let text = "";
      answer.on("data", (d) => (text += d));
      answer.on("end", () => done({ status: answer.statusCode, headers: answer.headers, body: text }));
    });
    r.on("error", fail);
    r.end(body);
  });
}

/** A client with a session of its own. */
async function client({ pathname, port } = url) {
  const first = await ask(pathname, { port });
  assert.equal(first.status, 200);
  const cookie = first.headers["set-cookie"][0];
  assert.match(cookie, /HttpOnly/);
  assert.match(cookie, /SameSite=Strict/);
  return (path, options = {}) => ask(pathname + path, { port, ...options, headers: { Cookie: cookie.split(";")[0], ...options.headers } });
}

async function finished(me, id) {
  for (let i = 0; i < 200; i++) {
    const run = JSON.parse((await me(`runs/${id}`)).body);
    if (run.state !== "running") return run;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("the run does not end");
}

const pendulum = `holonom: 1
space: planar
gravity: [0, -9.81]
parameters: {L: 1}
bodies:
  - {name: rod, mass: 1, inertia: 0.1, position: [L, 0]}
joints:
  - {name: O, type: revolute, between: [ground, {body: rod, at: [-L, 0]}]}
simulation: {end: 1, step: 0.01}
`;

async function openStudio({ width = 1500, height = 950, at = address } = {}) {
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
  page.on("pageerror", (e) => problems.push(String(e)));
  page.on("request", (r) => !r.url().startsWith(at) && !/^(data|blob):/.test(r.url()) && problems.push(`request to ${r.url()}`));
  await page.goto(at);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  return { context, page, problems };
}

const replace = (page, from, to) =>
  page.evaluate(([a, b]) => {
    const area = document.getElementById("text");
    area.value = area.value.replace(a, b);
    area.dispatchEvent(new Event("input"));
  }, [from, to]);

async function report(page) {
  await page.waitForSelector("#report:not([hidden])", { timeout: 20000 });
  const frame = page.frameLocator("#report");
  await frame.locator("html[data-ready=true]").waitFor({ timeout: 20000 });
  return frame;
}

test("edit, see the error at its line, mend it, run, see the report", async () => {
  const { page, problems, context } = await openStudio();
  await eventually(async () => assert.match(await page.textContent("#name"), /pendulum/i));
  const lines = (await page.inputValue("#text")).split("\n");
  const at = lines.findIndex((l) => /mass:/.test(l)) + 1;
  await replace(page, "mass:", "mas:");
  await page.waitForSelector(".gutter .bad");
  await eventually(async () => assert.ok((await page.locator(".gutter .bad").allTextContents()).includes(String(at))));
  await eventually(async () => assert.match(await page.textContent("#problems"), new RegExp(`Line ${at}: .*'mas'; did you mean 'mass'`)));
  await eventually(async () => assert.ok(await page.isDisabled("#run")));
  // the field covers its whole text, so that the last line can be clicked
  await eventually(async () => assert.ok(await page.evaluate(() => document.getElementById("text").clientHeight >= document.getElementById("backdrop").clientHeight && document.getElementById("backdrop").clientHeight >= 20 * document.getElementById("text").value.split("\n").length)));
  await page.locator("#problems button").first().click();
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.id), "text"));
  await replace(page, "mas:", "mass:");
  await page.waitForFunction(() => document.querySelectorAll(".gutter .bad").length === 0);
  await page.click("#run");
  const frame = await report(page);
  await eventually(async () => assert.ok((await frame.locator(".plot").count()) > 2));
  await eventually(async () => assert.match(await frame.locator("#summary").textContent(), /Newton iterations/));
  const drawn = await picture(page, "#report");
  assert.ok(drawn.distinct > 100 && drawn.other > 0.05, "the report is drawn");
  await eventually(async () => assert.match(await page.textContent("#status"), /steps/));
  assert.deepEqual(problems, []);
  await context.close();
});

test("a slider runs the model again, two runs are compared, one is removed", async () => {
  const { page, problems, context } = await openStudio();
  await page.selectOption("#gallery", "slider-crank.yaml");
  await page.waitForFunction(() => /slider/i.test(document.getElementById("name").textContent));
  await page.click("#run");
  await page.waitForSelector(".entry.shown");
  const before = await picture(page, "#report");
  const name = await page.locator(".slider span").first().textContent();
  await page.locator(".slider input[type=number]").first().fill(String(1.1 * Number(await page.locator(".slider input[type=number]").first().inputValue())));
  await page.locator(".slider input[type=number]").first().press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".entry").length === 2, null, { timeout: 20000 });
  await eventually(async () => assert.ok((await page.locator(".entry .what").first().textContent()).includes(`${name}=`)));
  await eventually(async () => assert.match(await page.textContent("#changed"), /1 changed/));
  for (const box of await page.locator(".entry input[type=checkbox]").all()) await box.check();
  await page.click("#compare");
  await page.waitForFunction(() => document.querySelectorAll(".entry").length === 3, null, { timeout: 20000 });
  const frame = await report(page);
  await frame.getByText(`${name} = `, { exact: false }).first().waitFor();
  await eventually(async () => assert.match(await frame.locator("#subtitle").textContent(), /\(1\).*\(2\)/));
  assert.ok(difference(before, await picture(page, "#report")) > 0.001);
  await page.locator(".entry button[aria-label^=Remove]").first().click();
  await page.waitForFunction(() => document.querySelectorAll(".entry").length === 2);
  assert.deepEqual(problems, []);
  await context.close();
});

test("at phone width nothing is wider than the screen, also in the dark", async () => {
  const { page, problems, context } = await openStudio({ width: 390, height: 844 });
  await page.click("#theme");
  await page.click("#run");
  await report(page);
  await eventually(async () => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)));
  assert.deepEqual(problems, []);
  await context.close();
});

test("without the token, by another name or without a session there is nothing", async () => {
  const token = url.pathname.split("/")[1];
  assert.match(token, /^[0-9a-f]{32}$/);
  const wrong = token.replace(/.$/, (c) => (c === "0" ? "1" : "0"));
  for (const path of ["/", "/start", `/${wrong}/`, `/${wrong}/start`, `/${token}`, `/${token.slice(1)}/`, `/x/${token}/`]) {
    const answer = await ask(path);
    assert.equal(answer.status, 404, path);
    assert.equal(answer.body, "");
    assert.equal(answer.headers["set-cookie"], undefined);
  }
  assert.deepEqual([(await ask(url.pathname, { host: "evil.example" })).status], [404]);
  assert.equal((await ask(`${url.pathname}start`)).status, 403);
  assert.equal((await ask(`${url.pathname}start`)).body, "");
  assert.equal((await ask(`${url.pathname}start`, { headers: { Cookie: `holonom=${"0".repeat(32)}` } })).status, 403);
  const me = await client();
  assert.equal((await me("start", { headers: { Origin: "http://evil.example" } })).status, 404);
  assert.equal((await me("start")).status, 200);
  const context = await browser.newContext();
  const page = await context.newPage();
  await assert.rejects(page.goto(`http://127.0.0.1:${url.port}/${wrong}/`), /ERR_HTTP_RESPONSE_CODE_FAILURE/);
  await context.close();
  // only the loopback address listens
  const port = Number(url.port).toString(16).toUpperCase().padStart(4, "0");
  const listening = (file) => readFileSync(file, "utf8").split("\n").map((l) => l.trim().split(/\s+/)).filter((f) => f[1]?.endsWith(`:${port}`) && f[3] === "0A").map((f) => f[1]);
  assert.deepEqual(listening("/proc/net/tcp"), [`0100007F:${port}`]);
  if (existsSync("/proc/net/tcp6")) assert.deepEqual(listening("/proc/net/tcp6"), []);
});

test("a second client cannot read, stop or compare the first's runs", async () => {
  const [one, two] = [await client(), await client()];
  const started = JSON.parse((await one("runs", { method: "POST", body: pendulum })).body);
  const run = await finished(one, started.id);
  assert.equal(run.state, "done");
  assert.equal((await one(`runs/${run.id}/report`)).status, 200);
  assert.match((await one(`runs/${run.id}/result.csv`)).body, /^time,rod\.x/);
  for (const path of [`runs/${run.id}`, `runs/${run.id}/report`, `runs/${run.id}/result.csv`, "runs/999999"]) {
    const answer = await two(path);
    assert.equal(answer.status, 404);
    assert.equal(answer.body, "");
  }
  assert.equal((await two(`runs/${run.id}`, { method: "DELETE" })).status, 404);
  assert.equal((await two(`compare?run=${run.id}`, { method: "POST" })).status, 404);
  assert.deepEqual(JSON.parse((await two("runs")).body).runs, []);
  assert.equal(JSON.parse((await one("runs")).body).runs.length, 1);
  assert.equal((await one(`runs/${run.id}`, { method: "DELETE" })).status, 204);
  assert.equal((await one(`runs/${run.id}/report`)).status, 404);
});

test("bad models, settings and paths are answered, not obeyed", async () => {
  const me = await client();
  const check = JSON.parse((await me("check", { method: "POST", body: pendulum.replace("inertia", "inertai") })).body);
  assert.equal(check.ok, false);
  assert.equal(check.problems[0].line, 6);
  const bad = JSON.parse((await me("runs?set=Q%3D2", { method: "POST", body: pendulum })).body);
  const ended = await finished(me, bad.id);
  assert.equal(ended.state, "invalid");
  assert.match(ended.problems[0].text, /no parameter.*'Q'/);
  assert.equal((await me("runs?set=nonsense", { method: "POST", body: pendulum })).status, 400);
  for (const path of ["models/../README.md", "models/%2e%2e/README.md", "models//etc/passwd", "models/.hidden.yaml", "runs/1/../../token", "runs/1/err.txt"]) assert.equal((await me(path)).status, 404, path);
  assert.match((await me("models/pendulum.yaml")).body, /holonom: 1/);
});

test("limits: size, rate, time, number at once", async () => {
  const me = await client();
  assert.equal((await me("check", { method: "POST", body: "#".repeat((1 << 20) + 1) })).status, 413);
  // longer than allowed: ended, with what it has
  const long = pendulum.replace("end: 1, step: 0.01", "end: 1e6, step: 2e-3, output_step: 1000");
  const first = JSON.parse((await me("runs", { method: "POST", body: long })).body);
  const second = JSON.parse((await me("runs", { method: "POST", body: long })).body);
  assert.equal((await me("runs", { method: "POST", body: long })).status, 429);
  await eventually(async () => {
    const running = JSON.parse((await me(`runs/${first.id}`)).body);
    assert.equal(running.state, "running");
    assert.ok(running.time > 0 && running.end === 1e6, "progress is told");
  }, 2);
  assert.equal((await me(`runs/${second.id}`, { method: "POST" })).status, 204);
  assert.equal(JSON.parse((await me(`runs/${second.id}`)).body).state, "stopped");
  const late = await finished(me, first.id);
  assert.equal(late.state, "late");
  assert.ok(late.seconds < 12);
  assert.equal((await me(`runs/${first.id}/report`)).status, 200);
  let refused = 0;
  for (let i = 0; i < 400 && !refused; i++) refused += (await me("runs")).status === 429;
  assert.ok(refused, "too many requests are refused");
});

// a model whose rod is drawn from a file beside it, a gallery, and files that nobody may reach
const tetrahedron = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]].map((f) => `facet normal 0 0 0\nouter loop\n${f.map((k) => `vertex ${["0 0 0", "0.3 0 0", "0 0.3 0", "0 0 0.3"][k]}`).join("\n")}\nendloop\nendfacet`);
const stl = `solid t\n${tetrahedron.join("\n")}\nendsolid t\n`;
const drawn = (file) => pendulum.replace("position: [L, 0]", `position: [L, 0], shape: {type: mesh, file: ${file}}`);

async function withFiles(work) {
  const folder = mkdtempSync(join(tmpdir(), "holonom-files-"));
  const model = join(folder, "own", "pendulum.yaml");
  mkdirSync(join(folder, "own", "parts"), { recursive: true });
  mkdirSync(join(folder, "gallery", "set"), { recursive: true });
  writeFileSync(model, drawn("parts/rod.stl"));
  writeFileSync(join(folder, "own", "parts", "rod.stl"), stl);
  writeFileSync(join(folder, "secret.stl"), stl);
  symlinkSync(join(folder, "secret.stl"), join(folder, "own", "leak.stl"));
  writeFileSync(join(folder, "gallery", "set", "wheel.yaml"), drawn("wheel.stl"));
  writeFileSync(join(folder, "gallery", "set", "wheel.stl"), stl);
  writeFileSync(join(folder, "secret.yaml"), pendulum);
  symlinkSync(join(folder, "secret.yaml"), join(folder, "gallery", "leak.yaml"));
  const { process, place } = await serve(model, "--models", join(folder, "gallery"));
  try {
    await work({ folder, model, place, me: await client(new URL(place)) });
  } finally {
    const ended = new Promise((done) => process.on("exit", done));
    process.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

const meshOf = (html) => Number(/"mesh":(\d+)/.exec(html)?.[1] ?? -1); // -1: not drawn from a file

test("meshes are found beside the model, and nothing outside its folder is read", () =>
  withFiles(async ({ folder, me }) => {
    const run = async (body, from) => {
      const answer = await me(`runs${from ? `?from=${encodeURIComponent(from)}` : ""}`, { method: "POST", body });
      if (answer.status !== 202) return answer;
      const ended = await finished(me, JSON.parse(answer.body).id);
      assert.equal(ended.state, "done");
      return { id: ended.id, html: (await me(`runs/${ended.id}/report`)).body };
    };
    const own = await run(drawn("parts/rod.stl"));
    assert.ok(meshOf(own.html) > 0, "the mesh of the opened model is drawn");
    const two = await run(drawn("parts/rod.stl").replace("mass: 1", "mass: 2"));
    const both = JSON.parse((await me(`compare?run=${own.id}&run=${two.id}`, { method: "POST" })).body);
    assert.equal((await finished(me, both.id)).state, "done");
    assert.ok(meshOf((await me(`runs/${both.id}/report`)).body) > 0, "and in a comparison");
    assert.ok(meshOf((await run(drawn("wheel.stl"), "set/wheel.yaml")).html) > 0, "that of a gallery model too");
    // each from its own folder only
    assert.equal(meshOf((await run(drawn("wheel.stl"))).html), -1);
    assert.equal(meshOf((await run(drawn("parts/rod.stl"), "set/wheel.yaml")).html), -1);
    assert.equal(meshOf((await run(drawn("wheel.stl"), "../own/pendulum.yaml")).html), -1);
    for (const name of [join(folder, "secret.stl"), "../secret.stl", "parts/../../secret.stl", "leak.stl", "err.txt", "./parts/rod.stl"]) {
      const refused = await run(drawn(name));
      assert.equal(refused.status, 400, name);
      assert.match(JSON.parse(refused.body).message, /outside the model's folder|leads out|uses itself/);
      const found = JSON.parse((await me("check", { method: "POST", body: drawn(name) })).body);
      assert.equal(found.ok, false);
      assert.equal(found.problems[0].line, 6);
    }
    assert.equal((await me("models/leak.yaml")).status, 404);
    assert.equal(readFileSync(join(folder, "own", "parts", "rod.stl"), "utf8"), stl);
  }));

test("the opened file is saved, by nobody else, and not over the changes of others", () =>
  withFiles(async ({ model, place, me }) => {
    chmodSync(model, 0o640);
    const { page, problems, context } = await openStudio({ at: place });
    await eventually(async () => assert.ok(await page.isDisabled("#save")));
    await replace(page, "mass: 1", "mass: 1.25");
    await eventually(async () => assert.equal(await page.textContent("#save"), "Save*"));
    await page.keyboard.press("Control+s");
    await page.waitForFunction(() => /saved to pendulum.yaml/.test(document.getElementById("status").textContent));
    const saved = drawn("parts/rod.stl").replace("mass: 1", "mass: 1.25");
    assert.equal(readFileSync(model, "utf8"), saved);
    assert.equal(statSync(model).mode & 0o777, 0o640);
    await replace(page, "mass: 1.25", "mass: 1.5");
    await page.click("#save");
    await page.waitForFunction(() => document.getElementById("save").disabled);
    assert.match(readFileSync(model, "utf8"), /mass: 1\.5/);
    // somebody else changes it
    writeFileSync(model, saved.replace("L: 1", "L: 3"));
    await replace(page, "mass: 1.5", "mass: 9");
    await page.click("#save");
    await page.waitForSelector("#again");
    await eventually(async () => assert.match(await page.textContent("#message"), /pendulum\.yaml was changed on disk.*nothing was written/));
    assert.equal(readFileSync(model, "utf8"), saved.replace("L: 1", "L: 3"));
    page.once("dialog", (d) => d.accept());
    await page.click("#again");
    await page.waitForFunction(() => /L: 3/.test(document.getElementById("text").value));
    // a model of the gallery is not what Save writes to
    await page.selectOption("#gallery", "set/wheel.yaml");
    await page.waitForFunction(() => /wheel\.stl/.test(document.getElementById("text").value));
    await eventually(async () => assert.ok(await page.isHidden("#save")));
    assert.deepEqual(problems.filter((p) => !/409/.test(p)), []);
    await context.close();

    const version = JSON.parse((await me("file")).body).version;
    const before = readFileSync(model, "utf8");
    const stranger = new URL(place);
    const put = (path, headers = {}) => ask(path, { method: "PUT", port: stranger.port, body: "gone", headers });
    assert.equal((await put(`/file?version=${version}`)).status, 404);
    assert.equal((await put(`${stranger.pathname}file?version=${version}`)).status, 403);
    assert.equal((await me(`file?version=${version}`, { method: "PUT", body: "gone", headers: { Origin: "http://evil.example" } })).status, 404);
    assert.equal((await me("file", { method: "PUT", body: "gone" })).status, 400);
    assert.equal((await me(`file?version=${"0".repeat(64)}`, { method: "PUT", body: "gone" })).status, 409);
    assert.equal((await me(`file/../secret.yaml?version=${version}`, { method: "PUT", body: "gone" })).status, 404);
    assert.equal(readFileSync(model, "utf8"), before);
    rmSync(model);
    assert.equal((await me(`file?version=${version}`, { method: "PUT", body: "back" })).status, 409);
    assert.ok(!existsSync(model));
  }));

test("without an opened model there is nothing to save to", async () => {
  const { process, place } = await serve();
  const me = await client(new URL(place));
  assert.equal(JSON.parse((await me("start")).body).version, "");
  assert.equal((await me("file")).status, 404);
  assert.equal((await me("file?version=", { method: "PUT", body: "x" })).status, 404);
  process.kill("SIGTERM");
});

test("the end removes everything it wrote", async () => {
  const ended = new Promise((done) => server.on("exit", done));
  assert.ok(readdirSync(place).some((n) => n.startsWith("holonom-studio-")));
  server.kill("SIGTERM");
  assert.equal(await ended, 0);
  // a server that another test ended may still be cleaning up
  for (let i = 0; i < 100 && readdirSync(place).length; i++) await new Promise((later) => setTimeout(later, 50));
  assert.deepEqual(readdirSync(place), []);
});
