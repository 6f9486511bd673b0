#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The house rules that a compiler does not know:
#   an include points left (base <- math <- model <- solve <- io <- papers) or into its own folder;
#   cli sees only <holonom/holonom.h>; only io opens files; the library never prints or exits;
#   every external symbol of the archive starts with hol_.
set -uo pipefail
archive=${1:-build/libholonom.a}
layers=(base math model solve io papers)
bad=0
complain() {
    echo "layers: $*"
    bad=1
}

for ((i = 0; i < ${#layers[@]}; i++)); do
    for ((k = i + 1; k < ${#layers[@]}; k++)); do
        found=$(grep -rnE "#include [\"<]${layers[k]}/" "src/${layers[i]}" || true)
        [ -z "$found" ] || complain "${layers[i]} must not see ${layers[k]}: $found"
    done
    found=$(grep -rnE '#include "\.\./' "src/${layers[i]}" || true)
    [ -z "$found" ] || complain "an include by a relative path: $found"
done

found=$(grep -rnE '#include ["<](base|math|model|solve|io|papers)/|#include "\.\./' cli examples || true)
[ -z "$found" ] || complain "only the public header is for cli and examples: $found"

found=$(grep -rnE '\b(fopen|open|freopen|creat|unlink|rename)\(' \
    src/base src/math src/model src/solve src/papers | grep -vE '(->|\.|_)(open|rename)\(' || true)
[ -z "$found" ] || complain "only io opens files: $found"

found=$(grep -rnE '(^|[^a-zA-Z_])(printf|vprintf|puts|putchar|exit|_exit|abort)\(|fprintf\((stderr|stdout)' \
    src || true)
[ -z "$found" ] || complain "the library never prints or exits: $found"

found=$(grep -rnE '(^|[^a-zA-Z_])(malloc|calloc|realloc|strdup|strndup|aligned_alloc)\(' src |
    grep -v '^src/base/arena.c' || true)
[ -z "$found" ] || complain "memory comes from the arena: $found"

long=$(find src cli include -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" && $1 > 800')
[ -z "$long" ] || complain "longer than 800 lines: $long"

if [ -f "$archive" ]; then
    found=$(nm -g --defined-only "$archive" | awk 'NF == 3 && $3 !~ /^hol_/ {print $3}')
    [ -z "$found" ] || complain "external symbols without hol_: $found"
else
    complain "$archive is not there; build first"
fi

[ $bad -eq 0 ] && echo "layers: ok"
exit $bad
