#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Shows the program at work; build/release/heddle must be there.
#   scripts/run-demo.sh run [OPTION...]   a development chain until Ctrl-C; options of `heddle node`
#   scripts/run-demo.sh load [OPTION...]  a node of its own, a bounded load, the results; options of
#                                         `heddle load`
#   scripts/run-demo.sh replay            generates a small chain and replays it
# What they write is in build/run, build/demo-load and build/demo.
set -euo pipefail
source "$(dirname "$0")/help.sh" "${@:1:1}"
cd "$(dirname "$0")/.."

heddle=build/release/heddle
what=${1:-run}
shift || true

show() {
    echo "\$ $*"
    "$@"
}

# The node is the script's own process, so that a signal reaches it.
run() {
    echo "\$ $heddle node --dev --datadir build/run${*:+ $*}"
    exec "$heddle" node --dev --datadir build/run "$@"
}

load() {
    local folder=build/demo-load
    rm -rf "$folder"
    mkdir -p "$folder"
    local log=$folder/log
    "$heddle" node --dev --datadir "$folder/data" --rpc-port 0 >"$log" 2>&1 &
    node=$!
    # However this ends, nothing stays running.
    trap 'kill "$node" 2>/dev/null || true' EXIT
    local url=
    until [[ -n $url ]]; do
        kill -0 "$node" 2>/dev/null || { cat "$log" >&2; exit 1; }
        sleep 0.1
        url=$(sed -n 's/^Chain id .* at \(http:[^ ]*\) .*/\1/p' "$log")
    done
    echo "A node of its own at $url, data and log in $folder."
    show "$heddle" load --rpc "$url" --kind mixed "$@"
    kill -TERM "$node"
    wait "$node"
}

replay() {
    local demo=build/demo
    rm -rf "$demo"
    mkdir -p "$demo"
    show "$heddle" generate --seed 1 --blocks 20 --workload mixed --out "$demo"
    show "$heddle" replay --genesis "$demo/genesis.json" "$demo/chain.rlp"
}

case $what in
    run | load | replay) "$what" "$@" ;;
    *) echo "run-demo.sh: $what: expected run, load or replay" >&2; exit 2 ;;
esac
