#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""What scripts/run-testnet-lanes.sh does; its settings come from the environment."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HEDDLE = os.environ.get("HEDDLE", "")
COMETBFT = os.environ.get("COMETBFT", "")
LANES = int(os.environ.get("LANES", "3"))
NODES = int(os.environ.get("NODES", "3"))
LOAD_SECONDS = int(os.environ.get("SECONDS_OF_LOAD", "20"))
QUIET_SECONDS = int(os.environ.get("SECONDS_OF_LATENCY", "10"))
RATE = int(os.environ.get("RATE", "20"))
PREFIX = os.environ.get("NETWORK", "127.0.4")
KILL_EVERY = float(os.environ.get("KILL_EVERY", "4"))
PATIENCE = 120.0


class Program:
    """Started again when it has ended, as by a supervisor."""

    def __init__(self, name, command, log):
        self.name, self.command, self.log = name, command, log
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)

    def tend(self):
        if self.process.poll() is not None:
            self.start()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


def ask(url, calls):
    body = json.dumps([{"jsonrpc": "2.0", "id": i, "method": method, "params": params}
                       for i, (method, params) in enumerate(calls)])
    request = urllib.request.Request(url, body.encode(), {"content-type": "application/json"})
    answers = json.load(urllib.request.urlopen(request, timeout=20))
    results = {answer["id"]: answer["result"] for answer in answers}
    return [results[i] for i in range(len(calls))]


def height(url):
    try:
        return int(ask(url, [("eth_blockNumber", [])])[0], 16)
    except (OSError, KeyError, TypeError, ValueError):
        return 0


def block(number):
    return ("eth_getBlockByNumber", [hex(number), False])


def compare(urls):
    """State roots and hashes of all blocks that all nodes have. Returns blocks and transactions."""
    common = min(height(url) for url in urls)
    transactions = 0
    for first in range(0, common + 1, 200):
        numbers = range(first, min(first + 200, common + 1))
        chains = [ask(url, [block(number) for number in numbers]) for url in urls]
        for number, same in zip(numbers, zip(*chains)):
            for what in ("stateRoot", "hash"):
                found = {one[what] for one in same}
                if len(found) != 1:
                    sys.exit(f"block {number}: {what} is not the same everywhere: {found}")
            transactions += len(same[0]["transactions"])
    return common, transactions


class Network:
    def __init__(self, folder):
        self.folder = folder
        count = NODES + LANES
        addresses = [f"{PREFIX}.{i}" for i in range(1, count + 1)]
        subprocess.run([HEDDLE, "testnet", "--lanes", str(LANES), "--validators", "1", "--nodes",
                        str(NODES), "--addresses", ",".join(addresses), "--block-interval",
                        "500ms", "--out", str(folder / "net")], check=True)
        self.urls = [f"http://{address}:8545" for address in addresses[:NODES]]
        self.lanes, self.nodes = [], []
        for lane in range(LANES):
            home = folder / "net" / f"lane{lane}-validator1"
            self.lanes.append((
                Program(f"lane {lane}", [HEDDLE, "lane", "--home", str(home)], home / "lane.txt"),
                Program(f"CometBFT of lane {lane}",
                        [COMETBFT, "start", "--home", str(home / "cometbft"), "--proxy_app",
                         f"tcp://{addresses[NODES + lane]}:26658"], home / "comet.txt")))
        for node in range(1, NODES + 1):
            home = folder / "net" / f"node{node}"
            self.nodes.append(Program(
                f"node {node}", [HEDDLE, "node", "--config", str(home / "heddle.toml")],
                home / "node.txt"))

    def programs(self):
        return [program for pair in self.lanes for program in pair] + self.nodes

    def tend(self):
        for lane, comet in self.lanes:
            if lane.process.poll() is not None:
                comet.kill()  # it ends without its application, but sometimes hangs on the way
        for program in self.programs():
            program.tend()

    def stop(self):
        for program in self.nodes + [comet for _, comet in self.lanes] + [
                lane for lane, _ in self.lanes]:
            program.stop()

    def wait_for(self, is_so, what):
        end = time.monotonic() + PATIENCE
        while not is_so():
            self.tend()
            if time.monotonic() > end:
                for program in self.programs():
                    print(f"--- {program.name}\n" +
                          Path(program.log).read_text(errors="replace")[-1500:], file=sys.stderr)
                sys.exit(f"run-testnet-lanes.sh: {what} did not come within {PATIENCE:.0f} s")
            time.sleep(0.1)

    def is_whole(self):
        """Whether every lane is followed by the first node, and none is silent."""
        try:
            lanes = ask(self.urls[0], [("heddle_lanes", [])])[0]["lanes"]
        except (OSError, KeyError, TypeError, ValueError):
            return False
        return all(lane["connected"] and not lane["silent"] for lane in lanes)

    def show(self):
        status = ask(self.urls[0], [("heddle_lanes", [])])[0]  # it is never killed
        for lane in status["lanes"]:
            print(f"  lane {int(lane['lane'], 16)}: height {int(lane['height'], 16)}, merged "
                  f"{int(lane['merged'], 16)}, round trip {int(lane['roundTripUs'], 16)} us"
                  f"{', silent' if lane['silent'] else ''}"
                  f"{', fault: ' + lane['fault'] if lane['fault'] else ''}")
        counts = [f"{text} {int(status[name], 16)}" for name, text in (
            ("severalHomes", "of several homes"), ("components", "components"),
            ("rejected", "rejected"), ("wrongHome", "wrong home"), ("leftOut", "left out"),
            ("sentAgain", "entries sent again by it"))]
        print("  " + ", ".join(counts))


def load(network, options, while_sending=lambda: None):
    """Sends a load to the first node. Returns what `heddle load --json` says of it."""
    command = [HEDDLE, "load", "--json", "--rpc", network.urls[0]] + options
    print("$ " + " ".join(command), flush=True)
    with tempfile.TemporaryFile("w+") as out, tempfile.NamedTemporaryFile("w") as progress:
        loading = subprocess.Popen(command, stdout=out, stderr=progress)
        while loading.poll() is None:
            if "sending" in Path(progress.name).read_text():
                while_sending()
            network.tend()
            time.sleep(0.1)
        print(Path(progress.name).read_text(), end="", flush=True)
        out.seek(0)
        text = out.read()
    if not text:
        sys.exit(f"run-testnet-lanes.sh: the load ended with {loading.returncode} and said nothing")
    try:
        return json.loads(text) | {"ok": loading.returncode == 0}
    except ValueError:
        sys.exit(f"run-testnet-lanes.sh: the load says no results: {text[:200]}")


def paced(seed, seconds):
    """Options of a load of transfers, ERC-20 and swaps at RATE."""
    return ["--kind", "mixed", "--seed", str(seed), "--accounts", "100", "--transactions",
            str(max(1, RATE * seconds)), "--rate", str(RATE)]


def tell(what, load):
    """One line of a load: how many a second, and how long from being sent to being in a block."""
    latency = load["latencyMilliseconds"]
    print(f"{what}: {load['transactionsPerSecond']:.1f} transactions a second ({load['succeeded']} "
          f"in {load['seconds']:.1f} s), from send to receipt {latency['p50']:.0f} ms in the "
          f"median, {latency['p99']:.0f} ms p99, {latency['max']:.0f} ms at most; "
          f"{load['rejected']} rejected, {load['lost']} lost, {load['problems']} problems")


class Killer:
    """Kills something of the network every few seconds, but not the node that takes the load."""

    def __init__(self, network, chance):
        self.network, self.chance = network, chance
        self.kills = 0
        self.next = time.monotonic() + KILL_EVERY

    def __call__(self):
        if time.monotonic() < self.next:
            return
        victims = [one for pair in self.network.lanes for one in pair] + self.network.nodes[1:]
        victim = self.chance.choice(victims)
        victim.kill()
        self.kills += 1
        print(f"killed {victim.name}", flush=True)
        self.next = time.monotonic() + KILL_EVERY


def run(network, chance, options):
    network.wait_for(lambda: all(height(url) >= 2 for url in network.urls), "block 2")
    loads = {"as fast as it goes":
             load(network, options or ["--kind", "mixed", "--transactions", "3000"])}
    if QUIET_SECONDS > 0:
        loads[f"{RATE} a second"] = load(network, paced(2, QUIET_SECONDS))
    killer = Killer(network, chance)
    if KILL_EVERY > 0:
        loads[f"{RATE} a second, with {{}} kills"] = load(network, paced(3, LOAD_SECONDS), killer)
    last = height(network.urls[0])
    network.wait_for(lambda: network.is_whole() and
                     all(height(url) >= last + 2 for url in network.urls),
                     f"block {last + 2} with every lane")
    network.show()
    blocks, transactions = compare(network.urls)
    print(f"{NODES} nodes over {LANES} lanes have the same state root at blocks 0 to {blocks}, "
          f"with {transactions} transactions; {killer.kills} kills.")
    for what, result in loads.items():
        tell(what.format(killer.kills), result)
    return all(result["ok"] for result in loads.values())


def main():
    if not HEDDLE or not COMETBFT:
        sys.exit("testnet_lanes.py is called by scripts/run-testnet-lanes.sh")
    seed = int(os.environ.get("HEDDLE_TEST_SEED", str(random.SystemRandom().getrandbits(32))))
    print(f"HEDDLE_TEST_SEED={seed}")
    keeps = bool(os.environ.get("KEEP"))
    folder = Path("build/testnet-lanes-run") if keeps else Path(tempfile.mkdtemp())
    if keeps:
        shutil.rmtree(folder, ignore_errors=True)
    network = Network(folder)
    try:
        is_good = run(network, random.Random(seed), sys.argv[1:])
    finally:
        network.stop()
        if not keeps:
            shutil.rmtree(folder, ignore_errors=True)
    if not is_good:
        sys.exit("run-testnet-lanes.sh: the load failed")


if __name__ == "__main__":
    main()
