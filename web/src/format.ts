// SPDX-License-Identifier: Apache-2.0
// Numbers as text, and small helpers for page elements.

/** A value with `digits` significant digits; exponent only where it helps. */
export function number(x: number, digits = 6): string {
  if (x === 0) return "0";
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "–" : x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  const text =
    size >= 1e6 || size < 1e-4
      ? trimExponent(x.toExponential(digits - 1))
      : trimZeros(x.toPrecision(digits));
  return text.replace("-", "−").replace("e-", "e−");
}

function trimZeros(text: string): string {
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

function trimExponent(text: string): string {
  const [mantissa, exponent] = text.split("e");
  return `${trimZeros(mantissa)}e${exponent.replace("+", "")}`;
}

/** Tick labels of an axis whose ticks stand `step` apart. */
export function tick(x: number, step: number, largest: number): string {
  if (Math.abs(x) < step * 1e-6) return "0";
  if (largest >= 1e5 || largest < 1e-3) {
    const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10(Math.abs(x) / step) + 0.01)));
    return trimExponent(x.toExponential(digits)).replace(/-/g, "−");
  }
  const decimals = Math.max(0, Math.min(12, Math.ceil(-Math.log10(step) - 1e-9 + (isCoarse(step) ? 0 : 1))));
  return trimZeros(x.toFixed(decimals)).replace("-", "−");
}

// 1, 2, 5 need one decimal fewer than 2.5
function isCoarse(step: number): boolean {
  const lead = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
  return Math.abs(lead - Math.round(lead)) < 1e-6;
}

/** Seconds with as many decimals as the run needs. */
export function timeText(t: number, span: number): string {
  const decimals = Math.max(2, Math.min(9, 4 - Math.floor(Math.log10(Math.max(span, 1e-12)))));
  return t.toFixed(decimals).replace("-", "−");
}

/** Largest 1, 2, 5 times a power of ten that is not above x. */
export function niceBelow(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

type Attributes = Record<string, string | number | boolean>;

/** An element with attributes (true: present, false: absent) and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false) element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

export function save(name: string, blob: Blob): void {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A name that every file system takes. */
export function fileName(text: string): string {
  return text.trim().replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^-+|-+$/g, "") || "holonom";
}
