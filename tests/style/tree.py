#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""What the style checks share: which files there are, and source text without comments."""

import os
import re
import sys
from pathlib import Path

SKIPPED_FOLDERS = {".git", ".cache", "build", "target", "__pycache__", "corpus", "node_modules"}
TEXT_SUFFIXES = {
    ".cpp", ".hpp", ".rs", ".sol", ".py", ".sh", ".cmake", ".txt", ".md", ".json", ".toml", ".yaml",
    ".yml",
}


class Report:
    """Collects findings as `path:line: what`; finish() gives the exit code."""

    def __init__(self) -> None:
        self.findings: list[str] = []

    def add(self, path: Path, line: int, what: str) -> None:
        self.findings.append(f"{path}:{line}: {what}")

    def finish(self, what: str) -> int:
        for finding in sorted(set(self.findings)):
            print(finding)
        print(f"{what}: {len(self.findings)} findings")
        return 1 if self.findings else 0


def root() -> Path:
    """The tree to check: the first argument, else the repository this file is in."""
    if len(sys.argv) > 1:
        return Path(sys.argv[1]).resolve()
    return Path(__file__).resolve().parents[2]


def files(top: Path, suffixes: set[str] | None = None) -> list[Path]:
    """Every file of the project below `top`, relative to it, sorted."""
    found = []
    for folder, subfolders, names in os.walk(top):
        subfolders[:] = [name for name in subfolders if name not in SKIPPED_FOLDERS]
        for name in names:
            path = Path(folder, name)
            if path.is_file() and (suffixes is None or path.suffix in suffixes):
                found.append(path.relative_to(top))
    return sorted(found)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


def code_only(text: str) -> str:
    """C++ text with comments and the insides of literals blanked; line numbers stay."""

    def blank(match: re.Match) -> str:
        token = match.group(0)
        lines = "\n" * token.count("\n")
        return lines if token.startswith("/") else '""' + lines

    return _TOKEN.sub(blank, text)
