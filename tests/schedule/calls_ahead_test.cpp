// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading ahead by patterns under many interleavings: slots and hashes of calls, patterns that
// change from block to block, and who executes passes batches while they are read, no longer wants
// any, or ends the block. What is found is what a serial twin computes, and whatever the table of
// the protocol names has happened in some schedule.
#include "state/read_ahead.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::Exploration;
using test::ExploredAtomic;
using test::ExploredAtomics;

constexpr std::size_t kBatch = 16;
constexpr std::size_t kBatches = 3;
constexpr std::size_t kCalls = 2;  // of a batch, its first transactions; the others name nobody
constexpr std::size_t kBlocks = 3;
constexpr std::size_t kSlots = 2;  // of a call
constexpr std::uint64_t kFirstSender = 0xaaaa'0000;
const Address kContract = address_from_low64(0xc0de);

constexpr const char* kOutOfTurn = "the state is read out of turn";
constexpr const char* kOfNoPattern = "a slot is read that this block's pattern does not tell";
constexpr const char* kOtherValues = "what is found is not what the twin computes";

vm::KnownHash known_hash(const Uint256& first, const Uint256& second) {
    std::array<std::uint8_t, 64> input;
    store_be(first, input.data());
    store_be(second, input.data() + 32);
    return {vm::ShortInput{input}, keccak256(input)};
}

/// What a call does in one of the blocks, as executing it would show.
struct CallTwin {
    std::array<vm::KnownHash, kSlots> hashes;
    std::array<Uint256, kSlots> slots;
};

/// In block 1 a mapping of mappings, in block 2 two mappings; in the last one nothing is known.
CallTwin twin_of(const Transaction& tx, std::size_t block) {
    const Uint256 sender = to_word(*tx.sender);
    const Uint256 argument = *argument_of(tx, 0);
    CallTwin twin;
    const bool is_nested = block == 1;
    twin.hashes[0] = known_hash(is_nested ? sender : argument, Uint256{block});
    const Uint256 first = to_word(twin.hashes[0].hash);
    twin.hashes[1] =
        is_nested ? known_hash(argument, first) : known_hash(sender, Uint256{block + 5});
    twin.slots = {first, to_word(twin.hashes[1].hash) + Uint256{3}};
    return twin;
}

bool is_call(std::size_t index) {
    return index % kBatch < kCalls;
}

std::vector<Transaction> make_block() {
    std::vector<Transaction> block(kBatches * kBatch);
    for (std::size_t i = 0; i < block.size(); ++i) {
        if (!is_call(i)) continue;
        block[i].sender = address_from_low64(kFirstSender + i);
        block[i].to = kContract;
        block[i].data.assign(4 + 32, 0xa9);
        store_be(to_word(address_from_low64(kFirstSender + 0x1000 + i)), block[i].data.data() + 4);
    }
    return block;
}

/// The same in all schedules; hashing takes longer than a schedule does.
struct Program {
    std::vector<Transaction> block = make_block();
    std::array<std::vector<CallTwin>, kBlocks + 1> twins;  // by block, and call
    std::array<CallNotes, kBlocks + 1> notes;              // of the first call

    Program() {
        for (std::size_t number = 1; number < kBlocks; ++number) {
            for (std::size_t i = 0; i < block.size(); ++i)
                if (is_call(i)) twins[number].push_back(twin_of(block[i], number));
            for (std::size_t i = 0; i < kSlots; ++i) {
                const CallTwin& twin = twins[number].front();
                notes[number].hashes.add(twin.hashes[i].input, twin.hashes[i].hash);
                notes[number].read.push_back({kContract, twin.slots[i], {}});
            }
        }
    }
};
const Program& program() {
    static const Program kept;
    return kept;
}
std::size_t call_of(std::size_t index) {
    return index / kBatch * kCalls + index % kBatch;
}

/// How often schedules have shown what the table of the protocol names, all of them together.
struct Seen {
    std::uint64_t schedules = 0;
    std::uint64_t found = 0;            // read, and found
    std::uint64_t not_found = 0;        // unclaimed or claimed when it was looked for
    std::uint64_t passed = 0;           // claimed, and not read at all: it came too late
    std::uint64_t cut_by_passing = 0;   // some of its slots were read
    std::uint64_t cut_by_end = 0;       // the same, as the block was over
    std::uint64_t found_to_later = 0;   // slots of a batch that is not come to yet
    std::uint64_t ends_beside_one = 0;  // end() while somebody is at work
    std::uint64_t comes_too_late = 0;   // somebody finds nothing more
    std::uint64_t not_wanted = 0;       // nobody reads, though there are batches
};

/// Every slot holds itself and the number of the block.
class WatchedState final : public StateView {
public:
    std::uint64_t block = 0;
    bool is_readable = false;

    [[nodiscard]] static Uint256 value_of(const Uint256& slot, std::uint64_t block) {
        return slot + Uint256{block};
    }
    [[nodiscard]] unsigned slots_read(std::size_t batch) const { return slots_.at(batch); }
    [[nodiscard]] unsigned accounts_read(std::size_t batch) const { return accounts_.at(batch); }
    void begin(std::uint64_t number) {
        block = number;
        slots_ = accounts_ = {};
        is_readable = true;
    }

    std::optional<Account> account(const Address& address) const noexcept override {
        test::expect(is_readable, kOutOfTurn);
        const std::uint64_t low = to_word(address).low64();
        if (address == kContract) return Account{.balance = Uint256{block}};
        ++accounts_.at((low - kFirstSender) / kBatch);
        return Account{.balance = Uint256{low + block}};
    }
    Uint256 storage(const Address& address, const Uint256& slot) const noexcept override {
        test::expect(is_readable, kOutOfTurn);
        const std::vector<CallTwin>& twins = program().twins.at(block);
        std::size_t call = 0;
        while (call < twins.size() && twins[call].slots[0] != slot && twins[call].slots[1] != slot)
            ++call;
        test::expect(address == kContract && call < twins.size(), kOfNoPattern);
        test::expect(++slots_.at(call / kCalls) <= kCalls * kSlots, "a slot is read twice");
        return value_of(slot, block);
    }
    bool has_storage(const Address&) const noexcept override { return false; }
    BytesView code(const Hash&) const noexcept override { return {}; }

private:
    mutable std::array<unsigned, kBatches> slots_{};  // of the block
    mutable std::array<unsigned, kBatches> accounts_{};
};

/// A wrong turn, to see whether it would be found.
enum class Flaw : std::uint8_t {
    none,
    announces_first,  // a batch is said to be read before its slots are
    does_not_wait,    // end() leaves while others are at work
};

/// The protocol of BasicReadAhead once more, with a flaw.
template <Flaw kFlaw>
class FlawedReadAhead {
public:
    explicit FlawedReadAhead(WorkerParking*) {}

    void begin(const StateView& committed, std::span<const Transaction> block,
               const AccessPatterns* patterns) {
        committed_ = &committed;
        block_ = block;
        patterns_ = patterns;
        ++number_;
        next_.store(0);
    }
    void want(bool is_wanted) { is_wanted_.store(is_wanted); }
    const TransactionAhead* find(std::size_t index) {
        Batch& batch = batches_.at(index / kBatch);
        return batch.read_of.load() == number_ ? &batch.ahead.at(index % kBatch) : nullptr;
    }
    void fetch(std::size_t) {}
    void fetch_rest(std::size_t) {}
    std::span<const SlotValue> slots_of_later(std::size_t index) {
        const TransactionAhead* const ahead = find(index);
        return ahead == nullptr ? std::span<const SlotValue>{} : ahead->slots;
    }
    void end() {
        next_.exchange(kOver);
        while (kFlaw != Flaw::does_not_wait && busy_.load() != 0) {
        }
    }
    [[nodiscard]] bool has_work() const { return next_.load() < kBatches && is_wanted_.load(); }
    bool run_once(AccessForecaster& forecaster) {
        if (!has_work()) return false;
        busy_.fetch_add(1);
        const std::uint32_t at = next_.fetch_add(1);
        if (at < kBatches) read(batches_.at(at), block_.subspan(at * kBatch, kBatch), forecaster);
        busy_.fetch_sub(1);
        return at < kBatches;
    }

private:
    static constexpr std::uint32_t kOver = 1'000;
    struct Batch {
        ExploredAtomic<std::uint64_t> read_of{0};
        std::array<TransactionAhead, kBatch> ahead;
        std::vector<SlotValue> slots;
        std::vector<vm::KnownHash> hashes;
    };

    void read(Batch& batch, std::span<const Transaction> block, AccessForecaster& forecaster) {
        batch.slots.clear();
        batch.hashes.clear();
        batch.slots.reserve(kCalls * kSlots);
        batch.hashes.reserve(kCalls * kSlots);
        forecaster.begin(block, *patterns_);
        for (std::size_t i = 0; i < kCalls; ++i) {
            const std::size_t slots = batch.slots.size();
            const std::size_t hashes = batch.hashes.size();
            forecaster.tell_slots(i, batch.slots, kCalls * kSlots);
            forecaster.tell_hashes(i, batch.hashes);
            batch.ahead[i] = {.sender = committed_->account(*block[i].sender),
                              .recipient = committed_->account(*block[i].to),
                              .slots = std::span(batch.slots).subspan(slots),
                              .hashes = std::span(batch.hashes).subspan(hashes)};
        }
        if (kFlaw == Flaw::announces_first) batch.read_of.store(number_);
        for (SlotValue& slot : batch.slots) {
            static_cast<void>(next_.load());
            slot.value = committed_->storage(slot.address, slot.slot);
        }
        if (kFlaw != Flaw::announces_first) batch.read_of.store(number_);
    }

    const StateView* committed_ = nullptr;
    std::span<const Transaction> block_;
    const AccessPatterns* patterns_ = nullptr;
    std::uint64_t number_ = 0;
    ExploredAtomic<std::uint32_t> next_{kOver};
    ExploredAtomic<std::uint32_t> busy_{0};
    ExploredAtomic<bool> is_wanted_{true};
    std::array<Batch, kBatches> batches_;
};

template <typename Ahead>
class CallsCase final : public Case {
public:
    /// @param publishes_early  Patterns change before the block is over: a wrong turn of who
    ///                         executes.
    CallsCase(unsigned helpers, bool publishes_early, Seen& seen)
        : helpers_(helpers),
          publishes_early_(publishes_early),
          seen_(seen),
          patience_(7 * seen.schedules++ % 101) {
        learn(1);
        patterns_.publish();
    }

    std::vector<Thread> threads() override {
        static constexpr std::array kNames{"helper", "another"};
        std::vector<Thread> result{{"executing", [this] { execute(); }}};
        for (unsigned i = 0; i < helpers_; ++i)
            result.push_back({kNames.at(i), [this, i] { help(forecasters_.at(i)); }});
        return result;
    }
    void at_end() override { test::expect(!ahead_.has_work(), "there is work when all is over"); }

private:
    void learn(std::size_t block) {
        patterns_.learn(program().block.front(), program().notes.at(block));
    }
    void help(AccessForecaster& forecaster) {
        for (int times = 0; times < 6; ++times) {
            ++at_work_;
            if (!ahead_.run_once(forecaster)) ++seen_.comes_too_late;
            --at_work_;
        }
    }
    void execute() {
        for (std::uint64_t number = 1; number <= kBlocks; ++number) {
            state_.begin(number);
            std::array<bool, kBatches> is_found{};
            ahead_.want(number != 2);
            ahead_.begin(state_, program().block, &patterns_);
            if (number == 2 && !ahead_.has_work()) ++seen_.not_wanted;
            if (number < kBlocks) learn(number + 1);
            if (publishes_early_) patterns_.publish();
            for (std::size_t batch = 0; batch < kBatches - 1; ++batch) {
                execute_batch();
                look(batch, number, is_found);
                if (number == 2) ahead_.want(true);
            }
            if (at_work_ != 0) ++seen_.ends_beside_one;
            ahead_.end();
            state_.is_readable = false;
            patterns_.publish();
            count(number, is_found);
        }
    }
    /// Reading a batch takes a helper some forty operations; executing one, any number.
    void execute_batch() const {
        for (std::uint64_t i = 0; i < patience_; ++i)
            static_cast<void>(executed_.load());
    }
    /// As who executes the batch does, and expects the next one.
    void look(std::size_t batch, std::uint64_t number, std::array<bool, kBatches>& is_found) {
        const std::size_t later = (batch + 1) * kBatch;
        ahead_.fetch(later);
        ahead_.fetch_rest(later);
        if (!ahead_.slots_of_later(later).empty()) ++seen_.found_to_later;
        for (std::size_t i = 0; i < kCalls; ++i) {
            const TransactionAhead* const read = ahead_.find(batch * kBatch + i);
            ++(read == nullptr ? seen_.not_found : seen_.found);
            if (read == nullptr) continue;
            is_found.at(batch) = true;
            compare(*read, batch * kBatch + i, number);
        }
    }
    void compare(const TransactionAhead& read, std::size_t index, std::uint64_t number) const {
        const std::uint64_t sender = to_word(*program().block[index].sender).low64();
        test::expect(read.sender == Account{.balance = Uint256{sender + number}}, kOtherValues);
        test::expect(read.recipient == Account{.balance = Uint256{number}}, kOtherValues);
        const std::vector<CallTwin>& twins = program().twins.at(number);
        const std::size_t count = twins.empty() ? 0 : kSlots;
        test::expect(read.slots.size() == count && read.hashes.size() == count, kOtherValues);
        for (std::size_t i = 0; i < count; ++i) {
            const CallTwin& twin = twins.at(call_of(index));
            test::expect(read.slots[i].slot == twin.slots[i], kOtherValues);
            test::expect(read.slots[i].value == WatchedState::value_of(twin.slots[i], number),
                         kOtherValues);
            test::expect(read.hashes[i].input == twin.hashes[i].input, kOtherValues);
            test::expect(read.hashes[i].hash == twin.hashes[i].hash, kOtherValues);
        }
    }
    /// What became of the batches of a block that is over.
    void count(std::uint64_t number, const std::array<bool, kBatches>& is_found) {
        if (number == kBlocks) return;  // without slots
        for (std::size_t batch = 0; batch < kBatches; ++batch) {
            const unsigned slots = state_.slots_read(batch);
            const bool is_cut = slots != 0 && slots < kCalls * kSlots;
            test::expect(!is_cut || !is_found.at(batch), "a part of a batch was found");
            const bool is_passed = batch < kBatches - 1;
            if (is_cut) ++(is_passed ? seen_.cut_by_passing : seen_.cut_by_end);
            if (is_passed && state_.accounts_read(batch) == 0) ++seen_.passed;
        }
    }

    const unsigned helpers_;
    const bool publishes_early_;
    Seen& seen_;
    const std::uint64_t patience_;
    ExploredAtomic<bool> executed_{false};
    WorkerParking parking_;
    Ahead ahead_{&parking_};
    WatchedState state_;
    AccessPatterns patterns_;
    std::array<AccessForecaster, 2> forecasters_;  // of the helpers
    unsigned at_work_ = 0;
};

template <typename Ahead = BasicReadAhead<ExploredAtomics>>
Exploration explored(unsigned helpers, Seen& seen, bool publishes_early = false) {
    const auto make = [&] {
        return std::make_unique<CallsCase<Ahead>>(helpers, publishes_early, seen);
    };
    return test::explore_randomly(make, test::announced_seed(), 10'000);
}

void expect_all(const Seen& seen) {
    EXPECT_GT(seen.found, 0u);
    EXPECT_GT(seen.not_found, 0u);
    EXPECT_GT(seen.passed, 0u);
    EXPECT_GT(seen.cut_by_passing, 0u);
    EXPECT_GT(seen.cut_by_end, 0u);
    EXPECT_GT(seen.found_to_later, 0u);
    EXPECT_GT(seen.ends_beside_one, 0u);
    EXPECT_GT(seen.comes_too_late, 0u);
    EXPECT_GT(seen.not_wanted, 0u);
}

TEST(CallsAheadSchedule, what_one_helper_reads_is_what_the_twin_computes) {
    Seen seen;
    expect_holds(explored(1, seen));
    expect_all(seen);
}

TEST(CallsAheadSchedule, what_two_helpers_read_is_what_the_twin_computes) {
    Seen seen;
    expect_holds(explored(2, seen));
    expect_all(seen);
}

TEST(CallsAheadSchedule, the_protocol_without_a_flaw_holds) {
    Seen seen;
    expect_holds(explored<FlawedReadAhead<Flaw::none>>(2, seen));
}

TEST(CallsAheadSchedule, announcing_a_batch_before_its_slots_are_read_is_found) {
    Seen seen;
    expect_found(explored<FlawedReadAhead<Flaw::announces_first>>(2, seen), kOtherValues);
}

TEST(CallsAheadSchedule, leaving_while_slots_are_read_is_found) {
    Seen seen;
    const Exploration exploration = explored<FlawedReadAhead<Flaw::does_not_wait>>(2, seen);
    ASSERT_TRUE(exploration.failure.has_value());
    EXPECT_THAT(exploration.failure->what, testing::AnyOf(kOutOfTurn, kOfNoPattern))
        << "of the next block";
}

TEST(CallsAheadSchedule, publishing_patterns_before_the_block_is_over_is_found) {
    Seen seen;
    expect_found(explored(2, seen, true), kOfNoPattern);
}

}  // namespace
}  // namespace heddle::executor
