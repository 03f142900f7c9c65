#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# check-container.sh [--whole]   Makes the image of Containerfile and starts a node in it.
#
# Needs buildah, python3, ip (iproute2) and root. The base images are a Debian 12 that
# debootstrap makes (that of check-package.sh, where it is there), for registries of images may be
# out of reach. The first stage, which builds the packages, is what `make package` has left in
# build/packages; with --whole it is built, which takes as long as a build does. In the image: who
# runs, what is there, a development chain that its own health check finds healthy, and its end at
# the signal that stops a container. Without the tools it says so and ends with 77.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

base=$(realpath -m "${HEDDLE_BARE_DEBIAN:-build/bare-debian}")
# With --node it calls itself, for what is left to be done in a network of its own.
if [[ ${1:-} == --node ]]; then scratch=$2; else scratch=$(mktemp -d); fi
store=(--root "$scratch/store" --runroot "$scratch/run" --storage-driver vfs)
container=
finish() {
    [[ -z $container ]] || buildah "${store[@]}" rm "$container" >/dev/null
    rm -rf "$scratch"
}
trap finish EXIT

say() { printf '%s\n' "check-container: $*"; }
fail() {
    say "$*" >&2
    exit 1
}
for tool in buildah python3 ip; do
    command -v "$tool" >/dev/null || { say "SKIPPED: there is no $tool"; exit 77; }
done
[[ $(id -u) == 0 ]] || { say "SKIPPED: that takes root"; exit 77; }
[[ -e $base/made ]] || fail "no Debian in $base: scripts/check-package.sh makes one"
[[ ${1:-} == --whole ]] || compgen -G "build/packages/heddle_*.deb" >/dev/null ||
    fail "no packages in build/packages: make package"

# The base image, with the package sources and certificates of this machine.
make_base() {
    local root=$scratch/root image
    cp -a "$base/root" "$root"
    cp -a /etc/apt/. "$root/etc/apt/"
    [[ ! -d /usr/local/share/ca-certificates ]] ||
        cp -a /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    image=$(buildah "${store[@]}" from scratch)
    buildah "${store[@]}" add -q "$image" "$root" / >/dev/null
    buildah "${store[@]}" commit -q "$image" docker.io/library/debian:12 >/dev/null
    buildah "${store[@]}" tag docker.io/library/debian:12 docker.io/library/debian:12-slim
    buildah "${store[@]}" rm "$image" >/dev/null
    rm -rf "$root"
}

# Puts the packages in place of the stage that builds them.
shorten() {
    mkdir -p "$scratch/context/packages"
    cp build/packages/heddle_*.deb "$scratch/context/packages/"
    {
        printf 'FROM scratch AS build\nCOPY packages /packages\n'
        sed -n '/^FROM .*12-slim/,$p' Containerfile
    } >"$scratch/context/Containerfile"
}

build_image() { # CONTEXT
    buildah "${store[@]}" bud --isolation chroot --pull-never --format docker -t heddle \
        -f "$1/Containerfile" "$1" >"$scratch/build.log" 2>&1 ||
        { tail -n 20 "$scratch/build.log" >&2; fail "the image cannot be built"; }
}

in_image() { buildah "${store[@]}" run --isolation chroot "$container" -- "$@"; }

# In a network of its own, where nobody else has the port of the health check.
check_node() {
    local answered='' begin now node
    local -a check
    mapfile -t check < <(buildah "${store[@]}" inspect --type image localhost/heddle |
        python3 -c 'import json, sys
print(*json.load(sys.stdin)["Docker"]["config"]["Healthcheck"]["Test"], sep="\n")')
    [[ ${check[0]:-} == CMD ]] || fail "there is no health check"
    ip link set lo up
    begin=$(date +%s%N)
    in_image heddle node --dev --insecure-public-dev --rpc-address 0.0.0.0 \
        >"$scratch/node.log" 2>&1 &
    node=$!
    while [[ -z $answered ]]; do
        in_image "${check[@]:1}" 2>/dev/null && answered=yes
        now=$(date +%s%N)
        ((now - begin < 30000000000)) || { cat "$scratch/node.log"; fail "not healthy in 30 s"; }
    done
    say "healthy after $(((now - begin) / 1000000)) ms, with what starting two commands takes"
    # The only one in this network: the first process of a container.
    kill -TERM "$(pgrep -x heddle --ns $$ --nslist net)"
    wait "$node" || { tail -n 5 "$scratch/node.log"; fail "at SIGTERM it ended with $?"; }
}

if [[ ${1:-} == --node ]]; then
    trap - EXIT # what was built is removed by who calls
    container=$3
    check_node
    exit 0
fi

make_base
if [[ ${1:-} == --whole ]]; then
    build_image .
else
    shorten
    build_image "$scratch/context"
fi
container=$(buildah "${store[@]}" from --pull-never localhost/heddle)
[[ $(in_image id -un) == heddle ]] || fail "it runs as $(in_image id -un)"
[[ $(in_image heddle --version) == heddle\ [0-9]* ]] || fail "heddle --version"
[[ $(in_image stat -c '%U' /var/lib/heddle) == heddle ]] || fail "/var/lib/heddle is another's"
in_image test ! -e /packages || fail "the packages are still there"
say "an image of $(in_image heddle --version), which runs as $(in_image id -un)"
unshare --net "$0" --node "$scratch" "$container"
say "passed"
