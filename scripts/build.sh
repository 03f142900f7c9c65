#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# build.sh PRESET [TARGET...]   Configures when needed and builds; tells how far it is and what is
#                               wrong.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

if (($# == 0)); then
    echo "build.sh: name a preset of CMakePresets.json, then targets" >&2
    exit 2
fi
preset=$1
shift
jobs=${JOBS:-$(nproc)}

if [[ ! -f build/$preset/build.ninja ]]; then
    echo "configuring build/$preset"
    mkdir -p "build/$preset"
    if ! cmake --preset "$preset" >"build/$preset/configure.log" 2>&1; then
        cat "build/$preset/configure.log" >&2
        rm -f "build/$preset/CMakeCache.txt" "build/$preset/configure.log"
        rmdir "build/$preset" 2>/dev/null || true  # of a preset that there is not
        exit 1
    fi
fi
targets=()
for target in "$@"; do
    targets+=(--target "$target")
done

# Time in words, of seconds.
in_words() {
    if (($1 < 90)); then echo "$1 s"; else echo "$((($1 + 30) / 60)) min"; fi
}

# What ninja says, without the commands that went well. How long the rest will take is said at the
# pace so far: on a terminal all the time, elsewhere after each tenth. Some files take twenty times
# as long as others, so it is off by a third at first.
tell_progress() {
    local line told=0 finished total seconds text
    while IFS= read -r line; do
        if [[ ! $line =~ ^@([0-9]+)/([0-9]+)/([0-9]+) ]]; then
            [[ ! -t 1 ]] || printf '\r\033[K'
            [[ $line == "ninja: no work to do." ]] || printf '%s\n' "$line"
            continue
        fi
        finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} seconds=${BASH_REMATCH[3]}
        ((finished > 0 && total > 20)) || continue
        text="building: $finished of $total after $(in_words "$seconds"), about"
        text+=" $(in_words $((seconds * (total - finished) / finished))) left"
        if [[ -t 1 ]]; then
            printf '\r\033[K%s' "$text"
            ((finished < total)) || echo
        elif ((finished * 10 / total > told)); then
            told=$((finished * 10 / total))
            echo "$text"
        fi
    done
}
# Whole seconds: ninja writes %e with three digits behind the point.
NINJA_STATUS='@%f/%t/%e@ ' cmake --build --preset "$preset" -j "$jobs" \
    ${targets[@]+"${targets[@]}"} | tell_progress
