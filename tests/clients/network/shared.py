# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""As shared.mjs, for web3.py."""

import json
import os
from pathlib import Path

from eth_account import Account

Account.enable_unaudited_hdwallet_features()

URLS = os.environ["HEDDLE_CLIENT_URLS"].split(",")
OWN_URL = os.environ["HEDDLE_CLIENT_URL"]
SENDERS = int(os.environ["HEDDLE_CLIENT_SENDERS"])
SELF = int(os.environ["HEDDLE_CLIENT_SELF"])
ACCOUNTS_EACH = 3
BURST = 8
PHRASE = "test test test test test test test test test test test junk"
BOARD = json.loads((Path(__file__).parent.parent / "contracts" / "Board.json").read_text())


def account_of(client, which):
    return Account.from_mnemonic(
        PHRASE, account_path=f"m/44'/60'/0'/0/{client * ACCOUNTS_EACH + which}")


def receiver(client):
    """An account that only the transfers of one client go to."""
    return f"0x{0xFEED0000 + client:040x}"


def read_plan():
    return json.loads(Path(os.environ["HEDDLE_CLIENT_PLAN"]).read_text())


def finish(result):
    Path(os.environ["HEDDLE_CLIENT_TRANSCRIPT"]).write_text(json.dumps(result))
