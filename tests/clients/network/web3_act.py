# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""web3.py sends through one validator of a network while other clients do through others."""

import time

from shared import (ACCOUNTS_EACH, BOARD, BURST, OWN_URL, SELF, SENDERS, account_of, finish,
                    receiver)
from web3 import HTTPProvider, Web3
from web3.utils.address import get_create_address

GWEI = 10**9
web3 = Web3(HTTPProvider(OWN_URL))
WALLETS = [account_of(SELF, which) for which in range(ACCOUNTS_EACH)]
FIRST, SECOND, THIRD = WALLETS
sent = []


def offer(transaction, account):
    return web3.eth.send_raw_transaction(account.sign_transaction(transaction).raw_transaction)


def mined(transaction_hash, status=1):
    """Its receipt, however long that takes."""
    receipt = web3.eth.wait_for_transaction_receipt(transaction_hash, timeout=float("inf"),
                                                    poll_latency=0.1)
    assert receipt["status"] == status, receipt
    sent.append(Web3.to_hex(transaction_hash))
    return receipt


def transact(call, account=FIRST, status=1, **members):
    return mined(offer(call.build_transaction({
        "from": account.address, "nonce": web3.eth.get_transaction_count(account.address),
        **members}), account), status)


def plain_transaction(account, **members):
    return {"chainId": 1337, "nonce": web3.eth.get_transaction_count(account.address),
            "value": 0, "gas": 21_000, "maxFeePerGas": 10 * GWEI, "maxPriorityFeePerGas": GWEI,
            **members}


def use_board():
    factory = web3.eth.contract(abi=BOARD["abi"], bytecode=BOARD["bytecode"])
    target = transact(factory.constructor("web3"), value=5)["contractAddress"]
    post = web3.eth.contract(address=target, abi=BOARD["abi"]).functions.post
    transact(post("type 0"), gasPrice=3 * GWEI, value=7)
    transact(post("type 1"), gasPrice=3 * GWEI,
             accessList=[{"address": target, "storageKeys": ["0x" + "00" * 31 + "03"]}])
    transact(post("type 2"))
    authorization = SECOND.sign_authorization({"chainId": 1337, "address": target, "nonce": 0})
    mined(offer(plain_transaction(
        FIRST, to=SECOND.address, gas=300_000, authorizationList=[authorization],
        data=post("type 4")._encode_transaction_data()), FIRST))
    assert web3.eth.get_code(SECOND.address) != b""
    transact(post(""), status=0, gas=100_000)
    mined(offer(plain_transaction(FIRST, to=target, value=10**18, gas=100_000), FIRST))
    return target


def send_many():
    hashes = [offer(plain_transaction(THIRD, to=Web3.to_checksum_address(receiver(SELF)),
                                      nonce=i, value=10**15), THIRD) for i in range(BURST)]
    for each in hashes:
        mined(each)


def use_boards_of_others():
    """Contracts that come through other validators."""
    for other in range(SENDERS):
        if other == SELF:
            continue
        address = get_create_address(account_of(other, 0).address, 0)
        while web3.eth.get_code(address) == b"":
            time.sleep(0.1)
        board = web3.eth.contract(address=address, abi=BOARD["abi"])
        receipt = transact(board.functions.post(f"from {SELF}"), THIRD)
        assert len(receipt["logs"]) == 1, receipt


def main():
    target = use_board()
    send_many()
    use_boards_of_others()
    board = web3.eth.contract(address=target, abi=BOARD["abi"])
    posted = board.events.Posted().get_logs(
        from_block=0, argument_filters={"author": FIRST.address})
    assert len(posted) == 3, posted
    finish({"sent": sent, "contracts": [target],
            "accounts": [each.address for each in WALLETS], "receivers": [receiver(SELF)]})


main()
