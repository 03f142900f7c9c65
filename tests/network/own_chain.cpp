// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "own_chain.hpp"

#include <sstream>

#include <types/assert.hpp>
#include <types/signing.hpp>
#include <workload/world.hpp>

#include "network/comet_home.hpp"

namespace heddle::test {
namespace {

constexpr std::uint64_t kGwei = 1'000'000'000;

}  // namespace

std::string write_genesis(const TemporaryFolder& folder, const Genesis& genesis,
                          std::string_view heddle) {
    std::ostringstream stream;
    workload::write_genesis_json(genesis, stream);
    std::string text = std::move(stream).str();
    constexpr std::string_view kConfig = R"({"config":{)";
    HEDDLE_ASSERT(text.starts_with(kConfig));
    if (!heddle.empty()) text.insert(kConfig.size(), R"("heddle":)" + std::string{heddle} + ",");
    return folder.write("genesis.json", text);
}

std::vector<node::DevAccount> make_accounts(std::string_view name, std::size_t count) {
    std::vector<node::DevAccount> accounts;
    accounts.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Hash secret = node::derived_secret(std::string{name} + " " + std::to_string(i));
        const auto address = address_from_secret(secret);
        HEDDLE_ASSERT(address.has_value());
        accounts.push_back({secret, *address});
    }
    return accounts;
}

Transaction make_call(std::uint64_t nonce, std::optional<Address> to, std::uint64_t gas_limit) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1337;
    tx.nonce = nonce;
    tx.max_fee_per_gas = Uint256{1'000 * kGwei};
    tx.max_priority_fee_per_gas = Uint256{kGwei};
    tx.gas_limit = gas_limit;
    tx.to = to;
    return tx;
}

Bytes signed_bytes(Transaction tx, const node::DevAccount& from) {
    HEDDLE_ASSERT(sign_transaction(tx, from.secret));
    Bytes encoded;
    encode_transaction(tx, encoded);
    return encoded;
}

}  // namespace heddle::test
