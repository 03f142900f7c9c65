#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Finds CometBFT, the consensus engine of networks of validators, or installs it with `go install`
# into build/tools/bin; prints the path of the program. Quick when it is there.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

version=0.38.26
module=github.com/cometbft/cometbft/cmd/cometbft@v$version
own=$PWD/build/tools/bin/cometbft

# 0.38.26 or a later 0.x: 1.0 speaks another protocol.
is_suitable() {
    [[ -x $1 ]] && "$1" version 2>/dev/null | awk -F '[.+-]' '
        NR == 1 {sub(/^v/, ""); good = $1 == 0 && ($2 > 38 || ($2 == 38 && $3 >= 26))}
        END {exit !good}'
}

go_bin() {
    command -v go >/dev/null && echo "$(go env GOPATH | cut -d : -f 1)/bin/cometbft"
}

for candidate in "$own" "$(command -v cometbft || true)" "$(go_bin || true)"; do
    if [[ -n $candidate ]] && is_suitable "$candidate"; then
        echo "$candidate"
        exit 0
    fi
done

has_go() {
    command -v go >/dev/null && go env GOVERSION | awk -F '[.o]' '{exit !($2 == 1 && $3 >= 22)}'
}

if ! has_go; then
    cat >&2 <<TEXT
install-cometbft.sh: CometBFT $version or a later 0.x version is not on the PATH, and there is no
Go 1.22 or newer to install it with. Install Go (https://go.dev/dl), or put a cometbft on the PATH.
TEXT
    exit 1
fi

echo "Installing CometBFT $version into build/tools/bin; this takes some minutes." >&2
mkdir -p build/tools/bin
log=$PWD/build/tools/cometbft.log
# Not within this folder: a go.mod above it would take part.
if ! (cd / && GOFLAGS=-mod=mod GOBIN=${own%/*} go install "$module") >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    cat >&2 <<TEXT
install-cometbft.sh: \`go install $module\` failed; all of it is in build/tools/cometbft.log.
It needs the network: the module proxy that \`go env GOPROXY\` names.
TEXT
    exit 1
fi
is_suitable "$own" || { echo "install-cometbft.sh: $own does not run" >&2; exit 1; }
echo "$own"
