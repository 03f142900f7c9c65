#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""examples.py CC LIBRARY_FOLDER LIBHEDDLE STATIC: the examples of library/ say the same.

Compiled as their comments say, in C against the shared and, where STATIC is not empty, the static
library; in Rust where there is rustc. What is left out is said.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wstrict-prototypes",
          "-Werror"]
# As heddle.pc lists them.
STATIC_LIBRARIES = ["-lboost_json", "-lfmt", "-lsecp256k1", "-lcrypto", "-lgmp", "-lstdc++",
                    "-lpthread", "-ldl", "-lm"]


def output(command: list[str], **kwargs) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False, **kwargs)
    if result.returncode != 0:
        print(" ".join(command), result.stdout, result.stderr, sep="\n")
        sys.exit(1)
    return result.stdout


def main() -> int:
    cc, library, shared, static = sys.argv[1:5]
    examples = Path(library) / "examples"
    folder = str(Path(shared).parent)
    block = str(examples / "block.hex")
    include = ["-I", str(Path(library) / "include")]
    environment = os.environ | {"LD_LIBRARY_PATH": folder, "HEDDLE_LIBRARY": shared}
    outputs = {}
    with tempfile.TemporaryDirectory() as scratch:
        program = f"{scratch}/execute"
        source = str(examples / "execute.c")
        output([cc, *STRICT, *include, source, f"-L{folder}", "-lheddle", "-o", program])
        outputs["C"] = output([program, block], env=environment)
        if static:
            output([cc, *STRICT, *include, source, static, *STATIC_LIBRARIES, "-o", program])
            outputs["C, static"] = output([program, block])
        else:
            print("no static library here: it was not linked against")
        outputs["Python"] = output(
            [sys.executable, "-B", str(examples / "execute.py"), block], env=environment)
        if shutil.which("rustc"):
            output(["rustc", "--edition", "2021", "-D", "warnings", str(examples / "execute.rs"),
                    "-L", folder, "-o", program])
            outputs["Rust"] = output([program, block], env=environment)
        else:
            print("no rustc here: the example in Rust was left out")
    wanted = (examples / "expected.txt").read_text(encoding="ascii")
    wrong = [name for name, text in outputs.items() if text != wanted]
    for name in wrong:
        print(f"--- {name}", outputs[name], sep="\n")
    print(f"{len(outputs)} examples ran: {', '.join(outputs)}; {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
