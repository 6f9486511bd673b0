#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two files of `build/bench/accuracy --cost --csv FILE`: cost of the second / cost of the first at equal achieved error,
# for every method: median, 90 %, worst of steps, CPU seconds and instructions.
#   scripts/compare_cost.sh BEFORE.csv AFTER.csv [--verbose]
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: compare_cost.sh BEFORE.csv AFTER.csv [--verbose]" >&2; exit 2; }
awk -F, -v verbose="${3:-}" '
    FNR == 1 { file++; next }
    { key = $1 "," $2 "," $3 }
    file == 1 { for (i = 4; i <= 6; i++) before[key, i] = $i; next }
    {
        if (!($2 in seen)) { seen[$2] = 1; order[++n] = $2 }
        for (i = 4; i <= 6; i++) {
            b = before[key, i]
            if (b == "" || b ~ /nan/ || $i ~ /nan/) {
                lost[$2, i] += b !~ /nan/ && b != "" && $i ~ /nan/; gained[$2, i] += b ~ /nan/ && $i !~ /nan/
                continue
            }
            k = ++count[$2, i]; ratio[$2, i, k] = $i / b; name[$2, i, k] = $1 " " $3
            if (verbose != "" && i == 4) printf "  %-8s %-40s steps %8.4g -> %8.4g = %.3f\n", $2, $1 " " $3, b, $i, $i / b
        }
    }
    function report(method, i, what,   k, j, c, x, t) {
        c = count[method, i]
        if (!c) return
        for (k = 1; k <= c; k++) { x[k] = ratio[method, i, k]; t[k] = name[method, i, k] }
        for (k = 2; k <= c; k++)
            for (j = k; j > 1 && x[j] < x[j - 1]; j--) {
                v = x[j]; x[j] = x[j - 1]; x[j - 1] = v; w = t[j]; t[j] = t[j - 1]; t[j - 1] = w
            }
        m = int((c + 1) / 2); q = int(0.9 * c + 0.999)
        printf "| %-8s | %-12s | %3d | %.3f | %.3f | %.3f %s | %.3f %s | %d / %d |\n", method, what, c, x[m], x[q], x[c], t[c], x[1], t[1], lost[method, i], gained[method, i]
    }
    END {
        print "| method | cost | cases | median | 90 % | worst | best | no longer / newly reached |"
        for (m0 = 1; m0 <= n; m0++) { report(order[m0], 4, "steps"); report(order[m0], 5, "cpu"); report(order[m0], 6, "instructions") }
    }' "$1" "$2"
