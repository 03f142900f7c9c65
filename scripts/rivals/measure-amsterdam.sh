#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Replays a chain of Amsterdam into data directories: Heddle without and with the blocks' access
# lists (EIP-7928) and geth in turn. The chain has 300 blocks of 250 mixed transactions, is
# generated once, and is kept in build/bench/chains with its lists.
#   scripts/rivals/measure-amsterdam.sh [OPTION...]     options of bench/rivals/replay.py
# HEDDLE and GETH are the programs, by default build/release/heddle and build/rivals/geth. Use an
# otherwise idle machine: a repetition takes about a minute.
#
# geth 1.17.8 executes in parallel only where a block came with its list, and `geth import` reads
# blocks without one and takes no list: it executes in order here.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
heddle=${HEDDLE:-$root/build/release/heddle}
geth=${GETH:-$root/build/rivals/geth}
chain=$root/build/bench/chains/amsterdam-mixed-300
for program in "$heddle" "$geth"; do
    [[ -x $program ]] || { echo "SKIPPED: no $program"; exit 77; }
done

if [[ ! -f $chain/bal.rlp ]]; then
    "$heddle" generate --seed 4 --fork amsterdam --workload mixed --accounts 10000 \
        --blocks 300 --txs 250 --out "$chain" --force
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    "$heddle" init --genesis "$chain/genesis.json" --datadir "$scratch/data" >/dev/null
    "$heddle" replay --datadir "$scratch/data" "$chain/chain.rlp" >/dev/null
    "$heddle" export --datadir "$scratch/data" --access-lists "$chain/bal.rlp" "$scratch/chain.rlp"
    cmp "$scratch/chain.rlp" "$chain/chain.rlp"
fi
"$root/bench/rivals/replay.py" --heddle "$heddle" --geth "$geth" --lists "$@" "$chain"
