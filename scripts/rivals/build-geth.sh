#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds go-ethereum's `geth` and `evm`, with which Heddle's results and speed are compared.
#   scripts/rivals/build-geth.sh [DIR]      into DIR, by default build/rivals
# Needs Go 1.24 or newer and the Go module proxy that the machine is configured for.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

readonly version=v1.17.8
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$(realpath -m "${1:-$root/build/rivals}")

command -v go >/dev/null || { echo "build-geth: Go is not installed (1.24 or newer)" >&2; exit 2; }
mkdir -p "$out"
if [[ -x $out/geth && -x $out/evm ]] &&
    "$out/geth" version | grep -q "^Version: ${version#v}-"; then
    echo "geth $version is in $out already"
    exit 0
fi
for command in geth evm; do
    GOBIN=$out go install "github.com/ethereum/go-ethereum/cmd/$command@$version"
done
"$out/geth" version | head -n 2
