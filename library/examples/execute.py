#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""execute.py BLOCK: what execute.c does, with nothing but Python's own ctypes.

The library is looked for as libheddle.so.1, or where HEDDLE_LIBRARY says. The engine has one worker
here: with more, callbacks come from several threads at once, each of which waits for Python's lock.
"""

import ctypes as c
import os
import sys

ACCOUNTS = {  # address: (nonce, balance in wei, code, its Keccak-256)
    "7e5f4552091a69125d5dfcb7b8c2659029395bdf": (0, 10**18, "", ""),
    "2b5ad5c4795c026514f8317c7a215e218dccd6cf": (0, 10**18, "", ""),
    "6813eb9362372eef6200f3b1dbc3f819671cba69": (0, 10**18, "", ""),
    "000000000000000000000000000000000000c0de": (
        1, 0, "60005460010180600055600052600160206000a100",
        "a21544fecf23f2127f7f5adfd9e9557c3b05197a1ec96a91d6983b29cfea2309"),
}
SLOTS = {("000000000000000000000000000000000000c0de", 0): 41}

Address = c.c_uint8 * 20
Word = c.c_uint8 * 32


class Bytes(c.Structure):
    _fields_ = [("data", c.c_char_p), ("size", c.c_size_t)]


class Sized(c.Structure):
    """A struct of the interface, which begins with its size."""

    def __init__(self, **values):
        super().__init__(c.sizeof(type(self)), **values)


class Error(Sized):
    _fields_ = [("size", c.c_size_t), ("status", c.c_int32), ("callback_result", c.c_int32),
                ("transaction_index", c.c_int64), ("rule", c.c_char * 48), ("text", c.c_char * 464)]


class Account(Sized):
    _fields_ = [("size", c.c_size_t), ("nonce", c.c_uint64), ("balance", Word), ("code_hash", Word),
                ("exists", c.c_uint8), ("reserved", c.c_uint8 * 7)]


ReadAccount = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Address), c.POINTER(Account))
ReadStorage = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Address), c.POINTER(Word), c.POINTER(Word))
ReadCode = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Word), c.c_void_p)


class State(Sized):
    _fields_ = [("size", c.c_size_t), ("context", c.c_void_p), ("account", ReadAccount),
                ("storage", ReadStorage), ("code", ReadCode), ("block_hash", c.c_void_p),
                ("has_storage", c.c_void_p), ("state_root", c.c_void_p)]


class EngineOptions(Sized):
    _fields_ = [("size", c.c_size_t), ("workers", c.c_uint32), ("flags", c.c_uint32),
                ("scheduler", c.c_char_p), ("code_cache_bytes", c.c_uint64),
                ("max_gas_limit", c.c_uint64)]


class Block(Sized):
    _fields_ = [("size", c.c_size_t), ("rlp", Bytes), ("ancestors", c.c_void_p),
                ("ancestor_count", c.c_size_t), ("parent_total_difficulty", c.c_void_p),
                ("transactions", c.c_void_p), ("transaction_count", c.c_size_t),
                ("fields", c.c_void_p), ("withdrawals", c.c_void_p),
                ("withdrawal_count", c.c_size_t), ("senders", c.c_void_p),
                ("sender_count", c.c_size_t), ("access_list", Bytes)]


class Summary(Sized):
    _fields_ = [("size", c.c_size_t), ("number", c.c_uint64), ("gas_used", c.c_uint64),
                ("execution_gas_used", c.c_uint64), ("state_gas_used", c.c_uint64),
                ("blob_gas_used", c.c_uint64), ("receipt_count", c.c_size_t), ("block_hash", Word),
                ("state_root", Word), ("has_state_root", c.c_uint8),
                ("is_header_complete", c.c_uint8), ("success", c.c_uint8),
                ("reserved", c.c_uint8 * 5), ("header", Bytes), ("access_list", Bytes),
                ("output", Bytes), ("ending", c.c_char_p)]


class Receipt(Sized):
    _fields_ = [("size", c.c_size_t), ("gas_used", c.c_uint64), ("cumulative_gas_used", c.c_uint64),
                ("blob_gas_used", c.c_uint64), ("effective_gas_price", Word), ("post_state", Word),
                ("contract_address", Address), ("type", c.c_uint8), ("success", c.c_uint8),
                ("has_post_state", c.c_uint8), ("has_contract_address", c.c_uint8),
                ("bloom", c.c_void_p), ("log_count", c.c_size_t), ("encoded", Bytes)]


class AccountChange(Sized):
    _fields_ = [("size", c.c_size_t), ("address", Address), ("exists", c.c_uint8),
                ("storage_cleared", c.c_uint8), ("reserved", c.c_uint8 * 2), ("nonce", c.c_uint64),
                ("balance", Word), ("code_hash", Word), ("slot_count", c.c_size_t)]


class SlotChange(c.Structure):
    _fields_ = [("slot", Word), ("value", Word)]


def load():
    library = c.CDLL(os.environ.get("HEDDLE_LIBRARY", "libheddle.so.1"))
    library.heddle_status_name.restype = c.c_char_p
    library.heddle_result_changes.restype = c.c_void_p
    library.heddle_changes_account_count.restype = c.c_size_t
    library.heddle_code_give.argtypes = [c.c_void_p, c.c_char_p, c.c_size_t]
    return library


def make_state(library) -> State:
    def read_account(_context, address, out):
        known = ACCOUNTS.get(bytes(address[0]).hex())
        if known is not None:
            nonce, balance, _code, code_hash = known
            out[0].exists = 1
            out[0].nonce = nonce
            out[0].balance = Word(*balance.to_bytes(32, "big"))
            out[0].code_hash = Word(*bytes.fromhex(code_hash))
        return 0

    def read_storage(_context, address, slot, out):
        key = (bytes(address[0]).hex(), int.from_bytes(bytes(slot[0]), "big"))
        out[0] = Word(*SLOTS.get(key, 0).to_bytes(32, "big"))
        return 0

    def read_code(_context, code_hash, sink):
        wanted = bytes(code_hash[0]).hex()
        for _nonce, _balance, code, known in ACCOUNTS.values():
            if known == wanted:
                return library.heddle_code_give(sink, bytes.fromhex(code), len(code) // 2)
        return 1

    return State(account=ReadAccount(read_account), storage=ReadStorage(read_storage),
                 code=ReadCode(read_code))


def show(library, result) -> None:
    summary = Summary()
    library.heddle_result_summary(result, c.byref(summary))
    print("block", bytes(summary.block_hash).hex())
    print(f"number {summary.number}, gas {summary.gas_used}")
    for i in range(summary.receipt_count):
        receipt = Receipt()
        library.heddle_result_receipt(result, c.c_size_t(i), c.byref(receipt))
        print(f"transaction {i}: {'success' if receipt.success else 'failure'}, "
              f"gas {receipt.gas_used}, logs {receipt.log_count}")
    changes = c.c_void_p(library.heddle_result_changes(result))
    for i in range(library.heddle_changes_account_count(changes)):
        account = AccountChange()
        library.heddle_changes_account(changes, c.c_size_t(i), c.byref(account))
        print("account", bytes(account.address).hex(), "balance", bytes(account.balance).hex(),
              "nonce", account.nonce)
        for j in range(account.slot_count):
            slot = SlotChange()
            library.heddle_changes_slot(changes, c.c_size_t(i), c.c_size_t(j), c.byref(slot))
            print("  slot", bytes(slot.slot).hex(), "value", bytes(slot.value).hex())


def main() -> int:
    with open(sys.argv[1], encoding="ascii") as file:
        rlp = bytes.fromhex(file.read())
    library = load()
    chain, engine, result = c.c_void_p(), c.c_void_p(), c.c_void_p()
    error = Error()
    state = make_state(library)
    status = (
        library.heddle_chain_by_name(b"Cancun", c.byref(chain), c.byref(error))
        or library.heddle_engine_new(c.byref(EngineOptions(workers=1)), c.byref(engine),
                                     c.byref(error))
        or library.heddle_execute_block(engine, chain, c.byref(state),
                                        c.byref(Block(rlp=Bytes(rlp, len(rlp)))), c.byref(result),
                                        c.byref(error)))
    if status == 0:
        show(library, result)
    else:
        print(library.heddle_status_name(status).decode(), error.text.decode(), sep=": ",
              file=sys.stderr)
    library.heddle_result_free(result)
    library.heddle_engine_free(engine)
    library.heddle_chain_free(chain)
    return 1 if status != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
