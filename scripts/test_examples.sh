#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test_examples.sh BUILD: every program of examples/ is compiled by the line in its head ("Build: ..") as it stands there,
# with the library of the build tree, and run.
set -euo pipefail
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
command -v pkg-config >/dev/null || { echo "examples: pkg-config is not here: not tested"; exit 77; }
export PKG_CONFIG_PATH=$build
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for source in "$root"/examples/*.c; do
    name=$(basename "$source")
    line=$(sed -n 's,^// Build: \(cc .*[a-z)]\)\. .*,\1,p' "$source")
    [ -n "$line" ] || { echo "examples: $name does not say how it is built"; exit 1; }
    mkdir "$place/$name.d"
    cp "$source" "$place/$name.d/"
    (cd "$place/$name.d" && eval "$line" && ./a.out) || { echo "examples: $name: failed: $line"; exit 1; }
done
echo "examples: ok"
