#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on files, several at once, and remembers which were clean.

tidy.py CLANG_TIDY BUILD_FOLDER [REGULAR_EXPRESSION...]

Reads the files in BUILD_FOLDER/compile_commands.json whose paths match one of the expressions
(default: all). A file is not read again while what the compiler would see of it, comments and
macros among it, the rules of .clang-tidy and the program are the same as when it was found to be
clean: to find that out takes a sixth of the time. BUILD_FOLDER/clean holds an empty file for each;
remove it to begin anew. JOBS (default: all processors) says how many run at once.

Prints the findings; exit code 1 if there are any.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys


def preprocessing(entry):
    """The command of a compilation, made to print what the compiler sees."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    command = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word == "-o":
            skip = True
        elif word != "-c":
            command.append(word)
    return command + ["-E", "-C", "-dD", "-w"]


class Reader:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.clean = folder / "clean"
        self.clean.mkdir(exist_ok=True)
        version = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
        rules = pathlib.Path(".clang-tidy").read_bytes()
        self.common = hashlib.sha256(version + b"\0" + rules).digest()

    def digest(self, path, entries):
        """Of all that decides what clang-tidy says; None if the file cannot be preprocessed."""
        own = hashlib.sha256(self.common + path.encode())
        for entry in entries:
            done = subprocess.run(
                preprocessing(entry), cwd=entry["directory"], capture_output=True, check=False
            )
            if done.returncode != 0:
                return None
            own.update(hashlib.sha256(done.stdout).digest())
        return own.hexdigest()

    def read(self, path, entries):
        """@return what clang-tidy says; None: the file was clean before."""
        digest = self.digest(path, entries)
        mark = self.clean / digest if digest is not None else None
        if mark is not None and mark.exists():
            return None
        command = [self.program, "-p", str(self.folder), "-quiet", path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0 and mark is not None:
            mark.touch()
        return "" if done.returncode == 0 else done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="clang_tidy")
    parser.add_argument("folder", metavar="build_folder", type=pathlib.Path)
    parser.add_argument("wanted", metavar="regular_expression", nargs="*", default=[""])
    given = parser.parse_args()
    program, folder = given.program, given.folder
    wanted = [re.compile(text) for text in given.wanted]
    commands = json.loads((folder / "compile_commands.json").read_text())
    entries = {}  # some files are compiled more than once; clang-tidy reads all of it at once
    for entry in commands:
        if any(expression.search(entry["file"]) for expression in wanted):
            entries.setdefault(entry["file"], []).append(entry)
    reader = Reader(program, folder)
    jobs = int(os.environ.get("JOBS") or len(os.sched_getaffinity(0)))
    read = 0
    failed = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        readings = {
            pool.submit(reader.read, path, ways): path for path, ways in sorted(entries.items())
        }
        for reading in concurrent.futures.as_completed(readings):
            said = reading.result()
            read += said is not None
            if said:
                failed.append(readings[reading])
                print(said, flush=True)
    print(f"clang-tidy: {len(entries)} files, {read} of them read, {len(failed)} with findings")
    for path in sorted(failed):
        print(f"  {path}")
    return 1 if failed or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
