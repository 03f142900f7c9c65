#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# build.sh PRESET [TARGET...]   Configures when needed and builds; quiet unless something is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift
jobs=${JOBS:-$(nproc)}

if [[ ! -f build/$preset/build.ninja ]]; then
    mkdir -p "build/$preset"
    if ! cmake --preset "$preset" >"build/$preset/configure.log" 2>&1; then
        cat "build/$preset/configure.log" >&2
        rm -f "build/$preset/CMakeCache.txt"
        exit 1
    fi
fi
targets=()
for target in "$@"; do
    targets+=(--target "$target")
done
cmake --build --preset "$preset" -j "$jobs" ${targets[@]+"${targets[@]}"}
