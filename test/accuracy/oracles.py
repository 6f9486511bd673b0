#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Independent oracles of the mechanisms of test/accuracy: closed forms, and equations of motion in reduced coordinates
# derived by hand, integrated by scipy or by quadrature in mpmath. Nothing of the library is used.
#   oracles.py [NAME]..           compares ref/NAME.csv with them: the largest error, relative to the columns' sizes
#   oracles.py --write            writes those that are better than what the methods agree on: the light cart-pole
#                                 (also ../ref/cart_pole_light.csv, 1001 rows) and the four-bar of models/, which
#                                 passes singular positions
# Needs python3-numpy, python3-scipy, python3-mpmath.
import csv
import os
import sys

import mpmath as mp
import numpy as np
from numpy import cos, pi, sin, sqrt
from scipy.integrate import solve_ivp

FOLDER = os.path.dirname(os.path.abspath(__file__))
G = 9.81


def integrate(rhs, start, times, method="DOP853"):
    """states at `times`, from t = 0"""
    times = np.asarray(times)
    out = solve_ivp(rhs, (0, times[-1]), start, method=method, t_eval=times, rtol=3e-14 if method == "DOP853" else 1e-11,
                    atol=1e-18 if method == "DOP853" else 1e-15)
    assert out.success, out.message
    return out.y


def second(acceleration, q0, v0, times, method="DOP853"):
    """q, v of q'' = acceleration(t, q, v)"""
    n = len(q0)
    y = integrate(lambda t, y: np.concatenate([y[n:], acceleration(t, y[:n], y[n:])]), list(q0) + list(v0), times, method)
    return y[:n], y[n:]


# ---- scalars and points ----

def oscillator_1um(t):
    A, w = 1e-6, 2 * pi * 100
    return {"p.x": 10 * A + A * cos(w * t), "p.vx": -A * w * sin(w * t), "p.y": 0 * t, "p.vy": 0 * t}


def oscillator_1um_scalar(t):
    A, w = 1e-6, 2 * pi * 10
    return {"u.x": A * cos(w * t), "u.vx": -A * w * sin(w * t)}


def oscillator_from_zero(t):
    q, v = second(lambda t, q, v: np.array([(3 * sin(2 * t) - 8 * q[0] - 0.1 * v[0]) / 2,
                                            (0.5 * q[0] - 0.9 * q[1] - 0.002 * v[1]) / 0.01]), [0, 0], [0, 0], t)
    return {"u.x": q[0], "w.x": q[1], "u.vx": v[0], "w.vx": v[1]}


def oscillator_stiff(t):
    q, v = second(lambda t, q, v: np.array([-4 * q[0] - 2 * q[0]**3 - 30 * (q[0] - q[1]),
                                            (-1e5 * (q[1] - q[0]) - 52 * (v[1] - v[0])) / 1e-3]), [0.3, 0.3], [0, 0], t,
                  "DOP853")
    return {"u.x": q[0], "w.x": q[1], "u.vx": v[0], "w.vx": v[1]}


def oscillator_van_der_pol(t):
    q, v = second(lambda t, q, v: 5 * (1 - q**2) * v - q, [2], [0], t)
    return {"u.x": q[0], "u.vx": v[0]}


def kepler(t):
    """M = E - e sin E, the start is the pericentre"""
    a, e, mu = 2.0, 0.7, 2.0 / 3
    n = sqrt(mu / a**3)
    b = a * sqrt(1 - e * e)
    out = {"p.x": [], "p.y": [], "p.vx": [], "p.vy": []}
    for time in t:
        E = float(mp.findroot(lambda E: E - e * mp.sin(E) - n * time, n * time))
        rate = n / (1 - e * cos(E))
        out["p.x"].append(a * (cos(E) - e))
        out["p.y"].append(b * sin(E))
        out["p.vx"].append(-a * sin(E) * rate)
        out["p.vy"].append(b * cos(E) * rate)
    return out


def ball_on_spring(t):
    """parabolas above, harmonic motion about -g/w^2 below"""
    w = sqrt(2000.0)
    fall = sqrt(2 / G)
    speed = G * fall
    amplitude = sqrt((G / w**2) ** 2 + (speed / w) ** 2)
    phase = np.arctan2(speed / w, G / w**2)  # y = -g/w^2 + amplitude cos(w s + phase)
    contact = (2 * pi - 2 * phase) / w
    period = 2 * fall + contact
    s = np.mod(t + fall, period)  # from a take-off on
    low = s - 2 * fall
    y = np.where(low < 0, speed * s - G * s**2 / 2, -G / w**2 + amplitude * cos(w * low + phase))
    vy = np.where(low < 0, speed - G * s, -amplitude * w * sin(w * low + phase))
    return {"ball.x": 0.3 * t, "ball.y": y, "ball.vx": 0.3 + 0 * t, "ball.vy": vy}


def spherical_pendulum(t):
    """Cartesian, the rod's force eliminated: r'' = g - r (g.r + v.v)/l^2"""
    g = np.array([0, 0, -G])
    r, v = second(lambda t, r, v: g - r * (g @ r + v @ v) / 4, [1.2, 0, -1.6], [0, 1.5, 0], t)
    return {"bob." + k: x for k, x in zip(["x", "y", "z", "vx", "vy", "vz"], list(r) + list(v))}


# ---- pendula ----

def pendulum_1mm(t):
    """Jacobi's functions: sin(a/2) = k sn(K - w t)"""
    L, k = 1e-3, mp.sin(mp.pi / 6)
    w, K = mp.sqrt(mp.mpf(G) / L), mp.ellipk(k**2)
    out = {"bob.x": [], "bob.y": [], "bob.vx": [], "bob.vy": []}
    for time in t:
        u = K - w * time
        s = k * mp.ellipfun("sn", u, m=k**2)
        a = 2 * mp.asin(s)
        rate = -2 * k * w * mp.ellipfun("cn", u, m=k**2)
        for key, value in zip(out, [L * mp.sin(a), -L * mp.cos(a), L * mp.cos(a) * rate, L * mp.sin(a) * rate]):
            out[key].append(float(value))
    return out


def rod(t, L, angle, rate, x0=0.0, zero=0.0):
    """a rod on a hinge at (x0, 0); angle from the downward vertical; its column is `angle` - zero"""
    q, v = second(lambda t, q, v: -1.5 * G / L * sin(q), [angle], [rate], t)
    a, w = q[0], v[0]
    return {"rod.x": x0 + L / 2 * sin(a), "rod.y": -L / 2 * cos(a), "rod.angle": a - zero, "rod.vx": L / 2 * w * cos(a),
            "rod.vy": L / 2 * w * sin(a), "rod.omega": w}


def two_rods(t, L, angle):
    """Lagrange's equations of two equal rods, angles from the downward vertical"""
    def acceleration(t, q, v):
        a, b = q
        c, s = cos(a - b), sin(a - b)
        M = np.array([[4.0 / 3, 0.5 * c], [0.5 * c, 1.0 / 3]])
        f = np.array([-0.5 * s * v[1]**2 - 1.5 * G / L * sin(a), 0.5 * s * v[0]**2 - 0.5 * G / L * sin(b)])
        return np.linalg.solve(M, f)

    (a, b), (u, w) = second(acceleration, [angle, angle], [0, 0], t)
    x, y, vx, vy = L * sin(a), -L * cos(a), L * u * cos(a), L * u * sin(a)
    return {"r0.x": x / 2, "r0.y": y / 2, "r0.angle": a - pi / 2, "r0.vx": vx / 2, "r0.vy": vy / 2, "r0.omega": u,
            "r1.x": x + L / 2 * sin(b), "r1.y": y - L / 2 * cos(b), "r1.angle": b - pi / 2,
            "r1.vx": vx + L / 2 * w * cos(b), "r1.vy": vy + L / 2 * w * sin(b), "r1.omega": w}


def cart(t, M, m, l, J, angle):
    """a cart M and a body m, J whose centre hangs at l"""
    def acceleration(t, q, v):
        a = q[1]
        A = np.array([[M + m, m * l * cos(a)], [m * l * cos(a), m * l * l + J]])
        return np.linalg.solve(A, [m * l * sin(a) * v[1]**2, -m * G * l * sin(a)])

    (x, a), (v, w) = second(acceleration, [0, angle], [0, 0], t)
    return x, a, v, w


def cart_pole(t):
    x, a, v, w = cart(t, 2, 0.5, 0.5, 0.5 / 12, 100 * pi / 180)
    return {"cart.x": x, "cart.vx": v, "pole.x": x + sin(a) / 2, "pole.y": -cos(a) / 2, "pole.angle": a,
            "pole.vx": v + w * cos(a) / 2, "pole.vy": w * sin(a) / 2, "pole.omega": w}


def cart_pole_1g(t):
    x, a, v, w = cart(t, 1e-3, 1, 1, 0, np.arctan2(0.9, sqrt(0.19)))
    return {"cart.x": x, "cart.vx": v, "bob.x": x + sin(a), "bob.y": -cos(a), "bob.vx": v + w * cos(a), "bob.vy": w * sin(a)}


def heavy_crane(t):
    M, m, L = 1e6, 1e5, 25.0

    def acceleration(t, q, v):
        a = q[1]
        A = np.array([[M + m, m * L * cos(a)], [m * L * cos(a), m * L * L]])
        return np.linalg.solve(A, [4e5 * sin(0.5 * t) + m * L * sin(a) * v[1]**2, -m * G * L * sin(a)])

    (x, a), (v, w) = second(acceleration, [0, np.arcsin(0.2)], [0, 0], t)
    return {"trolley.x": x, "trolley.vx": v, "load.x": x + L * sin(a), "load.y": -L * cos(a),
            "load.vx": v + L * w * cos(a), "load.vy": L * w * sin(a)}


# ---- loops of one degree of freedom: d/dt (I(s) s'^2/2 + V(s)) = 0, I' and V' exact ----

def slider_crank(t):
    """crank angle s; rod angle p = -asin(a sin s/l)"""
    a, l, mc, mr, ms = 0.1, 0.25, 0.4, 0.3, 0.5

    def parts(s):
        p = -np.arcsin(a * sin(s) / l)
        dp = -a * cos(s) / (l * cos(p))  # dp/ds
        ddp = (a * sin(s) + l * sin(p) * dp**2) / (l * cos(p))
        return p, dp, ddp

    def acceleration(t, q, v):
        s = q[0]
        p, dp, ddp = parts(s)
        # derivatives of the centres by s, and theirs
        rx, ry = -a * sin(s) - l / 2 * sin(p) * dp, a * cos(s) + l / 2 * cos(p) * dp
        rxx = -a * cos(s) - l / 2 * (cos(p) * dp**2 + sin(p) * ddp)
        ryy = -a * sin(s) + l / 2 * (-sin(p) * dp**2 + cos(p) * ddp)
        sx, sxx = -a * sin(s) - l * sin(p) * dp, -a * cos(s) - l * (cos(p) * dp**2 + sin(p) * ddp)
        inertia = mc * a**2 / 3 + mr * (rx**2 + ry**2) + mr * l**2 / 12 * dp**2 + ms * sx**2
        half = mr * (rx * rxx + ry * ryy) + mr * l**2 / 12 * dp * ddp + ms * sx * sxx
        force = -G * (mc * a / 2 * cos(s) + mr * ry)
        return np.array([(force - half * v[0]**2) / inertia])

    q, v = second(acceleration, [0], [6], t)
    s, w = q[0], v[0]
    p, dp, _ = parts(s)
    return {"crank.angle": s, "crank.omega": w, "rod.angle": p, "rod.omega": dp * w,
            "rod.x": a * cos(s) + l / 2 * cos(p), "rod.y": a * sin(s) + l / 2 * sin(p),
            "slider.x": a * cos(s) + l * cos(p), "slider.vx": (-a * sin(s) - l * sin(p) * dp) * w}


def prismatic_crossed(t):
    """a = (cos u, 0), b = (0, sin u); rod of 0.5 kg"""
    def acceleration(t, q, v):
        u = q[0]
        inertia = sin(u)**2 + 2 * cos(u)**2 + 0.125 + 0.5 / 12
        half = -sin(u) * cos(u)
        return np.array([(-G * (2 + 0.25) * cos(u) - half * v[0]**2) / inertia])

    q, v = second(acceleration, [np.arctan2(0.6, 0.8)], [0], t)
    u, w = q[0], v[0]
    return {"a.x": cos(u), "a.vx": -sin(u) * w, "b.y": sin(u), "b.vy": cos(u) * w, "rod.x": cos(u) / 2,
            "rod.y": sin(u) / 2, "rod.angle": -u, "rod.omega": -w}


def four_bar_double(t):
    """((N+1)/3 + N) a'' = ((N+1)/2 + N) g sin a, N = 2; a from the upward vertical to the right"""
    q, v = second(lambda t, q, v: 3.5 * G * sin(q) / 3, [0], [1], t)
    a, w = q[0], v[0]
    out = {}
    for i in range(3):
        out.update({"v%d.x" % i: i + sin(a) / 2, "v%d.y" % i: cos(a) / 2, "v%d.angle" % i: -a,
                    "v%d.vx" % i: cos(a) * w / 2, "v%d.vy" % i: -sin(a) * w / 2, "v%d.omega" % i: -w})
    for i in (1, 2):
        out.update({"h%d.x" % i: i - 0.5 + sin(a), "h%d.y" % i: cos(a), "h%d.angle" % i: 0 * a,
                    "h%d.vx" % i: cos(a) * w, "h%d.vy" % i: -sin(a) * w, "h%d.omega" % i: 0 * a})
    return out


def driven_no_freedom(t):
    a, l = 0.1, 0.3
    s, w = 3 * t**2 + 0.5 * sin(4 * t), 6 * t + 2 * cos(4 * t)
    p = -np.arcsin(a * sin(s) / l)
    return {"crank.angle": s, "crank.omega": w, "rod.angle": p, "rod.omega": -a * cos(s) * w / (l * cos(p)),
            "slider.x": a * cos(s) + l * cos(p)}


def constraint_curve(t):
    m, k = 0.005, 0.05

    def acceleration(t, q, v):
        x = q[0]
        d, dd = -0.6 * sin(3 * x), -1.8 * cos(3 * x)
        return np.array([(-k * x / m - G * d - d * dd * v[0]**2) / (1 + d * d)])

    q, v = second(acceleration, [0.9], [0], t)
    x, w = q[0], v[0]
    return {"bead.x": x, "bead.y": 0.2 * cos(3 * x), "bead.vx": w, "bead.vy": -0.6 * sin(3 * x) * w}


def gear_pendulum(t):
    """a horizontal at the start, b down; b turns -2.5 times as far"""
    i = 0.05 + 0.09 + 2.5**2 * (0.01 + 0.4 * 0.04)
    q, v = second(lambda t, q, v: (-G * 0.3 * cos(q) - 2.5 * 0.4 * G * 0.2 * sin(2.5 * q)) / i, [0], [0], t)
    u, w = q[0], v[0]
    return {"a.x": 0.3 * cos(u), "a.y": 0.3 * sin(u), "a.angle": u, "a.omega": w, "b.angle": -2.5 * u, "b.omega": -2.5 * w,
            "b.x": 2 + 0.2 * sin(-2.5 * u), "b.y": -0.2 * cos(2.5 * u)}


def rolling_disc_pendulum(t):
    """the disc moves like a cart of 1.5 kg"""
    x, a, v, w = cart(t, 1.5, 0.5, 0.5, 0.5 / 12, pi / 2)
    return {"disc.x": x, "disc.vx": v, "disc.angle": -x / 0.1, "disc.omega": -v / 0.1, "rod.x": x + sin(a) / 2,
            "rod.y": 0.1 - cos(a) / 2, "rod.angle": a, "rod.omega": w}


# ---- rotations ----

def body(rhs, q0, w0, t):
    """Euler's equations and the quaternion of a body; rhs gives w' in body axes"""
    def f(t, y):
        q0, q1, q2, q3, *w = y
        a, b, c = w
        return [-(q1 * a + q2 * b + q3 * c) / 2, (q0 * a + q2 * c - q3 * b) / 2, (q0 * b + q3 * a - q1 * c) / 2,
                (q0 * c + q1 * b - q2 * a) / 2, *rhs(np.array(y[:4]), np.array(w))]

    y = integrate(f, list(q0) + list(w0), t)
    return y[:4], y[4:]


def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def columns(name, q, w):
    out = {name + "." + k: x for k, x in zip(["qw", "qx", "qy", "qz"], q)}
    world = np.array([rotation(q[:, i]) @ w[:, i] for i in range(q.shape[1])]).T
    out.update({name + "." + k: x for k, x in zip(["wx", "wy", "wz"], world)})
    return out


def free_asymmetric(t):
    I = np.array([1e-4, 2e-4, 3.5e-4])
    q, w = body(lambda q, w: np.cross(I * w, w) / I, [1, 0, 0, 0], [0.3, 6, 0.2], t)
    return {**columns("nut", q, w), "nut.x": 0.1 * t, "nut.y": 0.2 * t, "nut.z": 0.3 * t}


def top_slow(t):
    """about the fixed tip: I + m l^2 across, torque l e3 x m g"""
    I = np.array([0.002 + 0.04, 0.002 + 0.04, 0.003])

    def rhs(q, w):
        down = rotation(q).T @ np.array([0, 0, -G])
        return (np.cross(I * w, w) + np.cross([0, 0, 0.2], down)) / I

    q, w = body(rhs, [cos(pi / 12), 0, sin(pi / 12), 0], [0, 0, 120], t)
    place = np.array([0.2 * rotation(q[:, i])[:, 2] for i in range(q.shape[1])]).T
    return {**columns("top", q, w), "top.x": place[0], "top.y": place[1], "top.z": place[2]}


# ---- the light cart-pole by quadrature ----

class LightCartPole:
    """cos theta = sin^2 u, sin theta = cos u sqrt(1 + sin^2 u): u grows for ever and
       u' = sqrt(g/(2 L)) sqrt((1 + s^2)/(1 - k s^4)), s = sin u, k = m/(M + m)   (energy, momentum along x)"""

    def __init__(self):
        mp.mp.dps = 32
        self.k = 1 / (1 + mp.mpf("1e-6"))
        self.g = mp.mpf("9.81")
        inner = [mp.pi / 2 + sign * mp.mpf(d) for sign, d in
                 [(-1, "0.1"), (-1, "0.01"), (-1, "0.001"), (1, "0"), (1, "0.001"), (1, "0.01"), (1, "0.1")]]
        self.marks = [mp.mpf(0)] + inner + [mp.pi]
        self.sums = [mp.mpf(0)]
        for a, b in zip(self.marks, self.marks[1:]):
            self.sums.append(self.sums[-1] + mp.quad(self.slowness, [a, b]))
        self.half = self.sums[-1]

    def slowness(self, u):
        s2 = mp.sin(u) ** 2
        # 1 - k s^4 = (1 - k) s^4 + cos^2 (1 + s^2)
        return mp.sqrt(2 / self.g) * mp.sqrt(((1 - self.k) * s2**2 + mp.cos(u) ** 2 * (1 + s2)) / (1 + s2))

    def time(self, u):
        i = max(j for j in range(len(self.marks) - 1) if self.marks[j] <= u or j == 0)
        return self.sums[i] + mp.quad(self.slowness, [self.marks[i], u])

    def state(self, t):
        """x, theta, x', theta'"""
        t = mp.mpf(float(t))
        turns = int(t / self.half)
        rest = t - turns * self.half
        low, high = mp.mpf(0), mp.pi
        u = mp.pi * rest / self.half
        for _ in range(80):
            miss = self.time(u) - rest
            if miss > 0:
                high = u
            else:
                low = u
            step = miss / self.slowness(u)
            if abs(step) < mp.mpf(10) ** -26:
                break
            u = u - step if low < u - step < high else (low + high) / 2
        u = u + turns * mp.pi
        s, c = mp.sin(u), mp.cos(u)
        sin_theta, cos_theta = c * mp.sqrt(1 + s**2), s**2
        rate = -2 * s / (mp.sqrt(1 + s**2) * self.slowness(u))
        return [float(y) for y in (self.k * (1 - sin_theta), mp.atan2(sin_theta, cos_theta), -self.k * cos_theta * rate,
                                   rate)], [float(y) for y in (self.k + (1 - self.k) * sin_theta, -cos_theta,
                                                               (1 - self.k) * cos_theta * rate, sin_theta * rate)]


def cart_pole_light(t):
    motion = LightCartPole()
    rows = [motion.state(time) for time in t]
    a, b = np.array([r[0] for r in rows]).T, np.array([r[1] for r in rows]).T
    return {"cart.x": a[0], "cart.y": 0 * a[0], "cart.vx": a[2], "cart.vy": 0 * a[0], "bob.x": b[0], "bob.y": b[1],
            "bob.vx": b[2], "bob.vy": b[3]}


ORACLES = {
    "models/four-bar": four_bar_double,
    "oscillator-1um": oscillator_1um,
    "oscillator-1um-scalar": oscillator_1um_scalar,
    "oscillator-from-zero": oscillator_from_zero,
    "oscillator-stiff": oscillator_stiff,
    "oscillator-van-der-pol": oscillator_van_der_pol,
    "kepler": kepler,
    "ball-on-spring": ball_on_spring,
    "spherical-pendulum": spherical_pendulum,
    "pendulum-1mm": pendulum_1mm,
    "pendulum-30m": lambda t: rod(t, 30.0, pi / 2, 0.1, zero=pi / 2),
    "pendulum-full-turns": lambda t: rod(t, 1.0, 0.0, 7.9),
    "pendulum-far": lambda t: rod(t, 1.0, pi / 2, 0.0, x0=1e6, zero=pi / 2),
    "pendulum-small-swing": lambda t: rod(t, 1.0, 1e-3, 0.0),
    "double-pendulum-calm": lambda t: two_rods(t, 10.0, pi / 3),
    "cart-pole": cart_pole,
    "cart-pole-1g": cart_pole_1g,
    "cart-pole-light": cart_pole_light,
    "heavy-crane": heavy_crane,
    "slider-crank-dead-centre": slider_crank,
    "prismatic-crossed": prismatic_crossed,
    "four-bar-double": four_bar_double,
    "driven-no-freedom": driven_no_freedom,
    "constraint-curve": constraint_curve,
    "gear-pendulum": gear_pendulum,
    "rolling-disc-pendulum": rolling_disc_pendulum,
    "free-asymmetric": free_asymmetric,
    "top-slow": top_slow,
}


def path_of(name):
    return os.path.join(FOLDER, "ref", name + ".csv")


def read(name):
    with open(path_of(name)) as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = list(csv.reader(lines))
    data = np.array([[float(x) for x in row] for row in rows[1:]])
    return rows[0], data


def write(name, oracle, how):
    """the values of ref/NAME.csv by the oracle, at the times and with the amplification it has"""
    with open(path_of(name)) as file:
        comment = [line for line in file if line.startswith("# amplification")]
    head, data = read(name)
    values = oracle(data[:, 0])
    off = max(np.max(np.abs(np.array(values[k]) - data[:, i])) / max(np.max(np.abs(data[:, i])), 1e-300)
              for i, k in enumerate(head) if i > 0 and np.max(np.abs(data[:, i])) > 0)
    with open(path_of(name), "w") as out:
        # (how far what was there, by our own methods, is from the oracle)
        out.write("# agreement: %.1e by %s (oracles.py --write)\n" % (off, how) + "".join(comment))
        out.write(",".join(head) + "\n")
        for i, t in enumerate(data[:, 0]):
            out.write(",".join(["%.17g" % t] + ["%.16g" % values[k][i] for k in head[1:]]) + "\n")


def compare(name):
    head, data = read(name)
    values = ORACLES[name](data[:, 0])
    if "nut.qw" in values or "top.qw" in values:  # a quaternion and its negative are the same
        b = next(iter(values)).split(".")[0]
        dot = sum(np.array(values[b + "." + k]) * data[:, head.index(b + "." + k)] for k in ("qw", "qx", "qy", "qz"))
        for k in ("qw", "qx", "qy", "qz"):
            values[b + "." + k] = np.sign(dot) * np.array(values[b + "." + k])
    worst, where = 0.0, ""
    kinds = ["x y z", "angle", "qw qx qy qz", "vx vy vz", "omega wx wy wz"]
    largest = {}  # of a kind
    for i, key in enumerate(head[1:], 1):
        for kind in kinds:
            if key.split(".")[-1] in kind.split():
                largest[key] = kind
                largest[kind] = max(largest.get(kind, 0.0), abs(data[:, i]).max())
    for key, oracle in values.items():
        column = data[:, head.index(key)]
        size = max(abs(column).max(), 1e-3 * largest[largest[key]])
        error = abs(column - np.array(oracle)).max() / size
        if error > worst:
            worst, where = error, key
    print("%-26s %2d columns, largest difference %.1e %s" % (name, len(values), worst, where))
    return worst


def write_samples():
    """../ref/cart_pole_light.csv"""
    motion = LightCartPole()
    with open(os.path.join(FOLDER, "..", "ref", "cart_pole_light.csv"), "w") as out:
        out.write("# source: test/accuracy/oracles.py --write: time by quadrature of the energy integral, 32 digits;\n"
                  "# theta from the downward vertical, models/cart-pole-light.yaml\ntime,x,theta,x_rate,theta_rate\n")
        for k in range(1001):
            out.write(",".join("%.16g" % y for y in [k / 100] + motion.state(k / 100)[0]) + "\n")


if __name__ == "__main__":
    if "--write" in sys.argv:
        write("cart-pole-light", cart_pole_light, "quadrature in 32 digits")
        write("models/cart-pole-light", cart_pole_light, "quadrature in 32 digits")
        write("models/four-bar", four_bar_double, "the reduced equation")
        write_samples()
        sys.exit(0)
    wanted = sys.argv[1:] or list(ORACLES)
    bad = [name for name in wanted if not compare(name) < 1e-9]
    if bad:
        print("not within 1e-9: " + ", ".join(bad))
    sys.exit(bool(bad))
