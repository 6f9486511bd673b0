#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/kill_runs.sh BUILD KILLS [SEED]: runs with checkpoints are killed (SIGKILL) at random moments
# and resumed, until so many kills are done. Each run, of one method and one format after another, must
# end with the bytes of one that nobody disturbed (HDF5: the same rows by `diff`), and leave nothing but
# its result, manifest and checkpoint. The last line has the counts.
set -uo pipefail
build=${1:-build}
kills=${2:-20}
RANDOM=${3:-1}
root=$(cd "$(dirname "$0")/.." && pwd)
holonom=$(cd "$build" && pwd)/holonom
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1

# a run each: model, options (about 0.1 s of steps), ending of the result
runs=(
    "double-pendulum csv --method tangent --step 1e-4 --end 1"
    "bricard csv --method rk853 --tolerance 1e-10 --end 4"
    "pendulum h5 --method rk4 --step 2e-4 --end 4"
    "slider-crank csv --method radau --tolerance 1e-11"
    "bouncing-ball csv --output-step 1e-3"
    "double-pendulum h5 --method auto --tolerance 1e-10 --end 4"
    "pendulum csv --method hht --step 1e-4 --end 2"
    "double-pendulum csv --method bdf --tolerance 1e-8 --end 4"
)

killed=0 resumed=0 finished=0 wrong=0 early=0 number=0
complain() {
    echo "kill: $*"
    wrong=$((wrong + 1))
}
compare() { # FORMAT: b against the undisturbed a
    if [ "$1" = csv ]; then
        cmp -s a.csv b.csv || complain "$run: other bytes"
        if [ -f a_events.csv ]; then
            cmp -s a_events.csv b_events.csv || complain "$run: other events"
        fi
    else
        "$holonom" diff a.h5 b.h5 --tolerance 0 >/dev/null || complain "$run: other rows"
    fi
    [ ! -e "b.$1.part" ] || complain "$run: b.$1.part is left"
    ls | grep -q 'part-' && complain "$run: $(ls)"
}
while [ "$killed" -lt "$kills" ] && [ "$wrong" -lt 5 ]; do
    run=${runs[number % ${#runs[@]}]}
    read -r model format options <<<"$run"
    number=$((number + 1))
    rm -f ./*
    # shellcheck disable=SC2086
    command=("$holonom" run "$root/models/$model.yaml" -q $options)
    "${command[@]}" -o "a.$format" 2>err.txt || complain "$run: $(cat err.txt)"
    for ((try = 0; try < 200; try++)); do
        how=(--checkpoint run.ck)
        [ ! -f run.ck ] || how=(--resume run.ck)
        "${command[@]}" -o "b.$format" --every 0.003 "${how[@]}" 2>err.txt &
        # (the later the longer, so that a busy machine comes to the end too)
        sleep "$(printf '0.%03d' $((RANDOM % (60 + 4 * try))))"
        kill -KILL $! 2>/dev/null
        wait $! 2>/dev/null
        code=$?
        [ "${how[0]}" != --resume ] || resumed=$((resumed + 1))
        if [ $code = 0 ]; then
            finished=$((finished + 1))
            compare "$format"
            break
        elif [ $code != 137 ]; then
            complain "$run: exit $code: $(cat err.txt)"
            break
        fi
        killed=$((killed + 1))
        [ -f run.ck ] || early=$((early + 1))
    done
done
echo "kill: $killed kills ($early before the first checkpoint), $resumed resumed," \
    "$finished runs to the end, $wrong wrong"
[ "$wrong" = 0 ]
