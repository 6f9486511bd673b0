#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pictures and pages of every model, in docs/gallery/.   scripts/gallery.sh [BUILD [NAME...]]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
shift || true
export CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
for need in node npm "$CHROMIUM"; do
    if ! command -v "$need" >/dev/null; then
        echo "gallery: $need is missing (Debian: nodejs, npm, chromium)" >&2
        exit 1
    fi
done
if ! node web/packages.mjs --dev; then
    (cd web && npm ci --ignore-scripts --no-audit --no-fund)
fi
node scripts/gallery.mjs "$build/holonom" "$@"
