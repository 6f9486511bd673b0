// SPDX-License-Identifier: Apache-2.0
// Texts of random trees of hinges.
#ifndef TREE_RANDOM_H
#define TREE_RANDOM_H

#include <stdio.h>

// from 0 to 1
static double random_part(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216.0;
}

// chains that branch, on one root or several, with fixed joints and springs among them
static void write_random(char *text, size_t size, unsigned *seed, int n, int spatial) {
    const double g[] = {random_part(seed), -9.81, random_part(seed)};
    size_t at = 0;
    int springs[32], n_springs = 0;
#define WRITE(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
    WRITE("holonom: 1\nspace: %s\n", spatial ? "spatial" : "planar");
    WRITE(spatial ? "gravity: [%g, %g, %g]\nbodies:\n" : "gravity: [%g, %g]\nbodies:\n", g[0], g[1],
          g[2]);
    for (int i = 1; i <= n; i++) {
        const double x = i * 0.3, y = random_part(seed), z = random_part(seed),
                     m = 0.5 + random_part(seed);
        if (spatial)
            WRITE("- {name: b%d, mass: %g, inertia: [%g, %g, %g], position: [%g, %g, %g]}\n", i, m,
                  0.1 * m, 0.12 * m, 0.15 * m, x, y, z);
        else
            WRITE("- {name: b%d, mass: %g, inertia: %g, position: [%g, %g]}\n", i, m, 0.1 * m, x,
                  y);
    }
    WRITE("joints:\n");
    for (int i = 1; i <= n; i++) {
        const int up = random_part(seed) < 0.6   ? i - 1
                       : random_part(seed) < 0.3 ? 0
                                                 : (int)(random_part(seed) * i);
        char parent[16] = "ground";
        const double x = i * 0.3 - 0.15 * random_part(seed), y = random_part(seed),
                     z = random_part(seed);
        const char *type = random_part(seed) < 0.1 ? "fixed" : "revolute";
        if (up)
            snprintf(parent, sizeof parent, "b%d", up);
        WRITE("- {name: j%d, type: %s, bodies: [%s, b%d], at: [%g, %g", i, type, parent, i, x, y);
        if (spatial && type[0] == 'r')
            WRITE(", %g], axis: [%g, %g, 1]}\n", z, random_part(seed), random_part(seed));
        else if (spatial)
            WRITE(", %g]}\n", z);
        else
            WRITE("]}\n");
        if (type[0] == 'r' && random_part(seed) < 0.4)
            springs[n_springs++] = i;
    }
    WRITE(n_springs ? "forces:\n" : "");
    for (int i = 0; i < n_springs; i++)
        WRITE(
            "- {name: k%d, type: torsion_spring_damper, joint: j%d, stiffness: 3, damping: 0.1}\n",
            i, springs[i]);
#undef WRITE
}

#endif
