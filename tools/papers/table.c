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

static void put_string(HolTablePrinter *t, const char *text) {
    table_put(t, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            table_put(t, "\\");
        t->put(t->to, text, 1);
    }
    table_put(t, "\"");
}

static void table_print_json(HolTablePrinter *t) {
    table_put(t, t->tables > 1 ? ",\n" : "\n");
    table_put(t, "      {\"title\": ");
    put_string(t, t->title);
    table_put(t, ", \"models\": ");
    put_string(t, t->models);
    table_put(t, ", \"rows\": [");
    for (int r = 0; r < t->n_rows; r++) {
        table_put(t, r ? ",\n        {" : "\n        {");
        for (int c = 0; c < t->n_columns; c++) {
            double number;
            const char *cell = t->rows[r][c];
            table_put(t, c ? ", " : "");
            put_string(t, t->columns[c]);
            table_put(t, ": ");
            if (!cell[0])
                table_put(t, "null");
            else if (hol_text_number(cell, strlen(cell), &number) &&
                     isdigit((unsigned char)cell[strlen(cell) - 1]) &&
                     (isdigit((unsigned char)cell[0]) ||
                      (cell[0] == '-' && isdigit((unsigned char)cell[1]))))
                table_put(t, cell);
            else
                put_string(t, cell);
        }
        table_put(t, "}");
    }
    table_put(t, "]}");
}

// ---- collecting ----

static void table_flush(HolTablePrinter *t) {
    if (!t->title)
        return;
    t->tables++;
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
    if (t->format == HOL_REPRODUCE_JSON && t->chapters)
        table_put(t, "\n    ]}");
}

static void chapter(void *to, const char *key, const char *title, const char *text) {
    HolTablePrinter *t = to;
    end_chapter(t);
    if (t->format == HOL_REPRODUCE_JSON) {
        table_put(t, t->chapters ? ",\n" : "{\"chapters\": [\n");
        table_put(t, "    {\"key\": ");
        put_string(t, key);
        table_put(t, ", \"title\": ");
        put_string(t, title);
        table_put(t, ", \"text\": ");
        put_string(t, text);
        table_put(t, ", \"tables\": [");
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
    t->tables = 0;
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
    return (HolTableSink){t, chapter, table, row};
}

void hol_table_finish(HolTablePrinter *t) {
    end_chapter(t);
    if (t->format == HOL_REPRODUCE_JSON)
        table_put(t, t->chapters ? "\n]}\n" : "{\"chapters\": []}\n");
    hol_arena_free(&t->arena);
}
