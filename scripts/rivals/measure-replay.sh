#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Replays chains into data directories, Heddle and geth in turn: mixed-300 of the fixtures, and
# generated ones of 1,000 blocks, which are kept in build/bench/chains.
#   scripts/rivals/measure-replay.sh [OPTION...]     options of bench/rivals/replay.py
# HEDDLE and GETH are the programs, by default build/release/heddle and build/rivals/geth;
# HEDDLE_FIXTURES is the folder of the fixtures. Use an otherwise idle machine: a repetition
# takes about ten minutes, and 8 GB of memory and disk.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
heddle=${HEDDLE:-$root/build/release/heddle}
geth=${GETH:-$root/build/rivals/geth}
fixtures=$("$root/scripts/unpack-fixtures.sh")
chains=$root/build/bench/chains
for program in "$heddle" "$geth"; do
    [[ -x $program ]] || { echo "SKIPPED: no $program"; exit 77; }
done
mkdir -p "$chains"

# generate NAME OPTION...: 1,000 blocks of 10 Mgas, unless they are there.
generate() {
    local name=$1
    shift
    [[ -f $chains/$name/chain.rlp ]] ||
        "$heddle" generate --seed 4 --accounts 100000 --blocks 1000 --gas-per-block 10000000 \
            --out "$chains/$name" --force "$@"
}

for workload in transfers erc20 swaps storage; do
    generate "$workload" --workload "$workload"
done
generate ten-million --workload transfers --idle-accounts 9900000

folders=()
[[ -d $fixtures/chains/chains/mixed-300 ]] && folders+=("$fixtures/chains/chains/mixed-300")
for name in transfers erc20 swaps storage; do
    folders+=("$chains/$name")
done
replay=("$root/bench/rivals/replay.py" --heddle "$heddle" --geth "$geth" "$@")
"${replay[@]}" --again "${folders[@]}"
"${replay[@]}" "$chains/ten-million"
