#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Forks a chain that geth has imported, and compares what the fork answers at and below the fork
# point with what geth answers: balances, nonces, code, storage, proofs, blocks, transactions,
# receipts, logs, calls, traces of gas. Once believing geth, once with every value proven, and once
# more from the cache after geth has ended.
#   scripts/rivals/check-geth-fork.sh [HEDDLE [GETH]] [-- FOLDER]
# The folder has genesis.json and chain.rlp; without one a chain is generated. By default
# build/release/heddle and build/rivals/geth (scripts/rivals/build-geth.sh). QUESTIONS is how many
# of each kind are asked (120). The last line is `N passed, N failed`.
# Exit code 0: all agree; 1: one does not; 77: a program is missing.
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

for program in "$heddle" "$geth" python3; do
    command -v "$program" >/dev/null || { echo "SKIPPED: no $program"; exit 77; }
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=${1:-$scratch/chain}
if [[ $# -eq 0 ]]; then
    "$heddle" generate --seed "${SEED:-7}" --blocks 40 --txs 50 --out "$folder" >/dev/null
fi
exec_status=0
python3 -B "$root/scripts/rivals/compare_fork.py" "$heddle" "$geth" "$folder" "$scratch" ||
    exec_status=$?
exit "$exec_status"
