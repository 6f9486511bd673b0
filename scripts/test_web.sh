#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests of the pages in Debian's chromium: types, bundle, the report page alone, and, when a build
# directory is given, reports that its command writes and its studio.   scripts/test_web.sh [BUILD]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-}

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "test_web: node and npm are needed (Debian: nodejs, npm)" >&2
    exit 1
fi
export CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
if [ ! -x "$CHROMIUM" ]; then
    echo "test_web: $CHROMIUM is missing (Debian: chromium)" >&2
    exit 1
fi
# the lock file must name no download addresses: they differ from place to place
if grep -n '"resolved"' web/package-lock.json; then
    echo "test_web: web/package-lock.json names download addresses" >&2
    exit 1
fi
if ! node web/packages.mjs --dev; then
    (cd web && npm ci --ignore-scripts --no-audit --no-fund)
fi
(cd web && node node_modules/typescript/bin/tsc --noEmit)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node web/build.mjs "$work/template.html"
TEMPLATE=$work/template.html node --test --test-concurrency=1 test/web/page.test.mjs
if [ -n "$build" ]; then
    HOLONOM=$build/holonom node --test --test-concurrency=1 test/web/report.test.mjs
    HOLONOM=$build/holonom node --test --test-concurrency=1 test/web/hostile.test.mjs
    if "$build/holonom" --version | grep -q libmicrohttpd; then
        HOLONOM=$build/holonom node --test --test-concurrency=1 test/web/studio.test.mjs
    else
        echo "test_web: this build has no studio (Debian: libmicrohttpd-dev)"
    fi
fi
