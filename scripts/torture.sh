#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/torture.sh BUILD FUZZ_BUILD KILLS SECONDS: the tests of docs/reliability.md at length, and their
# counts at the end:
#   kill    runs that are killed at random moments and resumed      fill    files that cannot grow
#   fail    allocations that fail, over every command               fuzz    bytes for every reader
#   attack  hostile files, outputs that are inputs, names that leave the studio's folder, its page in a
#           browser (where there is one), bytes of checkpoints
set -uo pipefail
build=${1:-build}
fuzz=${2:-build-fuzz}
kills=${3:-1000}
seconds=${4:-60}
cd "$(dirname "$0")/.." || exit 1
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
began=$SECONDS
bad=0
lines=()

# part NAME COMMAND..: the last line that it prints is its count
part() {
    local name=$1 from=$SECONDS
    shift
    echo "torture: $name .."
    if ! "$@" >"$log/$name" 2>&1; then
        bad=$((bad + 1))
        tail -30 "$log/$name"
    fi
    lines+=("$(printf '%-7s %5d s  %s' "$name" $((SECONDS - from)) "$(tail -1 "$log/$name")")")
}

fail() {
    HOL_MEMORY_TRIALS=${HOL_MEMORY_TRIALS:-400} "$build/test/test_memory" >"$log/walk" 2>&1
    local code=$?
    cat "$log/walk"
    awk '/ trials, [0-9]+ bad$/ {for (i = 1; i <= NF; i++) if ($i == "trials,") {n += $(i - 1); b += $(i + 1)}}
        END {printf "fail: %d trials, %d bad\n", n, b}' "$log/walk"
    return $code
}

attack() {
    local code=0 n=0
    for test in test_hostile_files test_file_clash test_studio_names test_checkpoint test_cli_checkpoint \
        test_results test_reader_fuzz; do
        if [ -x "$build/test/$test" ]; then
            "$build/test/$test" || code=1
            n=$((n + 1))
        fi
    done
    local pages="no browser"
    if command -v chromium >/dev/null && command -v node >/dev/null; then
        pages="the pages in a browser"
        scripts/test_web.sh "$build" || code=1
    fi
    echo "attack: $n programs of tests, $pages, $([ $code = 0 ] && echo none || echo some) broken"
    return $code
}

part kill scripts/kill_runs.sh "$build" "$kills"
part fail fail
part fill scripts/fill_disk.sh "$build" 40
part fuzz scripts/fuzz.sh "$fuzz" "$seconds"
part attack attack
echo
printf 'torture: %s\n' "${lines[@]}"
echo "torture: $((SECONDS - began)) s, $bad of 5 parts failed"
[ $bad = 0 ]
