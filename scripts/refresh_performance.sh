#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Measures and writes the tables of docs/performance.md anew, between the lines "<!-- NAME -->" and
# "<!-- end -->": problems, rows, stiff and scale. Takes a while; the machine should have nothing else to do.
#   scripts/refresh_performance.sh BUILD [TABLE]...
set -euo pipefail
build=$1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
page=$here/docs/performance.md
export OPENBLAS_NUM_THREADS=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

measure() {
    case $1 in
    problems) "$build/holonom" bench A0 --markdown ;;
    rows)
        "$build/holonom" bench four-bar --markdown
        "$build/holonom" bench chain --markdown | tail -n +3
        ;;
    stiff) "$build/holonom" bench stiff-row --markdown ;;
    scale) "$build/holonom" bench scale --markdown ;;
    instructions)
        echo '```'
        "$here/bench/instructions.sh" "$build" | grep -v '^instructions:' || true
        echo '```'
        ;;
    *) echo "refresh_performance: no table '$1'" >&2; exit 2 ;;
    esac
}

[ $# -gt 0 ] || set -- problems rows stiff scale instructions
for table in "$@"; do
    measure "$table" >"$folder/$table"
    awk -v name="<!-- $table -->" -v file="$folder/$table" '
        $0 == name {print; while ((getline line < file) > 0) print line; skip = 1; next}
        $0 == "<!-- end -->" {skip = 0}
        !skip {print}' "$page" >"$folder/page"
    cp "$folder/page" "$page"
done
