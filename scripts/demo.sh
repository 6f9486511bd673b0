#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Simulates Andrews' squeezing mechanism and says what came out.
set -euo pipefail
holonom=$1/holonom
results=$1/andrews.csv
report=$1/andrews.html

echo
echo "Andrews' squeezing mechanism: seven bodies in three closed loops, driven by a motor,"
echo "a standard test of the field because its motion is fast and its loops are tight."
echo
echo "\$ $holonom check models/andrews.yaml"
"$holonom" check models/andrews.yaml
echo
echo "\$ $holonom run models/andrews.yaml -o $results"
"$holonom" run models/andrews.yaml -o "$results" 2>&1
echo
echo "The motion is in $results: a table with one row a time, for any spreadsheet or plotting"
echo "program. Its last row ends at:"
head -1 "$results" | tr , '\n' > "$results.names"
tail -1 "$results" | tr , '\n' | paste "$results.names" - | head -8 | awk '{printf "  %-14s %.9g\n", $1, $2}'
rm -f "$results.names"
echo
echo "K1 is the crank. The published reference solution has K1.angle = 15.81077119515 at this time."
echo
# the page needs node and npm when building; without them the demo ends without it
if "$holonom" run models/andrews.yaml -q -o "$results" --report "$report" 2>"$report.err"; then
    echo "The same as a page that moves, with plots: open $report in a browser."
    echo "To edit the model and run it there: $holonom studio models/andrews.yaml"
else
    echo "There is no report: $(head -1 "$report.err")"
fi
rm -f "$report.err"
echo "Next: $holonom run --help, $holonom sweep examples/crank-rocker-study.yaml, and the other"
echo "mechanisms in models/. The command is $holonom; make install puts it on the path."
