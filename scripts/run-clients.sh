#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# run-clients.sh [CLIENT...]
#
# Drives development chains with real clients (all of them, or those that are named) and compares
# what they saw with tests/clients/expected. The last of all, `network`, is several of them at the
# validators of one network, for which CometBFT is installed where it is missing. Their packages, of
# the versions that tests/clients names, go into build/clients. The last line is
# "N passed, N failed".
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

clients=("$@")
if [[ ${#clients[@]} -eq 0 ]]; then
    clients=(ethers viem web3 cast forge hardhat ignition uniswap network)
fi
scripts/build.sh release heddle
if [[ " ${clients[*]} " == *" network "* && -z ${HEDDLE_COMETBFT:-} ]]; then
    HEDDLE_COMETBFT=$(scripts/install-cometbft.sh) || true  # run.py says that it is missing
    export HEDDLE_COMETBFT
fi
exec python3 -B tests/clients/run.py --heddle build/release/heddle --packages build/clients \
    --tools build/tools/bin --install --all "${clients[@]}"
