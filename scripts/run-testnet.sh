#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# run-testnet.sh [OPTION...]    Starts four validators on loopback addresses, sends them a load,
#                               shows their blocks, checks that all hold the same, stops them.
#                               About a minute; options of `heddle load`, but for --rpc.
#   HEDDLE=PATH        the program; build/release/heddle
#   COMETBFT=PATH      CometBFT's; found or installed by scripts/install-cometbft.sh
#   VALIDATORS=N       4
#   NETWORK=127.0.0    first three numbers of the validators' addresses
#   KEEP=1             leaves the network in build/testnet-run; else it is removed at the end
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

heddle=${HEDDLE:-build/release/heddle}
comet=${COMETBFT:-$(scripts/install-cometbft.sh)}
validators=${VALIDATORS:-4}
network=${NETWORK:-127.0.0}
if [[ -n ${KEEP:-} ]]; then
    folder=build/testnet-run
    rm -rf "$folder"
else
    folder=$(mktemp -d)
fi

supervisors=()
finish() {
    for process in "${supervisors[@]}"; do
        kill "$process" 2>/dev/null || true
    done
    wait
    if [[ -z ${KEEP:-} ]]; then
        rm -rf "$folder"
    fi
}
# However this ends, nothing stays running.
trap finish EXIT
trap 'exit 130' INT TERM

fail() {
    echo "run-testnet.sh: $1" >&2
    tail -n 5 "$folder"/*.log "$folder"/net/validator*/logs/*.log >&2 || true
    exit 1
}

url() { echo "http://$network.$1:8545"; }

# network COMMAND [ARGUMENT...]: asks all validators.
#   reached N   whether all have block N
#   show        a line for each: its height, peers, and hash and transactions of the newest block
#               that all have
#   check       compares all blocks that all have
network() {
    python3 - "$@" "${urls[@]}" <<'PYTHON'
import json, sys, urllib.request

def ask(url, calls):
    body = json.dumps([{"jsonrpc": "2.0", "id": i, "method": method, "params": params}
                       for i, (method, params) in enumerate(calls)])
    request = urllib.request.Request(url, body.encode(), {"content-type": "application/json"})
    answers = json.load(urllib.request.urlopen(request, timeout=20))
    results = {answer["id"]: answer["result"] for answer in answers}
    return [results[i] for i in range(len(calls))]

def block(number):
    return ("eth_getBlockByNumber", [hex(number), False])

def show(urls, heights, common):
    print(f"{'validator':<10} {'height':>7} {'peers':>6}  block {common}: hash, transactions")
    for i, url in enumerate(urls):
        peers, same = ask(url, [("net_peerCount", []), block(common)])
        print(f"{i + 1:<10} {heights[i]:>7} {int(peers, 16):>6}  {same['hash']} "
              f"{len(same['transactions']):>6}")

def check(urls, common):
    transactions = 0
    for first in range(0, common + 1, 200):
        numbers = range(first, min(first + 200, common + 1))
        chains = [ask(url, [block(number) for number in numbers]) for url in urls]
        for number, same in zip(numbers, zip(*chains)):
            hashes = [found["hash"] for found in same]
            if len(set(hashes)) != 1:
                sys.exit(f"block {number} is not the same everywhere: {' '.join(hashes)}")
            transactions += len(same[0]["transactions"])
    print(f"{len(urls)} validators agree on blocks 0 to {common} with {transactions} transactions.")

command, urls = sys.argv[1], [text for text in sys.argv[2:] if text.startswith("http")]
try:
    heights = [int(ask(url, [("eth_blockNumber", [])])[0], 16) for url in urls]
    common = min(heights)
    if command == "reached":
        sys.exit(0 if common >= int(sys.argv[2]) else 1)
    show(urls, heights, common) if command == "show" else check(urls, common)
except (OSError, KeyError, TypeError, ValueError) as error:
    sys.exit(1 if command == "reached" else f"a validator does not answer: {error!r}")
PYTHON
}

wait_for_block() {
    local i
    for ((i = 0; i < 150; ++i)); do
        if network reached "$1"; then
            return 0
        fi
        for process in "${supervisors[@]}"; do
            kill -0 "$process" 2>/dev/null || fail "a supervisor ended"
        done
        sleep 0.2
    done
    fail "the validators did not come to block $1"
}

urls=()
addresses=
for ((i = 1; i <= validators; ++i)); do
    urls+=("$(url "$i")")
    addresses+=${addresses:+,}$network.$i
done
# Without its last line, which says how to start them by hand.
"$heddle" testnet --validators "$validators" --addresses "$addresses" --out "$folder/net" |
    sed '$d'
echo "Starting all of them; they are stopped at the end."
for ((i = 1; i <= validators; ++i)); do
    "$heddle" supervise --home "$folder/net/validator$i" --cometbft "$comet" \
        >"$folder/validator$i.log" 2>&1 &
    supervisors+=($!)
done
wait_for_block 2
network show

load=(--rpc "${urls[0]}" "$@")
(($# > 0)) || load+=(--kind mixed --transactions 10000 --seconds 15)
echo "\$ heddle load ${load[*]}"
status=0
"$heddle" load "${load[@]}" || status=$?
for _ in 1 2 3; do
    network show
    sleep 1
done
network check || fail "the validators do not agree"
((status == 0)) || fail "the load failed"
