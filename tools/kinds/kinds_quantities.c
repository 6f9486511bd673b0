// SPDX-License-Identifier: Apache-2.0
// The quantities of models as tables of docs/format.md: one line for those that share a meaning.
#include "tools/kinds/kinds.h"

#include "model/quantity.h"

#include <string.h>

static const char *owner_word(int owners) {
    static const struct {
        int owner;
        const char *word;
    } words[] = {
        {HOL_OF_RIGID | HOL_OF_POINT_MASS, "BODY"},
        {HOL_OF_PLACE, "BODY.POINT"},
        {HOL_OF_COORDINATE, "COORDINATE"},
        {HOL_OF_JOINT | HOL_OF_FRICTION | HOL_OF_STOP, "JOINT"},
        {HOL_OF_NODE, "BEAM.NODE"},
        {HOL_OF_BEAM, "BEAM"},
        {HOL_OF_FORCE, "FORCE"},
        {HOL_OF_MOTION, "MOTION"},
        {HOL_OF_CONSTRAINT, "CONSTRAINT"},
        {HOL_OF_VARIABLE, "VARIABLE"},
        {HOL_OF_CONTACT, "CONTACT"},
        {HOL_OF_ENERGY | HOL_OF_LOSS, "energy"},
        {HOL_OF_RESIDUAL, "constraint"},
        {HOL_OF_STEP, "step"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (owners & words[i].owner)
            return words[i].word;
    return ""; // of the run
}

// of `outputs:` only: no column unless it is named there, and no part of expressions
static int asked_only(const HolQuantity *q) {
    return (q->uses & HOL_USE_OUTPUT) && !(q->uses & (HOL_USE_COLUMN | HOL_USE_EXPRESSION));
}

static int listed(const HolQuantity *q, int use) {
    return ((q->uses & use) || (use == HOL_USE_COLUMN && asked_only(q))) &&
           !(q->uses & HOL_USE_QUIET);
}

static const char *name_of(const HolQuantity *q, int use) {
    return use == HOL_USE_COLUMN && q->column ? q->column : q->name;
}

// `BODY.qw` (`.w` `.p0`), then `.qx` (`.p1`)
static void quantities_put_name(const HolPut *p, const HolQuantity *q, int use, int first,
                                int spaces) {
    const char *owner = first ? owner_word(q->owners) : "", *name = name_of(q, use);
    const int dot = *name && owner_word(q->owners)[0];
    hol_put(p, "%s`%s%s%s`", first ? "" : " ", owner, dot ? "." : "", name);
    if (use == HOL_USE_EXPRESSION && *q->also) {
        hol_put(p, " (");
        for (const char *word = q->also; *word;) {
            const int length = (int)strcspn(word, " ");
            hol_put(p, "%s`.%.*s`", word == q->also ? "" : " ", length, word);
            word += length + (word[length] == ' ');
        }
        hol_put(p, ")");
    }
    if (q->spaces != spaces)
        hol_put(p, " (%s)", hol_describe_spaces(q->spaces));
}

// the quantities from `first` on that share its help
static void put_line(const HolPut *p, const HolQuantity *first, int use) {
    const HolQuantity *end = first + 1;
    int n = 0, spaces = first->spaces;
    for (; end->name && !end->help; end++)
        spaces |= end->spaces;
    hol_put(p, "| ");
    for (const HolQuantity *q = first; q < end; q++)
        if (listed(q, use))
            quantities_put_name(p, q, use, n++ == 0, spaces);
    if (use == HOL_USE_EXPRESSION && (first->owners & HOL_OF_PLACE))
        hol_put(p, ", `BODY.POINT.%s` ..", first->name);
    hol_put(p, " | ");
    hol_put_cell(p, first->unit ? first->unit : "rad/s, m/s");
    hol_put(p, " | %s | ", hol_describe_spaces(spaces));
    hol_put_cell(p, first->help);
    hol_put(p, " |\n");
}

void hol_kinds_quantities(const HolPut *p, int use) {
    hol_put(p, "| %s | unit | models | meaning |\n|---|---|---|---|\n",
            use == HOL_USE_COLUMN ? "column" : "in an expression");
    for (const HolQuantity *q = hol_quantities; q->name; q++)
        if (q->help && listed(q, use))
            put_line(p, q, use);
}
