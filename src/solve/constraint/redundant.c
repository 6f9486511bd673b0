// SPDX-License-Identifier: Apache-2.0
// Which rows are left out, see redundant.h. A row i left out is a combination of those kept, and
//   [S G^T; G 0] [x; c] = [G_i^T; 0]   has x = 0,  G_i = c^T G.
// Where some |c_j| is large the rows kept are nearly dependent; row j left out in place of i makes
// them |c_j| times as independent.
#include "solve/constraint/redundant.h"
#include "solve/constraint/project.h"
#include "solve/event/event.h"

#include <math.h>
#include <string.h>

// a row left out with a coefficient beyond this is exchanged
static const double MOST_COEFFICIENT = 4;

int hol_left_out_start(HolSim *s, HolLeftOut *out, int size) {
    const unsigned char *always = s->dependent, *now = hol_event_dependent(s);
    out->count = out->next = 0;
    for (int i = 0; i < s->m; i++)
        out->count += (always && always[i]) || (now && now[i]);
    if (!out->count && !hol_events_may_depend(s))
        return 1;
    if (!out->rows) {
        out->rows = HOL_NEW(&s->arena, unsigned char, s->m);
        out->c = HOL_NEW(&s->arena, double, size);
    }
    if (s->arena.failed)
        return 0;
    for (int i = 0; i < s->m; i++)
        out->rows[i] = (always && always[i]) || (now && now[i]);
    return 1;
}

int hol_left_out_exchange(HolSim *s, HolLeftOut *out, const HolKeptRows *kept, const double *G,
                          int most) {
    const HolPattern *P = &s->p->G;
    double *c = out->c + kept->multiplier;
    for (int passed = 0; passed < s->m && most > 0; passed++) {
        const int i = out->next;
        out->next = (i + 1) % s->m;
        if (!out->rows[i])
            continue;
        most--;
        memset(out->c, 0, sizeof *c * (size_t)kept->size);
        for (int e = P->ptr[i]; e < P->ptr[i + 1]; e++)
            out->c[kept->unknown + P->idx[e]] = G[e];
        hol_kkt_solve_motion(kept->kkt, out->c, 1);
        int largest = 0;
        for (int j = 0; j < s->m; j++) {
            c[j] = out->rows[j] ? 0 : c[j];
            largest = fabs(c[j]) > fabs(c[largest]) ? j : largest;
        }
        if (fabs(c[largest]) > MOST_COEFFICIENT) {
            out->rows[i] = 0;
            out->rows[largest] = 1;
            return 1;
        }
    }
    return 0;
}

double hol_left_out_residual(HolSim *s, const HolLeftOut *out, double t, const double *q) {
    double largest = 0;
    s->p->constraint(s->p, s->work, &(HolPoint){.t = t, .q = q}, s->g);
    for (int i = 0; i < s->nh; i++)
        if (out->rows[i])
            largest = fmax(largest, fabs(s->g[i]));
    return largest;
}

void hol_left_out_keep(HolSim *s, HolLeftOut *out, HolKeeper *k) {
    HOL_KEEP(k, out->count);
    HOL_KEEP(k, out->next);
    HOL_KEEP_ARRAY(k, out->rows, s->m);
}
