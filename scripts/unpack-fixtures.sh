#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Prints the folder with the external test data, one sub-folder per archive; tests/README.md lists
# the archives. HEDDLE_FIXTURES (default ../shared/fixtures) may hold the *.tar.zst archives, which
# are unpacked once into build/fixtures, or the unpacked folders, which are used where they are.
set -euo pipefail
cd "$(dirname "$0")/.."

source=${HEDDLE_FIXTURES:-../shared/fixtures}
shopt -s nullglob
archives=("$source"/*.tar.zst)
if ((${#archives[@]} == 0)); then
    if [[ ! -d $source ]]; then
        echo "fixtures: no folder $source; conformance tests will be skipped" >&2
    fi
    realpath -m "$source"
    exit 0
fi

cache=build/fixtures
mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9
for archive in "${archives[@]}"; do
    name=$(basename "$archive" .tar.zst)
    stamp=$(stat -L -c '%s %Y' "$archive")
    if [[ -f $cache/$name.stamp && $(<"$cache/$name.stamp") == "$stamp" ]]; then
        continue
    fi
    echo "fixtures: unpacking $name" >&2
    rm -rf "${cache:?}/$name" "$cache/$name.stamp"
    mkdir -p "$cache/$name"
    tar --zstd -xf "$archive" -C "$cache/$name"
    echo "$stamp" >"$cache/$name.stamp"
done
realpath "$cache"
