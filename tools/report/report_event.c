// SPDX-License-Identifier: Apache-2.0
// Events of a report: all are counted, the first ones stand in its table and mark its plots.
#include "tools/report/report.h"

#include <string.h>

enum { MOST_EVENTS = 2000 };

static void count_kind(HolReportEvents *e, const HolEvent *event) {
    int k = 0;
    while (k < HOL_REPORT_KINDS && e->kinds[k].n && strcmp(e->kinds[k].kind, event->kind) != 0)
        k++;
    if (k == HOL_REPORT_KINDS)
        return;
    memcpy(e->kinds[k].kind, event->kind, sizeof e->kinds[k].kind);
    e->kinds[k].n++;
}

// friction sticks from its last event on, unless that was a slip or the bodies parted
static int count_grip(HolReport *r, const HolEvent *event) {
    HolReportEvents *e = &r->events;
    const int shared = strcmp(event->kind, "share") == 0;
    const int holds = shared || strcmp(event->kind, "stick") == 0;
    const HolNameEntry *known = hol_name_table_find(&e->names, event->name);
    if (!known) {
        if (!holds)
            return 1;
        const char *name = hol_arena_text(&r->arena, event->name);
        if (!name || !HOL_GROW(&r->arena, e->grips, e->n_grips, e->cap_grips) ||
            !(known = hol_name_table_add(&e->names, &r->arena, name, NULL, e->n_grips)))
            return 0;
        e->grips[e->n_grips++] = (HolReportGrip){.name = name};
    }
    HolReportGrip *g = &e->grips[known->line];
    if (holds || strcmp(event->kind, "slip") == 0 || strcmp(event->kind, "lift") == 0) {
        g->holds = holds;
        g->shared = shared;
        g->since = event->time;
    }
    return 1;
}

int hol_report_count(HolReport *r, const HolEvent *event) {
    HolReportEvents *e = &r->events;
    e->seen++;
    count_kind(e, event);
    if (!count_grip(r, event))
        return 0;
    if (e->n >= MOST_EVENTS)
        return 1;
    if (!HOL_GROW(&r->arena, e->list, e->n, e->cap))
        return 0;
    e->list[e->n++] = *event;
    return 1;
}

void hol_report_events(const HolReport *r, HolJson *j) {
    const HolReportEvents *e = &r->events;
    if (!e->n)
        return;
    hol_json_wrap(j);
    hol_json_begin(j, "events", '[', HOL_JSON_TIGHT);
    for (int i = 0; i < e->n; i++) {
        const HolEvent *event = &e->list[i];
        hol_json_begin(j, NULL, '{', HOL_JSON_TIGHT);
        hol_json_number(j, "time", event->time);
        hol_json_text(j, "name", event->name);
        hol_json_text(j, "kind", event->kind);
        hol_json_number(j, "speed_before", event->speed_before);
        hol_json_number(j, "speed_after", event->speed_after);
        hol_json_number(j, "impulse_n", event->impulse_n);
        hol_json_number(j, "impulse_t", event->impulse_t);
        hol_json_number(j, "loss", event->loss);
        hol_json_end(j);
    }
    hol_json_end(j);
}
