#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/fill_disk.sh BUILD TRIALS: files that cannot grow any further (ulimit -f, spread over the sizes
# that each command needs): exit 0 with the whole result, or exit 4 with the reason and no file left but
# whole ones that the command names (a table whose page found no room). A run with checkpoints is resumed with room, and must end with the bytes of an undisturbed one. The last
# line has the counts.
set -uo pipefail
build=${1:-build}
trials=${2:-40}
holonom=$(cd "$build" && pwd)/holonom
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
cp "$root/models/double-pendulum.yaml" m.yaml
"$holonom" run m.yaml -q -o r.csv
"$holonom" run m.yaml -q -o r.h5
commands=(
    "run m.yaml -q -o made.csv"
    "run m.yaml -q -o made.h5"
    "run m.yaml -q --report made.html"
    "run m.yaml -q -o made.csv --checkpoint made.ck --every 0.005"
    "run m.yaml -q -o made.h5 --checkpoint made.ck --every 0.005"
    "plot r.csv -c rod1.x -o made.svg"
    "view r.h5 -o made.html"
    "equilibrium m.yaml -o made.yaml"
    "modes m.yaml -o made.csv --report made.html"
)
done=0 full=0 wrong=0 resumed=0
complain() {
    echo "fill: $*"
    wrong=$((wrong + 1))
}
for command in "${commands[@]}"; do
    rm -f made*
    # shellcheck disable=SC2086
    "$holonom" $command 2>/dev/null >&2
    rm -rf whole
    mkdir whole
    cp made* whole
    most=$(find . -name 'made*' -printf '%s\n' | sort -n | tail -1)
    most=$((${most:-0} / 512 + 2))
    for ((i = 0; i < trials; i++)); do
        rm -f made*
        # shellcheck disable=SC2086
        (trap '' XFSZ && ulimit -f $((most * i / trials)) && exec "$holonom" $command) 2>said | cat >/dev/null
        code=${PIPESTATUS[0]}
        done=$((done + 1))
        [ "$code" != 0 ] || continue
        full=$((full + 1))
        [ "$code" = 4 ] || complain "$command, limit $((most * i / trials)): exit $code: $(cat said)"
        # (with a limit of 0 not even the reason can be written)
        [ "$((most * i / trials))" = 0 ] || grep -q 'cannot write\|too large' said ||
            complain "$command: $(cat said)"
        if [ -f made.ck ]; then
            again=${command/--checkpoint/--resume}
            # shellcheck disable=SC2086
            "$holonom" $again 2>said || complain "$again: $(cat said)"
            resumed=$((resumed + 1))
            for end in csv h5; do
                [ ! -f made.$end ] || "$holonom" diff r.$end made.$end >/dev/null || complain "$again: other numbers"
            done
            rm -f made.csv* made.h5 made.ck
        fi
        kept=$(sed -n 's/.*results are in \(made[^ ]*\)$/\1/p' said)
        [ -z "$kept" ] || ! cmp -s "$kept" "whole/$kept" || rm "$kept"
        left=$(ls | grep made | tr '\n' ' ')
        [ -z "$left" ] || complain "$command, limit $((most * i / trials)): left $left"
    done
done
echo "fill: $done trials, $full without room, $resumed resumed, $wrong wrong"
[ "$wrong" = 0 ]
