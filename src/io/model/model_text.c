// SPDX-License-Identifier: Apache-2.0
// Where things stand in the text of a model file, from the events of the YAML parser. See model_text.h.
#include "io/model/model_text.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

static const char *const NOT_YAML = "it is not YAML";

typedef struct Walker {
    const char *text;
    size_t length;
    yaml_parser_t parser;
    size_t at_index, at_byte; // marks count characters; both ascend
    const char *why;
} Walker;

static HolStatus model_text_no(Walker *w, const char *why) {
    w->why = why;
    return HOL_ERR_UNSUPPORTED;
}

// byte of a mark; marks come in ascending order but for a few steps back
static size_t model_text_byte(Walker *w, const yaml_mark_t *mark) {
    if (mark->index < w->at_index)
        w->at_index = w->at_byte = 0;
    while (w->at_index < mark->index && w->at_byte < w->length) {
        w->at_byte++;
        while (w->at_byte < w->length && ((unsigned char)w->text[w->at_byte] & 0xC0) == 0x80)
            w->at_byte++;
        w->at_index++;
    }
    return w->at_byte;
}

static int model_text_next(Walker *w, yaml_event_t *e) {
    return yaml_parser_parse(&w->parser, e);
}

// The rest of the node that begins with e; *end: byte behind its last character
static HolStatus model_text_skip(Walker *w, yaml_event_t *e, size_t *end) {
    int depth = 0;
    for (;;) {
        const yaml_event_type_t type = e->type;
        const int opens = type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
        const int closes = type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
        const size_t byte = model_text_byte(w, &e->end_mark);
        // (the end of a block is said where the next thing begins)
        if (!closes || (byte > 0 && byte <= w->length && strchr("]}", w->text[byte - 1])))
            *end = byte;
        depth += opens - closes;
        yaml_event_delete(e);
        if (depth == 0)
            return HOL_OK;
        if (!model_text_next(w, e))
            return model_text_no(w, NOT_YAML);
    }
}

// a key and its value, from the event of the key
static HolStatus model_text_pair(Walker *w, yaml_event_t *e, HolTextPair *p) {
    yaml_event_t value;
    *p = (HolTextPair){.indent = (int)e->start_mark.column};
    if (e->type == YAML_SCALAR_EVENT) {
        snprintf(p->key, sizeof p->key, "%s", (const char *)e->data.scalar.value);
        p->quoted = e->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    }
    p->at = model_text_byte(w, &e->start_mark);
    yaml_event_delete(e);
    if (!model_text_next(w, &value))
        return model_text_no(w, NOT_YAML);
    p->begin = model_text_byte(w, &value.start_mark);
    if (value.type == YAML_SCALAR_EVENT)
        snprintf(p->value, sizeof p->value, "%s", (const char *)value.data.scalar.value);
    return model_text_skip(w, &value, &p->end);
}

// an entry, from the event that opens it
static HolStatus model_text_item(Walker *w, yaml_event_t *e, HolTextItem *item) {
    const int is_map = e->type == YAML_MAPPING_START_EVENT;
    *item = (HolTextItem){.flow = is_map && e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE};
    yaml_event_delete(e);
    if (!is_map)
        return model_text_no(w, "something is not written where it stands (an alias)");
    for (;;) {
        HolTextPair p;
        if (!model_text_next(w, e))
            return model_text_no(w, NOT_YAML);
        if (e->type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(e);
            return HOL_OK;
        }
        HolStatus status = model_text_pair(w, e, &p);
        if (status)
            return status;
        if (item->n < HOL_TEXT_PAIRS)
            item->pair[item->n++] = p;
    }
}

// a list, from the event that opens it
static HolStatus model_text_list(Walker *w, yaml_event_t *e, const char *section, HolTextTake *take,
                                 void *user) {
    size_t end;
    if (e->type != YAML_SEQUENCE_START_EVENT)
        return model_text_skip(w, e, &end);
    yaml_event_delete(e);
    for (;;) {
        HolTextItem item;
        if (!model_text_next(w, e))
            return model_text_no(w, NOT_YAML);
        if (e->type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(e);
            return HOL_OK;
        }
        HolStatus status = model_text_item(w, e, &item);
        if (!status)
            status = take(user, section, &item);
        if (status)
            return status;
    }
}

// from the start to the map that is the file; 0: there is none
static int model_text_root(Walker *w) {
    for (;;) {
        yaml_event_t e;
        if (!model_text_next(w, &e))
            return 0;
        const yaml_event_type_t type = e.type;
        yaml_event_delete(&e);
        if (type == YAML_MAPPING_START_EVENT)
            return 1;
        if (type != YAML_STREAM_START_EVENT && type != YAML_DOCUMENT_START_EVENT)
            return 0;
    }
}

static HolStatus model_text_sections(Walker *w, const char *const *sections, HolTextTake *take,
                                     void *user) {
    if (!model_text_root(w))
        return model_text_no(w, "it is no map");
    for (;;) {
        yaml_event_t e;
        size_t end;
        if (!model_text_next(w, &e))
            return model_text_no(w, NOT_YAML);
        const int is_end = e.type == YAML_MAPPING_END_EVENT;
        const char *key = e.type == YAML_SCALAR_EVENT ? (char *)e.data.scalar.value : "";
        const char *const *section = sections;
        while (*section && strcmp(*section, key) != 0)
            section++;
        yaml_event_delete(&e);
        if (is_end)
            return HOL_OK;
        if (!model_text_next(w, &e))
            return model_text_no(w, NOT_YAML);
        HolStatus status =
            *section ? model_text_list(w, &e, *section, take, user) : model_text_skip(w, &e, &end);
        if (status)
            return status;
    }
}

HolStatus hol_model_text_walk(const char *text, size_t length, const char *const *sections,
                              HolTextTake *take, void *user, const char **why) {
    Walker w = {.text = text, .length = length};
    *why = NULL;
    if (!yaml_parser_initialize(&w.parser))
        return HOL_ERR_MEMORY;
    yaml_parser_set_input_string(&w.parser, (const unsigned char *)text, length);
    HolStatus status = model_text_sections(&w, sections, take, user);
    if (w.parser.error == YAML_MEMORY_ERROR)
        status = HOL_ERR_MEMORY;
    yaml_parser_delete(&w.parser);
    *why = w.why;
    return status;
}

const HolTextPair *hol_text_item_find(const HolTextItem *item, const char *key) {
    for (int i = 0; i < item->n; i++)
        if (!strcmp(item->pair[i].key, key))
            return &item->pair[i];
    return NULL;
}
