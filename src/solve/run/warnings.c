// SPDX-License-Identifier: Apache-2.0
// Reasons to doubt a run, a sentence each, reported with its statistics. One run alone does not
// show that a motion amplifies errors: hol_certify finds that out (docs/accuracy.md).
#include "solve/event/event.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <math.h>

static const double MOST_DRIFT = 1e-3;    // of the energies
static const double MOST_MISS = 0.05;     // residual of velocities, of the largest velocity
static const double WRONG = 0.2;          // either of them: nothing of the motion is right
static const double HELD = 1e-12;         // of the energy of forces that friction holds: round-off
static const double ENERGY_NOISE = 1e-12; // of the largest energy: round-off
static const double SPEED_NOISE = 1e-10;  // of the largest link, moved during the run: round-off
static const double MOST_SURPRISE = 2;    // rad; from pi on the number of turns is a guess
static const double FINEST = 2e-14;       // tolerance that round-off still allows
static const double MANY_STEPS = 3e4;     // whose least shares add up to 30 tolerances
static const double LEAST_SHARE = 1.0e-3; // of the tolerance that a step gets (error_test.c)

static const char RESULTS_WRONG[] = "THE RESULTS ARE WRONG: ";

// Friction holds everything: what moves is round-off, and so is its energy. Forces times sizes
static double held_energy(const HolSim *s) {
    double sum = 0, *f = s->events ? s->events->v : NULL;
    if (!f || !s->events->ns->n_grips)
        return 0;
    s->p->force(s->p, s->work, HOL_AT(&s->x), f);
    for (int i = 0; i < s->nv; i++)
        sum += fabs(f[i]) * s->reach[i];
    return sum;
}

// Fixed steps end at switches of time; those that were not found lie inside of steps. (A law whose
// switches are far apart may be found all the same: this explains a drift, and is none by itself.)
static void warn_switches(const HolSim *s, HolStats *stats) {
    const struct HolSimDriver *d = s->driver;
    if (!d->adaptive && s->x.t > d->unseen)
        hol_add_line(stats->warnings, sizeof stats->warnings,
                     "a force switches more often than can be found before the run: behind time "
                     "%.6g steps may pass over switches; use a shorter run, a step that ends at "
                     "all of them, or error control",
                     d->unseen);
}

// Drift against the energies that move: the largest kinetic one, the range of the potential one,
// the work. A mechanism without freedom has no error of integration: with error control nothing is told
// of it, with fixed steps only what no sum over its drives' power explains: it moved far between two
// steps, and may have come to the mirror image of its position.
static void warn_drift(const HolSim *s, HolStats *stats) {
    const struct HolSimDriver *d = s->driver;
    const double size = fmax(fmax(d->kinetic_most, d->potential_high - d->potential_low),
                             fabs(stats->work)),
                 drift = stats->energy_max_drift, most = s->check.dof > 0 ? MOST_DRIFT : WRONG;
    if (s->p->energy && isfinite(stats->energy_initial) && !isfinite(stats->energy_final)) {
        hol_add_line(stats->warnings, sizeof stats->warnings,
                     "the energy has grown beyond all numbers: %suse a smaller %s", RESULTS_WRONG,
                     d->adaptive ? "tolerance" : "step");
        return;
    }
    if (s->p->energy && (s->check.dof > 0 || !d->adaptive) && drift > most * size &&
        drift > HELD * held_energy(s) && drift > ENERGY_NOISE * d->energy_size) {
        hol_add_line(stats->warnings, sizeof stats->warnings,
                     "energy drifts by %.3g J that no force explains, %.2g %% of the energies of "
                     "this motion: %suse a smaller %s",
                     drift, 100 * drift / size,
                     drift > WRONG * size && !d->adaptive ? RESULTS_WRONG : "",
                     d->adaptive ? "tolerance" : "step");
        warn_switches(s, stats);
    }
}

// Methods that hold positions only: their velocities miss the constraints by the error of the step.
static void warn_miss(const HolSim *s, HolStats *stats) {
    const double miss = stats->residual_velocity, size = s->driver->speed_most;
    const double noise = SPEED_NOISE * s->test->length / s->test->span;
    if (!s->driver->adaptive && stats->steps > 0 && miss > MOST_MISS * size && miss > noise)
        hol_add_line(stats->warnings, sizeof stats->warnings,
                     "velocities miss the constraints by %.3g, %.2g %% of the largest one: %suse a "
                     "smaller step",
                     miss, 100 * miss / size, miss > WRONG * size ? RESULTS_WRONG : "");
}

static void warn_test(const HolSim *s, HolStats *stats) {
    const double steps = (double)stats->steps;
    if (!s->driver->adaptive)
        return;
    if (s->o.tolerance < FINEST)
        hol_add_line(stats->warnings, sizeof stats->warnings,
                     "tolerance %g is finer than round-off: the error test cannot be met and was "
                     "overruled",
                     s->o.tolerance);
    if (steps > MANY_STEPS)
        hol_add_line(stats->warnings, sizeof stats->warnings,
                     "%.0f steps: their errors may add up to %.0f times the tolerance; --certify "
                     "tells",
                     steps, steps * LEAST_SHARE);
}

static void warn_turns(const HolSim *s, HolStats *stats) {
    const struct HolSimDriver *d = s->driver;
    if (d->surprise > MOST_SURPRISE)
        hol_add_line(stats->warnings, sizeof stats->warnings,
                     "body '%s' turned by %.2g rad more or less in a step than expected: a whole "
                     "turn may be lost",
                     d->surprised, d->surprise);
}

void hol_run_warnings(const HolSim *s, HolStats *stats) {
    warn_drift(s, stats);
    warn_miss(s, stats);
    warn_test(s, stats);
    warn_turns(s, stats);
}
