// SPDX-License-Identifier: Apache-2.0
// Bundles src/ to one HTML template without any outside reference, and optionally writes it as a
// C array:  node build.mjs [template.html] [template.c]
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
function cArray(bytes) {
  const lines = [];
  for (let i = 0; i < bytes.length; i += 32) lines.push([...bytes.subarray(i, i + 32)].join(",") + ",");
  return [
    "// Made by web/build.mjs: the report page. Do not edit.",
    "#include <stddef.h>",
    "extern const unsigned char hol_report_template[];",
    "extern const size_t hol_report_template_size;",
    `const unsigned char hol_report_template[${bytes.length + 1}] = {`,
    ...lines,
    "0};",
    `const size_t hol_report_template_size = ${bytes.length};`,
    "",
  ].join("\n");
}

const [script, style, page, licences] = await Promise.all([
  bundle("main.ts"),
  bundle("style.css"),
  readFile(join(here, "src", "index.html"), "utf8"),
  readFile(join(here, "src", "licences.txt"), "utf8"),
]);
// a closing tag inside the bundle would end its element
const safe = script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const html = page
  .replace("<!--LICENCES-->", () => `<!--\n${licences.trim()}\n-->`)
  .replace("/*STYLE*/", () => style)
  .replace("/*SCRIPT*/", () => safe);
const bytes = Buffer.from(html, "utf8");
if (bytes.length > LIMIT) throw new Error(`the template has ${bytes.length} bytes, more than ${LIMIT}`);
await mkdir(dirname(htmlPath), { recursive: true });
await writeFile(htmlPath, bytes);
if (cPath) {
  await mkdir(dirname(cPath), { recursive: true });
  await writeFile(cPath, cArray(bytes));
}
console.log(`${htmlPath}: ${(bytes.length / 1000).toFixed(0)} kB`);
