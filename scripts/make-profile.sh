#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes cmake/heddle.profdata anew, by which release builds are optimised (cmake/profile.cmake):
# builds an instrumented program and lets it do what it is for, on inputs that it makes itself. Real
# blocks and official suites are no part of it, so that they stay a measure. Takes a build and some
# minutes; needs clang and the llvm-profdata of the same version (Debian: llvm-VERSION).
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."
# shellcheck source=scripts/find-tool.sh
source scripts/find-tool.sh

tool=$(find_tool llvm-profdata)
JOBS=${JOBS:-$(nproc)} scripts/build.sh profile heddle gas_bench
build=build/profile
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$build/profiles"

# Every instruction and every precompiled contract, hot and in code that was never seen before.
$build/bench/macro/gas_bench --gas=300000 --repetitions=1 --contracts=500 >/dev/null 2>&1
# The workloads of benchmarks, by the executors that matter.
$build/heddle bench --schedulers serial,dag,values --workers 2 --repetitions 1 \
    --blocks 10 --txs 400 >/dev/null 2>&1 \
    --workload transfers,erc20,amm,nft,mixed,storage,ycsb,tpcc,chain,hot-slot,linked-list
# Whole chains from files, each engine new: in order and in parallel, in memory and on the disk.
for fork in prague amsterdam; do
    for workload in mixed erc20 swaps storage creations transfers; do
        chain=$work/$fork-$workload
        $build/heddle generate --seed 7 --fork $fork --blocks 12 --txs 300 --accounts 2000 \
            --workload $workload --out "$chain" >/dev/null 2>&1
        for options in "--scheduler serial" "--workers 2" "--datadir $chain/data"; do
            # shellcheck disable=SC2086  # options are words
            $build/heddle replay --genesis "$chain/genesis.json" $options "$chain/chain.rlp" \
                >/dev/null 2>&1
        done
    done
done

# Without what was never executed: it is compiled as if nobody knew, not as if nobody needed it.
"$tool" merge --sparse --text -o "$work/profile.txt" "$build"/profiles/*.profraw
# The interpreter's handlers are there twice, and this processor runs one kind of them: what is
# known of each holds for its twin.
python3 - "$work/profile.txt" <<'PYTHON'
import sys
from pathlib import Path

KINDS = ["_18threadedI", "_116threaded_by_bitsI"]  # mangled
file = Path(sys.argv[1])
head, mark, known = file.read_text().partition(":ir\n")
functions = [text for text in known.split("\n\n") if text]
for kind, other in (KINDS, KINDS[::-1]):
    if other in known:
        continue
    functions += [text.replace(kind, other) for text in functions if kind in text.split("\n")[0]]
file.write_text(head + mark + "\n\n".join(functions) + "\n\n")
PYTHON
"$tool" merge --sparse -o cmake/heddle.profdata "$work/profile.txt"
"$tool" show cmake/heddle.profdata | head -5
