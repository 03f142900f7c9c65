#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""rpc.py [options]: the same load over JSON-RPC against Heddle, geth and anvil, in turn.

Writes: a fresh development node each time, `heddle load` sends it transactions; as fast as they are
taken, and at a fixed rate. Reads, with --chain: Heddle and geth hold the same chain, `heddle load
--requests` repeats eth_call, eth_getBalance and eth_getLogs; the answers are compared beforehand.
The order of the nodes changes from one repetition to the next. bench/README.md has the method.
Needs nothing but Python and Linux.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
BALANCE_OF = "0x70a08231"
START_SECONDS = 60
GAS_LIMIT = "1000000000"  # of the rivals' blocks; Heddle keeps its own


def fail(message: str) -> None:
    sys.exit(f"rpc.py: {message}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def post(url: str, body: str) -> dict:
    request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def call_text(number: int, method: str, *params) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": list(params)},
                      separators=(",", ":"))


class Node:
    """A process that answers at `url`."""

    def __init__(self, name: str, command: list[str], port: int, log: Path):
        self.name, self.log = name, log
        self.url = f"http://127.0.0.1:{port}"
        with log.open("wb") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                post(self.url, call_text(1, "eth_blockNumber"))
                return
            except OSError:
                time.sleep(0.1)
        self.stop()
        fail(f"{self.name} does not answer:\n{self.log.read_text(errors='replace')[-2000:]}")

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS

    def peak_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def dev_command(name: str, options, folder: Path, port: int, has_rate: bool) -> list[str]:
    """A development node with the chain's state in memory, but for Heddle, which keeps its own on
    the disk. The rivals' limits are raised where they would refuse, slow or stall the load."""
    if name == "heddle":
        return [options.heddle, "node", "--dev", "--datadir", str(folder / "data"), "--rpc-port",
                str(port), "--log-level", "warn"]
    if name == "geth":
        return [options.geth, "--dev", "--dev.gaslimit", GAS_LIMIT, "--http", "--http.port",
                str(port), "--http.api", "eth,net,web3,txpool", "--ipcdisable", "--authrpc.port",
                str(free_port()), "--nodiscover", "--verbosity", "2", "--txpool.accountslots",
                "4096", "--txpool.globalslots", "65536", "--txpool.accountqueue", "4096",
                "--txpool.globalqueue", "65536"]
    # With thousands in flight anvil now and then stops mining on demand, for good.
    blocks = [] if has_rate else ["--block-time", "1"]
    return [options.anvil, "--port", str(port), "--gas-limit", GAS_LIMIT, "--silent", *blocks]


def run_load(options, node: Node, arguments: list[str]) -> dict:
    command = [options.heddle, "load", "--rpc", node.url, "--json", *arguments]
    before = node.cpu_seconds()
    result = subprocess.run(command, capture_output=True, text=True)
    if not result.stdout.startswith("{"):
        fail(f"{node.name}: {' '.join(command)}:\n{result.stderr[-2000:]}")
    report = json.loads(result.stdout)
    report["nodeCpuSeconds"] = node.cpu_seconds() - before
    report["peakMib"] = node.peak_mib()
    report["exitCode"] = result.returncode
    return report


def rotated(items: list, by: int) -> list:
    by %= len(items)
    return items[by:] + items[:by]


def median(values) -> float:
    return statistics.median(list(values))


def spread(values) -> str:
    values = list(values)
    return f"{median(values):,.0f} ({min(values):,.0f}–{max(values):,.0f})"


def measure_writes(options, names: list[str], folder: Path) -> dict:
    results: dict = {}
    loads = [(kind, ["--kind", kind, "--transactions", str(options.transactions)], None)
             for kind in options.kinds]
    loads += [(f"{kind}, {rate} per second",
               ["--kind", kind, "--rate", str(rate), "--seconds", str(options.rate_seconds),
                "--batch", "1"], rate) for rate in options.rates for kind in options.kinds]
    for repetition in range(options.repetitions):
        for label, arguments, rate in loads:
            for name in rotated(names, repetition):
                port = free_port()
                with tempfile.TemporaryDirectory(dir=folder) as own:
                    node = Node(name, dev_command(name, options, Path(own), port, rate is not None),
                                port, Path(own) / "log")
                    try:
                        report = run_load(options, node,
                                          [*arguments, "--accounts", str(options.accounts),
                                           "--connections", str(options.connections),
                                           "--in-flight", str(options.in_flight)])
                    finally:
                        node.stop()
                results.setdefault(label, {}).setdefault(name, []).append(report)
                latency = report["latencyMilliseconds"]
                print(f"{label}: {name}: {report['transactionsPerSecond']:,.0f} tx/s, latency "
                      f"{latency['p50']:.1f} ms (p50), {latency['p99']:.1f} (p99), "
                      f"{report['blocks']} blocks, {report['problems']} problems",
                      file=sys.stderr)
    return results


def print_writes(results: dict) -> None:
    print("| load | node | tx/s | latency p50, ms | p99, ms | blocks | node CPU-s | peak MiB "
          "| wrong |")
    print("|---|---|---|---|---|---|---|---|---|")
    for label, by_name in results.items():
        for name, runs in by_name.items():
            latency = [run["latencyMilliseconds"] for run in runs]
            wrong = sum(run["problems"] + run["rejected"] for run in runs)
            print(f"| {label} | {name} | {spread(run['transactionsPerSecond'] for run in runs)} "
                  f"| {median(l['p50'] for l in latency):,.1f} "
                  f"| {median(l['p99'] for l in latency):,.1f} "
                  f"| {median(run['blocks'] for run in runs):,.0f} "
                  f"| {median(run['nodeCpuSeconds'] for run in runs):.1f} "
                  f"| {median(run['peakMib'] for run in runs):,.0f} | {wrong} |")
    print()
    for label, by_name in results.items():
        rivals = {name: runs for name, runs in by_name.items() if name != "heddle"}
        if "heddle" not in by_name or not rivals:
            continue
        rates = {name: median(run["transactionsPerSecond"] for run in runs)
                 for name, runs in by_name.items()}
        latencies = {name: median(run["latencyMilliseconds"]["p50"] for run in runs)
                     for name, runs in by_name.items()}
        best = max(rates[name] for name in rivals)
        soonest = min(latencies[name] for name in rivals)
        print(f"{label}: {rates['heddle'] / best:.2f} times the transactions per second of the "
              f"better rival, {latencies['heddle'] / soonest:.2f} times its latency (p50)")


def make_requests(chain: Path, folder: Path) -> dict[str, Path]:
    """Files with requests about accounts and tokens of the chain's genesis."""
    alloc = json.loads((chain / "genesis.json").read_text())["alloc"]
    address = {key: "0x" + key.removeprefix("0x") for key in alloc}
    holders = sorted(address[key] for key, account in alloc.items() if not account.get("code"))
    holders = holders[:1000]
    # The workload's tokens are the contracts with the most storage.
    contracts = sorted((key for key, account in alloc.items() if account.get("code")),
                       key=lambda key: -len(alloc[key].get("storage", {})))
    tokens = sorted(address[key] for key in contracts[:9])
    word = "0x" + 24 * "0"

    def write(name: str, lines) -> Path:
        path = folder / name
        path.write_text("".join(line + "\n" for line in lines))
        return path

    return {
        "eth_call": write("call", (
            call_text(i, "eth_call", {"to": tokens[i % len(tokens)],
                                      "data": BALANCE_OF + word[2:] + holder[2:]}, "latest")
            for i, holder in enumerate(holders))),
        "eth_getBalance": write("balance", (
            call_text(i, "eth_getBalance", holder, "latest") for i, holder in enumerate(holders))),
        "eth_getLogs": write("logs", (
            call_text(i, "eth_getLogs", {"fromBlock": "0x1", "toBlock": "latest",
                                         "address": tokens[i % len(tokens)],
                                         "topics": [TRANSFER_TOPIC, word + holder[2:]]})
            for i, holder in enumerate(holders))),
    }


def chain_node(name: str, options, folder: Path) -> Node:
    """Imports the chain and serves it."""
    data, log, port = folder / name, folder / f"{name}.log", free_port()
    genesis, blocks = options.chain / "genesis.json", options.chain / "chain.rlp"
    if name == "heddle":
        steps = [[options.heddle, "replay", "--genesis", genesis, "--datadir", data, blocks]]
        serve = [options.heddle, "node", "--datadir", data, "--rpc-port", str(port), "--log-level",
                 "warn", "--seal", "command"]
    else:
        steps = [[options.geth, "--datadir", data, "init", genesis],
                 [options.geth, "--datadir", data, "import", blocks]]
        serve = [options.geth, "--datadir", data, "--http", "--http.port", str(port),
                 "--ipcdisable", "--authrpc.port", str(free_port()), "--port", "0",
                 "--nodiscover", "--maxpeers", "0", "--verbosity", "2"]
    for step in steps:
        result = subprocess.run([str(part) for part in step], capture_output=True, text=True)
        if result.returncode != 0:
            fail(f"{name}: {step}:\n{(result.stdout + result.stderr)[-2000:]}")
    return Node(name, [str(part) for part in serve], port, log)


def require_equal_answers(nodes: list[Node], files: dict[str, Path]) -> None:
    matches = 0
    for method, path in files.items():
        for line in path.read_text().splitlines()[::20]:
            answers = [post(node.url, line) for node in nodes]
            for answer in answers:
                # geth says of each log when its block was made; so does Heddle, where it knows.
                for entry in answer.get("result", []) if method == "eth_getLogs" else []:
                    entry.pop("blockTimestamp", None)
            if any("error" in answer for answer in answers) or answers[0] != answers[-1]:
                fail(f"{method}: different answers to {line}:\n{str(answers)[:2000]}")
            if method == "eth_getLogs":
                matches += len(answers[0]["result"])
    if matches == 0:
        fail("eth_getLogs finds nothing on this chain")


def measure_reads(options, names: list[str], folder: Path) -> dict:
    nodes = [chain_node(name, options, folder) for name in names]
    results: dict = {}
    try:
        files = make_requests(options.chain, folder)
        require_equal_answers(nodes, files)
        for repetition in range(options.repetitions):
            for method, path in files.items():
                for node in rotated(nodes, repetition):
                    report = run_load(options, node,
                                      ["--requests", str(path), "--seconds",
                                       str(options.read_seconds), "--connections",
                                       str(options.connections)])
                    results.setdefault(method, {}).setdefault(node.name, []).append(report)
                    print(f"{method}: {node.name}: {report['requestsPerSecond']:,.0f} per second, "
                          f"{report['errors']} errors", file=sys.stderr)
    finally:
        for node in nodes:
            node.stop()
    return results


def print_reads(results: dict) -> None:
    print("| method | node | requests/s | latency p50, ms | p99, ms | node CPU, µs a request "
          "| wrong |")
    print("|---|---|---|---|---|---|---|")
    for method, by_name in results.items():
        for name, runs in by_name.items():
            latency = [run["latencyMilliseconds"] for run in runs]
            cpu = median(1e6 * run["nodeCpuSeconds"] / run["requests"] for run in runs)
            print(f"| {method} | {name} | {spread(run['requestsPerSecond'] for run in runs)} "
                  f"| {median(l['p50'] for l in latency):.2f} "
                  f"| {median(l['p99'] for l in latency):.2f} | {cpu:,.0f} "
                  f"| {sum(run['errors'] for run in runs)} |")
    print()
    for method, by_name in results.items():
        if len(by_name) == 2:
            rate = {name: median(run["requestsPerSecond"] for run in runs)
                    for name, runs in by_name.items()}
            print(f"{method}: {rate['heddle'] / rate['geth']:.2f} times geth's requests per second")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--geth")
    parser.add_argument("--anvil")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--kinds", nargs="*", default=["transfers", "erc20"])
    parser.add_argument("--transactions", type=int, default=40_000)
    parser.add_argument("--accounts", type=int, default=1_000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--in-flight", type=int, default=4_096)
    parser.add_argument("--rates", nargs="*", type=int, default=[300],
                        help="transactions per second, for the latency below saturation")
    parser.add_argument("--rate-seconds", type=int, default=10)
    parser.add_argument("--chain", type=Path, help="folder with genesis.json and chain.rlp")
    parser.add_argument("--read-seconds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="all results")
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    names = ["heddle"] + [name for name in ("geth", "anvil") if getattr(options, name)]
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        if options.kinds:
            results["writes"] = measure_writes(options, names, Path(folder))
            print_writes(results["writes"])
        if options.chain:
            readers = [name for name in names if name != "anvil"]
            results["reads"] = measure_reads(options, readers, Path(folder))
            print_reads(results["reads"])
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


main()
