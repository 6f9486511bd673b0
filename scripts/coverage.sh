#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How many lines of src/ the runs of a build with -DHOLONOM_COVERAGE=ON have reached, in one line;
# with --files also file by file, least first.
set -euo pipefail
build=build-sanitize
files=0
for word in "$@"; do
    if [ "$word" = --files ]; then files=1; else build=$word; fi
done
command -v python3 >/dev/null || { echo "coverage: python3 is missing" >&2; exit 2; }
build=$(cd "$build" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
find "$build/CMakeFiles/holonom_objects.dir/src" -name '*.gcda' -print0 |
    xargs -0 -r gcov --json-format >/dev/null 2>"$place/log" || { cat "$place/log" >&2; exit 1; }
# lines of a header count once, however many files include it
python3 - "$root/src/" "$files" "$place" <<'PYTHON'
import glob, gzip, json, os, sys
root, files, place = sys.argv[1], sys.argv[2] == "1", sys.argv[3]
lines = {}
for name in glob.glob(place + "/*.gcov.json.gz"):
    with gzip.open(name) as stream:
        counts = json.load(stream)
        for part in counts["files"]:
            # (with a compiler cache, names are those from the build's folder on)
            path = os.path.normpath(os.path.join(counts["current_working_directory"], part["file"]))
            if path.startswith(root):
                seen = lines.setdefault(path[len(root):], {})
                for line in part["lines"]:
                    number = line["line_number"]
                    seen[number] = seen.get(number, False) or line["count"] > 0
if not lines:
    sys.exit("coverage: nothing has run")
if files:
    for name, seen in sorted(lines.items(), key=lambda f: sum(f[1].values()) / len(f[1])):
        print("%5.1f %%  %4d lines  %s" % (100 * sum(seen.values()) / len(seen), len(seen), name))
total = sum(len(seen) for seen in lines.values())
run = sum(sum(seen.values()) for seen in lines.values())
print("coverage: %.1f %% of lines (src)" % (100 * run / total))
PYTHON
