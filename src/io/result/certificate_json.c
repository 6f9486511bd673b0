// SPDX-License-Identifier: Apache-2.0
// A certificate as JSON: for `run --json`, the manifest of results, and the report, which also gets
// the bounds over time.
#include "base/text.h"
#include "holonom/json.h"
#include "io/result/manifest.h"

#include <math.h>

// the layout of what stands inside the certificate
static HolJsonLayout certificate_inner(HolJsonLayout layout) {
    return layout == HOL_JSON_LINES ? HOL_JSON_ROW : layout;
}

// the method and the size of the steps of both runs
static void put_methods(HolJson *j, const HolSimOptions *o, const HolSimOptions *second,
                        HolJsonLayout layout) {
    const int fixed = o->step > 0;
    const double sizes[2] = {fixed ? o->step : o->tolerance,
                             fixed ? second->step : second->tolerance};
    hol_json_begin(j, "methods", '[', layout);
    hol_json_text(j, NULL, o->method.name);
    hol_json_text(j, NULL, second->method.name);
    hol_json_end(j);
    hol_json_numbers(j, fixed ? "steps" : "tolerances", sizes, 2);
}

static void certificate_put_columns(HolJson *j, const HolCertificate *z, HolJsonLayout layout) {
    hol_json_begin(j, "digits", '{', layout);
    for (int i = 0; i < z->n_columns; i++)
        if (z->columns[i]->asked && z->columns[i]->claim == HOL_CLAIM_BOUND)
            hol_json_integer(j, z->columns[i]->name, z->columns[i]->digits);
    hol_json_end(j);
    hol_json_begin(j, "not_unique", '[', layout);
    for (int i = 0; i < z->n_columns; i++)
        if (z->columns[i]->asked && z->columns[i]->claim == HOL_CLAIM_NOT_UNIQUE)
            hol_json_text(j, NULL, z->columns[i]->name);
    hol_json_end(j);
}

// the object, which the caller ends
static void put_certificate(HolJson *j, const char *name, const HolCertificate *z,
                            HolJsonLayout layout) {
    hol_json_begin(j, name, '{', layout);
    hol_json_number(j, "accuracy", z->accuracy > 0 ? z->accuracy : NAN);
    hol_json_number(j, "reached", z->reached);
    hol_json_number(j, "until", z->until);
    hol_json_number(j, "doubling_seconds", z->doubling);
    put_methods(j, z->options, z->second, certificate_inner(layout));
    hol_json_integer(j, "runs", z->runs);
    hol_json_number(j, "cpu_seconds", z->cpu_seconds);
    hol_json_text(j, "text", z->text);
    certificate_put_columns(j, z, certificate_inner(layout));
}

void hol_certificate_json(const HolCertificate *z, FILE *to) {
    if (!z || !to)
        return;
    // stands in an object, whose writer has written the name
    HolJson j = {.put = hol_put_to_file, .to = to, .in_page = 1, .depth = 1, .bare = 1};
    put_certificate(&j, NULL, z, HOL_JSON_LINES);
    hol_json_end(&j);
}

// the steps of the bound of a column: [[time, bound], ...]; null where there is none any more
static void put_bounds(HolJson *j, const HolCertifiedColumn *c) {
    hol_json_begin(j, "bounds", '[', HOL_JSON_TIGHT);
    for (int k = 0; k < c->n_marks; k++) {
        const double bound = c->mark_bound[k];
        const double pair[2] = {c->mark_time[k], bound <= 0.01 * c->size ? bound : NAN};
        hol_json_numbers(j, NULL, pair, 2);
    }
    hol_json_end(j);
}

void hol_certificate_for_page(const HolCertificate *z, HolJson *j) {
    enum { MOST_COLUMNS = 4000 }; // the page stays small
    int n = 0;
    hol_json_wrap(j);
    if (!z) {
        hol_json_text(j, "certificate", NULL);
        return;
    }
    put_certificate(j, "certificate", z, HOL_JSON_TIGHT);
    hol_json_begin(j, "columns", '{', HOL_JSON_TIGHT);
    for (int i = 0; i < z->n_columns && n < MOST_COLUMNS; i++) {
        const HolCertifiedColumn *c = z->columns[i];
        if (c->claim == HOL_CLAIM_NONE)
            continue;
        if (n++ > 0)
            hol_json_wrap(j);
        hol_json_begin(j, c->name, '{', HOL_JSON_TIGHT);
        hol_json_integer(j, "digits", c->digits);
        hol_json_bool(j, "unique", c->claim != HOL_CLAIM_NOT_UNIQUE);
        put_bounds(j, c);
        hol_json_end(j);
    }
    hol_json_end(j);
    hol_json_end(j);
}
