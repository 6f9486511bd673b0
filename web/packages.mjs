// SPDX-License-Identifier: Apache-2.0
// Are the packages here that package.json asks for? Exit 0: yes; 1: no.  node packages.mjs [--dev]
import { readFileSync } from "node:fs";

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const asked = read("./package.json");
const wanted = { ...asked.dependencies, ...(process.argv.includes("--dev") ? asked.devDependencies : {}) };
try {
  for (const [name, version] of Object.entries(wanted))
    if (read(`./node_modules/${name}/package.json`).version !== version) process.exit(1);
} catch {
  process.exit(1);
}
