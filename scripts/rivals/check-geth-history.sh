#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Archives of history between geth and Heddle, both ways and for several forks: what geth exports as
# ere files is replayed and has the same head; what Heddle exports has the same names and is
# imported by geth.
#   scripts/rivals/check-geth-history.sh [HEDDLE [GETH]]
# By default build/release/heddle and build/rivals/geth (scripts/rivals/build-geth.sh).
# The last line is `N passed, N failed`. Exit code 0: all right; 1: something was not; 77: a program
# is missing.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
heddle=${1:-$root/build/release/heddle}
geth=${2:-$root/build/rivals/geth}
blocks=${BLOCKS:-30}

for program in "$heddle" "$geth"; do
    [[ -x $program ]] || { echo "SKIPPED: no $program"; exit 77; }
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log

# exchanges FORK: makes a chain, and has each program read what the other one has exported of it.
exchanges() {
    local here=$scratch/$1 head
    "$heddle" generate --seed 7 --blocks "$blocks" --txs 50 --accounts 100 --fork "$1" \
        --workload mixed --out "$here" >"$log" 2>&1 || return 1
    head=$(sed -n 's/^head //p' "$log")
    "$geth" --datadir "$here/geth" init "$here/genesis.json" >"$log" 2>&1 || return 1
    "$geth" --datadir "$here/geth" import "$here/chain.rlp" >"$log" 2>&1 || return 1
    "$geth" --datadir "$here/geth" export-history --era.format ere "$here/theirs" 0 "$blocks" \
        >"$log" 2>&1 || return 1
    "$heddle" replay --genesis "$here/genesis.json" --datadir "$here/data" "$here"/theirs/*.ere \
        >"$log" 2>&1 || return 1
    grep -q "hash $head" "$log" || return 1

    "$heddle" export --datadir "$here/data" --format ere "$here/ours" >"$log" 2>&1 || return 1
    [[ $(ls "$here/ours") == $(ls "$here/theirs") ]] || return 1
    # geth imports files of networks that it knows by name.
    for file in "$here"/ours/unknown-*; do
        mv "$file" "${file/unknown-/mainnet-}"
    done
    "$geth" --datadir "$here/again" init "$here/genesis.json" >"$log" 2>&1 || return 1
    "$geth" --datadir "$here/again" import-history --era.format ere "$here/ours" \
        >"$log" 2>&1 || return 1
    grep -q "Import done" "$log"
}

passed=0
failed=0
for fork in cancun prague osaka amsterdam; do
    if exchanges "$fork"; then
        echo "exchanged: $fork"
        passed=$((passed + 1))
    else
        echo "not exchanged: $fork"
        tail -n 20 "$log"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
((failed == 0))
