#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs every benchmark program; bench/README.md has the method. Arguments in BENCH_ARGS
# are passed on, e.g. BENCH_ARGS=--benchmark_filter=keccak. JSON results go to build/bench/results.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

scripts/build.sh bench
HEDDLE_FIXTURES=$(scripts/unpack-fixtures.sh)
export HEDDLE_FIXTURES
mkdir -p build/bench/results

shopt -s nullglob
programs=(build/bench/bench/*/*_bench build/bench/bench/*_bench)
if ((${#programs[@]} == 0)); then
    echo "no benchmark programs were built" >&2
    exit 1
fi
for program in "${programs[@]}"; do
    name=$(basename "$program")
    echo "== $name"
    # shellcheck disable=SC2086  # several arguments are wanted
    "$program" --benchmark_out="build/bench/results/$name.json" --benchmark_out_format=json \
        ${BENCH_ARGS:-}
done
