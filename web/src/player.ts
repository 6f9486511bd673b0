// SPDX-License-Identifier: Apache-2.0
// The clock that view and plots share: time, play and pause, speed, loop.

import { locate } from "./data";

export class Player {
  start: number;
  end: number;
  origin = 0; // the clock shows times from here
  time: number;
  playing = false;
  loop = true;
  speed: number;
  private listeners: (() => void)[] = [];
  private last = 0;

  constructor(private readonly samples: Float64Array) {
    this.start = samples[0] ?? 0;
    this.end = samples[samples.length - 1] ?? 0;
    this.time = this.start;
    this.speed = Player.fittingSpeed(this.end - this.start);
  }

  /** Plays a part of the samples alone, as a clip of its own. */
  limit(from: number, to: number): void {
    this.start = this.origin = from;
    this.end = to;
    this.speed = 1;
    this.seek(from);
  }

  static readonly speeds = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

  /** Real time when the run then lasts 4 to 60 s, else the speed nearest to 8 s of play. */
  private static fittingSpeed(span: number): number {
    if (span >= 4 && span <= 60) return 1;
    const wanted = Math.log(Math.max(span, 1e-9) / 8);
    return Player.speeds.reduce((a, b) => (Math.abs(Math.log(b) - wanted) < Math.abs(Math.log(a) - wanted) ? b : a));
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private emit(): void {
    for (const listener of this.listeners) listener();
  }

  seek(t: number): void {
    this.time = Math.min(this.end, Math.max(this.start, t));
    this.emit();
  }

  /** To the n-th sample after (or before) the present time. */
  stepSamples(n: number): void {
    const { i, f } = locate(this.samples, this.time);
    const here = f === 1 ? i + 1 : f > 0 && n < 0 ? i + 1 : i;
    const target = Math.min(this.samples.length - 1, Math.max(0, here + n));
    this.playing = false;
    this.seek(this.samples[target]);
  }

  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.time = this.start;
    this.last = performance.now();
    if (this.playing) requestAnimationFrame(this.tick);
    this.emit();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.emit();
  }

  faster(steps: number): void {
    const at = Player.speeds.indexOf(this.speed);
    this.setSpeed(Player.speeds[Math.min(Player.speeds.length - 1, Math.max(0, at + steps))]);
  }

  private tick = (now: number): void => {
    if (!this.playing) return;
    let t = this.time + (Math.max(0, now - this.last) / 1000) * this.speed;
    this.last = now;
    if (t >= this.end) {
      const span = this.end - this.start;
      if (this.loop && span > 0) t = this.start + ((t - this.start) % span);
      else this.playing = false;
    }
    this.seek(t);
    requestAnimationFrame(this.tick);
  };
}
