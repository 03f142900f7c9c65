#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# run-testnet-lanes.sh [OPTION...]    Starts three lanes and three nodes that merge them on loopback
#                                     addresses, and sends the first node three loads of transfers,
#                                     ERC-20 and swaps: as fast as it goes, slower for the latency,
#                                     and slower while lanes and the other nodes are killed. Then it
#                                     compares the state root of every height, and tells of each
#                                     load transactions a second, median and p99 from send to
#                                     receipt.
#                                     Options of `heddle load`, but for --rpc and --json, are those
#                                     of the first.
#   SECONDS_OF_LATENCY=N  of the second load; 10; 0: there is none
#   SECONDS_OF_LOAD=N  of the third, with kills; 20
#   KILL_EVERY=N       seconds; 4; 0: nothing is killed, and there is no third load
#   RATE=N             transactions a second of both; 20
#   HEDDLE=PATH        the program; build/release/heddle
#   COMETBFT=PATH      CometBFT's; found or installed by scripts/install-cometbft.sh
#   LANES=N, NODES=N   3 and 3
#   NETWORK=127.0.4    first three numbers of the addresses
#   KEEP=1             leaves the network in build/testnet-lanes-run; else it is removed at the end
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

export HEDDLE=${HEDDLE:-build/release/heddle}
export COMETBFT=${COMETBFT:-$(scripts/install-cometbft.sh)}
exec python3 scripts/testnet_lanes.py "$@"
