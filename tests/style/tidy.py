#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""tidy.py [ROOT]: what a formatter and a compiler do not check.

File size, file heads, tabs, trailing spaces, line length, reminders without an issue, constructs
that docs/style.md refuses, scripts that do not answer --help.
"""

import re
import sys
from pathlib import Path

import tree

MAX_FILE_LINES = 500
MAX_LINE = 100
HEAD = [
    "Heddle: a smart-contract execution engine.",
    "Copyright 2026 The heddle Authors",
    "SPDX-License-Identifier: Apache-2.0",
]
# path -> why it may be longer than MAX_FILE_LINES
LONG_FILES: dict[str, str] = {}

SIZED = {".cpp", ".hpp", ".rs", ".py", ".sh", ".cmake", ".sol"}
WIDE = {".cpp", ".hpp", ".rs", ".py", ".sh", ".cmake"}
WIDE_NAMES = {"CMakeLists.txt"}
HEADED = {".cpp": "//", ".hpp": "//", ".rs": "//", ".py": "#", ".sh": "#", ".cmake": "#"}

CORE = ("vm/", "executor/", "ledger/")
STATE = ("vm/", "ledger/", "executor/")
# (pattern over code without comments, where it is refused, why)
BANNED = [
    (r"\bthrow\b|\btry\s*\{|\bcatch\s*\(", CORE, "no exceptions here: return std::expected"),
    (r"\bassert\s*\(", ("",), "use HEDDLE_ASSERT"),
    (r"\bfloat\b|\bdouble\b", STATE, "no floating point where state is computed"),
    (r"\bstd::hash\b", STATE, "std::hash differs between libraries"),
    (r"\bstd::(cout|cerr|clog)\b|\bprintf\s*\(", CORE + ("consensus-adapter/",),
     "only node talks to the user"),
    (r"\batomic_thread_fence\b", ("",), "order on the word itself; TSan cannot see fences"),
    (r"\.detach\s*\(\)", ("",), "no detached threads"),
    (r"\bsleep_for\b|\busleep\s*\(", CORE + ("consensus-adapter/",), "no sleeping to order things"),
    (r"\bhardware_concurrency\b", ("",),
     "counts processors that the process may not use: processor_count() of types"),
    (r"^\s*#\s*if\s+0\b", ("",), "no dead code"),
    (r"\bstd::endl\b", ("",), "std::endl flushes; write '\\n'"),
    (r"\bstd::rand\b|\bsrand\s*\(", ("",), "use a seeded generator"),
]
BANNED_HEADER = [(r"^\s*using\s+namespace\b", "no using namespace in a header")]
COMMENT_MARKS = re.compile(r"^\s*(/\*\*|//!)")
REMINDER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\): )")
MACHINE_PATHS = re.compile(r"(?<![\w.-])/(work|tmp/fx)(/|\b)")


def comment_mark(path: Path) -> str | None:
    if path.name == "CMakeLists.txt" or path.name == "Makefile" or path.as_posix() == ".ci/run":
        return "#"
    return HEADED.get(path.suffix)


def check_head(report: tree.Report, path: Path, lines: list[str]) -> None:
    mark = comment_mark(path)
    if mark is None:
        return
    start = 1 if lines and lines[0].startswith("#!") else 0
    for offset, text in enumerate(HEAD):
        index = start + offset
        if index >= len(lines) or lines[index] != f"{mark} {text}":
            report.add(path, index + 1, f'file head: expected "{mark} {text}"')
            return
    if path.suffix == ".hpp":
        if "#pragma once" not in lines:
            report.add(path, 1, "a header needs #pragma once")
        if len(lines) < 5 or not (lines[3] == "//" and lines[4].startswith("// ")):
            report.add(path, 4, "a header says what it is for, in a paragraph after the file head")


def check_lines(report: tree.Report, path: Path, lines: list[str]) -> None:
    for number, line in enumerate(lines, 1):
        if "\t" in line and path.name != "Makefile":
            report.add(path, number, "tab")
        if line != line.rstrip():
            report.add(path, number, "trailing space")
        if len(line) > MAX_LINE and (path.suffix in WIDE or path.name in WIDE_NAMES):
            report.add(path, number, f"{len(line)} columns, the limit is {MAX_LINE}")
        if path.parts[:2] != ("tests", "style"):
            if REMINDER.search(line) and path.suffix in SIZED:
                report.add(path, number, "a reminder names its issue: TODO(#12): ...")
            if MACHINE_PATHS.search(line):
                report.add(path, number, "a path of one machine")


def check_script(report: tree.Report, path: Path, text: str) -> None:
    """Before a script does anything it looks whether help is all that is wanted."""
    if path.parts[0] != "scripts" or "\n# Sourced by other scripts" in text:
        return
    commands = [line for line in text.splitlines() if line and not line.startswith("#")]
    if len(commands) < 2 or commands[0] != "set -euo pipefail" or \
            not re.match(r'source "\$\(dirname "\$0"\)(/\.\.)?/help\.sh"', commands[1]):
        report.add(path, 1, "a script begins with `set -euo pipefail` and sources help.sh")


def check_code(report: tree.Report, path: Path, text: str) -> None:
    code = tree.code_only(text)
    where = path.as_posix()
    for number, line in enumerate(code.splitlines(), 1):
        for pattern, folders, why in BANNED:
            if where.startswith(folders) and re.search(pattern, line):
                report.add(path, number, why)
        if path.suffix == ".hpp":
            for pattern, why in BANNED_HEADER:
                if re.search(pattern, line):
                    report.add(path, number, why)
    for number, line in enumerate(text.splitlines(), 1):
        if COMMENT_MARKS.match(line):
            report.add(path, number, "documentation comments are ///")


def main() -> int:
    top = tree.root()
    report = tree.Report()
    for path in tree.files(top):
        if path.suffix not in tree.TEXT_SUFFIXES and comment_mark(path) is None:
            continue
        if path.suffix in {".json", ".txt"} and path.name != "CMakeLists.txt":
            continue
        try:
            text = tree.read(top / path)
        except UnicodeDecodeError:
            report.add(path, 1, "not UTF-8")
            continue
        lines = text.splitlines()
        if text and not text.endswith("\n"):
            report.add(path, len(lines), "no newline at the end")
        if path.suffix in SIZED and len(lines) > MAX_FILE_LINES:
            if path.as_posix() not in LONG_FILES:
                report.add(path, len(lines), f"{len(lines)} lines, the limit is {MAX_FILE_LINES}")
        check_head(report, path, lines)
        check_lines(report, path, lines)
        if path.suffix == ".sh":
            check_script(report, path, text)
        if path.suffix in {".cpp", ".hpp"}:
            check_code(report, path, text)
    return report.finish("tidy")


if __name__ == "__main__":
    sys.exit(main())
