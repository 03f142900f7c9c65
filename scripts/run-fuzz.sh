#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# run-fuzz.sh [NAME...]   Runs every libFuzzer driver, or those named (block, rlp), for FUZZ_SECONDS
#                         (default 60), from its checked-in corpus; FUZZ_JOBS of them (default 1)
#                         side by side.
#
# New inputs go to build/fuzz/corpus, what a driver prints to build/fuzz/logs. A crash leaves its
# input in build/fuzz/crashes and stops with code 1, when all drivers have ended.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-60}
jobs=${FUZZ_JOBS:-1}
if ! [[ $jobs =~ ^[1-9][0-9]*$ ]]; then
    echo "FUZZ_JOBS is a number of drivers, at least one, not $jobs" >&2
    exit 2
fi
# An input may take 10 s of a processor; beside others it gets a processor for a part of the time.
processors=$(nproc)
limit=$((10 * ((jobs + processors - 1) / processors)))

scripts/build.sh fuzz
mkdir -p build/fuzz/crashes build/fuzz/logs

names=("$@")
if ((${#names[@]} == 0)); then
    shopt -s nullglob
    for driver in build/fuzz/tests/fuzz/*_fuzz; do
        names+=("$(basename "$driver" _fuzz)")
    done
fi
if ((${#names[@]} == 0)); then
    echo "no fuzz drivers were built" >&2
    exit 1
fi

# Runs one driver and says in a line what came of it.
fuzz() {
    local name=$1 log=build/fuzz/logs/$1.log result=passed
    local driver=build/fuzz/tests/fuzz/${name}_fuzz corpus=build/fuzz/corpus/$name
    if [[ ! -x $driver ]]; then
        echo "$name: there is no such driver; see tests/fuzz/CMakeLists.txt" >&2
        return 1
    fi
    mkdir -p "$corpus"
    "$driver" "$corpus" "tests/fuzz/corpus/$name" -max_total_time="$seconds" -timeout="$limit" \
        -rss_limit_mb=2048 -artifact_prefix=build/fuzz/crashes/ -print_final_stats=1 \
        >"$log" 2>&1 || result=FAILED
    awk -v name="$name" -v result="$result" -v seconds="$seconds" \
        '/number_of_executed_units/ {inputs = $2} /new_units_added/ {found = $2}
         END {printf "%s: %s, %d s, %d inputs, %d of them new paths\n",
              name, result, seconds, inputs, found}' "$log"
    [[ $result == passed ]] || {
        tail -n 40 "$log" >&2
        return 1
    }
}

failed=0
running=0
for name in "${names[@]}"; do
    if ((running == jobs)); then
        wait -n || failed=1
        running=$((running - 1))
    fi
    fuzz "$name" &
    running=$((running + 1))
done
while ((running > 0)); do
    wait -n || failed=1
    running=$((running - 1))
done
exit "$failed"
