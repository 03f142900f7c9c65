#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""following.py --heddle PROGRAM [--gas 30] [--seconds 30] [--block-time 1s]

How far a follower is behind its origin: a node makes a block every --block-time out of so much gas
of transfers a second, another one follows it over WebSocket (--follow-depth 0). Both are asked for
their heads in turn every few milliseconds. Prints how many blocks and how many milliseconds after
the origin the follower has each.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from recording import call, wait_until_ready
from replication import GENESIS, free_port

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", metavar="PROGRAM", required=True)
    parser.add_argument("--gas", type=float, default=30, help="million a second")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--block-time", default="1s")
    options = parser.parse_args()
    rate = options.gas * 1e6 / TRANSFER_GAS
    with tempfile.TemporaryDirectory(prefix="heddle-following-") as name:
        folder = Path(name)
        (folder / "genesis.json").write_text(json.dumps(GENESIS))
        ports = [free_port(), free_port()]
        nodes: list[subprocess.Popen] = []
        try:
            for port, more in zip(ports, (
                    ["--seal", "interval", "--block-time", options.block_time],
                    ["--follow", f"ws://127.0.0.1:{ports[0]}", "--follow-depth", "0"])):
                nodes.append(subprocess.Popen(
                    [options.heddle, "node", "--datadir", str(folder / str(port)), "--genesis",
                     str(folder / "genesis.json"), "--log-level", "error", "--set",
                     f"rpc.port={port}", *more], stdout=subprocess.DEVNULL))
                wait_until_ready(port, nodes[-1])
            load = subprocess.Popen(
                [options.heddle, "load", "--rpc", f"http://127.0.0.1:{ports[0]}", "--rate",
                 f"{rate:.0f}", "--seconds", str(options.seconds), "--in-flight", "100000",
                 "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
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
