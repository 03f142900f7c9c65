// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a data directory, taken out of it with the part of the state that they read, so that
// the database has no part in what is measured.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <ledger/durable_ledger.hpp>
#include <types/block_error.hpp>

#include "benchmark/subject.hpp"
#include "inputs/ledger_flags.hpp"
#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

constexpr std::uint64_t kHashesBack = 256;  // as far as BLOCKHASH reaches

/// Notes the first value of everything that is read. One thread.
class NotingState final : public StateView {
public:
    NotingState(const StateView& inner, ledger::MemoryState& noted)
        : inner_(inner), noted_(noted) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        const auto value = inner_.account(address);
        // A value that a block has changed was read before, so it is there already.
        if (value && accounts_.insert(address).second) {
            noted_.set_account(address, *value);
            if (!inner_.code(value->code_hash).empty())
                noted_.set_code(value->code_hash, inner_.code(value->code_hash));
        } else if (!value) {
            accounts_.insert(address);
        }
        return value;
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        const Uint256 value = inner_.storage(address, slot);
        if (slots_[address].insert(slot).second && !value.is_zero())
            noted_.set_storage(address, slot, value);
        return value;
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        const bool has = inner_.has_storage(address);
        // Some slot that nobody reads, so that the answer stays the same.
        if (has && !noted_.has_storage(address))
            noted_.set_storage(address, Uint256::max(), Uint256{1});
        return has;
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        return inner_.code(code_hash);
    }

private:
    const StateView& inner_;
    ledger::MemoryState& noted_;
    mutable std::set<Address> accounts_;
    mutable std::map<Address, std::set<Uint256>> slots_;
};

/// Moves the past state along with the blocks.
class MovingSink final : public BlockSink {
public:
    explicit MovingSink(ledger::PastState& state) : state_(state) {}

    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        state_.move_to(block.block.header.number);
        return block.block.header.state_root;
    }
    [[nodiscard]] Hash state_root_with(const StateDiff&) override { return {}; }

private:
    ledger::PastState& state_;
};

void read_blocks(const ledger::DurableLedger& ledger, std::uint64_t first, std::uint64_t last,
                 Series& series) {
    for (std::uint64_t number = first; number <= last; ++number) {
        auto stored = take(ledger.block(number));
        if (!stored) fail_input("bench: the body of block {} is not there", number);
        executor::OrderedBlock ordered = executor::make_ordered_block(std::move(stored->block));
        series.blocks.push_back(
            {std::move(ordered.start), std::move(ordered.transactions), {}, {}});
    }
}

/// Runs the blocks once and leaves in the series what they read of the state before the first.
void note_state(const ledger::DurableLedger& ledger, const std::string& name, std::uint64_t first,
                Series& series) {
    const auto past = take(ledger.state_at(first - 1));
    const NotingState noting(*past, series.state);
    MovingSink sink(*past);
    const auto executor = executor::make_serial_executor();
    executor->start(
        {.config = series.config, .state = noting, .block_hashes = ledger, .sink = sink},
        series.head);
    execute_blocks(name, series.blocks, *executor);
}

}  // namespace

Subject load_stored(const std::string& datadir, const BlockRange& range) {
    LedgerFlags flags;
    flags.datadir = datadir;
    const auto ledger = open_ledger(make_reading_options(flags));
    const std::uint64_t head = ledger->head().header.number;
    const std::uint64_t first = range.first == 0 ? ledger->first_state() + 1 : range.first;
    if (first > head || range.count == 0)
        fail_input("bench: {} holds no blocks from number {} on: the last one is {}", datadir,
                   first, head);
    const std::uint64_t last = std::min(head, first + range.count - 1);
    Subject subject;
    subject.name = datadir;
    Series series;
    series.config = stored_chain_config(*ledger);
    const auto parent = take(ledger->header(first - 1));
    if (!parent) fail_input("bench: block {} is not there", first - 1);
    series.head = {take(ledger->ancestors(first - 1)), parent->total_difficulty};
    for (std::uint64_t number = first - std::min(first, kHashesBack); number < first; ++number)
        if (number >= ledger->first_block()) series.hashes[number] = ledger->block_hash(number);
    read_blocks(*ledger, first, last, series);
    note_state(*ledger, datadir, first, series);
    for (const KnownBlock& block : series.blocks)
        series.hashes[block.start.header.number] = header_hash(block.start.header);
    record_knowledge(datadir, series);
    subject.series.push_back(std::move(series));
    subject.digest = digest_of(subject.series);
    return subject;
}

}  // namespace heddle::node::benchmark
