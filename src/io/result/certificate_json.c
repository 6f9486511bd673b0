// SPDX-License-Identifier: Apache-2.0
// A certificate as JSON: for `run --json`, the manifest of results, and the report, which also gets
// the bounds over time.
#include "base/json.h"
#include "io/result/manifest.h"

#include <math.h>

static void put_key(FILE *f, const char *key) {
    fprintf(f, ",\n    \"%s\": ", key);
}

static void put_pair(FILE *f, const char *key, double a, double b) {
    put_key(f, key);
    fputc('[', f);
    hol_json_number(f, a);
    fputs(", ", f);
    hol_json_number(f, b);
    fputc(']', f);
}

// the method and the size of the steps of both runs
static void certificate_json_put_methods(FILE *f, const HolSimOptions *o,
                                         const HolSimOptions *second) {
    put_key(f, "methods");
    fputc('[', f);
    hol_json_text(f, o->method.name);
    fputs(", ", f);
    hol_json_text(f, second->method.name);
    fputc(']', f);
    if (o->step > 0)
        put_pair(f, "steps", o->step, second->step);
    else
        put_pair(f, "tolerances", o->tolerance, second->tolerance);
}

static void certificate_json_put_columns(FILE *f, const HolCertificate *z) {
    int n = 0;
    put_key(f, "digits");
    fputc('{', f);
    for (int i = 0; i < z->n_columns; i++) {
        const HolCertifiedColumn *c = z->columns[i];
        if (!c->asked || c->claim != HOL_CLAIM_BOUND)
            continue;
        fputs(n++ ? ", " : "", f);
        hol_json_text(f, c->name);
        fprintf(f, ": %d", c->digits);
    }
    n = 0;
    fputc('}', f);
    put_key(f, "not_unique");
    fputc('[', f);
    for (int i = 0; i < z->n_columns; i++) {
        const HolCertifiedColumn *c = z->columns[i];
        if (!c->asked || c->claim != HOL_CLAIM_NOT_UNIQUE)
            continue;
        fputs(n++ ? ", " : "", f);
        hol_json_text(f, c->name);
    }
    fputc(']', f);
}

static void put_certificate(FILE *f, const HolCertificate *z) {
    fputs("{\n    \"accuracy\": ", f);
    hol_json_number(f, z->accuracy > 0 ? z->accuracy : NAN);
    put_key(f, "reached");
    hol_json_number(f, z->reached);
    put_key(f, "until");
    hol_json_number(f, z->until);
    put_key(f, "doubling_seconds");
    hol_json_number(f, z->doubling);
    certificate_json_put_methods(f, z->options, z->second);
    put_key(f, "runs");
    fprintf(f, "%d", z->runs);
    put_key(f, "cpu_seconds");
    hol_json_number(f, z->cpu_seconds);
    put_key(f, "text");
    hol_json_text(f, z->text);
    certificate_json_put_columns(f, z);
}

void hol_certificate_json(const HolCertificate *z, FILE *to) {
    if (!z || !to)
        return;
    put_certificate(to, z);
    fputs("\n  }", to);
}

// the steps of the bound of a column: [[time, bound], ...]; null where there is none any more
static void put_bounds(FILE *f, const HolCertifiedColumn *c) {
    fputc('[', f);
    for (int k = 0; k < c->n_marks; k++) {
        const double bound = c->mark_bound[k];
        fputs(k ? ",[" : "[", f);
        hol_json_number(f, c->mark_time[k]);
        fputc(',', f);
        hol_json_number(f, bound <= 0.01 * c->size ? bound : NAN);
        fputc(']', f);
    }
    fputc(']', f);
}

void hol_certificate_for_page(const HolCertificate *z, FILE *f) {
    enum { MOST_COLUMNS = 4000 }; // the page stays small
    int n = 0;
    fputs(",\n\"certificate\":", f);
    if (!z) {
        fputs("null", f);
        return;
    }
    put_certificate(f, z);
    put_key(f, "columns");
    fputc('{', f);
    for (int i = 0; i < z->n_columns && n < MOST_COLUMNS; i++) {
        const HolCertifiedColumn *c = z->columns[i];
        if (c->claim == HOL_CLAIM_NONE)
            continue;
        fputs(n++ ? ",\n" : "", f);
        hol_json_text(f, c->name);
        fprintf(f, ":{\"digits\":%d,\"unique\":%s,\"bounds\":", c->digits,
                c->claim == HOL_CLAIM_NOT_UNIQUE ? "false" : "true");
        put_bounds(f, c);
        fputc('}', f);
    }
    fputs("}\n}", f);
}
