#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Generates chains and state tests and compares the serial executor, the parallel one, the plain
# interpreter and, where scripts/rivals/build-geth.sh has put them into build/rivals, go-ethereum's
# `geth import` and `evm statetest` (HEDDLE_GETH and HEDDLE_EVM name others), until
# HEDDLE_DIFFERENTIAL_TRANSACTIONS transactions of either kind were compared (default 500000: a
# million in all). Every run begins with other seeds; HEDDLE_TEST_SEED chooses them.
# HEDDLE_DIFFERENTIAL_FORK (Amsterdam, for example) takes one fork only, and lets geth judge all of
# it. What differs is kept in build/differential. Arguments go to the test program.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

export HEDDLE_DIFFERENTIAL_TRANSACTIONS=${HEDDLE_DIFFERENTIAL_TRANSACTIONS:-500000}
export HEDDLE_TEST_SEED=${HEDDLE_TEST_SEED:-$(date +%s)00000}
scripts/build.sh release heddle differential_test
for program in geth evm; do
    [[ -x build/rivals/$program ]] ||
        echo "without $program of go-ethereum, unless HEDDLE_${program^^} names one" >&2
done
exec build/release/tests/differential/differential_test --gtest_filter='Differential.*' "$@"
