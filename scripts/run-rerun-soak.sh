#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Records HEDDLE_RERUN_RUNS nodes (default 500) that are killed and started again under load, some
# of them with a clock that jumps or a disk that fails, and runs each once more with dice for
# workers, scheduler, locale and time zone. HEDDLE_RERUN_SEED repeats one from the seed that a
# failure names.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

export HEDDLE_RERUN_RUNS=${HEDDLE_RERUN_RUNS:-500}
scripts/build.sh release heddle integration_test
exec build/release/tests/integration/integration_test \
    --gtest_filter='RerunProgramTest.what_a_killed_node_did_runs_again_the_same' "$@"
