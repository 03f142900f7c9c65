#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# lint.sh [<regular expression of paths>...]
#
# Format, clang-tidy with the naming rules and the compiler's warnings, every public header alone,
# and the style tests. Nothing is compiled: clang-tidy reads each file as the compiler would. With
# arguments, clang-tidy reads only the files that match one of them.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/find-tool.sh
source scripts/find-tool.sh

scripts/install-deps.sh --developer
scripts/format.sh --check
mkdir -p build/lint
cmake --preset lint >build/lint/configure.log || { cat build/lint/configure.log >&2; exit 1; }
# What protoc writes has to be there before it can be read; it is nobody's to mend.
cmake --build build/lint --target heddle_abci_messages
[[ $# -gt 0 ]] || set -- '^(?!.*\.pb\.cc$)'

tidy=$(find_tool clang-tidy)
if ! "$(find_tool run-clang-tidy)" -clang-tidy-binary "$tidy" -p build/lint -quiet \
    -j "${JOBS:-$(nproc)}" "$@" >build/lint/findings.log 2>&1; then
    grep -E -A4 '(warning|error): ' build/lint/findings.log || tail -n 50 build/lint/findings.log
    echo "clang-tidy: $(grep -cE '(warning|error): ' build/lint/findings.log) findings," \
        "all of them in build/lint/findings.log" >&2
    exit 1
fi
ctest --test-dir build/lint -L '^style$' --output-on-failure
