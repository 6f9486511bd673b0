// SPDX-License-Identifier: Apache-2.0
// What stands behind the dot of a name in an expression: quantities of bodies, points, joints,
// forces, and the columns of results that may stand in `outputs:` by themselves.
#include "io/modal/read_modal.h"
#include "io/model/read.h"
#include "io/model/read_beam.h"

#include "base/text.h"
#include "model/quantity.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 64, ANY_BODY = 1 << 30 }; // ANY_BODY: of a type that is not known

static int read_parts_body_owner(const HolNode *body, const char *name) {
    if (hol_node_is_beam(body))
        return hol_node_beam_whole(body, name) ? HOL_OF_BEAM : HOL_OF_RIGID | HOL_OF_NODE;
    if (hol_node_is_modal(body))
        return hol_read_modal_owner(body, name);
    const HolNode *type = hol_node_get(body, "type");
    const HolKind *kind = type ? hol_kind_find(hol_body_kinds, type->text) : hol_body_kinds[0];
    return kind ? hol_quantity_body(kind->body) : ANY_BODY;
}

// everything that carries the name; one name may stand for several things
static int owners_of(const HolReader *r, const char *name) {
    static const struct {
        const char *name;
        int owner;
    } reserved[] = {{"ground", HOL_OF_PLACE},
                    {"energy", HOL_OF_ENERGY | HOL_OF_LOSS},
                    {"constraint", HOL_OF_RESIDUAL},
                    {"step", HOL_OF_STEP}};
    const struct {
        const HolNameTable *names;
        int owner;
    } lists[] = {{&r->joints, HOL_OF_JOINT},
                 {&r->forces, HOL_OF_FORCE},
                 {&r->motions, HOL_OF_MOTION},
                 {&r->constraints, HOL_OF_CONSTRAINT},
                 {&r->contacts, HOL_OF_CONTACT}};
    const HolNameEntry *body = hol_name_table_find(&r->bodies, name);
    int owners = body ? read_parts_body_owner(body->item, name) : 0;
    const HolNameEntry *joint = hol_name_table_find(&r->joints, name);
    if (joint && joint->item && hol_node_get(joint->item, "friction"))
        owners |= HOL_OF_FRICTION;
    if (joint && joint->item && hol_node_get(joint->item, "limits"))
        owners |= HOL_OF_STOP;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i].name, name) == 0)
            owners |= reserved[i].owner;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (hol_name_table_find(lists[i].names, name))
            owners |= lists[i].owner;
    return owners;
}

// what is offered: names in expressions, for outputs also columns that expressions do not know
static int offered(const HolReader *r, int owners, const char **list) {
    int n = 0;
    for (int columns = 0; columns <= (r->output != NULL); columns++)
        for (const HolQuantity *q = hol_quantities; q->name && n < MOST_WORDS; q++)
            if (hol_quantity_of(q, owners, r->space) && !(q->uses & HOL_USE_QUIET) &&
                columns == !(q->uses & HOL_USE_EXPRESSION))
                list[n++] = q->name;
    return n;
}

static int is_column(const HolReader *r, int owners, const char *name) {
    for (const HolQuantity *q = hol_quantities; q->name; q++)
        if ((q->uses & (HOL_USE_COLUMN | HOL_USE_OUTPUT)) && hol_quantity_of(q, owners, r->space) &&
            strcmp(q->name, name) == 0)
            return 1;
    return 0;
}

// the nearest word as a suggestion, or all words as the reason
static void give_hint(HolReader *r, const char *before, const char *part, const char *const *list,
                      int n, char suggestion[64]) {
    const char *nearest = hol_nearest_word(part, list, n);
    if (nearest && snprintf(suggestion, 64, "%s.%s", before, nearest) < 64)
        return;
    suggestion[0] = 0;
    size_t size = sizeof r->reason,
           used = (size_t)snprintf(r->reason, size, "; '%.64s' has ", before);
    for (int i = 0; i < n && used + 16 < size; i++)
        used += (size_t)snprintf(r->reason + used, size - used, "%s%s", i ? ", " : "", list[i]);
    if (n == 0)
        r->reason[0] = 0;
}

int hol_read_part_known(HolReader *r, const char *name, char suggestion[64]) {
    const size_t length = hol_read_owner_length(r, name);
    const char *owner = hol_arena_text_n(r->arena, name, length);
    const char *dot = strrchr(name, '.');
    // the place of a body has a dot more; a quantity may have one (O.f_body.x)
    if (owner && !hol_name_table_find(&r->bodies, owner) && strcmp(owner, "ground") != 0 &&
        name[length])
        dot = name + length;
    const char *part = dot + 1;
    const char *before = hol_arena_text_n(r->arena, name, (size_t)(dot - name));
    const char *words[MOST_WORDS];
    const int whole = r->output && strcmp(r->output, name) == 0;
    if (!owner || !before)
        return 1;
    const int owners = name + length == dot                       ? owners_of(r, owner)
                       : hol_name_table_find(&r->contacts, owner) ? HOL_OF_CONTACT
                                                                  : HOL_OF_PLACE;
    const int column = is_column(r, owners, part);
    if ((owners & ANY_BODY) || hol_quantity_find(owners, r->space, part) || (whole && column))
        return 1;
    if (column)
        snprintf(r->reason, sizeof r->reason,
                 "; as a column of results it may stand in 'outputs', by itself only");
    else
        give_hint(r, before, part, words, offered(r, owners, words), suggestion);
    return 0;
}
