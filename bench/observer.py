#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""observer.py --heddle PROGRAM [--rounds 5] [--transactions 20000] [--kind transfers]

What it costs that a node watches how its blocks run, for its page: processor time of a
`heddle node --dev` under `heddle load`, with rpc.executions as it is by default and with 0, in turn
and changing who begins. Processor time, for it feels other work on the machine less than the clock
does. The spread of either alone says what is noise.
"""

import argparse
import os
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
ENDPOINT = re.compile(r" at (http://\S+?) and ws")
NAMES = {"watched": 4096, "alone": 0}  # blocks of rpc.executions


def processor_seconds(pid: int) -> float:
    """Of all threads: fields 14 and 15, behind a name that may have spaces."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def measure(options: argparse.Namespace, executions: int) -> float:
    with tempfile.TemporaryDirectory(prefix="heddle-observer-") as folder:
        node = subprocess.Popen(
            [options.heddle, "node", "--dev", "--rpc-port", "0", "--datadir", f"{folder}/data",
             "--sync", "1s", "--set", f"rpc.executions={executions}", "--log-level", "error"],
            stdout=subprocess.PIPE, text=True)
        try:
            url = next(found[1] for line in node.stdout if (found := ENDPOINT.search(line)))
            before = processor_seconds(node.pid)
            subprocess.run([options.heddle, "load", "--rpc", url, "--kind", options.kind,
                            "--transactions", str(options.transactions)],
                           check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            return processor_seconds(node.pid) - before
        finally:
            node.terminate()
            node.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", metavar="PROGRAM", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--transactions", type=int, default=20_000)
    parser.add_argument("--kind", default="transfers")
    options = parser.parse_args()
    seconds: dict[str, list[float]] = {name: [] for name in NAMES}
    for i in range(options.rounds):
        for name in list(NAMES) if i % 2 == 0 else reversed(NAMES):
            seconds[name].append(measure(options, NAMES[name]))
            print(f"round {i + 1}: {name}: {seconds[name][-1]:.2f} s", flush=True)
    for name, values in seconds.items():
        print(f"{name}: {statistics.median(values):.2f} s of processor time, "
              f"{min(values):.2f} to {max(values):.2f}")
    ratio = statistics.median(seconds["watched"]) / statistics.median(seconds["alone"])
    print(f"watching costs {ratio - 1:+.1%} (median)")


if __name__ == "__main__":
    main()
