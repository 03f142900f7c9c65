#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""symbols.py NM ARCHIVE...: what is deterministic asks nobody outside (docs/determinism.md).

Looks at the symbols that the objects of vm, types, executor, ledger and of the inside of node refer
to. Clocks, sources of chance, the environment and sockets are among them only where ALLOWED says
why. An allowance that nothing needs any more is a finding, too.
"""

import re
import subprocess
import sys
from pathlib import Path

# Folders of node/src whose objects are inside. Of the rest of node nothing decides.
INSIDE_OF_NODE = ("building", "chain", "mempool", "shim")
NODE_ARCHIVE = "libnode_lib.a"

OUTSIDE = re.compile(
    r"^(std::chrono::_V2::\w+::now\(\)|std::random_device::.*"
    r"|clock_gettime|clock_getres|gettimeofday|time|times|clock|timespec_get"
    r"|localtime(_r)?|gmtime(_r)?"
    r"|rand|rand_r|srand|random|srandom|[dlmnej]rand48|getrandom|getentropy|arc4random\w*|RAND_\w+"
    r"|getenv|secure_getenv|setenv|putenv|unsetenv|environ|setlocale|uselocale|newlocale|localeconv"
    r"|std::locale::global\(.*"
    r"|socket|connect|bind|listen|accept4?|recv(from|msg)?|send(to|msg)?|getaddrinfo|gethost\w+)$"
)

STEADY = "std::chrono::_V2::steady_clock::now()"
# (object, what it refers to): why it decides nothing.
ALLOWED = {
    ("keyed_hash.cpp.o", "getentropy"):
        "the key of hash tables, against crafted collisions; order in them never shows (ADR 15)",
    ("mixed_executor.cpp.o", STEADY): "times blocks to choose who executes the next ones",
    ("listed_executor.cpp.o", STEADY): "statistics of time",
    ("listed_workers.cpp.o", STEADY): "statistics of time, and artificial delays of tests",
    ("parallel_attempts.cpp.o", STEADY): "statistics of time",
    ("parallel_executor.cpp.o", STEADY): "statistics of time",
    ("serial_executor.cpp.o", STEADY): "statistics of time",
    ("batch_execution.cpp.o", STEADY): "statistics of time",
    ("aria_building.cpp.o", STEADY): "statistics of time",
    ("execution_log.cpp.o", STEADY): "how blocks ran, for the page; nothing decides by it",
    ("early_scheduler.cpp.o", STEADY): "statistics of time",
    ("block_finisher.cpp.o", STEADY): "statistics of time",
    ("committer.cpp.o", STEADY): "statistics of time",
    ("open_block.cpp.o", STEADY): "statistics of time",
    ("block_writer.cpp.o", STEADY): "when what is written is forced to the disk",
    ("durable_ledger.cpp.o", STEADY): "statistics of time",
    ("shim.cpp.o", STEADY): "the shim itself, where nothing is recorded",
    ("recorder.cpp.o", STEADY): "the shim itself: what it reads is in the log",
}


def references(nm: str, archive: str):
    """Yields (object, symbol) for what the objects of an archive need from elsewhere."""
    listing = subprocess.run([nm, "-C", "--undefined-only", archive], check=True,
                             capture_output=True, text=True).stdout
    name = ""
    for line in listing.splitlines():
        if line.endswith(":"):
            name = line.removesuffix(":")
        elif parts := line.split(None, 1):
            symbol = parts[1] if len(parts) == 2 else ""
            yield name, re.sub(r"@+[\w.]+$", "", symbol)


def inside_of_node() -> set[str]:
    """The objects of node_lib that are inside, by the names that they have in the archive."""
    sources = Path(__file__).resolve().parents[2] / "node" / "src"
    return {f"{path.name}.o" for folder in INSIDE_OF_NODE
            for path in (sources / folder).glob("*.cpp")}


def main() -> int:
    nm, *archives = sys.argv[1:]
    inside = inside_of_node()
    findings = []
    used = set()
    objects = set()
    for archive in archives:
        for name, symbol in references(nm, archive):
            if Path(archive).name == NODE_ARCHIVE and name not in inside:
                continue
            objects.add(name)
            if not OUTSIDE.match(symbol):
                continue
            if (name, symbol) in ALLOWED:
                used.add((name, symbol))
            else:
                findings.append(f"{Path(archive).name}: {name} refers to {symbol}")
    findings += [f"{name} does not refer to {symbol} any more" for name, symbol in
                 sorted(set(ALLOWED) - used)]
    print("\n".join(findings))
    print(f"{len(objects)} objects looked at\nsymbols: {len(findings)} findings")
    return 1 if findings or not objects else 0


if __name__ == "__main__":
    sys.exit(main())
