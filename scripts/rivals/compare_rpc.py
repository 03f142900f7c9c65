# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""compare_rpc.py: see compare-rpc.sh, which calls it."""

import argparse
import json
import random
import re
from pathlib import Path

from compare_dev_chains import DevChain, free_port, shown

HASH = "0x" + "11" * 32
ODD = [None, [], {}, "", 0, True, "0x", "0x1", [[]], [None]]
QUANTITIES = ["0x0", "0x", "0x00", "0x01", "0X1", "1", 1, -1, "-0x1", "0x-1", "0xffffffffffffffff",
              "0x10000000000000000", "0x" + "f" * 64, "0x1" + "0" * 64, "0xG", " 0x1", "0xABCdef"]
BYTES = ["0x", "0x0", "0x00", "0X00", "00", "0xzz", "", "0xABcd", None, 1, [], {},
         "0x" + "00" * 32, "0x" + "00" * 33, "0x" + "00" * 20]
TAGS = ["latest", "earliest", "pending", "safe", "finalized"]
# Where `pending` is another block or state, or none.
PENDING = re.compile(r"eth_getBlockByNumber|eth_getProof|eth_simulateV1|debug_getRaw"
                     r"|debug_traceBlockByNumber")
# What changes the pool, or tells of the node itself.
LEFT_OUT = re.compile(r"eth_sendRaw|testing_|eth_capabilities|eth_syncing")


def blocks(known_hash: str) -> list:
    """Ways to name a block."""
    upper = known_hash.upper().replace("0X", "0x")
    by_hash = {"blockHash": known_hash}
    return [*TAGS, *QUANTITIES, "0x36", "0x37", "0x036", "Latest", " latest", known_hash, upper,
            known_hash[:-1], known_hash + "0", HASH, by_hash, {"blockNumber": "0x5"},
            {"blockNumber": "latest"}, {"blockNumber": 5}, {"BlockNumber": "0x5"},
            {"blockNumber": None}, {"blockNumber": "0x100"}, {"blockNumber": "0x5", "more": 1},
            *({**by_hash, "requireCanonical": each} for each in (True, False, None, "true")),
            {**by_hash, "blockNumber": "0x5"}, {"blockHash": None, "blockNumber": "0x5"},
            {"blockHash": HASH, "requireCanonical": True}, {"requireCanonical": True},
            {"blockHash": "0x12"}]


def variants(value, named: list) -> list:
    """Other values in its place. @param named: ways to name a block."""
    if isinstance(value, dict):
        without = [{k: v for k, v in value.items() if k != name} for name in value]
        replaced = [{**value, name: each} for name, old in value.items()
                    for each in variants(old, named) + ODD]
        renamed = [{**rest, name.upper(): value[name]} for name, rest in zip(value, without)]
        return without + replaced + renamed + [{**value, "unknownMember": "0x1"}, *ODD]
    if isinstance(value, list):
        shorter = [value[:i] + value[i + 1:] for i in range(len(value))]
        replaced = [value[:i] + [each] + value[i + 1:] for i, old in enumerate(value)
                    for each in variants(old, named) + ODD]
        return shorter + replaced + [value + value, *ODD]
    if isinstance(value, bool):
        return [not value, None, "true", 0, 1]
    if not isinstance(value, str):
        return QUANTITIES
    if value in TAGS:
        return named
    if len(value) in (42, 66):  # an address or a hash
        return [value[:-1], value + "0", value[2:], value.upper(), HASH[:len(value)], *ODD, "0x01",
                value.upper().replace("0X", "0x"), *TAGS]
    return QUANTITIES + named if value.startswith("0x") and len(value) < 20 else BYTES


def conversations(folder: Path) -> dict[str, list]:
    """By method, the parameters of each question."""
    found: dict[str, list] = {}
    for file in sorted(folder.glob("*/*.io")):
        for line in file.read_text().splitlines():
            if line.startswith(">> "):
                question = json.loads(line[3:])
                found.setdefault(question["method"], []).append(question.get("params", []))
    return {method: asked for method, asked in found.items() if not LEFT_OUT.match(method)}


def questions(asked: list, named: list, each: int, chance: random.Random) -> list:
    """The questions of one method and a draw of their variants."""
    others = []
    for params in (p for p in asked if isinstance(p, list)):
        others += [params[:i] for i in range(len(params))]
        others += [params + more for more in ([None], ["latest"], [{}], [None, None])]
        others += [params[:i] + [new] + params[i + 1:] for i, old in enumerate(params)
                   for new in variants(old, named) + ODD]
    texts = list(dict.fromkeys(json.dumps(one) for one in others))
    return asked + [json.loads(text) for text in chance.sample(texts, min(each, len(texts)))]


def comparable(answer: dict) -> object:
    """Without what both word in their own ways: which parameter is wrong, and how hashes look."""
    if "error" not in answer:
        return answer["result"]
    code, text = answer["error"]["code"], answer["error"]["message"]
    if code == -32602:
        which = re.match(r"(invalid argument|missing value for required argument) \d+"
                         r"|too many arguments|empty request|invalid block range|block range", text)
        return code, which[0] if which else "says not which parameter"
    text = re.sub(r"#\[[\d ]+\]|0x[0-9a-f]{64}", "HASH", text)
    return code, text, answer["error"].get("data")


def is_documented(method: str, params: list, theirs, ours) -> bool:
    """Whether docs/json-rpc.md says so, or one of several faults is named by each."""
    text = json.dumps(params)
    refused = isinstance(theirs, tuple), isinstance(ours, tuple)
    if refused[0] and re.search("(safe|finalized) (block|header) not found", str(theirs)):
        return True  # a node that nobody tells what is final
    if refused == (True, True) and -32602 in (theirs[0], ours[0]):
        # Parameters that are wrong in several ways.
        return ours[1] != "says not which parameter"
    if "pending" in text and PENDING.match(method):
        return True
    if ours and refused[1] and ours[0] == -32602 and re.search(r"[\[,] ?null", text):
        return True  # null in a list
    if refused == (False, True) and "timestamps must be in order" in ours[1]:
        return True  # behind the greatest time
    if refused[1] and re.search("not valid before London|not supported: blob", ours[1]):
        return True  # prices that the fork of the block does not know
    if "maxFeePerBlobGas" in text and refused == (True, False) and "insufficient" in theirs[1]:
        return method == "eth_createAccessList"  # a price for blobs alone
    if refused == (True, True) and (ours[0], theirs[0]) == (-38013, -32603):
        return "floor data gas" in ours[1]
    if "0x7fffffffffffffee" in str(theirs):
        return True  # geth's id of the chain, of a legacy transaction without a signature
    # Numbers are numbers, also with a fraction of zero.
    return method == "eth_feeHistory" and isinstance(params[0], float)


def main() -> int:
    parser = argparse.ArgumentParser()
    for option in ("--heddle", "--geth", "--scratch", "--conversations"):
        parser.add_argument(option, required=True)
    parser.add_argument("--each", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("methods", nargs="*")
    options = parser.parse_args()
    scratch = Path(options.scratch)
    heddle = DevChain("heddle", [options.heddle, "node", "--datadir", str(scratch / "heddle"),
                                 "--rpc-port", "{port}", "--seal", "command"], scratch,
                      scratch / "heddle.log")
    geth = DevChain("geth", [options.geth, "--datadir", str(scratch / "geth"), "--gcmode",
                             "archive", "--nodiscover", "--maxpeers", "0", "--port", "0",
                             "--ipcdisable", "--authrpc.port", str(free_port()), "--http",
                             "--http.port", "{port}", "--http.api", "eth,net,web3,debug,txpool"],
                    scratch, scratch / "geth.log")
    try:
        return compare(heddle, geth, options)
    finally:
        heddle.stop()
        geth.stop()


def compare(heddle: DevChain, geth: DevChain, options) -> int:
    named = blocks(geth.ask("eth_getBlockByNumber", "0x5", False)["result"]["hash"])
    chance = random.Random(options.seed)
    asked, explained, kinds = 0, 0, {}
    for method, known in conversations(Path(options.conversations)).items():
        if options.methods and method not in options.methods:
            continue
        for params in questions(known, named, options.each, chance):
            asked += 1
            theirs, ours = (comparable(node.ask(method, *params)) for node in (geth, heddle))
            if theirs == ours:
                continue
            if is_documented(method, params, theirs, ours):
                explained += 1
                continue
            kind = tuple(each if isinstance(each, tuple) else "a result" for each in (theirs, ours))
            kinds.setdefault((method, str(kind)), []).append((params, theirs, ours))
    for (method, _), cases in kinds.items():
        params, theirs, ours = cases[0]
        print(f"{method}: {len(cases)} such, as {json.dumps(params)[:2000]}\n"
              f"    geth   {shown(theirs)}\n    heddle {shown(ours)}")
    print(f"{asked} questions, {explained} differences that the document explains, "
          f"{sum(map(len, kinds.values()))} that it does not")
    return 1 if kinds else 0


if __name__ == "__main__":
    raise SystemExit(main())
