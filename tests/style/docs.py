#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""docs.py [ROOT]: the documents tell the truth about the tree.

Relative links and their anchors resolve, the glossary's words occur in the files beside them,
`make` targets and scripts that are mentioned exist, the README and the style guide stay short. What
there is has its place in the lists: forks, public headers, decisions, folders of tests, metrics.
"""

import re
import sys
from pathlib import Path

import tree

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MAKE = re.compile(r"`make ([a-z]+)`|^\s*make ([a-z]+)", re.MULTILINE)
SCRIPT = re.compile(
    r"(?<![\w/.-])((?:scripts|tests|docs|bench|cmake)/[\w./-]+\.(?:sh|py|md|cmake))")
FILE_IN_CODE = re.compile(r"`([\w-]+(?:/[\w.-]+)+\.(?:cpp|hpp|md|py|sh|rs))`")
FORKS = Path("vm/types/include/types/fork.hpp")
FORK_TABLE = Path("docs/evm-coverage.md")
FORK_ROW = re.compile(r'\bFork\{"([^"]+)", "[^"]*",\s*Revision::')
METRIC = re.compile(r'"(heddle_[a-z]+_[a-z_]+)"')
LIMITS = {"README.md": 150, "docs/style.md": 200}


def anchors(text: str) -> set[str]:
    found = set()
    for line in text.splitlines():
        match = re.match(r"#+\s+(.*)", line)
        if match:
            heading = re.sub(r"[^\w\- ]", "", match.group(1).lower())
            found.add(heading.strip().replace(" ", "-"))
    return found


def without_blocks(text: str) -> str:
    return re.sub(r"^```.*?^```", lambda m: "\n" * m.group(0).count("\n"), text,
                  flags=re.DOTALL | re.MULTILINE)


def check_links(report: tree.Report, top: Path, path: Path, text: str) -> None:
    for number, line in enumerate(without_blocks(text).splitlines(), 1):
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            destination = (top / path.parent / file).resolve() if file else top / path
            if not destination.exists():
                report.add(path, number, f"link to nothing: {target}")
            elif anchor and destination.suffix == ".md":
                if anchor not in anchors(tree.read(destination)):
                    report.add(path, number, f"no such heading: {target}")


def check_mentions(report: tree.Report, top: Path, path: Path, text: str) -> None:
    makefile = tree.read(top / "Makefile") if (top / "Makefile").exists() else ""
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    for number, line in enumerate(text.splitlines(), 1):
        for quoted, plain in MAKE.findall(line):
            if (quoted or plain) not in targets:
                report.add(path, number, f"no make target {quoted or plain}")
        for name in SCRIPT.findall(line) + FILE_IN_CODE.findall(line):
            if not (top / name).exists() and not (top / path.parent / name).exists():
                report.add(path, number, f"no file {name}")


def check_glossary(report: tree.Report, top: Path, path: Path, text: str) -> None:
    for number, line in enumerate(text.splitlines(), 1):
        links = LINK.findall(line)
        if not line.startswith("|") or not links:
            continue
        target = (top / path.parent / links[0]).resolve()
        words = set(re.findall(r"\w+", tree.read(target))) if target.exists() else set()
        for word in re.findall(r"`(\w+)`", line):
            if target.exists() and word not in words:
                report.add(path, number, f"{links[0]} does not contain {word}")


def check_forks(report: tree.Report, top: Path) -> None:
    if not (top / FORKS).exists():
        return
    names = FORK_ROW.findall(tree.read(top / FORKS))
    if not names:
        report.add(FORKS, 1, "no rows of forks found")
    table = tree.read(top / FORK_TABLE) if (top / FORK_TABLE).exists() else ""
    for name in names:
        if f"\n| {name} |" not in table:
            report.add(FORK_TABLE, 1, f"no row for the fork {name}")


def check_list(report: tree.Report, top: Path, page: Path, names: list[str]) -> None:
    text = tree.read(top / page) if (top / page).exists() else ""
    for name in names:
        if name not in text:
            report.add(page, 1, f"does not name {name}")


def check_lists(report: tree.Report, top: Path) -> None:
    files = tree.files(top)
    for path in files:
        if "include" in path.parts[:-1]:
            component = Path(*path.parts[:path.parts.index("include")])
            check_list(report, top, component / "README.md", [path.name])
    check_list(report, top, Path("docs/adr/README.md"),
               [f"({path.name})" for path in files
                if path.parent == Path("docs/adr") and path.name[0].isdigit()])
    check_list(report, top, Path("tests/README.md"),
               sorted({f"`{path.parts[1]}`" for path in files
                       if path.parts[0] == "tests" and len(path.parts) > 2}))


def check_metrics(report: tree.Report, top: Path) -> None:
    """By their names, or as `…rest` in a line that has a name of the same part before."""
    lines = [line for path in tree.files(top, {".md"}) if path.parts[0] == "docs"
             for line in tree.read(top / path).splitlines() if "heddle_" in line]
    for path in tree.files(top / "node/src/service", {".cpp"}):
        for name in METRIC.findall(tree.read(top / "node/src/service" / path)):
            part = "_".join(name.split("_")[:2])
            if not any(re.search(rf"`{name}\b", line) or
                       (f"`{part}_" in line and any(name.endswith(f"_{rest}") for rest in
                                                   re.findall(r"`…(\w+)", line)))
                       for line in lines):
                report.add(Path("node/src/service", path), 1, f"no page explains {name}")


def main() -> int:
    top = tree.root()
    report = tree.Report()
    check_forks(report, top)
    check_lists(report, top)
    check_metrics(report, top)
    for path in tree.files(top, {".md"}):
        text = tree.read(top / path)
        check_links(report, top, path, text)
        if path.name != "CHANGELOG.md" and path.parts[:2] != ("docs", "adr"):
            check_mentions(report, top, path, text)
        if path.name == "glossary.md":
            check_glossary(report, top, path, text)
        limit = LIMITS.get(path.as_posix())
        if limit and len(text.splitlines()) > limit:
            report.add(path, limit, f"longer than {limit} lines")
    return report.finish("docs")


if __name__ == "__main__":
    sys.exit(main())
