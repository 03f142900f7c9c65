#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""recording.py --heddle PROGRAM [--rounds 5] [--transactions 100000] [--in-flight 4096]
    [--pin] [--against OTHER...]

What a recording costs: transfers a second and processor time of a node with and without --record,
in turn and changing who begins; how many bytes of the recording there are for a transaction beyond
its own; and how long `heddle rerun` takes, all of it, beside the time from the first transaction
sent to the last one seen in a block. With --pin the node is on the first processor and who sends on
the second: what recording adds is then work or waiting of the node's alone. With --against other
programs are measured in turn with this one.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from replication import GENESIS, free_port, processor_seconds


def call(port: int, method: str, *params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
    request = urllib.request.Request(f"http://127.0.0.1:{port}", body.encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer).get("result")


def wait_until_ready(port: int, node: subprocess.Popen) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready") as answer:
                if answer.status == 200:
                    return
        except OSError:
            pass
        if node.poll() is not None or time.monotonic() > end:
            raise SystemExit("the node is not ready")
        time.sleep(0.05)


def payload(data: bytes, at: int) -> tuple[int, int]:
    """Where the RLP item at `at` has its content: begin and end."""
    first = data[at]
    if first < 0x80:
        return at, at + 1
    base = 0x80 if first < 0xc0 else 0xc0
    if first - base <= 55:
        return at + 1, at + 1 + first - base
    width = first - base - 55
    length = int.from_bytes(data[at + 1:at + 1 + width], "big")
    return at + 1 + width, at + 1 + width + length


def transaction_bytes(block: bytes) -> tuple[int, int]:
    """Of an encoded block: how many transactions it has, and how long they are together."""
    begin, _ = payload(block, 0)
    _, after_header = payload(block, begin)
    at, end = payload(block, after_header)
    count = total = 0
    while at < end:
        content, after = payload(block, at)
        # A typed transaction is a string, a legacy one a list, whose head is its own.
        total += after - (content if block[at] < 0xc0 else at)
        count += 1
        at = after
    return count, total


def measure(options: argparse.Namespace, program: str, records: bool) -> dict[str, float]:
    of_node, of_sender = ([["taskset", "-c", cpu] for cpu in "01"] if options.pin else [[], []])
    with tempfile.TemporaryDirectory(prefix="heddle-recording-") as name:
        folder = Path(name)
        (folder / "genesis.json").write_text(json.dumps(GENESIS))
        port = free_port()
        command = [*of_node, program, "node", "--datadir", str(folder / "data"), "--genesis",
                   str(folder / "genesis.json"), "--log-level", "error", "--set",
                   f"rpc.port={port}"]
        if records:
            command += ["--record", str(folder / "rec")]
        node = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            wait_until_ready(port, node)
            before = processor_seconds(node.pid)
            done = subprocess.run(
                [*of_sender, program, "load", "--rpc", f"http://127.0.0.1:{port}", "--transactions",
                 str(options.transactions), "--in-flight", str(options.in_flight), "--json"],
                check=True, capture_output=True, text=True)
            spent = processor_seconds(node.pid) - before
            report = json.loads(done.stdout)
            found = {"rate": report["transactionsPerSecond"],
                     "microseconds": spent * 1e6 / options.transactions}
            count = own = 0
            for number in range(1, int(call(port, "eth_blockNumber"), 16) + 1):
                block = bytes.fromhex(call(port, "debug_getRawBlock", hex(number))[2:])
                more, length = transaction_bytes(block)
                count, own = count + more, own + length
        finally:
            node.terminate()
            node.wait()
        if records:
            size = sum(file.stat().st_size for file in (folder / "rec").glob("segment-*"))
            found["bytes"] = (size - own) / count
            begin = time.monotonic()
            subprocess.run([*of_node, program, "rerun", str(folder / "rec")], check=True,
                           capture_output=True)
            found["rerun"] = (time.monotonic() - begin) / report["seconds"]
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", metavar="PROGRAM", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--transactions", type=int, default=100_000)
    parser.add_argument("--in-flight", type=int, default=4096, metavar="N",
                        help="sent and not yet seen in a block, at most")
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--against", metavar="OTHER", nargs="+", default=[],
                        help="other programs")
    options = parser.parse_args()
    programs = [options.heddle, *options.against]
    runs: dict[tuple[str, bool], list[dict[str, float]]] = {
        (program, records): [] for program in programs for records in (False, True)}
    for i in range(options.rounds):
        for program, records in runs if i % 2 == 0 else reversed(runs):
            run = measure(options, program, records)
            runs[program, records].append(run)
            told = ", ".join(f"{name} {value:.2f}" for name, value in run.items())
            print(f"round {i + 1}: {program}: {'recorded' if records else 'alone'}: {told}",
                  flush=True)
    for program in programs:
        report(program, runs[program, True], runs[program, False])


def report(program: str, recorded: list[dict[str, float]], alone: list[dict[str, float]]) -> None:
    def middle(runs: list[dict[str, float]], name: str) -> float:
        return statistics.median(run[name] for run in runs)

    def compared(name: str) -> str:
        ours, without = middle(recorded, name), middle(alone, name)
        return f"{ours:.1f}, alone {without:.1f}: {ours / without:.3f}"
    print(f"{program}:")
    print(f"transfers a second recorded {compared('rate')}")
    print(f"processor time in us each, recorded {compared('microseconds')}")
    print(f"{middle(recorded, 'bytes'):.1f} bytes a transaction beyond its own; a rerun takes "
          f"{middle(recorded, 'rerun'):.2f} of the run's time")


if __name__ == "__main__":
    main()
