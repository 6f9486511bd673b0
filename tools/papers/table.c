// SPDX-License-Identifier: Apache-2.0
// Tables collected and printed as text, Markdown or JSON. A column named "why" is a remark: in text
// it stands on a line of its own.
#include "tools/papers/papers.h"

#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void table_put(HolTablePrinter *t, const char *text) {
    t->put(t->to, text, strlen(text));
}

static void put_padded(HolTablePrinter *t, const char *text, int width) {
    const int length = hol_text_characters(text, strlen(text));
    table_put(t, text);
    for (int i = length; i < width; i++)
        table_put(t, " ");
}

// ---- text ----

static void table_print_text(HolTablePrinter *t) {
    int width[16] = {0}, n = t->n_columns;
    const int remark = n && !strcmp(t->columns[n - 1], "why");
    for (int c = 0; c < n; c++)
        for (int r = -1; r < t->n_rows; r++) {
            const char *cell = r < 0 ? t->columns[c] : t->rows[r][c];
            const int length = hol_text_characters(cell, strlen(cell));
            width[c] = length > width[c] ? length : width[c];
        }
    table_put(t, "\n");
    table_put(t, t->title);
    if (t->models[0]) {
        table_put(t, "  [");
        table_put(t, t->models);
        table_put(t, "]");
    }
    table_put(t, "\n");
    for (int r = -1; r < t->n_rows; r++) {
        const char *const *cells = r < 0 ? t->columns : t->rows[r];
        table_put(t, "  ");
        for (int c = 0; c < n - remark; c++)
            put_padded(t, cells[c], c == n - remark - 1 ? 0 : width[c] + 2);
        table_put(t, "\n");
        if (remark && r >= 0 && cells[n - 1][0]) {
            table_put(t, "      ");
            table_put(t, cells[n - 1]);
            table_put(t, "\n");
        }
    }
}

// ---- Markdown ----

static void table_put_cell(HolTablePrinter *t, const char *text) {
    for (; *text; text++) {
        if (*text == '|' || *text == '<' || *text == '*' || *text == '_')
            table_put(t, "\\");
        t->put(t->to, text, 1);
    }
}

static void print_markdown(HolTablePrinter *t) {
    table_put(t, "\n### ");
    table_put(t, t->title);
    table_put(t, "\n\n");
    if (t->models[0]) {
        table_put(t, "Model: `");
        table_put(t, t->models);
        table_put(t, "`\n\n");
    }
    for (int r = -1; r < t->n_rows; r++) {
        const char *const *cells = r < 0 ? t->columns : t->rows[r];
        table_put(t, "|");
        for (int c = 0; c < t->n_columns; c++) {
            table_put(t, " ");
            table_put_cell(t, cells[c]);
            table_put(t, " |");
        }
        table_put(t, "\n");
        if (r < 0) {
            table_put(t, "|");
            for (int c = 0; c < t->n_columns; c++)
                table_put(t, "---|");
            table_put(t, "\n");
        }
    }
}

// ---- JSON ----

// a cell that is a number as it stands
static int is_number(const char *cell) {
    const size_t n = strlen(cell);
    double number;
    return hol_text_number(cell, n, &number) && isdigit((unsigned char)cell[n - 1]) &&
           (isdigit((unsigned char)cell[0]) || (cell[0] == '-' && isdigit((unsigned char)cell[1])));
}

static void table_print_json(HolTablePrinter *t) {
    HolJson *j = &t->json;
    hol_json_begin(j, NULL, '{', HOL_JSON_ROW);
    hol_json_text(j, "title", t->title);
    hol_json_text(j, "models", t->models);
    hol_json_begin(j, "rows", '[', HOL_JSON_LINES);
    for (int r = 0; r < t->n_rows; r++) {
        hol_json_begin(j, NULL, '{', HOL_JSON_ROW);
        for (int c = 0; c < t->n_columns; c++) {
            const char *cell = t->rows[r][c];
            if (cell[0] && is_number(cell))
                hol_json_raw(j, t->columns[c], cell);
            else
                hol_json_text(j, t->columns[c], cell[0] ? cell : NULL);
        }
        hol_json_end(j);
    }
    hol_json_end(j);
    hol_json_end(j);
}

// ---- collecting ----

static void table_flush(HolTablePrinter *t) {
    if (!t->title)
        return;
    if (t->format == HOL_REPRODUCE_JSON)
        table_print_json(t);
    else if (t->format == HOL_REPRODUCE_MARKDOWN)
        print_markdown(t);
    else
        table_print_text(t);
    t->title = NULL;
    t->rows = NULL;
    t->n_rows = t->capacity = 0;
    hol_arena_free(&t->arena);
    t->arena = (HolArena){0};
}

static void end_chapter(HolTablePrinter *t) {
    table_flush(t);
    if (t->format == HOL_REPRODUCE_JSON && t->chapters) {
        hol_json_end(&t->json);
        hol_json_end(&t->json);
    }
}

static void json_chapter(HolTablePrinter *t, const char *key, const char *title, const char *text) {
    if (t->chapters == 0) {
        hol_json_begin(&t->json, NULL, '{', HOL_JSON_ROW);
        hol_json_begin(&t->json, "chapters", '[', HOL_JSON_LINES);
    }
    hol_json_begin(&t->json, NULL, '{', HOL_JSON_ROW);
    hol_json_text(&t->json, "key", key);
    hol_json_text(&t->json, "title", title);
    hol_json_text(&t->json, "text", text);
    hol_json_begin(&t->json, "tables", '[', HOL_JSON_LINES);
}

static void chapter(void *to, const char *key, const char *title, const char *text) {
    HolTablePrinter *t = to;
    end_chapter(t);
    if (t->format == HOL_REPRODUCE_JSON) {
        json_chapter(t, key, title, text);
    } else {
        table_put(t, t->format == HOL_REPRODUCE_MARKDOWN ? (t->chapters ? "\n## " : "## ")
                                                         : (t->chapters ? "\n\n" : ""));
        table_put(t, isdigit((unsigned char)key[0]) ? "Paper " : "");
        table_put(t, isdigit((unsigned char)key[0]) ? key : "");
        table_put(t, isdigit((unsigned char)key[0]) ? ": " : "");
        table_put(t, title);
        table_put(t, t->format == HOL_REPRODUCE_MARKDOWN ? "\n\n" : "\n");
        table_put(t, text);
        table_put(t, "\n");
    }
    t->chapters++;
}

static void table(void *to, const char *title, const char *models, int n,
                  const char *const *columns) {
    HolTablePrinter *t = to;
    table_flush(t);
    t->title = hol_arena_text(&t->arena, title);
    t->models = hol_arena_text(&t->arena, models);
    t->columns = columns;
    t->n_columns = n;
}

static void row(void *to, int n, const char *const *cells) {
    HolTablePrinter *t = to;
    const char **copy = HOL_NEW(&t->arena, const char *, n);
    if (!copy || !HOL_GROW(&t->arena, t->rows, t->n_rows, t->capacity))
        return;
    for (int i = 0; i < n; i++) {
        copy[i] = hol_arena_text(&t->arena, cells[i]);
        if (!copy[i])
            return;
    }
    t->rows[t->n_rows++] = copy;
}

HolTableSink hol_table_printer(HolTablePrinter *t) {
    t->json = (HolJson){.put = t->put, .to = t->to};
    return (HolTableSink){t, chapter, table, row};
}

void hol_table_finish(HolTablePrinter *t) {
    end_chapter(t);
    if (t->format == HOL_REPRODUCE_JSON) {
        hol_json_end(&t->json);
        hol_json_end(&t->json);
        table_put(t, "\n");
    }
    hol_arena_free(&t->arena);
}
