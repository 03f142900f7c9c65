#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""ask_methods.py URL [NAME...]

Which of the methods in tests/vectors/offered_methods.txt, and of the names given, the program at
URL has. Each is called with more parameters than any takes, none of which it can mean: who has the
method refuses them, and does nothing."""

import argparse
import json
import sys
import urllib.error
import urllib.request
from pathlib import Path

OFFERED = Path(__file__).resolve().parents[2] / "tests" / "vectors" / "offered_methods.txt"
MEANINGLESS = [{"zz": [{}]}] * 13
NOT_THERE = (-32601, -32004)  # hardhat's is the latter


def has(url: str, name: str) -> bool:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": name, "params": MEANINGLESS})
    request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        answer = json.load(error)
    return (answer.get("error") or {}).get("code") not in NOT_THERE


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    url, names = given.url, given.names
    lines = [line.split() for line in OFFERED.read_text().splitlines()]
    offered = [words[0] for words in lines if words and words[0] != "#"]
    asked = sorted({*offered, *names})
    there = [name for name in asked if has(url, name)]
    print("\n".join(there))
    print(f"{len(there)} of {len(asked)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
