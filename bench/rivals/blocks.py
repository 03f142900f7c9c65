#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""blocks.py [options] FOLDER: real blocks through Heddle and revm in turn, block by block.

FOLDER holds blocks with their pre-state, as `heddle replay --witness` reads them. Each contender is
a program that loads them once and then answers questions, one line each:

    first NUMBER    runs this block by a new engine that has seen no code yet
    again COUNT     runs it so many times more by the same engine

with the gas used and the nanoseconds of each run: `GAS NS...`. Its first line is `blocks` and the
numbers. State is in memory, senders are known, everything runs in order on one thread. Contenders
run on the same processor, one at a time, A B A' B', then B A' B' A: A' and B' are the same programs
once more. So each run of either comes after one of the other, and each comes first as often: what
ran last leaves its code, predictors and pages to its like. A contender's time in a round is the
mean of the two, and what Heddle's differ is noise. A gas other than the header's, of either side,
ends the comparison.
With --blooms revm makes its receipts' blooms, as Heddle always does. With --leaves both also make
the roots of transactions and receipts, and compare them with the header. bench/README.md has the
method. Needs nothing but Python and Linux.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

KINDS = ("first", "again")
TWIN = " (twin)"
BUILD_HINT = "no {}: see bench/README.md, make bench-rivals builds it"


def fail(message: str) -> None:
    sys.exit(f"blocks.py: {message}")


class Contender:
    """A program that answers, kept until it is told that nothing more comes."""

    def __init__(self, name: str, command: list[str], processor: int) -> None:
        if not os.access(command[0], os.X_OK):
            fail(BUILD_HINT.format(command[0]))
        self.name = name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, {processor}))
        self.numbers = [int(word) for word in self.read_line().split()[1:]]

    def read_line(self) -> str:
        line = self.process.stdout.readline()
        if not line:
            fail(f"{self.name} has ended, exit code {self.process.wait()}")
        return line.strip()

    def ask(self, question: str, gas_used: int) -> list[float]:
        """Milliseconds of each run."""
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        gas, *nanoseconds = (int(word) for word in self.read_line().split())
        if gas != gas_used:
            fail(f"{self.name}, {question}: {gas} gas used, the header has {gas_used}")
        return [value / 1e6 for value in nanoseconds]

    def close(self) -> None:
        self.process.stdin.close()
        if self.process.wait() != 0:
            fail(f"{self.name}: exit code {self.process.returncode}")


class Block:
    """A block and the times that everybody took for it, by contender, kind and round."""

    def __init__(self, file: Path) -> None:
        block = json.loads(file.read_text())["block"]
        self.number = int(block["number"], 16)
        self.gas_used = int(block["gasUsed"], 16)
        self.transactions = len(block["transactions"])
        self.times: dict[str, dict[str, list[float]]] = {}

    def add(self, name: str, kind: str, milliseconds: float) -> None:
        self.times.setdefault(name, {}).setdefault(kind, []).append(milliseconds)

    def of_rounds(self, name: str, kind: str) -> list[float]:
        """What the program took in each round, its two processes together."""
        return [statistics.fmean(pair) for pair in
                zip(self.times[name][kind], self.times[name + TWIN][kind], strict=True)]

    def median(self, name: str, kind: str) -> float:
        return statistics.median(self.of_rounds(name, kind))

    def ratio(self, ours: str, theirs: str, kind: str) -> float:
        return median_ratio(self.of_rounds(ours, kind), self.of_rounds(theirs, kind))

    def noise(self, name: str, kind: str) -> float:
        return median_ratio(self.times[name][kind], self.times[name + TWIN][kind])


def median_ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(their / our for our, their in zip(ours, theirs, strict=True))


def total(times: Iterable[list[float]]) -> list[float]:
    """Of all blocks together, round by round."""
    return [sum(values) for values in zip(*times, strict=True)]


def geometric_mean(values: list[float]) -> float:
    return math.exp(statistics.fmean(math.log(value) for value in values))


def measure(contenders: list[Contender], blocks: list[Block],
            options: argparse.Namespace) -> None:
    for index in range(options.rounds):
        turn = index % len(contenders)
        order = contenders[turn:] + contenders[:turn]
        for block in blocks:
            for contender in order:
                block.add(contender.name, "first",
                          contender.ask(f"first {block.number}", block.gas_used)[0])
            for contender in order:
                # Code is decoded bit by bit, and the others' runs have emptied the caches.
                if options.warm_up > 0:
                    contender.ask(f"again {options.warm_up}", block.gas_used)
                times = contender.ask(f"again {options.again}", block.gas_used)
                block.add(contender.name, "again", statistics.median(times))
        print(f"round {index + 1} of {options.rounds}", file=sys.stderr, flush=True)


def report(blocks: list[Block], ours: str, rivals: list[str]) -> dict:
    """Prints the table; what is returned is the same as values."""
    widths = "{:>9} {:>5} {:>6}"
    head = widths.format("block", "txs", "Mgas")
    for kind in KINDS:
        head += f" | {kind + ': ' + ours + ', ms':>19}"
        for rival in rivals:
            head += f" {rival:>9} {'ratio':>6}"
    print(head)
    rows = []
    for block in blocks:
        row = {"block": block.number, "transactions": block.transactions,
               "gas": block.gas_used}
        line = widths.format(block.number, block.transactions, f"{block.gas_used / 1e6:.2f}")
        for kind in KINDS:
            row[f"{kind} {ours} ms"] = block.median(ours, kind)
            line += f" | {block.median(ours, kind):>19.3f}"
            for rival in rivals:
                row[f"{kind} {rival} ms"] = block.median(rival, kind)
                row[f"{kind} {rival} ratio"] = block.ratio(ours, rival, kind)
                line += (f" {block.median(rival, kind):>9.3f}"
                         f" {block.ratio(ours, rival, kind):>6.2f}")
        print(line)
        rows.append(row)
    return {"rows": rows, "totals": report_totals(blocks, ours, rivals)}


def report_totals(blocks: list[Block], ours: str, rivals: list[str]) -> dict:
    gas = sum(block.gas_used for block in blocks)
    totals = {}
    for kind in KINDS:
        for name in (ours, *rivals):
            milliseconds = sum(block.median(name, kind) for block in blocks)
            totals[f"{kind} {name} ms"] = milliseconds
            print(f"{kind}, {name}: {milliseconds:.1f} ms, "
                  f"{gas / milliseconds / 1e6:.2f} Ggas/s")
        for rival in rivals:
            ratio = median_ratio(total(block.of_rounds(ours, kind) for block in blocks),
                                 total(block.of_rounds(rival, kind) for block in blocks))
            by_block = [block.ratio(ours, rival, kind) for block in blocks]
            totals[f"{kind} {rival} ratio"] = ratio
            totals[f"{kind} {rival} mean ratio"] = geometric_mean(by_block)
            print(f"{kind}, time of {rival} over that of {ours}: {ratio:.3f} of all blocks "
                  f"together, geometric mean of blocks {geometric_mean(by_block):.3f}, "
                  f"{min(by_block):.2f} to {max(by_block):.2f}")
        by_block = [abs(math.log(block.noise(ours, kind))) for block in blocks]
        noise = median_ratio(total(block.times[ours][kind] for block in blocks),
                             total(block.times[ours + TWIN][kind] for block in blocks))
        totals[f"{kind} noise"] = noise
        print(f"{kind}, noise, {ours} over itself: {noise:.3f} together; of one block "
              f"{100 * statistics.median(by_block):.1f} % (median), "
              f"{100 * max(by_block):.1f} % (most)")
    return totals


def conditions(options: argparse.Namespace) -> dict:
    text = Path("/proc/cpuinfo").read_text()
    model = next((line.split(":", 1)[1].strip() for line in text.splitlines()
                  if line.startswith("model name")), "unknown")
    return {"processor": model, "bound to": options.processor, "rounds": options.rounds,
            "again": options.again, "warm-up": options.warm_up,
            "blooms": options.blooms or options.leaves, "roots": options.leaves,
            "revm": options.revm_conditions}


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--heddle", default="build/bench/bench/macro/block_stopwatch",
                        help="Heddle's side")
    parser.add_argument("--revm", default="build/rivals/revm-blocks", help="revm's side")
    parser.add_argument("--no-revm", action="store_true", help="Heddle alone")
    parser.add_argument("--before", metavar="PROGRAM",
                        help="another block_stopwatch, of the state before a change")
    work = parser.add_mutually_exclusive_group()
    work.add_argument("--blooms", action="store_true",
                      help="blooms of receipts on all sides, not on Heddle's alone")
    work.add_argument("--leaves", action="store_true",
                      help="blooms and roots of transactions and receipts on all sides")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--again", type=int, default=5, help="repeated runs in a round")
    parser.add_argument("--warm-up", type=int, default=40,
                        help="runs before them that are not measured")
    parser.add_argument("--blocks", type=int, nargs="+", metavar="NUMBER",
                        help="only these (default: all in the folder)")
    parser.add_argument("--processor", type=int, default=max(os.sched_getaffinity(0)),
                        help="the one that all contenders are bound to")
    parser.add_argument("--revm-conditions", default="target-cpu=native, fat LTO",
                        help="how revm was built, for the record")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args()
    if options.rounds < 1 or options.again < 1 or options.warm_up < 0:
        fail("--rounds and --again are at least 1, --warm-up is at least 0")
    return options


def make_contenders(options: argparse.Namespace) -> list[Contender]:
    leaves = ["--leaves"] if options.leaves else []
    heddle = [options.heddle, f"--folder={options.folder}", *leaves]
    commands = {"heddle": heddle}
    if not options.no_revm:
        blooms = ["--blooms"] if options.blooms else []
        commands["revm"] = [options.revm, *leaves, *blooms, str(options.folder)]
    if options.before is not None:
        commands["before"] = [options.before, f"--folder={options.folder}", *leaves]
    return [Contender(name + twin, command, options.processor)
            for twin in ("", TWIN) for name, command in commands.items()]


def main() -> None:
    options = parse_options()
    blocks = sorted((Block(file) for file in options.folder.rglob("*.json")),
                    key=lambda block: block.number)
    if options.blocks:
        blocks = [block for block in blocks if block.number in options.blocks]
    if not blocks:
        fail(f"no blocks in {options.folder}")
    contenders = make_contenders(options)
    for contender in contenders:
        if missing := {block.number for block in blocks} - set(contender.numbers):
            fail(f"{contender.name} does not know {sorted(missing)}")
    measure(contenders, blocks, options)
    for contender in contenders:
        contender.close()
    print(", ".join(f"{name}: {value}" for name, value in conditions(options).items()))
    rivals = [contender.name for contender in contenders[1:len(contenders) // 2]]
    result = {"conditions": conditions(options), **report(blocks, "heddle", rivals)}
    if options.json is not None:
        result["times"] = {block.number: block.times for block in blocks}
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
