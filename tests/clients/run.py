#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""run.py (--heddle PROGRAM | --url URL) --packages FOLDER [--install] [--all] [--record] CLIENT...

Drives a node with real clients and compares what each of them saw with expected/CLIENT.json.
Every client gets a new `PROGRAM node --dev` or `dev` of its own; --url takes a node that runs
already, for one client. --install fetches what these clients need into FOLDER (npm, pip), in the
versions of package.json and requirements.txt. --record writes expected/CLIENT.json instead of
comparing.

The CLIENT `network` stands for ethers, cast and web3.py at different validators of one network
(network.py), as far as they are installed. It needs CometBFT: HEDDLE_COMETBFT, or `cometbft` in
the folder --tools, on the PATH or among what Go has installed.

The last line is "N passed, N failed". A client without its packages is skipped, and exit code 77
tells that all were; with --all it has failed.
"""

import argparse
import json
import re
import signal
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from client import Client, python_of
from network import check_network, find_cometbft

HERE = Path(__file__).resolve().parent
SKIPPED = 77
# A client that hangs must not hang the build.
CLIENT_SECONDS = 180
ENDPOINT = re.compile(r"Chain id \d+ at (http://\S+?)[,; ]")

# What each client needs of package.json; an empty list: of requirements.txt.
CLIENTS = {
    "ethers": ["ethers"],
    "viem": ["viem"],
    "web3": [],
    "cast": ["@foundry-rs/cast"],
    "forge": ["@foundry-rs/forge", "solc"],
    "hardhat": ["hardhat", "@nomicfoundation/hardhat-ethers", "ethers", "solc"],
    "ignition": ["hardhat", "@nomicfoundation/hardhat-ethers",
                 "@nomicfoundation/hardhat-ignition", "@nomicfoundation/hardhat-ignition-ethers",
                 "@nomicfoundation/ignition-core", "ethers", "solc"],
    "uniswap": ["ethers", "viem", "@foundry-rs/cast", "@uniswap/v2-core", "@uniswap/v2-periphery",
                "@uniswap/v3-core", "@uniswap/v3-periphery", "@uniswap/swap-router-contracts"],
}
# Which of them use web3.py besides.
WITH_PYTHON = ["web3", "uniswap"]
# Which of them get the chain that people develop on, where each block is later than its parent.
ON_DEV = ["ignition", "uniswap"]

# Not a client but several of them, at the validators of one network (network.py).
NETWORK = "network"
NETWORK_CLIENTS = ["ethers", "cast", "web3"]


class Node:
    """A development chain on a free port, which is gone with its process."""

    def __init__(self, program: str, command: list[str]):
        self.log = tempfile.NamedTemporaryFile(mode="w+", prefix="heddle-node-", suffix=".log")
        self.process = subprocess.Popen(
            [program, *command, "--rpc-port", "0"],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.url = self.read_endpoint()

    def read_endpoint(self) -> str:
        for line in self.process.stdout:
            if found := ENDPOINT.search(line):
                return found[1]
        raise RuntimeError(f"the node did not start:\n{self.messages()}")

    def messages(self) -> str:
        self.log.seek(0)
        return self.log.read()

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait()

def has_web3(packages: Path) -> bool:
    return python_of(packages).exists() and subprocess.run(
        [python_of(packages), "-c", "import web3"], capture_output=True,
        check=False).returncode == 0


def is_installed(client: str, packages: Path) -> bool:
    if client in WITH_PYTHON and not has_web3(packages):
        return False
    return all((packages / "node_modules" / name).exists() for name in CLIENTS[client])


def install_names(names: list[str], packages: Path) -> None:
    """Packages of npm in the versions of package.json. A failure is told."""
    versions = json.loads((HERE / "package.json").read_text())["dependencies"]
    wanted = sorted({name for name in names if not (packages / "node_modules" / name).exists()})
    packages.mkdir(parents=True, exist_ok=True)
    if not wanted:
        return
    try:
        subprocess.run(["npm", "install", "--prefix", str(packages), "--no-audit", "--no-fund",
                        "--no-package-lock", "--loglevel=error", "--fetch-retries=1",
                        *(f"{name}@{versions[name]}" for name in wanted)], check=True,
                       stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"the packages cannot be installed: {error}")


def install(clients: list[str], packages: Path) -> None:
    """Failures are told; a client without its packages is skipped later."""
    install_names([name for client in clients for name in CLIENTS[client]], packages)
    try:
        if any(client in WITH_PYTHON for client in clients) and not has_web3(packages):
            venv.create(packages / "venv", with_pip=True)
            subprocess.run([python_of(packages), "-m", "pip", "install", "--quiet",
                            "--disable-pip-version-check", "-r", HERE / "requirements.txt"],
                           check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"the packages cannot be installed: {error}")


def run_client(client: str, packages: Path, url: str) -> list:
    """Its transcript. Errors: RuntimeError with what it said."""
    script = "web3_client.py" if client == "web3" else f"{client}.mjs"
    running = Client(script, packages, {"HEDDLE_CLIENT_URL": url})
    try:
        running.process.wait(timeout=CLIENT_SECONDS)
        return running.result()
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"did not end in {CLIENT_SECONDS} s\n{running.messages()}") from None
    finally:
        running.close()


def describe_differences(found: list, expected: list) -> str:
    lines = []
    for index in range(max(len(found), len(expected))):
        ours = found[index] if index < len(found) else None
        theirs = expected[index] if index < len(expected) else None
        if ours != theirs:
            name = (ours or theirs)["step"]
            lines += [f"  {name}", f"    found    {json.dumps(ours)}",
                      f"    expected {json.dumps(theirs)}"]
    return "\n".join(lines)


def check(client: str, options: argparse.Namespace) -> bool:
    expected = HERE / "expected" / f"{client}.json"
    command = ["dev", "--chain-id", "1337"] if client in ON_DEV else ["node", "--dev"]
    node = None if options.url else Node(options.heddle, command)
    try:
        found = run_client(client, options.packages, options.url or node.url)
    except RuntimeError as error:
        print(f"{client}: {error}")
        if node:
            print(f"the node said:\n{node.messages()[-4000:]}")
        return False
    finally:
        status = node.stop() if node else 0
    if status != 0:
        print(f"{client}: the node ended with {status}\n{node.messages()[-4000:]}")
        return False
    if options.record:
        lines = ",\n".join(f"  {json.dumps(each, ensure_ascii=False)}" for each in found)
        expected.write_text(f"[\n{lines}\n]\n")
        print(f"{client}: recorded {len(found)} steps")
        return True
    steps = json.loads(expected.read_text()) if expected.exists() else []
    if differences := describe_differences(found, steps):
        print(f"{client}: not what is expected\n{differences}")
        return False
    print(f"{client}: {len(found)} steps as expected")
    return True


def reason_to_skip(client: str, options: argparse.Namespace) -> str:
    """Empty: there is none."""
    needed = [client]
    if client == NETWORK:
        if not options.heddle:
            return "it needs --heddle"
        if not find_cometbft(options.tools):
            return "there is no cometbft (HEDDLE_COMETBFT, --tools, PATH, Go's folder)"
        # ethers stands in for the others.
        needed = NETWORK_CLIENTS if options.all else ["ethers"]
    missing = [each for each in needed if not is_installed(each, options.packages)]
    return f"no packages of {', '.join(missing)} in {options.packages.name}" if missing else ""


def check_together(options: argparse.Namespace) -> bool:
    clients = [each for each in NETWORK_CLIENTS if is_installed(each, options.packages)]
    for client in NETWORK_CLIENTS:
        if client not in clients:
            print(f"network: no packages of {client}: ethers stands in for it")
    return check_network(options.heddle, find_cometbft(options.tools), options.packages, clients)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    node = parser.add_mutually_exclusive_group(required=True)
    node.add_argument("--heddle", metavar="PROGRAM")
    node.add_argument("--url")
    parser.add_argument("--packages", metavar="FOLDER", type=Path, required=True)
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--tools", metavar="FOLDER", type=Path)
    parser.add_argument("clients", metavar="CLIENT", nargs="+",
                        choices=[*sorted(CLIENTS), NETWORK])
    options = parser.parse_args()
    options.packages = options.packages.resolve()
    if options.heddle:
        options.heddle = str(Path(options.heddle).resolve())
    # So that what runs is ended, and its folders are removed, when this is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.install:
        install([each for client in options.clients
                 for each in (NETWORK_CLIENTS if client == NETWORK else [client])],
                options.packages)

    reasons = {each: reason_to_skip(each, options) for each in options.clients}
    present = [client for client, reason in reasons.items() if not reason]
    absent = [client for client, reason in reasons.items() if reason]
    for client in absent:
        print(f"SKIPPED: {client}: {reasons[client]}")
    if not present and not options.all:
        return SKIPPED
    failed = [client for client in present
              if not (check_together(options) if client == NETWORK else check(client, options))]
    passed = len(present) - len(failed)
    if options.all:
        failed += absent
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
