// SPDX-License-Identifier: Apache-2.0
// Texts of random mechanisms of many kinds and sizes: trees, closed loops, nets of springs, scalar
// oscillators, forces with kinks.
#ifndef RANDOM_MECHANISMS_H
#define RANDOM_MECHANISMS_H

#include "tree_random.h"

#include <math.h>
#include <string.h>

static inline double random_between(unsigned *seed, double low, double high) {
    return low + (high - low) * random_part(seed);
}

// a four-bar a, b, c on two supports, scaled by L, moved by its weight
static inline void write_four_bar(char *text, size_t size, unsigned *seed) {
    const double L = pow(10, random_between(seed, -2, 1)), d = 2 * L, a = 0.6 * L,
                 phi = random_between(seed, 0.3, 2.8), b = random_between(seed, 1.7, 2.2) * L,
                 c = random_between(seed, 1.2, 1.6) * L;
    const double Ax = a * cos(phi), Ay = a * sin(phi), e = hypot(d - Ax, Ay);
    const double along = (b * b - c * c + e * e) / (2 * e), up = sqrt(b * b - along * along);
    const double ux = (d - Ax) / e, uy = -Ay / e;
    const double Bx = Ax + along * ux - up * uy, By = Ay + along * uy + up * ux;
    const double m = random_between(seed, 0.5, 2);
    snprintf(text, size,
             "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
             "- {name: a, mass: %g, inertia: %.17g, position: [%.17g, %.17g], omega: %.6g}\n"
             "- {name: b, mass: 1, inertia: %.17g, position: [%.17g, %.17g]}\n"
             "- {name: c, mass: %g, inertia: %.17g, position: [%.17g, %.17g]}\njoints:\n"
             "- {name: O, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
             "- {name: A, type: revolute, bodies: [a, b], at: [%.17g, %.17g]}\n"
             "- {name: B, type: revolute, bodies: [b, c], at: [%.17g, %.17g]}\n"
             "- {name: D, type: revolute, bodies: [c, ground], at: [%.17g, 0]}\n"
             "simulation: {end: %.6g}\n",
             m, m * a * a / 12, Ax / 2, Ay / 2, random_between(seed, 0, 3) * sqrt(9.81 / L),
             b * b / 12, (Ax + Bx) / 2, (Ay + By) / 2, m, m * c * c / 12, (Bx + d) / 2, By / 2, Ax,
             Ay, Bx, By, d, 4 * sqrt(L));
}

static inline void write_slider_crank(char *text, size_t size, unsigned *seed) {
    const double r = pow(10, random_between(seed, -2, 0)), l = random_between(seed, 1.5, 4) * r,
                 phi = random_between(seed, 0.1, 3);
    const double Ax = r * cos(phi), Ay = r * sin(phi), x = Ax + sqrt(l * l - Ay * Ay);
    snprintf(text, size,
             "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
             "- {name: crank, mass: 1, inertia: %.17g, position: [%.17g, %.17g]}\n"
             "- {name: rod, mass: 0.5, inertia: %.17g, position: [%.17g, %.17g]}\n"
             "- {name: slider, mass: %g, inertia: %.17g, position: [%.17g, 0]}\njoints:\n"
             "- {name: O, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
             "- {name: A, type: revolute, bodies: [crank, rod], at: [%.17g, %.17g]}\n"
             "- {name: B, type: revolute, bodies: [rod, slider], at: [%.17g, 0]}\n"
             "- {name: G, type: prismatic, bodies: [ground, slider], at: [0, 0], axis: [1, 0]}\n"
             "forces:\n- {type: torque, on: crank, value: \"%.6g*sin(3*time/%.6g)\"}\n"
             "simulation: {end: %.6g}\n",
             r * r / 12, Ax / 2, Ay / 2, l * l / 24, (Ax + x) / 2, Ay / 2,
             random_between(seed, 0.2, 2), r * r, x, Ax, Ay, x, 5 * r, sqrt(r), 4 * sqrt(r));
}

// n points in a row between two supports, tied by springs and dampers
static inline void write_net(char *text, size_t size, unsigned *seed) {
    const int n = 2 + (int)(4 * random_part(seed));
    size_t at = 0;
#define WRITE(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
    WRITE("holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 1; i <= n; i++)
        WRITE("- {name: p%d, type: point, mass: %.6g, position: [%d, %.6g], velocity: [%.6g, 0]}\n",
              i, random_between(seed, 0.2, 2), i, random_between(seed, -0.3, 0.3),
              random_between(seed, -2, 2));
    WRITE("forces:\n");
    for (int i = 0; i <= n; i++) {
        char from[40] = "{body: ground, at: [0, 0]}", to[40];
        if (i > 0)
            snprintf(from, sizeof from, "p%d", i);
        snprintf(to, sizeof to, "p%d", i + 1);
        if (i == n)
            snprintf(to, sizeof to, "{body: ground, at: [%d, 0]}", n + 1);
        WRITE("- {type: spring_damper, between: [%s, %s], stiffness: %.6g, damping: %.6g, length: "
              "0.9}\n",
              from, to, random_between(seed, 20, 200), random_between(seed, 0, 0.5));
    }
    WRITE("simulation: {end: 2}\n");
#undef WRITE
}

// a ball on a one-sided spring, or a coordinate with a stop: kinks of the force
static inline void write_kinks(char *text, size_t size, unsigned *seed) {
    const double k = pow(10, random_between(seed, 1, 4)), d = random_between(seed, 0.1, 1);
    snprintf(text, size,
             "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
             "- {name: ball, type: point, mass: %.6g, position: [0, %.6g], velocity: [%.6g, 0]}\n"
             "- {name: q, type: coordinate, mass: 1, position: 1}\nforces:\n"
             "- {type: force, on: ball, value: [0, \"if(ball.y < 0, -%.6g*ball.y, 0)\"]}\n"
             "- {type: expression, on: q, value: \"-%.6g*q - %.6g*max(0, q - 0.5)\"}\n"
             "simulation: {end: 3}\n",
             random_between(seed, 0.5, 2), d, random_between(seed, -1, 1), k,
             random_between(seed, 5, 50), k);
}

// a tree of hinges with an end time
static inline void write_tree(char *text, size_t size, unsigned *seed, int spatial) {
    write_random(text, size, seed, 2 + (int)(5 * random_part(seed)), spatial);
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "simulation: {end: %.6g}\n", random_between(seed, 0.5, 1.5));
}

static inline void write_mechanism(char *text, size_t size, unsigned *seed, int kind) {
    switch (kind % 6) {
    case 0:
        write_tree(text, size, seed, 0);
        break;
    case 1:
        write_tree(text, size, seed, 1);
        break;
    case 2:
        write_four_bar(text, size, seed);
        break;
    case 3:
        write_slider_crank(text, size, seed);
        break;
    case 4:
        write_net(text, size, seed);
        break;
    default:
        write_kinks(text, size, seed);
        break;
    }
}

#endif
