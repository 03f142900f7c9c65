#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""large_state.py [options] FOLDER: makes a chain on a large state, which the chain itself creates.

FOLDER gets genesis.json, before.rlp and chain.rlp, which replay.py takes. The blocks of before.rlp
create --accounts accounts and --slots slots in 100 contracts, because a genesis of that size does
not fit into the memory of every client. The --blocks blocks of chain.rlp are of some 60 Mgas: 200
transactions that each write random slots of one contract and pay random accounts, as many of both.
The blocks are sealed by `heddle dev`. Needs nothing but Python and Linux.
"""

import argparse
import json
import random
import tempfile
from pathlib import Path

from dev_chain import SENDERS, DevChain, assemble, genesis

PAYER = "0x00000000000000000000000000000000000face5"
CONTRACTS = [f"0x{0xC0DE00 + i:040x}" for i in range(100)]
FIRST_ACCOUNT = "0x" + "aa" + 19 * "00"
CREATED_PER_BLOCK = 10_000  # geth keeps what 128 blocks have changed in memory
TRANSACTIONS, TOUCHES = 200, 20
COUNT_DOWN = "SWAP1 1 SWAP1 SUB SWAP1  DUP2 @next JUMPI  STOP"
# Pays one wei to calldata[32] accounts from number calldata[0] on.
PAYER_CODE = assemble(f"""32 CALLDATALOAD  0 CALLDATALOAD
    next: PUSH0 PUSH0 PUSH0 PUSH0 1  DUP6 {FIRST_ACCOUNT} ADD  PUSH0 CALL POP
          1 ADD  {COUNT_DOWN}""")
# With two words, writes calldata[32] slots from number calldata[0] on. With four: from the seed
# calldata[0] on, calldata[32] times, the seed becomes its own hash, one slot of the calldata[64]
# first and one account of the calldata[96] first are chosen by it, and written and paid.
CONTRACT_CODE = assemble(f"""32 CALLDATALOAD  0 CALLDATALOAD  CALLDATASIZE 64 EQ @create JUMPI
    next: PUSH0 MSTORE  32 PUSH0 KECCAK256
          DUP1  64 CALLDATALOAD DUP2 MOD  SSTORE
          PUSH0 PUSH0 PUSH0 PUSH0 1  96 CALLDATALOAD DUP7 64 SHR MOD {FIRST_ACCOUNT} ADD
          PUSH0 CALL POP
          {COUNT_DOWN}
    create: DUP1 1 ADD  DUP1 SWAP2 SSTORE  {COUNT_DOWN.replace("@next", "@create")}""")


def data(*words: int) -> str:
    return "0x" + "".join(f"{word:064x}" for word in words)


def create(chain: DevChain, accounts: int, slots: int) -> int:
    """The state, block by block. @return  how many blocks it took."""
    blocks = 0
    for first in range(0, accounts, CREATED_PER_BLOCK):
        count = min(CREATED_PER_BLOCK, accounts - first)
        chain.seal([{"from": SENDERS[0], "to": PAYER, "gas": hex(50_000 + 37_000 * count),
                     "data": data(first, count)}])
        blocks += 1
    per_contract = slots // len(CONTRACTS)
    for contract in CONTRACTS:
        for first in range(0, per_contract, CREATED_PER_BLOCK):
            count = min(CREATED_PER_BLOCK, per_contract - first)
            chain.seal([{"from": SENDERS[0], "to": contract, "gas": hex(50_000 + 22_500 * count),
                         "data": data(first, count)}])
            blocks += 1
    return blocks


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--heddle", default="build/release/heddle", help="the program")
    parser.add_argument("--accounts", type=int, default=10_000_000)
    parser.add_argument("--slots", type=int, default=10_000_000)
    parser.add_argument("--blocks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    options = parse_options()
    if options.accounts < 1 or options.slots < len(CONTRACTS):
        raise SystemExit(f"large_state.py: one account and {len(CONTRACTS)} slots at least")
    choice = random.Random(options.seed)
    options.folder.mkdir(parents=True, exist_ok=True)
    file = options.folder / "genesis.json"
    rich = hex(10**30)
    file.write_text(json.dumps(genesis(8_000_000_000, {
        PAYER: {"balance": rich, "code": PAYER_CODE},
        **{contract: {"balance": rich, "code": CONTRACT_CODE} for contract in CONTRACTS}})))
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        chain = DevChain(options.heddle, file, Path(scratch) / "data", "--seal", "command")
        before = create(chain, options.accounts, options.slots)
        used = 0
        for _ in range(options.blocks):
            used += chain.seal([
                {"from": SENDERS[i % len(SENDERS)], "to": choice.choice(CONTRACTS),
                 "gas": hex(100_000 + 40_000 * TOUCHES),
                 "data": data(choice.getrandbits(256), TOUCHES, options.slots // len(CONTRACTS),
                              options.accounts)} for i in range(TRANSACTIONS)])
        chain.stop()
        print(f"{before} blocks create the state, {options.blocks} of "
              f"{used // max(options.blocks, 1):,} gas follow")
        chain.export(options.folder / "before.rlp", "--to", str(before))
        chain.export(options.folder / "chain.rlp", "--from", str(before + 1))


if __name__ == "__main__":
    main()
