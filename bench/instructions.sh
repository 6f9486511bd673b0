#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Instructions per step of the integration loop, counted by callgrind (so that a busy machine changes
# nothing), beside the recorded counts. Fails when a case needs more than 5 % more than recorded.
#   bench/instructions.sh [BUILD]            compare with bench/instructions.txt
#   bench/instructions.sh [BUILD] --record   write it anew
# The recorded counts belong to the compiler named in the file; another one is told, and only compared.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=build
record=0
for word in "$@"; do
    if [ "$word" = --record ]; then record=1; else build=$word; fi
done
command=$build/holonom
recorded=$here/instructions.txt
allowed=5 # per cent
[ -x "$command" ] || { echo "instructions: $command is not there; build first" >&2; exit 2; }
command -v valgrind >/dev/null || { echo "instructions: valgrind is missing" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
models=$here/../models
"$command" generate four-bar 100 >"$folder/four-bar-100.yaml"
"$command" generate chain 10 >"$folder/chain-10.yaml"
"$command" generate chain3d 10 >"$folder/chain3d-10.yaml"

# name, model, end, method, accuracy
cases=(
    "four-bar-2-taylor $models/four-bar.yaml 1 taylor tolerance=1e-6"
    "four-bar-2-tangent $models/four-bar.yaml 1 tangent step=0.02"
    "four-bar-100-taylor $folder/four-bar-100.yaml 0.5 taylor tolerance=1e-6"
    "four-bar-100-tangent $folder/four-bar-100.yaml 0.1 tangent step=0.02"
    "andrews-taylor $models/andrews-a03.yaml 0.02 taylor tolerance=1e-6"
    "bricard-taylor $models/bricard.yaml 2 taylor tolerance=1e-6"
    "bricard-tangent $models/bricard.yaml 0.5 tangent step=0.02"
    "flyball-tangent $models/flyball.yaml 0.1 tangent step=0.005"
    "chain-10-taylor $folder/chain-10.yaml 1 taylor tolerance=1e-6"
    "grains-125-rk4 $models/grains.yaml 0.001 rk4 step=2e-5"
    "chain3d-10-taylor $folder/chain3d-10.yaml 1 taylor tolerance=1e-6"
)

# instructions inside hol_sim_step_untimed and the number of steps
count() {
    local model=$1 end=$2 method=$3 accuracy=$4
    OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell valgrind --tool=callgrind \
        --toggle-collect=hol_sim_step_untimed --callgrind-out-file="$folder/out" \
        "$command" run "$model" --method "$method" --end "$end" --output-step "$end" \
        "--${accuracy%%=*}" "${accuracy#*=}" --json --quiet >"$folder/json" 2>"$folder/log" ||
        { cat "$folder/log" >&2; exit 1; }
    local total steps
    total=$(awk '/^(summary|totals):/ {print $2; exit}' "$folder/out")
    steps=$(sed -n 's/^ *"steps": *\([0-9]*\),*$/\1/p' "$folder/json" | head -1)
    # (a name that is no longer there counts nothing)
    [ "$total" -gt 0 ] || { echo "instructions: nothing was counted" >&2; exit 1; }
    echo "$steps $((total / steps))"
}

compiler=$(strings -a "$command" 2>/dev/null | awk '/^GCC: / && !n++')
[ -n "$compiler" ] || compiler=unknown
if [ $record -eq 1 ]; then
    {
        echo "# instructions per step by callgrind; written by bench/instructions.sh --record"
        echo "# compiler: $compiler"
        echo "# case steps instructions_per_step"
    } >"$folder/new"
fi
if [ $record -eq 0 ]; then
    [ -f "$recorded" ] || { echo "instructions: no $recorded; --record writes it" >&2; exit 2; }
    grep -qF "# compiler: $compiler" "$recorded" ||
        echo "instructions: recorded with another compiler than $compiler"
fi
bad=0
printf '%-22s %7s %14s %14s %8s\n' case steps per_step recorded change
for line in "${cases[@]}"; do
    read -r name model end method accuracy <<<"$line"
    read -r steps now <<<"$(count "$model" "$end" "$method" "$accuracy")"
    before=
    [ -f "$recorded" ] && before=$(awk -v name="$name" '$1 == name {print $3}' "$recorded")
    change=-
    if [ -n "$before" ]; then
        change=$(awk -v a="$now" -v b="$before" 'BEGIN {printf "%+.1f %%", 100 * (a / b - 1)}')
        if [ $record -eq 0 ] && [ $((now * 100)) -gt $((before * (100 + allowed))) ]; then
            change="$change  WORSE"
            bad=1
        fi
    elif [ $record -eq 0 ]; then
        change="not recorded"
        bad=1
    fi
    printf '%-22s %7d %14d %14s %8s\n' "$name" "$steps" "$now" "${before:--}" "$change"
    [ $record -eq 0 ] || echo "$name $steps $now" >>"$folder/new"
done
if [ $record -eq 1 ]; then
    cp "$folder/new" "$recorded"
    echo "instructions: recorded in $recorded"
fi
exit $bad
