# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""What holds for every chain of a network, on blocks as the clients show them."""

from datetime import datetime

ELASTICITY = 2
BASE_FEE_CHANGE = 8
GAS_LIMIT_CHANGE = 1024


def next_base_fee(parent: dict) -> int:
    """EIP-1559."""
    fee, used = int(parent["baseFee"]), int(parent["gasUsed"])
    target = int(parent["gasLimit"]) // ELASTICITY
    if used == target:
        return fee
    change = fee * abs(used - target) // target // BASE_FEE_CHANGE
    return fee + max(change, 1) if used > target else fee - change


def complaints_about_block(block: dict, parent: dict, proposers: dict[str, str]) -> list[str]:
    """proposers: of each address in CometBFT, who gets the fees."""
    wrong = []
    if block["parent"] != parent["hash"]:
        wrong.append("it does not name its parent")
    if int(block["time"]) <= int(parent["time"]):
        wrong.append(f"its time {block['time']} is not after {parent['time']}")
    if int(block["baseFee"]) != next_base_fee(parent):
        wrong.append(f"its base fee is {block['baseFee']}, not {next_base_fee(parent)}")
    if abs(int(block["gasLimit"]) - int(parent["gasLimit"])) >= (
            int(parent["gasLimit"]) // GAS_LIMIT_CHANGE):
        wrong.append(f"its gas limit {block['gasLimit']} is far from {parent['gasLimit']}")
    if block["extra"] not in proposers:
        wrong.append(f"its extra data {block['extra']} is no validator's address")
    elif block["miner"] != proposers[block["extra"]]:
        wrong.append(f"its fees go to {block['miner']}, not {proposers[block['extra']]}")
    return [f"block {block['number']}: {each}" for each in wrong]


def complaints_about_decision(block: dict, parent: dict, header: dict, after: dict) -> list[str]:
    """header, after: CometBFT's of this height and the next, whose signers vouch for its hash."""
    wrong = []
    if block["extra"] != "0x" + header["proposer_address"].lower():
        wrong.append(f"{header['proposer_address']} proposed it, not {block['extra']}")
    if block["hash"] != "0x" + after["app_hash"].lower():
        wrong.append(f"{after['app_hash']} is signed, not {block['hash']}")
    decided = datetime.fromisoformat(header["time"][:19] + "+00:00")
    if int(block["time"]) != max(int(decided.timestamp()), int(parent["time"]) + 1):
        wrong.append(f"its time is {block['time']}, CometBFT's {header['time']}")
    return [f"block {block['number']}: {each}" for each in wrong]


def complaints_about(chain: dict, headers: list[dict], validators: list[dict],
                     sent: list[str]) -> list[str]:
    """chain: what a client read, in the form that clients share. headers: CometBFT's from height 1
    to that of the last block. sent: what was mined, according to who sent it."""
    proposers = {each["comet_address"]: each["beneficiary"] for each in validators}
    blocks = [chain[f"block {number}"] for number in range(len(headers) + 1)]
    wrong = []
    for parent, block in zip(blocks, blocks[1:]):
        wrong += complaints_about_block(block, parent, proposers)
    for i, (header, after) in enumerate(zip(headers, headers[1:])):
        wrong += complaints_about_decision(blocks[i + 1], blocks[i], header, after)
    if len({block["extra"] for block in blocks[1:]}) < 2:
        wrong.append("only one validator proposed")
    listed = [each for block in blocks for each in block["transactions"]]
    if len(listed) != len(set(listed)):
        wrong.append("a transaction is in two blocks")
    mined = {each.lower() for each in sent}
    if missing := mined - set(listed):
        wrong.append(f"no block has {sorted(missing)}")
    if added := set(listed) - mined:
        wrong.append(f"nobody sent {sorted(added)}")
    return wrong
