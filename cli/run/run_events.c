// SPDX-License-Identifier: Apache-2.0
// Events and impulses of a run, counted; see run_events.h.
#include "run/run_events.h"

#include "commands.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *const kinds[RUN_EVENT_KINDS] = {"impact", "rest", "touch", "lift", "stick",
                                                   "share",  "slip", "user",  "stop"};

// ---- every line ----

static HolStatus lines_error(HolError *err) {
    *err = (HolError){.status = HOL_ERR_FILE, .problems = 1};
    snprintf(err->text, sizeof err->text, "cannot keep events for --json: %s",
             strerror(errno ? errno : EIO));
    return HOL_ERR_FILE;
}

HolStatus run_events_keep(RunEvents *e, HolError *err) {
    errno = 0;
    e->events = tmpfile();
    e->impulses = e->events ? tmpfile() : NULL;
    if (e->impulses)
        return HOL_OK;
    const HolStatus status = errno == ENOMEM ? cli_no_memory(err) : lines_error(err);
    run_events_free(e); // both or none
    return status;
}

// what is still in their buffers finds room, or is told of
HolStatus run_events_finish(const RunEvents *e, HolError *err) {
    errno = 0;
    if ((e->events && fflush(e->events)) || (e->impulses && fflush(e->impulses)))
        return lines_error(err);
    return HOL_OK;
}

static HolStatus lines_put(FILE *to, const void *line, size_t size, HolError *err) {
    errno = 0;
    return !to || fwrite(line, size, 1, to) == 1 ? HOL_OK : lines_error(err);
}

HolStatus run_events_old(void *events, const HolEvent *event, const HolImpulse *impulse,
                         HolError *err) {
    const RunEvents *e = events;
    return event ? lines_put(e->events, event, sizeof *event, err)
                 : lines_put(e->impulses, impulse, sizeof *impulse, err);
}

void run_events_reset(RunEvents *e) {
    e->count = (RunEventCount){0};
    if (e->events)
        rewind(e->events);
    if (e->impulses)
        rewind(e->impulses);
}

void run_events_free(RunEvents *e) {
    if (e->events)
        fclose(e->events);
    if (e->impulses)
        fclose(e->impulses);
    e->events = e->impulses = NULL;
}

// ---- counting ----

static void count_recent(RunEventCount *c, const HolEvent *event) {
    if (strcmp(event->kind, "stick") && strcmp(event->kind, "share") &&
        strcmp(event->kind, "slip") && strcmp(event->kind, "lift"))
        return;
    int at = 0;
    while (at < c->n_recent && strcmp(c->recent[at].name, event->name) != 0)
        at++;
    if (at == c->n_recent && at < RUN_EVENTS_RECENT)
        c->n_recent++;
    else if (at == c->n_recent) // the oldest makes room
        at = 0;
    memmove(c->recent + at, c->recent + at + 1, sizeof *c->recent * (size_t)(c->n_recent - 1 - at));
    c->recent[c->n_recent - 1] = *event;
}

HolStatus run_events_event(RunEvents *e, const HolEvent *event, HolError *err) {
    RunEventCount *c = &e->count;
    c->n++;
    c->last = event->time;
    for (int k = 0; k < RUN_EVENT_KINDS; k++)
        c->kinds[k] += strcmp(event->kind, kinds[k]) == 0;
    count_recent(c, event);
    return lines_put(e->events, event, sizeof *event, err);
}

HolStatus run_events_impulse(RunEvents *e, const HolImpulse *impulse, HolError *err) {
    RunEventCount *c = &e->count;
    const double force = hypot(hypot(impulse->fx, impulse->fy), impulse->fz);
    if (force > c->force) {
        c->force = force;
        c->impulse = *impulse;
    }
    c->n_impulses++;
    return lines_put(e->impulses, impulse, sizeof *impulse, err);
}

// ---- for people ----

// friction that sticks at the end, by its last event
static void print_holds(const RunEventCount *c, FILE *to) {
    int held = 0;
    for (int i = c->n_recent - 1; i >= 0; i--) {
        const HolEvent *e = &c->recent[i];
        const int shared = strcmp(e->kind, "share") == 0;
        if (shared || strcmp(e->kind, "stick") == 0)
            fprintf(to, "%s%s since %.9g s%s", held++ ? ", " : "  holds       ", e->name, e->time,
                    shared ? " (shared)" : "");
    }
    if (held)
        fprintf(to, "\n");
}

// how many of each kind, and where it came to rest
void run_events_print(const RunEvents *e, const HolStats *stats, FILE *to) {
    const RunEventCount *c = &e->count;
    if (!c->n) { // (smooth friction has none)
        if (stats->friction_heat > 0)
            fprintf(to, "              friction took %.9g J\n", stats->friction_heat);
        return;
    }
    fprintf(to, "  events      %ld:", c->n);
    for (int k = 0; k < RUN_EVENT_KINDS; k++)
        if (c->kinds[k])
            fprintf(to, " %ld %s", c->kinds[k], kinds[k]);
    fprintf(to, ", the last at %.9g s\n", c->last);
    print_holds(c, to);
    if (stats->impact_loss > 0 || stats->friction_heat > 0)
        fprintf(to, "              friction took %.9g J, impacts %.9g J\n", stats->friction_heat,
                stats->impact_loss);
}

void run_events_print_impulses(const RunEvents *e, FILE *to) {
    const RunEventCount *c = &e->count;
    if (c->force > 0)
        fprintf(to, "  impulses    of joints: at most %.6g N s, at %s, %.9g s\n", c->force,
                c->impulse.joint, c->impulse.time);
}

// ---- for programs ----

static void json_event(HolJson *j, const HolEvent *e) {
    hol_json_begin(j, NULL, '{', HOL_JSON_TIGHT);
    hol_json_number(j, "time", e->time);
    hol_json_text(j, "name", e->name);
    hol_json_text(j, "kind", e->kind);
    hol_json_number(j, "speed_before", e->speed_before);
    hol_json_number(j, "speed_after", e->speed_after);
    hol_json_number(j, "impulse_n", e->impulse_n);
    hol_json_number(j, "impulse_t", e->impulse_t);
    hol_json_number(j, "loss", e->loss);
    hol_json_number(j, "sensitivity", e->sensitivity);
    hol_json_end(j);
}

static void json_impulse(HolJson *j, const HolImpulse *i) {
    hol_json_begin(j, NULL, '{', HOL_JSON_TIGHT);
    hol_json_number(j, "time", i->time);
    hol_json_text(j, "event", i->event);
    hol_json_text(j, "joint", i->joint);
    hol_json_number(j, "fx", i->fx);
    hol_json_number(j, "fy", i->fy);
    hol_json_number(j, "fz", i->fz);
    hol_json_number(j, "tx", i->tx);
    hol_json_number(j, "ty", i->ty);
    hol_json_number(j, "tz", i->tz);
    hol_json_number(j, "effort", i->effort);
    hol_json_end(j);
}

void run_events_json(const RunEvents *e, HolJson *j) {
    HolEvent event;
    HolImpulse impulse;
    const int kept = e->events && !e->lost;
    if (kept)
        rewind(e->events);
    hol_json_begin(j, "events", '[', HOL_JSON_LINES);
    for (long i = 0; kept && i < e->count.n && fread(&event, sizeof event, 1, e->events) == 1; i++)
        json_event(j, &event);
    hol_json_end(j);
    if (kept)
        rewind(e->impulses);
    hol_json_begin(j, "impulses", '[', HOL_JSON_LINES);
    for (long i = 0;
         kept && i < e->count.n_impulses && fread(&impulse, sizeof impulse, 1, e->impulses) == 1;
         i++)
        json_impulse(j, &impulse);
    hol_json_end(j);
}
