#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# The families of test/accuracy that are tedious to write by hand: chains in the plane and in space, whips, spring nets.
# Writes the model files into its own folder; they are kept, this script only says where they come from.
import math
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))


def write(name, comment, space, gravity, bodies, joints, forces, end):
    lines = ["# " + comment, "# (written by generate.py)", "holonom: 1", "space: " + space]
    if gravity:
        lines.append("gravity: " + str(gravity))
    for key, rows in (("bodies", bodies), ("joints", joints), ("forces", forces)):
        if rows:
            lines += [key + ":"] + ["  - {" + row + "}" for row in rows]
    lines.append("simulation: {end: %g}" % end)
    with open(os.path.join(FOLDER, name + ".yaml"), "w") as out:
        out.write("\n".join(lines) + "\n")


def plane_chain(name, comment, n, length, mass, angle, end, taper=1.0, spring=0.0, gravity=9.81):
    """n rods hung from the origin, all at `angle` from the downward vertical"""
    bodies, joints, forces = [], [], []
    x = y = 0.0
    s, c = math.sin(angle), -math.cos(angle)
    for i in range(n):
        l, m = length * taper**i, mass * taper ** (3 * i)
        bodies.append("name: r%d, mass: %.12g, inertia: %.12g, position: [%.17g, %.17g], angle: %.17g, "
                      "points: {a: [%.17g, 0], b: [%.17g, 0]}"
                      % (i, m, m * l * l / 12, x + s * l / 2, y + c * l / 2, math.atan2(c, s), -l / 2, l / 2))
        joints.append("name: J%d, type: revolute, between: [%s, r%d.a]" % (i, "r%d.b" % (i - 1) if i else "ground", i))
        if spring:
            forces.append("type: torsion_spring_damper, joint: J%d, stiffness: %.12g, damping: %.12g"
                          % (i, spring * taper ** (4 * i), 0.002 * spring * taper ** (4 * i)))
        x, y = x + s * l, y + c * l
    write(name, comment, "planar", [0, -gravity] if gravity else None, bodies, joints, forces, end)


def ball_chain(name, comment, n, length, mass, end, speed):
    """n rods with ball joints along x, inertia about their own axis too"""
    bodies, joints = [], []
    for i in range(n):
        m, l = mass, length
        bodies.append("name: r%d, mass: %.12g, inertia: [%.12g, %.12g, %.12g], position: [%.17g, 0, 0], "
                      "velocity: [0, %.17g, 0], omega: [0, 0, %.17g], points: {a: [%.17g, 0, 0], b: [%.17g, 0, 0]}"
                      % (i, m, m * l * l / 60, m * l * l / 12, m * l * l / 12, (i + 0.5) * l, speed * (i + 0.5) * l,
                         speed, -l / 2, l / 2))
        joints.append("name: J%d, type: spherical, between: [%s, r%d.a]" % (i, "r%d.b" % (i - 1) if i else "ground", i))
    write(name, comment, "spatial", [0, 0, -9.81], bodies, joints, [], end)


def ball_whip(name, comment, n, length, mass, end, taper):
    """rods with ball joints, each `taper` times as long as the one before, from the horizontal with a sideward push"""
    bodies, joints = [], []
    x = 0.0
    for i in range(n):
        l, m = length * taper**i, mass * taper ** (3 * i)
        bodies.append("name: r%d, mass: %.12g, inertia: [%.12g, %.12g, %.12g], position: [%.17g, 0, 0], "
                      "velocity: [0, %.17g, 0], omega: [0, 0, 1], points: {a: [%.17g, 0, 0], b: [%.17g, 0, 0]}"
                      % (i, m, m * l * l / 80, m * l * l / 12, m * l * l / 12, x + l / 2, x + l / 2, -l / 2, l / 2))
        joints.append("name: J%d, type: spherical, between: [%s, r%d.a]" % (i, "r%d.b" % (i - 1) if i else "ground", i))
        x += l
    write(name, comment, "spatial", [0, 0, -9.81], bodies, joints, [], end)


def hinge_chain(name, comment, n, length, mass, end):
    """n rods with hinges along x, the axes turned by 50 degrees from one to the next"""
    bodies, joints = [], []
    for i in range(n):
        m, l = mass, length
        bodies.append("name: r%d, mass: %.12g, inertia: [%.12g, %.12g, %.12g], position: [%.17g, 0, 0]"
                      % (i, m, m * l * l / 60, m * l * l / 12, m * l * l / 12, (i + 0.5) * l))
        a = math.radians(50 * i)
        joints.append("name: J%d, type: revolute, bodies: [%s, r%d], at: [%.17g, 0, 0], axis: [0, %.17g, %.17g]"
                      % (i, "r%d" % (i - 1) if i else "ground", i, i * l, math.cos(a), math.sin(a)))
    write(name, comment, "spatial", [0, 0, -9.81], bodies, joints, [], end)


def net(name, comment, size, spacing, mass, stiffness, end, velocity, held, stretch, space="planar", damping=0.0):
    """size x size point masses with springs along the edges and one diagonal of every mesh"""
    bodies, forces = [], []
    third = ", 0" if space == "spatial" else ""
    for i in range(size):
        for j in range(size):
            bump = stretch * math.sin(1.3 * i + 2.1 * j)
            rest = ", %.12g" % (0.3 * spacing * bump) if space == "spatial" else ""
            bodies.append("name: p%d%d, type: point, mass: %.12g, position: [%.12g, %.12g%s], velocity: [%.12g, %.12g%s]"
                          % (i, j, mass, i * spacing * (1 + bump), j * spacing * (1 + 0.7 * bump), rest,
                             velocity[0], velocity[1], third))
            for di, dj in ((1, 0), (0, 1), (1, 1)):
                if i + di < size and j + dj < size:
                    forces.append("type: spring_damper, between: [p%d%d, p%d%d], stiffness: %.12g, damping: %.12g, "
                                  "length: %.12g" % (i, j, i + di, j + dj, stiffness, damping,
                                                     spacing * math.hypot(di, dj)))
    if held:
        for i in (0, size - 1):
            forces.append("type: spring_damper, between: [{body: ground, at: [%.12g, %.12g%s]}, p%d%d], stiffness: %.12g, "
                          "damping: %.12g, length: %.12g"
                          % (i * spacing, size * spacing, third, i, size - 1, stiffness, damping, spacing))
    gravity = [0, -9.81] if space == "planar" else [0, 0, -9.81]
    write(name, comment, space, gravity, bodies, [], forces, end)


plane_chain("chain-plane-4", "Four rods of 0.5 m from 40 degrees: a chain in the plane.", 4, 0.5, 1, math.radians(40), 2)
plane_chain("chain-plane-10cm", "Six rods of 1 cm and 1 g from 15 degrees.", 6, 0.01, 1e-3, math.radians(15), 0.5)
plane_chain("double-pendulum-calm", "Two rods of 10 m and 1 t from 60 degrees.", 2, 10, 1e3, math.radians(60), 15)
plane_chain("double-pendulum-wild", "Two rods of 1 m from 150 degrees: chaotic, sensitive.", 2, 1, 1,
            math.radians(150), 8)
plane_chain("chain-springs", "Five rods with torsion springs and weak dampers from the horizontal.", 5, 0.3, 0.5,
            math.radians(90), 2, spring=8)
plane_chain("whip-plane", "A whip: six rods, each 0.7 times as long as the one before, light at the end.", 6, 0.5, 1,
            math.radians(80), 0.75, taper=0.7)
plane_chain("chain-30m", "Three rods of 30 m and 20 t from 30 degrees.", 3, 30, 2e4, math.radians(30), 20)
ball_chain("chain-ball-3", "Three rods of 0.4 m with ball joints, flung sideways.", 3, 0.4, 0.2, 1.5, 3)
ball_chain("chain-ball-2-long", "Two rods of 5 m with ball joints.", 2, 5, 40, 6, 0.5)
ball_whip("whip-space", "A whip in space: four rods with ball joints, each 0.6 times as long as the one before.", 4, 0.6, 1,
          0.7, 0.6)
hinge_chain("chain-hinge-4", "Four rods of 0.3 m with hinges that are inclined to each other.", 4, 0.3, 0.4, 1)
net("net-rest", "A net of 3 x 3 masses on springs, held at two corners, released.", 3, 0.1, 0.05, 60, 1,
    (0, 0), True, 0.05, damping=0.02)
net("net-travel", "A net of 3 x 3 masses that flies at 30 m/s while it vibrates.", 3, 0.2, 0.1, 300, 0.6,
    (30, 5), False, 0.03)
net("net-space", "A net of 3 x 3 masses in space, held at two corners, swinging down.", 3, 0.5, 0.2, 400, 1,
    (0, 0), True, 0.02, space="spatial", damping=0.05)
net("net-1cm-travel", "A net of 2 x 2 masses of 1 mg at 1 cm that flies at 10 m/s.", 2, 0.01, 1e-6, 0.5, 0.04,
    (10, 0), False, 0.05)
