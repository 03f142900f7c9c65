#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# What `heddle dev`, anvil and hardhat's network answer to the same calls, and how long they take.
#   scripts/rivals/compare-dev-chains.sh              differing answers, field by field
#   scripts/rivals/compare-dev-chains.sh --sends 10000 [--receipts] [--rounds 3] [--window 1000]
#                                                     time until so many sends, one after another,
#                                                     are in blocks, in turn, and of each window
# HEDDLE and ANVIL are the programs, by default build/release/heddle and build/rivals/anvil; HARDHAT
# is a folder where hardhat 2 is installed (build/rivals/npm). What is not there is fetched from npm
# where npm is at hand; a rival that is missing is left out.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

readonly anvil_version=1.7.1 hardhat_version=2.26.3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
heddle=${HEDDLE:-$root/build/release/heddle}
npm=$root/build/rivals/npm
anvil=${ANVIL:-$root/build/rivals/anvil}
hardhat=${HARDHAT:-$npm}
[[ -x $heddle ]] || { echo "SKIPPED: no $heddle"; exit 77; }

fetch() { # PACKAGE@VERSION
    command -v npm >/dev/null || return 1
    mkdir -p "$npm"
    (cd "$npm" && npm install --no-fund --no-audit "$1" >/dev/null 2>&1)
}
fetch_anvil() {
    fetch "@foundry-rs/anvil@$anvil_version" || return 1
    local program
    program=$(find "$npm/node_modules/@foundry-rs" -path '*/bin/anvil' -type f | head -n 1)
    [[ -n $program ]] && ln -sf "$program" "$anvil"
}

arguments=(--heddle "$heddle")
if [[ -x $anvil ]] || { [[ -z ${ANVIL:-} ]] && fetch_anvil; }; then
    arguments+=(--anvil "$anvil")
else
    echo "without anvil: there is no $anvil" >&2
fi
if [[ -d $hardhat/node_modules/hardhat ]] ||
    { [[ -z ${HARDHAT:-} ]] && fetch "hardhat@$hardhat_version"; }; then
    arguments+=(--hardhat "$hardhat")
else
    echo "without hardhat: it is not in $hardhat" >&2
fi
exec python3 "$root/scripts/rivals/compare_dev_chains.py" "${arguments[@]}" "$@"
