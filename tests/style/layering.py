#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""layering.py [ROOT]: every include obeys the layers of docs/architecture.md.

The link lines already keep most wrong includes from compiling; this check also sees those hidden
behind #ifdef, standard headers that make the vm impure, private headers of a neighbour, and
includes that go up from one folder of a component to another.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import tree

OURS = {"types", "vm", "ledger", "executor", "consensus_adapter", "node", "workload", "measure"}
# Of node, what is a library of its own (heddle_formats), and what its faces are in terms of.
SHARED_BY_NODE = {"formats/genesis_json.hpp", "formats/json.hpp", "formats/networks.hpp",
                  "program/error.hpp"}
IMPURE = {
    "atomic", "barrier", "chrono", "condition_variable", "ctime", "future", "iostream", "latch",
    "mutex", "random", "semaphore", "shared_mutex", "stop_token", "thread", "time.h", "pthread.h",
}


@dataclass
class Component:
    folder: str
    public: set[str]  # our components that its public headers may include
    private: set[str]  # those that only its sources may include
    libraries: set[str] = field(default_factory=set)  # third-party include prefixes
    banned: set[str] = field(default_factory=set)  # standard headers
    borrowed: set[str] = field(default_factory=set)  # private headers of node


COMPONENTS = [
    Component("vm/types", {"types"}, set(), {"fmt", "secp256k1.h", "secp256k1_recovery.h"},
              {"thread", "mutex", "random", "chrono", "iostream"}),
    Component("vm", {"types", "vm"}, set(),
              {"fmt", "openssl", "gmp.h", "secp256k1.h", "secp256k1_recovery.h"}, IMPURE),
    Component("ledger", {"types", "ledger"}, set(), {"fmt", "tbb", "oneapi", "rocksdb"}),
    Component("executor", {"types", "executor"}, {"vm"}, {"fmt", "tbb", "oneapi"}),
    Component("consensus-adapter", {"types", "executor", "consensus_adapter"}, set(),
              {"fmt", "boost", "google", "openssl", "snappy.h", "tbb"}),
    Component("node/workload", {"types", "workload"}, {"vm"},
              {"fmt", "secp256k1.h", "secp256k1_recovery.h"}),
    Component("node/measure", {"types", "executor", "workload", "measure"}, set()),
    Component("library", set(), {"types", "vm", "executor"}, {"heddle.h"},
              borrowed=SHARED_BY_NODE),
    Component("node",
              {"types", "vm", "ledger", "executor", "consensus_adapter", "workload", "measure"},
              set(),
              {"fmt", "boost", "CLI", "tbb", "oneapi", "spdlog", "snappy.h", "mimalloc.h",
               "toml++", "openssl", "prometheus"}),
]
# Folders of a component, ground floor first: a file includes what is in its own folder or further
# down. What lies in the same tuple does not include each other. A header of the component's `src/`
# itself may be given a floor as well; what is there and has none stands above all folders. "*" is
# every folder that is not named.
FLOORS = {
    "executor": [
        ("workers",),
        ("state",),
        ("scheduler_settings.hpp",),
        ("scheduler.hpp",),
        ("stream",),
        ("parallel_settings.hpp",),
        ("dag",),  # whose parts other policies use
        ("*",),  # a folder for each scheduling policy
        ("aria",),  # falls back on the DAG
    ],
    "node": [
        ("program",),
        ("formats",),
        ("logging", "inputs"),
        ("shim",),
        ("chain",),
        ("mempool",),
        ("building", "tracing", "cometbft", "follow", "load"),
        ("replication", "forking"),  # over what follows
        ("simulation", "development", "rpc/envelope"),
        ("lanes",),  # asks and answers JSON-RPC
        ("rpc/transport", "rpc/queries"),
        ("rpc/methods",),
        ("service", "suites", "benchmark", "commands"),
        ("network",),
    ],
}
# The storage engine stays behind these files, wherever the ledger grows.
ROCKSDB_FILES = {
    "ledger/src/storage/database.cpp",
    "ledger/src/storage/file_merger.cpp",
    "ledger/src/storage/file_merger.hpp",
    "ledger/src/storage/rocks_batch.hpp",
    "ledger/src/storage/rocks_buffer.cpp",
    "ledger/src/storage/rocks_buffer.hpp",
    "ledger/src/storage/rocks_environment.cpp",
    "ledger/src/storage/rocks_folder.cpp",
    "ledger/src/storage/rocks_folder.hpp",
    "ledger/src/storage/rocks_log.hpp",
    "ledger/src/storage/rocks_manifest.cpp",
    "ledger/src/storage/rocks_options.cpp",
    "ledger/src/storage/rocks_options.hpp",
    "ledger/src/storage/rocks_pinning.hpp",
    "ledger/src/storage/rocks_versions.hpp",
}
# Its headers take seconds to read.
CLI_FILE = "node/src/program/command_line.cpp"

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')


def is_standard(name: str) -> bool:
    system = name.startswith(("sys/", "netinet/", "arpa/")) or name in {
        "fcntl.h", "unistd.h", "pthread.h", "time.h", "immintrin.h", "cpuid.h", "signal.h",
        "sched.h", "sanitizer/asan_interface.h", "spawn.h", "stdint.h", "termios.h", "x86intrin.h",
    }
    return system or re.fullmatch(r"[a-z0-9_]+", name) is not None


def check_angled(component: Component, path: Path, name: str) -> str | None:
    first = name.split("/")[0]
    is_public = "/include/" in f"/{path.as_posix()}"
    if "/" in name and first in OURS:
        if first in component.public or (first in component.private and not is_public):
            return None
        where = "a public header of " if is_public else ""
        return f"{where}{component.folder} must not include <{name}>"
    if is_standard(name):
        return f"{component.folder} must not include <{name}>" if name in component.banned else None
    if first == "rocksdb" and path.as_posix() not in ROCKSDB_FILES:
        return ("RocksDB is included in database.cpp, file_merger and rocks_* of "
                "ledger/src/storage only")
    if first == "CLI" and path.as_posix() != CLI_FILE:
        return "CLI11 is included in command_line.cpp only"
    if first not in component.libraries:
        return f"{component.folder} must not include <{name}>"
    return None


def check_quoted(top: Path, component: Component, path: Path, name: str) -> str | None:
    if ".." in Path(name).parts:
        return f'"{name}": no ".." in an include'
    if "/include/" in f"/{path.as_posix()}":
        return f'"{name}": a public header includes with <> only'
    if name.endswith(".pb.h"):  # made from a file that is there
        name = name.removesuffix(".pb.h") + ".proto"
    if name in component.borrowed:
        return None if (top / "node" / "src" / name).exists() else f'"{name}" is gone'
    candidates = [top / component.folder / "src" / name, top / path.parent / name]
    if not any(candidate.exists() for candidate in candidates):
        return f'"{name}" is no private header of {component.folder}'
    return None


def place_of(name: Path) -> str:
    """What has a floor: a file's folder below `src/`, or the file itself where it is in none."""
    folder = name.parent.as_posix()
    return name.name if folder == "." else folder


def floor_of(component: Component, place: str) -> int | None:
    floors = FLOORS[component.folder]
    is_file = place.endswith((".cpp", ".hpp", ".inc"))
    for wanted in (place, None if is_file else "*"):
        for number, places in enumerate(floors):
            if wanted in places:
                return number
    return len(floors) if is_file else None


def check_floor(component: Component, path: Path, name: str) -> str | None:
    if component.folder not in FLOORS:
        return None
    source = Path(component.folder, "src")
    if not path.is_relative_to(source) or ".." in Path(name).parts:
        return None
    from_place, to_place = place_of(path.relative_to(source)), place_of(Path(name))
    from_floor, to_floor = floor_of(component, from_place), floor_of(component, to_place)
    if from_floor is None or to_floor is None:
        unknown = from_place if from_floor is None else to_place
        return f"the folder {source}/{unknown} has no floor: see FLOORS in layering.py"
    above_all = len(FLOORS[component.folder])
    if from_place == to_place or from_floor == above_all:
        return None
    if to_floor >= from_floor:
        return f'"{name}": {from_place} must not include {to_place}, which is not below it'
    return None


def owner(path: Path) -> Component | None:
    text = path.as_posix()
    for component in COMPONENTS:  # vm/types stands before vm
        if text.startswith(component.folder + "/"):
            return component
    return None


def main() -> int:
    top = tree.root()
    report = tree.Report()
    seen = 0
    for path in tree.files(top, {".cpp", ".hpp", ".inc"}):
        component = owner(path)
        if component is None:
            continue
        seen += 1
        for number, line in enumerate(tree.read(top / path).splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            angled, quoted = match.groups()
            problem = (check_angled(component, path, angled) if angled
                       else check_floor(component, path, quoted) or
                       check_quoted(top, component, path, quoted))
            if problem:
                report.add(path, number, problem)
    print(f"{seen} files looked at")
    return report.finish("layering")


if __name__ == "__main__":
    sys.exit(main())
