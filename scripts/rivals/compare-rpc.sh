#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Asks Heddle and geth the same on the same chain: the conversations of ethereum/execution-apis,
# and thousands of variants of their parameters, legal and not.
#   scripts/rivals/compare-rpc.sh [--each 600] [--seed 1] [METHOD...]
# --each is how many variants there are of a method at most; METHOD leaves the others out. HEDDLE
# and GETH are the programs, by default build/release/heddle and build/rivals/geth
# (scripts/rivals/build-geth.sh). Prints each kind of difference that docs/json-rpc.md does not
# explain. Exit code 0: there is none; 1: there is; 77: a program or the chain is missing.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
heddle=${HEDDLE:-$root/build/release/heddle}
geth=${GETH:-$root/build/rivals/geth}
chain=$("$root/scripts/unpack-fixtures.sh")/rpc-tests
[[ -f $chain/chain.rlp || ! -d $chain/rpc-tests ]] || chain=$chain/rpc-tests
for program in "$heddle" "$geth"; do
    [[ -x $program ]] || { echo "SKIPPED: no $program"; exit 77; }
done
[[ -f $chain/chain.rlp ]] || { echo "SKIPPED: no $chain/chain.rlp"; exit 77; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
quietly() {
    "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 2; }
}
quietly "$geth" --datadir "$scratch/geth" init "$chain/genesis.json"
quietly "$geth" --datadir "$scratch/geth" --gcmode archive import "$chain/chain.rlp"
quietly "$heddle" replay --genesis "$chain/genesis.json" --datadir "$scratch/heddle" \
    "$chain/chain.rlp"
python3 "$root/scripts/rivals/compare_rpc.py" --heddle "$heddle" --geth "$geth" \
    --scratch "$scratch" --conversations "$chain" "$@"
