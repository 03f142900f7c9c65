#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""cold_slots.py [options] FOLDER: makes a chain whose blocks do nothing but read cold slots.

FOLDER gets genesis.json and chain.rlp, which replay.py takes: a contract with --slots slots, and
--blocks blocks of one transaction each that reads as many of them as --gas allows, each slot once
in the chain. It is the most that a block can make a client fetch from its database for its gas.
The blocks are sealed by `heddle dev`. Needs nothing but Python and Linux.
"""

import argparse
import json
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"  # the first account of `heddle dev`
CONTRACT = "0x00000000000000000000000000000000000c01d5"
# Reads calldata[32] slots from number calldata[0] on:
#   PUSH1 32 CALLDATALOAD  PUSH1 0 CALLDATALOAD          left first
#   JUMPDEST DUP1 SLOAD POP  PUSH1 1 ADD  SWAP1 PUSH1 1 SWAP1 SUB SWAP1  DUP2 PUSH1 6 JUMPI STOP
CODE = "0x6020356000355b8054506001019060019003908160065700"
SLOT_GAS = 2_100 + 60  # a cold slot and the loop around it
FORKS = ["homestead", "eip150", "eip155", "eip158", "byzantium", "constantinople", "petersburg",
         "istanbul", "berlin", "london"]


def genesis(slots: int, gas: int) -> dict:
    config = {"chainId": 31337, "terminalTotalDifficulty": 0, "shanghaiTime": 0, "cancunTime": 0,
              "blobSchedule": {"cancun": {"target": 3, "max": 6,
                                          "baseFeeUpdateFraction": 3338477}}}
    config |= {f"{fork}Block": 0 for fork in FORKS}
    storage = {f"0x{slot:064x}": f"0x{slot + 1:064x}" for slot in range(slots)}
    return {"config": config, "gasLimit": hex(gas), "difficulty": "0x0", "timestamp": "0x0",
            "baseFeePerGas": "0x1",
            "alloc": {SENDER: {"balance": hex(10**30)},
                      CONTRACT: {"balance": "0x0", "code": CODE, "storage": storage}}}


class Chain:
    """`heddle dev` on the genesis, in a folder of its own."""

    def __init__(self, heddle: str, file: Path, data: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [heddle, "dev", "--genesis", str(file), "--datadir", str(data), "--rpc-port",
             str(self.port), "--log-level", "error"], stdout=subprocess.DEVNULL)

    def call(self, method: str, *params: object) -> object:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}", body.encode(),
                                         {"Content-Type": "application/json"})
        answer = json.load(urllib.request.urlopen(request))
        if "error" in answer:
            raise SystemExit(f"cold_slots.py: {method}: {answer['error']['message']}")
        return answer["result"]

    def wait_until_it_answers(self) -> None:
        while self.process.poll() is None:
            try:
                self.call("eth_chainId")
                return
            except OSError:
                time.sleep(0.2)
        raise SystemExit("cold_slots.py: `heddle dev` has ended")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--heddle", default="build/release/heddle", help="the program")
    parser.add_argument("--slots", type=int, default=1_000_000)
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--gas", type=int, default=60_000_000, help="of each block")
    return parser.parse_args()


def main() -> None:
    options = parse_options()
    per_block = (options.gas - 100_000) // SLOT_GAS
    if per_block * options.blocks > options.slots:
        raise SystemExit(f"cold_slots.py: {options.blocks} blocks read "
                         f"{per_block * options.blocks} slots; --slots says fewer")
    options.folder.mkdir(parents=True, exist_ok=True)
    file = options.folder / "genesis.json"
    file.write_text(json.dumps(genesis(options.slots, options.gas)))
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch) / "data"
        chain = Chain(options.heddle, file, data)
        try:
            chain.wait_until_it_answers()
            for number in range(options.blocks):
                words = f"{number * per_block:064x}{per_block:064x}"
                sent = chain.call("eth_sendTransaction", {
                    "from": SENDER, "to": CONTRACT, "gas": hex(options.gas), "data": "0x" + words})
                receipt = chain.call("eth_getTransactionReceipt", sent)
                if receipt["status"] != "0x1":
                    raise SystemExit(f"cold_slots.py: block {number + 1} ran out of gas")
            print(f"{options.blocks} blocks of {int(receipt['gasUsed'], 16):,} gas, "
                  f"{per_block:,} cold slots each")
        finally:
            chain.stop()
        subprocess.run([options.heddle, "export", "--datadir", str(data),
                        str(options.folder / "chain.rlp")], check=True)


if __name__ == "__main__":
    main()
