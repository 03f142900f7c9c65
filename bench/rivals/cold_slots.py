#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""cold_slots.py [options] FOLDER: makes a chain whose blocks do nothing but read cold slots.

FOLDER gets genesis.json and chain.rlp, which replay.py takes: a contract with --slots slots, and
--blocks blocks whose transactions, --transactions of them, read as many of them as --gas allows,
each slot once in the chain. It is the most that a block can make a client fetch from its database
for its gas. From Osaka on no transaction has more than 2^24 gas (EIP-7825), so a block of 60 Mgas
has four at least. The blocks are sealed by `heddle dev`. Needs nothing but Python and Linux.
"""

import argparse
import json
import tempfile
from pathlib import Path

from dev_chain import SENDERS, DevChain, assemble, genesis

CONTRACT = "0x00000000000000000000000000000000000c01d5"
# Reads calldata[32] slots from number calldata[0] on.
CODE = assemble("""32 CALLDATALOAD  0 CALLDATALOAD
    next: DUP1 SLOAD POP  1 ADD  SWAP1 1 SWAP1 SUB SWAP1  DUP2 @next JUMPI  STOP""")
SLOT_GAS = 2_100 + 60  # a cold slot and the loop around it


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--heddle", default="build/release/heddle", help="the program")
    parser.add_argument("--slots", type=int, default=1_000_000)
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--gas", type=int, default=60_000_000, help="of each block")
    parser.add_argument("--transactions", type=int, default=1,
                        choices=range(1, len(SENDERS) + 1), help="of each block")
    return parser.parse_args()


def main() -> None:
    options = parse_options()
    gas = options.gas // options.transactions
    per_transaction = (gas - 100_000) // SLOT_GAS
    per_block = per_transaction * options.transactions
    if per_block * options.blocks > options.slots:
        raise SystemExit(f"cold_slots.py: {options.blocks} blocks read "
                         f"{per_block * options.blocks} slots; --slots says fewer")
    options.folder.mkdir(parents=True, exist_ok=True)
    file = options.folder / "genesis.json"
    storage = {f"0x{slot:064x}": f"0x{slot + 1:064x}" for slot in range(options.slots)}
    file.write_text(json.dumps(genesis(options.gas, {
        CONTRACT: {"balance": "0x0", "code": CODE, "storage": storage}})))
    with tempfile.TemporaryDirectory() as scratch:
        chain = DevChain(options.heddle, file, Path(scratch) / "data", "--seal", "command")
        for number in range(options.blocks):
            firsts = [number * per_block + i * per_transaction for i in range(options.transactions)]
            used = chain.seal([
                {"from": sender, "to": CONTRACT, "gas": hex(gas),
                 "data": f"0x{first:064x}{per_transaction:064x}"}
                for sender, first in zip(SENDERS[:options.transactions], firsts, strict=True)])
        chain.stop()
        print(f"{options.blocks} blocks of {used:,} gas in {options.transactions} transactions, "
              f"{per_block:,} cold slots each")
        chain.export(options.folder / "chain.rlp")


if __name__ == "__main__":
    main()
