// SPDX-License-Identifier: Apache-2.0
// Modal bodies without matrices: a straight rod (from, to), or corners with members between them, of one
// section; in the plane a rod may have the frame that is tangent at its start.
#include "io/modal/read_modal.h"
#include "io/model/read_beam.h"

#include <math.h>
#include <string.h>

enum { MOST_ELEMENTS = 200, MOST_MEMBERS = 500 };

static int frame_whole(HolReader *r, const HolNode *node, const char *key, int low, int high,
                       int *out) {
    double x;
    if (!hol_read_number(r, node, key, &x))
        return 0;
    const int right = x >= low && x <= high && x == floor(x);
    *out = right ? (int)x : low; // (a number of any size)
    if (right)
        return 1;
    hol_read_problem(r, node, -1, "'%s' must be a whole number from %d to %d, not %.60s", key, low,
                     high, node->text);
    return 0;
}

// the two ends of a rod, or the corners of `nodes`
static double *frame_corners(HolReader *r, const HolModalTarget *t, int *n) {
    const int rod = t->from != NULL;
    *n = rod ? 2 : t->nodes->n;
    double *x = HOL_NEW(r->arena, double, 3 * *n + 1);
    for (int i = 0; x && i < *n; i++) {
        const HolNode *node = rod ? (i ? t->to : t->from) : &t->nodes->values[i];
        if (!hol_read_numbers(r, node, rod ? (i ? "to" : "from") : "nodes", r->dimensions,
                              r->dimensions, x + 3 * i, NULL))
            return NULL;
    }
    return x;
}

static int frame_member(HolReader *r, const HolNode *pair, const double *corners, int n,
                        int out[2]) {
    if (!hol_expect(r, pair, HOL_NODE_LIST, "members"))
        return 0;
    if (pair->n != 2) {
        hol_read_problem(r, pair, -1, "'members': a member joins two nodes, not %d", pair->n);
        return 0;
    }
    for (int k = 0; k < 2; k++) {
        if (!frame_whole(r, &pair->values[k], "members", 1, n, &out[k]))
            return 0;
        out[k]--;
    }
    double length = 0;
    for (int c = 0; c < 3; c++)
        length = hypot(length, corners[3 * out[0] + c] - corners[3 * out[1] + c]);
    if (length > 0)
        return 1;
    hol_read_problem(r, pair, -1, "'members': a member must have two ends at different places");
    return 0;
}

static int (*frame_members(HolReader *r, const HolModalTarget *t, const double *corners, int n,
                           int *count))[2] {
    const int rod = t->from != NULL;
    *count = rod ? 1 : t->members->n;
    int(*list)[2] = hol_arena_alloc(r->arena, sizeof(int[2]) * (size_t)(*count + 1));
    if (*count < 1 || *count > MOST_MEMBERS) {
        hol_read_problem(r, t->members, -1, "'members' must hold 1 to %d pairs of nodes",
                         MOST_MEMBERS);
        return NULL;
    }
    if (list && rod)
        list[0][1] = 1;
    for (int i = 0; list && !rod && i < *count; i++)
        if (!frame_member(r, &t->members->values[i], corners, n, list[i]))
            return NULL;
    return list;
}

static int frame_keys(HolReader *r, const HolModalTarget *t) {
    const int before = r->problems;
    if (t->from ? !t->to : !t->members || !t->nodes)
        hol_read_problem(r, t->node, -1, "required key '%s' is missing",
                         t->from      ? "to"
                         : t->members ? "nodes"
                                      : "members");
    if (t->from && (t->members || t->nodes))
        hol_read_problem(r, t->members ? t->members : t->nodes, -1,
                         "give 'from' and 'to', or 'nodes' and 'members', not both");
    if (t->mass || t->stiffness)
        hol_read_problem(r, t->mass ? t->mass : t->stiffness, -1,
                         "give matrices, or members, not both");
    if (!t->elements)
        hol_read_problem(r, t->node, -1, "required key 'elements' is missing: of each member");
    if (t->tangent && (!t->from || r->space != HOL_PLANAR))
        hol_read_problem(r, t->node, -1,
                         "'frame: tangent' is that of a rod in the plane, from .. to ..");
    if (t->from && (hol_node_get(t->node, "position") || hol_node_get(t->node, "angle") ||
                    hol_node_get(t->node, "orientation")))
        hol_read_problem(r, t->node, -1, "'from' and 'to' place the rod: leave out its position");
    if (t->members)
        hol_expect(r, t->members, HOL_NODE_LIST, "members");
    if (t->members && t->nodes)
        hol_expect(r, t->nodes, HOL_NODE_LIST, "nodes");
    return r->problems == before;
}

int hol_read_modal_built(const HolModalTarget *t) {
    return t->from || t->to || t->members;
}

static HolStatus frame_tangent(HolReader *r, HolModalTarget *t, HolModalDef *d,
                               const HolBeamSection *s, const double *x, int elements) {
    const double dx = x[3] - x[0], dy = x[4] - x[1], length = hypot(dx, dy);
    d->body.position[0] = x[0];
    d->body.position[1] = x[1];
    d->body.angle = atan2(dy, dx);
    d->body.velocity[0] += d->body.omega[0] * dy / 2; // (given of the centre)
    d->body.velocity[1] -= d->body.omega[0] * dx / 2;
    if (t->interfaces) {
        hol_read_problem(r, t->interfaces, -1, "the interfaces of a rod are its start and its end");
        return HOL_ERR_INPUT;
    }
    return hol_add_modal_rod(r->model, d, s, length, elements, r->err);
}

int hol_read_modal_frame(HolReader *r, HolModalTarget *t, HolModalDef *d) {
    HolBeamSection s;
    int n, count, elements = 0;
    if (!frame_keys(r, t) || !frame_whole(r, t->elements, "elements", 1, MOST_ELEMENTS, &elements))
        return 0;
    const double *x = frame_corners(r, t, &n);
    const int(*members)[2] = x ? (const int(*)[2])frame_members(r, t, x, n, &count) : NULL;
    t->beam.body.name = d->body.name;
    if (!members || !hol_beam_section(r->model, &t->beam, &s, r->err))
        return 0;
    if (t->from && x[0] == x[3] && x[1] == x[4] && x[2] == x[5]) {
        hol_read_problem(r, t->to, -1, "'to' must be another place than 'from'");
        return 0;
    }
    if (t->tangent)
        return frame_tangent(r, t, d, &s, x, elements) == HOL_OK;
    const int unknowns = (n + count * (elements - 1)) * (r->dimensions == 3 ? 6 : 3);
    if (unknowns > HOL_MODAL_UNKNOWNS) {
        hol_read_problem(r, t->elements, -1, "%d unknowns are too many: at most %d", unknowns,
                         HOL_MODAL_UNKNOWNS);
        return 0;
    }
    return hol_modal_frame(r->model, &s, t->beam.up, x, n, members, count, elements, r->arena,
                           &t->parts);
}
