# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""openzeppelin_tests.py files FOLDER [NAME...] | report JSON [JSON]: see run-openzeppelin.sh.

`files` prints the test files that can be loaded, `report` what of mocha's reports has failed: of a
run against a node, and, where it is given, of one on hardhat's own network.
"""

import argparse
import json
import re
import sys
from pathlib import Path

REQUIRED = re.compile(r"require\('(\.[^']+)'\)")


def missing(file: Path, seen: set[Path]) -> str:
    """What `file`, or what it requires, requires and is not there; empty: nothing."""
    if file in seen or file.suffix != ".js":
        return ""
    seen.add(file)
    for name in REQUIRED.findall(file.read_text()):
        path = (file.parent / name).resolve()
        found = next((each for each in (path, path.with_name(path.name + ".js"),
                                        path.with_name(path.name + ".json"), path / "index.js")
                      if each.is_file()), None)
        if found is None:
            return name
        if absent := missing(found, seen):
            return absent
    return ""


def print_files(folder: Path, names: list[str]) -> None:
    for name in names or ["test"]:
        root = folder / name
        for file in sorted(root.rglob("*.test.js")) if root.is_dir() else [root]:
            if absent := missing(file.resolve(), set()):
                print(f"not run: {file.relative_to(folder)} needs {absent}", file=sys.stderr)
            else:
                print(file.relative_to(folder))


def passes(report: dict) -> int:
    return report["stats"]["passes"]


def print_report(ours: dict, others: dict | None) -> int:
    known = {test["fullTitle"] for test in others["failures"]} if others else set()
    for test in ours["failures"]:
        mark = "on hardhat's network, too: " if test["fullTitle"] in known else ""
        message = " ".join(test["err"].get("message", "").split())
        print(f"failed: {mark}{test['fullTitle']}\n    {message[:200]}")
    print(f"{passes(ours)} passed, {len(ours['failures'])} failed", end="")
    if others is None:
        print()
        return 1 if ours["failures"] else 0
    print(f"; on hardhat's network {passes(others)} passed, {len(others['failures'])} failed: "
          f"{100 * passes(ours) / max(passes(others), 1):.2f} % of it")
    return 0 if 100 * passes(ours) >= 99 * passes(others) else 1


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    files = commands.add_parser("files")
    files.add_argument("folder", type=Path)
    files.add_argument("names", nargs="*")
    report = commands.add_parser("report")
    report.add_argument("ours", type=Path)
    report.add_argument("others", type=Path, nargs="?")
    given = parser.parse_args()
    if given.command == "files":
        print_files(given.folder, given.names)
        return 0
    paths = [given.ours] + ([given.others] if given.others else [])
    reports = [json.loads(path.read_text()) for path in paths]
    return print_report(reports[0], reports[1] if len(reports) > 1 else None)


if __name__ == "__main__":
    sys.exit(main())
