#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Format, clang-tidy with the naming rules, every public header alone, and the style tests.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh --developer
scripts/format.sh --check
scripts/build.sh lint
ctest --test-dir build/lint -L '^style$' --output-on-failure
