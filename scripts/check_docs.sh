#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Generated pages must be what the command prints now:
#   docs/format.md          literally (kinds --markdown)
#   docs/papers.md          headings, what and printed of every line, verdicts of those that --quick
#                           computes, but of times (reproduce --markdown)
#   docs/methods.md         the table's first column (reproduce methods --markdown)
#   README.md               the model of the first screen: check literally, of run what is no number of its own
# Computed values are not compared: round-off and times differ between machines; tests do that.
# Links between pages and citations of pages in sources: check_links.pl.
set -uo pipefail
holonom=${1:-build}/holonom
bad=0
if ! "$holonom" kinds --markdown | diff -u docs/format.md -; then
    echo "docs: docs/format.md is out of date; run: $holonom kinds --markdown > docs/format.md"
    bad=1
fi

# headings and the first N cells of table lines, from the first "## " on that the page generates
structure() {
    awk -v cells="$1" -v from="$2" -F ' \\| ' '
        index($0, from) == 1 { on = 1 }
        !on { next }
        /^##/ { print }
        /^\| / { line = $1; for (i = 2; i <= cells; i++) line = line " | " $i; print line }'
}
# the verdicts of a page, a line each
verdicts() {
    awk -v from="$1" -F ' \\| ' '
        index($0, from) == 1 { on = 1 }
        on && /^\| / { print $1 "\t" $5 }'
}
for page in "papers.md:2:## Paper 000:" "methods.md:1:### All methods"; do
    IFS=: read -r file cells from <<<"$page"
    what=""
    [ "$file" = methods.md ] && what=methods
    now=$(mktemp)
    # shellcheck disable=SC2086
    "$holonom" reproduce $what --quick --markdown >"$now"
    if ! diff -u <(structure "$cells" "$from" <"docs/$file") <(structure "$cells" "$from" <"$now"); then
        echo "docs: docs/$file is out of date; its tables are: $holonom reproduce $what --markdown"
        bad=1
    elif [ "$file" = papers.md ] &&
        ! paste <(verdicts "$from" <"docs/$file") <(verdicts "$from" <"$now") |
            awk -F '\t' '$4 != "" && $2 != $4 && $1 !~ /[Tt]ime/ { print "docs: " $1 ": the page says \"" $2 "\", now it is \"" $4 "\""; bad = 1 }
                          END { exit bad }'; then
        echo "docs: verdicts of docs/$file are out of date; its tables are: $holonom reproduce --markdown"
        bad=1
    fi
    rm -f "$now"
done
# the first screen: its model, what check and run print of it
first=$(mktemp -d)
awk '/^```yaml/ { block++; next } /^```/ && block { exit } block' README.md >"$first/pendulum.yaml"
sed -n '/^study: 1/,/^```/{/^```/!p}' README.md >"$first/study.yaml"
printed() {
    (cd "$first" && "$program" check pendulum.yaml 2>&1 && "$program" run pendulum.yaml -o pendulum.csv 2>&1 &&
        "$program" sweep study.yaml -q | head -1) |
        grep -vE '^  (steps|effort|cpu|energy|residuals) |^ {14}'
    "$program" run models/friction-hinge.yaml -o "$first/hinge.csv" 2>&1 | grep -E '^  (events|holds) '
}
program=$(realpath "$holonom")
while IFS= read -r line; do
    grep -qxF -- "    $line" README.md || {
        echo "docs: README.md does not show: $line"
        bad=1
    }
done < <(printed)
rm -rf "$first"
scripts/check_links.pl || bad=1
[ $bad -eq 0 ] && echo "docs: ok"
exit $bad
