// SPDX-License-Identifier: Apache-2.0
// Places of beams whose number of elements is still open. A place is named by its fraction,
// "rod.at(0.5)": every trial must have a node there. One base serves all beams of the file: the least
// number of at least two for which all fractions of the file are nodes. A trial of level k has
// base 2^(k-1) elements.
#include "io/refine/refine.h"

#include "io/model/read_beam.h"

#include <ctype.h>
#include <string.h>

enum { LARGEST_BASE = 64 };

int hol_beam_is_auto(const HolNode *beam) {
    const HolNode *node = hol_node_get(beam, "elements");
    return node && node->type == HOL_NODE_SCALAR && strcmp(node->text, "auto") == 0;
}

int hol_beam_auto_count(const HolReader *r) {
    const int base = r->beam_base > 0 ? r->beam_base : 2;
    return base << (r->beam_level > 0 ? r->beam_level - 1 : 0);
}

// fractions of a text, "rod.at(0.25).x": the base that has nodes there too
static void refine_places_fractions(HolReader *r, const char *text, const char *word) {
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        double x;
        size_t length;
        int base = r->beam_base;
        if (!hol_fraction_read(at + strlen(word), &x, &length) || !(x >= 0 && x <= 1) ||
            hol_fraction_node(x, base) >= 0)
            continue;
        while (base <= LARGEST_BASE && hol_fraction_node(x, base) < 0)
            base += r->beam_base;
        if (base <= LARGEST_BASE) // (else the reader says that there is no node)
            r->beam_base = base;
    }
}

// "rod.node3" of a beam whose nodes have no fixed numbers
static void refine_places_node(HolReader *r, const HolNode *node, const char *name) {
    const size_t n = strlen(name);
    for (const char *at = n ? strstr(node->text, name) : NULL; at; at = strstr(at + 1, name)) {
        const int begins =
            at == node->text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
        if (!begins || strncmp(at + n, ".node", 5) != 0 || !isdigit((unsigned char)at[n + 5]))
            continue;
        hol_read_problem(
            r, node, (int)(at - node->text),
            "the nodes of beam '%.64s' have no fixed numbers, because its elements are "
            "'auto': name places as %.64s.start, %.64s.at(0.5), %.64s.end",
            name, name, name, name);
        return;
    }
}

static void refine_places_walk(HolReader *r, const HolNode *node, const HolNode *bodies) {
    if (node->type == HOL_NODE_SCALAR) {
        if (!strchr(node->text, '.'))
            return;
        refine_places_fractions(r, node->text, ".at(");
        refine_places_fractions(r, node->text, ".deflection(");
        for (int i = 0; strstr(node->text, ".node") && i < bodies->n; i++) {
            const HolNode *beam = &bodies->values[i],
                          *name = hol_node_is_beam(beam) ? hol_node_get(beam, "name") : NULL;
            if (name && name->type == HOL_NODE_SCALAR && hol_beam_is_auto(beam))
                refine_places_node(r, node, name->text);
        }
        return;
    }
    for (int i = 0; i < node->n; i++)
        refine_places_walk(r, &node->values[i], bodies);
}

void hol_beam_auto_places(HolReader *r, const HolNode *root) {
    const HolNode *bodies = hol_node_get(root, "bodies");
    int any = 0;
    r->beam_base = 2;
    for (int i = 0; bodies && bodies->type == HOL_NODE_LIST && i < bodies->n; i++)
        any |= hol_node_is_beam(&bodies->values[i]) && hol_beam_is_auto(&bodies->values[i]);
    if (any)
        refine_places_walk(r, root, bodies);
}
