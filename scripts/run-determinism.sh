#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Compares the parallel executor with the serial one on HEDDLE_DETERMINISM_BLOCKS generated blocks
# (default 20000; the other tests take shares of it) and HEDDLE_DETERMINISM_RUNS runs of one chain
# (default 500). Arguments go to the test program.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

export HEDDLE_DETERMINISM_BLOCKS=${HEDDLE_DETERMINISM_BLOCKS:-20000}
export HEDDLE_DETERMINISM_RUNS=${HEDDLE_DETERMINISM_RUNS:-500}
scripts/build.sh release determinism_test
exec build/release/tests/determinism/determinism_test "$@"
