#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# How long geth takes for what Heddle is measured on: the state and blockchain tests, and the import
# of the chains, in seconds of wall time and of CPU.
#   scripts/rivals/measure-geth.sh [RIVALS_DIR]     geth and evm, by default in build/rivals
# HEDDLE_FIXTURES is the folder of unpacked fixtures. RUNS (default 3) runs of each; the median by
# wall time is printed. Use an otherwise idle machine.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
rivals=${1:-$root/build/rivals}
fixtures=${HEDDLE_FIXTURES:-$root/../shared/fixtures}
runs=${RUNS:-3}
for program in geth evm; do
    [[ -x $rivals/$program ]] || { echo "SKIPPED: no $rivals/$program"; exit 77; }
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# measure NAME PREPARE COMMAND ARGUMENT: the median run; PREPARE is not timed.
measure() {
    local name=$1 prepare=$2 TIMEFORMAT='%R %U %S'
    shift 2
    for ((run = 0; run < runs; ++run)); do
        "$prepare" "${2:-}"
        # A test that geth fails (EIP-7610) does not stop the measurement.
        { time "$@" >"$scratch/out" 2>&1 || true; } 2>>"$scratch/times"
    done
    sort -n "$scratch/times" | awk -v name="$name" -v middle=$(((runs + 1) / 2)) \
        'NR == middle { printf "%-26s wall %7.2f  user %7.2f  sys %6.2f\n", name, $1, $2, $3 }'
    rm "$scratch/times"
}

statetest() { "$rivals/evm" statetest "$fixtures/state_tests"; }
blocktest() { "$rivals/evm" blocktest "$fixtures/blockchain_tests"; }
# geth import into a fresh database. The genesis is written outside the time measured.
prepare_chain() {
    rm -rf "$scratch/data"
    "$rivals/geth" --datadir "$scratch/data" init "$1/genesis.json" >"$scratch/init" 2>&1
}
import_chain() { "$rivals/geth" --datadir "$scratch/data" import "$1/chain.rlp"; }

"$rivals/geth" version | sed -n 's/^Version: /geth /p'
grep -m1 'model name' /proc/cpuinfo | sed 's/.*: //'
echo "$(nproc) cores, median of $runs"
measure "evm statetest" : statetest
grep -c '"pass": true' "$scratch/out" | sed 's/$/ passed/'
measure "evm blocktest" : blocktest
grep -c '"pass": true' "$scratch/out" | sed 's/$/ passed/'
for chain in "$fixtures"/chains/chains/*/; do
    measure "geth import $(basename "$chain")" prepare_chain import_chain "$chain"
done
