// SPDX-License-Identifier: Apache-2.0
// Model files of mechanisms with N repeated parts, as complete, readable text: `holonom generate
// chain 10 > chain.yaml` is how models/chain.yaml was made.
//
//   four-bar  N windows of the IFToMM benchmark A02: N+1 upright bars, N horizontal ones
//   chain     N planar links in a row, hanging from the ground, released from the horizontal
//   chain3d   N spatial links, hinges with alternating inclined axes (or ball joints), turning at
//             the start
//   stiff-row N double pendula side by side, stiff torsion springs at their knees
#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"
#include "holonom/tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Shape { // one mechanism, with the defaults filled in
    HolPut to;
    int n;
    double length, mass, end; // [m], [kg], [s]
    int spherical;            // chain3d: ball joints instead of hinges
} Shape;

typedef struct Generator {
    const char *name;
    double end;
    int ball_joints; // it may have them
    void (*print)(const Shape *s);
} Generator;

static void generate_head(const HolPut *to, const char *title, const char *space,
                          const char *gravity) {
    hol_put(to, "holonom: 1\nname: %s\nspace: %s\ngravity: %s\n", title, space, gravity);
}

static void generate_simulation(const Shape *s) {
    hol_put(&s->to, "simulation: {end: %.17g, step: 0.01, output_step: 0.05}\n", s->end);
}

// windows side by side; every upright bar starts with the same angular velocity, so that its top
// has the speed of 1 m/s along x
static void generate_four_bar(const Shape *s) {
    double l = s->length, inertia = s->mass * l * l / 12;
    hol_put(
        &s->to,
        "# N-four-bar mechanism, %d window%s: %d upright bars on the ground and %d horizontal "
        "bars.\n"
        "# Source: IFToMM library of computational benchmark problems, A02.\n"
        "# Look at: v0.B.x, v0.B.y; with bars of 1 m and 1 kg the angle a of the upright bars "
        "obeys\n"
        "# ((N+1)/3 + N) a'' = ((N+1)/2 + N) g sin(a), a(0) = 0, a'(0) = 1, B0 = (sin a, cos a).\n",
        s->n, s->n == 1 ? "" : "s", s->n + 1, s->n);
    generate_head(&s->to, "N-four-bar mechanism", "planar", "[0, -9.81]");
    hol_put(&s->to, "bodies:\n");
    for (int i = 0; i <= s->n; i++)
        hol_put(&s->to,
                "  - {name: v%d, mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], velocity: "
                "[0.5, 0], "
                "omega: %.17g, points: {A: [0, %.17g], B: [0, %.17g]}}\n",
                i, s->mass, inertia, i * l, l / 2, -1 / l, -l / 2, l / 2);
    for (int i = 1; i <= s->n; i++)
        hol_put(&s->to,
                "  - {name: h%d, mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], velocity: "
                "[1, 0], "
                "points: {L: [%.17g, 0], R: [%.17g, 0]}}\n",
                i, s->mass, inertia, (i - 0.5) * l, l, -l / 2, l / 2);
    hol_put(&s->to, "joints:\n");
    for (int i = 0; i <= s->n; i++)
        hol_put(
            &s->to,
            "  - {name: A%d, type: revolute, between: [{body: ground, at: [%.17g, 0]}, v%d.A]}\n",
            i, i * l, i);
    for (int i = 1; i <= s->n; i++)
        hol_put(&s->to,
                "  - {name: L%d, type: revolute, between: [v%d.B, h%d.L]}\n"
                "  - {name: R%d, type: revolute, between: [v%d.B, h%d.R]}\n",
                i, i - 1, i, i, i, i);
    hol_put(&s->to,
            "outputs: [v0.B.x, v0.B.y, v0.angle, v0.omega, energy.kinetic, energy.potential, "
            "energy.total]\n");
    generate_simulation(s);
}

static void generate_chain(const Shape *s) {
    double l = s->length;
    hol_put(
        &s->to,
        "# Chain of %d uniform link%s of %g m, hung from the ground at the origin, released from "
        "the horizontal.\n"
        "# Look at: the end of a link, such as link1.right.x; energy.total, which stays at zero.\n",
        s->n, s->n == 1 ? "" : "s", l);
    generate_head(&s->to, "Chain", "planar", "[0, -9.81]");
    hol_put(&s->to, "bodies:\n");
    for (int i = 1; i <= s->n; i++)
        hol_put(
            &s->to,
            "  - {name: link%d, mass: %.17g, inertia: %.17g, position: [%.17g, 0], points: {left: "
            "[%.17g, 0], right: [%.17g, 0]}}\n",
            i, s->mass, s->mass * l * l / 12, (i - 0.5) * l, -l / 2, l / 2);
    hol_put(&s->to, "joints:\n  - {name: J1, type: revolute, between: [ground, link1.left]}\n");
    for (int i = 2; i <= s->n; i++)
        hol_put(&s->to, "  - {name: J%d, type: revolute, between: [link%d.right, link%d.left]}\n",
                i, i - 1, i);
    // the end of the fifth link (a published comparison point) and the end of the chain
    hol_put(&s->to, "outputs: [");
    if (s->n > 5)
        hol_put(&s->to, "link5.right.x, link5.right.y, ");
    hol_put(&s->to, "link%d.right.x, link%d.right.y, J1.fx, J1.fy, energy.total]\n", s->n, s->n);
    generate_simulation(s);
}

// links along x, turning about z at the start, so that gravity and the inclined axes bend the chain
// in space
static void generate_chain3d(const Shape *s) {
    double l = s->length, radius = l / 20;
    double along = s->mass * radius * radius / 2;
    double across = s->mass * (3 * radius * radius + l * l) / 12;
    hol_put(
        &s->to,
        "# Spatial chain of %d link%s of %g m (cylinders of radius %g m) with %s, hung from the "
        "ground at\n"
        "# the origin, released from the horizontal.\n"
        "# Look at: the end of a link, such as link1.right.z; energy.total, which stays "
        "constant.\n",
        s->n, s->n == 1 ? "" : "s", l, radius,
        s->spherical ? "ball joints" : "hinges, every second axis inclined");
    generate_head(&s->to, "Spatial chain", "spatial", "[0, 0, -9.81]");
    hol_put(&s->to, "bodies:\n");
    for (int i = 1; i <= s->n; i++) {
        double x = (i - 0.5) * l;
        hol_put(&s->to,
                "  - {name: link%d, mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%.17g, "
                "0, 0], ",
                i, s->mass, along, across, across, x);
        if (s->spherical)
            hol_put(&s->to, "velocity: [0, %.17g, 0], omega: [0, 0, 1], ", x);
        hol_put(&s->to, "points: {left: [%.17g, 0, 0], right: [%.17g, 0, 0]}}\n", -l / 2, l / 2);
    }
    hol_put(&s->to, "joints:\n");
    for (int i = 1; i <= s->n; i++) {
        hol_put(&s->to, "  - {name: J%d, type: %s, bodies: [", i,
                s->spherical ? "spherical" : "revolute");
        if (i == 1)
            hol_put(&s->to, "ground, link1], at: [0, 0, 0]");
        else
            hol_put(&s->to, "link%d, link%d], at: [%.17g, 0, 0]", i - 1, i, (i - 1) * l);
        if (!s->spherical)
            hol_put(&s->to, ", axis: [0, 1, %d]", i % 2 ? 0 : 1);
        hol_put(&s->to, "}\n");
    }
    hol_put(&s->to, "outputs: [%slink%d.right.x, link%d.right.y, link%d.right.z, energy.total]\n",
            s->n > 5 ? "link5.right.x, link5.right.y, link5.right.z, " : "", s->n, s->n, s->n);
    generate_simulation(s);
}

// N double pendula (rods of 2 m and 3 m, 3 kg and 0.3 kg) hung at the same height; torsion springs
// at the hips (a different one each, so that no two move alike), stiff ones at the knees, soft ones
// between neighbours. The rods start at rest and horizontal with the stiff springs relaxed.
static void generate_stiff_row(const Shape *s) {
    double l1 = s->length, l2 = 1.5 * s->length, m1 = 3 * s->mass, m2 = 0.3 * s->mass;
    hol_put(&s->to,
            "# %d double pendul%s of rods with torsion springs and dampers, the knees 750 times "
            "stiffer than the hips\n"
            "# (eigenvalues near -1e5 1/s); neighbours are coupled by soft torsion springs.\n"
            "# Source: the stiff double pendulum of the index-3 paper, section 6.2, repeated.\n"
            "# Look at: rod angles; with 1650 pendula the index-3 form has 16500 equations.\n",
            s->n, s->n == 1 ? "um" : "a");
    generate_head(&s->to, "Row of stiff double pendula", "planar", "[0, -9.81]");
    hol_put(&s->to, "bodies:\n");
    for (int i = 1; i <= s->n; i++)
        hol_put(&s->to,
                "  - {name: a%d, mass: %.17g, inertia: %.17g, position: [%.17g, 0], points: {left: "
                "[%.17g, 0], right: [%.17g, 0]}}\n"
                "  - {name: b%d, mass: %.17g, inertia: %.17g, position: [%.17g, 0], points: {left: "
                "[%.17g, 0], right: [%.17g, 0]}}\n",
                i, m1, m1 * l1 * l1 / 3, l1, -l1, l1, i, m2, m2 * l2 * l2 / 3, 2 * l1 + l2, -l2,
                l2);
    hol_put(&s->to, "joints:\n");
    for (int i = 1; i <= s->n; i++)
        hol_put(&s->to,
                "  - {name: O%d, type: revolute, between: [ground, a%d.left]}\n"
                "  - {name: P%d, type: revolute, between: [a%d.right, b%d.left]}\n",
                i, i, i, i, i);
    hol_put(&s->to, "forces:\n");
    for (int i = 1; i <= s->n; i++) {
        hol_put(&s->to,
                "  - {type: torsion_spring_damper, between: [ground, a%d], stiffness: "
                "\"400 + 200*sin(%d)\", damping: 15, angle: -pi/2}\n"
                "  - {type: torsion_spring_damper, between: [a%d, b%d], stiffness: 3e5, damping: "
                "5e4, angle: 0}\n",
                i, i, i, i);
        if (i < s->n)
            hol_put(&s->to,
                    "  - {type: torsion_spring_damper, between: [a%d, a%d], stiffness: 100, "
                    "damping: 1, angle: 0}\n",
                    i, i + 1);
    }
    hol_put(&s->to, "outputs: [b1.angle, b%d.angle, b%d.angle, energy.total]\n", (s->n + 2) / 3,
            (2 * s->n + 2) / 3);
    generate_simulation(s);
}

static const Generator generators[] = {
    {"four-bar", 10, 0, generate_four_bar},
    {"chain", 1, 0, generate_chain},
    {"chain3d", 1, 1, generate_chain3d},
    {"stiff-row", 2, 0, generate_stiff_row},
};
enum { N_GENERATORS = sizeof generators / sizeof *generators };

static const Generator *find_generator(const char *word, HolError *err) {
    const char *names[N_GENERATORS];
    for (int i = 0; i < N_GENERATORS; i++) {
        if (strcmp(word, generators[i].name) == 0)
            return &generators[i];
        names[i] = generators[i].name;
    }
    const char *near = hol_nearest_word(word, names, N_GENERATORS);
    hol_error_set(err, HOL_ERR_INPUT,
                  "unknown mechanism '%s'%s%s%s\nThe mechanisms are four-bar, chain, chain3d and "
                  "stiff-row.",
                  word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

static int generate_positive(double value) {
    return isfinite(value) && value > 0;
}

void hol_generate_options_sized(HolGenerate *out, size_t room) {
    const HolGenerate o = {0};
    hol_sized_make(out, room, &o, sizeof o);
}

HolStatus hol_generate(const HolGenerate *given,
                       void (*put)(void *to, const char *text, size_t length), void *to,
                       HolError *err) {
    HolGenerate own = hol_generate_options(), *o = &own;
    HolError problem;
    hol_error_clear(err);
    if (hol_sized_take(o, sizeof *o, given, "hol_generate_options", &problem))
        return hol_error_set(err, HOL_ERR_INPUT, "HolGenerate: %s", problem.text);
    if (!put || !o->mechanism)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "a mechanism and a function that takes the text are needed");
    const Generator *g = find_generator(o->mechanism, err);
    if (!g)
        return HOL_ERR_INPUT;
    Shape s = {.to = {put, to},
               .n = o->n,
               .length = o->length == 0 ? 1 : o->length,
               .mass = o->mass == 0 ? 1 : o->mass,
               .end = o->end == 0 ? g->end : o->end,
               .spherical = o->ball_joints};
    if (s.n < 1 || s.n > 1000000)
        return hol_error_set(err, HOL_ERR_INPUT, "a mechanism has 1 to 1000000 parts, not %d", s.n);
    if (!generate_positive(s.length) || !generate_positive(s.mass) || !generate_positive(s.end))
        return hol_error_set(err, HOL_ERR_INPUT, "length, mass and end time must be positive");
    if (s.spherical && !g->ball_joints)
        return hol_error_set(err, HOL_ERR_INPUT, "ball joints need chain3d");
    g->print(&s);
    return HOL_OK;
}
