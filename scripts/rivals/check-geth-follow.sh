#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Lets Heddle follow geth: chains that geth has imported are executed and verified to the same head,
# over WebSocket from raw blocks and over HTTP from rebuilt ones.
#   scripts/rivals/check-geth-follow.sh [HEDDLE [GETH]] -- FOLDER...
# Each folder has genesis.json and chain.rlp; without any a chain is generated. By default
# build/release/heddle and build/rivals/geth (scripts/rivals/build-geth.sh). The last line is
# `N passed, N failed`. Exit code 0: all agree; 1: one does not; 77: a program is missing.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
programs=()
while [[ $# -gt 0 && $1 != -- ]]; do
    programs+=("$1")
    shift
done
[[ $# -eq 0 ]] || shift
heddle=${programs[0]:-$root/build/release/heddle}
geth=${programs[1]:-$root/build/rivals/geth}
readonly http=18645 websocket=18646 engine=18647 own=18648

for program in "$heddle" "$geth"; do
    [[ -x $program ]] || { echo "SKIPPED: no $program"; exit 77; }
done

scratch=$(mktemp -d)
children=()
stop() {
    for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
    for child in "${children[@]}"; do wait "$child" 2>/dev/null || true; done
    children=()
}
trap 'stop; rm -rf "$scratch"' EXIT

# head PORT: the hash of the newest block; nothing where nobody answers.
head_of() {
    curl -s -m 5 -H 'Content-Type: application/json' "127.0.0.1:$1" -d \
        '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]}' |
        grep -o '"hash":"0x[0-9a-f]*"' || true
}

# follows URL: a node that starts at the genesis reaches geth's head within two minutes.
follows() {
    rm -rf "$scratch/data"
    "$heddle" node --datadir "$scratch/data" --genesis "$scratch/genesis.json" --rpc-port "$own" \
        --follow "$1" --follow-depth 0 2>"$scratch/log" &
    local follower=$! wanted
    children+=("$follower")
    wanted=$(head_of "$http")
    for _ in $(seq 240); do
        [[ -n $wanted && $(head_of "$own") == "$wanted" ]] && break
        sleep 0.5
    done
    local found
    found=$(head_of "$own")
    kill "$follower"
    wait "$follower" || return 1
    [[ -n $wanted && $found == "$wanted" ]] || return 1
}

# serve FOLDER APIS: geth with the folder's chain.
serve() {
    stop
    rm -rf "$scratch/geth"
    cp "$1/genesis.json" "$scratch/genesis.json"
    "$geth" --datadir "$scratch/geth" init "$1/genesis.json" >"$scratch/geth.log" 2>&1
    "$geth" --datadir "$scratch/geth" import "$1/chain.rlp" >"$scratch/geth.log" 2>&1
    "$geth" --datadir "$scratch/geth" --maxpeers 0 --nodiscover --port 0 \
        --authrpc.port "$engine" --http --http.port "$http" --http.api "$2" \
        --ws --ws.port "$websocket" --ws.api "$2" >"$scratch/geth.log" 2>&1 &
    children+=("$!")
    for _ in $(seq 120); do
        [[ -n $(head_of "$http") ]] && return
        sleep 0.5
    done
    echo "geth does not answer" >&2
    exit 1
}

if [[ $# -eq 0 ]]; then
    "$heddle" generate --seed "${SEED:-7}" --blocks 40 --txs 50 --out "$scratch/chain" >/dev/null
    set -- "$scratch/chain"
fi
passed=0 failed=0
for folder in "$@"; do
    for way in "ws://127.0.0.1:$websocket eth,debug,web3" "http://127.0.0.1:$http eth,web3"; do
        read -r url apis <<<"$way"
        serve "$folder" "$apis"
        if follows "$url"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$folder over $url:" >&2
            tail -n 5 "$scratch/log" >&2
        fi
    done
done
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
