#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# run-mutants.sh [<part of a name>...]
#
# Puts the bugs of tests/mutants/mutants.toml into a copy of HEAD, one at a time, and runs the tests
# named there. Fails if one goes unnoticed and is not explained. With arguments, only the mutants
# with one of them in their names.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

copy=build/mutants/tree
if [[ ! -d $copy ]]; then
    git worktree prune
    git worktree add --quiet --detach "$copy" HEAD
fi
git -C "$copy" checkout --quiet --force --detach "$(git rev-parse HEAD)"
exec python3 scripts/mutants.py "$copy" "$@"
