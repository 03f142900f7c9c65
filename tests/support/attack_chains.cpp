// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "attack_chains.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <types/assert.hpp>
#include <types/signing.hpp>
#include <workload/random.hpp>

#include "adversarial_maker.hpp"
#include "adversarial_programs.hpp"
#include "attack_parts.hpp"

namespace heddle::test {
namespace {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

constexpr std::uint64_t kTime = 1'700'000'000;
constexpr std::uint64_t kBlockGas = 500'000'000;
constexpr std::uint64_t kManySenders = 1'024;
constexpr Address kBeneficiary = address_from_low64(0xbe4e);
constexpr std::uint64_t kAuthorities = 4;

Address sender_at(std::uint64_t i) {
    return address_from_low64(0x5e4d'0000 + i);
}
Address wrapper_at(std::uint64_t i) {
    return address_from_low64(0x3a90'0000 + i);
}
Hash authority_secret(std::uint64_t i) {
    return to_hash(Uint256{0xa117 + i});
}

ChainConfig config_for(Revision revision) {
    ChainConfig config;
    config.chain_id = 1'337;
    config.homestead_block = config.tangerine_whistle_block = config.spurious_dragon_block =
        config.byzantium_block = config.constantinople_block = config.petersburg_block =
            config.istanbul_block = config.berlin_block = config.london_block = 0;
    config.terminal_total_difficulty = Uint256{};
    config.merge_block = 0;
    config.shanghai_time = 0;
    if (revision >= Revision::cancun) config.cancun_time = 0;
    if (revision >= Revision::prague) config.prague_time = 0;
    if (revision >= Revision::osaka) config.osaka_time = 0;
    if (revision >= Revision::amsterdam) config.amsterdam_time = 0;
    if (revision >= Revision::cancun) config.blob_schedule.push_back({0, 6, 9, 5'007'716});
    return config;
}

Genesis genesis_for(Revision revision) {
    Genesis genesis;
    genesis.config = config_for(revision);
    BlockHeader& header = genesis.header;
    header.timestamp = kTime;
    header.gas_limit = kBlockGas;
    header.base_fee_per_gas = Uint256{7};
    header.withdrawals_root = kEmptyTrieRoot;
    if (revision >= Revision::cancun) {
        header.blob_gas_used = header.excess_blob_gas = 0;
        header.parent_beacon_block_root = Hash{};
    }
    if (revision >= Revision::prague) header.requests_hash = kEmptyRequestsHash;
    if (revision >= Revision::amsterdam) {
        header.block_access_list_hash = kEmptyListHash;
        header.slot_number = 0;
    }
    // With the contracts that blocks call themselves.
    workload::Random random{1};
    genesis.alloc = make_adversarial_alloc(make_adversarial_cast(), revision, random);
    for (std::uint64_t i = 0; i < kManySenders; ++i)
        genesis.alloc.push_back({sender_at(i), 0, Uint256{1} << 90, {}, {}});
    return genesis;
}

/// The same in many contracts, so that none of them stands out.
Attack on_many(std::uint64_t count) {
    Attack attack;
    for (std::uint64_t i = 0; i < count; ++i)
        attack.contracts.push_back(contract(victim_at(i), step_or_burn(burns()[1].code)));
    attack.fill = [count](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(i % count);
        tx.data = words({i / count});
    };
    return attack;
}
/// In one contract, by way of many.
Attack through_wrappers(std::uint64_t count) {
    Attack attack = on_one(step_or_burn(burns()[1].code));
    for (std::uint64_t i = 0; i < count; ++i)
        attack.contracts.push_back(
            contract(wrapper_at(i),
                     mstore(0, arg(0)) + CallCode{.to = push(victim_at(0)), .input_size = 32}));
    attack.fill = [count](Transaction& tx, std::uint64_t i) {
        tx.to = wrapper_at(i % count);
        tx.data = words({i});
    };
    return attack;
}
/// What is looked at is a balance, which each payment changes.
/// @param before  What is done first, whatever the balance is.
Attack on_balance(const Bytecode& before) {
    Attack attack = on_one(
        good_or_burn(before + Bytecode{OP_SELFBALANCE} + arg(0) + OP_EQ, OP_STOP, burns()[1].code));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.value = 1;
        tx.data = words({i + 1});
    };
    return attack;
}
/// The same of the balance of whoever gets the fees, whom each step pays.
Attack on_beneficiary() {
    const Bytecode pay = drop(CallCode{.to = push(kBeneficiary), .value = push(1)});
    Attack attack = on_one(good_or_burn(push(kBeneficiary) + Bytecode{OP_BALANCE} + arg(0) + OP_EQ,
                                        pay, burns()[1].code));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.value = 1;
        tx.max_priority_fee_per_gas = 0;
        tx.data = words({i});
    };
    return attack;
}
/// Out of order each does once what takes long for the gas that an attempt has for nothing.
Attack within_what_is_free(const Bytecode& work) {
    const Bytecode condition = sload(0) + arg(0) + OP_EQ;
    const std::size_t good = condition.size() + 4 + work.size() + 1;
    return on_one(condition + push_sized(2, good) + OP_JUMPI + work + OP_STOP + OP_JUMPDEST +
                  sstore(0, push(1) + arg(0) + OP_ADD));
}
/// In order most of the gas is burnt at once, by a call that halts: what is executed there says
/// nothing of the time that it takes.
Attack of_gas_for_nothing() {
    constexpr std::uint64_t kBurnt = 400'000;
    Attack attack = on_one(step_or_burn(
        burns()[0].code, drop(CallCode{.to = push(victim_at(1)), .gas = push(kBurnt)})));
    attack.contracts.push_back(contract(victim_at(1), OP_INVALID));
    return attack;
}
Attack by_one_sender() {
    Attack attack = on_one(step_or_burn(burns()[0].code));
    attack.has_one_sender = true;
    return attack;
}
/// with a long access list.
Attack with_access_lists() {
    Attack attack = on_one(step_or_burn(burns()[0].code));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.data = words({i});
        AccessListEntry& entry = tx.access_list.emplace_back();
        entry.address = victim_at(1);
        for (std::uint64_t slot = 0; slot < 250; ++slot)
            entry.storage_keys.push_back(to_hash(Uint256{i * 250 + slot}));
    };
    return attack;
}
/// Each step runs in an account that was told just before whose code to run (EIP-7702).
Attack through_delegations(std::uint64_t chain_id) {
    Attack attack;
    for (std::uint64_t i = 0; i < 2; ++i)
        attack.contracts.push_back(contract(victim_at(i), step_or_burn(burns()[0].code)));
    attack.fill = [chain_id](Transaction& tx, std::uint64_t i) {
        const Hash secret = authority_secret(i % kAuthorities);
        tx.type = TransactionType::set_code;
        tx.to = *address_from_secret(secret);
        tx.data = words({i / kAuthorities});
        Authorization& authorization = tx.authorization_list.emplace_back();
        authorization.chain_id = chain_id;
        authorization.address = victim_at(i / kAuthorities % 2);
        authorization.nonce = i / kAuthorities;
        HEDDLE_ASSERT(sign_authorization(authorization, secret));
    };
    return attack;
}
/// The same with many authorizations, of which those hold that come in their turn.
Attack through_many_authorizations(std::uint64_t chain_id) {
    constexpr std::uint64_t kMany = 16;
    Attack attack = through_delegations(chain_id);
    attack.fill = [chain_id](Transaction& tx, std::uint64_t i) {
        tx.type = TransactionType::set_code;
        tx.to = *address_from_secret(authority_secret(0));
        tx.data = words({i});
        for (std::uint64_t authority = 0; authority < kMany; ++authority) {
            Authorization& authorization = tx.authorization_list.emplace_back();
            authorization.chain_id = chain_id;
            authorization.address = victim_at(i % 2);
            authorization.nonce = i;
            HEDDLE_ASSERT(sign_authorization(authorization, authority_secret(authority)));
        }
    };
    return attack;
}
/// A contract that is destroyed and made again, with its storage, by every other transaction.
Attack destroying() {
    Attack attack;
    attack.revision = Revision::shanghai;
    attack.contracts.push_back(contract(victim_at(0), step_or_burn(burns()[1].code)));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        const bool steps = i % 4 == 3;
        tx.to = steps ? victim_at(0) : kFactory;
        // Create, call, destroy.
        constexpr std::uint64_t kParts[] = {1, 2, 4};
        tx.data = steps ? words({i / 4}) : words({kParts[i % 4], 1, 0, to_word(sender_at(7))});
    };
    return attack;
}

/// An init code that deploys some kilobytes that nobody has had before.
Bytecode churn() {
    return drop(mstore(0, arg(0)) + push(0) + push(8'000) + OP_MSTORE8 +
                mstore(32, push_sized(32, Uint256{0x611f} << 240)) +
                // PUSH2 size, PUSH1 0, RETURN: memory of the creation is zero, so is its code.
                push(0) + push(64) + push(0) + OP_CREATE);
}

NamedAttacks make_catalogue() {
    NamedAttacks list;
    for (const Burn& burn : burns())
        list.emplace_back(std::string("burn: ") + burn.name,
                          [code = burn.code] { return on_one(step_or_burn(code)); });
    list.emplace_back("code churn", [] {
        return on_one(step_or_burn(churn(), store_code(deploy(OP_STOP + arg(0))) + churn()));
    });
    list.emplace_back("balance", [] { return on_balance({}); });
    list.emplace_back("balance at last", [] { return on_balance(count_down()); });
    list.emplace_back("beneficiary", on_beneficiary);
    list.emplace_back("free signatures", [] {
        const Bytecode one = drop(CallCode{.to = push(1), .input_size = 128});
        return within_what_is_free(one + one + one);
    });
    list.emplace_back("free memory", [] {
        return within_what_is_free(push_sized(3, 50'000) + push(0) + OP_RETURN);
    });
    list.emplace_back("gas for nothing", of_gas_for_nothing);
    list.emplace_back("many contracts", [] { return on_many(64); });
    list.emplace_back("wrappers", [] { return through_wrappers(256); });
    list.emplace_back("one sender", by_one_sender);
    list.emplace_back("access lists", with_access_lists);
    list.emplace_back("delegations", [] { return through_delegations(1'337); });
    list.emplace_back("authorizations", [] { return through_many_authorizations(1'337); });
    list.emplace_back("self-destruction", destroying);
    std::ranges::move(account_attacks(), std::back_inserter(list));
    std::ranges::move(object_attacks(), std::back_inserter(list));
    std::ranges::move(block_attacks(), std::back_inserter(list));
    std::ranges::move(end_attacks(), std::back_inserter(list));
    std::ranges::move(amsterdam_attacks(), std::back_inserter(list));
    return list;
}

const auto& catalogue() {
    static const auto list = make_catalogue();
    return list;
}

Transaction start_transaction(const Attack& attack, std::uint64_t i, std::uint64_t shift) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1'337;
    tx.max_fee_per_gas = Uint256{1} << 40;
    tx.max_priority_fee_per_gas = 1;
    tx.gas_limit = kAttackGas;
    const std::uint64_t sender = attack.has_one_sender ? 0 : (i + shift) % kManySenders;
    tx.sender = sender_at(sender);
    tx.nonce = attack.has_one_sender ? i : i / kManySenders;
    return tx;
}

}  // namespace

const std::vector<std::string>& attack_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        for (const auto& entry : catalogue())
            list.push_back(entry.first);
        return list;
    }();
    return names;
}

AdversarialChain make_attack(std::string_view name, const AttackPlan& plan) {
    const auto entry = std::ranges::find(
        catalogue(), name, [](const auto& one) { return std::string_view{one.first}; });
    HEDDLE_ASSERT(entry != catalogue().end());
    return make_attack(name, entry->second(), plan);
}

AdversarialChain make_attack(std::string_view name, const Attack& attack, const AttackPlan& plan) {
    AdversarialChain chain;
    chain.plan.seed = plan.seed;
    chain.genesis = genesis_for(plan.revision.value_or(attack.revision));
    chain.genesis.alloc.insert(chain.genesis.alloc.end(), attack.contracts.begin(),
                               attack.contracts.end());
    chain.description = name;
    AdversarialMaker maker(chain.genesis);
    chain.genesis.header = maker.headers().front();
    std::uint64_t step = 0;
    for (std::uint32_t block = 0; block < plan.blocks; ++block) {
        maker.open({.timestamp = kTime + 12 * (block + 1),
                    .beneficiary = attack.beneficiary.value_or(kBeneficiary),
                    .gas_limit = kBlockGas,
                    .extra_data = {},
                    .randomness = {},
                    .ommers = {},
                    .withdrawals = attack.withdrawals});
        for (std::uint32_t i = 0; i < plan.transactions; ++i, ++step) {
            Transaction tx = start_transaction(attack, step, plan.seed);
            attack.fill(tx, step);
            const auto added = maker.add(std::move(tx));
            if (added == std::unexpected(TransactionError::gas_limit_above_block) && i != 0) break;
            HEDDLE_ASSERT(added.has_value());
        }
        chain.blocks.push_back(maker.seal());
    }
    return chain;
}

std::string_view to_string(Lie lie) noexcept {
    switch (lie) {
        case Lie::says_nothing:
            return "no sets";
        case Lie::truth:
            return "true sets";
        case Lie::empty:
            return "empty sets";
        case Lie::hot:
            return "one hot slot";
        case Lie::exchanged:
            return "exchanged sets";
        case Lie::huge:
            return "huge sets";
        case Lie::without_slots:
            return "no slots";
    }
    return "unknown";
}

namespace {

ObjectSet lie_about(Lie lie, const ObjectSet& truth, std::uint64_t number) {
    std::vector<Access> accesses(truth.accesses().begin(), truth.accesses().end());
    const auto slot_of = [](std::uint64_t address, std::uint64_t slot) {
        return Access{{address_from_low64(address), ObjectKind::storage, Uint256{slot}},
                      AccessMode::write};
    };
    if (lie == Lie::empty) accesses.clear();
    if (lie == Lie::hot) accesses.push_back(slot_of(0x1e, 0));
    if (lie == Lie::huge)
        for (std::uint64_t i = 0; i < 1'000; ++i)
            accesses.push_back(slot_of(0x1e, number * 1'000 + i));
    if (lie == Lie::without_slots)
        std::erase_if(accesses, [](const Access& access) {
            return access.object.kind == ObjectKind::storage;
        });
    return ObjectSet{std::move(accesses)};
}

}  // namespace

AttackSets tell(Lie lie, const AttackSets& truth, std::uint64_t seed) {
    AttackSets sets;
    if (lie == Lie::says_nothing) return sets;
    workload::Random random{seed};
    std::uint64_t number = 0;
    for (const std::vector<ObjectSet>& block : truth) {
        std::vector<ObjectSet>& told = sets.emplace_back();
        for (const ObjectSet& set : block)
            told.push_back(lie_about(lie, set, number++));
        if (lie != Lie::exchanged) continue;
        for (std::size_t i = told.size(); i > 1; --i)
            std::swap(told[i - 1], told[random.below(static_cast<std::uint32_t>(i))]);
    }
    return sets;
}

}  // namespace heddle::test
