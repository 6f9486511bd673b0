// SPDX-License-Identifier: Apache-2.0
// `holonom equilibrium`: where a mechanism rests, whether it stays there, and where else it might.
#include "commands.h"
#include "run/run_job.h"
#include "run/run_summary.h"

#include <holonom/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Job {
    HolModel *model;
    HolSim *sim;
    HolEquilibria *list;
    HolStatus status;
    HolError err;
    double began, drawn; // seconds; 0: nothing is drawn
    int watched;         // a person looks on
} Job;

// ---- progress ----

static double cmd_equilibrium_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void cmd_equilibrium_progress(void *user, int start, int starts, long iterations) {
    Job *job = user;
    const double now = cmd_equilibrium_seconds();
    if (!job->watched || now - job->began < 1 || now - job->drawn < 0.2)
        return;
    fprintf(stderr, "\r  position %d of %d, %ld steps\033[K", start + 1, starts + 1, iterations);
    fflush(stderr);
    job->drawn = now;
}

// ---- text ----

static const char *cmd_equilibrium_word(const HolEquilibrium *one) {
    return one->unstable ? "unstable" : one->neutral ? "neutral" : "stable";
}

static void cmd_equilibrium_lines(const char *label, const char *text) {
    while (*text) {
        const int length = (int)strcspn(text, "\n");
        printf("  %-11s %.*s\n", label, length, text);
        text += length + (text[length] == '\n');
        label = "";
    }
}

// the places of all bodies, a line each
static void cmd_equilibrium_places(HolSim *sim) {
    static const char *const shown[] = {"x", "y", "z", "angle", "qw", "qx", "qy", "qz", "value"};
    char name[128], last[128] = "";
    double value;
    for (int i = 0; hol_sim_final(sim, i, name, sizeof name, &value); i++) {
        char *dot = strrchr(name, '.');
        const char *quantity = dot ? dot + 1 : "value";
        if (dot)
            *dot = 0;
        int show = 0;
        for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
            show |= strcmp(shown[k], quantity) == 0;
        if (!show)
            continue;
        if (strcmp(last, name) != 0)
            printf("%s    %-12s", last[0] ? "\n" : "", name);
        snprintf(last, sizeof last, "%s", name);
        printf(" %s %.10g", quantity, value);
    }
    printf("%s", last[0] ? "\n" : "");
}

static void cmd_equilibrium_text(Job *job) {
    const int n = hol_equilibria_count(job->list);
    const HolEquilibrium first = hol_equilibria_get(job->list, 0);
    printf("%s: %s equilibrium%s\n", hol_model_name(job->model), cmd_equilibrium_word(&first),
           first.initial ? " (the position of the file)" : "");
    printf("  residual    %.3g N or N m\n", first.residual);
    if (!isnan(first.energy))
        printf("  energy      %.10g J, potential\n", first.energy);
    printf("  moved       by at most %.4g m or rad\n", first.moved);
    cmd_equilibrium_lines("unstable", first.unstable_text);
    cmd_equilibrium_lines("free", first.neutral_text);
    cmd_equilibrium_places(job->sim);
    for (int i = 1; i < n; i++) {
        const HolEquilibrium other = hol_equilibria_get(job->list, i);
        printf("  another     %s, %.10g J\n", cmd_equilibrium_word(&other), other.energy);
        if (hol_equilibria_show(job->list, i, job->sim, NULL) == HOL_OK)
            cmd_equilibrium_places(job->sim);
    }
}

// ---- JSON ----

static void cmd_equilibrium_list(HolJson *j, const char *key, const char *text) {
    hol_json_begin(j, key, '[', HOL_JSON_LINES);
    hol_json_lines(j, text);
    hol_json_end(j);
}

static void cmd_equilibrium_json(Job *job, const char *path) {
    HolJson j = {.put = cli_put, .to = stdout, .full = 1};
    const int n = hol_equilibria_count(job->list);
    const HolEquilibrium first = hol_equilibria_get(job->list, 0);
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_text(&j, "model", job->model ? hol_model_name(job->model) : path);
    hol_json_text(&j, "status", run_summary_status(job->status));
    hol_json_text(&j, "message", job->status ? job->err.text : "");
    // (the same keys where there is none)
    hol_json_number(&j, "time", n ? hol_sim_time(job->sim) : (double)NAN);
    hol_json_number(&j, "residual", n ? first.residual : (double)NAN);
    hol_json_number(&j, "energy", first.energy);
    hol_json_bool(&j, "stable", first.stable);
    cmd_equilibrium_list(&j, "unstable_directions", first.unstable_text);
    hol_json_integer(&j, "neutral", first.neutral);
    cmd_equilibrium_list(&j, "neutral_directions", first.neutral_text);
    hol_json_bool(&j, "initial", first.initial);
    run_summary_final(&j, n ? job->sim : NULL);
    hol_json_begin(&j, "others", '[', HOL_JSON_LINES);
    for (int i = 1; i < n; i++) {
        const HolEquilibrium other = hol_equilibria_get(job->list, i);
        if (hol_equilibria_show(job->list, i, job->sim, NULL) != HOL_OK)
            continue;
        hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
        hol_json_number(&j, "energy", other.energy);
        hol_json_bool(&j, "stable", other.stable);
        cmd_equilibrium_list(&j, "unstable_directions", other.unstable_text);
        hol_json_integer(&j, "neutral", other.neutral);
        run_summary_final(&j, job->sim);
        hol_json_end(&j);
    }
    hol_json_end(&j);
    hol_json_end(&j);
    putchar('\n');
}

// ---- the verb ----

static const char *cmd_equilibrium_wrong(const CliArgs *args) {
    const char *file = cli_value(args, "--output");
    if (!file)
        return NULL;
    if (strcmp(args->words[0], "-") == 0)
        return "-o changes the text of a model file, and standard input is read only once";
    if (strcmp(file, "-") == 0 && cli_value(args, "--json"))
        return "'-o -' and --json both want standard output: give -o a file name";
    return NULL;
}

static void cmd_equilibrium_write(Job *job, const CliArgs *args) {
    const char *file = cli_value(args, "--output");
    const HolEquilibrium first = hol_equilibria_get(job->list, 0);
    if (!file || job->status)
        return;
    job->status = hol_model_write_positions(job->model, args->words[0], file, first.q, &job->err);
    if (!job->status && cli_value(args, "--set"))
        fprintf(stderr, "holonom: %s has the positions of --set, and the parameters of %s\n", file,
                args->words[0]);
}

// --at T: 0 after a message
static int cmd_equilibrium_time(const CliArgs *args, double *at) {
    const char *text = cli_value(args, "--at");
    char *end = NULL;
    *at = text ? strtod(text, &end) : (double)NAN;
    if (!text || (end != text && !*end && isfinite(*at)))
        return 1;
    fprintf(stderr, "holonom equilibrium: --at wants a time in seconds; this is '%s'\n", text);
    return 0;
}

static HolStatus cmd_equilibrium_search(Job *job, const CliArgs *args, double at) {
    HolSimOptions options = {0};
    HolEquilibriumOptions o = hol_equilibrium_options();
    HolStatus status = cli_load(args, &job->model, &options, &job->err);
    if (!status)
        status = cli_files_apart(args, job->model, &job->err);
    if (!status)
        status = hol_sim_create(job->model, &options, &job->sim, &job->err);
    if (status)
        return status;
    hol_sim_stop_flag(job->sim, run_job_stop_flag());
    o.at = at;
    o.progress = cmd_equilibrium_progress;
    o.user = job;
    job->began = cmd_equilibrium_seconds();
    status = hol_equilibrium_find(job->sim, &o, &job->list, &job->err);
    if (job->drawn > 0)
        fprintf(stderr, "\r\033[K");
    if (status == HOL_INTERRUPTED)
        snprintf(job->err.text, sizeof job->err.text, "interrupted");
    return status;
}

static int cmd_equilibrium_run(const CliArgs *args) {
    double at;
    const char *wrong = cmd_equilibrium_wrong(args);
    if (wrong)
        fprintf(stderr, "holonom equilibrium: %s\n", wrong);
    if (wrong || !cmd_equilibrium_time(args, &at))
        return CLI_USAGE;
    Job *job = calloc(1, sizeof *job);
    if (!job) {
        fprintf(stderr, "holonom: out of memory\n");
        return CLI_FAILED;
    }
    run_job_catch_signals();
    job->watched = isatty(STDERR_FILENO);
    job->status = cmd_equilibrium_search(job, args, at);
    cmd_equilibrium_write(job, args);
    const char *file = cli_value(args, "--output");
    if (cli_value(args, "--json"))
        cmd_equilibrium_json(job, args->words[0]);
    else if (!job->status && !(file && strcmp(file, "-") == 0))
        cmd_equilibrium_text(job);
    if (job->status)
        cli_report(&job->err);
    const int code = cli_exit_code(job->status);
    hol_equilibria_destroy(job->list);
    hol_sim_destroy(job->sim);
    hol_model_destroy(job->model);
    free(job);
    return code;
}

static const CliOption options_table[] = {
    {"--at", NULL, "T", "the start", "drives and forces as at this time [s]"},
    {"--set", NULL, "KEY=VALUE", NULL, "change a parameter or an option, such as L=2"},
    {"--output", "-o", "MODEL2", NULL,
     "the model with the new positions and no velocities; - is standard output"},
    {"--cache", NULL, "DIR", NULL, "keep what is computed of modal bodies in this folder"},
    {"--json", NULL, NULL, NULL, "print one object on standard output"},
    {0},
};

const CliCommand cli_equilibrium = {
    .name = "equilibrium",
    .arguments = "MODEL",
    .n_arguments = 1,
    .help = "where the mechanism rests: stable, unstable and neutral positions",
    .more =
        "MODEL is a YAML or JSON file, or - for standard input. Drives are held, nothing moves.",
    .options = options_table,
    .run = cmd_equilibrium_run,
};
