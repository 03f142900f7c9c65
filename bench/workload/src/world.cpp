// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys, contract addresses, and the storage that constructors and first calls would have written.
#include <workload/world.hpp>

#include <array>
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
        account.storage.push_back({slot, value});
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
    auto& allocation = world.allocation;
    for (const SystemContract& system : kSystemContracts) {
        if (options.revision < system.since) continue;
        const auto address = address_from_hex(system.address_hex);
        HEDDLE_ASSERT(address.has_value());
        allocation.push_back({*address, 1, {}, decode(system.code_hex), {}});
    }
    for (const Key& key : world.accounts)
        allocation.push_back({key.address, 0, kAccountBalance, {}, {}});
    allocation.push_back({world.hot_recipient, 0, kEther, {}, {}});
    for (std::uint32_t i = 0; i < world.tokens.size(); ++i)
        allocation.push_back(token_account(world, i));
    for (std::uint32_t i = 0; i < world.pools.size(); ++i)
        allocation.push_back(pool_account(world, i));
    for (const Address& store : world.stores)
        allocation.push_back(contract(store, kStorageHeavy));
    for (const Address& factory : world.factories)
        allocation.push_back(contract(factory, kFactory));
}

// The forks that a generated chain may end at; each includes those before.
struct ForkEntry {
    std::string_view name;
    Revision revision;
    std::uint64_t target;
    std::uint64_t max;
    std::uint64_t update_fraction;
};
constexpr std::array<ForkEntry, 3> kBlobForks{{
    {"cancun", Revision::cancun, 3, 6, 3'338'477},  // EIP-4844
    {"prague", Revision::prague, 6, 9, 5'007'716},  // EIP-7691
    {"osaka", Revision::osaka, 6, 9, 5'007'716},
}};

std::string config_json(const Options& options) {
    std::string out = fmt::format(R"({{"chainId":{})", options.chain_id);
    for (const std::string_view name :
         {"homestead", "eip150", "eip155", "eip158", "byzantium", "constantinople", "petersburg",
          "istanbul", "muirGlacier", "berlin", "london", "arrowGlacier", "grayGlacier",
          "mergeNetsplit"})
        fmt::format_to(std::back_inserter(out), R"(,"{}Block":0)", name);
    out += R"(,"shanghaiTime":0)";
    std::string schedule;
    for (const ForkEntry& fork : kBlobForks) {
        if (options.revision < fork.revision) continue;
        fmt::format_to(std::back_inserter(out), R"(,"{}Time":0)", fork.name);
        fmt::format_to(std::back_inserter(schedule),
                       R"({}"{}":{{"target":{},"max":{},"baseFeeUpdateFraction":{}}})",
                       schedule.empty() ? "" : ",", fork.name, fork.target, fork.max,
                       fork.update_fraction);
    }
    out += R"(,"terminalTotalDifficulty":0)";
    out += R"(,"depositContractAddress":"0x00000000219ab540356cbb839cbe05303d7705fa")";
    fmt::format_to(std::back_inserter(out), R"(,"ethash":{{}},"blobSchedule":{{{}}}}})", schedule);
    return out;
}

void append_account(const GenesisAccount& account, std::string& out) {
    fmt::format_to(std::back_inserter(out), R"("{}":{{"balance":"{}")", to_string(account.address),
                   to_hex(account.balance));
    if (account.nonce != 0)
        fmt::format_to(std::back_inserter(out), R"(,"nonce":"{:#x}")", account.nonce);
    if (!account.code.empty())
        fmt::format_to(std::back_inserter(out), R"(,"code":"{}")", to_hex(account.code));
    if (!account.storage.empty()) {
        out += R"(,"storage":{)";
        for (std::size_t i = 0; i < account.storage.size(); ++i) {
            const StorageChange& entry = account.storage[i];
            fmt::format_to(std::back_inserter(out), R"({}"{}":"{}")", i == 0 ? "" : ",",
                           to_string(to_hash(entry.slot)), to_string(to_hash(entry.value)));
        }
        out += '}';
    }
    out += '}';
}

}  // namespace

World make_world(const Options& options, const Signer& signer) {
    HEDDLE_ASSERT(options.accounts >= kMinAccounts && options.accounts <= kMaxAccounts);
    HEDDLE_ASSERT(options.revision >= Revision::cancun);
    const bool everything = options.workload == Workload::mixed;
    const auto uses = [&](Workload workload) { return everything || options.workload == workload; };

    World world;
    world.accounts.reserve(options.accounts);
    for (std::uint32_t i = 0; i < options.accounts; ++i)
        world.accounts.push_back(signer.derive_key(options.seed, "account", i));
    if (everything && options.revision >= Revision::prague)
        for (std::uint32_t i = 0; i < kDelegatorCount; ++i)
            world.delegators.push_back(signer.derive_key(options.seed, "delegator", i));
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

std::string genesis_json(const World& world, const Options& options, std::uint64_t gas_limit) {
    std::string out = R"({"config":)" + config_json(options);
    fmt::format_to(
        std::back_inserter(out),
        R"(,"nonce":"0x0","timestamp":"{:#x}","extraData":"0x","gasLimit":"{:#x}","difficulty":"0x0")"
        R"(,"mixHash":"{}","coinbase":"{}","baseFeePerGas":"{:#x}")",
        kGenesisTimestamp, gas_limit, to_string(Hash{}), to_string(Address{}), kGenesisBaseFee);
    out += ",\"alloc\":{\n";
    for (std::size_t i = 0; i < world.allocation.size(); ++i) {
        if (i != 0) out += ",\n";
        append_account(world.allocation[i], out);
    }
    out += "\n}}\n";
    return out;
}

}  // namespace heddle::workload
