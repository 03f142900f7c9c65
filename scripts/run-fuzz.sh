#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs every libFuzzer driver for FUZZ_SECONDS (default 60), from its checked-in corpus. New inputs
# go to build/fuzz/corpus; a crash leaves its input in build/fuzz/crashes and stops with code 1.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-60}
scripts/build.sh fuzz
mkdir -p build/fuzz/crashes

shopt -s nullglob
drivers=(build/fuzz/tests/fuzz/*_fuzz)
if ((${#drivers[@]} == 0)); then
    echo "no fuzz drivers were built" >&2
    exit 1
fi
for driver in "${drivers[@]}"; do
    name=$(basename "$driver" _fuzz)
    corpus=build/fuzz/corpus/$name
    mkdir -p "$corpus"
    echo "== $name, $seconds s"
    "$driver" "$corpus" "tests/fuzz/corpus/$name" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=2048 -artifact_prefix=build/fuzz/crashes/ -print_final_stats=1
done
