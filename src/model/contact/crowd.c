// SPDX-License-Identifier: Apache-2.0
// From `among` and `walls` to balls and planes (docs/theory/contact.md, section 20).
#include "model/contact/crowd.h"

#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// `*` stands for any number of characters
static int crowd_matches(const char *pattern, const char *name) {
    const char *star = NULL, *again = name;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            again = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++again;
        } else {
            return 0;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == 0;
}

static int crowd_problem(const HolModel *m, const HolContactDef *d, const HolContactSide *s,
                         const char *text, const char *name, HolError *err) {
    hol_problem_error(m, err, s ? s->place.line : d->line, s ? s->place.column : d->column,
                      "contact '%s': %s%.64s%s", d->name, text, name ? name : "", name ? "'" : "");
    return 0;
}

// last: the last ball of each body so far, -1: none
static int crowd_ball(HolModel *m, HolCrowd *c, int *capacity, int *last, const HolContactSide *s,
                      int body, HolError *err) {
    HolRef place = s->place;
    HolAttach a = {0};
    char what[120];
    snprintf(what, sizeof what, "contact '%.80s'", c->name);
    place.body = m->def.bodies[body].def.name;
    if (!hol_body_placed(&m->def.bodies[body].def))
        return crowd_problem(m, c->def, s, "a coordinate has no place: '", place.body, err);
    if (!hol_resolve(m, &place, what, &a, err) || !HOL_GROW(&m->arena, c->balls, c->n, *capacity))
        return 0;
    HolCrowdBall *ball = &c->balls[c->n];
    *ball = (HolCrowdBall){.body = body, .radius = s->radius, .mass = m->def.bodies[body].def.mass};
    memcpy(ball->at, a.at, sizeof ball->at);
    for (int i = last[body]; i >= 0; i = c->balls[i].before)
        if (memcmp(c->balls[i].at, ball->at, sizeof ball->at) == 0)
            return crowd_problem(m, c->def, s, "the same place of the same body twice: '",
                                 place.body, err);
    ball->before = last[body];
    last[body] = c->n++;
    return 1;
}

static int crowd_members(HolModel *m, HolCrowd *c, HolError *err) {
    const HolContactDef *d = c->def;
    const int bodies = hol_visible_bodies(m);
    int capacity = 0, ok = 1, *last = HOL_NEW(&m->arena, int, bodies + 1);
    for (int i = 0; last && i < bodies; i++)
        last[i] = -1;
    if (!last)
        return 0;
    for (int k = 0; k < d->n_members && ok; k++) {
        const HolContactSide *s = &d->members[k];
        const char *pattern = s->place.body;
        int found = 0;
        if (s->shape != HOL_SHAPE_CIRCLE && s->shape != HOL_SHAPE_SPHERE)
            return crowd_problem(m, d, s, "'among' takes circles (in space spheres)", NULL, err);
        if (!hol_contact_in_space(m, d, s, err))
            return 0;
        if (!strchr(pattern, '*')) {
            const int body = hol_body_find(m, pattern);
            found = body > 0;
            ok &= found && crowd_ball(m, c, &capacity, last, s, body, err);
        }
        for (int i = 1; strchr(pattern, '*') && i < bodies && ok; i++)
            if (crowd_matches(pattern, m->def.bodies[i].def.name)) {
                found = 1;
                ok &= crowd_ball(m, c, &capacity, last, s, i, err);
            }
        if (!found)
            return crowd_problem(m, d, s, "no body is named '", pattern, err);
    }
    return ok;
}

static int crowd_walls(HolModel *m, HolCrowd *c, HolError *err) {
    const HolContactDef *d = c->def;
    char what[120];
    snprintf(what, sizeof what, "contact '%.80s'", d->name);
    c->walls = HOL_NEW(&m->arena, HolCrowdWall, d->n_walls + 1);
    for (int k = 0; k < d->n_walls && c->walls; k++) {
        const HolContactSide *s = &d->walls[k];
        HolAttach a = {0};
        if (s->shape != HOL_SHAPE_LINE && s->shape != HOL_SHAPE_PLANE)
            return crowd_problem(m, d, s, "'walls' are lines (in space planes)", NULL, err);
        if (!hol_contact_in_space(m, d, s, err) || !hol_resolve(m, &s->place, what, &a, err))
            return 0;
        if (!a.has_axis)
            return crowd_problem(m, d, s, "a line or plane needs 'normal'", NULL, err);
        HolCrowdWall *w = &c->walls[c->n_walls++];
        w->body = a.body;
        w->mass = a.body ? m->def.bodies[a.body].def.mass : 0;
        memcpy(w->at, a.at, sizeof w->at);
        v3_store(w->normal, v3_unit(v3_load(a.axis)));
    }
    return c->walls != NULL;
}

static int crowd_law(HolModel *m, HolCrowd *c, HolError *err) {
    const HolContactDef *d = c->def;
    const double *h = d->hertz;
    if (d->stiffness == 0)
        return crowd_problem(m, d, NULL,
                             "contacts among many bodies cannot be rigid; give a number as "
                             "'stiffness', or 'hertz'",
                             NULL, err);
    c->n_law = isnan(d->exponent) || h[0] > 0 ? 1.5 : d->exponent;
    c->k = h[0] > 0 ? 0 : d->stiffness;
    if (h[0] > 0)
        c->modulus = 1 / ((1 - h[1] * h[1]) / h[0] + (1 - h[3] * h[3]) / h[2]);
    c->a = isnan(d->dissipation) ? 0 : d->dissipation;
    c->e = isnan(d->restitution) ? 1 : d->restitution;
    if (isnan(d->dissipation) && c->e < 1) {
        c->z = hol_contact_damping(c->e);
        c->top = hol_crowd_top(c->z);
    }
    return 1;
}

int hol_crowd_build(HolModel *m, const HolContactDef *def, HolError *err) {
    HolCrowd c = {.name = def->name, .def = def, .work = hol_crowds_work_size(m) / sizeof(double)};
    if (!crowd_law(m, &c, err) || !crowd_members(m, &c, err) || !crowd_walls(m, &c, err))
        return 0;
    if (c.n < 2 && !c.n_walls)
        return crowd_problem(m, def, NULL, "one body alone touches nothing", NULL, err);
    hol_crowd_levels(&c);
    if (!HOL_GROW(&m->arena, m->touch.crowds, m->touch.n_crowds, m->touch.cap_crowds))
        return 0;
    m->touch.crowds[m->touch.n_crowds++] = c;
    m->sys.has_power = 1;
    return 1;
}
