// SPDX-License-Identifier: Apache-2.0
// Ticks: multiples of 1, 2, 2.5 or 5 times a power of ten; powers of ten on a logarithmic axis.
#include "tools/plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a number in few characters, with a true minus sign; step: distance of the ticks
static void tick_text(double value, double step, double largest, char out[24]) {
    char text[24];
    if (fabs(value) < 1e-6 * step) {
        snprintf(out, 24, "0");
        return;
    }
    int decimals = (int)ceil(-log10(step) - 1e-9);
    // 2.5 needs one more digit than 2
    double lead = step / pow(10, floor(log10(step) + 1e-9));
    decimals += fabs(lead - round(lead)) > 1e-6;
    if (largest >= 1e5 || largest < 1e-3) {
        int digits =
            (int)ceil(log10(fabs(value) / step) - 1e-9) + (fabs(lead - round(lead)) > 1e-6);
        snprintf(text, sizeof text, "%.*e", digits < 0 ? 0 : digits > 9 ? 9 : digits, value);
        // 1.50e-05 reads better as 1.5e-5
        char *e = strchr(text, 'e');
        int exponent = 0;
        if (e && sscanf(e + 1, "%d", &exponent) == 1) {
            if (memchr(text, '.', (size_t)(e - text)))
                while (e[-1] == '0' || e[-1] == '.') {
                    e--;
                    if (*e == '.')
                        break;
                }
            snprintf(e, sizeof text - (size_t)(e - text), "e%d", exponent);
        }
    } else {
        snprintf(text, sizeof text, "%.*f",
                 decimals < 0    ? 0
                 : decimals > 12 ? 12
                                 : decimals,
                 value);
    }
    size_t used = 0;
    for (const char *p = text; *p && used + 4 < 24; p++)
        used += (size_t)snprintf(out + used, 24 - used, "%s",
                                 *p == '-' ? "\xe2\x88\x92" : (char[]){*p, 0});
}

static void linear_ticks(HolAxis *a, int wanted) {
    double rough = (a->max - a->min) / wanted, power = pow(10, floor(log10(rough)));
    static const double leads[] = {1, 2, 2.5, 5, 10};
    double step = power * 10;
    for (int i = 4; i >= 0; i--)
        if (leads[i] * power >= 0.999 * rough)
            step = leads[i] * power;
    double largest = fmax(fabs(a->min), fabs(a->max));
    double first = ceil(a->min / step - 1e-9);
    for (int i = 0; i < 64 && (first + i) * step <= a->max + 1e-9 * step; i++) {
        a->tick[a->n] = (first + i) * step;
        tick_text(a->tick[a->n], step, largest, a->label[a->n]);
        a->n++;
    }
}

static void log_ticks(HolAxis *a, int wanted) {
    int lo = (int)ceil(a->min - 1e-9), hi = (int)floor(a->max + 1e-9);
    int skip = (hi - lo) / (wanted > 1 ? wanted : 1) + 1;
    int start = (int)ceil((double)lo / skip) * skip;
    for (int e = start; e <= hi && a->n < 64; e += skip) {
        a->tick[a->n] = e;
        // written as 10^-3; the canvases draw what follows ^ raised
        snprintf(a->label[a->n++], 24, e < 0 ? "10^\xe2\x88\x92%d" : "10^%d", e < 0 ? -e : e);
    }
    for (int e = (int)floor(a->min); e <= hi && skip == 1; e++)
        for (int k = 2; k < 10 && a->n_minor < 256; k++) {
            double at = e + log10(k);
            if (at > a->min && at < a->max)
                a->minor[a->n_minor++] = at;
        }
    for (int e = lo; e <= hi && skip > 1 && a->n_minor < 256; e++)
        a->minor[a->n_minor++] = e;
}

void hol_axis_make(HolAxis *a, double min, double max, int log, double margin, int wanted) {
    *a = (HolAxis){.log = log};
    if (!(min <= max))
        min = log ? 0 : 0, max = 1;
    double span = max - min;
    if (!(span > 1e-12 * fmax(fabs(min), fabs(max)))) {
        // one value: some room around it
        double room = log ? 0.5 : fabs(max) > 0 ? 0.1 * fabs(max) : 1;
        min -= room;
        max += room;
        margin = 0;
    }
    a->min = min - margin * (max - min);
    a->max = max + margin * (max - min);
    if (log) {
        if (margin > 0) { // whole powers of ten
            a->min = floor(min + 1e-9);
            a->max = ceil(max - 1e-9);
            if (a->max - a->min < 1)
                a->max = a->min + 1;
        }
        log_ticks(a, wanted);
    } else {
        linear_ticks(a, wanted);
    }
}
