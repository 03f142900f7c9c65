#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""services.py CMAKE BUILD: services start what is installed, configured as documented.

Installs the program of BUILD below a folder, and looks at its units; with systemd-analyze too,
where that is here.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def started(unit: Path) -> list[str]:
    lines = unit.read_text(encoding="utf-8").splitlines()
    (command,) = (line for line in lines if line.startswith("ExecStart="))
    return command.removeprefix("ExecStart=").split()


def main() -> int:
    cmake, build = sys.argv[1:]
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        prefix = Path(scratch).resolve() / "prefix"
        subprocess.run([cmake, "--install", build, "--component", "program", "--prefix", prefix],
                       check=True, stdout=subprocess.DEVNULL)
        heddle = str(prefix / "bin/heddle")
        cometbft = prefix / "bin/cometbft"  # comes from elsewhere
        shutil.copy("/bin/true", cometbft)
        wanted = {
            "heddle": [heddle, "node", "--config", "/etc/heddle/node.toml"],
            "heddle-validator": [heddle, "supervise", "--home", "/var/lib/heddle/validator",
                                 "--cometbft", str(cometbft)],
        }
        units = {unit.stem: unit for unit in (prefix / "lib/systemd/system").iterdir()}
        if units.keys() != wanted.keys():
            wrong.append(f"there are {', '.join(sorted(units))}")
        for name, unit in units.items():
            if started(unit) != wanted.get(name):
                wrong.append(f"{name} starts {' '.join(started(unit))}")
        if shutil.which("systemd-analyze"):
            verified = subprocess.run(
                ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no",
                 *map(str, units.values())], capture_output=True, text=True, check=False)
            wrong += [line for line in verified.stderr.splitlines() if str(prefix) in line]
        else:
            print("no systemd-analyze here: what units say was not verified")
    for finding in wrong:
        print(finding)
    print(f"services: {len(units)} looked at, {len(wrong)} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
