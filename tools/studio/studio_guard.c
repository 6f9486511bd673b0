// SPDX-License-Identifier: Apache-2.0
// Connections of the studio, each with a place and a clock: one that takes too long for its question
// or its answer is shut, and where few places are left the one that matters least makes room. So
// nobody who opens many, or says and reads little, keeps others out.
#include "tools/studio/studio.h"

#include <sys/socket.h>

enum { SPARE = 8 };
static const double question = 20,
                    answer = 60; // seconds for each; a pause between two counts as one

// the server sees its end, and forgets it
static void guard_shut(HolStudioClient *c) {
    if (!c->shut)
        shutdown(c->fd, SHUT_RDWR);
    c->shut = 1;
}

int hol_studio_client_count(const HolStudio *s, int session) {
    int n = 0;
    for (int i = 0; i < HOL_STUDIO_CONNECTIONS; i++)
        n += s->clients[i].state == HOL_CLIENT_ANSWERED && s->clients[i].session == session;
    return n;
}

// 1 when a is to go before b: who has not asked yet, then those of who has most, then the oldest
static int guard_before(const HolStudio *s, const HolStudioClient *a, const HolStudioClient *b) {
    if (a->state != b->state)
        return a->state == HOL_CLIENT_ASKS;
    if (a->state == HOL_CLIENT_ANSWERED && a->session != b->session) {
        const int many = hol_studio_client_count(s, a->session);
        const int other = hol_studio_client_count(s, b->session);
        if (many != other)
            return many > other;
    }
    return a->since < b->since;
}

static void guard_make_room(HolStudio *s) {
    HolStudioClient *found = NULL;
    int open = 0;
    for (int i = 0; i < HOL_STUDIO_CONNECTIONS; i++) {
        HolStudioClient *c = &s->clients[i];
        if (c->state == HOL_CLIENT_FREE || c->shut)
            continue;
        open++;
        if (c->state != HOL_CLIENT_WAITS && (!found || guard_before(s, c, found)))
            found = c;
    }
    if (found && open > HOL_STUDIO_CONNECTIONS - SPARE)
        guard_shut(found);
}

HolStudioClient *hol_studio_client_new(HolStudio *s, int fd) {
    guard_make_room(s);
    for (int i = 0; i < HOL_STUDIO_CONNECTIONS; i++)
        if (s->clients[i].state == HOL_CLIENT_FREE) {
            s->clients[i] = (HolStudioClient){.fd = fd};
            hol_studio_client_becomes(&s->clients[i], HOL_CLIENT_ASKS, -1);
            return &s->clients[i];
        }
    return NULL;
}

void hol_studio_client_becomes(HolStudioClient *c, HolClientState state, int session) {
    if (!c)
        return;
    c->state = state;
    c->session = session;
    c->since = hol_studio_now();
}

void hol_studio_guard(HolStudio *s) {
    const double now = hol_studio_now();
    for (int i = 0; i < HOL_STUDIO_CONNECTIONS; i++) {
        HolStudioClient *c = &s->clients[i];
        const double most = c->state == HOL_CLIENT_ASKS ? question : answer;
        if ((c->state == HOL_CLIENT_ASKS || c->state == HOL_CLIENT_ANSWERED) &&
            now - c->since > most)
            guard_shut(c);
    }
}
