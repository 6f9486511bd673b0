#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a sweep costs beside its integration: 1000 runs of a four-bar (models/studies/crank-rocker.yaml).
#   bench/sweep.sh [BUILD]            CPU time of the sweep over that of the integration; one and two processes
#   bench/sweep.sh BUILD ranks [N]    N (64) ranks of MPI, killed 20 times at random and resumed: the same bytes
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
end=${END:-10} # seconds of motion
study() { # runs
    cat > "$work/study.yaml" <<END
study: 1
model: $PWD/models/studies/crank-rocker.yaml
vary: {T: {uniform: [2, 3]}}
simulation: {end: $end}
samples: $1
record:
  swing: max(rocker.angle) - min(rocker.angle)
  speed: mean(crank.omega)
  once: time_when(crank.angle >= 2*pi)
END
}

if [ "${2:-}" = ranks ]; then
    ranks=${3:-64}
    study 2000
    run() { mpirun --allow-run-as-root --oversubscribe -n "$ranks" "$build/holonom" sweep "$work/study.yaml" -q "$@"; }
    "$build/holonom" sweep "$work/study.yaml" -q -o "$work/whole.csv"
    killed=0
    for i in $(seq 20); do
        run -o "$work/ranks.csv" --resume >/dev/null 2>&1 &
        pid=$!
        sleep "$((4 + RANDOM % 4)).$((RANDOM % 10))"
        if [ -e "$work/ranks.csv" ]; then break; fi
        # one time the whole job, one time a rank
        if [ $((i % 2)) -eq 0 ]; then kill -KILL "$pid" || true; else
            kill -KILL "$(pgrep -P "$pid" holonom | head -1)" 2>/dev/null || kill -KILL "$pid" || true; fi
        wait "$pid" 2>/dev/null || true
        killed=$((killed + 1))
        sleep 1
        echo "kill $killed: journal of $(stat -c %s "$work/ranks.csv.journal" 2>/dev/null || echo 0) bytes"
    done
    [ -e "$work/ranks.csv" ] || run -o "$work/ranks.csv" --resume
    cmp "$work/whole.csv" "$work/ranks.csv" && echo "$ranks ranks, killed $killed times: the same bytes"
    exit
fi

study 1000
for jobs in 1 2; do
    start=$(date +%s.%N)
    "$build/holonom" sweep "$work/study.yaml" -j $jobs -o "$work/out.csv" 2> "$work/said"
    wall[jobs]=$(echo "$(date +%s.%N) - $start" | bc)
    cpu=$(sed -n 's/.* \([0-9.]*\) s of CPU time.*/\1/p' "$work/said")
done
# the integration alone: 40 of these runs, their cpu_seconds
sum=0
for i in $(seq 40); do
    T=$(sed -n "$((25 * i - 10))p" "$work/out.csv" | cut -d, -f2)
    one=$("$build/holonom" run models/studies/crank-rocker.yaml --set T="$T" --end "$end" --output-step 10 --json -q |
        sed -n 's/.*"cpu_seconds": \([0-9.e-]*\).*/\1/p')
    sum=$(echo "$sum $one" | awk '{printf "%.9f", $1 + $2}')
done
awk -v cpu="$cpu" -v sum="$sum" -v one="${wall[1]}" -v two="${wall[2]}" 'BEGIN {
    printf "1000 runs: %.2f s of CPU time, integration %.2f s: %.2f times\n", cpu, sum * 25, cpu / (sum * 25)
    printf "one process %.2f s, two %.2f s: %.2f times as fast\n", one, two, one / two}'
