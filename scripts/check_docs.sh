#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/format.md is generated from the field tables: it must equal what the command prints.
set -uo pipefail
holonom=${1:-build}/holonom
if ! "$holonom" kinds --markdown | diff -u docs/format.md -; then
    echo "docs: docs/format.md is out of date; run: $holonom kinds --markdown > docs/format.md"
    exit 1
fi
echo "docs: ok"
