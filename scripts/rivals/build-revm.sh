#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds bench/rivals/revm-blocks, with which bench/rivals/blocks.py compares Heddle's speed.
#   scripts/rivals/build-revm.sh [DIR]      into DIR, by default build/rivals
# For this machine's processor (RUSTFLAGS, unless set), with fat LTO. FEATURES are the crate's, for
# example keccak-cache. Needs Rust 1.94 or newer and the crate registry that the machine is
# configured for.
set -euo pipefail
source "$(dirname "$0")/../help.sh"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$(realpath -m "${1:-$root/build/rivals}")

command -v cargo >/dev/null || {
    echo "build-revm: Rust is not installed (1.94 or newer)" >&2
    exit 2
}
mkdir -p "$out"
export RUSTFLAGS=${RUSTFLAGS--C target-cpu=native}
export CARGO_TARGET_DIR=$out/revm
cargo build --release --quiet --manifest-path "$root/bench/rivals/revm-blocks/Cargo.toml" \
    ${FEATURES:+--features "$FEATURES"}
cp "$out/revm/release/revm-blocks" "$out/revm-blocks"
