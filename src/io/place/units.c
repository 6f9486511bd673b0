// SPDX-License-Identifier: Apache-2.0
// Numbers with units, and the units of plain numbers of a file.
#include "io/place/place.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *si;
    double scale;
} unit_table[] = {
    {"m", "m", 1},
    {"mm", "m", 1e-3},
    {"cm", "m", 1e-2},
    {"km", "m", 1e3},
    {"um", "m", 1e-6},
    {"in", "m", 0.0254},
    {"ft", "m", 0.3048},
    {"rad", "rad", 1},
    {"mrad", "rad", 1e-3},
    {"deg", "rad", M_PI / 180},
    {"turn", "rad", 2 * M_PI},
    {"rev", "rad", 2 * M_PI},
    {"s", "s", 1},
    {"ms", "s", 1e-3},
    {"us", "s", 1e-6},
    {"min", "s", 60},
    {"h", "s", 3600},
    {"kg", "kg", 1},
    {"g", "kg", 1e-3},
    {"t", "kg", 1e3},
    {"lb", "kg", 0.45359237},
    {"m/s", "m/s", 1},
    {"mm/s", "m/s", 1e-3},
    {"km/h", "m/s", 1 / 3.6},
    {"rad/s", "rad/s", 1},
    {"deg/s", "rad/s", M_PI / 180},
    {"rpm", "rad/s", M_PI / 30},
    {"m/s^2", "m/s^2", 1},
    {"mm/s^2", "m/s^2", 1e-3},
    {"N", "N", 1},
    {"kN", "N", 1e3},
    {"MN", "N", 1e6},
    {"N m", "N m", 1},
    {"Nm", "N m", 1},
    {"N mm", "N m", 1e-3},
    {"Nmm", "N m", 1e-3},
    {"kN m", "N m", 1e3},
    {"kNm", "N m", 1e3},
    {"N/m", "N/m", 1},
    {"N/mm", "N/m", 1e3},
    {"kN/m", "N/m", 1e3},
    {"N m/rad", "N m/rad", 1},
    {"N m/deg", "N m/rad", 180 / M_PI},
    {"N s/m", "N s/m", 1},
    {"N s/mm", "N s/m", 1e3},
    {"N m s/rad", "N m s/rad", 1},
    {"m/rad", "m/rad", 1},
    {"mm/rad", "m/rad", 1e-3},
    {"mm/turn", "m/rad", 1e-3 / (2 * M_PI)},
    {"kg m^2", "kg m^2", 1},
    {"kg cm^2", "kg m^2", 1e-4},
    {"kg mm^2", "kg m^2", 1e-6},
    {"kg/m", "kg/m", 1},
    {"kg/m^3", "kg/m^3", 1},
    {"g/cm^3", "kg/m^3", 1e3},
    {"N/m^2", "Pa", 1},
    {"N/mm^2", "Pa", 1e6},
    {"Pa", "Pa", 1},
    {"kPa", "Pa", 1e3},
    {"MPa", "Pa", 1e6},
    {"GPa", "Pa", 1e9},
    {"bar", "Pa", 1e5},
};
enum { UNITS = sizeof unit_table / sizeof *unit_table };

static int unit_find(const char *name) {
    for (int i = 0; i < UNITS; i++)
        if (strcmp(unit_table[i].name, name) == 0)
            return i;
    return -1;
}

int hol_unit_at(const char *text, int at) {
    return at > 0 && (size_t)at < strlen(text) && unit_find(text + at) >= 0;
}

// a unit with more behind it: "rpm * time"
static int unit_goes_on(const char *name) {
    char word[16];
    const size_t n = strcspn(name, " */");
    if (n >= sizeof word || !name[n + strspn(name + n, " ")])
        return 0;
    memcpy(word, name, n);
    word[n] = 0;
    return unit_find(word) >= 0;
}

// length of the number at the start of a text
static size_t unit_number(const char *t) {
    size_t n = t[0] == '-' || t[0] == '+';
    while ((t[n] >= '0' && t[n] <= '9') || t[n] == '.')
        n++;
    if (t[n] == 'e' || t[n] == 'E') {
        const size_t sign = t[n + 1] == '-' || t[n + 1] == '+';
        if (t[n + 1 + sign] >= '0' && t[n + 1 + sign] <= '9')
            for (n += 1 + sign; t[n] >= '0' && t[n] <= '9';)
                n++;
    }
    return n;
}

// one of "rad, m" or "N | N m"
static int unit_suits(const char *wanted, const char *si) {
    const size_t n = strlen(si);
    if (strcmp(si, "Pa") == 0 && unit_suits(wanted, "N/m^2"))
        return 1;
    for (const char *at = wanted; at && *at; at = strpbrk(at, ",|"), at = at ? at + 1 : NULL) {
        at += strspn(at, " ");
        const size_t k = strcspn(at, ",|");
        if (k >= n && strncmp(at, si, n) == 0 && strspn(at + n, " ") == k - n)
            return 1;
    }
    return 0;
}

// the unit of the key: of "rad, m" the one that what is read has
static const char *unit_wanted(const HolReader *r, char text[40]) {
    if (!r->unit || !r->sense)
        return r->unit;
    for (const char *at = r->unit; *at;) {
        const size_t k = strcspn(at, ",");
        const int turns = strncmp(at, "rad", 3) == 0 || strncmp(at, "N m", 3) == 0;
        if (k < 40 && strlen(r->unit) > k && turns == (r->sense == HOL_SENSE_TURNS)) {
            memcpy(text, at, k);
            text[k] = 0;
            return text;
        }
        at += k;
        at += strspn(at, ", ");
    }
    return r->unit;
}

// "; there are m, mm, cm .." of those that suit
static const char *unit_list(HolReader *r, const char *word, const char *wanted) {
    const char *list[UNITS];
    int n = 0;
    for (int i = 0; i < UNITS; i++)
        if (!wanted || unit_suits(wanted, unit_table[i].si))
            list[n++] = unit_table[i].name;
    return hol_read_hint(r, word, list, n);
}

int hol_read_unit(HolReader *r, const HolNode *node, const char *key, double *value) {
    const char *t = node->text;
    const size_t n = unit_number(t);
    const char *name = t + n + strspn(t + n, " ");
    const int letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
    if (!n || !letter || strpbrk(name, "(+-") || !hol_text_number(t, n, value))
        return 0;
    char text[40];
    const char *wanted = unit_wanted(r, text);
    const int i = unit_find(name);
    if (i < 0) {
        if (unit_goes_on(name))
            hol_read_problem(r, node, (int)(name - t),
                             "'%s': only plain numbers have units; write '%.20s' without one", key,
                             t);
        else
            hol_read_problem(r, node, (int)(name - t), "'%s': unknown unit '%.20s'%s", key, name,
                             unit_list(r, name, wanted));
        return -1;
    }
    if (wanted && !unit_suits(wanted, unit_table[i].si)) {
        hol_read_problem(r, node, (int)(name - t), "'%s' is in %s; '%.20s' is no unit for it%s",
                         key, wanted, name, unit_list(r, "", wanted));
        return -1;
    }
    *value *= unit_table[i].scale;
    return 1;
}

// the file of a line: 0 the model file
static int unit_file(const HolReader *r, int line) {
    int i = r->model ? r->model->n_lines : 0;
    while (i > 0 && line <= r->model->lines[i - 1].before)
        i--;
    return i;
}

double hol_read_scale(const HolReader *r, const HolNode *node) {
    if (!r->units || !r->unit || node->setting || !node->line)
        return 1;
    const int which = strcmp(r->unit, "m") == 0 ? 0 : strcmp(r->unit, "rad") == 0 ? 1 : -1;
    const int file = unit_file(r, node->line);
    return which < 0 || file >= HOL_READ_FILES ? 1 : r->units[file][which];
}

void hol_read_unit_remark(HolReader *r, const HolNode *node, const char *key, double value) {
    if (!r->units || !r->unit || !r->model || node->setting || !node->line || value == 0 ||
        strcmp(r->unit, "rad, m") != 0)
        return;
    const int file = unit_file(r, node->line);
    if (file < HOL_READ_FILES && (r->units[file][0] != 1 || r->units[file][1] != 1))
        hol_model_add_remark(
            r->model, "units", key, node->line, node->column,
            "'%s: %.40s' is in rad or m: `units` does not reach it; write the unit "
            "with the number, \"90 deg\" or \"12 mm\"",
            key, node->text);
}

void hol_read_units(HolReader *r, const HolNode *root) {
    static const char *const keys[2] = {"length", "angle"}, *const si[2] = {"m", "rad"};
    const HolNode *map = hol_node_get(root, "units");
    if (!map || hol_node_is_null(map) || !hol_expect(r, map, HOL_NODE_MAP, "units"))
        return;
    if (!r->units) {
        r->units = hol_arena_alloc(r->arena, sizeof *r->units * HOL_READ_FILES);
        for (int i = 0; r->units && i < HOL_READ_FILES; i++)
            r->units[i][0] = r->units[i][1] = 1;
    }
    const int file = unit_file(r, root->line);
    for (int i = 0; r->units && i < map->n; i++) {
        const char *key = map->keys[i].text;
        const int which = strcmp(key, keys[0]) == 0 ? 0 : strcmp(key, keys[1]) == 0 ? 1 : -1;
        if (which < 0) {
            hol_read_problem(r, &map->keys[i], -1, "units: unknown key '%.64s'%s", key,
                             hol_read_hint(r, key, keys, 2));
            continue;
        }
        const char *name = hol_read_text(r, &map->values[i], key);
        const int unit = name ? unit_find(name) : -1;
        if (name && (unit < 0 || strcmp(unit_table[unit].si, si[which]) != 0))
            hol_read_problem(r, &map->values[i], -1, "units: '%.20s' is no unit of %s%s", name, key,
                             unit_list(r, name, si[which]));
        else if (name && file < HOL_READ_FILES)
            r->units[file][which] = unit_table[unit].scale;
    }
}
