// SPDX-License-Identifier: Apache-2.0
// Play, pause, scrub, speed, loop; and the keyboard of the page.

import { make, timeText } from "./format";
import { Player } from "./player";

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export function setUpTransport(player: Player): void {
  const play = byId<HTMLButtonElement>("play");
  const slider = byId<HTMLInputElement>("scrub");
  const clock = byId<HTMLOutputElement>("clock");
  const speed = byId<HTMLSelectElement>("speed");
  const loop = byId<HTMLInputElement>("loop");
  for (const s of Player.speeds) speed.append(make("option", { value: s }, s >= 1 ? `${s}×` : s >= 0.1 ? `${s}×` : `1/${Math.round(1 / s)}×`));

  play.addEventListener("click", () => player.toggle());
  byId("back").addEventListener("click", () => player.stepSamples(-1));
  byId("forward").addEventListener("click", () => player.stepSamples(1));
  slider.addEventListener("input", () => {
    player.playing = false;
    player.seek(Number(slider.value));
  });
  speed.addEventListener("change", () => player.setSpeed(Number(speed.value)));
  loop.addEventListener("change", () => (player.loop = loop.checked));

  const show = () => {
    const span = player.end - player.start;
    slider.min = String(player.start);
    slider.max = String(player.end);
    slider.value = String(player.time);
    const text = timeText(player.time - player.origin, span);
    slider.setAttribute("aria-valuetext", `${text} seconds`);
    clock.textContent = `${text} / ${timeText(player.end - player.origin, span)} s`;
    speed.value = String(player.speed);
    loop.checked = player.loop;
    if (play.dataset.state !== String(player.playing)) {
      play.dataset.state = String(player.playing);
      play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
      play.classList.toggle("playing", player.playing);
    }
  };
  player.onChange(show);
  show();
}

/** Keys of the whole page, except where text is typed or a choice is open. */
export function setUpKeys(player: Player, actions: Record<string, () => void>): void {
  window.addEventListener("keydown", (e) => {
    const target = e.target as HTMLElement;
    const typing = target.matches("input[type=search], input[type=text], textarea, select") || target.closest("dialog");
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
    const button = target.matches("button, summary, input[type=checkbox]");
    if (e.key === " " && button) return;
    const many = e.shiftKey ? 10 : 1;
    const keys: Record<string, () => void> = {
      " ": () => player.toggle(),
      ArrowLeft: () => player.stepSamples(-many),
      ArrowRight: () => player.stepSamples(many),
      Home: () => player.seek(player.start),
      End: () => player.seek(player.end),
      ",": () => player.faster(-1),
      ".": () => player.faster(1),
      ...actions,
    };
    const action = keys[e.key];
    // up and down belong to the page unless the slider has the focus
    const onSlider = target.id === "scrub" && (e.key === "ArrowUp" || e.key === "ArrowDown");
    if (onSlider) player.stepSamples(e.key === "ArrowUp" ? many : -many);
    else if (action) action();
    else return;
    e.preventDefault();
  });
}
