#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Generates a chain of every workload under every fork and lets geth import it. geth accepts a block
# only if every root, bloom, gas and hash in it is right, so this judges `heddle generate` and, with
# it, the execution.
#   scripts/rivals/check-geth-import.sh [HEDDLE [GETH]]
# By default build/release/heddle and build/rivals/geth (scripts/rivals/build-geth.sh).
# BLOCKS, TXS, ACCOUNTS and SEED change the size. The last line is `N passed, N failed`.
# Exit code 0: all accepted; 1: one was not; 77: a program is missing.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
heddle=${1:-$root/build/release/heddle}
geth=${2:-$root/build/rivals/geth}
blocks=${BLOCKS:-20}

for program in "$heddle" "$geth"; do
    [[ -x $program ]] || { echo "SKIPPED: no $program"; exit 77; }
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log

# accepts FORK WORKLOAD CONTENTION: makes the chain and compares geth's head with ours.
accepts() {
    rm -rf "$scratch/chain" "$scratch/data"
    "$heddle" generate --seed "${SEED:-7}" --blocks "$blocks" --txs "${TXS:-100}" \
        --accounts "${ACCOUNTS:-200}" --fork "$1" --workload "$2" --contention "$3" \
        --out "$scratch/chain" >"$log" 2>&1 || return 1
    local head
    head=$(sed -n 's/^head 0x//p' "$log")
    "$geth" --datadir "$scratch/data" init "$scratch/chain/genesis.json" >"$log" 2>&1 || return 1
    "$geth" --datadir "$scratch/data" import "$scratch/chain/chain.rlp" >"$log" 2>&1 || return 1
    # geth shortens hashes to the first and last three bytes.
    grep -q "number=$blocks hash=${head:0:6}\.\.${head:58}" "$log"
}

passed=0
failed=0
for fork in cancun prague osaka amsterdam; do
    for workload in transfers erc20 swaps storage creations mixed; do
        for contention in 0 0.5; do
            name="$fork, $workload, contention $contention"
            if accepts "$fork" "$workload" "$contention"; then
                echo "accepted: $name"
                passed=$((passed + 1))
            else
                echo "refused: $name"
                tail -n 20 "$log"
                failed=$((failed + 1))
            fi
        done
    done
done
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
