#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""mutants.py <copy of the repository> [<part of a name>...]: see run-mutants.sh."""

import argparse
import os
import subprocess
import sys
import tomllib
from pathlib import Path

JOBS = os.environ.get("JOBS") or str(os.cpu_count())
# A test that hangs has noticed something. The longest of them takes a minute.
TIMEOUT_S = 600


def run(command, tree, **options):
    return subprocess.run(command, cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False, **options).returncode


def build(tree, tests):
    programs = sorted({split(test)[0] for test in tests})
    return run(["ninja", "-C", "build/release", "-j", JOBS, *programs], tree) == 0


def split(test):
    """`program` or `program:FILTER`, as a program and the filter of its tests."""
    name, _, pattern = test.partition(":")
    return name, pattern or "*"


def has_noticed(tree, test):
    name, pattern = split(test)
    program = next((tree / "build/release/tests").rglob(name))
    try:
        return run([program, "--gtest_fail_fast", "--gtest_brief=1", f"--gtest_filter={pattern}"],
                   tree, timeout=TIMEOUT_S) != 0
    except subprocess.TimeoutExpired:
        return True


def try_mutant(tree, mutant):
    """What became of it: the test that noticed it, or one sentence."""
    path = tree / mutant["file"]
    original = path.read_text()
    if original.count(mutant["old"]) != 1:
        return None, "its text does not stand once in the file"
    path.write_text(original.replace(mutant["old"], mutant["new"]))
    try:
        if not build(tree, mutant["tests"]):
            return None, "it does not compile"
        for test in mutant["tests"]:
            if has_noticed(tree, test):
                return test, f"noticed by {test}"
        return None, "NOT NOTICED"
    finally:
        path.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path, help="copy of the repository")
    parser.add_argument("wanted", nargs="*", help="part of a name")
    given = parser.parse_args()
    tree, wanted = given.tree.resolve(), given.wanted
    mutants = tomllib.loads((tree / "tests/mutants/mutants.toml").read_text())["mutant"]
    mutants = [m for m in mutants if not wanted or any(part in m["name"] for part in wanted)]
    tests = sorted({test for mutant in mutants for test in mutant["tests"]})
    print(f"building {', '.join(tests)} without a mutant", flush=True)
    if run(["cmake", "--preset", "release"], tree) != 0 or not build(tree, tests):
        sys.exit("the tests do not build without a mutant")
    for test in tests:
        if has_noticed(tree, test):
            sys.exit(f"{test} fails without a mutant")
    noticed = explained = 0
    for mutant in mutants:
        test, outcome = try_mutant(tree, mutant)
        noticed += test is not None
        if test is None and "explained" in mutant and outcome == "NOT NOTICED":
            explained += 1
            outcome = f"not noticed: {mutant['explained']}"
        print(f"{mutant['name']}: {outcome}", flush=True)
    unnoticed = len(mutants) - noticed - explained
    print(f"{noticed} noticed, {explained} explained, {unnoticed} unnoticed")
    sys.exit(unnoticed != 0)


if __name__ == "__main__":
    main()
