// SPDX-License-Identifier: Apache-2.0
// What a run of a compiled model remembers beside its state, as a byte string and back: turns of
// angles, tables that were left, caches, the series of the last step.
#include "model/model.h"

#include <string.h>

// a set of series: as many as there is room for
static void keep_series(const HolModel *m, HolJetMemory *jet, HolKeeper *k) {
    const int order = jet->jets.leading ? jet->jets.order : -1;
    if (hol_keep_number(k, "series", order, order, order) < 0)
        return;
    hol_keep(k, "coefficients", jet->jets.leading, hol_jets_size(m, order));
    HOL_KEEP(k, jet->moments_left);
}

// what belongs to the model that a run is kept of: names, masses, the text it was read from
static uint64_t keep_print(const HolModel *m) {
    uint64_t print = HOL_KEEP_HASH_START;
    for (int i = 1; i < m->def.n_bodies; i++)
        print =
            hol_keep_hash(print, m->def.bodies[i].def.name, strlen(m->def.bodies[i].def.name) + 1);
    print = hol_keep_hash(print, m->sys.mass, sizeof(double) * (size_t)m->problem.M.nnz);
    if (m->source)
        print = hol_keep_hash(print, m->source, strlen(m->source));
    for (int i = 0; i < m->n_settings; i++) {
        print = hol_keep_hash(print, m->settings[i].key, strlen(m->settings[i].key) + 1);
        print = hol_keep_hash(print, m->settings[i].value, strlen(m->settings[i].value) + 1);
    }
    for (int i = 0; i < m->n_files; i++)
        print = hol_keep_hash(print, m->files[i].sha256, strlen(m->files[i].sha256));
    return print;
}

void hol_model_run_keep(const HolProblem *p, void *work, HolKeeper *k) {
    const HolModel *m = (const HolModel *)p->user;
    HolModelWork *w = work;
    const uint64_t print = keep_print(m);
    const int low = (int)(print & 0x7fffffff), high = (int)(print >> 32 & 0x7fffffff);
    hol_keep_number(k, "model", low, low, low);
    hol_keep_number(k, "model", high, high, high);
    HOL_KEEP(k, w->t);
    HOL_KEEP(k, w->have_q);
    HOL_KEEP(k, w->have_v);
    HOL_KEEP(k, w->have_slots_q);
    HOL_KEEP(k, w->have_slots_v);
    HOL_KEEP(k, w->memory_t);
    HOL_KEEP(k, w->has_rates);
    HOL_KEEP(k, w->turned_t);
    // all numbers behind the head
    const size_t head = (sizeof *w + 63) / 64 * 64;
    hol_keep(k, "work", (char *)work + head, hol_model_work_size(m) - head);
    keep_series(m, &w->jet, k);
    keep_series(m, &w->other, k);
}
