# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""compare_dev_chains.py: see compare-dev-chains.sh, which calls it."""

import argparse
import collections
import http.client
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from dev_chain_calls import ALICE, BOB, play

START_SECONDS = 120
# What is another at each start, or is the chain's own.
OWN = re.compile(r"(^|\.)(hash|blockHash|parentHash|transactionHash|txHash|stateRoot|receiptsRoot"
                 r"|transactionsRoot|logsBloom|timestamp|blockTimestamp|mixHash|size|extraData"
                 r"|r|s|v|yParity|parentBeaconBlockRoot)$")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class DevChain:
    """A development chain of its own process, asked over one connection that stays open."""

    def __init__(self, name: str, command: list[str], folder: Path | None, log: Path):
        self.name = name
        self.port = free_port()
        self.log = log.open("w")
        self.child = subprocess.Popen([part.format(port=self.port) for part in command],
                                      cwd=folder, stdout=self.log, stderr=self.log,
                                      start_new_session=True)
        self.connection = None
        self.asked = 0
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                self.ask("eth_chainId")
                return
            except OSError:
                if self.child.poll() is not None or time.monotonic() > end:
                    raise SystemExit(f"{name} does not answer: see {log}") from None
                time.sleep(0.1)

    def ask(self, method: str, *params) -> dict:
        self.asked += 1
        body = json.dumps({"jsonrpc": "2.0", "id": self.asked, "method": method,
                           "params": list(params)})
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            self.connection.request("POST", "/", body, {"Content-Type": "application/json"})
            return json.loads(self.connection.getresponse().read())
        except OSError:
            self.connection = None
            raise

    def stop(self) -> None:
        os.killpg(self.child.pid, signal.SIGTERM)
        self.child.wait()
        self.log.close()


HARDHAT_CONFIG = """module.exports = { solidity: '0.8.27', networks: { hardhat: {
    mining: { auto: true }, allowUnlimitedContractSize: false } } };
"""


def commands(options) -> dict[str, tuple[list[str], Path | None]]:
    own = [options.heddle, "dev", "--rpc-port", "{port}", *options.with_option]
    found: dict[str, tuple[list[str], Path | None]] = {"heddle": (own, None)}
    if options.anvil:
        found["anvil"] = ([options.anvil, "--port", "{port}", *options.with_anvil_option], None)
    if options.hardhat:
        # hardhat finds itself from the folder of its configuration upwards.
        folder = Path(options.hardhat).resolve()
        config = folder / "compare-dev-chains.config.js"
        config.write_text(HARDHAT_CONFIG)
        program = folder / "node_modules/hardhat/internal/cli/bootstrap.js"
        found["hardhat"] = (["node", str(program), "--config", str(config), "node", "--port",
                             "{port}"], folder)
    return found


def start(name: str, options, scratch: Path) -> DevChain:
    command, folder = commands(options)[name]
    return DevChain(name, command, folder, scratch / f"{name}.log")


def fields(value, path: str = "") -> dict[str, object]:
    """Every leaf by its path; elements of lists by their place."""
    if isinstance(value, dict):
        parts = [(f"{path}.{name}" if path else name, each) for name, each in value.items()]
    elif isinstance(value, list):
        parts = [(f"{path}[{i}]", each) for i, each in enumerate(value)]
    else:
        return {path: value}
    found = {}
    for where, each in parts:
        found.update(fields(each, where))
    return found


def shown(value) -> str:
    text = json.dumps(value)
    return text if len(text) <= 90 else text[:87] + "..."


def compare(options, scratch: Path) -> int:
    """Prints what differs; 0 where Heddle agrees with at least one of the others everywhere."""
    names = list(commands(options))
    transcripts = {}
    for name in names:
        chain = start(name, options, scratch)
        try:
            transcripts[name] = play(chain.ask)
        finally:
            chain.stop()
    steps = list(dict.fromkeys(step for each in transcripts.values() for step in each))
    absent = object()
    alone = collections.Counter()
    for step in steps:
        asked = [name for name in names if step in transcripts[name]]
        if "heddle" not in asked:
            alone[True] += 1
            print(f"{step}: [not asked]")
            continue
        leaves = {name: fields(transcripts[name][step]) for name in asked}
        for path in sorted(set().union(*leaves.values())):
            values = {name: leaves[name].get(path, absent) for name in asked}
            if OWN.search(path) and all(type(v) is type(values["heddle"])
                                        for v in values.values() if v is not absent):
                continue
            if len({json.dumps(v) if v is not absent else "" for v in values.values()}) == 1:
                continue
            agrees = [n for n in asked if n != "heddle" and values[n] == values["heddle"]]
            mark = "as " + ", ".join(agrees) if agrees else "ALONE"
            alone[not agrees] += 1
            told = "  ".join(f"{n}={'(none)' if v is absent else shown(v)}"
                             for n, v in values.items())
            if options.all or not agrees:
                print(f"{step}: {path} [{mark}]\n    {told}")
    print(f"{len(steps)} calls to {', '.join(names)}: {alone[False]} fields as one of the others, "
          f"{alone[True]} as none")
    return 0 if alone[True] == 0 else 1


LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)


def answer_on(connection: socket.socket, request: bytes) -> bytes:
    """The body. A bare socket: http.client takes about as long as a send itself does."""
    connection.sendall(request)
    text = b""
    while True:
        more = connection.recv(65536)
        if not more:
            raise SystemExit("the chain has closed the connection")
        text += more
        head = text.find(b"\r\n\r\n")
        if head < 0:
            continue
        length = LENGTH.search(text, 0, head + 2)
        # Without its length it comes in chunks, of which the last is empty.
        is_whole = (text.endswith(b"\r\n0\r\n\r\n") if length is None
                    else len(text) >= head + 4 + int(length[1]))
        if is_whole:
            return text[head + 4:]


def request_for(chain: DevChain, method: str, *params) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
    return (f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{chain.port}\r\nContent-Type: "
            f"application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()


HASH = re.compile(rb'"result": *"(0x[0-9a-f]{64})"')
NO_RECEIPT = re.compile(rb'"result": *null')


def time_sends(chain: DevChain, count: int, window: int, with_receipts: bool) -> list[float]:
    """Seconds after which each further `window` sends were answered, and at last all were in
    blocks. with_receipts: each is sent when the receipt of the one before is there. Not every chain
    answers only then, and one that does not is measured by how it bears a mempool that grows
    otherwise."""
    send = {"from": ALICE, "to": BOB, "value": "0x1", "gas": "0x5208"}
    request = request_for(chain, "eth_sendTransaction", send)
    with socket.create_connection(("127.0.0.1", chain.port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        begin = time.monotonic()
        passed = []
        for done in range(count):
            if done and done % window == 0:
                passed.append(time.monotonic() - begin)
            answer = answer_on(connection, request)
            sent = HASH.search(answer)
            if sent is None:
                raise SystemExit(f"{chain.name}: {answer.decode()}")
            if not with_receipts:
                continue
            ask = request_for(chain, "eth_getTransactionReceipt", sent[1].decode())
            while NO_RECEIPT.search(answer_on(connection, ask)):
                pass
    chain.connection = None  # which some close when nobody has asked for a while
    while int(chain.ask("eth_getTransactionCount", ALICE, "latest")["result"], 16) < count:
        time.sleep(0.001)
    return [*passed, time.monotonic() - begin]


def windows(passed: list[float], window: int) -> str:
    """How long each `window` of them took: some chains slow down as they grow."""
    if len(passed) < 2:
        return ""
    each = [after - before for before, after in zip([0.0, *passed], passed)]
    return f" (each {window}: {' '.join(f'{one:.2f}' for one in each)})"


def measure(options, scratch: Path) -> int:
    """Prints the time of so many sends, one after the other, each chain in turn."""
    names = list(commands(options))
    times = {name: [] for name in names}
    for i in range(options.rounds):
        for name in names[i % len(names):] + names[:i % len(names)]:
            chain = start(name, options, scratch)
            try:
                passed = time_sends(chain, options.sends, options.window, options.receipts)
            finally:
                chain.stop()
            times[name].append(passed[-1])
            print(f"round {i + 1}: {name}: {options.sends} sends in {passed[-1]:.2f} s"
                  f"{windows(passed, options.window)}", flush=True)
    ours = statistics.median(times["heddle"])
    for name in names:
        middle = statistics.median(times[name])
        print(f"{name}: {middle:.2f} s, {options.sends / middle:.0f} a second, "
              f"{middle / ours:.2f} times Heddle's time")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--anvil", default="")
    parser.add_argument("--hardhat", default="")
    parser.add_argument("--with-option", action="append", default=[],
                        help="an option of `heddle dev`")
    parser.add_argument("--with-anvil-option", action="append", default=[],
                        help="an option of anvil, e.g. --with-anvil-option=--prune-history")
    parser.add_argument("--all", action="store_true",
                        help="also where Heddle agrees with one of the others")
    parser.add_argument("--sends", type=int, default=0)
    parser.add_argument("--receipts", action="store_true",
                        help="wait for the receipt of each before the next")
    parser.add_argument("--window", type=int, default=1000, help="of sends that are timed apart")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        return (measure if options.sends else compare)(options, Path(scratch))


if __name__ == "__main__":
    raise SystemExit(main())
