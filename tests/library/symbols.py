#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""symbols.py NM READELF HEADER LIBRARY [STATIC]: libheddle exports its interface and nothing else.

The names that heddle.h declares, those that the shared library exports and those that can be seen
of the static one are the same, and the soname ends with the header's HEDDLE_INTERFACE.
"""

import re
import subprocess
import sys
from pathlib import Path


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def declared(header: str) -> set[str]:
    text = re.sub(r"//[^\n]*", "", header)
    return set(re.findall(r"HEDDLE_API[^;]*?\b(heddle_\w+)\(", text))


def exported(nm: str, *arguments: str) -> set[str]:
    names = set()
    for line in run(nm, *arguments).splitlines():
        parts = line.split()
        # The version's own name is absolute.
        if len(parts) == 3 and parts[1] != "A":
            names.add(parts[2].split("@")[0])
    return names


def main() -> int:
    nm, readelf, header_file, library, *static = sys.argv[1:]
    header = Path(header_file).read_text(encoding="utf-8")
    wanted = declared(header)
    seen = {library: exported(nm, "-D", "--defined-only", library)}
    for archive in static:
        seen[archive] = exported(nm, "-g", "--defined-only", archive)
    findings = 0 if len(wanted) > 10 else 1
    for file, names in seen.items():
        for name in sorted(wanted ^ names):
            print(f"{file}: {'lacks' if name in wanted else 'exports'} {name}")
            findings += 1
    interface = re.search(r"#define HEDDLE_INTERFACE (\d+)", header)
    soname = f"libheddle.so.{interface.group(1)}" if interface else "none"
    if f"Library soname: [{soname}]" not in run(readelf, "-d", library):
        print(f"{library}: the soname is not {soname}")
        findings += 1
    print(f"symbols: {len(wanted)} declared, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
