#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Andrews' squeezing mechanism at 0.03 s without a time integrator: how far the published end values can be trusted.
# The mechanism has one degree of freedom, the crank angle b. With q(b) from the loops (Newton), the energy integral
#     m(b) b'^2 / 2 + V(b) - tau (b - b0) = V(b0),   m(b) = q_b^T M q_b
# gives t(b) by quadrature; b(0.03) by Newton on t(b) = 0.03; then b'' from the derivative of the integral,
# q' = q_b b', q'' from the loops, and the multipliers from M q'' + c = f - G^T lambda. 25 digits.
# Every point is a sum of vectors r (cos, sin)(n.q + p), so that derivatives are short.
# Prints value, published value and difference; the largest difference of each group is the trust in problems.txt.
#   bench/scoreboard/oracle_andrews.py test/ref/andrews_end.csv
import csv
import sys

import mpmath as mp

mp.mp.dps = 25
F = mp.mpf
D = {k: F(v) for k, v in dict(
    d="0.028", da="0.0115", e="0.02", ea="0.01421", rr="0.007", ra="0.00092", ss="0.035", sa="0.01874", sb="0.01043",
    sc="0.018", sd="0.02", ta="0.02308", tb="0.00916", u="0.04", ua="0.01228", ub="0.00449", zf="0.02", zt="0.04",
    fa="0.01421", xa="-0.06934", ya="-0.00227", xb="-0.03635", yb="0.03273", xc="0.014", yc="0.072", c0="4530",
    l0="0.07785", tau="0.033").items()}
START = [F(x) for x in ("-0.0617138900142764496358948458001", "0", "0.455279819163070380255912382449",
                        "0.222668390165885884674473185609", "0.487364979543842550225598953530",
                        "-0.222668390165885884674473185609", "1.23054744454982119249735015568")]
MASS = [F(x) for x in ("0.04325", "0.00365", "0.02373", "0.00706", "0.07050", "0.00706", "0.05498")]
INERTIA = [F(x) for x in ("2.194e-6", "4.410e-7", "5.255e-6", "5.667e-7", "1.169e-5", "5.667e-7", "1.912e-5")]
B, T, G, P, DE, O, E = range(7)  # beta theta gamma phi delta Omega epsilon
HALF = mp.pi / 2


def angles(*which):
    return [F(1) if i in which else F(0) for i in range(7)]


# vectors: (length, angles that add up, constant angle); sin x = cos(x - pi/2), -cos x = sin(x - pi/2)
def sine(r, which):  # r (sin, -cos)
    return (r, which, -HALF)


def turned(x, y, which, extra=0):  # (x, y) in axes turned by the angles
    return (mp.sqrt(x * x + y * y), which, mp.atan2(y, x) + extra)


CRANK, ROD, TRI = angles(B), angles(B, T), angles(G)
POINTS = [  # centres of mass: fixed point and vectors
    ((0, 0), [(D["ra"], CRANK, F(0))]),
    ((0, 0), [(D["rr"], CRANK, F(0)), (-D["da"], ROD, F(0))]),
    ((D["xb"], D["yb"]), [turned(D["sb"], -D["sa"], TRI)]),
    ((D["xa"], D["ya"]), [(D["zt"], angles(DE), F(0)), sine(D["e"] - D["ea"], angles(P, DE))]),
    ((D["xa"], D["ya"]), [turned(D["ta"], D["tb"], angles(DE))]),
    ((D["xa"], D["ya"]), [sine(D["u"], angles(E)), (D["zf"] - D["fa"], angles(O, E), F(0))]),
    ((D["xa"], D["ya"]), [turned(D["ua"], -D["ub"], angles(E), -HALF)]),
]
TURNS = [CRANK, ROD, TRI, angles(P, DE), angles(DE), angles(O, E), angles(E)]
SIDE = [(D["rr"], CRANK, F(0)), (-D["d"], ROD, F(0))]  # the crank's side: O -> F -> E
LOOPS = [  # crank side minus other side
    ((-D["xb"], -D["yb"]), SIDE + [sine(-D["ss"], TRI)]),
    ((-D["xa"], -D["ya"]), SIDE + [(-D["zt"], angles(DE), F(0)), sine(-D["e"], angles(P, DE))]),
    ((-D["xa"], -D["ya"]), SIDE + [sine(-D["u"], angles(E)), (-D["zf"], angles(O, E), F(0))]),
]
SPRING = ((D["xb"] - D["xc"], D["yb"] - D["yc"]), [turned(D["sd"], -D["sc"], TRI)])


def dot(n, q):
    return sum((a * x for a, x in zip(n, q) if a), F(0))


def point(p, q, v=None):
    """position, Jacobian (2 rows), and J' v"""
    x = [F(p[0][0]), F(p[0][1])]
    J = [[F(0)] * 7, [F(0)] * 7]
    g = [F(0), F(0)]
    for r, n, c in p[1]:
        a = dot(n, q) + c
        co, si = r * mp.cos(a), r * mp.sin(a)
        x[0] += co
        x[1] += si
        for i in range(7):
            if n[i]:
                J[0][i] -= si
                J[1][i] += co
        if v:
            w = dot(n, v) ** 2
            g[0] -= co * w
            g[1] -= si * w
    return x, J, g


def loops(q, v=None):
    x, J, g = [], [], []
    for l in LOOPS:
        a, b, c = point(l, q, v)
        x += a
        J += b
        g += c
    return x, J, g


def close(b, guess):
    """positions of the other six angles for the crank angle b"""
    q = [b] + list(guess[1:])
    for _ in range(30):
        x, J, _g = loops(q)
        step = mp.lu_solve(mp.matrix([row[1:] for row in J]), -mp.matrix(x))
        for i in range(6):
            q[i + 1] += step[i]
        if max(abs(s) for s in step) < F(10) ** -23:
            return q
    raise SystemExit("no position")


def slope(q):
    """q_b: velocities for b' = 1"""
    _x, J, _g = loops(q)
    s = mp.lu_solve(mp.matrix([row[1:] for row in J]), -mp.matrix([row[0] for row in J]))
    return [F(1)] + list(s)


def mass_matrix(q, v):
    """M and the velocity forces c of the seven free angles"""
    M = mp.matrix(7, 7)
    c = mp.matrix(7, 1)
    for body in range(7):
        _x, J, g = point(POINTS[body], q, v)
        n = TURNS[body]
        for i in range(7):
            c[i] += MASS[body] * (J[0][i] * g[0] + J[1][i] * g[1])
            for k in range(7):
                M[i, k] += MASS[body] * (J[0][i] * J[0][k] + J[1][i] * J[1][k]) + INERTIA[body] * n[i] * n[k]
    return M, c


def reduced_mass(q, s):
    total = F(0)
    for body in range(7):
        _x, J, _g = point(POINTS[body], q)
        vx, vy, w = dot(J[0], s), dot(J[1], s), dot(TURNS[body], s)
        total += MASS[body] * (vx * vx + vy * vy) + INERTIA[body] * w * w
    return total


def potential(q):
    x, _J, _g = point(SPRING, q)
    return D["c0"] / 2 * (mp.sqrt(x[0] ** 2 + x[1] ** 2) - D["l0"]) ** 2


START_ENERGY = potential(START)
KNOWN = [(START[0], START)]  # positions found so far: the next one starts at the nearest


def position(b):
    guess = min(KNOWN, key=lambda k: abs(k[0] - b))[1]
    q = close(b, guess)
    return q


def rate(q):
    s = slope(q)
    power = 2 * (D["tau"] * (q[0] - START[0]) + START_ENERGY - potential(q))
    return s, mp.sqrt(power / reduced_mass(q, s))


def inverse_rate(b):
    return 1 / rate(position(b))[1]


def walk(end, step):
    """positions on the way, close enough for Newton"""
    b = START[0]
    while b < end + 1:
        b += step
        KNOWN.append((b, close(b, KNOWN[-1][1])))


def elapsed(end):
    """t(b): b = b0 + s^2 takes the root away from the start, then pieces of Gauss-Legendre"""
    first = START[0] + F(1) / 4
    t = mp.quad(lambda s: 2 * s * inverse_rate(START[0] + s * s), mp.linspace(F(10) ** -12, F(1) / 2, 3), maxdegree=5,
                method="gauss-legendre")
    pieces = int(mp.ceil((end - first) * 4))
    edges = [first + (end - first) * i / pieces for i in range(pieces + 1)]
    for a, b in zip(edges, edges[1:]):
        t += mp.quad(inverse_rate, [a, b], maxdegree=4, method="gauss-legendre")
    return t


def end_values(t_end):
    b = F("15.8107711963")
    walk(b, F(1) / 20)
    t = elapsed(b)
    for _ in range(3):  # t is known at b: only the piece in between is new
        change = (F(t_end) - t) / inverse_rate(b)
        t += mp.quad(inverse_rate, [b, b + change], maxdegree=3, method="gauss-legendre")
        b += change
    q = position(b)
    s, db = rate(q)
    v = [x * db for x in s]
    M, c = mass_matrix(q, v)
    _x, J, g = loops(q, v)
    x, JS, _g = point(SPRING, q)
    length = mp.sqrt(x[0] ** 2 + x[1] ** 2)
    pull = D["c0"] * (length - D["l0"]) / length
    f = mp.matrix([-pull * (x[0] * JS[0][i] + x[1] * JS[1][i]) for i in range(7)])
    f[0] += D["tau"]
    A = mp.matrix(13, 13)
    r = mp.matrix(13, 1)
    for i in range(7):
        r[i] = f[i] - c[i]
        for k in range(7):
            A[i, k] = M[i, k]
    for j in range(6):
        r[7 + j] = -g[j]
        for i in range(7):
            A[i, 7 + j] = J[j][i]
            A[7 + j, i] = J[j][i]
    z = mp.lu_solve(A, r)
    return q + v + list(z)


def main():
    values = end_values("0.03")
    with open(sys.argv[1], newline="") as f:
        rows = [r for r in csv.reader(l for l in f if not l.startswith("#"))][1:]
    worst = {}
    for row, x in zip(rows, values):
        difference = F(row[2]) - x
        kind = "multipliers" if row[1].startswith("lambda") else {0: "angles", 1: "rates", 2: "accelerations"}[
            (int(row[0]) - 1) // 7]
        worst[kind] = max(worst.get(kind, 0), abs(difference))
        print("%-12s %-26s published %-24s difference %s" % (row[1], mp.nstr(x, 18), row[2], mp.nstr(difference, 3)))
    for kind in worst:
        print("largest difference of %s: %s" % (kind, mp.nstr(worst[kind], 3)))


main()
