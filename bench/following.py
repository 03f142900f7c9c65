#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""following.py --heddle PROGRAM [--gas 30] [--seconds 30] [--block-time 1s]
    [--readers 2 [--rounds 3]]

How far a follower is behind its origin: a node makes a block every --block-time out of so much gas
of transfers a second, another one follows it over WebSocket (--follow-depth 0). Both are asked for
their heads in turn every few milliseconds. Prints how many blocks and how many milliseconds after
the origin the follower has each.

With --readers so many follow, and what is measured is processor time: of the origin for a block
whose transactions come one by one, and for giving a stored one to a follower; of a follower for a
block; of each for a request, from a mix of four methods that one node after the other is asked
while blocks go on. From these, medians of the rounds, a table is modelled: requests a second of an
origin with N followers, each on a processor of its own that is busy all the time, where network and
balancer cost nothing.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, fields
from pathlib import Path

from recording import call, wait_until_ready
from replication import GENESIS, PAYER, free_port, processor_seconds

TRANSFER_GAS = 21_000
SAMPLE_SECONDS = 0.002


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def watch(origin: int, follower: int, load: subprocess.Popen) -> None:
    """Prints distances, until the load is over."""
    seen: tuple[dict[int, float], dict[int, float]] = ({}, {})
    distances: list[float] = []
    heads = [0, 0]
    while load.poll() is None:
        for which, port in enumerate((origin, follower)):
            head = int(call(port, "eth_blockNumber"), 16)
            now = time.monotonic()
            for number in range(heads[which] + 1, head + 1):
                seen[which][number] = now
            heads[which] = head
        distances.append(max(0, heads[0] - heads[1]))
        time.sleep(SAMPLE_SECONDS)
    times = [1000 * max(0.0, seen[1][number] - when) for number, when in seen[0].items()
             if number in seen[1]]
    print(f"{len(times)} blocks, {len(distances)} looks")
    print(f"blocks behind: p50 {percentile(distances, 0.5):.0f}, p99 "
          f"{percentile(distances, 0.99):.0f}, {max(distances):.0f} at most")
    print(f"milliseconds behind: p50 {statistics.median(times):.0f}, p99 "
          f"{percentile(times, 0.99):.0f}, {max(times):.0f} at most")


def start(options: argparse.Namespace, folder: Path, port: int, *more: str) -> subprocess.Popen:
    node = subprocess.Popen(
        [options.heddle, "node", "--datadir", str(folder / str(port)), "--genesis",
         str(folder / "genesis.json"), "--log-level", "error", "--set", f"rpc.port={port}", *more],
        stdout=subprocess.DEVNULL)
    wait_until_ready(port, node)
    return node


def start_origin(options: argparse.Namespace, folder: Path, port: int) -> subprocess.Popen:
    return start(options, folder, port, "--seal", "interval", "--block-time", options.block_time)


def start_follower(options: argparse.Namespace, folder: Path, port: int,
                   origin: int) -> subprocess.Popen:
    return start(options, folder, port, "--follow", f"ws://127.0.0.1:{origin}", "--follow-depth",
                 "0")


def start_load(options: argparse.Namespace, port: int, seconds: int) -> subprocess.Popen:
    rate = options.gas * 1e6 / TRANSFER_GAS
    return subprocess.Popen(
        [options.heddle, "load", "--rpc", f"http://127.0.0.1:{port}", "--rate", f"{rate:.0f}",
         "--seconds", str(seconds), "--in-flight", "100000", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def head_of(port: int) -> int:
    return int(call(port, "eth_blockNumber"), 16)


# --- Readers --------------------------------------------------------------------------------------

@dataclass
class Cost:
    """Seconds of processor time."""
    alone: float       # of the origin for a block that nobody follows
    followed: float    # of the origin for giving a block to a follower
    following: float   # of a follower for a block
    origin_read: float
    follower_read: float
    block_seconds: float


def wait_for_load(options: argparse.Namespace, port: int) -> None:
    """Until blocks are as full as they stay: setting it up makes single ones."""
    head, full = head_of(port), 0
    while full < 3:
        while head_of(port) == head:
            time.sleep(0.05)
        head += 1
        block = call(port, "eth_getBlockByNumber", hex(head), False)
        is_full = int(block["gasUsed"], 16) > 0.5e6 * options.gas * float(options.block_time[:-1])
        full = full + 1 if is_full else 0


def transactions_in(port: int) -> int:
    return sum(int(call(port, "eth_getBlockTransactionCountByNumber", hex(number)), 16)
               for number in range(1, head_of(port) + 1))


def measure_reads(options: argparse.Namespace, folder: Path) -> Cost:
    ports = [free_port() for _ in range(1 + options.readers)]
    origin, *readers = ports
    processes = [start_origin(options, folder, origin)]
    nodes = list(processes)

    def spend(action) -> tuple[list[float], float]:
        """What each node spends meanwhile, and how long it takes."""
        before, begin = [processor_seconds(node.pid) for node in nodes], time.monotonic()
        action()
        took = time.monotonic() - begin
        return [processor_seconds(node.pid) - b for node, b in zip(nodes, before)], took

    def fetch() -> None:
        for port in readers:
            processes.append(start_follower(options, folder, port, origin))
            while head_of(port) + 1 < head_of(origin):
                time.sleep(0.1)

    try:
        seconds = float(options.block_time[:-1])
        load = start_load(options, origin, options.seconds + 4)
        processes.append(load)
        wait_for_load(options, origin)
        (alone,), took = spend(lambda: time.sleep(options.seconds))
        alone *= seconds / took
        load.wait()
        # While nothing arrives, whose cost would drown that of a follower.
        (served,), _ = spend(fetch)
        transactions_a_block = options.gas * 1e6 * seconds / TRANSFER_GAS
        served *= transactions_a_block / transactions_in(origin) / options.readers
        nodes += processes[2:]
        processes.append(start_load(options, origin, (3 + options.readers) * options.seconds + 10))
        wait_for_load(options, origin)
        spent, took = spend(lambda: time.sleep(options.seconds))
        shares = [each / took for each in spent]  # of a processor
        for_read = []
        for which, port in enumerate(ports):
            answered: list[int] = []
            spent, took = spend(lambda to=port: answered.append(read(options, folder, to)))
            for_read.append((spent[which] - shares[which] * took) / answered[0])
        return Cost(alone, served, statistics.mean(shares[1:]) * seconds, for_read[0],
                    statistics.mean(for_read[1:]), seconds)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


def read(options: argparse.Namespace, folder: Path, port: int) -> int:
    """Reads for a part of the round. Returns how many answers there were."""
    block = call(port, "eth_getBlockByNumber", "latest", False)
    target = {"from": PAYER, "to": block["miner"], "value": "0x1"}
    requests = [["eth_getBalance", PAYER, "latest"], ["eth_call", target, "latest"],
                ["eth_getTransactionCount", PAYER, "latest"],
                ["eth_getBlockByNumber", block["number"], False]]
    (folder / "requests.txt").write_text("".join(
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n"
        for method, *params in requests))
    done = subprocess.run(
        [options.heddle, "load", "--rpc", f"http://127.0.0.1:{port}", "--requests",
         str(folder / "requests.txt"), "--seconds", str(options.seconds), "--json"],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["requests"]


def report_reads(options: argparse.Namespace, costs: list[Cost]) -> None:
    cost = Cost(*(statistics.median(getattr(one, field.name) for one in costs)
                  for field in fields(Cost)))
    print(f"{options.gas:.0f} million gas a second; processor time, medians of {len(costs)}:")
    print(f"a block costs the origin {1e3 * cost.alone:.1f} ms, {1e3 * cost.followed:.2f} ms more "
          f"for each follower, and a follower {1e3 * cost.following:.1f} ms")
    print(f"a request {1e6 * cost.origin_read:.1f} us at the origin, "
          f"{1e6 * cost.follower_read:.1f} us at a follower")
    print("modelled requests a second, one processor a machine:")
    print("followers  all nodes read from  followers alone")
    per_follower = (1 - cost.following / cost.block_seconds) / cost.follower_read
    for followers in (0, 1, 2, 4, 8, 16, 32, 64):
        busy = (cost.alone + followers * cost.followed) / cost.block_seconds
        if busy >= 1:
            print(f"{followers:9}  the origin has no time left")
            break
        own = (1 - busy) / cost.origin_read
        print(f"{followers:9}  {own + followers * per_follower:19,.0f}  "
              f"{followers * per_follower:15,.0f}")


def measure_all_reads(options: argparse.Namespace) -> None:
    costs = []
    for i in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="heddle-readers-") as name:
            (Path(name) / "genesis.json").write_text(json.dumps(GENESIS))
            costs.append(measure_reads(options, Path(name)))
        print(f"round {i + 1}: " + ", ".join(
            f"{field.name} {1e6 * getattr(costs[-1], field.name):.1f}"
            for field in fields(Cost)) + " us", flush=True)
    report_reads(options, costs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", metavar="PROGRAM", required=True)
    parser.add_argument("--gas", type=float, default=30, help="million a second")
    parser.add_argument("--seconds", type=int, default=30,
                        help="with --readers, of each part of a round")
    parser.add_argument("--block-time", default="1s", metavar="SECONDSs")
    parser.add_argument("--readers", type=int, default=0, metavar="N")
    parser.add_argument("--rounds", type=int, default=3, help="with --readers")
    options = parser.parse_args()
    if options.readers != 0:
        measure_all_reads(options)
        return
    with tempfile.TemporaryDirectory(prefix="heddle-following-") as name:
        folder = Path(name)
        (folder / "genesis.json").write_text(json.dumps(GENESIS))
        ports = [free_port(), free_port()]
        nodes: list[subprocess.Popen] = []
        try:
            nodes.append(start_origin(options, folder, ports[0]))
            nodes.append(start_follower(options, folder, ports[1], ports[0]))
            load = start_load(options, ports[0], options.seconds)
            watch(*ports, load)
            report = json.loads(load.communicate()[0])
            print(f"{report['gasPerSecond'] / 1e6:.1f} million gas a second")
        finally:
            for node in nodes:
                node.terminate()
            for node in nodes:
                node.wait()


if __name__ == "__main__":
    main()
