#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Do the tests notice a mistake? Makes N random single mutations of the C files of src/ and runs the
# tests on each:
#   scripts/mutate.sh N SEED [FILE..]     (make mutate N=.. SEED=..)
# FILEs instead of all of src/ may also lie in tools/. scripts/mutate.c chooses the mutations and
# lists their kinds; the same seed gives the same mutations of the same sources. Every mutant ends
# as one row of the table:
#   caught by TEST    a test failed, crashed or ran out of its time
#   survived          no test failed: a missing test, or a mutation that changes no promised result
#   not run           no test runs that line: survived, too
#   same code         the object file has the same bytes: no mutation at all, not counted
#   does not compile  not counted either
# The last line is the summary. The table stays in build-mutate/mutants-SEED.txt.
#
# The tree itself is not touched. build-mutate holds the tests, linked against a shared library in
# which every symbol is visible, so that a mutant costs one compilation and one link. A second build
# of the library tells which test runs which line (gcov); a mutant meets only the tests that run its
# line: quick ones first, those named like the file before others. A test may use five times its
# usual processor time. Environment:
#   JOBS=1                     mutants at a time
#   MOST=300                   tests that take more seconds than that are left out
#   MUTATE_BUILD=build-mutate  folder of both builds
#   KEEP=1                     keeps the libraries of survivors in build-mutate/mutants/SEED-NUMBER
# Needs gcc, gcov and cmake.
set -uo pipefail
cd "$(dirname "$0")/.."
root=$PWD
if [ $# -lt 2 ]; then
    sed -n '3,25s/^# \{0,1\}//p' "$0"
    exit 2
fi
n=$1 seed=$2
shift 2
build=$root/${MUTATE_BUILD:-build-mutate}
cover=$build/cover
jobs=${JOBS:-1}
most=${MOST:-300}
export OPENBLAS_NUM_THREADS=1 root build cover most seed

say() {
    echo "mutate: $*" >&2
}

# ---- two builds: the tests, and the libraries that count lines ----
make_build() { # FOLDER FLAGS TARGET..
    local folder=$1 flags=$2
    shift 2
    cmake -S . -B "$folder" -G "Unix Makefiles" -DHOLONOM_OPEN=ON -DCMAKE_SKIP_RPATH=ON \
        -DCMAKE_BUILD_TYPE=Mutate -DCMAKE_C_FLAGS_MUTATE="-DNDEBUG -w $flags" >"$folder/make.log" 2>&1 &&
        cmake --build "$folder" -j "$jobs" --target "$@" >>"$folder/make.log" 2>&1 && return
    tail -20 "$folder/make.log" >&2
    say "the build failed: $folder/make.log"
    exit 1
}
mkdir -p "$cover"
say "building"
make_build "$build" "-O1 -fno-semantic-interposition" all
make_build "$cover" "-O1 -fno-semantic-interposition --coverage" holonom_shared holonom_tools_shared
cc -O1 -o "$build/mutate" scripts/mutate.c || exit 1

# ---- which test runs which line, and for how long ----
tests=()
for file in "$build"/test/test_* "$build"/examples/*; do
    [ -f "$file" ] && [ -x "$file" ] && tests+=("$file")
done

# run PROGRAM LIBRARY SECONDS: its exit code; the time limit is processor time, as other work on the
# machine shall not count, and ten times that for a test that sleeps
run() {
    (
        ulimit -c 0 -t "$3" -v 16000000
        LD_LIBRARY_PATH="$2:$build" exec timeout -s KILL "$((10 * $3))" "$1" >/dev/null 2>&1
    )
}

# lines TEST: lines/TEST of the build gets the lines of src and tools that it runs, and its seconds
lines() {
    local test=$1 name
    name=$(basename "$test")
    local to=$build/lines/$name place
    [ "$to" -nt "$test" ] && [ "$to" -nt "$cover/libholonom.so" ] &&
        [ "$to" -nt "$cover/libholonom_tools.so" ] && return
    place=$(mktemp -d "$build/gcov.XXXXXX")
    local TIMEFORMAT=%U
    if ! { time GCOV_PREFIX=$place run "$test" "$cover" "$most" 2>/dev/null; } 2>"$place/time"; then
        echo "mutate: $name fails without a mutation or takes more than $most s: left out" >&2
        echo failed >"$to"
        rm -rf "$place"
        return
    fi
    echo "time $(tail -1 "$place/time")" >"$to"
    (
        cd "$place$cover" || exit
        find . -name '*.gcda' >list
        while read -r file; do ln -sf "$cover/${file%.gcda}.gcno" "${file%.gcda}.gcno"; done <list
        xargs gcov -t <list 2>/dev/null
    ) | awk -v root="$root/" -F: '
        $2 + 0 == 0 && $3 == "Source" { file = $4; keep = sub("^" root, "", file) && file ~ /\.c$/; next }
        keep && $1 !~ /-/ { print ($1 ~ /#|=/ ? "no" : "yes"), file ":" $2 + 0 }' >>"$to"
    rm -rf "$place"
}
export -f lines run
mkdir -p "$build/lines"
say "${#tests[@]} tests: which run which line"
printf '%s\n' "${tests[@]}" | xargs -P "$jobs" -I{} bash -c 'lines {}'
for file in "$build"/lines/*; do # of tests that are no more
    printf '%s\n' "${tests[@]}" | grep -q "/$(basename "$file")$" || rm -f "$file"
done

# ---- mutants ----
# tests_of FILE LINE PLACE: programs and their seconds, best first
tests_of() {
    local words
    words=$(basename "$1" .c | tr _ '\n' | awk 'length > 2' | paste -sd'|')
    # grep gives TEST:time SECONDS, TEST:yes FILE:LINE, TEST:no FILE:LINE
    (cd "$build/lines" && grep -F -e 'time ' -e " $1:" -- *) |
        awk -F '[: ]' -v line="$2" -v place="$3" -v words="${words:-none}" '
        $2 == "time" { seconds[$1] = $3; next }
        { code[$4] }
        $2 == "yes" { ran[$1, $4]; inside[$1] }
        END {
            # the line, or those before and after it; a table: any line of its file, or every test
            before = 0; after = 1e9
            for (at in code) {
                at += 0
                if (at <= line && at > before) before = at
                if (at >= line && at < after) after = at
                any = 1 }
            for (name in seconds) {
                if (place == "table")
                    meets = !any || name in inside
                else
                    meets = (name, before) in ran || (name, after) in ran
                if (!meets)
                    continue
                print seconds[name] * (name ~ words ? 0.1 : 1), name, seconds[name] } }
    ' | sort -g | cut -d' ' -f2,3
}

# mutant NUMBER ROW: prints its row of the table
mutant() {
    local number=$1 file line place at length text kind tells result=survived
    IFS=$'\t' read -r file line place at length text kind tells <<<"$2"
    local work=$build/mutants/$seed-$number source object library=holonom
    rm -rf "$work" && mkdir -p "$work"
    source=$work/$(basename "$file") object=$work/$(basename "$file").o
    [ "${file%%/*}" = src ] || library=holonom_tools
    { head -c "$at" "$file"; printf '%s' "$text"; tail -c +$((at + length + 1)) "$file"; } >"$source"

    # as the build compiles and links it; a wrong type is an error
    local folder=CMakeFiles/${library}_objects.dir command usual=$build
    usual+=/$folder/$file.o
    command=$(grep -F "\"command\"" "$build/compile_commands.json" | grep -F -- "-c $root/$file\"" |
        head -1 | sed 's/^ *"command": "//; s/",\{0,1\}$//; s/\\"/"/g; s/ -o .*//; s/ -w / /')
    command+=" -Werror=incompatible-pointer-types -Werror=int-conversion"
    if ! (cd "$build" && eval "$command -iquote $root/$(dirname "$file") -o $object -c $source") \
        >/dev/null 2>&1; then
        result="does not compile"
    elif cmp -s "$object" "$usual"; then
        result="same code"
    else
        command=$(<"$build/CMakeFiles/${library}_shared.dir/link.txt")
        command=$(sed "s| -o lib$library\.so[^ ]* | -o $work/lib$library.so.$interface |" <<<"$command")
        command=${command/ $folder\/$file.o / $object }
        if ! (cd "$build" && eval "$command") >"$work/link.log" 2>&1; then
            result="does not link"
        else
            local name seconds test met=0
            while read -r name seconds; do
                test=$build/test/$name
                [ -x "$test" ] || test=$build/examples/$name
                met=1
                if ! run "$test" "$work" "$(awk "BEGIN { print int(5 * $seconds) + 5 }")" </dev/null 2>/dev/null; then
                    result="caught by $name"
                    break
                fi
            done < <(tests_of "$file" "$line" "$place")
            [ $met = 1 ] || result="not run"
        fi
    fi
    [ "${KEEP:-0}" = 1 ] && [[ $result =~ ^(survived|not\ run)$ ]] || rm -rf "$work"
    printf '%-4s %-46s %-11s %-32s %s\n' "$number" "$file:$line" "$kind" "$result" "$tells" |
        cut -c 1-200
}
interface=$(basename "$(ls "$build"/libholonom.so.? | head -1)")
export interface=${interface##*.}
export -f mutant tests_of

files=("$@")
if [ ${#files[@]} -eq 0 ]; then
    mapfile -t files < <(find src -name '*.c' | LC_ALL=C sort)
fi
"$build/mutate" "$n" "$seed" "${files[@]}" >"$build/list-$seed" || exit 1
say "mutants"
out=$build/mutants-$seed.txt
awk '{ print NR "\t" $0 }' "$build/list-$seed" | tr '\n' '\0' |
    xargs -0 -P "$jobs" -I{} bash -c 'mutant "${1%%$'"'\\t'"'*}" "${1#*$'"'\\t'"'}"' - {} |
    tee "$out.new"
sort -n "$out.new" >"$out" && rm "$out.new"
awk -v seed="$seed" '
    / does not (compile|link) / { none++; next }
    / same code / { same++; next }
    / caught by / { caught++ }
    / survived / { left++ }
    / not run / { idle++ }
    END {
        all = caught + left + idle
        printf "seed %s: %d of %d mutants caught (%.0f %%), %d survived, %d in lines that no test runs; " \
               "%d with the same code, %d did not compile\n", seed, caught, all,
               all ? 100 * caught / all : 0, left, idle, same, none }' "$out" | tee -a "$out"
