# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""The calls that compare_dev_chains.py sends to each development chain."""

import collections

ALICE = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
BOB = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
CAROL = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"
NOBODY = "0x00000000000000000000000000000000000000aa"
CONTRACT = "0x00000000000000000000000000000000000000cc"
GWEI = 10**9


def word(value: int) -> str:
    return f"{value:064x}"


# Returns slot 0; adds one to it; logs its input; what fails in each way.
CODES = {
    "reads": "5f545f5260205ff3",
    "counts": "5f546001015f5500",
    "logs": "365f5f37365fa000",
    "reverts": "5f5ffd",
    "reverts with a reason":
        "6064600a5f3960645ffd08c379a0" + word(32) + word(2) + "6e6f" + "0" * 60,
    "panics": "6024600a5f3960245ffd4e487b71" + word(0x12),
    "reverts with an error of its own": "6024600a5f3960245ffd12345678" + word(7),
    "halts": "fe",
    "runs for ever": "5b5f56",
}


def play(ask) -> dict[str, dict]:
    """Asks everything, in order. @return what each step was answered, without version and id."""
    steps = {}
    repeated = collections.Counter()

    def step(name: str, method: str, *params):
        answer = ask(method, *params)
        kept = {part: answer[part] for part in ("result", "error") if part in answer}
        # Chains that refuse a step leave others out: places in the order are no names.
        repeated[method, name] += 1
        again = repeated[method, name]
        steps[f"{method}, {name}" + (f" ({again})" if again > 1 else "")] = kept
        return kept.get("result")

    def send(name: str, **members):
        sent = {"from": ALICE, "gas": "0x186a0", "maxFeePerGas": hex(100 * GWEI),
                "maxPriorityFeePerGas": hex(GWEI), **members}
        sent = {member: value for member, value in sent.items() if value is not None}
        sent_hash = step(name, "eth_sendTransaction", sent)
        if sent_hash is None:  # in its block all the same, where it failed there
            failed = list(steps.values())[-1].get("error", {}).get("data")
            sent_hash = failed.get("txHash") if isinstance(failed, dict) else None
        if isinstance(sent_hash, str):
            step(name, "eth_getTransactionReceipt", sent_hash)
            step(name, "eth_getTransactionByHash", sent_hash)
        return sent_hash

    ask_chain(step)
    send_plainly(step, send)
    fail_in_every_way(step, send)
    go_back(step, send)
    mine(step, send)
    set_values(step, send)
    set_blocks(step, send)
    impersonate(step, send)
    refuse(step)
    return steps


def ask_chain(step) -> None:
    for method in ("eth_chainId", "net_version", "eth_accounts", "eth_blockNumber", "eth_syncing",
                   "net_listening", "eth_coinbase", "eth_gasPrice", "eth_maxPriorityFeePerGas",
                   "eth_mining", "eth_hashrate"):
        step("at the start", method)
    for block in ("latest", "earliest", "pending", "0x0", "0x5", "safe", "finalized"):
        step(block, "eth_getBlockByNumber", block, False)
        step(block, "eth_getBalance", ALICE, block)
        step(block, "eth_getTransactionCount", ALICE, block)
    step("at the start", "eth_feeHistory", "0x1", "latest", [50])


def send_plainly(step, send) -> None:
    send("a transfer", to=BOB, value="0x1")
    send("with data", to=BOB, value="0x1", data="0x1234")
    send("type 0", to=BOB, value="0x1", maxFeePerGas=None, maxPriorityFeePerGas=None,
         gasPrice=hex(100 * GWEI))
    send("type 1", to=BOB, value="0x1", maxFeePerGas=None, maxPriorityFeePerGas=None,
         gasPrice=hex(100 * GWEI), accessList=[{"address": BOB, "storageKeys": []}])
    send("without gas", to=BOB, value="0x1", gas=None)
    send("to itself", to=ALICE, value="0x1")
    send("a creation", data="0x6000600055")
    for block in ("latest", "pending", "0x1"):
        step(block, "eth_getBlockByNumber", block, True)
        step(block, "eth_getBlockTransactionCountByNumber", block)
    step("after transfers", "eth_getBalance", BOB, "latest")
    step("after transfers", "eth_getTransactionCount", ALICE, "pending")


def fail_in_every_way(step, send) -> None:
    for name, code in CODES.items():
        step(name, "hardhat_setCode", CONTRACT, "0x" + code)
        call = {"from": ALICE, "to": CONTRACT, "data": "0x01020304"}
        step(name, "eth_call", call, "latest")
        step(name, "eth_estimateGas", call)
        send(name, to=CONTRACT, data="0x01020304")
        step(name, "eth_getStorageAt", CONTRACT, "0x0", "latest")
        step(name, "eth_getTransactionCount", ALICE, "latest")
    step("of the contract", "eth_getLogs", {"fromBlock": "0x0", "address": CONTRACT})
    send("too poor", to=BOB, value=hex(10**30))
    send("too little gas", to=BOB, gas="0x5207")
    send("beyond the block", to=BOB, gas=hex(1 << 40))
    send("nonce too low", to=BOB, nonce="0x0")
    send("fees crossed", to=BOB, maxFeePerGas="0x1", maxPriorityFeePerGas="0x2")
    before = step("of the base fee", "evm_snapshot")
    send("fee below the base fee", to=BOB, maxFeePerGas="0x1", maxPriorityFeePerGas="0x0")
    step("of the base fee", "evm_revert", before)
    send("unknown account", **{"from": NOBODY, "to": BOB})


def go_back(step, send) -> None:
    first = step("first", "evm_snapshot")
    send("after a snapshot", to=BOB, value="0x5")
    second = step("second", "evm_snapshot")
    step("changed", "hardhat_setBalance", NOBODY, "0x7")
    step("second", "evm_revert", second)
    step("after the revert", "eth_getBalance", NOBODY, "latest")
    step("second again", "evm_revert", second)
    step("first", "evm_revert", first)
    step("after both", "eth_blockNumber")
    step("after both", "eth_getBalance", BOB, "latest")
    step("a snapshot that never was", "evm_revert", "0xffff")


def mine(step, send) -> None:
    step("one", "evm_mine")
    step("three", "hardhat_mine", "0x3")
    step("three", "eth_blockNumber")
    step("many", "hardhat_mine", "0x3e8", "0xc")
    step("many", "eth_blockNumber")
    step("off", "evm_setAutomine", False)
    waiting = send("which waits", to=BOB, value="0x1")
    send("which waits, too", to=BOB, value="0x2")
    step("of those that wait", "eth_getTransactionCount", ALICE, "pending")
    step("of those that wait", "eth_getTransactionCount", ALICE, "latest")
    step("of those that wait", "eth_getBlockTransactionCountByNumber", "pending")
    step("of those that wait", "eth_getBalance", BOB, "pending")
    step("of those that wait", "txpool_status")
    if isinstance(waiting, str):
        step("the first", "hardhat_dropTransaction", waiting)
        step("the first again", "hardhat_dropTransaction", waiting)
        step("dropped", "eth_getTransactionByHash", waiting)
    step("those that wait", "evm_mine")
    step("those that wait", "eth_getBlockByNumber", "latest", False)
    step("asked", "hardhat_getAutomine")
    step("on", "evm_setAutomine", True)
    step("none", "hardhat_mine", "0x0")
    step("never", "evm_setIntervalMining", 0)


def set_values(step, send) -> None:
    step("of nobody", "hardhat_setBalance", NOBODY, "0x1234")
    step("of nobody", "eth_getBalance", NOBODY, "latest")
    step("of nobody", "hardhat_setNonce", NOBODY, "0x9")
    step("of nobody", "eth_getTransactionCount", NOBODY, "latest")
    step("lower", "hardhat_setNonce", NOBODY, "0x1")
    step("odd", "hardhat_setStorageAt", CONTRACT, "0x0", "0x1")
    step("a word", "hardhat_setStorageAt", CONTRACT, "0x0", "0x" + word(42))
    step("of the contract", "eth_getStorageAt", CONTRACT, "0x0", "latest")
    step("none", "hardhat_setCode", CONTRACT, "0x")
    step("none", "eth_getCode", CONTRACT, "latest")
    step("reads", "hardhat_setCode", CONTRACT, "0x" + CODES["reads"])
    step("reads", "eth_call", {"to": CONTRACT}, "latest")
    step("with overrides", "eth_call", {"to": CONTRACT}, "latest",
         {CONTRACT: {"stateDiff": {"0x" + word(0): "0x" + word(43)}}})
    send("by a contract's code", to=CONTRACT)


def set_blocks(step, send) -> None:
    step("for the next", "hardhat_setNextBlockBaseFeePerGas", hex(7 * GWEI))
    send("at its base fee", to=BOB)
    step("with it", "eth_getBlockByNumber", "latest", False)
    step("for all", "hardhat_setCoinbase", NOBODY)
    send("with a beneficiary", to=BOB)
    step("with it", "eth_getBlockByNumber", "latest", False)
    step("for the next", "hardhat_setPrevRandao", "0x" + word(99))
    step("with it", "evm_mine")
    step("an hour", "evm_increaseTime", 3600)
    step("later", "evm_mine")
    step("before its parent", "evm_setNextBlockTimestamp", 1)
    step("far", "evm_setNextBlockTimestamp", 4_000_000_000)
    step("far", "evm_mine")
    step("to", "evm_setBlockGasLimit", hex(20_000_000))
    step("with it", "evm_mine")
    step("with it", "eth_getBlockByNumber", "latest", False)


def impersonate(step, send) -> None:
    step("nobody", "hardhat_impersonateAccount", NOBODY)
    step("nobody", "hardhat_setBalance", NOBODY, hex(10**18))
    send("as nobody", **{"from": NOBODY, "to": BOB, "value": "0x1"})
    step("nobody", "hardhat_stopImpersonatingAccount", NOBODY)
    step("nobody again", "hardhat_stopImpersonatingAccount", NOBODY)
    send("as nobody any more", **{"from": NOBODY, "to": BOB, "value": "0x1"})


def refuse(step) -> None:
    step("no such method", "eth_noSuchMethod")
    step("no such development method", "hardhat_noSuchMethod")
    for name, params in (("nothing", []), ("a number", [1]), ("no address", ["0x12", "latest"]),
                         ("no block", [ALICE, "newest"]), ("too much", [ALICE, "latest", 1, 2])):
        step(name, "eth_getBalance", *params)
    for name, params in (("nothing", []), ("one of two", [NOBODY]), ("below 0", [NOBODY, "-0x1"]),
                         ("no number", [NOBODY, "much"])):
        step(name, "hardhat_setBalance", *params)
    step("no hash", "eth_getTransactionReceipt", "0x12")
    step("unknown", "eth_getTransactionReceipt", "0x" + word(1))
    step("unknown", "eth_getBlockByHash", "0x" + word(1), False)
    step("no transaction", "eth_sendRawTransaction", "0x1234")
    step("a past that is not there", "eth_getBalance", ALICE, "0xffffff")
    step("a call at a block that is not there", "eth_call", {"to": BOB}, "0xffffff")
