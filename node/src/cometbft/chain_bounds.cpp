// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/chain_bounds.hpp"

#include <algorithm>

#include <types/text_bytes.hpp>

#include "formats/json.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

/// The genesis hash that CometBFT's genesis file asks for; nullopt: it asks for none.
std::optional<Hash> genesis_hash_of(BytesView app_state) {
    JsonParser parser;
    const JsonView state = parser.parse(text_of(app_state), "app_state");
    if (!state.is_object()) return std::nullopt;
    const auto hash = state.find("genesis_hash");
    if (!hash.has_value()) return std::nullopt;
    return hash->hash();
}

}  // namespace

std::expected<void, std::string> check_genesis(BytesView app_state, const Hash& genesis_hash,
                                               const std::string& datadir) {
    std::optional<Hash> wanted;
    try {
        wanted = genesis_hash_of(app_state);
    } catch (const InputError& error) {
        return std::unexpected("CometBFT's genesis file: " + std::string{error.what()});
    }
    if (!wanted.has_value())
        return std::unexpected(
            "CometBFT's genesis file does not say which Ethereum genesis block it belongs to: its "
            "app_state must be {\"genesis_hash\": \"0x...\"}");
    if (*wanted != genesis_hash)
        return std::unexpected("CometBFT's genesis file belongs to the Ethereum genesis block " +
                               to_string(*wanted) + ", the data directory " + datadir + " to " +
                               to_string(genesis_hash) +
                               "; give both the files of the same network");
    return {};
}

std::uint64_t retain_height(std::uint64_t durable, std::optional<std::uint64_t> oldest_snapshot,
                            std::uint64_t retained) noexcept {
    if (retained == 0) return 0;
    const std::uint64_t needed = std::min(durable, oldest_snapshot.value_or(durable));
    return needed > retained ? needed - retained : 0;
}

}  // namespace heddle::node
