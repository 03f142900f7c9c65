#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Sourced by other scripts. find_tool NAME prints the newest installed version of an LLVM tool.

find_tool() {
    local name=$1 version
    for ((version = 40; version >= 19; version--)); do
        if command -v "$name-$version"; then
            return 0
        fi
    done
    if command -v "$name"; then
        return 0
    fi
    echo "$name (19 or newer) was not found: run scripts/install-deps.sh --developer" >&2
    return 1
}
