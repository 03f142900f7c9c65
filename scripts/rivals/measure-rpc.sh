#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# The same load over JSON-RPC against Heddle, `geth --dev` and anvil, and reads against geth on the
# same chain (mixed-300 of the fixtures, where it is there).
#   scripts/rivals/measure-rpc.sh [OPTION...]     options of bench/rivals/rpc.py
# HEDDLE, GETH and ANVIL are the programs, by default build/release/heddle, build/rivals/geth
# (scripts/rivals/build-geth.sh) and build/rivals/anvil, which is fetched from npm
# (@foundry-rs/anvil) where npm is at hand. A rival that is missing is left out. Use an otherwise
# idle machine: a repetition takes about three minutes.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

readonly anvil_version=1.7.1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
heddle=${HEDDLE:-$root/build/release/heddle}
geth=${GETH:-$root/build/rivals/geth}
anvil=${ANVIL:-$root/build/rivals/anvil}
[[ -x $heddle ]] || { echo "SKIPPED: no $heddle"; exit 77; }

fetch_anvil() {
    local folder=$root/build/rivals/npm
    mkdir -p "$folder"
    (cd "$folder" && npm install --no-save --no-fund --no-audit \
        "@foundry-rs/anvil@$anvil_version" >/dev/null 2>&1) || return 1
    local program
    program=$(find "$folder/node_modules/@foundry-rs" -path '*/bin/anvil' -type f | head -n 1)
    [[ -n $program ]] && ln -sf "$program" "$anvil"
}

arguments=(--heddle "$heddle")
if [[ -x $geth ]]; then
    arguments+=(--geth "$geth")
else
    echo "without geth: there is no $geth" >&2
fi
if [[ -x $anvil ]] || { [[ -z ${ANVIL:-} ]] && command -v npm >/dev/null && fetch_anvil; }; then
    arguments+=(--anvil "$anvil")
else
    echo "without anvil: there is no $anvil" >&2
fi
chain=$("$root/scripts/unpack-fixtures.sh")/chains/chains/mixed-300
[[ -d $chain ]] && arguments+=(--chain "$chain")
exec "$root/bench/rivals/rpc.py" "${arguments[@]}" "$@"
