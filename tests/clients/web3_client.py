# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""web3.py against a node: what scripts of it do."""

import asyncio
import json
import os
from pathlib import Path

from eth_account import Account
from eth_account.messages import encode_defunct, encode_typed_data
from web3 import AsyncWeb3, HTTPProvider, Web3, WebSocketProvider
from web3.exceptions import (
    ContractCustomError,
    ContractLogicError,
    ContractPanicError,
    TransactionNotFound,
    Web3RPCError,
)

URL = os.environ["HEDDLE_CLIENT_URL"]
SOCKET_URL = URL.replace("http", "ws", 1)
GWEI = 10**9
ETHER = 10**18
BOARD = json.loads((Path(__file__).parent / "contracts" / "Board.json").read_text())
KEYS = [
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
]
FIRST, SECOND, THIRD = (Account.from_key(key) for key in KEYS)

web3 = Web3(HTTPProvider(URL))
steps = []


def plain(value):
    if isinstance(value, bytes):
        return Web3.to_hex(value)
    if value is None or isinstance(value, (bool, float, str)):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (list, tuple, set)):
        return [plain(each) for each in value]
    return {name: plain(each) for name, each in dict(value).items()}


def step(name, result):
    steps.append({"step": name, "result": plain(result)})


def failing(name, kinds, action):
    """An action that must fail in one of these ways."""
    try:
        result = action()
    except kinds as error:
        response = getattr(error, "rpc_response", None) or {}
        step(name, {"kind": type(error).__name__, "message": str(getattr(error, "message", error)),
                    "data": getattr(error, "data", None),
                    "code": response.get("error", {}).get("code")})
        return
    raise AssertionError(f"step {name} succeeded: {result}")


def receipt_of(receipt):
    return {
        **{name: receipt[name] for name in (
            "type", "status", "to", "from", "contractAddress", "gasUsed", "effectiveGasPrice",
            "cumulativeGasUsed", "transactionIndex", "blockNumber")},
        "logs": [{name: log[name] for name in ("address", "topics", "data", "logIndex", "removed")}
                 for log in receipt["logs"]],
    }


def log_of(log):
    return [log["event"], dict(log["args"]), log["blockNumber"], log["logIndex"]]


def send(transaction, account=FIRST):
    signed = account.sign_transaction(transaction)
    return web3.eth.send_raw_transaction(signed.raw_transaction)


def transact(call, account=FIRST, **overrides):
    transaction = call.build_transaction({
        "from": account.address, "nonce": web3.eth.get_transaction_count(account.address),
        **overrides})
    return web3.eth.wait_for_transaction_receipt(send(transaction, account), poll_latency=0.05)


def plain_transaction(nonce, **members):
    return {"chainId": 1337, "nonce": nonce, "to": SECOND.address, "value": 0, "gas": 21_000,
            "maxFeePerGas": 10 * GWEI, "maxPriorityFeePerGas": GWEI, **members}


def ask():
    step("connected", web3.is_connected())
    step("chain id", web3.eth.chain_id)
    step("block number", web3.eth.block_number)
    step("balance", web3.eth.get_balance(FIRST.address))
    step("prices", [web3.eth.gas_price, web3.eth.max_priority_fee])
    step("fee history", web3.eth.fee_history(1, "latest", [50.0]))


def deploy():
    factory = web3.eth.contract(abi=BOARD["abi"], bytecode=BOARD["bytecode"])
    receipt = transact(factory.constructor("web3"), value=5)
    step("deploy", receipt_of(receipt))
    step("code", Web3.keccak(web3.eth.get_code(receipt["contractAddress"])))
    return web3.eth.contract(address=receipt["contractAddress"], abi=BOARD["abi"])


def use(board):
    call = board.functions
    step("read", [call.name().call(), call.owner().call(), call.count().call()])
    step("estimate", call.post("hello").estimate_gas({"from": FIRST.address, "value": 7}))
    step("write", receipt_of(transact(call.post("hello"), value=7)))
    step("structure", call.note(0).call())
    step("legacy", receipt_of(transact(call.post("legacy"), gasPrice=3 * GWEI)))
    step("access list", receipt_of(transact(
        call.post("listed"), gasPrice=3 * GWEI,
        accessList=[{"address": board.address, "storageKeys": ["0x" + "00" * 31 + "03"]}])))
    step("dynamic fee", receipt_of(transact(
        call.post("dynamic"), maxFeePerGas=9 * GWEI, maxPriorityFeePerGas=3 * GWEI)))
    authorization = SECOND.sign_authorization(
        {"chainId": 1337, "address": board.address, "nonce": 0})
    delegated = web3.eth.wait_for_transaction_receipt(send(plain_transaction(
        web3.eth.get_transaction_count(FIRST.address), gas=300_000,
        data=call.post("delegated")._encode_transaction_data(),
        authorizationList=[authorization])), poll_latency=0.05)
    step("set code", [receipt_of(delegated), web3.eth.get_code(SECOND.address)])
    step("mined", {name: value for name, value in
                   web3.eth.get_transaction(delegated["transactionHash"]).items()
                   if name not in ("blockHash", "blockTimestamp")})
    step("failed", receipt_of(transact(call.post(""), gas=100_000)))


def fail(board):
    call = board.functions
    failing("no such transaction", TransactionNotFound,
            lambda: web3.eth.get_transaction("0x" + "11" * 32))
    failing("require", ContractLogicError, lambda: call.post("").call())
    failing("custom error", ContractCustomError, lambda: call.post("x" * 33).call())
    failing("panic", ContractPanicError, lambda: call.divide(1, 0).call())
    failing("revert without data", ContractLogicError, lambda: call.fail().call())
    failing("estimate", ContractLogicError, lambda: call.post("").estimate_gas())
    failing("nonce too low", Web3RPCError, lambda: send(plain_transaction(0)))
    nonce = web3.eth.get_transaction_count(FIRST.address)
    failing("too poor", Web3RPCError, lambda: send(plain_transaction(nonce, value=20_000 * ETHER)))
    failing("intrinsic gas", Web3RPCError, lambda: send(plain_transaction(nonce, gas=20_000)))
    failing("wrong chain", Web3RPCError, lambda: send(plain_transaction(nonce, chainId=1)))
    failing("tip above fee", Web3RPCError,
            lambda: send(plain_transaction(nonce, maxPriorityFeePerGas=11 * GWEI)))


def look(board):
    posted = board.events.Posted
    step("events", [log_of(log) for log in posted().get_logs(from_block=0)])
    step("chosen events", [log_of(log) for log in posted().get_logs(
        from_block=0, argument_filters={"id": [1, 3]})])
    for tag in ("earliest", "latest", "pending"):
        step(f"balance at {tag}", web3.eth.get_balance(board.address, tag))
    step("call at a block", board.functions.count().call(block_identifier=2))
    block = web3.eth.get_block(2, full_transactions=True)
    step("block", {name: block[name] for name in (
        "number", "gasUsed", "gasLimit", "baseFeePerGas", "logsBloom", "withdrawals", "uncles",
        "receiptsRoot", "transactionsRoot", "blobGasUsed")})
    step("storage", web3.eth.get_storage_at(board.address, 0))
    proof = web3.eth.get_proof(board.address, [0, 3], 2)
    step("proof", [Web3.keccak(proof["accountProof"][0]) == block["stateRoot"],
                   Web3.keccak(proof["storageProof"][0]["proof"][0]) == proof["storageHash"],
                   proof["storageProof"], proof["storageHash"]])
    step("access list of a call", web3.eth.create_access_list(
        {"from": FIRST.address, "to": board.address,
         "data": board.functions.post("listed")._encode_transaction_data()}))
    # Returns its own balance.
    step("other state", web3.eth.call({"to": SECOND.address}, "latest", {
        SECOND.address: {"code": "0x303160005260206000f3", "balance": hex(77)}}))


def sign():
    message = encode_defunct(text="hello")
    step("message", Account.recover_message(
        message, signature=FIRST.sign_message(message).signature))
    typed = encode_typed_data(full_message={
        "types": {"EIP712Domain": [{"name": "name", "type": "string"}],
                  "Note": [{"name": "text", "type": "string"},
                           {"name": "tags", "type": "uint8[]"}]},
        "primaryType": "Note", "domain": {"name": "Board"},
        "message": {"text": "signed", "tags": [1, 2]}})
    step("typed data", FIRST.sign_message(typed).signature)


def filter_events(board):
    events = board.events.Posted.create_filter(from_block="latest")
    blocks = web3.eth.filter("latest")
    receipt = transact(board.functions.post("filtered"))
    step("event filter", [log_of(log) for log in events.get_new_entries()])
    step("block filter", [each == receipt["blockHash"] for each in blocks.get_new_entries()])
    step("uninstalled", [web3.eth.uninstall_filter(events.filter_id),
                         web3.eth.uninstall_filter(events.filter_id)])


async def subscribe(board):
    async with AsyncWeb3(WebSocketProvider(SOCKET_URL)) as socket:
        heads = await socket.eth.subscribe("newHeads")
        logs = await socket.eth.subscribe("logs", {"address": board.address})
        receipt = await asyncio.to_thread(transact, board.functions.post("subscribed"))
        seen = {}
        async for message in socket.socket.process_subscriptions():
            seen[message["subscription"]] = message["result"]
            if len(seen) == 2:
                break
        step("subscriptions", [
            seen[heads]["hash"] == receipt["blockHash"],
            log_of(board.events.Posted().process_log(seen[logs])),
            await socket.eth.unsubscribe(heads)])


def replace():
    nonce = web3.eth.get_transaction_count(THIRD.address)

    def offer(value, at, fee):
        return send(plain_transaction(at, to=FIRST.address, value=value, maxFeePerGas=fee,
                                      maxPriorityFeePerGas=fee // 5), THIRD)

    # It waits for the nonce before it, so that there is something to replace.
    replaced = offer(1, nonce + 1, 10 * GWEI)
    failing("underpriced replacement", Web3RPCError, lambda: offer(2, nonce + 1, 10 * GWEI + 5))
    failing("known transaction", Web3RPCError, lambda: offer(1, nonce + 1, 10 * GWEI))
    better = offer(3, nonce + 1, 20 * GWEI)
    offer(0, nonce, 20 * GWEI)
    receipt = web3.eth.wait_for_transaction_receipt(better, poll_latency=0.05)
    step("replacement", [receipt["status"], receipt["gasUsed"],
                         web3.eth.get_transaction_count(THIRD.address) - nonce])
    failing("replaced", TransactionNotFound, lambda: web3.eth.get_transaction(replaced))


def main():
    ask()
    board = deploy()
    use(board)
    fail(board)
    look(board)
    sign()
    filter_events(board)
    asyncio.run(subscribe(board))
    replace()
    Path(os.environ["HEDDLE_CLIENT_TRANSCRIPT"]).write_text(json.dumps(steps))


main()
