#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""metrics.py PROGRAM DASHBOARD RULES: what is drawn and watched is what nodes say.

Starts a node that seals, one that follows it, a validator without its CometBFT, and a primary with
its backup. Looks whether each metric that the dashboard and the rules name is in what one of them
says at /metrics, with the labels that they ask for, and whether nothing that nodes say is drawn
nowhere.
"""

import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

METRIC = re.compile(r"(?<![\w:])(heddle_[a-z0-9_]+)(\{[^}]*\})?")
SAMPLE = re.compile(r"(heddle_[a-z0-9_]+)(?:\{(.*)\})? \S+$")
RECORDED = re.compile(r"(?<![\w:])heddle:[\w:]+")
OF_PROMETHEUS = {"instance", "job"}
# Parts of histograms and functions of PromQL are not drawn apart.
PARTS = re.compile(r"_(bucket|sum|count)$")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Node:
    def __init__(self, program: str, *arguments: str, port: int | None = None) -> None:
        self.port = port or free_port()
        self.process = subprocess.Popen(
            [program, "node", *arguments, "--rpc-port", str(self.port), "--rpc-address",
             "127.0.0.1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def call(self, method: str) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": []}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}", body,
                                         {"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=5).read()

    def metrics(self) -> str:
        """Once it answers."""
        for _ in range(200):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics",
                                            timeout=5) as page:
                    return page.read().decode()
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        sys.exit(f"no metrics: {self.process.communicate()[1]}")

    def end(self) -> None:
        self.process.terminate()
        self.process.communicate()


def members(program: str, genesis: str, folder: Path) -> list[Node]:
    """A primary and its backup."""
    secret = folder / "secret"
    secret.write_text("11" * 32, encoding="utf-8")
    secret.chmod(0o600)
    ports = {"a": free_port(), "b": free_port()}
    names = ", ".join(f'"{name}=ws://127.0.0.1:{port}"' for name, port in ports.items())
    nodes = []
    for name, port in ports.items():
        config = folder / f"{name}.toml"
        config.write_text(f"""[replication]
mode = "async"
name = "{name}"
members = [{names}]
primary = "a"
acks = 1

[rpc]
jwt_secret = "{secret}"
""", encoding="utf-8")
        nodes.append(Node(program, "--config", str(config), "--datadir", str(folder / name),
                          "--genesis", genesis, port=port))
    return nodes


def said_by_nodes(program: str, folder: Path) -> dict[str, set[str]]:
    """Samples with their labels."""
    subprocess.run([program, "testnet", "--validators", "1", "--out", str(folder / "network")],
                   check=True, capture_output=True)
    genesis = str(next((folder / "network").rglob("genesis.json")))
    origin = Node(program, "--datadir", str(folder / "origin"), "--genesis", genesis)
    nodes = [origin]
    pages = []
    deadline = time.time() + 30
    try:
        origin.metrics()
        origin.call("eth_blockNumber")
        origin.call("no_such_method")
        origin.call("eth_getBalance")  # with too few arguments: a call that fails
        nodes.append(Node(program, "--datadir", str(folder / "follower"), "--genesis", genesis,
                          "--follow", f"http://127.0.0.1:{origin.port}"))
        # At a place of its own, where no other validator of this machine waits for its CometBFT.
        nodes.append(Node(program, "--config",
                          str(next((folder / "network").rglob("heddle.toml"))), "--set",
                          f"cometbft.abci=tcp://127.0.0.1:{free_port()}"))
        # Over a lane that is not there.
        nodes.append(Node(program, "--datadir", str(folder / "lanes"), "--genesis", genesis,
                          "--set", "consensus.engine=lanes", "--set",
                          f'lanes.addresses=["http://127.0.0.1:{free_port()}"]', "--set",
                          f'lanes.comets=["http://127.0.0.1:{free_port()}"]'))
        nodes += members(program, genesis, folder)
        pages = [node.metrics() for node in nodes]
        # A primary speaks of a backup when it has come.
        while "heddle_replication_backup_number" not in pages[-2] and time.time() < deadline:
            time.sleep(0.1)
            pages[-2] = nodes[-2].metrics()
    finally:
        for node in nodes:
            node.end()
    said: dict[str, set[str]] = {}
    for line in "\n".join(pages).splitlines():
        if found := SAMPLE.match(line):
            labels = set(re.findall(r"(\w+)=", found.group(2) or ""))
            said.setdefault(found.group(1), set()).update(labels)
    return said


def dashboard_expressions(text: str) -> list[str]:
    dashboard = json.loads(text)
    found = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    identifiers = [panel["id"] for panel in dashboard["panels"]]
    if len(set(identifiers)) != len(identifiers):
        sys.exit("two panels of the dashboard have the same id")
    return found + [variable["definition"] for variable in dashboard["templating"]["list"]
                    if "definition" in variable]


def rule_expressions(text: str) -> list[str]:
    found = re.findall(r"^ +expr: (.+)$", text, re.MULTILINE)
    recorded = set(re.findall(r"^ +- record: (\S+)$", text, re.MULTILINE))
    for name in {name for expression in found for name in RECORDED.findall(expression)} - recorded:
        sys.exit(f"{name} is watched and not recorded")
    return found


def problems_of(expression: str, said: dict[str, set[str]]) -> list[str]:
    problems = []
    if any(expression.count(a) != expression.count(b) for a, b in ("()", "[]", "{}")):
        problems.append("brackets")
    labels = set()
    for name, matchers in METRIC.findall(expression):
        if name not in said:
            problems.append(f"no node says {name}")
            continue
        labels |= said[name]
        asked = set(re.findall(r"(\w+)\s*(?:=|!)", matchers or ""))
        problems += [f"{name} has no label {label}"
                     for label in asked - said[name] - OF_PROMETHEUS]
    for grouped in re.findall(r"\b(?:by|on) \(([^)]*)\)", expression):
        asked = {label.strip() for label in grouped.split(",")}
        problems += [f"no label {label}" for label in asked - labels - OF_PROMETHEUS]
    return [f"{problem}: {expression}" for problem in problems]


def main() -> int:
    program, dashboard, rules = sys.argv[1:]
    drawn = dashboard_expressions(Path(dashboard).read_text(encoding="utf-8"))
    watched = rule_expressions(Path(rules).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        said = said_by_nodes(program, Path(folder))
    findings = [problem for expression in drawn + watched
                for problem in problems_of(expression, said)]
    named = {PARTS.sub("", name) for expression in drawn + watched
             for name, _ in METRIC.findall(expression)}
    findings += [f"{name} is drawn nowhere" for name in
                 sorted({PARTS.sub("", name) for name in said} - named)]
    print("\n".join(findings))
    print(f"{len(said)} samples, {len(drawn)} drawn, {len(watched)} watched, "
          f"{len(findings)} findings")
    return 1 if findings or len(drawn) < 30 or len(watched) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
