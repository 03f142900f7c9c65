#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# lint.sh [<regular expression of paths>...]
#
# Format, clang-tidy with the naming rules and the compiler's warnings, every public header alone,
# and the style tests. Nothing is compiled: clang-tidy reads each file as the compiler would. With
# arguments, clang-tidy reads only the files that match one of them; what was clean before is not
# read again (tidy.py).
set -euo pipefail
source "$(dirname "$0")/help.sh"
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

scripts/tidy.py "$(find_tool clang-tidy)" build/lint "$@"
# style.symbols looks at objects, of which there are none here; `make test` runs it.
ctest --test-dir build/lint -L '^style$' -E '^style\.symbols$' --output-on-failure
