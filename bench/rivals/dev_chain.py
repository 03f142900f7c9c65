# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""Chains that `heddle dev` seals, block by block, for comparisons with other clients."""

import json
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

# The accounts of `heddle dev`, which it signs for.
SENDERS = ["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
           "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
           "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
           "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
           "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
           "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
           "0x976ea74026e726554db657fa54763abd0c3a0aa9",
           "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
           "0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f",
           "0xa0ee7a142d267c1f36714e4a8f75612f20a79720"]
FORKS = ["homestead", "eip150", "eip155", "eip158", "byzantium", "constantinople", "petersburg",
         "istanbul", "berlin", "london"]

OPCODES = {"STOP": 0x00, "ADD": 0x01, "SUB": 0x03, "MOD": 0x06, "EQ": 0x14, "SHR": 0x1c,
           "KECCAK256": 0x20, "CALLDATALOAD": 0x35, "CALLDATASIZE": 0x36, "POP": 0x50,
           "MSTORE": 0x52, "SLOAD": 0x54, "SSTORE": 0x55, "JUMP": 0x56, "JUMPI": 0x57,
           "JUMPDEST": 0x5b, "PUSH0": 0x5f, "CALL": 0xf1}
OPCODES |= {f"DUP{n}": 0x7f + n for n in range(1, 17)}
OPCODES |= {f"SWAP{n}": 0x8f + n for n in range(1, 17)}


def assemble(source: str) -> str:
    """Code, from instructions, numbers (decimal, or 0x... as long as it is written), `label:` where
    a jump goes and `@label`, its place, below 256."""
    code, places, labels = bytearray(), {}, {}
    for word in source.split():
        if word.endswith(":"):
            labels[word[:-1]] = len(code)
            code.append(OPCODES["JUMPDEST"])
        elif word.startswith("@"):
            code += bytes([OPCODES["PUSH0"] + 1, 0])
            places[len(code) - 1] = word[1:]
        elif word[0].isdigit():
            number = bytes.fromhex(word[2:]) if word.startswith("0x") else bytes([int(word)])
            code += bytes([OPCODES["PUSH0"] + len(number)]) + number
        else:
            code.append(OPCODES[word])
    for place, label in places.items():
        code[place] = labels[label]
    return "0x" + code.hex()


def genesis(gas_limit: int, contracts: dict) -> dict:
    """A genesis of Cancun where the senders are rich and `contracts` are in the state."""
    config = {"chainId": 31337, "terminalTotalDifficulty": 0, "shanghaiTime": 0, "cancunTime": 0,
              "blobSchedule": {"cancun": {"target": 3, "max": 6,
                                          "baseFeeUpdateFraction": 3338477}}}
    config |= {f"{fork}Block": 0 for fork in FORKS}
    return {"config": config, "gasLimit": hex(gas_limit), "difficulty": "0x0", "timestamp": "0x0",
            "baseFeePerGas": "0x1",
            "alloc": {sender: {"balance": hex(10**30)} for sender in SENDERS} | contracts}


class DevChain:
    """`heddle dev` on a genesis, in a data directory: a block for each transaction, or as told."""

    def __init__(self, heddle: str, genesis_file: Path, data: Path, *flags: str) -> None:
        self.heddle, self.data = heddle, data
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [heddle, "dev", "--genesis", str(genesis_file), "--datadir", str(data), "--rpc-port",
             str(self.port), "--log-level", "error", "--set", "consensus.gas_limit=0", *flags],
            stdout=subprocess.DEVNULL)
        while self.process.poll() is None:
            try:
                self.call("eth_chainId")
                return
            except OSError:
                time.sleep(0.2)
        raise SystemExit("`heddle dev` has ended")

    def call(self, method: str, *params: object) -> object:
        return self.call_all([(method, *params)])[0]

    def call_all(self, calls: list[tuple]) -> list:
        """The results of all calls, made in one request."""
        body = json.dumps([{"jsonrpc": "2.0", "id": i, "method": method, "params": params}
                           for i, (method, *params) in enumerate(calls)])
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}", body.encode(),
                                         {"Content-Type": "application/json"})
        answers = sorted(json.load(urllib.request.urlopen(request)), key=lambda each: each["id"])
        for (method, *_), answer in zip(calls, answers, strict=True):
            if "error" in answer:
                self.stop()
                raise SystemExit(f"{method}: {answer['error']['message']}")
        return [answer["result"] for answer in answers]

    def seal(self, transactions: list[dict]) -> int:
        """One block of them all, none of which may fail.

        @return  its gas.
        """
        calls = [("eth_sendTransaction", transaction) for transaction in transactions]
        hashes = self.call_all(calls)
        self.call("evm_mine")
        receipts = self.call_all([("eth_getTransactionReceipt", each) for each in hashes])
        if any(receipt is None or receipt["status"] != "0x1" for receipt in receipts):
            self.stop()
            raise SystemExit("a transaction failed, or found no room in its block")
        if len({receipt["blockNumber"] for receipt in receipts}) != 1:
            self.stop()
            raise SystemExit("the transactions are in more than one block")
        return sum(int(receipt["gasUsed"], 16) for receipt in receipts)

    def export(self, file: Path, *flags: str) -> None:
        """Writes its blocks to `file`. It must have been stopped."""
        subprocess.run([self.heddle, "export", "--datadir", str(self.data), *flags, str(file)],
                       check=True)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
