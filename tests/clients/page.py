#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""page.py --heddle PROGRAM --packages FOLDER [--install] [--screenshots FOLDER]

Looks at the page of a `heddle node --dev` with a real browser (page.mjs), and at that of another
one at another address, behind proxies and beside pictures (page_places.mjs). It needs Chromium
(HEDDLE_CHROMIUM, or `chromium` on the PATH) and playwright-core in FOLDER, which --install fetches
in the version of package.json; without them exit code 77 says that it was skipped. --screenshots
keeps a picture of each view."""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from run import SKIPPED, install_names

HERE = Path(__file__).resolve().parent
PACKAGE = "playwright-core"
ENDPOINT = re.compile(r" at (http://\S+?) and ws")


def find_chromium() -> str:
    """Empty: there is none."""
    named = os.environ.get("HEDDLE_CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser") or ""


def reason_to_skip(packages: Path) -> str:
    if not find_chromium():
        return "there is no chromium on the PATH: install it, or name one in HEDDLE_CHROMIUM"
    if not shutil.which("node"):
        return "there is no node"
    if not (packages / "node_modules" / PACKAGE).exists():
        return f"no package {PACKAGE} in {packages.name}"
    return ""


def look(options: argparse.Namespace, script: str, address: str) -> int:
    """Runs a script on the page of a node of its own, which listens on an address."""
    with tempfile.TemporaryDirectory(prefix="heddle-page-") as folder, \
            tempfile.TemporaryFile(mode="w+") as log:
        artifacts = Path(folder) / "artifacts"
        artifacts.mkdir()
        shutil.copy(HERE / "contracts" / "Board.json", artifacts)
        (artifacts / "Broken.json").write_text("{")
        node = subprocess.Popen(
            [options.heddle, "node", "--dev", "--rpc-address", address, "--rpc-port", "0",
             "--artifacts", str(artifacts)],
            stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            found = next((found for line in node.stdout if (found := ENDPOINT.search(line))), None)
            if found is None:
                log.seek(0)
                print(f"the node did not start:\n{log.read()}")
                return 1
            return subprocess.run(
                ["node", str(HERE / script)], check=False, env={
                    **os.environ, "HEDDLE_CLIENT_URL": found[1], "HEDDLE_PROGRAM": options.heddle,
                    "HEDDLE_PACKAGES": str(options.packages), "HEDDLE_CHROMIUM": find_chromium(),
                    "HEDDLE_PICTURES": str(HERE.parent / "vectors" / "page"),
                    "HEDDLE_SCREENSHOTS": str(options.screenshots or "")}).returncode
        finally:
            node.terminate()
            node.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", metavar="PROGRAM", required=True)
    parser.add_argument("--packages", metavar="FOLDER", type=Path, required=True)
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--screenshots", metavar="FOLDER", type=Path)
    options = parser.parse_args()
    options.heddle = str(Path(options.heddle).resolve())
    options.packages = options.packages.resolve()
    if options.screenshots:
        options.screenshots = options.screenshots.resolve()
    # So that what runs is ended, and its folders are removed, when this is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.install:
        install_names([PACKAGE], options.packages)
    if reason := reason_to_skip(options.packages):
        print(f"SKIPPED: page: {reason}")
        return SKIPPED
    # All of 127.0.0.0/8 is this machine's on Linux: an address as others of a network see one.
    outcomes = [look(options, "page.mjs", "127.0.0.1"),
                look(options, "page_places.mjs", "127.0.0.2")]
    return max(outcomes)


if __name__ == "__main__":
    sys.exit(main())
