#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""installed.py CMAKE BUILD CC EXAMPLES: a program elsewhere finds the library that was installed.

Installs the library of BUILD below a folder that is moved afterwards, and compiles the example in C
with what pkg-config says, and as a project of CMake's, against the shared library and, where it was
built, the static one.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def output(command: list[str], **environment: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False,
                            env=os.environ | environment)
    if result.returncode != 0:
        print(" ".join(command), result.stdout, result.stderr, sep="\n")
        sys.exit(1)
    return result.stdout


def main() -> int:
    cmake, build, cc = sys.argv[1:4]
    examples = Path(sys.argv[4])
    if not shutil.which("pkg-config"):
        print("no pkg-config here")
        return 77
    wanted = (examples / "expected.txt").read_text(encoding="ascii")
    with tempfile.TemporaryDirectory() as scratch:
        for component in ("library", "development"):
            output([cmake, "--install", build, "--component", component,
                    "--prefix", f"{scratch}/first"])
        prefix = Path(scratch, "moved").resolve()
        Path(scratch, "first").rename(prefix)
        (pc,) = prefix.rglob("heddle.pc")
        (shared,) = prefix.rglob("libheddle.so")

        def ask(*options: str) -> list[str]:
            return output(["pkg-config", *options, "heddle"],
                          PKG_CONFIG_PATH=str(pc.parent)).split()

        program = f"{scratch}/execute"
        source = str(examples / "execute.c")
        block = str(examples / "block.hex")
        static = shared.with_suffix(".a")
        kinds = {"shared": ask("--cflags", "--libs")}
        if static.exists():
            libraries = ask("--cflags", "--libs", "--static")
            kinds["static"] = [str(static) if word == "-lheddle" else word for word in libraries]
        for kind, flags in kinds.items():
            output([cc, "-std=c99", source, *flags, "-o", program])
            if output([program, block], LD_LIBRARY_PATH=str(shared.parent)) != wanted:
                print(f"linked with the {kind} library it says something else")
                return 1

        project = f"{scratch}/project"
        output([cmake, "-S", str(examples), "-B", project, f"-DCMAKE_C_COMPILER={cc}",
                f"-DCMAKE_PREFIX_PATH={prefix}"])
        output([cmake, "--build", project])
        programs = sorted(Path(project).glob("execute*"))
        if len(programs) != len(kinds):
            print(f"the project of CMake's made {len(programs)} programs of {len(kinds)}")
            return 1
        for program in programs:
            if output([str(program), block]) != wanted:
                print(f"{program.name} of the project of CMake's says something else")
                return 1
    print(f"linked with what pkg-config and find_package say: {', '.join(kinds)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
