#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# make-package.sh [FOLDER]   Debian packages of the release build, in FOLDER (build/packages).
#
# The same sources and compilers give the same bytes: times in the packages are that of the last
# commit, or SOURCE_DATE_EPOCH.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

out=$(realpath -m "${1:-build/packages}")
if [[ -z ${SOURCE_DATE_EPOCH:-} ]]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
fi
export SOURCE_DATE_EPOCH
umask 022

for tool in cpack dpkg-shlibdeps file; do
    command -v "$tool" >/dev/null || {
        echo "make-package.sh: $tool is missing: apt-get install cmake dpkg-dev file" >&2
        exit 1
    }
done

scripts/build.sh release heddle heddle_pages heddle_shared heddle_static
rm -rf "$out"
mkdir -p "$out"
(cd build/release && cpack -G DEB -B "$out" >"$out/cpack.log" 2>&1) || {
    cat "$out/cpack.log" >&2
    exit 1
}
rm -rf "$out/_CPack_Packages" "$out/cpack.log"
sha256sum "$out"/*.deb
