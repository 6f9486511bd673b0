#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/fuzz.sh BUILD SECONDS [TARGET..]: every fuzz target for so long, two at a time, from the seeds of
# test/fuzz/corpus and the models. A build with -DHOLONOM_FUZZ=ON has programs of libFuzzer; one with
# -DHOLONOM_SANITIZE=ON has those of test/fuzz/driver.c. PLAIN=1: the driver in either, which is faster and
# follows edges too; RUNS=N: so many executions instead of seconds; LONGEST: bytes of an input; SEED.
# Finds are kept in BUILD/fuzz. The last line has the number of executions.
set -uo pipefail
build=${1:-build-fuzz}
seconds=${2:-5}
shift $(($# < 2 ? $# : 2))
targets=${*:-model expression set csv manifest stl hdf5 checkpoint study matrix}
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$build" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export PLAIN=${PLAIN:-} RUNS=${RUNS:-} LONGEST=${LONGEST:-} SEED=${SEED:-1}

fuzz() {
    local name=$1 longest=4000 seeds=$place/seeds-$1 words=$place/words-$1 program=()
    mkdir -p "$place/$name" "$seeds"
    : >"$words"
    if [ "$name" = model ]; then
        longest=600
        cp "$root"/test/bad/*.yaml "$root"/models/p*.yaml "$seeds"
        # (those that come to a limit take most of the time)
        grep -lE 'more than [0-9]{5,}' "$seeds"/* | xargs rm -f
    fi
    [ ! -d "$root/test/fuzz/corpus/$name" ] || cp "$root/test/fuzz/corpus/$name/"* "$seeds"
    case $name in
    expression) longest=200 && cp "$root/test/fuzz/expression.words" "$words" ;;
    set | model) grep -ohE '"[a-zA-Z_-]+":' "$root/docs/model.schema.json" | tr -d : | sort -u >"$words" ;;
    hdf5) longest=20000 && cp "$root/test/ref/layout-1.h5" "$seeds" ;;
    esac
    longest=${LONGEST:-$longest}
    if [ -n "$PLAIN" ] || [ ! -x "$build/fuzz/$name" ]; then
        program=("$build/fuzz/$name-plain")
        [ -x "${program[0]}" ] || program=("$build/fuzz/fuzz_$name")
        program+=(-seconds "$seconds" ${RUNS:+-runs "$RUNS"} -longest "$longest" -seed "$SEED"
            -dictionary "$words" -find "$build/fuzz/find-$name-$SEED" "$seeds")
    else
        program=("$build/fuzz/$name" -max_total_time="$seconds" ${RUNS:+-runs="$RUNS"} -seed="$SEED"
            -max_len="$longest" -timeout=60 -rss_limit_mb=3000 -malloc_limit_mb=2500
            -print_final_stats=1 -artifact_prefix="$build/fuzz/find-$name-")
        [ ! -s "$words" ] || program+=(-dict="$words") # (an empty one ends it)
        program+=("$place/$name" "$seeds")
    fi
    # (freed memory is kept from being used again for a while: less of it stays in the cache)
    ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:quarantine_size_mb=4:malloc_context_size=8 \
        UBSAN_OPTIONS=print_stacktrace=1 "${program[@]}" >"$place/$name.log" 2>&1 ||
        { tail -40 "$place/$name.log"; touch "$place/failed-$name"; }
}

export -f fuzz
export root build place seconds
printf '%s\n' $targets | xargs -P 2 -I NAME bash -c 'fuzz NAME'
total=0
for name in $targets; do
    count=$(sed -n 's/^stat::number_of_executed_units: *//p; s/^fuzz: .*: \([0-9]*\) executions.*/\1/p' \
        "$place/$name.log")
    [ "${count:-0}" -gt 0 ] || touch "$place/failed-$name"
    echo "fuzz: $name: ${count:-no} executions$([ ! -f "$place/failed-$name" ] || echo ", FAILED")"
    total=$((total + ${count:-0}))
done
echo "fuzz: $total executions, $(find "$place" -name 'failed-*' | wc -l) finds"
! ls "$place"/failed-* >/dev/null 2>&1
