#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# check-package.sh [FOLDER]   Installs the packages of FOLDER (build/packages) on a bare Debian 12.
#
# Packages a second time and compares bytes; makes a root with debootstrap where that and the rights
# for it are there, installs heddle with what it depends on, runs the program, looks at what was
# installed, and waits for the answer of a development chain; then removes and purges the package.
# Without a root it extracts the package, runs the program on this machine, and says so. The root is
# kept in build/bare-debian for the next time; HEDDLE_BARE_DEBIAN names another place.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

packages=$(realpath -m "${1:-build/packages}")
base=$(realpath -m "${HEDDLE_BARE_DEBIAN:-build/bare-debian}")
scratch=$(mktemp -d)
root=$scratch/root
node=
mounts=()

finish() {
    [[ -z $node ]] || { kill "$node" && wait "$node"; } 2>/dev/null || true
    local mount
    for mount in ${mounts[@]+"${mounts[@]}"}; do umount "$mount" || true; done
    rm -rf --one-file-system "$scratch"
}
trap finish EXIT

say() { printf '%s\n' "check-package: $*"; }
fail() {
    say "$*" >&2
    exit 1
}
in_root() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$root" "$@"; }

check_reproducible() {
    local again=$scratch/again package
    scripts/make-package.sh "$again" >/dev/null
    for package in "$packages"/*.deb; do
        cmp "$package" "$again/${package##*/}" || fail "packaged twice, not the same bytes"
    done
    say "packaged twice: the same bytes"
}

# A root with what debootstrap calls minbase, and the package sources of this machine.
make_base() {
    [[ -e $base/made ]] && return
    rm -rf "$base"
    mkdir -p "$base"
    local mirror
    mirror=$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' | head -n 1)
    # Where apt knows of none, debootstrap has a source of its own.
    debootstrap --variant=minbase --include=ca-certificates bookworm "$base/root" \
        ${mirror:+"$mirror"} >"$base/debootstrap.log" 2>&1 ||
        { tail -n 5 "$base/debootstrap.log" >&2; return 1; }
    touch "$base/made"
}

# The program's dependencies come over the network, as they would for anybody.
install_in_root() {
    cp -a "$base/root" "$root"
    cp -a /etc/apt/. "$root/etc/apt/"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    [[ ! -d /usr/local/share/ca-certificates ]] ||
        cp -a /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    mkdir -p "$root/packages"
    cp "$packages"/*.deb "$root/packages/"
    mount -t proc proc "$root/proc" && mounts+=("$root/proc")
    local proxies
    proxies=$(env | grep -iE '^(https?|no)_proxy=' || true)
    in_root env ${proxies:+$proxies} DEBIAN_FRONTEND=noninteractive sh -c \
        'apt-get update -q && apt-get install -qy --no-install-recommends /packages/heddle_*.deb \
            /packages/libheddle1_*.deb /packages/libheddle-dev_*.deb' >"$scratch/apt.log" 2>&1 ||
        { tail -n 15 "$scratch/apt.log" >&2; return 1; }
}

check_files() { # ROOT
    local file
    for file in usr/bin/heddle lib/systemd/system/heddle.service usr/share/man/man1/heddle.1 \
        usr/share/bash-completion/completions/heddle usr/share/zsh/vendor-completions/_heddle \
        usr/share/fish/vendor_completions.d/heddle.fish usr/share/doc/heddle/copyright; do
        [[ -s $1/$file || -s $1/usr/$file ]] || fail "$file was not installed"
    done
    grep -q '^ExecStart=/usr/bin/heddle node --config /etc/heddle/node.toml$' \
        "$1/usr/lib/systemd/system/heddle.service" "$1/lib/systemd/system/heddle.service" \
        2>/dev/null || fail "heddle.service starts something else"
}

# Starts a development chain and measures until it answers. COMMAND... runs the program.
time_start() {
    local port=$((20000 + RANDOM % 10000)) begin now answer=
    begin=$(date +%s%N)
    "$@" dev --rpc-port "$port" >"$scratch/node.log" 2>&1 &
    node=$!
    while [[ $answer != *'"result"'* ]]; do
        now=$(date +%s%N)
        ((now - begin < 10000000000)) || { cat "$scratch/node.log"; fail "no answer in 10 s"; }
        answer=$(curl -s -m 1 -H 'content-type: application/json' \
            -d '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}' \
            "http://127.0.0.1:$port" || true)
        [[ $answer == *'"result"'* ]] || sleep 0.02
    done
    now=$(date +%s%N)
    # Of all threads, in ticks: fields 14 and 15, behind a name that may have spaces.
    local stat
    stat=$(<"/proc/$node/stat")
    read -r -a stat <<<"${stat##*) }"
    worked_ms=$(((stat[11] + stat[12]) * 1000 / $(getconf CLK_TCK)))
    kill "$node"
    wait "$node" || true
    node=
    took_ms=$(((now - begin) / 1000000))
}

# Three times: on a machine with other work one start says little, and where there is much of it the
# time that the node itself has worked has to do.
check_node() {
    local times=() worked=() best=
    for _ in 1 2 3; do
        time_start "$@"
        times+=("$took_ms")
        worked+=("$worked_ms")
        [[ -n $best ]] && ((best <= took_ms)) || best=$took_ms
    done
    say "heddle dev answered after ${times[*]} ms, of which it worked ${worked[*]}"
    ((best < 1000)) && return
    say "which is more than a second, on a machine with a load of $(cut -d ' ' -f 1 /proc/loadavg)"
    ((worked_ms < 500)) || fail "and the node has worked for too long"
}

check_in_root() {
    [[ $(in_root heddle --version) == heddle\ [0-9]* ]] || fail "heddle --version"
    say "installed on a bare Debian 12: $(in_root heddle --version)"
    check_files "$root"
    [[ $(in_root stat -c '%U:%G %a' /var/lib/heddle) == 'heddle:heddle 750' ]] ||
        fail "/var/lib/heddle is not the user's own"
    check_node env -i PATH=/usr/sbin:/usr/bin:/bin HOME=/tmp \
        chroot --userspec=heddle:heddle "$root" heddle
    in_root dpkg --remove heddle libheddle-dev libheddle1 >/dev/null 2>&1 ||
        fail "cannot be removed"
    in_root dpkg --purge heddle >/dev/null 2>&1 || fail "cannot be purged"
    [[ ! -e $root/usr/bin/heddle ]] || fail "the program is still there"
    [[ -d $root/var/lib/heddle ]] || fail "its data are gone"
    say "removed and purged; /var/lib/heddle stays"
}

check_extracted() { # REASON
    say "not installed in a bare root: $1"
    dpkg-deb -x "$packages"/heddle_*.deb "$root"
    check_files "$root"
    say "extracted: $("$root/usr/bin/heddle" --version)"
    check_node "$root/usr/bin/heddle"
}

compgen -G "$packages/heddle_*.deb" >/dev/null || fail "no packages in $packages: make package"
check_reproducible
if [[ $(id -u) != 0 ]]; then
    check_extracted "that takes root"
elif ! command -v debootstrap >/dev/null; then
    check_extracted "there is no debootstrap"
elif ! make_base; then
    check_extracted "debootstrap failed"
elif ! install_in_root; then
    check_extracted "its dependencies cannot be fetched"
else
    check_in_root
fi
say "passed"
