#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""replication.py --heddle PROGRAM [--rounds 3] [--transactions 40000] [--in-flight 4096]
    [--pin]

What a backup costs a primary: transfers a second of a node without replication, and of a primary
with one backup, async and sync, in turn and changing who begins. With --pin the node that takes the
transfers has one processor, which it shares with the load generator, and the backup has the other
one: then what is missing is what the protocol costs, not the backup's executing everything again.
Prints medians, and each process's processor time for a transfer.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
MODES = ("off", "async", "sync")
PAYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
FORKS = ("homestead", "eip150", "eip155", "eip158", "byzantium", "constantinople", "petersburg",
         "istanbul", "berlin", "london")
GENESIS = {
    "config": {"chainId": 1337, **{f"{fork}Block": 0 for fork in FORKS},
               "terminalTotalDifficulty": 0, "shanghaiTime": 0},
    "difficulty": "0x0", "gasLimit": "0x3938700", "timestamp": "0x1", "baseFeePerGas": "0x1",
    "alloc": {PAYER: {"balance": "0x200000000000000000000000000000"}}}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processor_seconds(pid: int) -> float:
    """Of all threads: fields 14 and 15, behind a name that may have spaces."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


class Chain:
    """One node, or a primary `a` with its backup `b`."""

    def __init__(self, options: argparse.Namespace, mode: str, folder: str):
        self.options = options
        self.folder = Path(folder)
        (self.folder / "genesis.json").write_text(json.dumps(GENESIS))
        (self.folder / "secret").write_text("7" * 64)
        self.ports = {name: free_port() for name in ("ab" if mode != "off" else "a")}
        self.nodes = {name: self.start(name, mode) for name in self.ports}
        for name in self.ports:
            self.wait_for(name)

    def start(self, name: str, mode: str) -> subprocess.Popen:
        command = [self.options.heddle, "node", "--datadir", str(self.folder / name), "--genesis",
                   str(self.folder / "genesis.json"), "--log-level", "error",
                   "--set", f"rpc.port={self.ports[name]}"]
        if mode != "off":
            members = ",".join(f'"{member}=ws://127.0.0.1:{port}"'
                               for member, port in self.ports.items())
            for setting in (f"rpc.jwt_secret={self.folder}/secret", f"replication.mode={mode}",
                            f"replication.name={name}", f"replication.members=[{members}]",
                            "replication.primary=a", "replication.acks=1"):
                command += ["--set", setting]
        if self.options.pin:
            command = ["taskset", "-c", "0" if name == "a" else "1", *command]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def wait_for(self, name: str) -> None:
        end = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(
                        f"http://127.0.0.1:{self.ports[name]}/health/ready") as answer:
                    if answer.status == 200:
                        return
            except OSError:
                pass
            if self.nodes[name].poll() is not None or time.monotonic() > end:
                raise SystemExit(f"{name} is not ready")
            time.sleep(0.05)

    def load(self) -> tuple[float, list[float]]:
        """Transfers a second, and each node's microseconds of processor time for one."""
        before = [processor_seconds(node.pid) for node in self.nodes.values()]
        command = [self.options.heddle, "load", "--rpc", f"http://127.0.0.1:{self.ports['a']}",
                   "--transactions", str(self.options.transactions), "--in-flight",
                   str(self.options.in_flight), "--json"]
        if self.options.pin:
            command = ["taskset", "-c", "0", *command]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        after = [processor_seconds(node.pid) for node in self.nodes.values()]
        report = json.loads(done.stdout)
        spent = [(b - a) * 1e6 / self.options.transactions for a, b in zip(before, after)]
        return report["transactionsPerSecond"], spent

    def stop(self) -> None:
        for node in self.nodes.values():
            node.terminate()
        for node in self.nodes.values():
            node.wait()


def measure(options: argparse.Namespace, mode: str) -> tuple[float, list[float]]:
    with tempfile.TemporaryDirectory(prefix="heddle-replication-") as folder:
        chain = Chain(options, mode, folder)
        try:
            return chain.load()
        finally:
            chain.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", metavar="PROGRAM", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--transactions", type=int, default=40_000)
    parser.add_argument("--in-flight", type=int, default=4096, metavar="N",
                        help="sent and not yet seen in a block, at most")
    parser.add_argument("--pin", action="store_true")
    options = parser.parse_args()
    rates: dict[str, list[float]] = {mode: [] for mode in MODES}
    spent: dict[str, list[list[float]]] = {mode: [] for mode in MODES}
    for i in range(options.rounds):
        for mode in MODES[i % 3:] + MODES[:i % 3]:
            rate, times = measure(options, mode)
            rates[mode].append(rate)
            spent[mode].append(times)
            told = ", ".join(f"{each:.0f}" for each in times)
            print(f"round {i + 1}: {mode}: {rate:.0f} a second; {told} us each", flush=True)
    alone = statistics.median(rates["off"])
    for mode, values in rates.items():
        middle = statistics.median(values)
        told = ", ".join(f"{statistics.median(each):.0f}" for each in zip(*spent[mode]))
        print(f"{mode}: {middle:.0f} a second, {middle / alone:.2f} of none; {told} us each")


if __name__ == "__main__":
    main()
