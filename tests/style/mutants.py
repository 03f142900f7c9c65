#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""mutants.py [ROOT]: each bug of tests/mutants/mutants.toml still has its place in the source.

Whether the tests notice them is `make mutants`; this keeps the list alive when code moves.
"""

import sys
import tomllib
from pathlib import Path

import tree

LIST = Path("tests/mutants/mutants.toml")
LEAST = 40


def main() -> int:
    top = tree.root()
    report = tree.Report()
    text = tree.read(top / LIST)
    mutants = tomllib.loads(text)["mutant"]
    if len(mutants) < LEAST:
        report.add(LIST, 1, f"{len(mutants)} mutants, fewer than {LEAST}")
    names = [mutant["name"] for mutant in mutants]
    for mutant in mutants:
        name = mutant["name"]
        line = text[:text.index(f'name = "{name}"')].count("\n") + 1
        if names.count(name) > 1:
            report.add(LIST, line, "another mutant has the same name")
        path = top / mutant["file"]
        count = tree.read(path).count(mutant["old"]) if path.is_file() else 0
        if count != 1:
            report.add(LIST, line, f"`old` stands {count} times in {mutant['file']}, not once")
        if mutant["old"] == mutant["new"]:
            report.add(LIST, line, "the mutant changes nothing")
    return report.finish("mutants")


if __name__ == "__main__":
    sys.exit(main())
