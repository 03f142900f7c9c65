#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""container.py ROOT PROGRAM: what can be said of Containerfile without building it.

Two stages, of which the last one takes over packages alone and runs as another user than root; what
it copies and runs is there; its health check asks a node for a page that a healthy node has.
"""

import re
import shlex
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path


def instructions(text: str) -> list[tuple[str, str]]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]


def stages(listed: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for instruction in listed:
        if instruction[0] == "FROM":
            found.append([])
        found[-1].append(instruction)
    return found


def is_healthy(program: str, url: str) -> bool:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    node = subprocess.Popen([program, "node", "--dev", "--rpc-port", str(port)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                page = urllib.request.urlopen(url.replace(":8545", f":{port}"), timeout=5)
                return page.status == 200
            except OSError:
                time.sleep(0.1)
        return False
    finally:
        node.terminate()
        node.wait()


def main() -> int:
    root, program = Path(sys.argv[1]), sys.argv[2]
    text = (root / "Containerfile").read_text(encoding="utf-8")
    built, run = stages(instructions(text))
    findings = [f"{name} is not there" for name in re.findall(r"scripts/[\w.-]+\.sh", text)
                if not (root / name).exists()]
    if any(word == "COPY" and "--from=" not in rest for word, rest in run):
        findings.append("the image takes over more than packages")
    words = dict(run)
    if words.get("USER", "root") in ("root", "0") or run[-1][0] != "CMD":
        findings.append("the image runs as root")
    if words.get("ENTRYPOINT") != '["heddle"]':
        findings.append("the image does not run heddle")
    if not any("make-package.sh" in rest for _, rest in built):
        findings.append("no packages are made")
    url = re.search(r'"(http://[^"]+)"', words.get("HEALTHCHECK", ""))
    if not url or not is_healthy(program, url.group(1)):
        findings.append("the health check does not find a node healthy")
    used = {option for line in re.findall(r"^#\s+(?:heddle )?(node .*)$", text, re.MULTILINE)
            for option in shlex.split(line) if option.startswith("--")}
    known = subprocess.run([program, "node", "--help"], check=True, capture_output=True,
                           text=True).stdout
    findings += [f"node has no option {option}" for option in sorted(used)
                 if not re.search(rf"^  {option}\b", known, re.MULTILINE)]
    if not used:
        findings.append("its head does not say how it is run")
    print("\n".join(findings))
    print(f"container: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
