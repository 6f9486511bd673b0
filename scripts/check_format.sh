#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every tracked C file is as clang-format with .clang-format leaves it.
set -euo pipefail
tool=clang-format
command -v clang-format-14 >/dev/null && tool=clang-format-14
git ls-files '*.c' '*.h' | xargs -r "$tool" --dry-run -Werror
echo "format: ok"
