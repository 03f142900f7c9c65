// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
// States that stop answering in the middle, or say one thing now and another then. What comes out
// is theirs; that a status comes out, and the engine goes on, is ours.
#include <algorithm>
#include <array>
#include <mutex>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/memory_state.hpp>
#include <types/block.hpp>

#include "adversarial_chain.hpp"
#include "announced_seed.hpp"
#include "client.hpp"
#include "small_chain.hpp"

namespace heddle::test {

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// A true state, some of whose answers are replaced.
class LyingState final : public StateView {
public:
    LyingState(const StateView& truth, std::uint64_t seed) : truth_(truth), random_(seed) {}

    /// One of so many answers is a lie; 0: none.
    void lie_one_in(std::uint64_t answers) { one_in_ = answers; }

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        const auto account = truth_.account(address);
        const std::lock_guard guard(mutex_);
        if (account.has_value() && code_hashes_.size() < 64)
            code_hashes_.push_back(account->code_hash);
        if (!lies()) return account;
        if (random_() % 4 == 0) return std::nullopt;
        Account lie = account.value_or(Account{});
        if (random_() % 2 == 0) lie.nonce = random_() % 2 == 0 ? ~std::uint64_t{0} : random_() % 9;
        if (random_() % 2 == 0) lie.balance = word();
        if (random_() % 3 == 0 && !code_hashes_.empty())
            lie.code_hash = code_hashes_[random_() % code_hashes_.size()];
        return lie;
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        const std::lock_guard guard(mutex_);
        return lies() ? word() : truth_.storage(address, slot);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        const std::lock_guard guard(mutex_);
        return lies() ? random_() % 2 == 0 : truth_.has_storage(address);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        return truth_.code(code_hash);
    }

private:
    // Under the mutex.
    [[nodiscard]] bool lies() const { return one_in_ != 0 && random_() % one_in_ == 0; }
    [[nodiscard]] Uint256 word() const {
        if (random_() % 3 == 0) return ~Uint256{};
        return Uint256{random_()} << static_cast<unsigned>(random_() % 256);
    }

    const StateView& truth_;
    std::uint64_t one_in_ = 0;
    mutable std::mutex mutex_;
    mutable std::mt19937_64 random_;
    mutable std::vector<Hash> code_hashes_;
};

heddle_address told(const Address& address) {
    heddle_address out;
    std::ranges::copy(address.bytes, out.bytes);
    return out;
}

/// One transaction of a block, whose values are now and then at their ends.
Executed execute_one(heddle_engine* engine, const heddle_chain* chain, const Callbacks& state,
                     const Block& block, std::mt19937_64& random) {
    const Transaction& tx = block.transactions[random() % block.transactions.size()];
    Bytes encoded;
    encode_transaction(tx, encoded);
    heddle_fields fields = HEDDLE_INIT(heddle_fields);
    fields.number = block.header.number;
    fields.timestamp = block.header.timestamp;
    fields.gas_limit = block.header.gas_limit;
    store_be(block.header.base_fee_per_gas.value_or(Uint256{}), fields.base_fee_per_gas.bytes);
    for (std::uint64_t* const field :
         {&fields.number, &fields.timestamp, &fields.gas_limit, &fields.excess_blob_gas})
        if (random() % 8 == 0) *field = random() % 2 == 0 ? ~std::uint64_t{0} : random();
    if (random() % 8 == 0) store_be(~Uint256{}, fields.base_fee_per_gas.bytes);
    const heddle_address sender = told(tx.sender.value_or(Address{}));
    Executed executed;
    heddle_result* result = nullptr;
    executed.status = heddle_execute_transaction(
        engine, chain, state.get(), &fields, bytes_of(encoded), &sender, &result, &executed.error);
    executed.result.reset(result);
    return executed;
}

/// A block behind its parent, as the interface takes it.
struct GivenBlock {
    GivenBlock(const Block& block, const Bytes& parent, const Uint256& total_difficulty) {
        encode_block(block, encoded);
        for (const Transaction& tx : block.transactions)
            senders.push_back(told(tx.sender.value_or(Address{})));
        ancestor = bytes_of(parent);
        store_be(total_difficulty, difficulty.bytes);
        given.rlp = bytes_of(encoded);
        given.ancestors = &ancestor;
        given.ancestor_count = 1;
        given.parent_total_difficulty = &difficulty;
        given.senders = senders.data();
        given.sender_count = senders.size();
    }
    GivenBlock(const GivenBlock&) = delete;
    GivenBlock& operator=(const GivenBlock&) = delete;

    Bytes encoded;
    std::vector<heddle_address> senders;
    heddle_bytes ancestor{};
    heddle_word difficulty{};
    heddle_block given = HEDDLE_INIT(heddle_block);
};

EnginePtr draw_engine(std::mt19937_64& random) {
    static constexpr std::array<const char*, 7> kSchedulers = {
        nullptr, "serial", "dag", "early", "late", "optimistic", "aria"};
    heddle_engine_options options = HEDDLE_INIT(heddle_engine_options);
    options.workers = std::array{1U, 2U, 4U}[random() % 3];
    options.scheduler = kSchedulers[random() % kSchedulers.size()];
    options.flags = random() % 2 == 0 ? HEDDLE_ENGINE_ACCESS_LISTS : 0;
    heddle_engine* engine = nullptr;
    EXPECT_EQ(heddle_engine_new(&options, &engine, nullptr), HEDDLE_OK);
    return EnginePtr{engine};
}

/// Executes a block, and transactions of it, for a state that lies and fails.
void mislead(heddle_engine* engine, const heddle_chain* chain, LyingState& state,
             const Block& block, const GivenBlock& given, std::mt19937_64& random) {
    Callbacks callbacks(
        state, [](std::uint64_t number) { return to_hash(Uint256{number}); },
        [&](const StateDiff&) { return block.header.state_root; });
    const auto is_same = [&](const Executed& a, const Executed& b) {
        return a.status == b.status &&
               (a.status != HEDDLE_OK ||
                (receipts_of(a.result.get()) == receipts_of(b.result.get()) &&
                 diff_of(heddle_result_changes(a.result.get())) ==
                     diff_of(heddle_result_changes(b.result.get()))));
    };
    const Executed before = execute(engine, chain, callbacks, given.given);
    const std::uint64_t calls = callbacks.calls();
    for (int i = 0; i < 30; ++i) {
        const bool fails = random() % 2 == 0;
        state.lie_one_in(std::array{0U, 3U, 20U, 100U}[random() % 4]);
        callbacks.fail_from(fails ? 1 + random() % (calls + 1) : kNever, 77);
        const bool is_one = !block.transactions.empty() && random() % 3 == 0;
        const Executed executed = is_one ? execute_one(engine, chain, callbacks, block, random)
                                         : execute(engine, chain, callbacks, given.given);
        const bool is_expected = executed.status == HEDDLE_OK ||
                                 executed.status == HEDDLE_REJECTED ||
                                 (fails && executed.status == HEDDLE_CALLBACK_FAILED &&
                                  executed.error.callback_result == 77);
        ASSERT_TRUE(is_expected) << executed.status << ": " << executed.error.text;
    }
    state.lie_one_in(0);
    callbacks.fail_from(kNever, 0);
    EXPECT_TRUE(is_same(before, execute(engine, chain, callbacks, given.given)))
        << "what was said before is remembered";
}

}  // namespace

/// A failure between validation and execution ended the process: the sender that had paid was gone.
TEST(LibraryState, a_callback_that_fails_at_any_place_ends_a_transaction_and_not_the_process) {
    SmallChain small("Amsterdam");
    const EnginePtr engine = make_engine(1, HEDDLE_ENGINE_ACCESS_LISTS);
    Callbacks state = small.callbacks();
    const heddle_block block = small.unmade();
    small.fields.number = 10;
    const auto run = [&](std::size_t transaction) {
        Executed executed;
        heddle_result* result = nullptr;
        executed.status = heddle_execute_transaction(engine.get(), small.chain(), state.get(),
                                                     &small.fields, block.transactions[transaction],
                                                     nullptr, &result, &executed.error);
        executed.result.reset(result);
        return executed;
    };
    for (std::size_t transaction = 0; transaction < block.transaction_count; ++transaction) {
        state.fail_from(kNever, 0);
        const Executed right = run(transaction);
        ASSERT_EQ(right.status, HEDDLE_OK) << right.error.text;
        const std::uint64_t calls = state.calls();
        ASSERT_GT(calls, 2U);
        for (std::uint64_t i = 1; i <= calls; ++i) {
            state.fail_from(i, 77);
            const Executed failed = run(transaction);
            // What it knows it does not ask for again.
            if (failed.status == HEDDLE_OK && state.calls() < i) continue;
            EXPECT_EQ(failed.status, HEDDLE_CALLBACK_FAILED) << i << ": " << failed.error.text;
            EXPECT_EQ(failed.error.callback_result, 77);
            EXPECT_EQ(state.calls(), i) << "called again after it had failed";
        }
    }
}

TEST(LibraryState, one_that_contradicts_itself_or_ends_in_the_middle_does_no_harm) {
    const std::uint64_t seed = announced_seed(1);
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < 12; ++i) {
        const AdversarialChain chain = make_adversarial_chain(
            {.seed = seed + i, .blocks = 3, .max_transactions = 40, .with_flaws = i % 4 == 0});
        SCOPED_TRACE(chain.description);
        const ChainPtr rules = make_chain(chain.genesis.config, {});
        ASSERT_NE(rules, nullptr);
        const EnginePtr engine = draw_engine(random);
        ledger::MemoryState truth;
        for (const auto& account : chain.genesis.alloc)
            truth.add(account);
        Bytes parent;
        encode_header(chain.genesis.header, parent);
        Uint256 total_difficulty = chain.genesis.header.difficulty;
        for (const Block& block : chain.blocks) {
            const GivenBlock given(block, parent, total_difficulty);
            LyingState state(truth, random());
            mislead(engine.get(), rules.get(), state, block, given, random);
            const Callbacks honest(truth);
            const Executed executed = execute(engine.get(), rules.get(), honest, given.given);
            if (executed.status != HEDDLE_OK) break;  // the flawed one, perhaps
            truth.apply(diff_of(heddle_result_changes(executed.result.get())));
            parent = given.encoded;
            total_difficulty += block.header.difficulty;
        }
    }
}

}  // namespace heddle::test
