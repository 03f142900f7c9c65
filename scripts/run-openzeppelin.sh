#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# run-openzeppelin.sh [--hardhat] [--option OPTION]... [FILE-OR-FOLDER...]
#
# Runs OpenZeppelin's hardhat tests (fixtures/openzeppelin.tar.zst), as they are, against a
# `heddle dev` of its own, and prints what fails. FILE-OR-FOLDER is below OpenZeppelin's folder,
# like test/token/ERC20; without it all tests run, but those that need files which the archive does
# not have. --option is handed on to `heddle dev`. --hardhat runs the same tests on hardhat's own
# network, too, and fails only where that passes more than a hundredth more.
# Everything is kept in build/openzeppelin, where npm installs what the tests need.
# HEDDLE names the program (build/release/heddle). Exit code 77: something that it needs is missing.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

heddle=$(realpath -m "${HEDDLE:-build/release/heddle}")
options=()
beside=
while [[ ${1:-} == --* ]]; do
    case $1 in
        --hardhat) beside=yes && shift ;;
        --option) options+=("$2") && shift 2 ;;
        *) echo "run-openzeppelin.sh: unknown: $1" >&2 && exit 2 ;;
    esac
done
skip() {
    echo "SKIPPED: $*"
    exit 77
}
[[ -x $heddle ]] || skip "there is no $heddle"
command -v npx >/dev/null || skip "there is no npm"

folder=$(realpath -m build/openzeppelin)
if [[ ! -e $folder/made ]]; then
    archive=${HEDDLE_FIXTURES:-../shared/fixtures}/openzeppelin.tar.zst
    [[ -e $archive ]] || skip "there is no $archive"
    rm -rf "$folder" && mkdir -p "$folder"
    tar --use-compress-program zstd -xf "$archive" -C "$folder" --strip-components 1
    (cd "$folder" && npm install --ignore-scripts --legacy-peer-deps --no-audit --no-fund \
        --loglevel=error >/dev/null && npx hardhat compile >/dev/null) ||
        skip "the tests' packages cannot be installed, or its contracts not compiled"
    touch "$folder/made"
fi
mapfile -t files < <(python3 -B scripts/openzeppelin_tests.py files "$folder" "$@")
((${#files[@]} > 0)) || { echo "run-openzeppelin.sh: no such tests: $*" >&2; exit 2; }

node=
finish() { [[ -z $node ]] || { kill "$node" && wait "$node"; } 2>/dev/null || true; }
trap finish EXIT
run() { # NETWORK
    rm -f "$folder/$1.json"
    # It exits with how many tests have failed; the report says which.
    (cd "$folder" && OZ_REPORT=$folder/$1.json npx hardhat test --no-compile --network "$1" \
        "${files[@]}" >"$folder/$1.log" 2>&1) || true
    [[ -e $folder/$1.json ]] || { tail -n 20 "$folder/$1.log" >&2; exit 1; }
}

"$heddle" dev --rpc-port 0 ${options[@]+"${options[@]}"} >"$folder/heddle.log" 2>&1 &
node=$!
for _ in $(seq 100); do
    OZ_URL=$(grep -o 'http://[^ ,;]*' "$folder/heddle.log" | head -n 1) && break
    sleep 0.1
done
[[ -n ${OZ_URL:-} ]] || { cat "$folder/heddle.log" >&2; exit 1; }
export OZ_URL
run node
kill "$node" && wait "$node" || { echo "the node did not end well: $folder/heddle.log"; exit 1; }
node=
[[ -z $beside ]] || run hardhat
python3 -B scripts/openzeppelin_tests.py report "$folder/node.json" \
    ${beside:+"$folder/hardhat.json"}
