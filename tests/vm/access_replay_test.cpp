// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an access record is for: an execution comes out the same in every world that agrees with the
// first one where the record says so, and that covers what it says has to be covered. Random
// programs, and worlds that differ wherever they may.
#include <iostream>
#include <map>
#include <random>
#include <set>

#include "announced_seed.hpp"
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

constexpr Address kContracts[] = {kTarget, kOther, kThird, address_from_low64(0xc0de4)};
constexpr Address kPerson = address_from_low64(0xeeee);  // balance and nothing else
constexpr Address kHusk = address_from_low64(0xeeef);    // exists and is empty
constexpr Address kNobody = address_from_low64(0xeef0);  // does not exist
constexpr Revision kRevisions[] = {Revision::homestead, Revision::byzantium, Revision::berlin,
                                   Revision::shanghai,  Revision::cancun,    kLatestRevision};

class AccessReplay : public testing::Test {
protected:
    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

    Address any_address() {
        switch (below(10)) {
            case 0:
                return kPerson;
            case 1:
                return kHusk;
            case 2:
                return kNobody;
            case 3:
                return kSender;
            case 4:
                return one_in(3) ? kBeneficiary : create_address(kTarget, 1);
            case 5:
                return address_from_low64(4);
            default:
                return kContracts[below(4)];
        }
    }
    Uint256 any_slot() { return below(4); }
    Bytecode any_init() {
        switch (below(4)) {
            case 0:
                return revert_range(0, 0);
            case 1:
                return push(any_address()) + OP_SELFDESTRUCT;
            default: {
                // Drawn one by one, as everywhere here: compilers differ in the order in which they
                // evaluate the parts of an expression, and a seed is to mean one program.
                const Uint256 slot = any_slot();
                const Uint256 value = below(3);
                const Uint256 read = any_slot();
                const Bytecode end =
                    one_in(2) ? push(kPerson) + OP_SELFDESTRUCT : Bytecode{OP_STOP};
                return sstore(slot, value) +
                       deploy(sstore(1, sload(read) + push(1) + OP_ADD) + end);
            }
        }
    }
    Bytecode any_call() {
        constexpr Opcode kOpcodes[] = {OP_CALL, OP_CALL, OP_CALLCODE, OP_DELEGATECALL,
                                       OP_STATICCALL};
        const Uint256 value = one_in(2) ? 0 : below(80);
        return CallCode{.opcode = kOpcodes[below(5)],
                        .to = push(any_address()),
                        .gas = push(20'000 + below(100'000)),
                        .value = push(value)};
    }
    /// Something that leaves a word.
    Bytecode any_value() {
        switch (below(9)) {
            case 0:
                return push(any_address()) + OP_BALANCE;
            case 1:
                return OP_SELFBALANCE;
            case 2:
                return push(any_address()) + OP_EXTCODEHASH;
            case 3:
                return push(any_address()) + OP_EXTCODESIZE;
            case 4: {
                const Bytecode init = any_init();
                return create(init, one_in(2) ? 0 : below(80));
            }
            case 5: {
                const Bytecode init = any_init();
                const Uint256 salt = below(2);
                return create2(init, salt, one_in(2) ? 0 : below(80));
            }
            case 6:
                return any_call();
            default:
                return sload(any_slot()) + push(1) + OP_ADD;
        }
    }
    Bytecode any_program() {
        Bytecode program;
        for (std::uint64_t i = 0; i < 1 + below(5); ++i) {
            switch (below(5)) {
                case 0:
                    program += any_call() + OP_POP;
                    break;
                case 1:
                    program += mstore(0, any_value()) + push(32) + push(0) + OP_LOG0;
                    break;
                case 2:
                    program += any_value() + OP_POP;
                    break;
                default: {
                    const Uint256 slot = any_slot();
                    program += sstore(slot, any_value());
                }
            }
        }
        if (one_in(6)) return program + push(any_address()) + OP_SELFDESTRUCT;
        if (one_in(6)) return program + revert_range(0, 32);
        return program + return_range(0, 32);
    }

    void make_world() {
        world_ = {};
        env_ = {};
        env_.revision = kRevisions[below(std::size(kRevisions))];
        env_.gas_limit = std::uint64_t{1} << 40;
        env_.beneficiary = kBeneficiary;
        tx_ = {};
        tx_.to = kTarget;
        tx_.sender = kSender;
        tx_.gas_limit = 1'500'000;
        tx_.max_fee_per_gas = 1;
        tx_.max_priority_fee_per_gas = 1;
        tx_.value = one_in(2) ? 0 : below(80);
        if (one_in(5)) {
            tx_.to.reset();
            tx_.data = any_init().bytes();
        }
        world_.set_balance(kSender, tx_.gas_limit + below(500) + 80);
        world_.set_balance(kPerson, 1 + below(100));
        world_.accounts[kHusk] = {};
        for (const Address& address : kContracts) {
            world_.deploy(address, any_program().bytes());
            world_.set_balance(address, below(100));
            for (std::uint64_t slot = 0; slot < 4; ++slot)
                if (one_in(2)) world_.set_storage(address, slot, below(3));
        }
        if (one_in(3)) world_.set_balance(kBeneficiary, below(100));
    }

    void declare_some() {
        tx_.type = TransactionType::access_list;
        tx_.chain_id = 1;
        tx_.gas_limit += 100'000;  // for the list
        world_.accounts[kSender].balance += Uint256{100'000};
        for (const Address& address : {kContracts[0], kContracts[1], kContracts[2], kContracts[3],
                                       kPerson, kHusk, kNobody, create_address(kTarget, 1)}) {
            if (one_in(8)) continue;
            AccessListEntry& entry = tx_.access_list.emplace_back();
            entry.address = address;
            for (std::uint64_t slot = 0; slot < 4; ++slot)
                if (!one_in(12)) entry.storage_keys.push_back(to_hash(Uint256{slot}));
        }
    }

    void run(const RecordedState& world, Outcome& outcome) {
        Evm& evm = one_in(2) ? fast_ : plain_;
        const auto valid = validate(tx_, world, env_, BlockGas::whole(env_));
        ASSERT_TRUE(valid) << to_string(valid.error());
        transition(world, NumberedBlockHashes{}, env_, *valid, evm, outcome);
    }

    /// Another balance that is as good as the one that was seen.
    void move_balance(Account& account, const AccountAccess& access) {
        if (access.balance == FieldAccess::read || access.balance == FieldAccess::write) return;
        const bool lives_by_it = account.nonce == 0 && !account.has_code();
        const std::uint64_t is_more = below(2);
        account.balance = access.required_balance + Uint256{is_more * below(300)};
        if (lives_by_it && account.balance.is_zero()) account.balance = 1;
    }
    /// The world made different wherever the record says that it does not matter.
    RecordedState changed_world(const AccessRecord& record) {
        RecordedState changed = world_;
        std::set<Address> addresses{kSender, kPerson, kHusk, kNobody, kBeneficiary};
        addresses.insert(std::begin(kContracts), std::end(kContracts));
        for (const Address& address : addresses) {
            const AccountAccess* access = find_access(record, address);
            if (access == nullptr) {
                change_entirely(changed, address);
                continue;
            }
            const auto known = changed.accounts.find(address);
            if (known == changed.accounts.end() || known->second.is_empty()) continue;
            if (one_in(2)) move_balance(known->second, *access);
            if (access->nonce == FieldAccess::none && known->second.nonce != 0)
                known->second.nonce = 1 + below(9);
            if (known->second.has_code()) change_slots(changed, address, record, *access);
        }
        return changed;
    }
    void change_entirely(RecordedState& world, const Address& address) {
        if (one_in(4)) world.accounts.erase(address);
        if (one_in(2)) world.set_balance(address, below(200));
        if (one_in(2)) world.deploy(address, any_program().bytes());
        if (one_in(2)) {
            const Uint256 slot = any_slot();
            world.set_storage(address, slot, below(9));
        }
    }
    void change_slots(RecordedState& world, const Address& address, const AccessRecord& record,
                      const AccountAccess& access) {
        if (access.storage_all == FieldAccess::write) return;
        for (std::uint64_t slot = 0; slot < 4; ++slot) {
            const bool is_known = std::ranges::any_of(record.slots, [&](const SlotAccess& s) {
                return s.slot == Uint256{slot} && record.accounts[s.account].address == address;
            });
            if (!is_known) world.set_storage(address, slot, below(5));
        }
    }

    static Account before(const RecordedState& world, const Address& address) {
        const auto known = world.accounts.find(address);
        return known == world.accounts.end() ? Account{} : known->second;
    }
    /// No field changes that the record does not say is changed.
    void expect_recorded(const AccountChange& change, const AccountAccess& access) {
        const Account old = before(world_, change.address);
        const Account now = change.account.value_or(Account{});
        const bool existed = world_.accounts.contains(change.address);
        if (existed != change.account.has_value() || old.code_hash != now.code_hash ||
            (existed && old.is_empty())) {
            EXPECT_EQ(access.code, FieldAccess::write);
        }
        if (old.nonce != now.nonce) {
            EXPECT_GE(access.nonce, FieldAccess::add);
        }
        if (old.balance != now.balance) {
            EXPECT_GE(access.balance, FieldAccess::add);
        }
        EXPECT_LE(access.required_balance, old.balance);
        if (!change.storage.empty()) {
            EXPECT_NE(access.storage_all, FieldAccess::none);
        }
        if (change.storage_cleared && old.has_code()) {
            EXPECT_EQ(access.storage_all, FieldAccess::write);
        }
    }
    /// The same change, but for what was there before.
    void expect_same_change(const AccountChange& a, const AccountChange& b,
                            const AccountAccess& access, const RecordedState& other) {
        ASSERT_EQ(a.address, b.address);
        EXPECT_EQ(a.storage_cleared, b.storage_cleared);
        EXPECT_EQ(a.storage, b.storage);
        ASSERT_EQ(a.account.has_value(), b.account.has_value());
        if (!a.account) return;
        const Account old_a = before(world_, a.address), old_b = before(other, a.address);
        EXPECT_EQ(a.account->code_hash, b.account->code_hash);
        if (access.nonce == FieldAccess::none) {
            EXPECT_EQ(a.account->nonce, old_a.nonce);
            EXPECT_EQ(b.account->nonce, old_b.nonce);
        } else {
            EXPECT_EQ(a.account->nonce, b.account->nonce);
        }
        EXPECT_EQ(a.account->balance - old_a.balance, b.account->balance - old_b.balance);
        if (old_a.balance != old_b.balance) ++moved_;
    }
    void expect_same(const Outcome& a, const Outcome& b, const RecordedState& other) {
        EXPECT_EQ(a.status, b.status);
        EXPECT_EQ(a.output, b.output);
        EXPECT_EQ(a.receipt, b.receipt);
        EXPECT_EQ(a.deferred_fee, b.deferred_fee);
        EXPECT_EQ(a.diff.codes, b.diff.codes);
        AccessRecord record = b.accesses;
        ASSERT_EQ(a.accesses.accounts.size(), record.accounts.size());
        for (std::size_t i = 0; i < record.accounts.size(); ++i)
            record.accounts[i].seen_balance = a.accesses.accounts[i].seen_balance;
        EXPECT_EQ(a.accesses, record);
        ASSERT_EQ(a.diff.accounts.size(), b.diff.accounts.size());
        for (std::size_t i = 0; i < a.diff.accounts.size(); ++i)
            expect_same_change(a.diff.accounts[i], b.diff.accounts[i],
                               a.accesses.accounts[a.accesses.changed_accounts[i]], other);
    }

    static EvmOptions options(Engine engine) {
        EvmOptions options;
        options.engine = engine;
        options.record_accesses = true;
        options.defer_fees = true;
        return options;
    }

    const std::uint64_t seed_ = heddle::test::announced_seed();
    std::mt19937_64 random_{seed_};
    RecordedState world_;
    BlockEnv env_;
    Transaction tx_;
    std::uint64_t moved_ = 0;  // changed accounts that had another balance before
    Evm fast_{options(Engine::fast)};
    Evm plain_{options(Engine::plain)};
};

TEST_F(AccessReplay, what_the_record_leaves_open_changes_nothing_else) {
    constexpr int kWorlds = 2'000, kChangedWorlds = 3;
    std::cout << "HEDDLE_TEST_SEED=" << seed_ << '\n';
    std::map<Status, int> endings;
    for (int i = 0; i < kWorlds && !HasFailure(); ++i) {
        SCOPED_TRACE("world " + std::to_string(i));
        make_world();
        Outcome first, again;
        run(world_, first);
        if (HasFatalFailure()) return;
        ++endings[first.status];
        for (std::size_t j = 0; j < first.diff.accounts.size(); ++j)
            expect_recorded(first.diff.accounts[j],
                            first.accesses.accounts[first.accesses.changed_accounts[j]]);
        for (int j = 0; j < kChangedWorlds; ++j) {
            const RecordedState other = changed_world(first.accesses);
            run(other, again);
            if (HasFatalFailure()) return;
            expect_same(first, again, other);
        }
    }
    EXPECT_GT(moved_, kWorlds / 4u);
    EXPECT_GT(endings[Status::success], kWorlds / 4);
}

TEST_F(AccessReplay, both_interpreters_agree_on_what_a_binding_list_forbids) {
    constexpr int kWorlds = 2'000;
    std::cout << "HEDDLE_TEST_SEED=" << seed_ << '\n';
    std::map<Status, int> endings;
    for (int i = 0; i < kWorlds && !HasFailure(); ++i) {
        SCOPED_TRACE("world " + std::to_string(i));
        make_world();
        env_.revision = one_in(2) ? Revision::berlin : kLatestRevision;
        env_.strict_access_lists = true;
        declare_some();
        const auto valid = validate(tx_, world_, env_, BlockGas::whole(env_));
        ASSERT_TRUE(valid) << to_string(valid.error());
        EngineRun fast, plain;
        run_on(fast_, world_, env_, *valid, fast);
        run_on(plain_, world_, env_, *valid, plain);
        EXPECT_EQ(difference(fast, plain), "");
        EXPECT_EQ(fast.outcome.status == Status::undeclared_access,
                  plain.outcome.status == Status::undeclared_access);
        EXPECT_EQ(flaw(fast.outcome.accesses, fast.outcome.diff, fast.reads), "");
        ++endings[fast.outcome.status];
    }
    EXPECT_GT(endings[Status::success], kWorlds / 20);
    EXPECT_GT(endings[Status::undeclared_access], kWorlds / 20);
}

}  // namespace
}  // namespace heddle::vm::test
