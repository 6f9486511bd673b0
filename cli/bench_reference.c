// SPDX-License-Identifier: Apache-2.0
// A problem without known end values is judged against a run of its own at a tight tolerance, in
// all coordinates of one kind: the largest difference counts, so that no single body decides. The
// peers, which have the same coordinates in the same order, read the values from a file.
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART = 3 }; // x, y, angle of a planar body: the angles are judged
static const double TIGHT = 1e-10;

static HolStatus run_tightly(const BenchProblem *p, HolSim **s, HolModel **m, HolError *err) {
    HolSimOptions o = hol_sim_options();
    o.end = p->end;
    o.tolerance = TIGHT;
    snprintf(o.method.name, sizeof o.method.name, "tangent");
    HolStatus status = bench_load(p, m, NULL, err);
    if (!status)
        status = hol_sim_create(*m, &o, s, err);
    return status ? status : hol_sim_advance(*s, o.end, err);
}

// the values into a file of its own, one a line
static int write_file(BenchReference *r) {
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

int bench_reference_make(BenchProblem *p) {
    if (p->error != BENCH_REFERENCE)
        return 1;
    HolSim *s = NULL;
    HolModel *m = NULL;
    HolError err = {0};
    BenchReference *r = &p->reference;
    *r = (BenchReference){0};
    HolStatus status = run_tightly(p, &s, &m, &err);
    if (!status) {
        HolView view = hol_sim_view(s);
        r->n = view.nq / PART;
        r->value = calloc((size_t)r->n + 1, sizeof *r->value);
        for (int i = 0; r->value && i < r->n; i++)
            r->value[i] = view.q[PART * i + PART - 1];
    } else {
        fprintf(stderr, "holonom bench: %s: reference: %s\n", p->name, err.text);
    }
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return r->value && write_file(r);
}

void bench_reference_free(BenchProblem *p) {
    if (p->error != BENCH_REFERENCE)
        return;
    if (p->reference.file[0])
        unlink(p->reference.file);
    free(p->reference.value);
    p->reference = (BenchReference){0};
}

double bench_reference_error(const BenchProblem *p, HolSim *s) {
    const BenchReference *r = &p->reference;
    const HolView view = hol_sim_view(s);
    double worst = 0;
    for (int i = 0; i < r->n; i++) {
        double d = fabs(view.q[PART * i + PART - 1] - r->value[i]);
        if (!(d <= worst))
            worst = d;
    }
    return worst;
}
