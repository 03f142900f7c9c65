// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The examples below the options in the help of each command.
#pragma once

#include <string_view>
#include <utility>

namespace heddle::node {

/// Commands, and lines that can be typed as they are.
inline constexpr std::pair<std::string_view, std::string_view> kExamples[] = {
    {"dev",
     "  heddle dev\n"
     "  heddle dev --datadir chain --rpc-port 8546\n"
     "  heddle dev --seal interval --block-time 2s"},
    {"node",
     "  heddle node --dev\n"
     "  heddle node --datadir data --genesis genesis.json\n"
     "  heddle node --datadir data --follow ws://host:8546"},
    {"init", "  heddle init --datadir data --genesis genesis.json"},
    {"replay",
     "  heddle replay --genesis genesis.json chain.rlp\n"
     "  heddle replay --genesis genesis.json --datadir data chain.rlp\n"
     "  heddle replay --witness blocks/"},
    {"rerun", "  heddle rerun rec --until-difference"},
    {"lane", "  heddle lane --home network/lane0-validator1"},
    {"lanes",
     "  heddle lanes split --genesis genesis.json --sets chain.sets --lanes 2 --out logs "
     "chain.rlp\n"
     "  heddle lanes merge --genesis genesis.json logs/lane-0.log logs/lane-1.log"},
    {"promote", "  heddle promote --rpc http://10.0.0.2:8545 --jwt-secret secret"},
    {"export", "  heddle export --datadir data chain.rlp"},
    {"verify", "  heddle verify --datadir data --deep"},
    {"db",
     "  heddle db stats --datadir data\n"
     "  heddle db rollback --datadir data --to 1000"},
    {"snapshot",
     "  heddle snapshot create --datadir data --out state\n"
     "  heddle snapshot restore --datadir other state"},
    {"inspect",
     "  heddle inspect --witness block.json\n"
     "  heddle inspect --rpc http://127.0.0.1:8545 --format html --out block.html"},
    {"statetest", "  heddle statetest fixtures/state_tests"},
    {"blocktest", "  heddle blocktest fixtures/blockchain_tests"},
    {"t8n",
     "  heddle t8n --state.fork Prague --input.alloc alloc.json --input.env env.json "
     "--input.txs txs.json"},
    {"generate", "  heddle generate --seed 1 --blocks 20 --out chain"},
    {"load", "  heddle load --rpc http://127.0.0.1:8545 --transactions 10000"},
    {"bench", "  heddle bench --html report.html"},
    {"testnet", "  heddle testnet --validators 4 --out network"},
    {"supervise", "  heddle supervise --home network/validator1"},
    {"completion",
     "  heddle completion bash > /etc/bash_completion.d/heddle\n"
     "  heddle completion fish > ~/.config/fish/completions/heddle.fish"},
};

}  // namespace heddle::node
