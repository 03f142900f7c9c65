#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# run-tests.sh PRESET [CTEST ARGUMENT...]
#
# Builds the preset, runs its tests and ends with the line "N passed, N failed", counted from
# ctest's own report. Exit code 1 if anything failed, was not run, or nothing ran at all.
#
# A test of the release build that fails is run once more alone. If it passes then, it counts as
# passed and is named as unsteady: a fault of the test or of the program that shows on a busy
# machine only, and that is to be mended. There is no second time for what a seed or an input
# decides, nor under a sanitizer, where what was seen once is wrong.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

if (($# == 0)); then
    echo "run-tests.sh: name a preset of CMakePresets.json, then arguments of ctest" >&2
    exit 2
fi
preset=$1
shift
jobs=${JOBS:-$(nproc)}
report=build/$preset/test-report.xml
alone=build/$preset/test-report-alone.xml
# More that fail in one run are no accident of a busy machine.
most_unsteady=3

# Ctrl-C is no failure of anything.
trap 'echo "stopped: not all tests were run" >&2; exit 130' INT TERM

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

failed=build/$preset/Testing/Temporary/LastTestsFailed.log
rm -f "$report" "$alone" "$failed"
status=0
ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/$report" "$@" || status=$?
if [[ $status -ne 0 && $preset == release && -f $failed &&
    $(wc -l <"$failed") -le $most_unsteady ]]; then
    echo "what failed is run once more, alone:"
    names=$(cut -d: -f2- "$failed" | sed 's/[].[+*?(){}|^$\\]/\\&/g' | paste -sd'|')
    ctest --preset "$preset" -R "^($names)\$" -LE '^(conformance|determinism|schedule|style)$' \
        --output-junit "$PWD/$alone" || true
fi
python3 scripts/count_tests.py "$report" "$status" "$alone"
