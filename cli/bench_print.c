// SPDX-License-Identifier: Apache-2.0
// What the benchmarks found, as text, as Markdown tables and as JSON. Times in ms.
#include "bench.h"
#include "json.h"

#include <math.h>
#include <string.h>

static void limit_text(const BenchLimit *l, char *out, size_t size) {
    if (isfinite(l->drift) && l->error <= 1e-6)
        snprintf(out, size, "%.3g J, error %.1g", l->drift, l->error);
    else if (isfinite(l->drift))
        snprintf(out, size, "%.3g J", l->drift);
    else
        snprintf(out, size, "error %.1g", l->error);
}

// the fastest peer of a limit, -1: none
static int fastest_peer(const BenchResult *r, int limit) {
    int best = -1;
    for (int k = 0; k < BENCH_PEERS; k++)
        if (r->peers[k][limit].ok &&
            (best < 0 || r->peers[k][limit].best < r->peers[best][limit].best))
            best = k;
    return best;
}

static void print_run(const char *who, const BenchRun *r, double ours, FILE *to) {
    fprintf(to, "    %-17s %9.3f ms  %-26s %-17s %6ld steps  drift %.1e J  joints %.0e m", who,
            1e3 * r->best, r->method, r->setting, r->steps, r->drift, r->violation);
    if (isfinite(r->error) && r->error > 0)
        fprintf(to, "  error %.1e", r->error);
    if (ours > 0)
        fprintf(to, "  %.1f times ours", r->best / ours);
    fprintf(to, "\n");
}

void bench_print_tried(const char *problem, const char *who, const BenchRun *r) {
    fprintf(stderr, "%s %s %s %s: %s %.3f ms %ld steps drift %.1e joints %.0e error %.1e\n",
            problem, who, r->method, r->setting, r->ok ? "ok" : "no", 1e3 * r->best, r->steps,
            r->drift, r->violation, r->error);
}

void bench_print_result(const BenchResult *r, FILE *to) {
    const BenchProblem *p = r->problem;
    fprintf(to, "%s: %s (%d settings tried)\n", p->name, p->title, r->tried);
    for (int l = 0; l < bench_limit_count(p); l++) {
        char limit[32];
        limit_text(&p->limit[l], limit, sizeof limit);
        fprintf(to, "  limit %s\n", limit);
        const BenchRun *ours = &r->ours[l];
        if (ours->ok)
            print_run("ours", ours, 0, to);
        else
            fprintf(to, "    %-17s no setting meets the limit\n", "ours");
        if (ours->ok)
            fprintf(to, "    %-17s %9.3f ms\n", "  median", 1e3 * ours->median);
        if (p->limit[l].goal_ms > 0)
            fprintf(to, "    %-17s %9.3f ms%s\n", "  wanted", p->limit[l].goal_ms,
                    ours->ok && 1e3 * ours->best <= p->limit[l].goal_ms ? "" : "  NOT MET");
        for (int k = 0; k < BENCH_PEERS && p->peer; k++) {
            if (r->peers[k][l].ok)
                print_run(bench_peer_names[k], &r->peers[k][l], ours->ok ? ours->best : 0, to);
            else if (r->asked[k])
                fprintf(to, "    %-17s no setting met the limit in the time given\n",
                        bench_peer_names[k]);
        }
    }
    if (p->published)
        fprintf(to, "  published, ms on their machines: %s\n", p->published);
    fflush(to);
}

void bench_print_markdown(const BenchResult *r, int n, const BenchEffort *effort, FILE *to) {
    int shown[BENCH_PEERS];
    fprintf(to, "| problem | limit | ours [ms] | median | setting | steps | drift [J] | "
                "joints [m] |");
    for (int k = 0; k < BENCH_PEERS; k++) {
        shown[k] = bench_peer_installed(effort, k);
        if (shown[k])
            fprintf(to, " %s [ms] |", bench_peer_names[k]);
    }
    fprintf(to, " fastest peer / ours | published [ms] |\n|---|---|---|---|---|---|---|---|");
    for (int k = 0; k < BENCH_PEERS; k++)
        fprintf(to, shown[k] ? "---|" : "");
    fprintf(to, "---|---|\n");
    for (int i = 0; i < n; i++)
        for (int l = 0; l < bench_limit_count(r[i].problem); l++) {
            const BenchProblem *p = r[i].problem;
            const BenchRun *ours = &r[i].ours[l];
            char limit[32];
            limit_text(&p->limit[l], limit, sizeof limit);
            fprintf(to, "| %s | %s |", p->title, limit);
            if (ours->ok)
                fprintf(to, " %.3g | %.3g |", 1e3 * ours->best, 1e3 * ours->median);
            else
                fprintf(to, " - | - |");
            fprintf(to, " %s, %s | %ld | %.1e | %.0e |", ours->method, ours->setting, ours->steps,
                    ours->drift, ours->violation);
            for (int k = 0; k < BENCH_PEERS; k++) {
                const BenchRun *peer = &r[i].peers[k][l];
                if (shown[k] && peer->ok)
                    fprintf(to, " %.3g (%s, %s, %.0e m) |", 1e3 * peer->best, peer->method,
                            peer->setting, peer->violation);
                else if (shown[k])
                    fprintf(to, " - |");
            }
            int best = fastest_peer(&r[i], l);
            if (best >= 0 && ours->ok)
                fprintf(to, " %.2f |", r[i].peers[best][l].best / ours->best);
            else
                fprintf(to, " |");
            fprintf(to, " %s |\n", p->published && l == 0 ? p->published : "");
        }
}

void bench_print_scale(const BenchScale *s, int n, int markdown, FILE *to) {
    if (markdown)
        fprintf(to, "| mechanism | method | N | bodies | steps | us per step and body | to N=100 | "
                    "CPU us | bytes per body | load [s] | create, assemble, check [s] |\n"
                    "|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < n; i++)
        fprintf(to,
                markdown ? "| %s | %s | %d | %d | %ld | %.3f | %.2f | %.3f | %.0f | %.3f | %.3f |\n"
                         : "  %-9s %-8s N=%-6d %6d bodies %4ld steps %8.3f us per step and body "
                           "(%.2f), CPU %.3f us, %8.0f bytes per body, load %.3f s, check %.3f s\n",
                s[i].generator, s[i].method, s[i].n, s[i].bodies, s[i].steps, s[i].us_per_step_body,
                s[i].ratio, s[i].cpu_per_step_body, s[i].bytes_per_body, s[i].load, s[i].check);
}

static void json_run(Json *j, const char *name, const BenchRun *r) {
    json_begin(j, name, '{');
    json_text(j, "method", r->method);
    json_text(j, "setting", r->setting);
    json_number(j, "cpu_seconds", r->best);
    json_number(j, "median_seconds", r->median);
    json_number(j, "setup_seconds", r->setup);
    json_integer(j, "steps", r->steps);
    json_number(j, "drift", r->drift);
    json_number(j, "violation", r->violation);
    json_number(j, "error", r->error);
    json_end(j, '}');
}

static void json_result(Json *j, const BenchResult *r) {
    const BenchProblem *p = r->problem;
    json_begin(j, NULL, '{');
    json_text(j, "name", p->name);
    json_text(j, "title", p->title);
    json_number(j, "end", p->end);
    json_text(j, "published_ms", p->published);
    json_begin(j, "limits", '[');
    for (int l = 0; l < bench_limit_count(p); l++) {
        json_begin(j, NULL, '{');
        json_number(j, "drift", p->limit[l].drift);
        json_number(j, "error", p->limit[l].error);
        json_number(j, "wanted_ms", p->limit[l].goal_ms > 0 ? p->limit[l].goal_ms : NAN);
        if (r->ours[l].ok)
            json_run(j, "ours", &r->ours[l]);
        for (int k = 0; k < BENCH_PEERS; k++)
            if (r->peers[k][l].ok)
                json_run(j, bench_peer_names[k], &r->peers[k][l]);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_end(j, '}');
}

void bench_print_json(const BenchResult *r, int n, const BenchScale *scale, int n_scale, FILE *to) {
    Json j = {.to = to};
    json_begin(&j, NULL, '{');
    json_text(&j, "version", hol_version());
    json_begin(&j, "problems", '[');
    for (int i = 0; i < n; i++)
        json_result(&j, &r[i]);
    json_end(&j, ']');
    json_begin(&j, "scaling", '[');
    for (int i = 0; i < n_scale; i++) {
        json_begin(&j, NULL, '{');
        json_text(&j, "mechanism", scale[i].generator);
        json_text(&j, "method", scale[i].method);
        json_integer(&j, "n", scale[i].n);
        json_integer(&j, "bodies", scale[i].bodies);
        json_integer(&j, "steps", scale[i].steps);
        json_number(&j, "microseconds_per_step_and_body", scale[i].us_per_step_body);
        json_number(&j, "cpu_microseconds_per_step_and_body", scale[i].cpu_per_step_body);
        json_number(&j, "ratio", scale[i].ratio);
        json_number(&j, "bytes_per_body", scale[i].bytes_per_body);
        json_number(&j, "load_seconds", scale[i].load);
        json_number(&j, "check_seconds", scale[i].check);
        json_end(&j, '}');
    }
    json_end(&j, ']');
    json_end(&j, '}');
    fprintf(to, "\n");
}
