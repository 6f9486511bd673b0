// SPDX-License-Identifier: Apache-2.0
// Linearizations take the modes of a state as they are: a contact that is closed, a joint that sticks and
// a stop that is reached stay so, all others stay open. The hidden coordinate of a closed row is free
// and no part of the mechanism; a row that sticks holds a speed, so that its hidden position is free always.
#include "solve/linear/frozen.h"
#include "solve/event/share.h"
#include "solve/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// elements with modes; NULL: there are none
static const HolNonsmooth *elements(const HolSim *s) {
    const HolNonsmooth *ns = s->events ? s->events->ns : NULL;
    return ns && (ns->n_supports || ns->n_grips) ? ns : NULL;
}

int hol_frozen_has_modes(const HolSim *s) {
    return elements(s) != NULL;
}

HolStatus hol_frozen_start(HolSim *s, HolError *err) {
    return elements(s) ? hol_start_run(s, err) : HOL_OK;
}

int hol_frozen_idle(const HolSim *s, int positions) {
    const HolNonsmooth *ns = elements(s);
    int n = 0;
    for (int i = 0; ns && i < ns->n_supports; i++)
        n += ns->support_mode(s->p, s->work, i) == HOL_CLOSED;
    for (int i = 0; ns && i < ns->n_grips; i++)
        if (positions || ns->grip_mode(s->p, s->work, i) == HOL_STICK)
            n += ns->grips[i].rows;
    // (rows that others hold: their hidden coordinate is held, too)
    return ns && !positions ? n - hol_share_apart(s) : n;
}

static void frozen_name(char *line, size_t room, const char *name, const char *mode) {
    const size_t used = strlen(line);
    if (used + strlen(name) + 24 < room)
        snprintf(line + used, room - used, "%s'%s' %s", used ? ", " : "", name, mode);
    else if (used > 3 && strcmp(line + used - 3, " ..") != 0)
        snprintf(line + used, room - used, " ..");
}

void hol_frozen_say(const HolSim *s, char *line, size_t room) {
    const HolNonsmooth *ns = elements(s);
    char names[160] = "";
    line[0] = 0;
    if (!ns)
        return;
    for (int i = 0; i < ns->n_supports; i++)
        if (ns->support_mode(s->p, s->work, i) == HOL_CLOSED)
            frozen_name(names, sizeof names, ns->supports[i].name, "closed");
    for (int i = 0; i < ns->n_grips; i++) {
        const int mode = ns->grip_mode(s->p, s->work, i);
        if (mode != HOL_FREE)
            frozen_name(names, sizeof names, ns->grips[i].name,
                        mode == HOL_STICK ? "sticks" : "slips");
    }
    snprintf(line, room, "modes are held as they are at this time: %s%s",
             names[0] ? names : "every stop, contact and friction is open",
             names[0] ? "; what is not named is open" : "");
}

HolStatus hol_crowd_refuse(const HolSim *s, const char *what, HolError *err) {
    if (!s->p->extras->crowd)
        return HOL_OK;
    return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                         "%s takes no contact among many bodies, whose forces it cannot "
                         "differentiate: '%s'",
                         what, s->p->extras->crowd);
}

HolStatus hol_frozen_refuse(const HolSim *s, const char *what, HolError *err) {
    const HolNonsmooth *ns = elements(s);
    if (s->p->extras->crowd)
        return hol_crowd_refuse(s, what, err);
    if (!ns)
        return HOL_OK;
    return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                         "%s takes no friction that sticks, no rigid stops and contacts: '%s'; run "
                         "the model until it rests",
                         what, ns->n_supports ? ns->supports[0].name : ns->grips[0].name);
}
