#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Prints the folder with the external test data, one sub-folder per archive; tests/README.md lists
# the archives. HEDDLE_FIXTURES (default ../shared/fixtures) may hold *.tar.zst archives, which are
# unpacked once into build/fixtures, and folders, which are used where they are. What was unpacked
# of an archive goes when that is another one.
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

# Removes what was made for archive $1 as it was before, now that $2 is there; but not what a
# process holds that reads it (tests/support/fixtures.cpp). With the archive's lock.
remove_others() {
    local other stamp removed
    for other in "$cache/$1"-*; do
        stamp=${other#"$cache/$1"}
        [[ -d $other && ! -L $other && $other != "$cache/$2" &&
            $stamp =~ ^-[0-9]+-[0-9]+(\.partial|\.removed)?$ ]] || continue
        exec 8<"$other"
        if flock -n 8; then
            # Under its name it is whole, or not there.
            removed=${other%.removed}.removed
            if [[ $other != "$removed" ]]; then
                rm -rf "$removed"
                mv "$other" "$removed"
            fi
            rm -rf "$removed"
        fi
        exec 8<&-
    done
}

for archive in "${archives[@]}"; do
    # Of one in a folder, the folder belongs to its name.
    name=${archive#"$source"/}
    name=${name%.tar.zst}
    name=${name/\//-}
    # The same folders that tests/support/fixtures.cpp makes when a test runs without this script,
    # under the same lock.
    folder=$name-$(stat -L -c '%s-%Y' "$archive")
    exec 9>"$cache/$name.lock"
    flock 9
    if [[ ! -d $cache/$folder ]]; then
        echo "fixtures: unpacking $name" >&2
        rm -rf "${cache:?}/$folder.partial"
        mkdir "$cache/$folder.partial"
        tar --zstd -xf "$archive" -C "$cache/$folder.partial" --no-same-owner
        mv "$cache/$folder.partial" "$cache/$folder"
    fi
    ln -sfn "$folder" "$cache/$name"
    remove_others "$name" "$folder"
    exec 9>&-
done
for folder in "$source"/*/; do
    ln -sfn "$(realpath "$folder")" "$cache/$(basename "$folder")"
done
realpath "$cache"
