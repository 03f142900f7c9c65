#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""units.py [ROOT]: services give away as little as they can.

`systemd-analyze security` rates each unit of node/install below 3.0. Where it is not installed the
settings that a unit must have are looked for in its text, which says less.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tree

MOST_EXPOSED = 30  # tenths
NEEDED = ["NoNewPrivileges=true", "CapabilityBoundingSet=", "SystemCallFilter=@system-service",
          "ProtectSystem=strict", "PrivateDevices=true", "MemoryDenyWriteExecute=true",
          "RestrictNamespaces=true", "UMask=0027"]


def check_text(report: tree.Report, path: Path, text: str) -> None:
    lines = text.splitlines()
    for needed in NEEDED:
        if needed not in lines:
            report.add(path, 1, f"lacks {needed}")


def check_exposure(report: tree.Report, path: Path, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder) / path.name.removesuffix(".in")
        unit.write_text(re.sub(r"@\w+@", "/usr/bin", text))
        result = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--no-pager",
             f"--threshold={MOST_EXPOSED}", str(unit)],
            capture_output=True, text=True, check=False)
        if result.returncode != 0:
            said = (result.stdout + result.stderr).strip().splitlines()
            report.add(path, 1, said[-1] if said else "cannot be rated")


def main() -> int:
    report = tree.Report()
    top = tree.root()
    for file in sorted((top / "node" / "install").glob("*.service.in")):
        text = tree.read(file)
        check_text(report, file.relative_to(top), text)
        if shutil.which("systemd-analyze"):
            check_exposure(report, file.relative_to(top), text)
    return report.finish("units")


if __name__ == "__main__":
    sys.exit(main())
