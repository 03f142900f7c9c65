#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""cores.py [options] FOLDER...: replays chains on 1, 2, 4, ... processors of this machine.

Like replay.py, which says what a FOLDER is: the process that reads the chain file into a data
directory ("first"), the same that executes the stored blocks once more, senders and object sets
known ("again"), and, with --geth, `geth import`. Every number of processors runs in turn in each
repetition; a process gets processors that are not two halves of one core while there are such.
bench/README.md has the method. Needs nothing but Python and Linux.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from replay import Geth, Heddle, add_options, check_same_head, fail


def spread_processors() -> list[int]:
    """This process's processors, the first of every core before the second of any."""
    def place(cpu: int) -> tuple[int, int]:
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        try:
            numbers = [int(part) for part in re.findall(r"\d+", siblings.read_text())]
        except OSError:
            return (0, cpu)
        return (sum(1 for number in numbers if number < cpu), cpu)
    return sorted(os.sched_getaffinity(0), key=place)


class Measured:
    """All runs of one chain."""

    def __init__(self, folder: Path, options: argparse.Namespace, processors: list[int]) -> None:
        self.folder, self.options, self.processors = folder, options, processors
        self.ours = Heddle(options)
        self.rival = Geth(options) if options.geth else None
        self.scratch = Path(tempfile.mkdtemp(prefix="cores-", dir=options.scratch))
        self.log = self.scratch / "log"
        self.runs: dict[int, dict[str, list[dict]]] = {}

    def run(self) -> None:
        try:
            for rival in filter(None, (self.ours, self.rival)):
                rival.init(self.folder, self.scratch / f"fresh-{rival.name}", self.log)
            for _ in range(self.options.repetitions):
                for cores in self.options.cores:
                    os.sched_setaffinity(0, self.processors[:cores])
                    self.run_once(self.runs.setdefault(cores, {}), cores)
        finally:
            os.sched_setaffinity(0, self.processors)
            shutil.rmtree(self.scratch, ignore_errors=True)

    def run_once(self, runs: dict[str, list[dict]], cores: int) -> None:
        data = self.scratch / "data"
        shutil.copytree(self.scratch / f"fresh-{self.ours.name}", data)
        first = self.ours.replay(self.folder, data, self.log)
        runs.setdefault("first", []).append(first)
        runs.setdefault("again", []).append(self.ours.replay_again(data, self.log))
        shutil.rmtree(data)
        if self.rival is not None and cores in self.options.geth_cores:
            shutil.copytree(self.scratch / f"fresh-{self.rival.name}", data)
            theirs = self.rival.replay(self.folder, data, self.log)
            check_same_head(first, theirs)
            runs.setdefault("geth", []).append(theirs)
            shutil.rmtree(data)
        print(f"  {cores} processors: " + ", ".join(
            f"{name} {results[-1]['seconds']:.2f} s" for name, results in runs.items()),
            file=sys.stderr, flush=True)

    def report(self) -> dict:
        first = self.runs[self.options.cores[0]]["first"][0]
        mgas = first["mgas"]
        print(f"\n{self.folder.name}: {first['blocks']} blocks, {mgas:.0f} Mgas; medians")
        print("| processors | first, s | by its clock, Mgas/s | execute, s | tries, s | "
              "flat state, s | wait for the writer, s | writer, s | CPU-s per Ggas | again, s | "
              "by its clock, Mgas/s | geth, s | geth / first |")
        print("|" + "---|" * 13)
        for cores, runs in self.runs.items():
            def median(name: str, key: str, runs: dict = runs) -> float:
                return statistics.median(run[key] for run in runs[name])
            geth = ["", ""]
            if "geth" in runs:
                geth = [f"{median('geth', 'seconds'):.2f}", "{:.2f}".format(statistics.median(
                    theirs["seconds"] / ours["seconds"]
                    for ours, theirs in zip(runs["first"], runs["geth"], strict=True)))]
            row = [str(cores), f"{median('first', 'seconds'):.2f}",
                   f"{mgas / median('first', 'replay_seconds'):.0f}",
                   *(f"{median('first', part):.2f}"
                     for part in ("execute", "tries", "flat", "wait", "persist")),
                   f"{median('first', 'cpu_seconds') / mgas * 1000:.2f}",
                   f"{median('again', 'seconds'):.2f}",
                   f"{mgas / median('again', 'replay_seconds'):.0f}", *geth]
            print("| " + " | ".join(row) + " |", flush=True)
        return {"chain": self.folder.name, "runs": self.runs}


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def parse_options(processors: int) -> argparse.Namespace:
    powers = [1 << power for power in range(processors.bit_length()) if 1 << power <= processors]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--geth", help="the rival (default: Heddle alone)")
    parser.add_argument("--cores", type=numbers, default=powers,
                        help="numbers of processors (default: powers of two, as many as there are)")
    parser.add_argument("--geth-cores", type=numbers, help="those of geth (default: the same)")
    options = parser.parse_args()
    if max(options.cores) > processors or min(options.cores) < 1:
        fail(f"--cores: this process has {processors} processors")
    if options.geth_cores is None:
        options.geth_cores = options.cores
    return options


def main() -> None:
    processors = spread_processors()
    options = parse_options(len(processors))
    reports = []
    for folder in options.folders:
        chain = Measured(folder, options, processors)
        chain.run()
        reports.append(chain.report())
    if options.json is not None:
        options.json.write_text(json.dumps(reports, indent=1) + "\n")


if __name__ == "__main__":
    main()
