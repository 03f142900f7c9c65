#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""sources.py [ROOT]: no dead files. Every C++ file of a component, of the tests and of the benches
is named in the nearest CMakeLists.txt at or above its folder, and every name there exists. Headers
of the two support folders, which benches search both, have different names."""

import re
import sys
from pathlib import Path

import tree

ROOTS = ("vm", "ledger", "executor", "consensus-adapter", "node", "library", "tests",
         "bench")
NAMED = re.compile(r"[\w./-]+\.(?:cpp|hpp|inc)\b")


def nearest_list(top: Path, path: Path) -> Path | None:
    for folder in path.parents:
        if (top / folder / "CMakeLists.txt").exists() and folder != Path("."):
            return folder
    return None


def main() -> int:
    top = tree.root()
    report = tree.Report()
    listed: dict[Path, set[str]] = {}
    support: dict[str, Path] = {}
    for path in tree.files(top, {".cpp", ".hpp"}):
        if path.parts[0] not in ROOTS:
            continue
        if path.suffix == ".hpp" and path.parent in (Path("tests/support"), Path("bench/support")):
            if path.name in support:
                report.add(path, 1, f"has the name of {support[path.name]}")
            support[path.name] = path
        folder = nearest_list(top, path)
        if folder is None:
            report.add(path, 1, "no CMakeLists.txt above it")
            continue
        if folder not in listed:
            text = re.sub(r"#[^\n]*", "", tree.read(top / folder / "CMakeLists.txt"))
            text = text.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
            text = re.sub(r"\$\{\w+\}/\S*", "", text)  # generated, or of another folder
            listed[folder] = set(NAMED.findall(text))
            for name in sorted(listed[folder]):
                if not (top / folder / name).exists():
                    report.add(folder / "CMakeLists.txt", 1, f"{name} does not exist")
        name = path.relative_to(folder).as_posix()
        is_private_header = path.suffix == ".hpp" and "include" not in path.parts
        if name not in listed[folder] and not is_private_header:
            report.add(path, 1, f"not in {folder / 'CMakeLists.txt'}")
    return report.finish("sources")


if __name__ == "__main__":
    sys.exit(main())
