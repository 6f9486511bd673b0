#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make_python.sh BUILD: the Python package with the libraries and the command of BUILD into BUILD/python, from where
# `import holonom` works: PYTHONPATH=BUILD/python. It is replaced as a whole.
set -euo pipefail
build=$1
root=$(cd "$(dirname "$0")/.." && pwd)
part=$build/python.part
rm -rf "$part"
mkdir -p "$part/holonom/bin"
cp "$root"/python/holonom/*.py "$root/python/holonom/py.typed" "$part/holonom/"
for name in libholonom.so.1 libholonom_tools.so.1; do
    cp -L "$build/$name" "$part/holonom/$name"
done
cp "$build/holonom" "$part/holonom/bin/holonom"
rm -rf "$build/python"
mv "$part" "$build/python"
python=${PYTHON:-/usr/bin/python3}
if command -v "$python" >/dev/null && "$python" -c 'import numpy' 2>/dev/null; then
    PYTHONPATH=$build/python "$python" -c 'import holonom; print("python: holonom", holonom.__version__, "in", holonom.__path__[0])'
else
    echo "python: the package is in $build/python; $python with numpy is needed to import it"
fi
