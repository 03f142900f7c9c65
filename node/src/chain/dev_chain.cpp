// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/dev_chain.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/signing.hpp>
#include <workload/world.hpp>

namespace heddle::node {
namespace {

constexpr std::array<std::string_view, 10> kSecrets{
    "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
    "7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
    "47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
    "8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
    "92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e",
    "4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356",
    "dbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97",
    "2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6",
};

constexpr std::uint64_t kDevGasLimit = 60'000'000;

std::array<DevAccount, kSecrets.size()> make_accounts() {
    std::array<DevAccount, kSecrets.size()> accounts;
    for (std::size_t i = 0; i < kSecrets.size(); ++i) {
        const auto secret = hash_from_hex(kSecrets[i]);
        HEDDLE_ASSERT(secret.has_value());
        const auto address = address_from_secret(*secret);
        HEDDLE_ASSERT(address.has_value());
        accounts[i] = {*secret, *address};
    }
    return accounts;
}

}  // namespace

std::span<const DevAccount> dev_accounts() {
    static const auto accounts = make_accounts();
    return accounts;
}

const Uint256& dev_balance() {
    static const Uint256 balance = Uint256{10'000} * Uint256{1'000'000'000'000'000'000};
    return balance;
}

Genesis dev_genesis(Revision revision, std::uint64_t chain_id) {
    const workload::Options options{.chain_id = chain_id, .revision = revision};
    std::vector<GenesisAccount> alloc = workload::system_contracts(options.revision);
    // Contract tools look for it on every chain.
    if (revision < Revision::amsterdam) alloc.push_back(workload::deployment_factory());
    for (const DevAccount& account : dev_accounts())
        alloc.push_back({account.address, 0, dev_balance(), {}, {}});
    Genesis genesis = workload::make_genesis(std::move(alloc), options, kDevGasLimit);
    // It seals as soon as there is something, many times a second where that is asked for.
    genesis.config.equal_timestamps = true;
    return genesis;
}

std::string describe_dev_accounts() {
    std::string text =
        "Development accounts, 10,000 ether each. Everybody knows these keys: whatever is sent\n"
        "to these addresses on a public chain is lost.\n\n";
    for (const DevAccount& account : dev_accounts())
        text += fmt::format("  {}  key {}\n", to_checksum_string(account.address),
                            to_string(account.secret));
    return text;
}

}  // namespace heddle::node
