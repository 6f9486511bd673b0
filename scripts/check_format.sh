#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every tracked C file is as clang-format with .clang-format leaves it.
set -uo pipefail
tool=clang-format
command -v clang-format-14 >/dev/null && tool=clang-format-14
command -v "$tool" >/dev/null || {
    echo "format: $tool is missing"
    exit 1
}
bad=0
while read -r file; do
    [ -f "$file" ] || continue
    if ! "$tool" --dry-run -Werror "$file" 2>/dev/null; then
        echo "format: $file"
        bad=1
    fi
done < <(git ls-files '*.c' '*.h')
if [ $bad -eq 0 ]; then
    echo "format: ok"
else
    echo "format: 'make format' puts these files in order"
fi
exit $bad
