#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A short subset under valgrind: the command on a planar and a spatial model, all file formats, and
# a broken model. (The tests themselves run under the sanitizers.)
set -uo pipefail
holonom=${1:-build}/holonom
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export OPENBLAS_NUM_THREADS=1
bad=0

# expected exit code, then the command's arguments
try() {
    local want=$1
    shift
    valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
        --suppressions="$(dirname "$0")/valgrind.supp" \
        "$holonom" "$@" >"$place/out" 2>"$place/err"
    local got=$?
    if [ $got -ne "$want" ]; then
        echo "valgrind: exit $got instead of $want: holonom $*"
        cat "$place/err"
        bad=1
    fi
}

printf 'holonom: 1\nspace: planar\nbodis: []\nbodies:\n  - {name: a, mass: -1, shape: 3}\n' >"$place/bad.yaml"
try 0 kinds --markdown
try 2 run "$place/bad.yaml" -o "$place/bad.csv"
for model in models/pendulum.yaml models/spinning-top.yaml; do
    [ -f "$model" ] || continue
    try 0 check "$model"
    try 0 run "$model" --end 0.05 -o "$place/a.csv"
    try 0 run "$model" --end 0.05 --method hht --step 0.01 --json
    "$holonom" --version | grep -q HDF5 && try 0 run "$model" --end 0.05 -o "$place/a.h5"
done
# every kind of method, on a model with redundant rows
for method in "tangent --set method.scheme=newmark" taylor newmark generalized-alpha dae-alpha explicit5 rk4 bdf; do
    size="--step 0.005"
    [ "$method" = bdf ] && size="--tolerance 1e-4"
    # shellcheck disable=SC2086
    try 0 run models/bricard.yaml --end 0.02 --method $method $size -o "$place/b.csv"
done
# methods in the joints of trees
for model in models/chain.yaml models/chain3d.yaml; do
    try 0 run "$model" --end 0.05 --method taylor --tolerance 1e-6 -o "$place/b.csv"
    try 0 run "$model" --end 0.05 --method taylor --set method.scheme=stable --tolerance 1e-3 -o "$place/b.csv"
    try 0 run "$model" --end 0.05 --method rk4 --set method.projection=joints --step 0.01 -o "$place/b.csv"
done
[ $bad -eq 0 ] && echo "valgrind: ok"
exit $bad
