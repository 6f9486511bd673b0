// SPDX-License-Identifier: Apache-2.0
// The peers: small programs that solve the same problems with other packages (bench/peers, built
// with HOLONOM_PEERS). Each prints one line
//   engine,method,problem,N,T,kind,value,cpu,setup,steps,drift,violation,px,py,pz,status
// with the best CPU time of several repeats of its loop. They are swept like ours, each over the
// methods and variants that were found to win somewhere; a peer is judged by the end point only and
// its joints may be open.
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const hol_bench_peer_names[HOL_BENCH_PEERS] = {
    "SUNDIALS by hand", "SUNDIALS, joint angles", "MuJoCo", "Simbody", "ODE", "DART"};
static const char *const programs[HOL_BENCH_PEERS] = {"ida_bench",     "ida_bench", "mujoco_bench",
                                                      "simbody_bench", "ode_bench", "dart_bench"};

enum { SUNDIALS, TREE, MUJOCO, SIMBODY, ODE, DART };

typedef struct Plan {
    int peer;
    const char *problems; // names this plan is for
    const char *method, *variant;
    int by_step;
    int most_n;   // largest mechanism it is tried on, 0: any
    double first; // coarsest step or tolerance, 0: the usual
} Plan;

static const Plan plans[] = {
    {SUNDIALS, "A02", "erk4", "", 0, 0, 0},
    {SUNDIALS, "A02", "erk5", "", 0, 0, 0},
    {SUNDIALS, "A02 CHAIN", "erk3", "", 0, 1000, 0},
    {SUNDIALS, "A01 A03 CHAIN", "erk4", "", 0, 1000, 0},
    {SUNDIALS, "A01 A03 CHAIN", "erk5", "", 0, 1000, 0},
    {SUNDIALS, "A01 A02 A03 CHAIN", "erk6", "", 0, 1000, 0},
    {SUNDIALS, "A01 A02 A03 CHAIN", "erk8", "", 0, 1000, 0},
    {SUNDIALS, "A01 A02 A03 CHAIN", "adams", "", 0, 1000, 0},
    {TREE, "CHAIN CHAIN3D", "erk3", "tree", 0, 0, 0},
    {TREE, "CHAIN CHAIN3D", "erk4", "tree", 0, 0, 0},
    {TREE, "CHAIN CHAIN3D", "erk3", "tree", 1, 0, 0},
    {TREE, "CHAIN CHAIN3D", "erk4", "tree", 1, 0, 0},
    {TREE, "CHAIN CHAIN3D", "erk5", "tree", 0, 0, 0},
    {TREE, "CHAIN CHAIN3D", "erk6", "tree", 0, 0, 0},
    {TREE, "CHAIN CHAIN3D", "erk8", "tree", 0, 0, 0},
    {TREE, "CHAIN CHAIN3D", "adams", "tree", 0, 0, 0},
    {SUNDIALS, "A02", "erk5", "reg=1e-8", 0, 1000, 0},
    {SUNDIALS, "A02", "erk8", "reg=1e-8", 0, 1000, 0},
    {SUNDIALS, "A04", "erk5", "drop=2", 0, 0, 0},
    {SUNDIALS, "A04", "erk6", "drop=2", 0, 0, 0},
    {SUNDIALS, "A04", "erk8", "drop=2", 0, 0, 0},
    {SUNDIALS, "A04", "erk8", "reg=1e-6", 0, 0, 0},
    {SUNDIALS, "A01 A02 A03 CHAIN", "ida", "al=1e3", 0, 1000, 0},
    {SUNDIALS, "A02 A03", "ida", "al=1e6", 0, 1000, 0},
    {SUNDIALS, "STIFF", "ida", "al=1e9", 0, 0, 1e-2},
    {SUNDIALS, "STIFF", "ida", "al=1e9:amd", 0, 0, 1e-2},
    {SUNDIALS, "STIFF", "ida", "al=1e3:amd", 0, 0, 1e-2},
    {SUNDIALS, "STIFF", "ida", "al=1e9:amd:nlc=0.1", 0, 0, 1e-2},
    {SUNDIALS, "STIFF", "ida", "al=1e9:amd:nlc=1", 0, 0, 1e-2},
    {MUJOCO, "A01 CHAIN CHAIN3D", "rk4", "", 1, 200, 0}, // its mass matrix is full: N^3
    {MUJOCO, "A05", "rk4", "", 1, 0, 1e-3},
    {MUJOCO, "A05", "implicit", "", 1, 0, 1e-3},
    {MUJOCO, "A02 A03 A04", "rk4", "k=0.5:unsafe", 1, 200, 0},
    {MUJOCO, "A02 A03 A04", "rk4", "k=1:unsafe", 1, 1000, 0}, // no room for 3000 windows
    {MUJOCO, "A02 A03 A04", "rk4", "k=2", 1, 1000, 0},
    {MUJOCO, "A02", "rk4", "k=0.5:unsafe:sparse", 1, 200, 0},
    {SIMBODY, "A01 CHAIN CHAIN3D", "rkm", "", 0, 1000, 0},
    {SIMBODY, "A01 CHAIN CHAIN3D A05", "adams", "", 0, 1000, 0},
    {SIMBODY, "A01 CHAIN CHAIN3D A05", "rkm", "", 1, 200, 0},
    {SIMBODY, "CHAIN CHAIN3D", "rk3", "", 1, 200, 0},
    {SIMBODY, "CHAIN CHAIN3D", "rkf", "", 1, 200, 0},
    {SIMBODY, "A05", "bdf", "", 0, 0, 0},
    {SIMBODY, "A02 A03", "rkm", "ctol=1e-8", 0, 100, 0},
    {SIMBODY, "A02 A03", "rkm", "ctol=1e-10", 0, 20, 0},
    {SIMBODY, "A02 A03", "rkf", "ctol=1e-8", 0, 20, 0},
    {SIMBODY, "A02 A03", "rkm", "", 0, 20, 0},
    {SIMBODY, "A02", "rkm", "ball:ctol=1e-8", 0, 20, 0},
    {SIMBODY, "A02 A03", "rkm", "ctol=1e-8", 1, 20, 0},
    {SIMBODY, "A04", "rkm", "drop:ctol=1e-8", 0, 0, 0},
    {SIMBODY, "A04", "rkm", "drop:ctol=1e-8", 1, 0, 0},
    {SIMBODY, "A04", "rkm", "mid:ctol=1e-8", 0, 0, 0},
    {ODE, "A02", "step", "", 1, 20, 0},
    {DART, "A01 CHAIN", "rk4", "", 1, 200, 0},
    {DART, "A02", "world", "", 1, 20, 0},
    {0},
};

int hol_bench_peer_installed(const HolBenchEffort *effort, int peer) {
    char path[4096];
    if (!effort->peers)
        return 0;
    snprintf(path, sizeof path, "%s/%s", effort->peers, programs[peer]);
    return access(path, X_OK) == 0;
}

static int word_in(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == 0 || at[n] == ' '))
            return 1;
    return 0;
}

static double end_distance(const HolBenchProblem *p, const double *point) {
    double wanted[HOL_BENCH_WATCH] = {0}, sum = 0;
    memcpy(wanted, p->peer_last, sizeof p->peer_last);
    if (p->error == HOL_BENCH_FOUR_BAR)
        hol_bench_end_values(p, wanted);
    if (p->error == HOL_BENCH_NO_ERROR)
        return 0;
    int scaled = p->peer_scale[0] != 0 || p->peer_scale[1] != 0 || p->peer_scale[2] != 0;
    for (int k = 0; k < 3; k++) {
        double d = (point[k] - wanted[k]) * (scaled ? p->peer_scale[k] : 1);
        sum += d * d;
    }
    return sqrt(sum);
}

// the fields of a result line
static void read_result(const HolBenchProblem *p, char *line, HolBenchRun *out) {
    char *field[20];
    int n = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *at = line; at && n < 20; n++) {
        field[n] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = 0;
    }
    if (n < 16)
        return;
    snprintf(out->method, sizeof out->method, "%s", field[1]);
    snprintf(out->setting, sizeof out->setting, "%s %.3g",
             strcmp(field[5], "h") == 0 ? "step" : "tolerance", atof(field[6]));
    out->best = out->median = atof(field[7]);
    out->setup = atof(field[8]);
    out->steps = atol(field[9]);
    out->drift = atof(field[10]);
    out->violation = atof(field[11]);
    double point[3] = {atof(field[12]), atof(field[13]), atof(field[14])};
    out->error = end_distance(p, point);
    out->ok = strcmp(field[15], "ok") == 0 && isfinite(out->drift) && isfinite(out->error);
}

static int run_peer(const HolBenchProblem *p, const HolBenchEffort *effort, const Plan *plan,
                    double value, double cap, HolBenchRun *out) {
    char command[8192], variant[128];
    snprintf(variant, sizeof variant, "%s%s%s", plan->variant,
             plan->variant[0] && p->peer_option ? ":" : "", p->peer_option ? p->peer_option : "");
    snprintf(command, sizeof command,
             "'%s/%s' -p %s -N %d -T %.17g -m %s -%s %.17g -maxcpu %g %s%s%s %s%s 2>/dev/null",
             effort->peers, programs[plan->peer], p->peer, p->n, p->end, plan->method,
             plan->by_step ? "h" : "tol", value, cap, variant[0] ? "-v '" : "", variant,
             variant[0] ? "'" : "", p->reference.file[0] ? "-ref " : "", p->reference.file);
    memset(out, 0, sizeof *out);
    fflush(NULL);
    FILE *from = popen(command, "r");
    if (!from)
        return 0;
    char line[1024];
    while (fgets(line, sizeof line, from))
        if (strchr(line, ','))
            read_result(p, line, out);
    pclose(from);
    if (effort->verbose)
        hol_bench_print_tried(effort, p, hol_bench_peer_names[plan->peer], out);
    return out->ok;
}

// a plan that is still far from the tightest limit then is left
static int plan_seconds(const HolBenchProblem *p) {
    return p->error == HOL_BENCH_REFERENCE ? 300 : 100;
}

// the cheapest run of a plan for one limit
typedef struct PlanBest {
    HolBenchRun run;
    double value;
} PlanBest;

// one setting of a plan; what it meets goes to `mine` and to the best of all plans
static int bench_peers_try_value(const HolBenchProblem *p, const HolBenchEffort *effort,
                                 const Plan *plan, double value, PlanBest mine[HOL_BENCH_LIMITS],
                                 HolBenchRun best[HOL_BENCH_LIMITS], HolBenchRun *run) {
    int n_limits = hol_bench_limit_count(p);
    double known = best[n_limits - 1].ok ? best[n_limits - 1].best : INFINITY;
    double loose = best[0].ok ? best[0].best : INFINITY;
    // whole numbers of steps: a fixed step must not miss the end
    double used = plan->by_step ? p->end / ceil(p->end / value) : value;
    double cap = fmin(10, fmax(0.1, fmin(4 * known, 60 * loose)));
    if (!run_peer(p, effort, plan, used, cap, run))
        return 0;
    for (int l = 0; l < n_limits; l++) {
        if (!hol_bench_meets(run, &p->limit[l]))
            continue;
        if (!mine[l].run.ok || run->best < mine[l].run.best)
            mine[l] = (PlanBest){*run, value};
        if (!best[l].ok || run->best < best[l].best)
            best[l] = *run;
    }
    return 1;
}

static void run_plan(const HolBenchProblem *p, const HolBenchEffort *effort, const Plan *plan,
                     HolBenchRun best[HOL_BENCH_LIMITS]) {
    int n_limits = hol_bench_limit_count(p), failures = 0, slow = 0;
    double end = plan->by_step ? p->end * 2e-7 : 1e-13;
    double factor = plan->by_step ? 0.7 : 0.31622776601683794;
    double value = !plan->by_step || p->end >= 1 ? 0.1 : p->end / 100;
    PlanBest mine[HOL_BENCH_LIMITS] = {0};
    HolBenchRun run;
    time_t start = time(NULL);
    if (plan->first > 0)
        value = plan->first;
    for (; value > end && time(NULL) - start < plan_seconds(p) &&
           failures < (plan->by_step ? 14 : 8) && !slow;
         value *= factor) {
        double known = best[n_limits - 1].ok ? best[n_limits - 1].best : INFINITY;
        double loose = best[0].ok ? best[0].best : INFINITY;
        if (!bench_peers_try_value(p, effort, plan, value, mine, best, &run)) {
            failures++;
            continue;
        }
        // (settings too coarse for any limit may cost more than finer ones)
        slow = hol_bench_meets(&run, &p->limit[n_limits - 1]) || run.best > 10 ||
               run.best > 40 * loose ||
               (hol_bench_meets(&run, &p->limit[0]) && run.best > 3 * known);
    }
    // between a good setting and the next coarser one
    for (int l = 0; l < n_limits && !effort->quick; l++) {
        double from = mine[l].value;
        if (mine[l].run.ok && mine[l].run.best <= HOL_BENCH_NEAR * best[l].best)
            for (int k = 1; k < HOL_BENCH_FINER && time(NULL) - start < plan_seconds(p); k++)
                bench_peers_try_value(p, effort, plan,
                                      from * pow(factor, -k / (double)HOL_BENCH_FINER), mine, best,
                                      &run);
    }
}

void hol_bench_sweep_peers(const HolBenchProblem *p, const HolBenchEffort *effort,
                           HolBenchResult *out) {
    if (!p->peer)
        return;
    int done[HOL_BENCH_PEERS] = {0};
    for (const Plan *plan = plans; plan->problems; plan++) {
        int too_large = plan->most_n && p->n > plan->most_n;
        if (!hol_bench_peer_installed(effort, plan->peer) || !word_in(plan->problems, p->peer) ||
            too_large || (effort->quick && done[plan->peer]++))
            continue;
        out->asked[plan->peer] = 1;
        run_plan(p, effort, plan, out->peers[plan->peer]);
    }
}
