#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The references of test/accuracy anew: every mechanism by taylor, rk853, radau and tangent at tight tolerances and with
# fixed steps; what two different methods agree on best is kept, with the agreement and the growth of errors of the
# start in the file's head. The light cart-pole and the four-bar of models/ come from oracles.py.
#   test/accuracy/make_reference.sh [BUILD] [NAME]     NAME: only those whose name contains it
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:-build}/bench/accuracy
only=(${2:+--only "$2"})
[ -x "$program" ] || { echo "make_reference: $program is not there; build first" >&2; exit 2; }
"$program" --reference --set accuracy "${only[@]}"
"$program" --reference --set models --rows 12 "${only[@]}"
test/accuracy/oracles.py --write
