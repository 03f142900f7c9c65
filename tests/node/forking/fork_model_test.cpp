// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain that forks a state beside a chain that has the same state itself: whatever is written,
// set and taken back, both read the same.
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/memory_state.hpp>

#include "announced_seed.hpp"
#include "chain/chain.hpp"
#include "temporary_folder.hpp"

namespace heddle::node {
namespace {

constexpr std::uint64_t kForkPoint = 41;
constexpr std::size_t kAccounts = 12;
constexpr std::uint64_t kSlots = 6;

Address account_at(std::uint64_t index) {
    return address_from_low64(0xacc0 + index);
}

/// A source that has everything in memory.
class FixedBase final : public ForkBase {
public:
    explicit FixedBase(const StateView& state) : state_(state) {}
    [[nodiscard]] std::uint64_t number() const noexcept override { return kForkPoint; }
    [[nodiscard]] const std::string& source() const noexcept override { return name_; }
    [[nodiscard]] const StateView& state() const noexcept override { return state_; }
    [[nodiscard]] Found<ledger::StoredHeader> header(std::uint64_t) const override {
        return std::nullopt;
    }
    [[nodiscard]] Found<ledger::StoredBlock> block(std::uint64_t) const override {
        return std::nullopt;
    }
    [[nodiscard]] Found<std::uint64_t> block_number(const Hash&) const override {
        return std::nullopt;
    }
    [[nodiscard]] Found<ledger::TransactionLocation> find_transaction(const Hash&) const override {
        return std::nullopt;
    }
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        return to_hash(Uint256{number});
    }
    [[nodiscard]] Result<std::unique_ptr<ledger::PastState>> state_at(
        std::uint64_t) const override {
        return std::unexpected(ledger::LedgerError{});
    }
    [[nodiscard]] Result<ledger::AccountProof> prove(std::uint64_t, const Address&,
                                                     std::span<const Uint256>) const override {
        return std::unexpected(ledger::LedgerError{});
    }
    [[nodiscard]] Result<std::vector<SourceLog>> logs(const SourceLogQuery&) const override {
        return std::vector<SourceLog>{};
    }
    [[nodiscard]] bool fetch(std::span<const MissingRead>) const override { return true; }

private:
    const std::string name_ = "memory";
    const StateView& state_;
};

Genesis genesis_with(std::vector<GenesisAccount> alloc) {
    Genesis genesis;
    genesis.config.chain_id = 7;
    genesis.header.number = kForkPoint + 1;
    genesis.header.gas_limit = 30'000'000;
    genesis.alloc = std::move(alloc);
    return genesis;
}

/// One chain with its folder.
class ModelChain {
public:
    explicit ModelChain(const Genesis& genesis) {
        ledger::DurableLedgerOptions options;
        options.directory = folder_ / "chain";
        options.memory_bytes = std::size_t{64} << 20;
        options.threads = 1;
        options.sync = {.blocks = 1'000, .interval = std::chrono::seconds{60}};
        ledger_ = ledger::DurableLedger::create(std::move(options), genesis, {}).value();
        chain_ =
            std::make_unique<Chain>(*ledger_, genesis.config, ledger::SyncPolicy{.blocks = 1'000});
    }
    [[nodiscard]] Chain& chain() noexcept { return *chain_; }
    void become_development() {
        chain_->become_development([](const ledger::StoredHeader& head) { return head.header; });
    }
    void commit(const StateDiff& diff) {
        const ledger::StoredHeader head = chain_->kept_head();
        FinishedBlock block;
        block.block.header.parent_hash = head.hash;
        block.block.header.number = head.header.number + 1;
        block.block.header.timestamp = head.header.timestamp + 1;
        block.block.header.gas_limit = head.header.gas_limit;
        block.diff = diff;
        block.check_state_root = false;
        const auto done = chain_->commit(std::move(block));
        ASSERT_TRUE(done.has_value()) << to_string(done.error());
    }

private:
    heddle::test::TemporaryFolder folder_;
    std::unique_ptr<ledger::DurableLedger> ledger_;
    std::unique_ptr<Chain> chain_;
};

class ForkModel : public testing::Test {
protected:
    ForkModel() {
        random_.seed(heddle::test::announced_seed());
        std::vector<GenesisAccount> alloc;
        for (std::uint64_t i = 0; i < kAccounts / 2; ++i) {
            GenesisAccount& account = alloc.emplace_back();
            account = {account_at(i), i, Uint256{1'000 + i}, {}, {}};
            const bool is_contract = i % 2 == 0;
            if (is_contract) {
                account.code = Bytes{0x60, static_cast<std::uint8_t>(i)};
                for (std::uint64_t slot = 0; slot < kSlots; slot += 2)
                    account.storage.emplace_back(slot, 100 * i + slot + 1);
            }
            StateDiff diff;
            AccountChange& change = diff.accounts.emplace_back();
            change = {account.address,
                      Account{account.nonce, account.balance, kEmptyCodeHash},
                      false,
                      {}};
            if (is_contract) {
                change.account->code_hash = keccak256(account.code);
                diff.codes.push_back({change.account->code_hash, account.code});
                for (const auto& [slot, value] : account.storage)
                    change.storage.push_back({slot, value});
            }
            source_.apply(diff);
        }
        plain_ = std::make_unique<ModelChain>(genesis_with(alloc));
        fork_ = std::make_unique<ModelChain>(genesis_with({}));
        fork_->chain().fork_from(base_, {});
        plain_->become_development();
        fork_->become_development();
    }

    std::uint64_t below(std::uint64_t end) {
        return std::uniform_int_distribution<std::uint64_t>{0, end - 1}(random_);
    }

    /// A change of an account as execution would make it on `state`.
    AccountChange change_of(const StateView& state, const Address& address, StateDiff& diff) {
        AccountChange change{address, state.account(address), false, {}};
        const std::uint64_t kind = below(10);
        if (kind == 0) {  // destroyed
            change.account.reset();
            change.storage_cleared = true;
            return change;
        }
        if (!change.account.has_value()) change.account = Account{};
        change.account->balance = Uint256{1 + below(1'000)};
        if (kind == 1 || kind == 2) {  // created anew
            const Bytes code{0x61, static_cast<std::uint8_t>(below(250)), 0x00};
            change.storage_cleared = true;
            change.account->nonce = 1;
            change.account->code_hash = keccak256(code);
            diff.codes.push_back({change.account->code_hash, code});
        }
        for (std::uint64_t slot = 0; slot < kSlots; ++slot)
            if (below(3) == 0) change.storage.push_back({slot, Uint256{below(3)}});
        return change;
    }

    StateDiff random_diff() {
        StateDiff diff;
        for (std::uint64_t i = 0; i < kAccounts; ++i)
            if (below(4) == 0)
                diff.accounts.push_back(change_of(plain_->chain().state(), account_at(i), diff));
        return diff;
    }

    static void expect_same(const StateView& wanted, const StateView& found,
                            const std::string& where) {
        for (std::uint64_t i = 0; i < kAccounts; ++i) {
            const Address address = account_at(i);
            const auto account = wanted.account(address);
            ASSERT_EQ(account, found.account(address)) << where << ", account " << i;
            if (account.has_value() && account->has_code()) {
                const BytesView view = wanted.code(account->code_hash);
                const Bytes code(view.begin(), view.end());
                ASSERT_TRUE(equal(code, found.code(account->code_hash)))
                    << where << ", account " << i;
            }
            for (std::uint64_t slot = 0; slot < kSlots; ++slot)
                ASSERT_EQ(wanted.storage(address, slot), found.storage(address, slot))
                    << where << ", account " << i << ", slot " << slot;
        }
    }

    void expect_same_states() {
        expect_same(plain_->chain().state(), fork_->chain().state(), "now");
        const std::uint64_t head = plain_->chain().head().header.number;
        ASSERT_EQ(head, fork_->chain().head().header.number);
        const std::uint64_t number = kForkPoint + 1 + below(head - kForkPoint);
        const auto wanted = plain_->chain().state_at(number);
        const auto found = fork_->chain().state_at(number);
        ASSERT_TRUE(wanted.has_value() && found.has_value());
        expect_same(**wanted, **found, "after block " + std::to_string(number));
    }

    std::mt19937_64 random_;
    ledger::MemoryState source_;
    FixedBase base_{source_};
    std::unique_ptr<ModelChain> plain_;
    std::unique_ptr<ModelChain> fork_;
};

TEST_F(ForkModel, reads_what_a_chain_reads_that_has_the_state_itself) {
    ASSERT_NO_FATAL_FAILURE(expect_same_states());
    for (int step = 0; step < 300; ++step) {
        const std::uint64_t kind = below(10);
        if (kind == 0) {
            const std::uint64_t head = plain_->chain().head().header.number;
            const std::uint64_t to = kForkPoint + 1 + below(head - kForkPoint);
            ASSERT_TRUE(plain_->chain().rewind(to, nullptr).has_value());
            ASSERT_TRUE(fork_->chain().rewind(to, nullptr).has_value());
        } else if (kind < 4) {
            StateDiff diff;
            const AccountChange change =
                change_of(plain_->chain().state(), account_at(below(kAccounts)), diff);
            diff.accounts.push_back(change);
            plain_->chain().amend(diff);
            fork_->chain().amend(diff);
        } else {
            const StateDiff diff = random_diff();
            ASSERT_NO_FATAL_FAILURE(plain_->commit(diff));
            ASSERT_NO_FATAL_FAILURE(fork_->commit(diff));
        }
        ASSERT_NO_FATAL_FAILURE(expect_same_states()) << "step " << step;
    }
}

TEST_F(ForkModel, knows_the_hashes_of_blocks_below_and_above_the_fork_point) {
    ASSERT_NO_FATAL_FAILURE(fork_->commit({}));
    const BlockHashes& hashes = fork_->chain().block_hashes();
    EXPECT_EQ(hashes.block_hash(kForkPoint), to_hash(Uint256{kForkPoint}));
    EXPECT_EQ(hashes.block_hash(kForkPoint + 2), fork_->chain().head().hash);
    EXPECT_EQ(hashes.block_hash(kForkPoint + 9), Hash{});
}

TEST_F(ForkModel, a_state_from_before_blocks_were_taken_back_says_so) {
    ASSERT_NO_FATAL_FAILURE(fork_->commit(random_diff()));
    const auto state = fork_->chain().state_at(kForkPoint + 2).value();
    {
        const ReadScope scope;
        (void)state->account(account_at(0));
        EXPECT_FALSE(scope.has_failed());
    }
    ASSERT_TRUE(fork_->chain().rewind(kForkPoint + 1, nullptr).has_value());
    const ReadScope scope;
    (void)state->account(account_at(0));
    EXPECT_TRUE(scope.has_failed());
}

}  // namespace
}  // namespace heddle::node
