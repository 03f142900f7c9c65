#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Generates a small chain from a seed and replays it, verifying every root.
set -euo pipefail
cd "$(dirname "$0")/.."

heddle=build/release/heddle
demo=build/demo
rm -rf "$demo"
mkdir -p "$demo"

show() {
    echo "\$ $*"
    "$@"
}
show "$heddle" generate --seed 1 --blocks 20 --workload mixed --out "$demo"
show "$heddle" replay --genesis "$demo/genesis.json" "$demo/chain.rlp"
