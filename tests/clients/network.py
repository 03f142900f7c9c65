# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""Real clients, each with a validator of its own of one network under CometBFT.

Three senders (ethers, cast and web3.py; ethers for those that are not installed) and one client
that asks across validators work at the same time. Then each kind of client reads all of it from
every validator: what the validators say is the same, and the clients understand the same.
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from chain import complaints_about
from client import Client, end_with_parent

VALIDATORS = 4
SENDERS = 3
# A client that hangs must not hang the build.
MOST_SECONDS = 1200
PORTS = (8545, 26656, 26657, 26658)
SCRIPTS = {"ethers": "network/ethers_{}.mjs", "cast": "network/cast_{}.mjs",
           "web3": "network/web3_{}.py"}


def find_cometbft(tools: Path | None) -> str | None:
    given = os.environ.get("HEDDLE_COMETBFT")
    built = tools / "cometbft" if tools else None
    if given and os.access(given, os.X_OK):
        return given
    if built and os.access(built, os.X_OK):
        return str(built)
    by_go = Path(os.environ.get("GOPATH", Path.home() / "go")) / "bin" / "cometbft"
    return shutil.which("cometbft") or (str(by_go) if os.access(by_go, os.X_OK) else None)


def is_free(address: str) -> bool:
    for port in PORTS:
        with socket.socket() as probe:
            try:
                probe.bind((address, port))
            except OSError:
                return False
    return True


def free_addresses() -> list[str]:
    """Loopback addresses on which nobody listens. Errors: RuntimeError."""
    for attempt in range(200):
        third = 1 + (os.getpid() + attempt * 7) % 250
        block = f"127.{251 + attempt % 4}.{third}."
        addresses = [f"{block}{i}" for i in range(1, VALIDATORS + 1)]
        if all(is_free(address) for address in addresses):
            return addresses
    raise RuntimeError("no loopback addresses 127.251.x.1 and following are free")


def ask(url: str, method: str, *params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)["result"]


def header_of(validator: dict, height: int) -> dict:
    """CometBFT's."""
    with urllib.request.urlopen(f"{validator['comet_rpc']}/header?height={height}") as response:
        return json.load(response)["result"]["header"]


class Network:
    """Validators as `heddle testnet` writes them, each under a supervisor of its own."""

    def __init__(self, program: str, cometbft: str):
        self.folder = Path(tempfile.mkdtemp(prefix="heddle-network-"))
        home = self.folder / "net"
        self.supervisors: list[subprocess.Popen] = []
        addresses = free_addresses()
        subprocess.run([program, "testnet", "--validators", str(VALIDATORS), "--out", home,
                        "--addresses", ",".join(addresses), "--block-interval", "500ms"],
                       check=True, stdout=subprocess.DEVNULL)
        self.validators = json.loads((home / "network.json").read_text())["validators"]
        self.urls = [each["json_rpc"] for each in self.validators]
        for each in self.validators:
            key = home / each["name"] / "cometbft" / "config" / "priv_validator_key.json"
            each["comet_address"] = "0x" + json.loads(key.read_text())["address"].lower()
            with (self.folder / f"{each['name']}.log").open("w") as log:
                self.supervisors.append(subprocess.Popen(
                    [program, "supervise", "--home", home / each["name"], "--cometbft", cometbft,
                     "--set", "ledger.memory=64", "--set", "executor.workers=2"],
                    stdout=log, stderr=log, preexec_fn=end_with_parent))

    def check_running(self) -> None:
        for each, supervisor in zip(self.validators, self.supervisors):
            if supervisor.poll() is not None:
                raise RuntimeError(f"{each['name']}'s supervisor ended with "
                                   f"{supervisor.returncode}")
        if died := self.restarts():
            raise RuntimeError("; ".join(died))

    def heads(self) -> list[int]:
        """-1: it does not answer."""
        heads = []
        for url in self.urls:
            try:
                heads.append(int(ask(url, "eth_blockNumber"), 16))
            except OSError:
                heads.append(-1)
        return heads

    def wait_for_block(self, number: int) -> None:
        while min(self.heads()) < number:
            self.check_running()
            time.sleep(0.1)

    def messages(self) -> str:
        """The end of every log."""
        files = [*self.folder.glob("*.log"), *self.folder.glob("net/*/logs/*.log")]
        return "\n".join(f"--- {path.relative_to(self.folder)}\n{path.read_text()[-1000:]}"
                         for path in sorted(files))

    def restarts(self) -> list[str]:
        """Of what has died meanwhile."""
        return [f"{path.stem}: {name} was started {count} times"
                for path in sorted(self.folder.glob("*.log")) for name in ("heddle", "cometbft")
                if (count := path.read_text().count(f"{name} started, process")) > 1]

    def stop(self) -> list[int]:
        for supervisor in self.supervisors:
            supervisor.terminate()
        return [supervisor.wait() for supervisor in self.supervisors]

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def run_clients(network: Network, packages: Path, scripts: list[tuple[str, dict]]) -> list:
    """Their results. Errors: RuntimeError as soon as one of them has failed."""
    common = {"HEDDLE_CLIENT_URLS": ",".join(network.urls), "HEDDLE_CLIENT_SENDERS": str(SENDERS)}
    clients = []
    try:
        for script, variables in scripts:
            clients.append(Client(script, packages, common | variables))
        deadline = time.monotonic() + MOST_SECONDS
        while any(client.process.poll() is None for client in clients):
            for client in clients:
                if client.process.returncode not in (None, 0):
                    client.result()
            network.check_running()
            if time.monotonic() > deadline:
                said = "\n".join(f"{client.script}: {client.messages()}" for client in clients)
                raise RuntimeError(f"clients did not end in {MOST_SECONDS} s\n{said}")
            time.sleep(0.05)
        return [client.result() for client in clients]
    finally:
        for client in clients:
            client.close()


def act(network: Network, packages: Path, clients: list[str]) -> list[dict]:
    scripts = []
    for i in range(SENDERS):
        script = SCRIPTS[clients[i] if i < len(clients) else "ethers"].format("act")
        scripts.append((script, {"HEDDLE_CLIENT_URL": network.urls[i],
                                 "HEDDLE_CLIENT_SELF": str(i)}))
    scripts.append(("network/ethers_across.mjs", {"HEDDLE_CLIENT_URL": network.urls[0],
                                                  "HEDDLE_CLIENT_SELF": str(SENDERS)}))
    return run_clients(network, packages, scripts)


def read(network: Network, packages: Path, clients: list[str], acts: list[dict]) -> tuple:
    """(last block, for each client what it read from each validator)"""
    last = max(network.heads())
    network.wait_for_block(last)
    plan = network.folder / "plan.json"
    contracts, accounts, receivers = (
        sorted({each.lower() for one in acts for each in one[kind]})
        for kind in ("contracts", "accounts", "receivers"))
    plan.write_text(json.dumps({
        "last": last, "contracts": contracts, "slots": list(range(4)),
        "proved": contracts + accounts,
        "accounts": contracts + accounts + receivers +
                    [each["beneficiary"] for each in network.validators],
    }))
    found = run_clients(network, packages, [
        (SCRIPTS[client].format("read"), {"HEDDLE_CLIENT_PLAN": str(plan),
                                          "HEDDLE_CLIENT_URL": network.urls[0],
                                          "HEDDLE_CLIENT_SELF": "0"}) for client in clients])
    return last, dict(zip(clients, found))


def compare(title: str, found: dict, expected: dict) -> list[str]:
    lines = []
    for what in sorted(found):
        if found.get(what) != expected.get(what):
            lines += [f"{title}: {what}", f"    {json.dumps(found.get(what))[:2000]}",
                      f"    {json.dumps(expected.get(what))[:2000]}"]
    return lines


def differences(answers: dict[str, list[dict]]) -> list[str]:
    """Of every validator from the first, as each client shows them in full, and of every client
    from the first, which reads the most, in the form that they share."""
    lines = []
    clients = list(answers)
    for client, validators in answers.items():
        for i, validator in enumerate(validators):
            if validator["whole"].keys() != validators[0]["whole"].keys():
                lines.append(f"{client} read other things from validator {i + 1} than from 1")
            lines += compare(f"{client}, validator {i + 1} and 1", validator["whole"],
                             validators[0]["whole"])
            lines += compare(f"{client} and {clients[0]}, validator {i + 1}", validator["shared"],
                             answers[clients[0]][i]["shared"])
    return lines


def run(network: Network, packages: Path, clients: list[str]) -> tuple[str, list[str]]:
    """(what was done, what is wrong)"""
    network.wait_for_block(1)
    acts = act(network, packages, clients)
    last, answers = read(network, packages, clients, acts)
    problems = differences(answers)
    chain = answers[clients[0]][0]["shared"]
    headers = [header_of(network.validators[height % VALIDATORS], height)
               for height in range(1, last + 1)]
    problems += complaints_about(chain, headers, network.validators,
                                 [each for one in acts for each in one["sent"]])
    network.check_running()
    statuses = network.stop()
    if any(statuses):
        problems.append(f"the supervisors ended with {statuses}")
    count = sum(what.startswith("transaction") for what in chain)
    done = (f"{last} blocks, {count} transactions and {len(chain)} answers of each of "
            f"{VALIDATORS} validators, the same to {', '.join(clients)}")
    return done, problems


def check_network(program: str, cometbft: str, packages: Path, clients: list[str]) -> bool:
    network = Network(program, cometbft)
    try:
        done, problems = run(network, packages, clients)
        if problems:
            print("network: not the same chain\n" + "\n".join(problems[:60]))
            return False
        print(f"network: {done}")
        return True
    except RuntimeError as error:
        print(f"{network.messages()}\nnetwork: {error}")
        return False
    finally:
        network.remove()
