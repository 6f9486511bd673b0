#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Generated pages must be what the command prints now:
#   docs/format.md          literally (kinds --markdown)
#   docs/papers.md          headings, what and printed of every line (reproduce --markdown)
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
for page in "papers.md:2:## Paper 000:" "methods.md:1:### All methods"; do
    IFS=: read -r file cells from <<<"$page"
    what=""
    [ "$file" = methods.md ] && what=methods
    # shellcheck disable=SC2086
    if ! diff -u <(structure "$cells" "$from" <"docs/$file") \
        <("$holonom" reproduce $what --quick --markdown | structure "$cells" "$from"); then
        echo "docs: docs/$file is out of date; its tables are: $holonom reproduce $what --markdown"
        bad=1
    fi
done
# the first screen: its model, what check and run print of it
first=$(mktemp -d)
sed -n '/^```yaml/,/^```/{/^```/!p}' README.md | awk '/^holonom: 1/ && seen++ { exit } { print }' >"$first/pendulum.yaml"
printed() {
    (cd "$first" && "$program" check pendulum.yaml 2>&1 && "$program" run pendulum.yaml -o pendulum.csv 2>&1) |
        grep -vE '^  (steps|effort|cpu|energy|residuals) |^ {14}'
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
