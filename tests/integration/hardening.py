#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""hardening.py PROGRAM: whether the program has what cmake/hardening.cmake asks for.

Exit code 77, which ctest takes for skipped, where there is no readelf.
"""

import re
import shutil
import subprocess
import sys

SKIPPED = 77


def readelf(*arguments: str) -> str:
    return subprocess.run(["readelf", "--wide", *arguments], capture_output=True, text=True,
                          check=True).stdout


def main() -> int:
    program = sys.argv[1]
    if not shutil.which("readelf"):
        print("hardening: there is no readelf")
        return SKIPPED
    header = readelf("--file-header", program)
    segments = readelf("--program-headers", program)
    dynamic = readelf("--dynamic", program)
    symbols = readelf("--dyn-syms", program)
    stack = re.search(r"GNU_STACK .*", segments)
    wanted = {
        "lies elsewhere each time (PIE)": "DYN " in header,
        "has a stack without code": stack is not None and " RWE " not in stack.group(),
        "has tables of the linker that become read-only (RELRO)": "GNU_RELRO" in segments,
        "has all of them resolved before main() (BIND_NOW)":
            re.search(r"BIND_NOW|\bNOW\b", dynamic),
        "has canaries on the stack": "__stack_chk_fail" in symbols,
        "calls checked functions of the C library": re.search(r"__\w+_chk\b", symbols),
    }
    if "X86-64" in header:
        wanted["allows a shadow stack (SHSTK)"] = "SHSTK" in readelf("--notes", program)
    for what, there in wanted.items():
        print(f"{'yes' if there else 'NO '} {what}")
    return 0 if all(wanted.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
