#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/torture.sh BUILD FUZZ_BUILD KILLS SECONDS: the tests of docs/reliability.md at length, and their
# counts at the end:
#   kill    runs that are killed at random moments and resumed      fill    files that cannot grow
#   fail    allocations that fail, over every command               fuzz    bytes for every reader
#   attack  hostile files, outputs that are inputs, names that leave the studio's folder, its page in a
#           browser (where there is one), bytes of checkpoints
# Two parts run beside each other (fuzz has two processes of its own). HOL_MEMORY_TRIALS: of each command.
set -uo pipefail
build=${1:-build}
fuzz=${2:-build-fuzz}
kills=${3:-1000}
seconds=${4:-60}
cd "$(dirname "$0")/.." || exit 1
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
began=$SECONDS
TIMEFORMAT='%R %U %S'

# part NAME COMMAND..: the last line that it prints is its count
part() {
    local name=$1
    shift
    echo "torture: $name .."
    { time "$@" >"$log/$name" 2>&1 || touch "$log/$name.bad"; } 2>"$log/$name.time"
    [ ! -f "$log/$name.bad" ] || tail -30 "$log/$name"
}

# NAME: its count, and its time by the clock and of the processors
told() {
    printf 'torture: %-7s %5.0f s, processors %5.0f s  %s\n' "$1" \
        $(awk '{print $1, $2 + $3}' "$log/$1.time") "$(tail -1 "$log/$1")"
}

fail() {
    HOL_MEMORY_TRIALS=${HOL_MEMORY_TRIALS:-170} "$build/test/test_memory" >"$log/walk" 2>&1
    local code=$?
    cat "$log/walk"
    awk '/ trials, [0-9]+ bad$/ {for (i = 1; i <= NF; i++) if ($i == "trials,") {n += $(i - 1); b += $(i + 1)}}
        END {printf "fail: %d trials, %d bad\n", n, b}' "$log/walk"
    return $code
}

attack() {
    local code=0 n=0
    : >"$log/tests"
    for test in test_hostile_files test_file_clash test_studio_names test_studio_attack test_cli_load \
        test_checkpoint test_cli_checkpoint test_results test_reader_fuzz; do
        if [ -x "$build/test/$test" ]; then
            "$build/test/$test" >>"$log/tests" 2>&1 || code=1
            n=$((n + 1))
        fi
    done
    cat "$log/tests"
    local requests
    requests=$(sed -n 's/^attack: \([0-9]*\) requests.*/\1/p' "$log/tests")
    local pages="no browser"
    if command -v chromium >/dev/null && command -v node >/dev/null; then
        pages="the pages in a browser"
        scripts/test_web.sh "$build" || code=1
    fi
    echo "attack: $(grep -c '       OK ' "$log/tests") tests of $n programs, ${requests:-no} requests to the" \
        "studio, $pages, $([ $code = 0 ] && echo none || echo some) broken"
    return $code
}

part fail fail &
part kill scripts/kill_runs.sh "$build" "$kills"
part fill scripts/fill_disk.sh "$build" 40
part attack attack
wait
part fuzz scripts/fuzz.sh "$fuzz" "$seconds"
echo
for name in kill fail fill fuzz attack; do told $name; done
bad=$(find "$log" -name '*.bad' | wc -l)
echo "torture: $((SECONDS - began)) s, $bad of 5 parts failed"
[ "$bad" = 0 ]
