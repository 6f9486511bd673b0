#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing, and nothing when none is. With --ci also what the
# checks use. Uses sudo when not root; refreshes the package lists only when it must.
set -euo pipefail

packages=(gcc make cmake pkg-config libc6-dev libopenblas-dev liblapacke-dev libsuitesparse-dev
          libyaml-dev libhdf5-dev libsundials-dev libcmocka-dev)
if [ "${1:-}" = --ci ]; then
    packages+=(clang-format valgrind binutils)
fi

if ! command -v dpkg-query >/dev/null; then
    if [ -z "${HOLONOM_QUIET_SETUP:-}" ]; then
        echo "setup: not a Debian system; these packages (or their like) must be there:"
        echo "setup:   ${packages[*]}"
    fi
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed'; then
        missing+=("$package")
    fi
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "setup: installing ${#missing[@]} missing Debian packages: ${missing[*]}"
root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: neither root nor sudo here; as root, run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    root=(sudo)
fi
install() {
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "${missing[@]}"
}
refresh() {
    echo "setup: refreshing the package lists"
    "${root[@]}" apt-get update -q
}

# lists are needed when there are none, or when they are too old to find the packages
if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
    refresh
    install
elif ! install; then
    refresh
    install
fi
