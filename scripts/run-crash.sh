#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# The crash tests at full length: kills, power losses, disk errors and damaged files, as many as
# the variables below say. Arguments go to the test program.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

export HEDDLE_TEST_SEED=${HEDDLE_TEST_SEED:-$((RANDOM * 32768 + RANDOM))}
export HEDDLE_CRASH_KILLS=${HEDDLE_CRASH_KILLS:-1000}
export HEDDLE_CRASH_POWER_LOSSES=${HEDDLE_CRASH_POWER_LOSSES:-500}
export HEDDLE_CRASH_POWER_LOSSES_AFTER_KILLS=${HEDDLE_CRASH_POWER_LOSSES_AFTER_KILLS:-100}
export HEDDLE_CRASH_DISK_ERRORS=${HEDDLE_CRASH_DISK_ERRORS:-200}
export HEDDLE_CRASH_FAILED_READS=${HEDDLE_CRASH_FAILED_READS:-500}
export HEDDLE_CRASH_CORRUPTIONS=${HEDDLE_CRASH_CORRUPTIONS:-500}
export HEDDLE_CRASH_MAINTENANCE=${HEDDLE_CRASH_MAINTENANCE:-200}
export HEDDLE_CRASH_GENESIS=${HEDDLE_CRASH_GENESIS:-200}
export HEDDLE_CRASH_SNAPSHOTS=${HEDDLE_CRASH_SNAPSHOTS:-100}
export HEDDLE_CRASH_NODE_KILLS=${HEDDLE_CRASH_NODE_KILLS:-100}
export HEDDLE_CRASH_NODE_DISK_ERRORS=${HEDDLE_CRASH_NODE_DISK_ERRORS:-200}
export HEDDLE_CRASH_NODE_POWER_LOSSES=${HEDDLE_CRASH_NODE_POWER_LOSSES:-200}
HEDDLE_FIXTURES=$(scripts/unpack-fixtures.sh)
export HEDDLE_FIXTURES
scripts/build.sh release fault_shim_test crash_test
build/release/tests/crash/fault_shim_test --gtest_brief=1
exec build/release/tests/crash/crash_test "$@"
