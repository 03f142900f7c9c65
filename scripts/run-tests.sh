#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# run-tests.sh PRESET [CTEST ARGUMENT...]
#
# Builds the preset, runs its tests and ends with the line "N passed, N failed", counted from
# ctest's own report. Exit code 1 if anything failed, was not run, or nothing ran at all.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift
jobs=${JOBS:-$(nproc)}
report=build/$preset/test-report.xml

if ! scripts/build.sh "$preset"; then
    echo "the build failed, no test was run"
    echo "0 passed, 1 failed"
    exit 1
fi
HEDDLE_FIXTURES=$(scripts/unpack-fixtures.sh)
export HEDDLE_FIXTURES
# Without it the tests with networks of validators are skipped, which the report counts.
if HEDDLE_COMETBFT=$(scripts/install-cometbft.sh); then
    export HEDDLE_COMETBFT
fi
# Symbolised reports, and a failing run rather than a warning.
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

rm -f "$report"
status=0
ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/$report" "$@" || status=$?
python3 scripts/count_tests.py "$report" "$status"
