// SPDX-License-Identifier: Apache-2.0
// Bundles src/ to one HTML template without any outside reference, and optionally writes it and the
// studio's page as C arrays:  node build.mjs [template.html] [template.c]
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const htmlPath = resolve(process.argv[2] ?? join(here, "dist", "template.html"));
const cPath = process.argv[3] ? resolve(process.argv[3]) : null;
const LIMIT = 900_000;

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    target: ["es2022"],
    format: "iife",
    legalComments: "none",
    logLevel: "warning",
    absWorkingDir: here,
  });
  return result.outputFiles[0].text.trimEnd();
}

// a C array of unsigned bytes, 32 a line
function cArray(name, bytes) {
  const lines = [];
  for (let i = 0; i < bytes.length; i += 32) lines.push([...bytes.subarray(i, i + 32)].join(",") + ",");
  return [
    `extern const unsigned char ${name}[];`,
    `extern const size_t ${name}_size;`,
    `const unsigned char ${name}[${bytes.length + 1}] = {`,
    ...lines,
    "0};",
    `const size_t ${name}_size = ${bytes.length};`,
    "",
  ].join("\n");
}

// a page with its script and style inside
async function page(file, entry, look) {
  const [script, style, text, licences] = await Promise.all([
    bundle(entry),
    bundle(look),
    readFile(join(here, "src", file), "utf8"),
    readFile(join(here, "src", "licences.txt"), "utf8"),
  ]);
  // a closing tag inside the bundle would end its element
  const safe = script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const html = text
    .replace("<!--LICENCES-->", () => `<!--\n${licences.trim()}\n-->`)
    .replace("/*STYLE*/", () => style)
    .replace("/*SCRIPT*/", () => safe);
  const bytes = Buffer.from(html, "utf8");
  if (bytes.length > LIMIT) throw new Error(`${file} has ${bytes.length} bytes, more than ${LIMIT}`);
  return bytes;
}

const report = await page("index.html", "main.ts", "style.css");
const studio = await page("studio.html", "studio.ts", "studio.css");
await mkdir(dirname(htmlPath), { recursive: true });
await writeFile(htmlPath, report);
if (cPath) {
  const head = "// Made by web/build.mjs: the report page and the studio page. Do not edit.\n#include <stddef.h>\n";
  await mkdir(dirname(cPath), { recursive: true });
  await writeFile(cPath, head + cArray("hol_report_template", report) + cArray("hol_studio_page", studio));
}
console.log(`${htmlPath}: ${(report.length / 1000).toFixed(0)} kB; studio: ${(studio.length / 1000).toFixed(0)} kB`);
