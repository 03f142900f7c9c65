#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# install-deps.sh [--developer]
#
# Installs what Heddle is built with on Debian 12 as root; anywhere else it says what is missing.
# Quick and silent when everything is there. --developer adds the formatter, the linter and the
# tools for profiles.
set -euo pipefail
source "$(dirname "$0")/help.sh"

libraries=(
    libbenchmark-dev libboost-json1.81-dev libboost1.81-dev libcli11-dev libfmt-dev libgmock-dev
    libgmp-dev libgtest-dev libmimalloc-dev libprotobuf-dev librocksdb-dev libsecp256k1-dev
    libsnappy-dev libspdlog-dev libssl-dev libtbb-dev libtomlplusplus-dev prometheus-cpp-dev
)
tools=(ca-certificates ccache cmake g++ make ninja-build pkg-config protobuf-compiler
    python3 zstd)

has() { command -v "$1" >/dev/null 2>&1; }

# Prints the newest installed clang that is recent enough.
clang_version() {
    local version
    for ((version = 40; version >= 19; version--)); do
        if has "clang++-$version"; then
            echo "$version"
            return 0
        fi
    done
    return 1
}

# True when cargo is at least 1.85, which the pairing crate asks for.
has_cargo() {
    has cargo && cargo --version 2>/dev/null |
        awk '{split($2, v, "."); exit !(v[1] > 1 || (v[1] == 1 && v[2] >= 85))}'
}

installed() { [[ $(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null) == ii* ]]; }

newest_available() {
    local version
    for ((version = 40; version >= 19; version--)); do
        if apt-cache show "clang-$version" >/dev/null 2>&1; then
            echo "$version"
            return 0
        fi
    done
    return 1
}

on_debian() { has apt-get && has dpkg-query; }

case ${1:-} in
    "") developer=false ;;
    --developer) developer=true ;;
    *) echo "install-deps.sh: $1: expected --developer or nothing" >&2; exit 2 ;;
esac

missing=()
if on_debian; then
    for package in "${libraries[@]}"; do
        installed "$package" || missing+=("$package")
    done
fi
for tool in "${tools[@]}"; do
    case $tool in
        ca-certificates) [[ -e /etc/ssl/certs/ca-certificates.crt ]] || missing+=("$tool") ;;
        protobuf-compiler) has protoc || missing+=("$tool") ;;
        ninja-build) has ninja || missing+=("$tool") ;;
        *) has "$tool" || missing+=("$tool") ;;
    esac
done
has_cargo || missing+=(cargo-web rustc-web)

# Parts of clang, all of the same version: the installed one, else the newest that there is.
wanted_clang=()
version=$(clang_version || true)
if [[ -z ${CXX:-} && -z $version ]]; then
    wanted_clang+=(clang lld)
fi
if $developer && [[ -n $version || ${#wanted_clang[@]} -gt 0 ]]; then
    for tool in clang-format clang-tidy; do
        { [[ -n $version ]] && has "$tool-$version"; } || wanted_clang+=("$tool")
    done
    { [[ -n $version ]] && has "llvm-profdata-$version"; } || wanted_clang+=(llvm)
fi

if ((${#missing[@]} + ${#wanted_clang[@]} == 0)); then
    exit 0
fi

if ! on_debian || ((EUID != 0)); then
    cat >&2 <<TEXT
Missing on this machine: ${missing[*]} ${wanted_clang[*]}
Heddle needs:
  a C++23 compiler   clang 19 or newer with lld (g++ 12 also compiles it, slower code)
  tools              cmake 3.25, make, ninja, pkg-config, python 3, zstd; ccache if you like
  Rust               cargo 1.85 or newer, for the pairing library
  libraries          Boost 1.81 (json), CLI11, fmt, GMP, GoogleTest, Google Benchmark, mimalloc,
                     OpenSSL 3, prometheus-cpp, protobuf 3.21 with protoc, RocksDB 7.8 to 11.8,
                     libsecp256k1 with recovery, snappy, spdlog, TBB, toml++
On Debian 12 run scripts/install-deps.sh as root and it installs all of it.
TEXT
    exit 1
fi

echo "Installing: ${missing[*]} ${wanted_clang[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
if ((${#wanted_clang[@]} > 0)); then
    [[ -n $version ]] || version=$(newest_available) || {
        echo "no clang of version 19 or newer is available; g++ will be used" >&2
        version=
    }
    if [[ -n $version ]]; then
        for tool in "${wanted_clang[@]}"; do
            missing+=("$tool-$version")
        done
        missing+=("libclang-rt-$version-dev")
    fi
fi
to_fetch=$(LC_ALL=C apt-get install --assume-no --no-install-recommends "${missing[@]}" \
    2>/dev/null | sed -n 's/^Need to get \([^ ]* [kMG]*B\).*/\1/p') || true
echo "${to_fetch:-Nothing} to fetch; it is unpacked in some minutes, without further words." >&2
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
