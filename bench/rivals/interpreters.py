#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""interpreters.py [options] BEFORE AFTER: two builds of interpreter_bench in turn, case by case.

For each case: the time of BEFORE over that of AFTER, medians of all rounds; above 1 AFTER is
faster. With --rival FILE (`case,ratio` lines: the rival's time over BEFORE's) the same number times
what FILE says is the rival's time over AFTER's, for machines on which the rival is not there.
Needs nothing but Python. Run it on an otherwise idle machine.
"""

import argparse
import csv
import json
import math
import statistics
import subprocess
from pathlib import Path


def measure(program: Path, options: argparse.Namespace) -> dict[str, float]:
    """Nanoseconds of each case in the fast interpreter."""
    command = [program, f"--benchmark_filter=^fast/{options.cases}", "--benchmark_format=json",
               f"--benchmark_min_time={options.seconds}"]
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    runs = json.loads(result.stdout)["benchmarks"]
    return {run["name"].removeprefix("fast/"): run["cpu_time"] for run in runs}


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path, metavar="BEFORE")
    parser.add_argument("after", type=Path, metavar="AFTER")
    parser.add_argument("--rival", type=Path, metavar="FILE",
                        help="evmone-over-heddle.csv of the fixture evm-synthetic")
    parser.add_argument("--cases", default="", metavar="REGEX", help="whose names begin so")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", default="0.05", help="of each case and round, at least")
    return parser.parse_args()


def main() -> None:
    options = parse_options()
    programs = [options.before, options.after]
    times: list[dict[str, list[float]]] = [{}, {}]
    for number in range(options.rounds):
        for which in (0, 1) if number % 2 == 0 else (1, 0):
            for case, time in measure(programs[which], options).items():
                times[which].setdefault(case, []).append(time)
    ratios = {case: statistics.median(before) / statistics.median(times[1][case])
              for case, before in times[0].items() if case in times[1]}
    if not ratios:
        raise SystemExit("interpreters.py: no case that both programs have")
    rival = {}
    if options.rival:
        with options.rival.open() as file:
            rival = {case: float(ratio) for case, ratio in list(csv.reader(file))[1:]}
    groups: dict[str, list[float]] = {}
    for case in sorted(ratios, key=lambda case: ratios[case] * rival.get(case, 1)):
        line = f"{case:36} {ratios[case]:6.2f}"
        if case in rival:
            over_rival = ratios[case] * rival[case]
            groups.setdefault(case.split("/")[0], []).append(over_rival)
            line += f" {rival[case]:6.2f} {over_rival:6.2f}" + (" <" if over_rival < 1 else "")
        print(line)
    for group, values in groups.items():
        mean = math.exp(statistics.fmean(map(math.log, values)))
        print(f"{group}: {len(values)} cases, geometric mean {mean:.2f}, least {min(values):.2f}")


if __name__ == "__main__":
    main()
