#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How well `method: auto` chooses: on every model, its CPU time at three achieved errors over that of the
# best method of `holonom compare`. Prints docs/advisor.md.
#   scripts/advisor.sh build [MODEL]...      default: all of models/ and bench/advisor/
set -uo pipefail
build=${1:-build}
shift || true
cd "$(dirname "$0")/.." || exit 1
models=("$@")
[ ${#models[@]} -eq 0 ] && mapfile -t models < <(git ls-files 'models/*.yaml' 'bench/advisor/*.yaml')
seconds=${SECONDS_EACH:-10}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for model in "${models[@]}"; do
    echo "advisor: $model" >&2
    "$build/holonom" compare "$model" --methods auto,taylor,radau,rk853,tangent \
        --limits 1e-4,1e-6,1e-9 --seconds "$seconds" --json >"$out/$(echo "$model" | tr / _).json" 2>/dev/null
done
python3 scripts/advisor_table.py "$out"
