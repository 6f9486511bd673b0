// SPDX-License-Identifier: Apache-2.0
// Nearest word for "did you mean": edit distance with insertion, deletion, replacement and swap of
// neighbours. A letter that differs in case only costs an eighth.
#include "base/text.h"

#include <string.h>

enum { LONGEST = 64, EDIT = 8 };

static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static int replacement(char a, char b) {
    return a == b ? 0 : lower(a) == lower(b) ? EDIT / 8 : EDIT;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

// distance in eighths of an edit; three rows of the usual table are enough
static int nearest_distance(const char *a, int n, const char *b, int m) {
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= m; j++) {
        before[j] = 0;
        last[j] = EDIT * j;
    }
    for (int i = 1; i <= n; i++) {
        row[0] = EDIT * i;
        for (int j = 1; j <= m; j++) {
            int best = last[j - 1] + replacement(a[i - 1], b[j - 1]);
            best = least(best, least(last[j], row[j - 1]) + EDIT);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                best = least(best, before[j - 2] + EDIT);
            row[j] = best;
        }
        int *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[m];
}

const char *hol_nearest_word(const char *word, const char *const *candidates, int n) {
    size_t length = word ? strlen(word) : 0;
    if (length == 0 || length > LONGEST)
        return NULL;
    // near: one edit in three letters, at least one
    int limit = EDIT * (length < 6 ? 1 : (int)length / 3);
    const char *nearest = NULL;
    for (int i = 0; i < n; i++) {
        size_t other = candidates[i] ? strlen(candidates[i]) : 0;
        size_t difference = other > length ? other - length : length - other;
        if (other == 0 || other > LONGEST || EDIT * (int)difference > limit)
            continue;
        int d = nearest_distance(word, (int)length, candidates[i], (int)other);
        // a word with every letter replaced is not near
        if (d <= limit && d < (int)(length > other ? length : other) * EDIT) {
            if (d == 0)
                return candidates[i];
            nearest = candidates[i];
            limit = d - 1;
        }
    }
    return nearest;
}
