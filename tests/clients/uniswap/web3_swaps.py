#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""web3_swaps.py DEPLOYED RESULT: swaps over several pools of Uniswap v2 and v3 with web3.py."""

import json
import os
import sys
from pathlib import Path

from eth_account import Account
from web3 import HTTPProvider, Web3

FOREVER = 2**64 - 1
AMOUNT = 4 * 10**18
ACCOUNT = Account.from_key("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")

web3 = Web3(HTTPProvider(os.environ["HEDDLE_CLIENT_URL"]))


def swap(call) -> dict:
    expected = call.call({"from": ACCOUNT.address})
    transaction = call.build_transaction({
        "from": ACCOUNT.address, "nonce": web3.eth.get_transaction_count(ACCOUNT.address)})
    signed = ACCOUNT.sign_transaction(transaction)
    sent = web3.eth.send_raw_transaction(signed.raw_transaction)
    receipt = web3.eth.wait_for_transaction_receipt(sent, poll_latency=0.02)
    return {
        "expected": [str(each) for each in expected] if isinstance(expected, list)
        else str(expected),
        "status": receipt["status"], "gasUsed": receipt["gasUsed"],
        "logs": [[log["address"].lower(), log["topics"][0].to_0x_hex(), log["data"].to_0x_hex()]
                 for log in receipt["logs"]],
    }


def main() -> None:
    deployed = json.loads(Path(sys.argv[1]).read_text())
    abis = deployed["abis"]
    v2, v3, quoter = (web3.eth.contract(address=deployed[name], abi=abis[name])
                      for name in ("v2", "v3", "quoter"))
    way = [deployed[name] for name in "abc"]
    route = bytes.fromhex(deployed["there"][2:])
    steps = {
        "web3: v2 quote": [str(each) for each in v2.functions.getAmountsOut(AMOUNT, way).call()],
        "web3: v2 over two pools": swap(v2.functions.swapExactTokensForTokens(
            AMOUNT, 0, way, ACCOUNT.address, FOREVER)),
        "web3: v3 quote": str(quoter.functions.quoteExactInput(route, AMOUNT).call()[0]),
        "web3: v3 over two pools": swap(v3.functions.exactInput(
            (route, ACCOUNT.address, FOREVER, AMOUNT, 0))),
    }
    Path(sys.argv[2]).write_text(json.dumps(
        [{"step": name, "result": result} for name, result in steps.items()]))


if __name__ == "__main__":
    main()
