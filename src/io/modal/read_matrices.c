// SPDX-License-Identifier: Apache-2.0
// The files of a modal body: mass and stiffness matrices, and the table of nodes.
#include "io/csv.h"
#include "io/modal/matrix_market.h"
#include "io/modal/read_modal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { MOST_EDGES = 3000 };

static HolModalFile modal_file(HolReader *r, const HolNode *node, const char *key) {
    HolModalFile f = {.path = hol_read_text(r, node, key)};
    f.text = f.path ? hol_read_file(r, f.path, &f.length) : NULL;
    if (f.path && !f.text)
        hol_read_problem(r, node, -1, "'%s': cannot read '%.200s': %s", key, f.path,
                         strerror(errno));
    if (f.text && strlen(f.text) != f.length) {
        hol_read_problem(r, node, -1, "'%s': '%.200s' is no text", key, f.path);
        f.text = NULL;
    }
    return f;
}

static double *modal_matrix(HolReader *r, const HolNode *node, const char *key,
                            const HolModalFile *file, int *rows) {
    HolError error = {0};
    double *A = file->text ? hol_matrix_market(r->arena, file->text, file->path, HOL_MODAL_UNKNOWNS,
                                               rows, &error)
                           : NULL;
    if (file->text && !A)
        hol_read_problem(r, node, -1, "'%s': %s", key, error.text);
    return A;
}

static int modal_columns(HolReader *r, HolModalTarget *t, const HolCsv *csv, const char *path) {
    static const char *const names[4] = {"x", "y", "z", "node"};
    const double *column[4] = {NULL};
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < csv->n_columns; i++)
            if (strcmp(csv->names[i], names[c]) == 0) {
                HolError error = {0};
                if (hol_csv_check(csv, i, 1, path, &error) != HOL_OK) {
                    hol_read_problem(r, t->nodes, -1, "'nodes': %s", error.text);
                    return 0;
                }
                column[c] = csv->values[i];
            }
    for (int c = 0; c < r->dimensions; c++)
        if (!column[c]) {
            hol_read_problem(r, t->nodes, -1,
                             "'nodes': %.200s:1: there is no column '%s'; the table has columns x, "
                             "y%s and, where nodes have numbers, node",
                             path, names[c], r->dimensions == 3 ? ", z" : "");
            return 0;
        }
    t->parts.n_nodes = (int)csv->rows;
    t->parts.nodes = HOL_NEW(r->arena, double, 3 * csv->rows + 1);
    int *numbers = HOL_NEW(r->arena, int, csv->rows + 1);
    for (int i = 0; t->parts.nodes && numbers && i < csv->rows; i++) {
        for (int c = 0; c < r->dimensions; c++)
            t->parts.nodes[3 * i + c] = column[c][i];
        const double number = column[3] ? column[3][i] : i + 1;
        if (number != floor(number) || fabs(number) > 1e9) {
            hol_read_problem(r, t->nodes, -1, "'nodes': %.200s:%d: %g is no number of a node", path,
                             i + 2, number);
            return 0;
        }
        numbers[i] = (int)number;
    }
    t->numbers = numbers;
    return t->parts.nodes && numbers;
}

static int modal_nodes(HolReader *r, HolModalTarget *t) {
    HolError error = {0};
    HolCsv csv;
    const HolModalFile *f = &t->files[2];
    if (!f->text)
        return 0;
    if (hol_csv_parse(r->arena, f->text, f->length, f->path, &csv, &error) != HOL_OK || csv.cut ||
        csv.rows < 2 || csv.rows > HOL_MODAL_UNKNOWNS) {
        hol_read_problem(r, t->nodes, -1, "'nodes': %s",
                         error.text[0]  ? error.text
                         : csv.cut      ? "the last line of the file is cut off"
                         : csv.rows < 2 ? "a table of at least two nodes is needed"
                                        : "the table has too many nodes");
        return 0;
    }
    return modal_columns(r, t, &csv, f->path);
}

// nodes that the stiffness joins
static int modal_edges(HolReader *r, HolModalParts *p) {
    const long N = (long)p->n_nodes * p->dof;
    int(*edges)[2] = hol_arena_alloc(r->arena, sizeof(int[2]) * MOST_EDGES);
    for (int j = 0; edges && j < p->n_nodes; j++)
        for (int i = 0; i < j && p->n_edges < MOST_EDGES; i++) {
            int joined = 0;
            for (int a = 0; a < p->dof; a++)
                for (int b = 0; b < p->dof; b++)
                    joined |= p->K[N * (j * p->dof + b) + i * p->dof + a] != 0;
            if (joined) {
                edges[p->n_edges][0] = i;
                edges[p->n_edges++][1] = j;
            }
        }
    p->edges = (const int(*)[2])edges;
    return edges != NULL;
}

int hol_read_modal_files(HolReader *r, HolModalTarget *t) {
    t->files[0] = modal_file(r, t->mass, "mass_matrix");
    t->files[1] = modal_file(r, t->stiffness, "stiffness_matrix");
    t->files[2] = modal_file(r, t->nodes, "nodes");
    const int nodes = modal_nodes(r, t);
    return nodes && t->files[0].text && t->files[1].text;
}

int hol_read_modal_matrices(HolReader *r, HolModalTarget *t) {
    HolModalParts *p = &t->parts;
    const int more = r->dimensions == 3 ? 6 : 3;
    int rows[2];
    p->M_name = t->files[0].path;
    p->K_name = t->files[1].path;
    p->M = modal_matrix(r, t->mass, "mass_matrix", &t->files[0], &rows[0]);
    p->K = modal_matrix(r, t->stiffness, "stiffness_matrix", &t->files[1], &rows[1]);
    if (!p->M || !p->K || !p->nodes)
        return 0;
    if (rows[0] != rows[1]) {
        hol_read_problem(
            r, t->stiffness, -1,
            "'stiffness_matrix': %.100s has %d rows, but the mass matrix %.100s has %d", p->K_name,
            rows[1], p->M_name, rows[0]);
        return 0;
    }
    p->dof = rows[0] / p->n_nodes;
    if (p->dof * p->n_nodes == rows[0] && (p->dof == r->dimensions || p->dof == more))
        return modal_edges(r, p);
    hol_read_problem(r, t->nodes, -1,
                     "'nodes': %d nodes do not fit matrices with %d rows: a node has %d unknowns "
                     "(displacements) or %d (and rotations)",
                     p->n_nodes, rows[0], r->dimensions, more);
    return 0;
}
