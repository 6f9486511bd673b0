#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What cmake/harden.cmake asks for is in the built command and libraries: full RELRO, PIE, no executable
# stack, canaries, checked library calls, and marks of control-flow protection.
set -u
build=${1:-build}
bad=0
complain() {
    echo "hardening: $*"
    bad=1
}
for file in "$build/holonom" "$build/libholonom.so" "$build/libholonom_tools.so"; do
    [ -f "$file" ] || { complain "$file is not there; build first"; continue; }
    facts=$(readelf -W -h -l -d -n "$file")
    grep -qE 'Type: +DYN' <<<"$facts" || complain "$file: no PIE"
    grep -q 'GNU_RELRO' <<<"$facts" || complain "$file: no RELRO"
    grep -q 'BIND_NOW' <<<"$facts" || complain "$file: RELRO is partial (no BIND_NOW)"
    grep -E 'GNU_STACK' <<<"$facts" | grep -q 'RWE' && complain "$file: the stack is executable"
    symbols=$(nm -D --undefined-only "$file")
    grep -q '__stack_chk_fail' <<<"$symbols" || complain "$file: no stack protector"
    grep -q '__[a-z]*_chk@' <<<"$symbols" || complain "$file: no FORTIFY"
    [ "$(uname -m)" != x86_64 ] || objdump -d --no-show-raw-insn "$file" | grep -m1 -q endbr64 ||
        complain "$file: no control-flow protection"
done
[ $bad -eq 0 ] && echo "hardening: ok"
exit $bad
