# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""web3.py reads all that there is from every validator."""

from shared import URLS, finish, read_plan
from web3 import HTTPProvider, Web3

plan = read_plan()


def plain(value):
    if isinstance(value, bytes):
        return Web3.to_hex(value)
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return value.lower()
    if isinstance(value, (list, tuple, set)):
        return [plain(each) for each in value]
    return {name: plain(each) for name, each in dict(value).items()}


def number(data):
    return str(int.from_bytes(data, "big"))


def named(source, /, **names):
    """Members of one of web3's objects under the names that the clients share."""
    return {name: plain(source.get(member)) for name, member in names.items()}


def shared_block(block):
    return named(block, number="number", hash="hash", parent="parentHash", time="timestamp",
                 gasUsed="gasUsed", gasLimit="gasLimit", baseFee="baseFeePerGas", miner="miner",
                 extra="extraData", randao="mixHash", stateRoot="stateRoot",
                 receiptsRoot="receiptsRoot") | {
        "transactions": [Web3.to_hex(each["hash"]) for each in block["transactions"]]}


def shared_transaction(tx):
    return named(tx, hash="hash", type="type", to="to", nonce="nonce", value="value", gas="gas",
                 input="input", maxFee="maxFeePerGas" if tx["type"] >= 2 else "gasPrice",
                 block="blockNumber", blockHash="blockHash", position="transactionIndex") | {
        "from": plain(tx["from"]),
        "signature": [number(tx["r"]), number(tx["s"])]}


def shared_log(log):
    return named(log, address="address", topics="topics", data="data", index="logIndex",
                 block="blockNumber", blockHash="blockHash", transaction="transactionHash",
                 position="transactionIndex")


def shared_receipt(receipt):
    return named(receipt, transaction="transactionHash", status="status", type="type", to="to",
                 contract="contractAddress", gasUsed="gasUsed", cumulative="cumulativeGasUsed",
                 price="effectiveGasPrice", block="blockNumber", blockHash="blockHash",
                 position="transactionIndex", bloom="logsBloom") | {
        "from": plain(receipt["from"]), "logs": [shared_log(log) for log in receipt["logs"]]}


def shared_proof(proof):
    return {
        "account": plain(proof["accountProof"]),
        **named(proof, balance="balance", nonce="nonce", codeHash="codeHash",
                storageHash="storageHash"),
        "slots": [{"key": number(slot["key"]),
                   "value": number(slot["value"]), "proof": plain(slot["proof"])}
                  for slot in proof["storageProof"]]}


class Reader:
    def __init__(self, url):
        self.eth = Web3(HTTPProvider(url)).eth
        self.whole = {}
        self.shared = {}
        self.last = plan["last"]

    def keep(self, what, value, form=None):
        self.whole[what] = plain(value)
        self.shared[what] = form or plain(value)

    def read_proofs(self):
        """First of all: nodes prove the last 128 states only, and the chain grows."""
        for address in plan["proved"]:
            slots = plan["slots"] if address in plan["contracts"] else []
            proof = self.eth.get_proof(Web3.to_checksum_address(address), slots, self.last)
            self.keep(f"proof of {address}", proof, shared_proof(proof))

    def read_blocks(self):
        for number in range(self.last + 1):
            block = self.eth.get_block(number, full_transactions=True)
            self.keep(f"block {number}", block, shared_block(block))
            for each in block["transactions"]:
                name = Web3.to_hex(each["hash"])
                tx = self.eth.get_transaction(each["hash"])
                self.keep(f"transaction {name}", tx, shared_transaction(tx))
                receipt = self.eth.get_transaction_receipt(each["hash"])
                self.keep(f"receipt {name}", receipt, shared_receipt(receipt))

    def read_logs(self):
        span = {"fromBlock": 0, "toBlock": self.last}
        logs = self.eth.get_logs(span)
        self.keep("logs", logs, [shared_log(log) for log in logs])
        for address in plan["contracts"]:
            own = self.eth.get_logs({**span, "address": Web3.to_checksum_address(address)})
            self.keep(f"logs of {address}", [shared_log(log) for log in own])

    def read_state(self):
        for each in plan["accounts"]:
            address = Web3.to_checksum_address(each)
            for number in (self.last // 2, self.last):
                self.keep(f"account {each} at {number}", {
                    "balance": self.eth.get_balance(address, number),
                    "nonce": self.eth.get_transaction_count(address, number),
                    "code": self.eth.get_code(address, number)})
        for each in plan["contracts"]:
            for slot in plan["slots"]:
                value = self.eth.get_storage_at(Web3.to_checksum_address(each), slot, self.last)
                self.keep(f"storage {each} {slot}", value)

    def read(self):
        self.read_blocks()
        self.read_logs()
        self.read_state()
        return {"whole": self.whole, "shared": self.shared}


readers = [Reader(url) for url in URLS]
for reader in readers:
    reader.read_proofs()
finish([reader.read() for reader in readers])
