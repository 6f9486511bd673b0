#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a certificate costs: instructions of `run --certify -o FILE` by those of the plain run at the
# same tolerance, rows and files included, counted by callgrind (so that a busy machine changes nothing).
#   bench/certify_cost.sh [BUILD] [MODEL...]      default: all of models/ that run with error control
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-build}
shift || true
command=$build/holonom
[ -x "$command" ] || { echo "certify_cost: $command is not there; build first" >&2; exit 2; }
command -v valgrind >/dev/null || { echo "certify_cost: valgrind is missing" >&2; exit 2; }
[ $# -gt 0 ] || set -- "$here"/../models/*.yaml "$here"/../models/*/*.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# instructions inside a function of the library; 0: the run failed or took too long
count() {
    local function=$1
    shift
    OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell timeout 300 valgrind --tool=callgrind \
        --toggle-collect="$function" --callgrind-out-file="$folder/out" \
        "$command" run "$@" --tolerance 1e-6 -q -o "$folder/r.csv" >/dev/null 2>&1 || { echo 0; return; }
    awk '/^(summary|totals):/ {print $2; exit}' "$folder/out"
}

for model in "$@"; do
    plain=$(count hol_sim_run "$model")
    certified=$(count hol_certify "$model" --certify)
    [ "$plain" -gt 0 ] && [ "$certified" -gt 0 ] || continue
    awk -v n="$(basename "$model" .yaml)" -v a="$plain" -v b="$certified" \
        'BEGIN { printf "%-28s %12d %12d %6.2f\n", n, a, b, b / a }'
done | tee "$folder/table"
sort -k4 -n "$folder/table" | awk '{ r[NR] = $4; over += $4 > 3 }
    END { if (NR) printf "median %.2f, largest %.2f, %d of %d above 3\n", r[int((NR + 1) / 2)], r[NR], over, NR }'
