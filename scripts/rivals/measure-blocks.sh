#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Real mainnet blocks of the fixtures through Heddle and revm in turn: execution, the same with
# blooms on both sides, and with the roots of transactions and receipts.
#   scripts/rivals/measure-blocks.sh [OPTION...]     options of bench/rivals/blocks.py
# HEDDLE and REVM are the programs, by default build/bench/bench/macro/block_stopwatch and
# build/rivals/revm-blocks (scripts/rivals/build-revm.sh); without the latter Heddle is measured
# alone. Use an otherwise idle machine: it takes about five minutes.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
heddle=${HEDDLE:-$root/build/bench/bench/macro/block_stopwatch}
revm=${REVM:-$root/build/rivals/revm-blocks}
blocks=$("$root/scripts/unpack-fixtures.sh")/mainnet
for needed in "$heddle" "$blocks"; do
    [[ -e $needed ]] || { echo "SKIPPED: no $needed"; exit 77; }
done
rival=(--revm "$revm")
if [[ ! -x $revm ]]; then
    echo "without revm: there is no $revm" >&2
    rival=(--no-revm)
fi
for work in "" --blooms --leaves; do
    echo "== ${work:-execution}"
    # shellcheck disable=SC2086  # nothing where it is empty
    "$root/bench/rivals/blocks.py" --heddle "$heddle" "${rival[@]}" $work "$@" "$blocks"
done
