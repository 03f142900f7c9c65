#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# format.sh [--check]   Formats every tracked or new C++ file with the newest clang-format.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

source scripts/find-tool.sh
clang_format=$(find_tool clang-format)
case ${1:-} in
    "") mode=(-i) ;;
    --check) mode=(--dry-run --Werror) ;;
    *) echo "format.sh: $1: expected --check or nothing" >&2; exit 2 ;;
esac
git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp' |
    while IFS= read -r -d '' file; do [[ -f $file ]] && printf '%s\0' "$file"; done |
    xargs -0 -r -n 32 "$clang_format" "${mode[@]}"
