# SPDX-License-Identifier: Apache-2.0
"""The n-link loop (a row of n four-bar windows) by Holonom and by scipy's solve_ivp, at equal accuracy.

scipy integrates the index-1 equations in numpy, the way a user writes them: [M G^T; G 0] [a; lam] = [f; -gamma] by
numpy.linalg.solve in every call, method DOP853. Holonom: the same mechanism as a model, method auto. Tolerances are chosen
from a list so that the error of the first bar's angle at the end is below 1e-6. Times are of the processor.

    PYTHONPATH=build/python python3 bench/solve_ivp.py [N ...]
"""
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

import holonom

END, WANTED = 0.4, 1e-6  # before the bars lie flat, where the mechanism is singular
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)


def mechanism(n):
    """Bodies (name, x, y, angle) and pins (body a, its end, body b, its end, point on the ground)."""
    bodies = [(f"v{i}", i, 0.5, np.pi / 2) for i in range(n + 1)] + [(f"h{i}", i - 0.5, 1.0, 0.0) for i in range(1, n + 1)]
    pins = [(-1, 0, i, -0.5, (i, 0)) for i in range(n + 1)]
    for i in range(1, n + 1):
        h = n + i
        pins += [(i - 1, 0.5, h, -0.5, None), (h, 0.5, i, 0.5, None)]
    return bodies, pins


def model(n):
    bodies, pins = mechanism(n)
    lines = ["holonom: 1", "name: Row of windows", "space: planar", "gravity: [0, -9.81]", "bodies:"]
    for name, x, y, angle in bodies:
        turn, speed = (-1, 0.5) if name[0] == "v" else (0, 1)
        lines.append(f"  - {{name: {name}, mass: 1, inertia: 1/12, position: [{x}, {y}], angle: {angle!r}, "
                     f"velocity: [{speed}, 0], omega: {turn}}}")
    lines.append("joints:")
    for a, s, b, t, ground in pins:
        first = f"{{body: ground, at: [{ground[0]}, {ground[1]}]}}" if a < 0 else f"{{body: {bodies[a][0]}, at: [{s}, 0]}}"
        lines.append(f"  - {{type: revolute, between: [{first}, {{body: {bodies[b][0]}, at: [{t}, 0]}}]}}")
    return holonom.parse("\n".join(lines) + f"\noutputs: [v0.angle]\nsimulation: {{end: {END}, output_step: {END}}}\n")


def equations(n):
    bodies, pins = mechanism(n)
    size, rows = 3 * len(bodies), 2 * len(pins)
    mass = np.tile([1, 1, 1 / 12], len(bodies))
    force = np.tile([0, -9.81, 0], len(bodies))
    K = np.zeros((size + rows, size + rows))
    K[:size, :size] = np.diag(mass)
    q0 = np.array([[x, y, angle] for _, x, y, angle in bodies]).reshape(-1)
    v0 = np.array([[0.5, 0, -1] if name[0] == "v" else [1, 0, 0] for name, *_ in bodies], dtype=float).reshape(-1)

    def rate(t, y):
        q, v = y[:size], y[size:]
        right = np.zeros(size + rows)
        right[:size] = force
        for k, (a, s, b, e, _) in enumerate(pins):
            for body, arm, sign in ((a, s, -1), (b, e, 1)):
                if body < 0:
                    continue
                c, si = np.cos(q[3 * body + 2]), np.sin(q[3 * body + 2])
                r = size + 2 * k
                K[r, 3 * body] = K[r + 1, 3 * body + 1] = sign
                K[r, 3 * body + 2], K[r + 1, 3 * body + 2] = -sign * arm * si, sign * arm * c
                w = v[3 * body + 2]
                right[r] += sign * arm * c * w * w
                right[r + 1] += sign * arm * si * w * w
        K[:size, size:] = K[size:, :size].T
        return np.concatenate([v, np.linalg.solve(K, right)[:size]])

    return rate, np.concatenate([q0, v0])


def seconds(call):
    best, out = np.inf, None
    for _ in range(2):
        begin = time.process_time()
        out = call()
        best = min(best, time.process_time() - begin)
    return best, out


def main():
    print(f"{'n':>4} {'holonom [s]':>12} {'solve_ivp [s]':>14} {'ratio':>8}")
    for n in [int(x) for x in sys.argv[1:]] or [1, 4, 16]:
        m = model(n)
        exact = m.run(tolerance=1e-12)["v0.angle"][-1]
        for tol in TOLERANCES:
            ours, r = seconds(lambda: m.run(tolerance=tol))
            if abs(r["v0.angle"][-1] - exact) < WANTED:
                break
        rate, y0 = equations(n)
        for tol in TOLERANCES:
            theirs, s = seconds(lambda: solve_ivp(rate, (0, END), y0, method="DOP853", rtol=tol, atol=tol))
            if abs(s.y[2, -1] - exact) < WANTED:
                break
        print(f"{n:4d} {ours:12.3g} {theirs:14.3g} {theirs / ours:8.0f}", flush=True)


main()
