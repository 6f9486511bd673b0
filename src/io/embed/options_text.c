// SPDX-License-Identifier: Apache-2.0
// Options of a run from a text, for programs in other languages: the keys of `simulation:`.
#include "base/sized.h"
#include "holonom/embed.h"
#include "io/model/read.h"
#include "solve/sim.h"

size_t hol_sim_options_room(void) {
    return sizeof(HolSimOptions);
}

double hol_sim_options_end(const HolSimOptions *o) {
    return o ? o->end : 0;
}

// what a key given replaces beside itself
static void options_text_replace(const HolNode *map, HolSimOptions *o) {
    const HolNode *method = hol_node_get(map, "method");
    if (method && (method->type != HOL_NODE_MAP || hol_node_get(method, "name")))
        o->method = hol_sim_options().method;
    if (hol_node_get(map, "tolerance"))
        o->step = 0;
}

static void options_text_read(HolReader *r, const char *text, size_t length, HolSimOptions *o) {
    HolNode *root = hol_yaml_parse(r->arena, text, length, r->file, NULL, &r->problems, r->err);
    if (!root)
        return;
    const HolNode *stops = root->type == HOL_NODE_MAP ? hol_node_get(root, "stop_times") : NULL;
    if (stops)
        hol_read_problem(r, stops, -1,
                         "'stop_times' stands in the model file, or in HolSimOptions from C");
    else if (root->type == HOL_NODE_MAP)
        options_text_replace(root, o);
    if (!stops)
        hol_read_simulation(r, root, o);
}

HolStatus hol_sim_options_parse(HolSimOptions *o, const char *text, size_t length, HolError *err) {
    HolError own;
    HolArena arena = {0};
    HolSimOptions options;
    if (!err)
        err = &own;
    hol_error_clear(err);
    if (!o || !text)
        return hol_error_set(err, HOL_ERR_INPUT, "options and a text are needed");
    HolStatus status = hol_options_take(&options, o, err);
    HolReader *r = HOL_NEW(&arena, HolReader, 1);
    if (status == HOL_OK && !r)
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (status == HOL_OK) {
        r->arena = &arena;
        r->file = "options";
        r->err = err;
        options_text_read(r, text, length, &options);
        if (r->no_memory || arena.failed)
            status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        else if (r->problems)
            status = err->status != HOL_OK ? err->status : HOL_ERR_INPUT;
    }
    if (status == HOL_OK)
        hol_sized_give(o, o->size, &options, o->size < sizeof options ? o->size : sizeof options);
    hol_arena_free(&arena);
    return status;
}
