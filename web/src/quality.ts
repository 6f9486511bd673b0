// SPDX-License-Identifier: Apache-2.0
// How many pixels the picture gets: all of them at rest, fewer while it moves where the machine is
// slow. Software renderers pay by the pixel, and four times for smooth edges; so a crowd of bodies is
// drawn without smoothing while it moves and with twice the pixels each way at rest.

const REST = 250; // ms without a picture: it stands still
const WINDOW = 6; // pictures that are averaged
const SLOW = 40; // ms a picture: fewer pixels
const FAST = 19; // ms a picture: more pixels, where more were not too slow before
const LEAST = 0.5; // pixels per CSS pixel

export class Quality {
  private readonly full: number;
  private moving: number;
  private most: number;
  private ratio: number;
  private last = -Infinity;
  private sum = 0;
  private count = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `smooth`: edges are smoothed by the renderer; `apply` sets pixels per CSS pixel. */
  constructor(screen: number, smooth: boolean, private apply: (ratio: number, atRest: boolean) => void) {
    const own = Math.min(2, screen);
    this.full = smooth ? own : 2;
    this.moving = own;
    this.most = this.full;
    this.ratio = this.full;
    apply(this.ratio, true);
  }

  /** Before each picture; `redraw` is called when it should be drawn again at rest. */
  frame(now: number, redraw: () => void): void {
    const passed = now - this.last;
    this.last = now;
    clearTimeout(this.timer);
    if (passed > REST) {
      this.sum = this.count = 0;
      return this.set(this.full);
    }
    this.sum += passed;
    if (++this.count === WINDOW) this.judge(this.sum / WINDOW);
    this.set(this.moving);
    if (this.ratio !== this.full)
      this.timer = setTimeout(() => {
        this.last = -Infinity;
        redraw();
      }, REST);
  }

  /** All pixels, for a picture that is kept. */
  sharpen(): void {
    this.set(this.full);
  }

  private judge(mean: number): void {
    this.sum = this.count = 0;
    if (mean > SLOW) this.moving = this.most = Math.max(LEAST, 0.75 * this.moving);
    else if (mean < FAST) this.moving = Math.min(this.most, this.moving / 0.75);
  }

  private set(ratio: number): void {
    if (ratio === this.ratio) return;
    this.ratio = ratio;
    this.apply(ratio, ratio === this.full);
  }
}
