#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Perturbs a network of four validators under load for HEDDLE_SOAK_SECONDS (half an hour): they are
# killed, stopped, restarted and cut off (the last as root only). Then as long three lanes and nodes
# over them, which are killed, and readers behind nginx (skipped where it is not installed), one of
# which at a time is killed. Arguments go to the test programs.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

export HEDDLE_SOAK_SECONDS=${HEDDLE_SOAK_SECONDS:-1800}
HEDDLE_COMETBFT=$(scripts/install-cometbft.sh)
export HEDDLE_COMETBFT
scripts/build.sh release heddle network_test lanes_network_test integration_test
build/release/tests/network/network_test --gtest_filter='Perturbed.*' "$@"
build/release/tests/network/lanes_network_test --gtest_filter='*while_they_are_killed' "$@"
exec build/release/tests/integration/integration_test --gtest_filter='BalancerTest.*killed*' "$@"
