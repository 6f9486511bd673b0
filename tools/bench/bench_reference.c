// SPDX-License-Identifier: Apache-2.0
// A problem without known end values is judged against a run of its own at a tight tolerance, in
// all coordinates of one kind: the largest difference counts, so that no single body decides. The
// peers, which have the same coordinates in the same order, read the values from a file.
#include "tools/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART = 3 }; // x, y, angle of a planar body: the angles are judged
static const double TIGHT = 1e-10;

static HolStatus run_tightly(const HolBenchProblem *p, HolSim **s, HolModel **m, HolError *err) {
    HolSimOptions o = hol_sim_options();
    o.end = p->end;
    o.tolerance = TIGHT;
    snprintf(o.method.name, sizeof o.method.name, "tangent");
    HolStatus status = hol_bench_load(p, m, NULL, err);
    if (!status)
        status = hol_sim_create(*m, &o, s, err);
    return status ? status : hol_sim_advance(*s, o.end, err);
}

// the values into a file of its own, one a line
static int write_file(HolBenchReference *r) {
    snprintf(r->file, sizeof r->file, "/tmp/holonom-bench-XXXXXX");
    int handle = mkstemp(r->file);
    FILE *to = handle < 0 ? NULL : fdopen(handle, "w");
    if (!to) {
        r->file[0] = 0;
        return 0;
    }
    for (int i = 0; i < r->n; i++)
        fprintf(to, "%.17g\n", r->value[i]);
    return fclose(to) == 0;
}

int hol_bench_reference_make(HolBenchProblem *p, const HolBenchEffort *effort, HolArena *arena) {
    if (p->error != HOL_BENCH_REFERENCE)
        return 1;
    HolSim *s = NULL;
    HolModel *m = NULL;
    HolError err = {0};
    HolBenchReference *r = &p->reference;
    *r = (HolBenchReference){0};
    HolStatus status = run_tightly(p, &s, &m, &err);
    if (!status) {
        HolView view = hol_sim_view(s);
        r->n = view.nq / PART;
        r->value = HOL_NEW(arena, double, r->n + 1);
        for (int i = 0; r->value && i < r->n; i++)
            r->value[i] = view.q[PART * i + PART - 1];
    } else {
        hol_put(&effort->say, "bench: %s: reference: %s\n", p->name, err.text);
    }
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return r->value && write_file(r);
}

void hol_bench_reference_free(HolBenchProblem *p) {
    if (p->error != HOL_BENCH_REFERENCE)
        return;
    if (p->reference.file[0])
        unlink(p->reference.file);
    p->reference = (HolBenchReference){0};
}

double hol_bench_reference_error(const HolBenchProblem *p, HolSim *s) {
    const HolBenchReference *r = &p->reference;
    const HolView view = hol_sim_view(s);
    double worst = 0;
    for (int i = 0; i < r->n; i++) {
        double d = fabs(view.q[PART * i + PART - 1] - r->value[i]);
        if (!(d <= worst))
            worst = d;
    }
    return worst;
}
