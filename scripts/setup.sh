#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing, and nothing when none is. With --ci also what the
# checks use. Uses sudo when not root; refreshes the package lists only when it must.
set -euo pipefail

packages=(gcc make cmake pkg-config libc6-dev libopenblas-dev liblapacke-dev libsuitesparse-dev
          libyaml-dev libhdf5-dev libsundials-dev libcmocka-dev zlib1g-dev libmicrohttpd-dev
          libcairo2-dev libarpack2-dev openmpi-bin libopenmpi-dev)
# the Python package and its tests; without them the rest works
python=(python3-numpy python3-pytest python3-venv python3-wheel python3-nbclient python3-ipykernel
        python3-setuptools python3-pip)
if [ "${1:-}" = --ci ]; then
    packages+=(clang clang-format clang-tidy valgrind binutils python3 python3-yaml python3-jsonschema)
fi
# programs that may come from elsewhere than Debian's packages of the same name; node and npm build
# the report page, chromium tests it: without them the rest works
programs=(node:nodejs npm:npm)
if [ "${1:-}" = --ci ]; then
    programs+=(chromium:chromium)
fi

if ! command -v dpkg-query >/dev/null; then
    if [ -z "${HOLONOM_QUIET_SETUP:-}" ]; then
        echo "setup: not a Debian system; these packages (or their like) must be there:"
        echo "setup:   ${packages[*]} ${python[*]} nodejs npm"
    fi
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed'; then
        missing+=("$package")
    fi
done
optional=()
if [ -x /usr/bin/python3 ] && [ -z "${PYTHON:-}" ]; then
    for package in "${python[@]}"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
            optional+=("$package")
    done
fi
for entry in "${programs[@]}"; do
    command -v "${entry%%:*}" >/dev/null || optional+=("${entry##*:}")
done
[ ${#missing[@]} -eq 0 ] && [ ${#optional[@]} -eq 0 ] && exit 0

echo "setup: installing missing Debian packages: ${missing[*]} ${optional[*]}"
root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: neither root nor sudo here; as root, run:" \
            "apt-get install ${missing[*]} ${optional[*]}" >&2
        [ ${#missing[@]} -eq 0 ] && exit 0
        exit 1
    fi
    root=(sudo)
fi
install() {
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "$@"
}
refresh() {
    echo "setup: refreshing the package lists"
    "${root[@]}" apt-get update -q
}

# lists are needed when there are none, or when they are too old to find the packages
fresh=0
if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
    refresh
    fresh=1
fi
if [ ${#missing[@]} -gt 0 ] && ! install "${missing[@]}"; then
    [ $fresh -eq 1 ] && exit 1
    refresh
    fresh=1
    install "${missing[@]}"
fi
if [ ${#optional[@]} -gt 0 ] && ! install "${optional[@]}"; then
    if [ $fresh -eq 1 ] || ! refresh || ! install "${optional[@]}"; then
        echo "setup: not installed: ${optional[*]}; without node and npm there are no report pages," \
            "without numpy and pytest the Python package is not tested"
    fi
fi
exit 0
