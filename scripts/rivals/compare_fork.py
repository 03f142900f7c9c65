# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""compare_fork.py HEDDLE GETH FOLDER SCRATCH: see check-geth-fork.sh, which calls it."""

import argparse
import collections
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request

COUNT = int(os.environ.get("QUESTIONS", "120"))
# What a node says beside what the protocol has.
OWN_WORDS = {"totalDifficulty", "blockTimestamp"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(port: int, method: str, params: list, timeout: float = 60):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}", body,
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=timeout) as response:
        return json.load(response)


def wait_for(port: int, child: subprocess.Popen) -> None:
    while True:
        if child.poll() is not None:
            raise SystemExit(f"{child.args[0]} has ended: see its log")
        try:
            ask(port, "eth_blockNumber", [])
            return
        except OSError:
            time.sleep(0.1)


def plain(value):
    """Without what only one of the two says."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items() if name not in OWN_WORDS}
    return value


def outcome(answer: dict):
    """The result, or that there is none: words of errors differ."""
    if "result" in answer:
        return plain(answer["result"])
    return {"error": answer["error"].get("data")}


def make_questions(port: int, point: int, folder: str) -> list:
    """(kind, method, params), out of what the chain has."""
    chance = random.Random(7)
    blocks = [ask(port, "eth_getBlockByNumber", [hex(number), True])["result"]
              for number in range(point + 1)]
    transactions = [tx for block in blocks for tx in block["transactions"]]
    with open(f"{folder}/genesis.json", encoding="utf-8") as file:
        alloc = json.load(file)["alloc"]
    addresses = {"0x" + name.lower().removeprefix("0x") for name in alloc}
    addresses |= {tx[side] for tx in transactions for side in ("from", "to") if tx.get(side)}
    addresses = sorted(addresses) + ["0x" + "ab" * 20]
    contracts = [a for a in addresses
                 if ask(port, "eth_getCode", [a, hex(point)])["result"] != "0x"]
    questions = []

    def add(kind: str, method: str, *params) -> None:
        questions.append((kind, method, list(params)))

    numbers = [hex(chance.randrange(point + 1)) for _ in range(COUNT)]
    for number in numbers:
        at = chance.choice([number, hex(point)])
        address = chance.choice(addresses)
        add("balances", "eth_getBalance", address, at)
        add("nonces", "eth_getTransactionCount", address, at)
        add("code", "eth_getCode", chance.choice(contracts or addresses), at)
        slot = hex(chance.randrange(4))
        add("storage", "eth_getStorageAt", chance.choice(contracts or addresses), slot, at)
        add("proofs", "eth_getProof", address, [slot], hex(point))
        add("blocks", "eth_getBlockByNumber", number, chance.choice([True, False]))
        add("blocks", "eth_getBlockByHash", blocks[int(number, 16)]["hash"], True)
        add("receipts", "eth_getBlockReceipts", number)
        low = chance.randrange(point + 1)
        add("logs", "eth_getLogs", {"fromBlock": hex(low), "toBlock": hex(min(point, low + 3)),
                                    "address": chance.sample(addresses, min(5, len(addresses)))})
        add("logs", "eth_getLogs", {"fromBlock": number, "toBlock": number})
    for tx in chance.sample(transactions, min(COUNT, len(transactions))):
        add("transactions", "eth_getTransactionByHash", tx["hash"])
        add("receipts", "eth_getTransactionReceipt", tx["hash"])
        if tx.get("to"):
            call = {"from": tx["from"], "to": tx["to"], "data": tx["input"], "gas": "0xf4240"}
            add("calls", "eth_call", call, hex(point))
            add("calls", "eth_call", call, hex(max(0, int(tx["blockNumber"], 16) - 1)))
    return questions


class Fork:
    """A Heddle that forks geth's chain."""

    def __init__(self, heddle: str, url: str, point: int, scratch: str, options: list) -> None:
        self.port = free_port()
        log = open(f"{scratch}/fork.log", "w", encoding="utf-8")
        self.child = subprocess.Popen(
            [heddle, "dev", "--fork-url", url, "--fork-block", str(point), "--rpc-port",
             str(self.port), "--set", "rpc.call_timeout=60s", "--set", "forking.timeout=30s",
             *options], stdout=subprocess.DEVNULL, stderr=log)
        wait_for(self.port, self.child)

    def end(self) -> None:
        self.child.send_signal(signal.SIGTERM)
        self.child.wait()


def compare(name: str, questions: list, wanted: list, port: int) -> collections.Counter:
    results = collections.Counter()
    for (kind, method, params), expected in zip(questions, wanted):
        found = outcome(ask(port, method, params))
        is_same = found == expected
        results[(kind, is_same)] += 1
        if not is_same and results[(kind, False)] <= 2:
            print(f"{name}: {method} {json.dumps(params)[:200]}\n  geth: "
                  f"{json.dumps(expected)[:400]}\n  fork: {json.dumps(found)[:400]}",
                  file=sys.stderr)
    text = ", ".join(f"{kind} {results[(kind, True)]}/"
                     f"{results[(kind, True)] + results[(kind, False)]}"
                     for kind in sorted({kind for kind, _ in results}))
    print(f"{name}: {text}", flush=True)
    return results


def check_going_on(port: int) -> bool:
    """A transaction on top, with the first development account."""
    account = ask(port, "eth_accounts", [])["result"][0]
    sent = ask(port, "eth_sendTransaction",
               [{"from": account, "to": "0x" + "cd" * 20, "value": "0x7"}])
    receipt = ask(port, "eth_getTransactionReceipt", [sent.get("result")])
    return receipt.get("result", {}).get("status") == "0x1"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    names = ("heddle", "geth", "folder", "scratch")
    for name in names:
        parser.add_argument(name)
    given = vars(parser.parse_args())
    heddle, geth, folder, scratch = (given[name] for name in names)
    data, port = f"{scratch}/geth", free_port()
    with open(f"{scratch}/geth.log", "w", encoding="utf-8") as log:
        for words in (["init", "--state.scheme", "hash", f"{folder}/genesis.json"],
                      ["import", "--gcmode", "archive", f"{folder}/chain.rlp"]):
            subprocess.run([geth, "--datadir", data, *words], stdout=log, stderr=log, check=True)
        source = subprocess.Popen(
            [geth, "--datadir", data, "--gcmode", "archive", "--maxpeers", "0", "--nodiscover",
             "--port", "0", "--authrpc.port", str(free_port()), "--http", "--http.port", str(port),
             "--http.api", "eth,debug,web3", "--rpc.txfeecap", "0"], stdout=log, stderr=log)
    passed = failed = 0
    try:
        wait_for(port, source)
        point = int(ask(port, "eth_blockNumber", [])["result"], 16)
        questions = make_questions(port, point, folder)
        wanted = [outcome(ask(port, method, params)) for _, method, params in questions]
        url = f"http://127.0.0.1:{port}"
        cache = ["--fork-cache", f"{scratch}/cache"]
        rules = ["--genesis", f"{folder}/genesis.json"]
        ways = [("believed", [*cache, *rules]),
                ("proven", ["--fork-cache", f"{scratch}/proven", "--fork-verify"]),
                ("offline", [*cache, *rules, "--fork-offline"])]
        for name, options in ways:
            if name == "offline":
                source.send_signal(signal.SIGTERM)
                source.wait()
                # Logs of several blocks and proofs are asked for each time.
                kept = [(q, w) for q, w in zip(questions, wanted)
                        if q[0] not in ("logs", "proofs")]
                questions, wanted = [q for q, _ in kept], [w for _, w in kept]
            fork = Fork(heddle, url, point, scratch, options)
            try:
                results = compare(name, questions, wanted, fork.port)
                for (_, is_same), count in results.items():
                    passed, failed = (passed + count, failed) if is_same else (passed,
                                                                               failed + count)
                goes_on = check_going_on(fork.port)
                passed, failed = passed + int(goes_on), failed + int(not goes_on)
                if not goes_on:
                    print(f"{name}: no transaction on top", file=sys.stderr)
            finally:
                fork.end()
    finally:
        if source.poll() is None:
            source.send_signal(signal.SIGTERM)
            source.wait()
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
