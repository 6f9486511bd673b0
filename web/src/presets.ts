// SPDX-License-Identifier: Apache-2.0
// The plots a report opens with, as far as their columns exist.

import { plottable, type Run } from "./data";
import type { PlotSpec } from "./plots";

export function startingPlots(run: Run): PlotSpec[] {
  const has = (names: string[]) => names.filter((n) => run.byName.has(n));
  const plots: PlotSpec[] = [
    { title: "Energy", columns: has(["energy.kinetic", "energy.potential", "energy.total"]), log: false },
    { title: "Energy made by the integrator", columns: has(["energy.numerical"]), log: false },
    { title: "Constraint residuals", columns: has(["constraint.position", "constraint.velocity", "constraint.acceleration"]), log: true },
    { title: "Step size and iterations", columns: plottable(run).filter((n) => n.startsWith("step.")), log: false },
    { title: "Reactions", columns: strongest(run, run.header.joints.map((j) => `|${j.name}.f|`), 6), log: false },
    ...outputs(run),
  ];
  const filled = plots.filter((p) => p.columns.length > 0);
  if (filled.length > 0) return filled;
  return [{ title: "Results", columns: plottable(run).slice(0, 4), log: false }];
}

// the n columns with the largest values, in the order of the model
function strongest(run: Run, names: string[], n: number): string[] {
  const size = (name: string) => run.byName.get(name)!.values.reduce((top, x) => (x > top ? x : top), 0);
  const found = names.filter((name) => run.byName.has(name)).map((name) => ({ name, top: size(name) }));
  const kept = new Set([...found].sort((a, b) => b.top - a.top).slice(0, n).map((f) => f.name));
  return found.map((f) => f.name).filter((name) => kept.has(name));
}

// what the model asks for, a plot a unit; else coordinates
function outputs(run: Run): PlotSpec[] {
  const standard = /^(energy|constraint|step)\./;
  const chosen = run.header.columns.filter((c) => c.chosen && !standard.test(c.name));
  if (chosen.length === 0) return [{ title: "Motion", columns: motion(run), log: false }];
  const units = [...new Set(chosen.map((c) => c.unit))].slice(0, 4);
  return units.map((unit) => ({
    title: unit && unit !== "1" ? `Outputs in ${unit}` : "Outputs",
    columns: chosen.filter((c) => c.unit === unit).map((c) => c.name).slice(0, 8),
    log: false,
  }));
}

// up to four coordinates that move: angles in the plane, heights in space, then what the user asked for
function motion(run: Run): string[] {
  const moves = (name: string) => {
    const v = run.byName.get(name)?.values;
    return v !== undefined && v.some((x) => x !== v[0]);
  };
  const bodies = run.header.bodies.filter((b) => b.type !== "ground").map((b) => b.name);
  const wanted = run.header.space === "planar" ? ["angle", "x", "y"] : ["x", "y", "z"];
  const list = bodies.length === 1 ? wanted.map((p) => `${bodies[0]}.${p}`) : wanted.slice(0, 1).flatMap((p) => bodies.map((b) => `${b}.${p}`));
  const found = [...list, ...bodies].filter((n) => run.byName.has(n) && moves(n)).slice(0, 4);
  if (found.length > 0) return found;
  const known = /^(energy|constraint|step)\.|\.(fx|fy|fz|tx|ty|tz)$|^\|/;
  return plottable(run).filter((n) => !known.test(n)).slice(0, 4);
}
