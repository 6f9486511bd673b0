// SPDX-License-Identifier: Apache-2.0
// What the benchmarks found, as text, as Markdown tables and as JSON. Times in ms.
#include "tools/bench/bench.h"

#include "holonom/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void limit_text(const HolBenchLimit *l, char *out, size_t size) {
    if (isfinite(l->drift) && l->error <= 1e-6)
        snprintf(out, size, "%.3g J, error %.1g", l->drift, l->error);
    else if (isfinite(l->drift))
        snprintf(out, size, "%.3g J", l->drift);
    else
        snprintf(out, size, "error %.1g", l->error);
}

// the fastest peer of a limit, -1: none
static int fastest_peer(const HolBenchResult *r, int limit) {
    int best = -1;
    for (int k = 0; k < HOL_BENCH_PEERS; k++)
        if (r->peers[k][limit].ok &&
            (best < 0 || r->peers[k][limit].best < r->peers[best][limit].best))
            best = k;
    return best;
}

static void print_run(const char *who, const HolBenchRun *r, double ours, const HolPut *to) {
    hol_put(to, "    %-17s %9.3f ms  %-26s %-17s %6ld steps  drift %.1e J  joints %.0e m", who,
            1e3 * r->best, r->method, r->setting, r->steps, r->drift, r->violation);
    if (isfinite(r->error) && r->error > 0)
        hol_put(to, "  error %.1e", r->error);
    if (ours > 0)
        hol_put(to, "  %.1f times ours", r->best / ours);
    hol_put(to, "\n");
}

void hol_bench_print_tried(const HolBenchEffort *effort, const HolBenchProblem *p, const char *who,
                           const HolBenchRun *r) {
    hol_put(&effort->say, "%s %s %s %s: %s %.3f ms %ld steps drift %.1e joints %.0e error %.1e\n",
            p->name, who, r->method, r->setting, r->ok ? "ok" : "no", 1e3 * r->best, r->steps,
            r->drift, r->violation, r->error);
}

void hol_bench_print_result(const HolBenchResult *r, const HolPut *to) {
    const HolBenchProblem *p = r->problem;
    hol_put(to, "%s: %s (%d settings tried)\n", p->name, p->title, r->tried);
    for (int l = 0; l < hol_bench_limit_count(p); l++) {
        char limit[32];
        limit_text(&p->limit[l], limit, sizeof limit);
        hol_put(to, "  limit %s\n", limit);
        const HolBenchRun *ours = &r->ours[l];
        if (ours->ok)
            print_run("ours", ours, 0, to);
        else
            hol_put(to, "    %-17s no setting meets the limit\n", "ours");
        if (ours->ok)
            hol_put(to, "    %-17s %9.3f ms\n", "  median", 1e3 * ours->median);
        if (p->limit[l].goal_ms > 0)
            hol_put(to, "    %-17s %9.3f ms%s\n", "  wanted", p->limit[l].goal_ms,
                    ours->ok && 1e3 * ours->best <= p->limit[l].goal_ms ? "" : "  NOT MET");
        for (int k = 0; k < HOL_BENCH_PEERS && p->peer; k++) {
            if (r->peers[k][l].ok)
                print_run(hol_bench_peer_names[k], &r->peers[k][l], ours->ok ? ours->best : 0, to);
            else if (r->asked[k])
                hol_put(to, "    %-17s no setting met the limit in the time given\n",
                        hol_bench_peer_names[k]);
        }
    }
    if (p->published)
        hol_put(to, "  published, ms on their machines: %s\n", p->published);
}

void hol_bench_print_markdown(const HolBenchResult *r, int n, const HolBenchEffort *effort,
                              const HolPut *to) {
    int shown[HOL_BENCH_PEERS];
    hol_put(to, "| problem | limit | ours [ms] | median | setting | steps | drift [J] | "
                "joints [m] |");
    for (int k = 0; k < HOL_BENCH_PEERS; k++) {
        shown[k] = hol_bench_peer_installed(effort, k);
        if (shown[k])
            hol_put(to, " %s [ms] |", hol_bench_peer_names[k]);
    }
    hol_put(to, " fastest peer / ours | published [ms] |\n|---|---|---|---|---|---|---|---|");
    for (int k = 0; k < HOL_BENCH_PEERS; k++)
        hol_put(to, "%s", shown[k] ? "---|" : "");
    hol_put(to, "---|---|\n");
    for (int i = 0; i < n; i++)
        for (int l = 0; l < hol_bench_limit_count(r[i].problem); l++) {
            const HolBenchProblem *p = r[i].problem;
            const HolBenchRun *ours = &r[i].ours[l];
            char limit[32];
            limit_text(&p->limit[l], limit, sizeof limit);
            hol_put(to, "| %s | %s |", p->title, limit);
            if (ours->ok)
                hol_put(to, " %.3g | %.3g |", 1e3 * ours->best, 1e3 * ours->median);
            else
                hol_put(to, " - | - |");
            hol_put(to, " %s, %s | %ld | %.1e | %.0e |", ours->method, ours->setting, ours->steps,
                    ours->drift, ours->violation);
            for (int k = 0; k < HOL_BENCH_PEERS; k++) {
                const HolBenchRun *peer = &r[i].peers[k][l];
                if (shown[k] && peer->ok)
                    hol_put(to, " %.3g (%s, %s, %.0e m) |", 1e3 * peer->best, peer->method,
                            peer->setting, peer->violation);
                else if (shown[k])
                    hol_put(to, " - |");
            }
            int best = fastest_peer(&r[i], l);
            if (best >= 0 && ours->ok)
                hol_put(to, " %.2f |", r[i].peers[best][l].best / ours->best);
            else
                hol_put(to, " |");
            hol_put(to, " %s |\n", p->published && l == 0 ? p->published : "");
        }
}

void hol_bench_print_scale(const HolBenchScale *s, int n, int markdown, const HolPut *to) {
    if (markdown)
        hol_put(to, "| mechanism | method | N | bodies | steps | us per step and body | to N=100 | "
                    "CPU us | bytes per body | load [s] | create, assemble, check [s] |\n"
                    "|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < n; i++)
        hol_put(to,
                markdown ? "| %s | %s | %d | %d | %ld | %.3f | %.2f | %.3f | %.0f | %.3f | %.3f |\n"
                         : "  %-9s %-8s N=%-6d %6d bodies %4ld steps %8.3f us per step and body "
                           "(%.2f), CPU %.3f us, %8.0f bytes per body, load %.3f s, check %.3f s\n",
                s[i].generator, s[i].method, s[i].n, s[i].bodies, s[i].steps, s[i].us_per_step_body,
                s[i].ratio, s[i].cpu_per_step_body, s[i].bytes_per_body, s[i].load, s[i].check);
}

static void json_run(HolJson *j, const char *name, const HolBenchRun *r) {
    hol_json_begin(j, name, '{', HOL_JSON_LINES);
    hol_json_text(j, "method", r->method);
    hol_json_text(j, "setting", r->setting);
    hol_json_number(j, "cpu_seconds", r->best);
    hol_json_number(j, "median_seconds", r->median);
    hol_json_number(j, "setup_seconds", r->setup);
    hol_json_integer(j, "steps", r->steps);
    hol_json_number(j, "drift", r->drift);
    hol_json_number(j, "violation", r->violation);
    hol_json_number(j, "error", r->error);
    hol_json_end(j);
}

static void json_result(HolJson *j, const HolBenchResult *r) {
    const HolBenchProblem *p = r->problem;
    hol_json_begin(j, NULL, '{', HOL_JSON_LINES);
    hol_json_text(j, "name", p->name);
    hol_json_text(j, "title", p->title);
    hol_json_number(j, "end", p->end);
    hol_json_text(j, "published_ms", p->published);
    hol_json_begin(j, "limits", '[', HOL_JSON_LINES);
    for (int l = 0; l < hol_bench_limit_count(p); l++) {
        hol_json_begin(j, NULL, '{', HOL_JSON_LINES);
        hol_json_number(j, "drift", p->limit[l].drift);
        hol_json_number(j, "error", p->limit[l].error);
        hol_json_number(j, "wanted_ms", p->limit[l].goal_ms > 0 ? p->limit[l].goal_ms : NAN);
        if (r->ours[l].ok)
            json_run(j, "ours", &r->ours[l]);
        for (int k = 0; k < HOL_BENCH_PEERS; k++)
            if (r->peers[k][l].ok)
                json_run(j, hol_bench_peer_names[k], &r->peers[k][l]);
        hol_json_end(j);
    }
    hol_json_end(j);
    hol_json_end(j);
}

void hol_bench_print_json(const HolBenchResult *r, int n, const HolBenchScale *scale, int n_scale,
                          const HolPut *to) {
    HolJson j = {.put = to->put, .to = to->to, .full = 1};
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_text(&j, "version", hol_version());
    hol_json_begin(&j, "problems", '[', HOL_JSON_LINES);
    for (int i = 0; i < n; i++)
        json_result(&j, &r[i]);
    hol_json_end(&j);
    hol_json_begin(&j, "scaling", '[', HOL_JSON_LINES);
    for (int i = 0; i < n_scale; i++) {
        hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
        hol_json_text(&j, "mechanism", scale[i].generator);
        hol_json_text(&j, "method", scale[i].method);
        hol_json_integer(&j, "n", scale[i].n);
        hol_json_integer(&j, "bodies", scale[i].bodies);
        hol_json_integer(&j, "steps", scale[i].steps);
        hol_json_number(&j, "microseconds_per_step_and_body", scale[i].us_per_step_body);
        hol_json_number(&j, "cpu_microseconds_per_step_and_body", scale[i].cpu_per_step_body);
        hol_json_number(&j, "ratio", scale[i].ratio);
        hol_json_number(&j, "bytes_per_body", scale[i].bytes_per_body);
        hol_json_number(&j, "load_seconds", scale[i].load);
        hol_json_number(&j, "check_seconds", scale[i].check);
        hol_json_end(&j);
    }
    hol_json_end(&j);
    hol_json_end(&j);
    hol_put(to, "\n\n");
}
