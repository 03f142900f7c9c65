#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""memory.py --heddle PROGRAM [--memory 128] [--minutes 120] [--writes 760] [--reads 300]
    [--csv FILE] [--svg FILE]

Whether a node's memory stays where `--memory` puts it: a development chain on the disk, sealed once
a second, takes `--writes` transactions (transfers, tokens, swaps) and `--reads` requests a second,
of which every ten minutes brings new accounts and blocks from all over the chain. Every ten seconds
the resident memory of the process is noted, and the part of it that is no mapped file. Prints
how the second half grows, by least squares, and draws the curve. `--svg` with `--csv FILE` and
`--minutes 0` draws what was noted before. Needs nothing but Python and Linux.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ENDPOINT = re.compile(r" at (http://\S+?) and ws")
SAMPLE_SECONDS = 10
PART_SECONDS = 600  # after which loads begin anew, with other accounts and other blocks
COLUMNS = ("seconds", "resident_mib", "anonymous_mib", "head", "transactions")
TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"


def memory_mib(pid: int) -> tuple[float, float]:
    """Resident memory, and the part of it that is the process's own."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = dict(re.findall(r"(VmRSS|RssAnon):\s+(\d+) kB", status))
    return int(found["VmRSS"]) / 1024, int(found["RssAnon"]) / 1024


def ask(url: str, method: str, *params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
    request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["result"]


def metric(url: str, name: str) -> float:
    with urllib.request.urlopen(f"{url}/metrics", timeout=60) as response:
        for line in response.read().decode().splitlines():
            if line.startswith(f"{name} "):
                return float(line.split()[1])
    raise SystemExit(f"memory.py: the node has no metric {name}")


def write_requests(url: str, file: Path) -> None:
    """Reads spread over the chain so far: most are small, one of 33 asks for a whole block."""
    head = int(ask(url, "eth_blockNumber"), 16)
    account = ask(url, "eth_accounts")[0]
    logs = ask(url, "eth_getLogs", {"fromBlock": "latest", "topics": [TRANSFER_TOPIC]})
    token = logs[0]["address"] if logs else account
    balance_of = {"to": token, "data": "0x70a08231" + account[2:].rjust(64, "0")}
    lines: list[str] = []

    def add(method: str, *params) -> None:
        lines.append(json.dumps({"jsonrpc": "2.0", "id": len(lines), "method": method,
                                 "params": params}))

    for i in range(480):
        number = hex(head * i // 480)
        for _ in range(3):
            add("eth_getBalance", account, number)
            add("eth_call", balance_of, "latest")
        add("eth_getBlockByNumber", number, False)
        add("eth_feeHistory", "0x10", number, [25, 75])
        match i % 12:
            case 0:
                add("eth_getBlockByNumber", number, True)
            case 4:
                add("eth_getBlockReceipts", number)
            case 8:
                add("eth_getLogs", {"fromBlock": number, "toBlock": number,
                                    "topics": [TRANSFER_TOPIC]})
    file.write_text("\n".join(lines) + "\n")


class Load:
    """Writes and reads beside each other, for one part of the time."""

    def __init__(self, options: argparse.Namespace, url: str, folder: str, part: int):
        seconds = str(min(PART_SECONDS, options.minutes * 60))
        requests = Path(folder) / "requests"
        write_requests(url, requests)
        # Each part sends to other accounts, all paid for by the first one.
        ask(url, "anvil_setBalance", ask(url, "eth_accounts")[0], hex(1 << 100))
        common = [options.heddle, "load", "--rpc", url, "--seconds", seconds]
        self.programs = [
            subprocess.Popen([*common, *more], stdout=sys.stderr)
            for more in (("--kind", "mixed", "--rate", str(options.writes), "--batch", "1",
                          "--seed", str(part + 1)),
                         ("--requests", str(requests), "--rate", str(options.reads)))]

    def is_over(self) -> bool:
        """Also where a program gave up, as on a machine too busy for it: it has said why."""
        return any(program.poll() is not None for program in self.programs)

    def stop(self) -> None:
        for program in self.programs:
            program.kill()
            program.wait()


def measure(options: argparse.Namespace) -> list[dict]:
    samples: list[dict] = []
    with tempfile.TemporaryDirectory(prefix="heddle-memory-") as folder:
        node = subprocess.Popen(
            [options.heddle, "node", "--dev", "--rpc-port", "0", "--datadir", f"{folder}/data",
             "--seal", "interval", "--block-time", "1s", "--memory", str(options.memory),
             "--log-level", "error"], stdout=subprocess.PIPE, text=True)
        load = None
        try:
            url = next(found[1] for line in node.stdout if (found := ENDPOINT.search(line)))
            start, part = time.monotonic(), 0
            while (passed := time.monotonic() - start) < options.minutes * 60:
                if load is None or load.is_over():
                    if load is not None:
                        load.stop()
                    load = Load(options, url, folder, part)
                    part += 1
                resident, anonymous = memory_mib(node.pid)
                samples.append(dict(zip(COLUMNS, (
                    round(passed), round(resident, 1), round(anonymous, 1),
                    int(ask(url, "eth_blockNumber"), 16),
                    int(metric(url, "heddle_chain_transactions_total"))))))
                if options.csv:
                    write_csv(options.csv, samples)
                time.sleep(SAMPLE_SECONDS)
        finally:
            if load is not None:
                load.stop()
            node.terminate()
            node.wait()
    return samples


def write_csv(path: Path, samples: list[dict]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(samples)


def read_csv(path: Path) -> list[dict]:
    with path.open(encoding="utf-8", newline="") as file:
        return [{name: float(value) for name, value in row.items()}
                for row in csv.DictReader(file)]


def slope_mib_an_hour(samples: list[dict], column: str) -> float:
    """Of the second half, by least squares."""
    half = samples[len(samples) // 2:]
    middle_x = sum(s["seconds"] for s in half) / len(half)
    middle_y = sum(s[column] for s in half) / len(half)
    above = sum((s["seconds"] - middle_x) * (s[column] - middle_y) for s in half)
    below = sum((s["seconds"] - middle_x) ** 2 for s in half)
    return above / below * 3600 if below else 0.0


def draw(samples: list[dict], memory: int) -> str:
    width, height, left, top = 720, 260, 60, 30
    last = max(samples[-1]["seconds"], 1)
    most = max(memory, *(s["resident_mib"] for s in samples)) * 1.1

    def place(seconds: float, mib: float) -> str:
        return f"{left + width * seconds / last:.1f},{top + height * (1 - mib / most):.1f}"

    def level(mib: float, colour: str) -> str:
        y = top + height * (1 - mib / most)
        return (f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" '
                f'stroke="{colour}"/><text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">'
                f'{mib:.0f}</text>')

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 20} '
             f'{top + height + 60}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="{left}" y="18">MiB of a node with --memory {memory}</text>']
    step = 50 if most < 500 else 200
    parts += [level(mib, "#ddd") for mib in range(0, int(most) + 1, step)]
    parts.append(level(memory, "#c1272d"))
    for minute in range(0, int(last // 60) + 1, max(1, round(last / 60 / 8))):
        x = left + width * minute * 60 / last
        parts.append(f'<text x="{x:.1f}" y="{top + height + 18}" text-anchor="middle">'
                     f'{minute} min</text>')
    for row, (column, colour, name) in enumerate((
            ("resident_mib", "#1f5fa8", "resident"),
            ("anonymous_mib", "#0b6e4f", "of it without mapped files"))):
        line = " ".join(place(s["seconds"], s[column]) for s in samples)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}"/>')
        x, y = left + row * 120, top + height + 44
        parts.append(f'<line x1="{x}" x2="{x + 24}" y1="{y - 4}" y2="{y - 4}" '
                     f'stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{x + 30}" y="{y}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", metavar="PROGRAM")
    parser.add_argument("--memory", type=int, default=128, metavar="MIB")
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--writes", type=int, default=760, metavar="RATE")
    parser.add_argument("--reads", type=int, default=300, metavar="RATE")
    parser.add_argument("--csv", type=Path, metavar="FILE")
    parser.add_argument("--svg", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.minutes > 0 and not options.heddle:
        parser.error("--heddle is the program that is measured")
    if options.minutes == 0 and not options.csv:
        parser.error("--minutes 0 draws what --csv names")
    samples = measure(options) if options.minutes > 0 else read_csv(options.csv)
    if options.svg:
        options.svg.write_text(draw(samples, options.memory), encoding="utf-8")
    for column in ("resident_mib", "anonymous_mib"):
        values = [s[column] for s in samples]
        print(f"{column}: at most {max(values):.0f}, at the end {values[-1]:.0f}, second half "
              f"{slope_mib_an_hour(samples, column):+.1f} MiB an hour")
    print(f"{samples[-1]['transactions']:.0f} transactions in {samples[-1]['head']:.0f} blocks")


if __name__ == "__main__":
    sys.exit(main())
