# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""A network of validators for consensus.py: written, started, asked, stopped."""

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 60


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def comet_get(url: str, path: str) -> dict | None:
    try:
        with urllib.request.urlopen(f"{url}/{path}", timeout=20) as response:
            return json.load(response).get("result")
    except OSError:
        return None


def ethereum(url: str, method: str, params: list):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.load(response)["result"]


def read_metrics(url: str) -> dict[str, float]:
    """Those without labels."""
    with urllib.request.urlopen(f"{url}/metrics", timeout=20) as response:
        lines = response.read().decode().splitlines()
    pairs = (line.split() for line in lines if line and line[0] != "#" and "{" not in line)
    return {pair[0]: float(pair[1]) for pair in pairs}


def change_toml(text: str, option: str) -> str:
    """`SECTION.NAME=VALUE`: replaces the line, or adds it to the section."""
    name, value = option.split("=", 1)
    section, key = name.rsplit(".", 1)
    parts = re.split(r"(?m)^(?=\[)", text)
    for i, part in enumerate(parts):
        if part.startswith(f"[{section}]"):
            line = f"{key} = {value}"
            changed, count = re.subn(rf"(?m)^{key} = .*$", line, part)
            parts[i] = changed if count else part.rstrip("\n") + f"\n{line}\n\n"
            return "".join(parts)
    return text + f"\n[{section}]\n{key} = {value}\n"


class Network:
    """Running within a `with`."""

    def __init__(self, options, folder: Path, application: str):
        self.options, self.folder, self.application = options, folder, application
        self.has_heddle = application == "heddle"
        self.processes: list[subprocess.Popen] = []
        self.names: list[str] = []  # of the programs
        hosts = [f"{options.network}.{i + 1}" for i in range(options.validators)]
        self.hosts = hosts
        self.comet_urls = [f"http://{host}:26657" for host in hosts]
        self.rpc_urls = [f"http://{host}:8545" for host in hosts]

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self.processes]

    def __enter__(self) -> "Network":
        try:
            self.write()
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def write(self) -> None:
        options = self.options
        plain, genesis = self.folder / "plain", self.folder / "genesis.json"
        self.run([options.heddle, "testnet", "--validators", "1", "--out", plain])
        content = json.loads((plain / "genesis.json").read_text())
        content["gasLimit"] = hex(options.gas_limit)
        genesis.write_text(json.dumps(content))
        self.run([options.heddle, "testnet", "--validators", str(options.validators), "--genesis",
                  genesis, "--addresses", ",".join(self.hosts), "--block-interval",
                  options.block_interval, "--out", self.folder / "net"])
        for i in range(options.validators):
            config = self.home(i) / "cometbft/config/config.toml"
            text = config.read_text()
            for option in options.comet_option:
                text = change_toml(text, option)
            if options.unix:
                address = f'"unix://{self.home(i)}/abci"'
                text = re.sub(r"(?m)^proxy_app = .*$", f"proxy_app = {address}", text)
                own = self.home(i) / "heddle.toml"
                own.write_text(re.sub(r"(?m)^abci = .*$", f"abci = {address}", own.read_text()))
            config.write_text(text)

    @staticmethod
    def run(command: list) -> None:
        result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{command}: {result.stderr[-2000:]}")

    def home(self, i: int) -> Path:
        return self.folder / f"net/validator{i + 1}"

    def start(self) -> None:
        indices = range(self.options.validators)
        if self.has_heddle:
            for i in indices:
                self.spawn("heddle", i, [self.options.heddle, "node", "--config",
                                         self.home(i) / "heddle.toml", "--log-level", "warn"])
            self.wait_for(lambda: all(self.answers(url) for url in self.rpc_urls), "heddle node")
        if self.application == "kvstore-socket":
            for i in indices:
                self.spawn("kvstore", i, [self.options.abci_cli, "kvstore", "--address",
                                          f"tcp://{self.hosts[i]}:26658", "--log_level", "error"])
            time.sleep(1)
        for i in indices:
            command = [self.options.cometbft, "start", "--home", self.home(i) / "cometbft",
                       "--log_level", "error"]
            self.spawn("cometbft", i, [*command, "--proxy_app", "kvstore"]
                       if self.application == "kvstore" else command)
        self.wait_for(lambda: all(self.height(url) >= 2 for url in self.comet_urls), "the network")

    def spawn(self, name: str, i: int, command: list) -> None:
        with (self.folder / f"{name}{i}.log").open("wb") as log:
            self.processes.append(subprocess.Popen([str(part) for part in command], stdout=log,
                                                   stderr=subprocess.STDOUT))
        self.names.append(name)

    @staticmethod
    def answers(url: str) -> bool:
        try:
            return ethereum(url, "eth_blockNumber", []) is not None
        except OSError:
            return False

    @staticmethod
    def height(url: str) -> int:
        status = comet_get(url, "status")
        return int(status["sync_info"]["latest_block_height"]) if status else 0

    def wait_for(self, is_there, what: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if any(process.poll() is not None for process in self.processes):
                break
            if is_there():
                return
            time.sleep(0.1)
        logs = "\n".join(log.read_text(errors="replace")[-500:]
                         for log in sorted(self.folder.glob("*.log")))
        raise SystemExit(f"{what} does not start:\n{logs}")

    def mean_item_bytes(self, skip: int = 1) -> float:
        """Of the transactions of the largest of the last blocks."""
        last = self.height(self.comet_urls[0])
        best: list[int] = []
        for height in range(max(last - 15, 1), last + 1):
            block = comet_get(self.comet_urls[0], f"block?height={height}")
            items = (block or {}).get("block", {}).get("data", {}).get("txs") or []
            sizes = [len(base64.b64decode(item)) for item in items[skip:]]
            best = max(best, sizes, key=len)
        return sum(best) / len(best) if best else 0

    def require_equal_heads(self) -> None:
        number = min(int(ethereum(url, "eth_blockNumber", []), 16) for url in self.rpc_urls)
        hashes = {ethereum(url, "eth_getBlockByNumber", [hex(number), False])["hash"]
                  for url in self.rpc_urls}
        if len(hashes) != 1:
            raise SystemExit(f"block {number} is not the same everywhere: {hashes}")

    def stop(self) -> None:
        """CometBFT first: it can do nothing without its application."""
        for name in ("cometbft", "heddle", "kvstore"):
            own = [p for n, p in zip(self.names, self.processes) if n == name]
            for process in own:
                process.send_signal(signal.SIGTERM)
            for process in own:
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
