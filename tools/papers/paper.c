// SPDX-License-Identifier: Apache-2.0
// Rows of a paper's tables and the verdict on them: a computed value agrees when it rounds to the
// digits printed, is near within two and a half units of the last of them.
#include "tools/papers/papers.h"

#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const columns[] = {"what", "printed", "computed", "corrected", "verdict", "why"};

const char *hol_paper_text(HolPaper *p, const char *format, ...) {
    char *out = p->text[p->next_text];
    p->next_text = (p->next_text + 1) % HOL_PAPER_TEXTS;
    va_list list;
    va_start(list, format);
    vsnprintf(out, HOL_PAPER_TEXT_SIZE, format, list);
    va_end(list);
    return out;
}

HolVerdict hol_paper_verdict(int agrees) {
    return agrees ? HOL_VERDICT_AGREES : HOL_VERDICT_DIFFERS;
}

void hol_paper_chapter(HolPaper *p, const char *key, const char *title, const char *text) {
    p->sink->chapter(p->sink->to, key, title, text);
}

void hol_paper_table(HolPaper *p, const char *title, const char *models) {
    p->sink->table(p->sink->to, title, models, 6, columns);
}

// significant digits of a number's text
static int count_digits(const char *text) {
    int n = 0, seen = 0;
    for (; *text && *text != 'e' && *text != 'E'; text++)
        if (isdigit((unsigned char)*text)) {
            seen |= *text != '0';
            n += seen;
        }
    return n > 0 ? n : 1;
}

static HolVerdict paper_judge(const char *printed, double value) {
    const int bound = printed[0] == '<';
    double number;
    if (!printed[0] || isnan(value))
        return HOL_VERDICT_NONE;
    if (!hol_text_number(printed + bound, strlen(printed) - (size_t)bound, &number))
        return HOL_VERDICT_NONE;
    if (bound)
        return hol_paper_verdict(fabs(value) <= number);
    if (number == 0)
        return hol_paper_verdict(value == 0);
    const double unit = pow(10, floor(log10(fabs(number)) + 1e-12) - count_digits(printed) + 1);
    const double gap = fabs(value - number) / unit;
    return gap <= 0.5 * (1 + 1e-6) ? HOL_VERDICT_AGREES
           : gap <= 2.5            ? HOL_VERDICT_NEAR
                                   : HOL_VERDICT_DIFFERS;
}

static const char *number_text(HolPaper *p, double value, int digits) {
    if (isnan(value))
        return "-";
    return isinf(value) ? "fails" : hol_paper_text(p, "%.*g", digits ? digits : 5, value);
}

void hol_paper_row(HolPaper *p, const HolPaperRow *row) {
    static const char *const words[] = {"", "agrees", "near", "differs", ""};
    const char *printed = row->printed ? row->printed : "";
    const char *cells[6] = {row->what, printed, row->computed, row->corrected, "", row->why};
    HolVerdict verdict = row->verdict;
    if (verdict == HOL_VERDICT_AUTO)
        verdict = row->computed ? HOL_VERDICT_NONE : paper_judge(printed, row->value);
    if (!row->computed) {
        cells[2] = number_text(p, row->value, row->digits);
        if (isnan(row->value))
            verdict = HOL_VERDICT_NONE;
    }
    if (!row->corrected)
        cells[3] = row->right != 0 ? number_text(p, row->right, row->digits) : "";
    cells[4] = words[verdict];
    if (!cells[5])
        cells[5] = "";
    p->sink->row(p->sink->to, 6, cells);
}

void hol_paper_missing(HolPaper *p, const char *what, const char *printed, const char *why) {
    hol_paper_row(p, &(HolPaperRow){.what = what,
                                    .printed = printed,
                                    .computed = "not computed",
                                    .verdict = HOL_VERDICT_NONE,
                                    .why = why});
}

// ---- the chapters ----

typedef struct Chapter {
    const char *key;
    void (*write)(HolPaper *p);
} Chapter;

static const Chapter chapters[] = {
    {"000", hol_paper_000}, {"001", hol_paper_001}, {"002", hol_paper_002},
    {"003", hol_paper_003}, {"004", hol_paper_004}, {"methods", hol_paper_methods},
};
enum { N_CHAPTERS = sizeof chapters / sizeof *chapters, N_PAPERS = 5 };

HolStatus hol_reproduce_into(const char *key, int quick, const HolTableSink *sink, HolError *err) {
    hol_error_clear(err);
    HolPaper p = {.sink = sink, .quick = quick, .err = err};
    int found = 0;
    for (int i = 0; i < N_CHAPTERS && p.status == HOL_OK; i++)
        if (key ? !strcmp(key, chapters[i].key) : i < N_PAPERS) {
            chapters[i].write(&p);
            found = 1;
        }
    if (!found)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "there is no '%s' to reproduce; there are 000, 001, 002, 003, 004 and "
                             "methods",
                             key ? key : "");
    if (p.status == HOL_OK) // (a run that failed on purpose has left its reason)
        hol_error_clear(err);
    return p.status;
}

HolStatus hol_reproduce(const char *paper, int quick, int format,
                        void (*put)(void *to, const char *text, size_t length), void *to,
                        HolError *err) {
    hol_error_clear(err);
    if (!put)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no function that takes the text");
    HolTablePrinter printer = {.format = format, .put = put, .to = to};
    const HolTableSink sink = hol_table_printer(&printer);
    const HolStatus status = hol_reproduce_into(paper, quick, &sink, err);
    if (printer.chapters)
        hol_table_finish(&printer);
    return status;
}
