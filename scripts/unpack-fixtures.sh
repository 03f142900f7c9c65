#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Prints the folder with the external test data, one sub-folder per archive; tests/README.md lists
# the archives. HEDDLE_FIXTURES (default ../shared/fixtures) may hold *.tar.zst archives, which are
# unpacked once into build/fixtures, and folders, which are used where they are.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

source=${HEDDLE_FIXTURES:-../shared/fixtures}
shopt -s nullglob
# What this has unpacked before.
if [[ -d build/fixtures && $(realpath -m "$source") == $(realpath build/fixtures) ]]; then
    realpath build/fixtures
    exit 0
fi
archives=("$source"/*.tar.zst "$source"/*/*.tar.zst)
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
    # Of one in a folder, the folder belongs to its name.
    name=${archive#"$source"/}
    name=${name%.tar.zst}
    name=${name/\//-}
    # The same folders that tests/support/fixtures.cpp makes when a test runs without this script.
    folder=$name-$(stat -L -c '%s-%Y' "$archive")
    if [[ ! -d $cache/$folder ]]; then
        echo "fixtures: unpacking $name" >&2
        rm -rf "${cache:?}/$folder.partial"
        mkdir "$cache/$folder.partial"
        tar --zstd -xf "$archive" -C "$cache/$folder.partial" --no-same-owner
        mv "$cache/$folder.partial" "$cache/$folder"
    fi
    ln -sfn "$folder" "$cache/$name"
done
for folder in "$source"/*/; do
    ln -sfn "$(realpath "$folder")" "$cache/$(basename "$folder")"
done
realpath "$cache"
