// SPDX-License-Identifier: Apache-2.0
// Modes on the page: one of them is played at a time, over and over.

import type { ModeData, Report } from "./data";
import { make, number } from "./format";
import type { Player } from "./player";
import type { PlotSet } from "./plots";

/** What the list says of one: number, frequency, damping. */
export function modeLabel(m: ModeData): string {
  if (m.frequency_hz === undefined || m.real === undefined) return m.name;
  if (!m.imag) return `${m.name}: ${m.real > 0 ? "grows" : "decays"}, ${number(Math.abs(m.real))} 1/s`;
  const damping = Math.abs(m.damping ?? 0) > 1e-9 ? `, damping ${number(m.damping!)}` : "";
  return `${m.name}: ${number(m.frequency_hz)} Hz${damping}`;
}

/** The list of modes, filled and connected; nothing on the page of a run. */
export function setUpModes(report: Report, player: Player, plots: PlotSet): void {
  const modes = report.runs[0].header.modes;
  if (!modes || modes.length === 0) return;
  const box = document.getElementById("modes-box")!;
  const select = document.getElementById("modes") as HTMLSelectElement;
  const text = document.getElementById("mode-text")!;
  modes.forEach((m, k) => select.append(make("option", { value: k }, modeLabel(m))));
  const show = () => {
    const m = modes[Number(select.value)];
    text.textContent = m.text;
    player.limit(m.from, m.to);
    if (!player.playing) player.seek(m.from + (m.to - m.from) / 4); // where it is largest
    plots.setZoom([m.from, m.to]);
  };
  select.addEventListener("change", show);
  document.getElementById("unzoom")!.addEventListener("click", show);
  box.hidden = false;
  show();
}
