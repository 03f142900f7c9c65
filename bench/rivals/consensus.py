#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""consensus.py [options]: transactions per second through CometBFT, with Heddle and with CometBFT's
own kvstore as its application, in turn.

Each run is a new network of validators on loopback addresses, written by `heddle testnet`; for
kvstore it is the same one, with the application within CometBFT (kvstore) or, like Heddle, in a
process of its own (kvstore-socket). Heddle's load is `heddle load`; kvstore's
is the one in consensus_load.py, of as many connections, batches and transactions in flight, of the
same size. What counts is what CometBFT's blocks hold, from block to block over a fixed time. The
share of that time that Heddle's calls took is from its metrics. bench/README.md has the method.
Needs nothing but Python and Linux.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from consensus_load import KvstoreLoad
from consensus_network import Network, comet_get, cpu_seconds, read_metrics

STAGES = ("prepare", "process", "finalize", "commit")


def fail(message: str) -> None:
    sys.exit(f"consensus.py: {message}")


class Watcher(threading.Thread):
    """Notes when which block was there, and how many transactions it has."""

    def __init__(self, network: Network, extra: int):
        super().__init__(daemon=True)
        self.network = network
        self.extra = extra  # items of each block that are no transactions
        self.seen: list[tuple[float, int]] = []  # when, transactions
        self.committed = 0
        self.must_stop = False
        self.height = 0

    def run(self) -> None:
        while not self.must_stop:
            self.look()
            time.sleep(0.05)

    def look(self) -> None:
        answer = comet_get(self.network.comet_urls[0],
                           f"blockchain?minHeight={self.height + 1}&maxHeight={self.height + 20}")
        now = time.monotonic()
        blocks = sorted((int(meta["header"]["height"]), int(meta["num_txs"]))
                        for meta in (answer or {}).get("block_metas") or [])
        for height, items in blocks:
            if height != self.height + 1:
                continue
            self.height = height
            count = max(items - self.extra, 0)
            self.committed += count
            self.seen.append((now, count))

    def rate(self, begin: float, end: float) -> tuple[float, float, int]:
        """Transactions and blocks a second, between the first blocks after these times, and the
        largest block."""
        inside = [(at, count) for at, count in self.seen if at >= begin]
        first = inside[0]
        rest = [entry for entry in inside[1:] if entry[0] <= end]
        seconds = rest[-1][0] - first[0]
        return (sum(count for _, count in rest) / seconds, len(rest) / seconds,
                max(count for _, count in rest))


def measure_window(options, network: Network, watcher: Watcher, client_cpu) -> dict:
    """The part that counts; the load is running."""
    time.sleep(options.warm_up)
    before = [cpu_seconds(pid) for pid in network.pids]
    client_before = client_cpu()
    metrics = [read_metrics(url) for url in network.rpc_urls] if network.has_heddle else []
    begin = time.monotonic()
    time.sleep(options.seconds)
    end = time.monotonic()
    after = [cpu_seconds(pid) for pid in network.pids]
    client_after = client_cpu()
    later = [read_metrics(url) for url in network.rpc_urls] if network.has_heddle else []
    time.sleep(2)  # the last block is seen
    rate, blocks, largest = watcher.rate(begin, end)
    cpu: dict[str, float] = {}
    for name, a, b in zip(network.names, before, after):
        cpu[name] = cpu.get(name, 0) + (b - a) / (end - begin)
    cpu["client"] = (client_after - client_before) / (end - begin)
    result = {"transactionsPerSecond": rate, "blocksPerSecond": blocks, "largestBlock": largest,
              "processors": cpu}
    if later:
        result["share"] = shares(metrics, later, end - begin)
        result["leftOut"] = sum(m.get("heddle_consensus_left_out_transactions_total", 0)
                                for m in later)
        result["wronglyDeclared"] = sum(
            m.get("heddle_consensus_wrongly_declared_transactions_total", 0) for m in later)
    return result


def shares(before: list[dict], after: list[dict], wall: float) -> list[dict]:
    """Of the wall time, by validator and call."""
    result = []
    for old, new in zip(before, after):
        by_stage = {}
        for stage in STAGES:
            key = f"heddle_consensus_{stage}_seconds_sum"
            by_stage[stage] = (new.get(key, 0) - old.get(key, 0)) / wall
        by_stage["all"] = sum(by_stage.values())
        result.append(by_stage)
    return result


def heddle_load_command(options, network: Network) -> list[str]:
    command = [options.heddle, "load", "--json", "--kind", options.kind, "--accounts",
               str(options.accounts), "--connections", str(options.connections), "--batch",
               str(options.batch), "--in-flight", str(options.in_flight), "--seconds",
               str(options.warm_up + options.seconds + 3)]
    if options.rate:
        command += ["--rate", str(options.rate)]
    else:
        command += ["--transactions", str(options.transactions)]
    for url in network.rpc_urls:
        command += ["--rpc", url]
    return command


def run_heddle(options, folder: Path) -> dict:
    with Network(options, folder, "heddle") as network:
        watcher = Watcher(network, extra=1)
        watcher.start()
        load = subprocess.Popen(heddle_load_command(options, network), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        said = []
        for line in load.stderr:
            said.append(line)
            if line.startswith("sending"):
                break
        else:
            fail("heddle load: " + "".join(said)[-2000:])
        threading.Thread(target=lambda: said.extend(load.stderr), daemon=True).start()
        result = measure_window(options, network, watcher, lambda: cpu_seconds(load.pid))
        output = load.stdout.read()
        load.wait()
        watcher.must_stop = True
        watcher.join()
        if not output.startswith("{"):
            fail("heddle load: " + "".join(said)[-2000:])
        report = json.loads(output)
        result["problems"] = report["problems"] + report["rejected"] + report["lost"]
        result["said"] = "".join(said[-5:])
        result["latency"] = report["latencyMilliseconds"]
        result["bytes"] = network.mean_item_bytes()
        network.require_equal_heads()
        return result


def run_kvstore(options, application: str, folder: Path, size: int) -> dict:
    with Network(options, folder, application) as network:
        watcher = Watcher(network, extra=0)
        watcher.start()
        load = KvstoreLoad(network.comet_urls, size, options.connections, options.batch,
                           options.in_flight, lambda: watcher.committed)
        load.start()
        result = measure_window(options, network, watcher, time.process_time)
        load.stop()
        result["problems"], result["said"] = load.problems, load.said
        result["bytes"] = network.mean_item_bytes(skip=0)
        watcher.must_stop = True
        watcher.join()
        return result


def spread(values) -> str:
    values = list(values)
    return f"{statistics.median(values):,.0f} ({min(values):,.0f}–{max(values):,.0f})"


def show(name: str, result: dict) -> None:
    cpu = ", ".join(f"{key} {value:.2f}" for key, value in result["processors"].items())
    text = (f"{name}: {result['transactionsPerSecond']:,.0f} tx/s, "
            f"{result['blocksPerSecond']:.2f} blocks/s, largest {result['largestBlock']:,}, "
            f"{result['bytes']:.0f} bytes, processors: {cpu}; {result['problems']} problems")
    if "share" in result:
        text += "; share of the time in Heddle " + ", ".join(
            f"{share['all']:.3f}" for share in result["share"])
        text += f"; left out {result['leftOut']:.0f}, wrong sets {result['wronglyDeclared']:.0f}"
        text += f"; latency p50 {result['latency']['p50']:.0f} ms"
    if result["problems"]:
        text += ": " + result["said"]
    print(text, file=sys.stderr, flush=True)


def print_results(results: dict[str, list[dict]]) -> None:
    print("| application | tx/s | blocks/s | processors: application | CometBFT | load "
          "| CPU, µs a transaction |")
    print("|---|---|---|---|---|---|---|")
    for name, runs in results.items():
        def cpu(key: str, runs=runs) -> float:
            return statistics.median(run["processors"].get(key, 0) for run in runs)
        per = statistics.median(
            1e6 * sum(run["processors"].values()) / run["transactionsPerSecond"] for run in runs)
        print(f"| {name} | {spread(run['transactionsPerSecond'] for run in runs)} "
              f"| {statistics.median(run['blocksPerSecond'] for run in runs):.2f} "
              f"| {cpu('heddle') + cpu('kvstore'):.2f} | {cpu('cometbft'):.2f} "
              f"| {cpu('client'):.2f} "
              f"| {per:,.0f} |")
    print()
    for name in results if "heddle" in results else []:
        if name == "heddle":
            continue
        ratios = [a["transactionsPerSecond"] / b["transactionsPerSecond"]
                  for a, b in zip(results["heddle"], results[name])]
        print(f"heddle over {name}: {statistics.median(ratios):.2f} "
              f"({min(ratios):.2f}–{max(ratios):.2f})")
    if "heddle" in results:
        all_shares = [share for run in results["heddle"] for share in run["share"]]
        print("\nShare of the time in Heddle's calls, median of validators and runs: " + ", ".join(
            f"{stage} {statistics.median(share[stage] for share in all_shares):.3f}"
            for stage in (*STAGES, "all")))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--cometbft", required=True)
    parser.add_argument("--abci-cli", help="CometBFT's, for kvstore-socket")
    parser.add_argument("--applications", nargs="*", default=["heddle", "kvstore"],
                        help="heddle, kvstore (within CometBFT), kvstore-socket")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--validators", type=int, default=4)
    parser.add_argument("--network", default="127.0.91", help="the validators' addresses")
    parser.add_argument("--block-interval", default="1s")
    parser.add_argument("--gas-limit", type=int, default=1_000_000_000)
    parser.add_argument("--warm-up", type=float, default=5, help="seconds")
    parser.add_argument("--seconds", type=float, default=20, help="that count")
    parser.add_argument("--kind", default="transfers", help="of Heddle's load")
    parser.add_argument("--rate", type=float, help="of Heddle's load; else as fast as taken")
    parser.add_argument("--transactions", type=int, default=300_000, help="signed for Heddle")
    parser.add_argument("--accounts", type=int, default=4_000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--in-flight", type=int, default=10_000)
    parser.add_argument("--bytes", type=int, help="of kvstore's transactions; else as Heddle's")
    parser.add_argument("--comet-option", action="append", default=[],
                        help="SECTION.NAME=VALUE for config.toml of all validators")
    parser.add_argument("--unix", action="store_true",
                        help="Heddle and CometBFT meet on a Unix socket, not on TCP")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    results: dict[str, list[dict]] = {name: [] for name in options.applications}
    size = options.bytes or 0
    with tempfile.TemporaryDirectory() as folder:
        for repetition in range(options.repetitions):
            for name in options.applications:
                own = Path(folder) / f"{name}{repetition}"
                own.mkdir()
                if name == "heddle":
                    result = run_heddle(options, own)
                    size = options.bytes or round(result["bytes"])
                elif not size:
                    fail("--bytes: of what size? Or let heddle go first")
                else:
                    result = run_kvstore(options, name, own, size)
                results[name].append(result)
                show(name, result)
    print_results(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
