#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What runs in several threads, under the thread sanitizer: the tests with the label `threads`, and
# runs of large models by two threads. BUILD is one with -DHOLONOM_THREAD_SANITIZE=ON.
set -uo pipefail
build=${1:-build-thread}
jobs=${2:-2}
holonom=$build/holonom
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export OPENBLAS_NUM_THREADS=1 TSAN_OPTIONS=halt_on_error=1
bad=0

ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$jobs" -L threads || bad=1

# a generated model, then arguments of the run
try() {
    local kind=$1 n=$2
    shift 2
    "$holonom" generate "$kind" "$n" >"$place/model.yaml" &&
        "$holonom" run "$place/model.yaml" --set simulation.threads=2 "$@" --quiet -o "$place/out.csv" \
            >"$place/log" 2>&1
    local code=$?
    if [ $code -ne 0 ]; then
        echo "threads: exit $code: $kind $n, run $*"
        cat "$place/log"
        bad=1
    fi
}
try four-bar 500 --method tangent --step 0.01 --end 0.03
try four-bar 500 --method taylor --tolerance 1e-5 --end 0.05
try chain 2500 --method taylor --tolerance 1e-4 --end 0.005
try chain3d 2500 --method taylor --tolerance 1e-4 --end 0.005
[ $bad -eq 0 ] && echo "threads: ok"
exit $bad
