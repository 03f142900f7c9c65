// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys, contract addresses, and the storage that constructors and first calls would have written.
#include <workload/world.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/hash.hpp>

#include <workload/bytecode.hpp>

#include "abi.hpp"
#include "system_contracts.hpp"

namespace heddle::workload {
namespace {

constexpr Uint256 kEther{1'000'000'000'000'000'000};
constexpr Uint256 kIdleBalance{1};  // wei; an account without any would be none (EIP-161)
constexpr Uint256 kAccountBalance = Uint256{1'000'000} * kEther;
constexpr Uint256 kTokensPerAccount = Uint256{1'000'000} * kEther;
constexpr Uint256 kTokensPerPool = Uint256{1'000'000'000} * kEther;  // far below uint112

Address derived_address(std::uint64_t seed, std::string_view purpose, std::uint64_t index) {
    const std::string text = fmt::format("heddle workload address {} {} {}", purpose, seed, index);
    const Hash hash = keccak256(Bytes(text.begin(), text.end()));
    Address address;
    std::memcpy(address.bytes.data(), hash.bytes.data() + 12, 20);
    return address;
}

std::vector<Address> derived_addresses(std::uint64_t seed, std::string_view purpose,
                                       std::uint32_t count) {
    std::vector<Address> addresses;
    addresses.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i)
        addresses.push_back(derived_address(seed, purpose, i));
    return addresses;
}

Bytes decode(std::string_view hex) {
    auto bytes = from_hex(hex);
    HEDDLE_ASSERT(bytes.has_value());
    return *std::move(bytes);
}

GenesisAccount contract(const Address& address, const CompiledContract& compiled) {
    // Nonce 1 is what a created contract has since EIP-161.
    return {address, 1, {}, decode(compiled.runtime_hex), {}};
}

Uint256 allowance_slot(const Address& owner, const Address& spender) {
    return mapping_slot(to_word(spender), mapping_slot(to_word(owner), token::kAllowanceSlot));
}

GenesisAccount token_account(const World& world, std::uint32_t index) {
    GenesisAccount account = contract(world.tokens[index], kToken);
    const auto balance_slot = [](const Address& holder) {
        return mapping_slot(to_word(holder), token::kBalanceOfSlot);
    };
    const auto set = [&](const Uint256& slot, const Uint256& value) {
        account.storage.emplace_back(slot, value);
    };

    Uint256 supply;
    const auto give = [&](const Address& holder, const Uint256& value) {
        set(balance_slot(holder), value);
        supply += value;
    };
    for (const Key& key : world.accounts)
        give(key.address, kTokensPerAccount);
    give(world.hot_recipient, kTokensPerAccount);
    for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool)
        if (pool == index || pool + 1 == index) give(world.pools[pool], kTokensPerPool);

    for (std::uint32_t owner = 0; owner < world.accounts.size(); ++owner) {
        const Address& address = world.accounts[owner].address;
        if (World::shared_token_of(owner) == index)
            set(allowance_slot(address, world.accounts[world.spender_of(owner)].address),
                Uint256::max());
        if (world.pools.empty()) continue;
        const std::uint32_t home = World::home_pool_of(owner);
        if (index == home || index == home + 1)
            set(allowance_slot(address, world.pools[home]), Uint256::max());
        if (home != 0 && index <= 1) set(allowance_slot(address, world.pools[0]), Uint256::max());
    }

    set(token::kMinterSlot, to_word(world.accounts[0].address));
    set(token::kTotalSupplySlot, supply);
    return account;
}

GenesisAccount pool_account(const World& world, std::uint32_t index) {
    GenesisAccount account = contract(world.pools[index], kPair);
    const Address& provider = world.accounts[0].address;
    const Uint256 reserves =
        kTokensPerPool | kTokensPerPool << 112 | Uint256{kGenesisTimestamp & 0xffff'ffff} << 224;
    account.storage = {
        {pair::kToken0Slot, to_word(world.tokens[index])},
        {pair::kToken1Slot, to_word(world.tokens[index + 1])},
        {pair::kReserve0Slot, reserves},
        {pair::kUnlockedSlot, 1},
        {pair::kTotalSharesSlot, kTokensPerPool},
        {mapping_slot(to_word(provider), pair::kSharesOfSlot), kTokensPerPool},
    };
    return account;
}

void allocate(World& world, const Options& options) {
    auto& alloc = world.alloc;
    alloc.reserve(world.accounts.size() + options.idle_accounts + 64);
    std::ranges::move(system_contracts(options.revision), std::back_inserter(alloc));
    for (const Key& key : world.accounts)
        alloc.push_back({key.address, 0, kAccountBalance, {}, {}});
    alloc.push_back({world.hot_recipient, 0, kEther, {}, {}});
    for (std::uint32_t i = 0; i < options.idle_accounts; ++i)
        alloc.push_back({idle_address(options.seed, i), 0, kIdleBalance, {}, {}});
    for (std::uint32_t i = 0; i < world.tokens.size(); ++i)
        alloc.push_back(token_account(world, i));
    for (std::uint32_t i = 0; i < world.pools.size(); ++i)
        alloc.push_back(pool_account(world, i));
    for (const Address& store : world.stores)
        alloc.push_back(contract(store, kStorageHeavy));
    for (const Address& factory : world.factories)
        alloc.push_back(contract(factory, kFactory));
}

}  // namespace

Address idle_address(std::uint64_t seed, std::uint32_t index) {
    return derived_address(seed, "idle", index);
}

GenesisAccount deployment_factory() {
    const auto address = address_from_hex(kDeploymentFactory);
    HEDDLE_ASSERT(address.has_value());
    return {*address, 1, {}, decode(kDeploymentFactoryCode), {}};
}

std::vector<GenesisAccount> system_contracts(Revision revision) {
    std::vector<GenesisAccount> accounts;
    for (std::size_t i = 0; i < vm::kSystemContracts.size(); ++i) {
        const vm::SystemContract& contract = vm::kSystemContracts[i];
        if (revision >= contract.since)
            accounts.push_back({contract.address, 1, {}, decode(kSystemContractCodes[i]), {}});
    }
    if (revision >= Revision::amsterdam) accounts.push_back(deployment_factory());
    return accounts;
}

World make_world(const Options& options) {
    HEDDLE_ASSERT(options.accounts >= kMinAccounts && options.accounts <= kMaxAccounts);
    HEDDLE_ASSERT(options.idle_accounts <= kMaxIdleAccounts);
    HEDDLE_ASSERT(options.revision >= kFirstRevision);
    const bool everything = options.workload == Workload::mixed;
    const auto uses = [&](Workload workload) { return everything || options.workload == workload; };

    World world;
    world.accounts.reserve(options.accounts);
    for (std::uint32_t i = 0; i < options.accounts; ++i)
        world.accounts.push_back(derive_key(options.seed, "account", i));
    if (everything && options.revision >= Revision::prague)
        for (std::uint32_t i = 0; i < kDelegatorCount; ++i)
            world.delegators.push_back(derive_key(options.seed, "delegator", i));
    world.beneficiaries = derived_addresses(options.seed, "beneficiary", kBeneficiaryCount);
    world.hot_recipient = derived_address(options.seed, "hot recipient", 0);
    if (uses(Workload::erc20) || uses(Workload::swaps))
        world.tokens = derived_addresses(options.seed, "token", kTokenCount);
    if (uses(Workload::swaps)) world.pools = derived_addresses(options.seed, "pool", kPoolCount);
    if (uses(Workload::storage))
        world.stores = derived_addresses(options.seed, "store", kStoreCount);
    if (uses(Workload::creations))
        world.factories = derived_addresses(options.seed, "factory", kFactoryCount);
    allocate(world, options);
    return world;
}

}  // namespace heddle::workload
