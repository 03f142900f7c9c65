# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""One script of a client, running."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def python_of(packages: Path) -> Path:
    return packages / "venv" / "bin" / "python"


def end_with_parent() -> None:
    """For processes that are started: however this program ends, they do not stay."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    except (AttributeError, OSError):
        pass


class Client:
    """`node SCRIPT.mjs` or `python SCRIPT.py`, in a folder of its own below that of the packages,
    where modules look for them. HEDDLE_CLIENT_TRANSCRIPT is where it is to leave its result."""

    def __init__(self, script: str, packages: Path, variables: dict[str, str]):
        self.script = script
        self.folder = Path(tempfile.mkdtemp(prefix=f"run-{Path(script).stem}-", dir=packages))
        shutil.copytree(HERE, self.folder, dirs_exist_ok=True)
        self.transcript = self.folder / "transcript.json"
        self.log = self.folder / "log"
        program = str(python_of(packages)) if script.endswith(".py") else "node"
        environment = os.environ | {
            "HEDDLE_CLIENT_TRANSCRIPT": str(self.transcript),
            "HEDDLE_CLIENT_PACKAGES": str(packages / "node_modules"),
            "HOME": str(self.folder),  # settings and caches of the clients
            "NO_COLOR": "1",
            "HARDHAT_DISABLE_TELEMETRY_PROMPT": "true",
        } | variables
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [program, script], cwd=self.folder, env=environment, stdout=log,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
                preexec_fn=end_with_parent)

    def messages(self) -> str:
        return self.log.read_text()[-6000:]

    def result(self):
        """When it has ended. Errors: RuntimeError with what it said."""
        if self.process.returncode != 0 or not self.transcript.exists():
            raise RuntimeError(f"{self.script} ended with {self.process.returncode}\n"
                               f"{self.messages()}")
        return json.loads(self.transcript.read_text())

    def close(self) -> None:
        """Ends it, with the processes that it started, and removes its folder."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
