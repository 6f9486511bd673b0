// SPDX-License-Identifier: Apache-2.0
// `holonom generate NAME N`: print the model file of a mechanism with N repeated parts. The text is
// a complete, readable model; `holonom generate chain 10 > chain.yaml` is how models/chain.yaml was
// made.
//
//   four-bar   N windows of the IFToMM benchmark A02: N+1 upright bars, N horizontal ones
//   chain      N planar links in a row, hanging from the ground, released from the horizontal
//   chain3d    N spatial links, hinges with alternating inclined axes (or ball joints), rotating
//              at the start
//   stiff-row  N double pendula side by side, stiff torsion springs at their knees
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Shape { // what the options say about one part
    FILE *to;
    int n;
    double length, mass, end; // [m], [kg], [s]
    int spherical;            // chain3d: ball joints instead of hinges
} Shape;

typedef struct Generator {
    const char *name;
    double end;
    void (*print)(const Shape *s);
} Generator;

static void print_head(FILE *to, const char *title, const char *space, const char *gravity) {
    fprintf(to, "holonom: 1\nname: %s\nspace: %s\ngravity: %s\n", title, space, gravity);
}

static void print_simulation(const Shape *s) {
    fprintf(s->to, "simulation: {end: %.17g, step: 0.01, output_step: 0.05}\n", s->end);
}

// windows side by side; every upright bar starts with the same angular velocity, so that its top
// has the speed of 1 m/s along x
static void print_four_bar(const Shape *s) {
    double l = s->length, inertia = s->mass * l * l / 12;
    fprintf(
        s->to,
        "# N-four-bar mechanism, %d window%s: %d upright bars on the ground and %d horizontal "
        "bars.\n"
        "# Source: IFToMM library of computational benchmark problems, A02.\n"
        "# Look at: v0.B.x, v0.B.y; with bars of 1 m and 1 kg the angle a of the upright bars "
        "obeys\n"
        "# ((N+1)/3 + N) a'' = ((N+1)/2 + N) g sin(a), a(0) = 0, a'(0) = 1, B0 = (sin a, cos a).\n",
        s->n, s->n == 1 ? "" : "s", s->n + 1, s->n);
    print_head(s->to, "N-four-bar mechanism", "planar", "[0, -9.81]");
    fprintf(s->to, "bodies:\n");
    for (int i = 0; i <= s->n; i++)
        fprintf(s->to,
                "  - {name: v%d, mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], velocity: "
                "[0.5, 0], "
                "omega: %.17g, points: {A: [0, %.17g], B: [0, %.17g]}}\n",
                i, s->mass, inertia, i * l, l / 2, -1 / l, -l / 2, l / 2);
    for (int i = 1; i <= s->n; i++)
        fprintf(s->to,
                "  - {name: h%d, mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], velocity: "
                "[1, 0], "
                "points: {L: [%.17g, 0], R: [%.17g, 0]}}\n",
                i, s->mass, inertia, (i - 0.5) * l, l, -l / 2, l / 2);
    fprintf(s->to, "joints:\n");
    for (int i = 0; i <= s->n; i++)
        fprintf(
            s->to,
            "  - {name: A%d, type: revolute, between: [{body: ground, at: [%.17g, 0]}, v%d.A]}\n",
            i, i * l, i);
    for (int i = 1; i <= s->n; i++)
        fprintf(s->to,
                "  - {name: L%d, type: revolute, between: [v%d.B, h%d.L]}\n"
                "  - {name: R%d, type: revolute, between: [v%d.B, h%d.R]}\n",
                i, i - 1, i, i, i, i);
    fprintf(s->to,
            "outputs: [v0.B.x, v0.B.y, v0.angle, v0.omega, energy.kinetic, energy.potential, "
            "energy.total]\n");
    print_simulation(s);
}

static void print_chain(const Shape *s) {
    double l = s->length;
    fprintf(
        s->to,
        "# Chain of %d uniform link%s of %g m, hung from the ground at the origin, released from "
        "the horizontal.\n"
        "# Look at: the end of a link, such as link1.right.x; energy.total, which stays at zero.\n",
        s->n, s->n == 1 ? "" : "s", l);
    print_head(s->to, "Chain", "planar", "[0, -9.81]");
    fprintf(s->to, "bodies:\n");
    for (int i = 1; i <= s->n; i++)
        fprintf(
            s->to,
            "  - {name: link%d, mass: %.17g, inertia: %.17g, position: [%.17g, 0], points: {left: "
            "[%.17g, 0], right: [%.17g, 0]}}\n",
            i, s->mass, s->mass * l * l / 12, (i - 0.5) * l, -l / 2, l / 2);
    fprintf(s->to, "joints:\n  - {name: J1, type: revolute, between: [ground, link1.left]}\n");
    for (int i = 2; i <= s->n; i++)
        fprintf(s->to, "  - {name: J%d, type: revolute, between: [link%d.right, link%d.left]}\n", i,
                i - 1, i);
    // the end of the fifth link (a published comparison point) and the end of the chain
    fprintf(s->to, "outputs: [");
    if (s->n > 5)
        fprintf(s->to, "link5.right.x, link5.right.y, ");
    fprintf(s->to, "link%d.right.x, link%d.right.y, J1.fx, J1.fy, energy.total]\n", s->n, s->n);
    print_simulation(s);
}

// links along x, turning about z at the start, so that gravity and the inclined axes bend the chain
// in space
static void print_chain3d(const Shape *s) {
    double l = s->length, radius = l / 20;
    double along = s->mass * radius * radius / 2;
    double across = s->mass * (3 * radius * radius + l * l) / 12;
    fprintf(
        s->to,
        "# Spatial chain of %d link%s of %g m (cylinders of radius %g m) with %s, hung from the "
        "ground at\n"
        "# the origin, released from the horizontal.\n"
        "# Look at: the end of a link, such as link1.right.z; energy.total, which stays "
        "constant.\n",
        s->n, s->n == 1 ? "" : "s", l, radius,
        s->spherical ? "ball joints" : "hinges, every second axis inclined");
    print_head(s->to, "Spatial chain", "spatial", "[0, 0, -9.81]");
    fprintf(s->to, "bodies:\n");
    for (int i = 1; i <= s->n; i++) {
        double x = (i - 0.5) * l;
        fprintf(s->to,
                "  - {name: link%d, mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%.17g, "
                "0, 0], ",
                i, s->mass, along, across, across, x);
        if (s->spherical)
            fprintf(s->to, "velocity: [0, %.17g, 0], omega: [0, 0, 1], ", x);
        fprintf(s->to, "points: {left: [%.17g, 0, 0], right: [%.17g, 0, 0]}}\n", -l / 2, l / 2);
    }
    fprintf(s->to, "joints:\n");
    for (int i = 1; i <= s->n; i++) {
        fprintf(s->to, "  - {name: J%d, type: %s, bodies: [", i,
                s->spherical ? "spherical" : "revolute");
        if (i == 1)
            fprintf(s->to, "ground, link1], at: [0, 0, 0]");
        else
            fprintf(s->to, "link%d, link%d], at: [%.17g, 0, 0]", i - 1, i, (i - 1) * l);
        if (!s->spherical)
            fprintf(s->to, ", axis: [0, 1, %d]", i % 2 ? 0 : 1);
        fprintf(s->to, "}\n");
    }
    fprintf(s->to, "outputs: [%slink%d.right.x, link%d.right.y, link%d.right.z, energy.total]\n",
            s->n > 5 ? "link5.right.x, link5.right.y, link5.right.z, " : "", s->n, s->n, s->n);
    print_simulation(s);
}

// N double pendula (rods of 2 m and 3 m, 3 kg and 0.3 kg) hung at the same height; torsion springs
// at the hips (a different one each, so that no two move alike), stiff ones at the knees, soft ones
// between neighbours. The rods start at rest and horizontal with the stiff springs relaxed.
static void print_stiff_row(const Shape *s) {
    double l1 = s->length, l2 = 1.5 * s->length, m1 = 3 * s->mass, m2 = 0.3 * s->mass;
    fprintf(s->to,
            "# %d double pendul%s of rods with torsion springs and dampers, the knees 750 times "
            "stiffer than the hips\n"
            "# (eigenvalues near -1e5 1/s); neighbours are coupled by soft torsion springs.\n"
            "# Source: the stiff double pendulum of the index-3 paper, section 6.2, repeated.\n"
            "# Look at: rod angles; with 1650 pendula the index-3 form has 16500 equations.\n",
            s->n, s->n == 1 ? "um" : "a");
    print_head(s->to, "Row of stiff double pendula", "planar", "[0, -9.81]");
    fprintf(s->to, "bodies:\n");
    for (int i = 1; i <= s->n; i++)
        fprintf(s->to,
                "  - {name: a%d, mass: %.17g, inertia: %.17g, position: [%.17g, 0], points: {left: "
                "[%.17g, 0], right: [%.17g, 0]}}\n"
                "  - {name: b%d, mass: %.17g, inertia: %.17g, position: [%.17g, 0], points: {left: "
                "[%.17g, 0], right: [%.17g, 0]}}\n",
                i, m1, m1 * l1 * l1 / 3, l1, -l1, l1, i, m2, m2 * l2 * l2 / 3, 2 * l1 + l2, -l2,
                l2);
    fprintf(s->to, "joints:\n");
    for (int i = 1; i <= s->n; i++)
        fprintf(s->to,
                "  - {name: O%d, type: revolute, between: [ground, a%d.left]}\n"
                "  - {name: P%d, type: revolute, between: [a%d.right, b%d.left]}\n",
                i, i, i, i, i);
    fprintf(s->to, "forces:\n");
    for (int i = 1; i <= s->n; i++) {
        fprintf(s->to,
                "  - {type: torsion_spring_damper, between: [ground, a%d], stiffness: "
                "\"400 + 200*sin(%d)\", damping: 15, angle: -pi/2}\n"
                "  - {type: torsion_spring_damper, between: [a%d, b%d], stiffness: 3e5, damping: "
                "5e4, angle: 0}\n",
                i, i, i, i);
        if (i < s->n)
            fprintf(s->to,
                    "  - {type: torsion_spring_damper, between: [a%d, a%d], stiffness: 100, "
                    "damping: 1, angle: 0}\n",
                    i, i + 1);
    }
    fprintf(s->to, "outputs: [b1.angle, b%d.angle, b%d.angle, energy.total]\n", (s->n + 2) / 3,
            (2 * s->n + 2) / 3);
    print_simulation(s);
}

static const Generator generators[] = {
    {"four-bar", 10, print_four_bar},
    {"chain", 1, print_chain},
    {"chain3d", 1, print_chain3d},
    {"stiff-row", 2, print_stiff_row},
    {0},
};

static const Generator *find_generator(const char *word) {
    const char *names[sizeof generators / sizeof *generators] = {0};
    for (int i = 0; generators[i].name; i++) {
        if (strcmp(word, generators[i].name) == 0)
            return &generators[i];
        names[i] = generators[i].name;
    }
    const char *near = cli_nearest(word, names);
    fprintf(stderr, "holonom generate: unknown mechanism '%s'", word);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\nThe mechanisms are four-bar, chain, chain3d and stiff-row.\n");
    return NULL;
}

// a positive number in an option, the fallback when it is not given; 0 after a message
static int read_positive(const CliArgs *args, const char *option, double fallback, double *out) {
    const char *text = cli_value(args, option);
    *out = fallback;
    if (!text)
        return 1;
    char *rest;
    *out = strtod(text, &rest);
    if (*text && !*rest && isfinite(*out) && *out > 0)
        return 1;
    fprintf(stderr, "holonom generate: %s needs a positive number, not '%s'\n", option, text);
    return 0;
}

static int read_count(const char *text, int *out) {
    char *rest;
    long n = strtol(text, &rest, 10);
    *out = (int)n;
    if (*text && !*rest && n >= 1 && n <= 1000000)
        return 1;
    fprintf(stderr, "holonom generate: N must be a whole number from 1 to 1000000, not '%s'\n",
            text);
    return 0;
}

void cli_generate_text(FILE *to, const char *name, int n) {
    for (const Generator *g = generators; g->name; g++)
        if (strcmp(g->name, name) == 0) {
            Shape s = {.to = to, .n = n, .length = 1, .mass = 1, .end = g->end};
            g->print(&s);
        }
}

static int cmd_generate_run(const CliArgs *args) {
    const Generator *g = find_generator(args->words[0]);
    Shape s = {.to = stdout};
    if (!g || !read_count(args->words[1], &s.n))
        return CLI_USAGE;
    if (!read_positive(args, "--length", 1, &s.length) ||
        !read_positive(args, "--mass", 1, &s.mass) || !read_positive(args, "--end", g->end, &s.end))
        return CLI_USAGE;
    const char *joint = cli_value(args, "--joint");
    s.spherical = joint && strcmp(joint, "spherical") == 0;
    if (joint && !s.spherical && strcmp(joint, "revolute") != 0) {
        fprintf(stderr, "holonom generate: --joint is revolute or spherical, not '%s'\n", joint);
        return CLI_USAGE;
    }
    if (s.spherical && g->print != print_chain3d) {
        fprintf(stderr, "holonom generate: ball joints need chain3d\n");
        return CLI_USAGE;
    }
    g->print(&s);
    return CLI_OK;
}

static const CliOption options[] = {
    {"--length", NULL, "L", "1", "length of a part [m]"},
    {"--mass", NULL, "M", "1", "mass of a part [kg]"},
    {"--joint", NULL, "TYPE", "revolute", "chain3d: revolute or spherical"},
    {"--end", NULL, "T", NULL, "end time in the simulation section [s]"},
    {0},
};

const CliCommand cli_generate = {
    .name = "generate",
    .arguments = "NAME N",
    .n_arguments = 2,
    .help = "print the model of a mechanism with N parts: four-bar, chain, chain3d, stiff-row",
    .options = options,
    .run = cmd_generate_run,
};
