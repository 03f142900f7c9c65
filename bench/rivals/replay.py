#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""replay.py [options] FOLDER...: replays chains into data directories, Heddle and geth in turn.

A FOLDER holds genesis.json and chain.rlp, as `heddle generate` writes them. The genesis is stored
beforehand, and so are the blocks of before.rlp, where there is one. What is measured is the process
that reads the chain file: its wall clock from start to end, when everything is in the data
directory, its processor time, its peak memory and what it had written to the disk. With --again
Heddle then executes its stored blocks once more. With --lists it also replays each chain from the
block access lists in FOLDER/bal.rlp (EIP-7928), which a node gets beside the blocks; `geth import`
has no way to be given them.
bench/README.md has the method. Needs nothing but Python and Linux.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

INSTALL_GETH = ("no geth: scripts/rivals/build-geth.sh builds it, or "
                "`go install github.com/ethereum/go-ethereum/cmd/geth@v1.17.8`")
# What is counted of a value that changed: address, nonce, balance, code hash, storage root; and
# address, slot, value.
ACCOUNT_BYTES = 20 + 8 + 32 + 32 + 32
SLOT_BYTES = 20 + 32 + 32
SUMMARY = r"(\d+) blocks, (\d+) transactions, ([\d.]+) Mgas in [^:]+: ([\d.]+) Mgas/s"


def fail(message: str) -> None:
    sys.exit(f"replay.py: {message}")


def written_bytes(pid: int) -> int:
    """What the process, which has ended but is not reaped, had written to block devices."""
    fields = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(fields["write_bytes"]) - int(fields["cancelled_write_bytes"])


def measure(command: list[str], log: Path) -> dict:
    """Runs the command; its output is in `log` afterwards."""
    os.sync()
    with log.open("wb") as output:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        seconds = time.monotonic() - begin
        written = written_bytes(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        fail(f"{' '.join(command)}: exit code {process.returncode}\n{tail(log)}")
    return {"seconds": seconds, "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "peak_mib": usage.ru_maxrss / 1024, "written_mb": written / 1e6}


def tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-8:])


def folder_mb(folder: Path) -> float:
    return sum(file.lstat().st_blocks * 512 for file in folder.rglob("*")) / 1e6


def find(pattern: str, text: str, what: str) -> re.Match:
    match = re.search(pattern, text)
    if match is None:
        fail(f"no {what} in the output:\n{text[-2000:]}")
    return match


class Heddle:
    """`heddle replay` into a data directory."""
    name = "heddle"

    def __init__(self, options: argparse.Namespace) -> None:
        self.program = options.heddle
        self.flags = ["--memory", str(options.memory), *options.heddle_flag]

    def init(self, chain: Path, data: Path, log: Path) -> dict:
        return measure([self.program, "init", "--genesis", str(chain / "genesis.json"),
                        "--datadir", str(data)], log)

    def replay(self, chain: Path, data: Path, log: Path) -> dict:
        result = self.execute(chain / "chain.rlp", data, log, *self.flags_for(chain))
        return result | self.read(log.read_text())

    def execute(self, file: Path, data: Path, log: Path, *flags: str) -> dict:
        return measure([self.program, "replay", "--datadir", str(data), *self.flags, *flags,
                        str(file)], log)

    def flags_for(self, chain: Path) -> list[str]:
        return []

    def replay_again(self, data: Path, log: Path) -> dict:
        result = measure([self.program, "replay", "--datadir", str(data), *self.flags], log)
        done = find(SUMMARY, log.read_text(), "summary")
        return result | {"replay_seconds": float(done[3]) / float(done[4])}

    @staticmethod
    def read(text: str) -> dict:
        done = find(SUMMARY, text, "summary")
        head = find(r"head: block (\d+), hash (0x[0-9a-f]+)", text, "head")
        parts = find(r"of that ([\d.]+) s execution, ([\d.]+) s verification, ([\d.]+) s state "
                     r"roots; ([\d.]+) s sender recovery", text, "times")
        store = find(r"state roots: ([\d.]+) s tries, ([\d.]+) s flat state, ([\d.]+) s waiting "
                     r"for the writer, which wrote ([\d.]+) s beside it: ([\d.]+) MB for (\d+) "
                     r"accounts? and (\d+) slots?", text, "line about the disk")
        accounts, slots = int(store[6]), int(store[7])
        return {"blocks": int(done[1]), "mgas": float(done[3]),
                "replay_seconds": float(done[3]) / float(done[4]), "head": [int(head[1]), head[2]],
                "execute": float(parts[1]), "verify": float(parts[2]), "commit": float(parts[3]),
                "recover": float(parts[4]), "tries": float(store[1]), "flat": float(store[2]),
                "wait": float(store[3]), "persist": float(store[4]),
                "changed_mb": (accounts * ACCOUNT_BYTES + slots * SLOT_BYTES) / 1e6}


class HeddleFromLists(Heddle):
    """The same from the blocks' access lists."""
    name = "heddle from lists"

    def flags_for(self, chain: Path) -> list[str]:
        return ["--access-lists", str(chain / "bal.rlp")]


class Geth:
    """`geth import`, without the compaction that follows it."""
    name = "geth"

    def __init__(self, options: argparse.Namespace) -> None:
        self.program = options.geth
        self.cache = ["--cache", str(options.memory)]
        self.flags = [*options.geth_flag]

    def init(self, chain: Path, data: Path, log: Path) -> dict:
        return measure([self.program, "init", "--datadir", str(data), "--state.scheme", "path",
                        str(chain / "genesis.json")], log)

    def replay(self, chain: Path, data: Path, log: Path) -> dict:
        result = self.execute(chain / "chain.rlp", data, log)
        heads = re.findall(r"Imported new (?:potential )?chain segment +number=([\d,]+) "
                           r"+hash=([\w.]+)", log.read_text())
        if not heads:
            fail(f"geth imported nothing:\n{tail(log)}")
        return result | {"head": [int(heads[-1][0].replace(",", "")), heads[-1][1]]}

    def execute(self, file: Path, data: Path, log: Path) -> dict:
        return measure([self.program, "import", "--datadir", str(data), "--state.scheme", "path",
                        "--nocompaction", *self.cache, *self.flags, str(file)], log)


def check_same_head(ours: dict, theirs: dict) -> None:
    # geth shortens hashes to their ends, or to their beginning.
    number, digest = theirs["head"]
    is_same = all(part in ours["head"][1] for part in digest.split(".."))
    if number != ours["head"][0] or not is_same:
        fail(f"heads differ: heddle {ours['head']}, geth {theirs['head']}")


class Chain:
    """All runs of one chain."""

    def __init__(self, folder: Path, options: argparse.Namespace, rivals: list) -> None:
        self.folder, self.options, self.rivals = folder, options, rivals
        self.scratch = Path(tempfile.mkdtemp(prefix="replay-", dir=options.scratch))
        self.log = self.scratch / "log"
        self.runs: dict[str, list[dict]] = {rival.name: [] for rival in rivals}
        self.again: list[dict] = []
        self.init: dict[str, dict] = {}

    def run(self) -> None:
        try:
            for rival in self.rivals:
                fresh = self.scratch / f"fresh-{rival.name}"
                self.init[rival.name] = rival.init(self.folder, fresh, self.log)
                before = self.folder / "before.rlp"
                if before.exists():
                    took = rival.execute(before, fresh, self.log)
                    self.init[rival.name]["before"] = took
                    print(f"  {rival.name}, before: {took['seconds']:.2f} s", file=sys.stderr,
                          flush=True)
            for _ in range(self.options.repetitions):
                for rival in self.rivals:
                    self.run_once(rival)
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def run_once(self, rival: Heddle | Geth) -> None:
        data = self.scratch / "data"
        shutil.copytree(self.scratch / f"fresh-{rival.name}", data)
        result = rival.replay(self.folder, data, self.log)
        result["folder_mb"] = folder_mb(data)
        self.runs[rival.name].append(result)
        print(f"  {rival.name}: {result['seconds']:.2f} s", file=sys.stderr, flush=True)
        if rival.name == "heddle" and self.options.again:
            again = rival.replay_again(data, self.log)
            self.again.append(again)
            print(f"  again: {again['seconds']:.2f} s", file=sys.stderr, flush=True)
        if rival.name != Heddle.name and self.runs.get(Heddle.name):
            check_same_head(self.runs[Heddle.name][-1], result)
        shutil.rmtree(data)

    def median(self, name: str, key: str) -> float:
        return statistics.median(run[key] for run in self.runs[name])

    def again_ratio(self, key: str) -> float:
        return statistics.median(first[key] / again[key] for first, again in
                                 zip(self.runs["heddle"], self.again, strict=True))

    def report(self) -> dict:
        ours = self.runs["heddle"]
        mgas, changed = ours[0]["mgas"], ours[0]["changed_mb"]
        print(f"\n{self.folder.name}: {ours[0]['blocks']} blocks, {mgas:.0f} Mgas, "
              f"{changed:.1f} MB of state changed")
        for name, runs in self.runs.items():
            seconds = sorted(run["seconds"] for run in runs)
            wall = statistics.median(seconds)
            written = self.median(name, "written_mb")
            print(f"{name:>17}: {wall:7.2f} s ({seconds[0]:.2f} to {seconds[-1]:.2f}), "
                  f"{mgas / wall:6.0f} Mgas/s, "
                  f"{self.median(name, 'cpu_seconds') / mgas * 1000:.2f} CPU-s/Ggas, peak "
                  f"{self.median(name, 'peak_mib'):.0f} MiB, {written:.0f} MB written "
                  f"({written / changed:.1f} per byte changed), folder "
                  f"{self.median(name, 'folder_mb'):.0f} MB")
        ratios = {}
        parts = ["recover", "execute", "verify", "tries", "flat", "wait", "persist"]
        for name in [name for name in self.runs if name != Geth.name]:
            if Geth.name in self.runs:
                ratios[name] = statistics.median(
                    theirs["seconds"] / mine["seconds"]
                    for mine, theirs in zip(self.runs[name], self.runs[Geth.name], strict=True))
                print(f"  geth's time over that of {name}, median of the runs: "
                      f"{ratios[name]:.2f}")
            print(f"  seconds of {name}: " +
                  ", ".join(f"{part} {self.median(name, part):.2f}" for part in parts))
        if self.again:
            print("    again: " + ", ".join(
                f"{what} {statistics.median(run[key] for run in self.again):.2f} s, "
                f"{self.again_ratio(key):.2f} times as fast"
                for what, key in (("whole process", "seconds"), ("without opening",
                                                                 "replay_seconds"))))
        return {"chain": self.folder.name, "runs": self.runs, "again": self.again,
                "init": self.init, "ratio": ratios.get(Heddle.name),
                "ratio_from_lists": ratios.get(HeddleFromLists.name)}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of every comparison of replays."""
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--heddle", default="build/release/heddle", help="the program")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--memory", type=int, default=1024,
                        help="MiB: --memory of Heddle and --cache of geth (default 1024)")
    parser.add_argument("--heddle-flag", action="append", default=[], metavar="FLAG")
    parser.add_argument("--geth-flag", action="append", default=[], metavar="FLAG")
    parser.add_argument("--scratch", help="folder for data directories (default: the system's)")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--geth", default=shutil.which("geth"), help="the rival (default: in PATH)")
    parser.add_argument("--no-geth", action="store_true", help="Heddle alone")
    parser.add_argument("--lists", action="store_true",
                        help="Heddle also from the access lists in FOLDER/bal.rlp")
    parser.add_argument("--again", action="store_true", help="execute Heddle's blocks again")
    options = parser.parse_args()
    if options.geth is None and not options.no_geth:
        fail(INSTALL_GETH)
    return options


def main() -> None:
    options = parse_options()
    rivals = [Heddle(options)]
    if options.lists:
        rivals.append(HeddleFromLists(options))
    if not options.no_geth:
        rivals.append(Geth(options))
    reports = []
    for folder in options.folders:
        chain = Chain(folder, options, rivals)
        chain.run()
        reports.append(chain.report())
    if options.json is not None:
        options.json.write_text(json.dumps(reports, indent=1) + "\n")


if __name__ == "__main__":
    main()
