#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/fuzz.sh BUILD SECONDS [TARGET..]: every fuzz target of a build with -DHOLONOM_FUZZ=ON for so
# long, two at a time, from the seeds of test/fuzz/corpus and the models. Finds are kept in BUILD/fuzz.
# The last line has the number of executions.
set -uo pipefail
build=${1:-build-fuzz}
seconds=${2:-5}
shift $(($# < 2 ? $# : 2))
targets=${*:-model expression set csv manifest stl hdf5 checkpoint}
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$build" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

fuzz() {
    local name=$1
    mkdir -p "$place/$name" "$place/seeds-$name"
    if [ "$name" = model ]; then
        cp "$root"/test/bad/*.yaml "$root"/models/p*.yaml "$place/seeds-$name"
        # (those that come to a limit take most of the time)
        grep -lE 'more than [0-9]{5,}' "$place/seeds-$name"/* | xargs rm -f
    else
        cp "$root/test/fuzz/corpus/$name/"* "$place/seeds-$name"
    fi
    [ "$name" != hdf5 ] || cp "$root/test/ref/layout-1.h5" "$place/seeds-$name"
    ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 \
        "$build/fuzz/$name" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -malloc_limit_mb=2500 \
        -print_final_stats=1 -artifact_prefix="$build/fuzz/find-$name-" "$place/$name" "$place/seeds-$name" \
        >"$place/$name.log" 2>&1 || { tail -40 "$place/$name.log"; touch "$place/failed-$name"; }
}

export -f fuzz
export root build place seconds
printf '%s\n' $targets | xargs -P 2 -I NAME bash -c 'fuzz NAME'
total=0
for name in $targets; do
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$place/$name.log")
    echo "fuzz: $name: ${count:-no} executions$([ ! -f "$place/failed-$name" ] || echo ", FAILED")"
    total=$((total + ${count:-0}))
done
echo "fuzz: $total executions, $(find "$place" -name 'failed-*' | wc -l) finds"
! ls "$place"/failed-* >/dev/null 2>&1
