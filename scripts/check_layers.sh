#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The house rules that a compiler does not know (docs/architecture.md):
#   an include points left (base <- math <- problem <- model <- solve <- io <- tools) or into its own layer;
#   rooms: a method sees no model/ and no other method; what is private to a room stays in it;
#   cli and examples see only the public headers; only io and tools open files;
#   the libraries never print or exit; every external symbol of the archives starts with hol_;
#   no folder has more than 20 source files, no file more than 800 lines;
#   the name of a static function stands in one file.
set -uo pipefail
build=${1:-build}
build=${build%/libholonom.a}
bad=0
complain() {
    echo "layers: $*"
    bad=1
}
# includes REGEX FOLDER..: includes that match REGEX below the folders
includes() {
    local pattern=$1
    shift
    grep -rnE "#include [\"<]$pattern" "$@" || true
}

# ---- layers ----
layers=(base math problem model solve io tools)
for ((i = 0; i < ${#layers[@]}; i++)); do
    folder=src/${layers[i]}
    [ "${layers[i]}" != tools ] || folder=tools
    for ((k = i + 1; k < ${#layers[@]}; k++)); do
        found=$(includes "${layers[k]}/" "$folder")
        [ -z "$found" ] || complain "${layers[i]} must not see ${layers[k]}: $found"
    done
    found=$(includes '\.\./' "$folder")
    [ -z "$found" ] || complain "an include by a relative path: $found"
    if [ "${layers[i]}" != tools ]; then
        found=$(includes 'holonom/(tools|doctor)\.h' "$folder")
        [ -z "$found" ] || complain "the library must not see its tools: $found"
    fi
done
found=$(grep -rnE '#include ["<](base|math|problem|model|solve|io|tools)/|#include "\.\./' cli examples || true)
[ -z "$found" ] || complain "only the public headers are for cli and examples: $found"

# ---- rooms ----
found=$(includes 'model/' src/solve/method)
[ -z "$found" ] || complain "a method must not see the model: $found"
for family in src/solve/method/*/; do
    family=$(basename "$family")
    found=$(includes "solve/method/$family/" src | grep -v "^src/solve/method/$family/" |
        grep -v '^src/solve/registry.c' || true)
    [ -z "$found" ] || complain "private to the method $family: $found"
done
# private ROOM HEADERS: seen only from inside the room
private() {
    found=$(includes "$1/($2)\.h" src tools | grep -v "^src/$1/" || true)
    [ -z "$found" ] || complain "private to $1: $found"
}
private math/saddle 'kkt_backend|kkt_block|kkt_tree'
private model/expr 'expr_internal|expr_syntax|expr_token'
found=$(includes '(model/batch/|math/simd)' src/model/model.h src/model/row/row.h)
[ -z "$found" ] || complain "SIMD types stay out of model.h and row.h: $found"
# functions that take or return vectors are always inlined (math/simd.h), so that -Wno-psabi hides
# nothing: heads of functions in one line each, by value and not HOL_INLINE
found=$(find src tools -name '*.[ch]' -exec awk '
    /^[A-Za-z].*\(/ && !/^(typedef|#|HOL_INLINE)/ {head = ""; on = 1}
    on {head = head " " $0}
    on && /[{;]$/ {
        on = 0
        if (head ~ /^ *((HOL_WIDE|static|inline|extern|const) )*HolLanes [a-z0-9_]+\(/ ||
            head ~ /[(,] *(const )?HolLanes( [a-z0-9_]*)?[,)]/)
            print FILENAME ":" FNR ":" head
    }' {} +)
[ -z "$found" ] || complain "vectors passed to or from a function that is not HOL_INLINE: $found"

# ---- files, output, memory ----
found=$(grep -rnE '\b(fopen|open|freopen|creat|unlink|rename)\(' src/base src/math src/model src/solve |
    grep -vE '(->|\.|_)(open|rename)\(' || true)
[ -z "$found" ] || complain "only io and tools open files: $found"
found=$(grep -rnE '(^|[^a-zA-Z_])(printf|vprintf|puts|putchar|exit|_exit|abort)\(|fprintf\((stderr|stdout)' \
    src tools | grep -v '^tools/sweep/sweep_slot.c:[0-9]*: *_exit(0);' |
    grep -v '^src/io/apart.c.* _exit(0); // nothing of the caller' || true) # (processes that it began itself)
[ -z "$found" ] || complain "the libraries never print or exit: $found"
found=$(grep -rnE '(^|[^a-zA-Z_])(malloc|calloc|realloc|strdup|strndup|aligned_alloc)\(' src tools |
    grep -v '^src/base/arena.c' || true)
[ -z "$found" ] || complain "memory comes from the arena: $found"

# ---- sizes ----
long=$(find src tools cli include test -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" && $1 > 800')
[ -z "$long" ] || complain "longer than 800 lines: $long"
while read -r folder; do
    n=$(find "$folder" -maxdepth 1 -name '*.[ch]' | wc -l)
    [ "$n" -le 20 ] || complain "$folder has $n source files, more than 20"
done < <(find src tools cli test bench examples include -type d)

# ---- names ----
# a static function's name stands in one file: a search leads to one place
found=$(grep -rnoE --include='*.[ch]' '^static (inline )?(const )?(struct )?[A-Za-z_]+[ *]+([A-Za-z_]+[ *]+)*[a-z_0-9]+\(' \
    src tools cli | sed -E 's/:[0-9]+:.*[ *]([a-z_0-9]+)\($/ \1/' | sort -u | awk '{print $2}' | sort | uniq -d)
[ -z "$found" ] || complain "static functions of one name in several files: $found"

# ---- symbols ----
for archive in libholonom.a libholonom_tools.a; do
    if [ -f "$build/$archive" ]; then
        found=$(nm -g --defined-only "$build/$archive" | awk 'NF == 3 && $3 !~ /^hol_/ {print $3}')
        [ -z "$found" ] || complain "external symbols without hol_ in $archive: $found"
    else
        complain "$build/$archive is not there; build first"
    fi
done
if [ -f "$build/libholonom.so" ]; then
    found=$(nm -D "$build/libholonom.so" | grep -iE 'MHD_|cairo|_plot_|_studio_|_report_' || true)
    [ -z "$found" ] || complain "an application inside libholonom.so: $found"
    found=$(ldd "$build/libholonom.so" | grep -E 'microhttpd|cairo' || true)
    [ -z "$found" ] || complain "libholonom.so stands on: $found"
fi

# ---- start-up: what most commands do not need is loaded when it is needed (src/base/library) ----
if grep -q '^HOLONOM_LATE:BOOL=ON' "$build/CMakeCache.txt" 2>/dev/null && [ -x "$build/holonom" ]; then
    found=$(ldd "$build/holonom" "$build/libholonom_tools.so" |
        grep -oE '^\s*lib(hdf5|lapack|blas|openblas|arpack|cairo|microhttpd|mpi)[^ ]*' | sort -u | tr -d '\t\n')
    [ -z "$found" ] || complain "loaded at every start: $found"
fi

[ $bad -eq 0 ] && echo "layers: ok"
exit $bad
