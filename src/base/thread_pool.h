// SPDX-License-Identifier: Apache-2.0
// A team of threads that share the loops of one large mechanism.
//
//     hol_team_run(team, 2, work, context)     work(context, 0) and work(context, 1), side by side
//
// Data are divided into parts once, when they are laid out, and never by the number of threads: a
// run with one thread and one with two give the same bits. Parts write to places of their own; what
// several parts add to is kept apart by part and summed by the caller in the order of the parts.
// One caller at a time. Members wait awake for a moment between two calls, then asleep.
#ifndef HOL_BASE_TEAM_H
#define HOL_BASE_TEAM_H

#include "base/arena.h"

enum { HOL_TEAM_MOST = 8 }; // threads

typedef struct HolTeam HolTeam;
typedef void (*HolTeamWork)(void *context, int part);

// so many with the caller; NULL: no memory, or no thread to be had
HolTeam *hol_team_create(HolArena *arena, int threads);
void hol_team_destroy(HolTeam *team);     // the threads end; its memory is the arena's
double hol_team_cpu(const HolTeam *team); // seconds the members other than the caller worked
int hol_team_processors(void);            // that this process may use

// all parts, then returns; without a team (NULL) the caller does them one after the other
void hol_team_call(HolTeam *team, int parts, HolTeamWork work, void *context);

static inline void hol_team_run(HolTeam *team, int parts, HolTeamWork work, void *context) {
    if (team && parts > 1)
        hol_team_call(team, parts, work, context);
    else
        for (int part = 0; part < parts; part++)
            work(context, part);
}

// first .. end of a part out of n things
static inline int hol_share_begin(int n, int parts, int part) {
    return (int)((long)n * part / parts);
}

// loop(context, first, end) over pieces of 0 .. n-1, which must not depend on each other; in one
// piece without a team, or when n is small
typedef void (*HolTeamLoop)(void *context, int first, int end);
void hol_team_pieces(HolTeam *team, int n, HolTeamLoop loop, void *context);
enum { HOL_LONG_LOOP = 500 };

static inline void hol_team_loop(HolTeam *team, int n, HolTeamLoop loop, void *context) {
    if (team && n >= HOL_LONG_LOOP)
        hol_team_pieces(team, n, loop, context);
    else
        loop(context, 0, n);
}

// sum(context, first, end) of 0 .. n-1; a long one in two halves, with a team or without: the same
// bits
typedef double (*HolTeamSum)(void *context, int first, int end);
double hol_team_sum(HolTeam *team, int n, HolTeamSum sum, void *context);

#endif
