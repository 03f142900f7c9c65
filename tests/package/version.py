#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""version.py CMAKE VERSION_FILE: versions come from tags, and are there without them."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ENVIRONMENT = os.environ | {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org"}


class Tree:
    def __init__(self, cmake: str, source: str, folder: str) -> None:
        self.cmake = cmake
        self.folder = Path(folder)
        (self.folder / "cmake").mkdir()
        self.file = self.folder / "cmake" / "version.cmake"
        shutil.copy(source, self.file)

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", "-C", str(self.folder), *arguments], check=True, env=ENVIRONMENT,
                       capture_output=True)

    def commit(self) -> None:
        self.git("commit", "--allow-empty", "-m", "more")

    def version(self) -> list[str]:
        return subprocess.run([self.cmake, "-P", str(self.file)], check=True, env=ENVIRONMENT,
                              capture_output=True, text=True).stderr.split()


def main() -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(sys.argv[1], sys.argv[2], folder)
        fallback = tree.version()
        if len(fallback) != 2 or fallback[0] != fallback[1]:
            print(f"a tarball: {fallback}")
            wrong += 1
        if not shutil.which("git"):
            print("no git here: tags were left out")
            return 1 if wrong else 0
        tree.git("init", "-q")
        tree.commit()
        if tree.version() != fallback:
            print(f"no tags: {tree.version()}")
            wrong += 1
        tree.git("tag", "v3.4.5")
        tree.git("tag", "other")
        if tree.version() != ["3.4.5", "3.4.5"]:
            print(f"on a tag: {tree.version()}")
            wrong += 1
        tree.commit()
        version, package = tree.version()
        if version != "3.4.5" or not package.startswith("3.4.5+1.g"):
            print(f"behind a tag: {version} {package}")
            wrong += 1
        text = tree.file.read_text(encoding="utf-8")
        marked = text.replace("$Format:%(describe:tags=true,match=v[0-9]*)$", "v7.8.9-2-gabcdef0")
        shutil.rmtree(tree.folder / ".git")
        tree.file.write_text(marked, encoding="utf-8")
        if marked == text or tree.version() != ["7.8.9", "7.8.9+2.gabcdef0"]:
            print(f"an archive: {tree.version()}")
            wrong += 1
    print(f"version: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
