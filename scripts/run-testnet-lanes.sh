#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# run-testnet-lanes.sh [OPTION...]    Starts three lanes and three nodes that merge them on loopback
#                                     addresses, sends the first node a load of transfers, ERC-20
#                                     and swaps, kills lanes and the other nodes meanwhile, and
#                                     compares the state root of every height. Then a second load,
#                                     slower and without kills, for the latency. Both are told of
#                                     at the end: transactions a second, median and p99 from send to
#                                     receipt. Options of `heddle load`, but for --rpc, --seconds
#                                     and --json, are those of the first.
#   SECONDS_OF_LOAD=N  20
#   KILL_EVERY=N       seconds; 4; 0: nothing is killed
#   SECONDS_OF_LATENCY=N  of the second load; 10; 0: there is none
#   RATE_OF_LATENCY=N  its transactions a second; 20
#   HEDDLE=PATH        the program; build/release/heddle
#   COMETBFT=PATH      CometBFT's; found or installed by scripts/install-cometbft.sh
#   LANES=N, NODES=N   3 and 3
#   NETWORK=127.0.4    first three numbers of the addresses
#   KEEP=1             leaves the network in build/testnet-lanes-run; else it is removed at the end
set -euo pipefail
cd "$(dirname "$0")/.."

export HEDDLE=${HEDDLE:-build/release/heddle}
export COMETBFT=${COMETBFT:-$(scripts/install-cometbft.sh)}
exec python3 scripts/testnet_lanes.py "$@"
