#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test_python.sh BUILD [all]: the Python package: its tests; with `all` also the notebooks, and pip in a venv without
# network. Leaves with 77 (skipped) and says so where Python, numpy or pytest are missing.
set -euo pipefail
build=$(cd "$1" && pwd)
what=${2:-}
root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-/usr/bin/python3}
if ! command -v "$python" >/dev/null || ! "$python" -c 'import numpy, pytest' 2>/dev/null; then
    echo "python: $python with numpy and pytest is not here: the package is not tested"
    exit 77
fi
"$root/scripts/make_python.sh" "$build"
export PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1
"$python" -m pytest -q -p no:cacheprovider "$root/python/tests"
[ "$what" = all ] || exit 0

if "$python" -c 'import nbclient, ipykernel' 2>/dev/null; then
    "$python" "$root/python/tests/run_notebooks.py"
else
    echo "python: nbclient or ipykernel is not here: the notebooks are not run"
fi
if "$python" -c 'import venv, ensurepip, setuptools, wheel' 2>/dev/null; then
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
    cp -r "$root/python" "$place/source"
    "$python" -m venv --system-site-packages "$place/venv"
    HOLONOM_BUILD=$build "$place/venv/bin/python" -m pip install -q --no-index --no-build-isolation --no-deps "$place/source"
    (cd "$place" && env -u PYTHONPATH venv/bin/python -c '
import holonom
assert "/venv/" in holonom.__path__[0], holonom.__path__
m = holonom.load("'"$root"'/models/pendulum.yaml")
assert m.run(end=1).success and holonom.modes(m)["dof"] == 1
print("python: pip in a venv: holonom", holonom.__version__)')
else
    echo "python: venv, setuptools or wheel is not here: pip is not tested"
fi
