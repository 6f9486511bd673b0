// SPDX-License-Identifier: Apache-2.0
// What is reported of beams, and the names of their places.
//   forces  of the section at a node, in its axes: what the part behind it exerts on the part before,
//           n = a_n, m = a_m of docs/theory/beams.md, (45); between two elements the mean of both
//   stress  of tension and bending at the edges of the section: rectangle N/A +- |My| z/Iy +- |Mz| y/Iz,
//           circle and tube N/A +- sqrt(My^2 + Mz^2) r/I
//   deflection(x)  distance of the node at the fraction x from the straight line between the ends; in
//           the plane positive to the left
//   places  NAME.start, NAME.end, NAME.at(x) with x = k/n
#include "base/text.h"
#include "math/vec.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------

int hol_beam_find(const HolModel *m, const char *name, size_t length) {
    for (int i = 0; i < m->beams.n; i++)
        if (strncmp(m->beams.list[i].name, name, length) == 0 && !m->beams.list[i].name[length])
            return i;
    return -1;
}

int hol_fraction_node(double x, int n) {
    const double k = x * n;
    return k >= -1e-9 && k <= n + 1e-9 && fabs(k - round(k)) <= 1e-9 * n ? (int)round(k) : -1;
}

int hol_fraction_read(const char *text, double *x, size_t *length) {
    const size_t n = strcspn(text, ")");
    *length = n + 1;
    return text[n] == ')' && hol_text_number(text, n, x);
}

// "rod.WORD(0.5)..": the beam, its node and what follows; 0: it is no such name
static int beam_fraction(const HolModel *m, const char *name, const char *word, int *beam,
                         int *node, const char **rest) {
    const char *at = strstr(name, word);
    double x;
    size_t length;
    if (!at || !hol_fraction_read(at + strlen(word), &x, &length))
        return 0;
    *beam = hol_beam_find(m, name, (size_t)(at - name));
    *rest = at + strlen(word) + length;
    *node = *beam < 0 ? -1 : hol_fraction_node(x, m->beams.list[*beam].n);
    return *node >= 0;
}

int hol_beam_place(const HolModel *m, const char *name) {
    const char *dot = strrchr(name, '.'), *rest;
    int beam, node;
    if (beam_fraction(m, name, ".at(", &beam, &node, &rest))
        return *rest ? -1 : m->beams.list[beam].first + node;
    beam = dot ? hol_beam_find(m, name, (size_t)(dot - name)) : -1;
    if (beam < 0)
        return -1;
    const HolBeam *b = &m->beams.list[beam];
    if (strcmp(dot, ".start") == 0)
        return b->first;
    return strcmp(dot, ".end") == 0 ? b->first + b->n : -1;
}

int hol_beam_canonical(const HolModel *m, const char *name, char *out, size_t size) {
    const char *rest;
    int beam, node;
    if (!beam_fraction(m, name, ".at(", &beam, &node, &rest))
        return 0;
    return snprintf(out, size, "%s.node%d%s", m->beams.list[beam].name, node, rest) < (int)size;
}

int hol_beam_deflection_of(const HolModel *m, const char *name, int *beam, int *node) {
    const char *rest;
    return beam_fraction(m, name, ".deflection(", beam, node, &rest) && !*rest;
}

int hol_beam_of_node(const HolModel *m, int body) {
    for (int i = 0; i < m->beams.n; i++)
        if (body >= m->beams.list[i].first && body <= m->beams.list[i].first + m->beams.list[i].n)
            return i;
    return -1;
}

// ---- values -------------------------------------------------------------------------------

// forces at one end of an element, in the axes of that node: (N, Vy, Vz, T, My, Mz)
static void beam_output_end(const HolModel *m, const HolFrame *frames, const double *v, int element,
                            int end, double out[6]) {
    const HolBeams *b = &m->beams;
    const double sign = end ? -1 : 1;
    double f[12];
    if (b->planar) {
        const HolBeam2 *e = &b->planar[element];
        const HolFrame *at = &frames[e->body[end]];
        hol_beam2_force(e, &frames[e->body[0]], &frames[e->body[1]], v + e->v[0], v + e->v[1], f);
        const double *g = f + 3 * end;
        memset(out, 0, sizeof(double) * 6);
        out[0] = sign * (at->c * g[0] + at->s * g[1]);
        out[1] = sign * (at->c * g[1] - at->s * g[0]);
        out[5] = sign * g[2];
        return;
    }
    const HolBeam3 *e = &b->spatial[element];
    Mat3 A;
    memcpy(A.m, frames[e->body[end]].A, sizeof A.m);
    hol_beam3_force(e, &frames[e->body[0]], &frames[e->body[1]], v + e->v[0], v + e->v[1], f);
    v3_store(out, v3_scale(m3_tmulv(A, v3_load(f + 6 * end)), sign));
    v3_store(out + 3, v3_scale(v3_load(f + 6 * end + 3), sign));
}

void hol_beam_node_forces(const HolModel *m, const HolFrame *frames, const double *v, int body,
                          double out[HOL_NODE_VALUES]) {
    const HolBeam *b = &m->beams.list[hol_beam_of_node(m, body)];
    const int node = body - b->first, before = node > 0, behind = node < b->n;
    double left[6] = {0}, right[6] = {0};
    if (before)
        beam_output_end(m, frames, v, b->element + node - 1, 1, left);
    if (behind)
        beam_output_end(m, frames, v, b->element + node, 0, right);
    for (int i = 0; i < 6; i++)
        out[i] = (left[i] + right[i]) / (before + behind);
    const double bending = b->round ? hypot(out[4], out[5]) * b->edge[0]
                                    : fabs(out[4]) * b->edge[0] + fabs(out[5]) * b->edge[1];
    out[6] = out[0] * b->per_area + bending;
    out[7] = out[0] * b->per_area - bending;
}

double hol_beam_deflection(const HolModel *m, const HolFrame *frames, int beam, int node) {
    const HolBeam *b = &m->beams.list[beam];
    const Vec3 start = v3_load(frames[b->first].r);
    const Vec3 chord = v3_sub(v3_load(frames[b->first + b->n].r), start),
               way = v3_sub(v3_load(frames[b->first + node].r), start);
    const double length = v3_norm(chord);
    const Vec3 across = v3_cross(chord, way);
    if (!(length > 0))
        return v3_norm(way);
    return m->space == HOL_PLANAR ? across.z / length : v3_norm(across) / length;
}

double hol_beam_strain_energy(const HolModel *m, const HolFrame *frames, int beam) {
    const HolBeam *b = &m->beams.list[beam];
    double W = 0;
    for (int i = 0; i < b->n; i++)
        W += hol_beam_energy(m, frames, b->element + i);
    return W;
}
