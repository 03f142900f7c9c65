#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Kills HEDDLE_FAILOVERS primaries (default 200) of three replicated nodes under load, with one and
# with two acknowledgements, promotes a backup each time, and looks for every receipt that was
# given. HEDDLE_TEST_SEED repeats a run.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

export HEDDLE_FAILOVERS=${HEDDLE_FAILOVERS:-200}
scripts/build.sh release heddle integration_test
exec build/release/tests/integration/integration_test --gtest_filter='*FailoverTest*' "$@"
