// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "development/chain_control.hpp"

#include <random>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/block_rules.hpp>
#include <types/block_error.hpp>
#include <types/counted.hpp>
#include <types/expected.hpp>
#include <vm/next_header.hpp>

#include "chain/transaction_reads.hpp"
#include "program/stop_signal.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::BlockPlan;
using consensus_adapter::Committed;

Hash random_hash() {
    std::random_device source;
    Hash hash;
    for (std::uint8_t& byte : hash.bytes)
        byte = static_cast<std::uint8_t>(source());
    return hash;
}

/// What `account` comes to, as the rest of the chain has it: no account without anything.
std::optional<Account> as_kept(const Account& account, bool has_storage) {
    if (account.is_empty() && !has_storage) return std::nullopt;
    return account;
}

}  // namespace

ChainControl::ChainControl(Chain& chain, Mempool& mempool, Defaults defaults)
    : chain_(chain),
      mempool_(mempool),
      defaults_(std::move(defaults)),
      clock_(defaults_.clock),
      snapshots_(defaults_.snapshot_bytes),
      instance_(random_hash()) {
    chain_.become_development([this](const ledger::StoredHeader& head) { return preview(head); });
}

// --- What the sealing thread asks ----------------------------------------------------------------

void ChainControl::adjust(const Committed& committed, BlockPlan& plan) {
    const std::scoped_lock lock{mutex_};
    const std::uint64_t earliest = chain_.config().earliest_timestamp(committed.head_timestamp);
    plan.timestamp = clock_.next(committed.head_timestamp, earliest);
    plan.beneficiary = settings_.beneficiary.value_or(plan.beneficiary);
    plan.gas_limit = settings_.gas_limit.value_or(plan.gas_limit);
    plan.base_fee_per_gas = settings_.base_fee;
    plan.prev_randao = settings_.prev_randao.value_or(plan.prev_randao);
    adjusted_version_ = next_version_;
    adjusted_time_ = plan.timestamp;
}

void ChainControl::note_sealed() {
    const std::scoped_lock lock{mutex_};
    if (adjusted_version_ != next_version_) return;
    clock_.note_sealed(adjusted_time_);
    settings_.base_fee.reset();
    settings_.prev_randao.reset();
}

BlockHeader ChainControl::preview(const ledger::StoredHeader& head) const {
    const std::scoped_lock lock{mutex_};
    // Also where timestamps may repeat, if nobody has said anything else. What is called now may be
    // executed when the clock has ticked, and code may do more then: a swap brings average prices
    // forward once time has passed.
    const std::uint64_t parent = head.header.timestamp;
    const bool is_fixed = clock_.is_set() || clock_.has_interval();
    vm::BlockAttributes attributes{
        .timestamp =
            clock_.next(parent, is_fixed ? chain_.config().earliest_timestamp(parent) : parent + 1),
        .gas_limit = settings_.gas_limit.value_or(consensus_adapter::next_gas_limit(
            head.header.gas_limit, defaults_.gas_limit.value_or(head.header.gas_limit))),
        .beneficiary = settings_.beneficiary.value_or(defaults_.beneficiary),
        .prev_randao = settings_.prev_randao.value_or(
            consensus_adapter::prev_randao_after({head.header.number, head.hash})),
    };
    BlockHeader header = vm::next_header({head.header, head.hash, head.total_difficulty},
                                         attributes, chain_.config());
    if (settings_.base_fee.has_value()) header.base_fee_per_gas = settings_.base_fee;
    return header;
}

ChainControl::Done ChainControl::between_blocks(const std::function<Done()>& work) {
    Done done;
    const bool is_done = solo_->between_blocks([&] { done = work(); });
    if (!is_done) return std::unexpected("the node is stopping");
    return done;
}

std::shared_ptr<const ChainSnapshot::Pool> ChainControl::pooled() const {
    Mempool::Content content = mempool_.content();
    ChainSnapshot::Pool pool = std::move(content.pending);
    pool.insert(pool.end(), content.queued.begin(), content.queued.end());
    return std::make_shared<const ChainSnapshot::Pool>(std::move(pool));
}

// --- Snapshots -----------------------------------------------------------------------------------

ChainControl::Result<std::uint64_t> ChainControl::take_snapshot() {
    Result<std::uint64_t> id = 0;
    HEDDLE_CHECK(between_blocks([&]() -> Done {
        ChainSnapshot snapshot;
        snapshot.number = chain_.head_block()->block.header.number;
        snapshot.amendment = chain_.amendment();
        snapshot.pool = pooled();
        const std::scoped_lock lock{mutex_};
        snapshot.settings = settings_;
        snapshot.time = clock_.now();
        id = snapshots_.add(std::move(snapshot));
        return {};
    }));
    return id;
}

ChainControl::Done ChainControl::go_back(const ChainSnapshot& snapshot) {
    const auto done = chain_.rewind(snapshot.number, snapshot.amendment);
    if (!done.has_value()) return std::unexpected(ledger::to_string(done.error()));
    application_->forget_head();
    mempool_.start_over(*snapshot.pool);
    const std::scoped_lock lock{mutex_};
    settings_ = snapshot.settings;
    ++next_version_;
    // The first block may be of any time.
    const BlockHeader head = chain_.head().header;
    const bool is_first = head.number == chain_.ledger().first_block();
    clock_.set(is_first ? snapshot.time : head.timestamp);
    return {};
}

ChainControl::Result<bool> ChainControl::revert(std::uint64_t snapshot) {
    bool is_known = false;
    HEDDLE_CHECK(between_blocks([&]() -> Done {
        ChainSnapshot wanted;
        {
            const std::scoped_lock lock{mutex_};
            const ChainSnapshot* const found = snapshots_.find(snapshot);
            if (found == nullptr) return {};
            wanted = *found;
        }
        HEDDLE_CHECK(go_back(wanted));
        is_known = true;
        const std::scoped_lock lock{mutex_};
        snapshots_.drop_from(snapshot);
        return {};
    }));
    return is_known;
}

ChainControl::Done ChainControl::roll_back(std::uint64_t blocks) {
    return between_blocks([&]() -> Done {
        const std::uint64_t head = chain_.head().header.number;
        const std::uint64_t there = head - chain_.ledger().first_block();
        if (blocks > there)
            return std::unexpected(
                fmt::format("{} cannot be taken back: after the first there are {}",
                            counted(blocks, "block"), there));
        return take_back_to(head - blocks);
    });
}

ChainControl::Done ChainControl::roll_back_to(std::uint64_t number) {
    return between_blocks([&]() -> Done {
        const std::uint64_t head = chain_.head().header.number;
        const std::uint64_t first = chain_.ledger().first_block();
        if (number < first || number > head)
            return std::unexpected(fmt::format(
                "block {} cannot be the head: there are blocks {} to {}", number, first, head));
        return take_back_to(number);
    });
}

ChainControl::Done ChainControl::take_back_to(std::uint64_t number) {
    ChainSnapshot wanted;
    wanted.number = number;
    // The state after that block is the one that it is asked for.
    wanted.amendment = chain_.amendment(number);
    wanted.pool = pooled();
    {
        const std::scoped_lock lock{mutex_};
        wanted.settings = settings_;
        wanted.time = clock_.now();
    }
    HEDDLE_CHECK(go_back(wanted));
    const std::scoped_lock lock{mutex_};
    snapshots_.drop_above(number);
    return {};
}

ChainControl::Done ChainControl::reset() {
    return between_blocks([&]() -> Done {
        ChainSnapshot first;
        first.number = chain_.ledger().first_block();
        HEDDLE_CHECK(go_back(first));
        impersonation_.clear();
        const std::scoped_lock lock{mutex_};
        clock_ = ChainClock{defaults_.clock};
        snapshots_.clear();
        instance_ = random_hash();
        return {};
    });
}

// --- Time ----------------------------------------------------------------------------------------

ChainControl::Result<std::int64_t> ChainControl::advance_time(std::uint64_t seconds) {
    const std::scoped_lock lock{mutex_};
    if (!clock_.advance(seconds))
        return std::unexpected(fmt::format("time goes up to {}", kLatestTime));
    return clock_.offset();
}

ChainControl::Result<std::int64_t> ChainControl::set_time(std::uint64_t time) {
    if (time > kLatestTime) return std::unexpected(fmt::format("time goes up to {}", kLatestTime));
    const std::scoped_lock lock{mutex_};
    clock_.set(time);
    ++next_version_;
    return clock_.offset();
}

ChainControl::Done ChainControl::set_next_time(std::uint64_t time) {
    if (time > kLatestTime) return std::unexpected(fmt::format("time goes up to {}", kLatestTime));
    const std::uint64_t head = chain_.head_block()->block.header.timestamp;
    if (time < chain_.config().earliest_timestamp(head))
        return std::unexpected(
            fmt::format("Timestamp {} is lower than {}previous block's timestamp {}", time,
                        chain_.config().equal_timestamps ? "" : "or equal to ", head));
    const std::scoped_lock lock{mutex_};
    clock_.set_next(time);
    ++next_version_;
    return {};
}

ChainControl::Done ChainControl::set_time_of_wanted(std::uint64_t time) {
    const std::uint64_t head = chain_.head_block()->block.header.timestamp;
    return set_next_time(time == head ? chain_.config().earliest_timestamp(head) : time);
}

void ChainControl::set_block_interval(std::optional<std::uint64_t> seconds) {
    const std::scoped_lock lock{mutex_};
    clock_.set_interval(seconds);
}

// --- Blocks --------------------------------------------------------------------------------------

ChainControl::Done ChainControl::seal_next(std::optional<std::uint64_t> interval) {
    if (interval.has_value()) {
        const std::uint64_t head = chain_.head_block()->block.header.timestamp;
        if (*interval > kLatestTime || head > kLatestTime - *interval)
            return std::unexpected(fmt::format("time goes up to {}", kLatestTime));
        const std::scoped_lock lock{mutex_};
        clock_.set_next(head + *interval);
        ++next_version_;
    }
    const auto sealed = solo_->seal();
    if (!sealed.has_value()) return std::unexpected(to_string(sealed.error()));
    return {};
}

ChainControl::Done ChainControl::check_count(std::uint64_t count) {
    if (count <= kMostMined) return {};
    return std::unexpected(
        fmt::format("{} blocks: at most {} are mined at once", count, kMostMined));
}

ChainControl::Done ChainControl::mine(std::uint64_t count, std::optional<std::uint64_t> interval) {
    HEDDLE_CHECK(check_count(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        if (StopSignal::is_raised()) return std::unexpected("the node is stopping");
        // The first one follows the clock, or what was set for it.
        HEDDLE_CHECK(seal_next(i == 0 ? std::nullopt : interval));
    }
    return {};
}

ChainControl::Done ChainControl::mine_over_time(std::uint64_t count, std::uint64_t seconds) {
    HEDDLE_CHECK(check_count(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        if (StopSignal::is_raised()) return std::unexpected("the node is stopping");
        HEDDLE_CHECK(advance_time(seconds));
        HEDDLE_CHECK(seal_next(std::nullopt));
    }
    return {};
}

void ChainControl::seal_on_arrival(bool is_wanted) {
    consensus_adapter::SealSchedule schedule = solo_->schedule();
    schedule.on_arrival = is_wanted;
    solo_->set_schedule(schedule);
}

void ChainControl::seal_by_time(std::optional<std::chrono::milliseconds> interval,
                                std::chrono::milliseconds spread) {
    consensus_adapter::SealSchedule schedule = solo_->schedule();
    schedule.interval = interval;
    schedule.spread = spread;
    solo_->set_schedule(schedule);
}

consensus_adapter::Solo::SettleScope ChainControl::settling() {
    using consensus_adapter::Solo;
    return chain_.fork_base() == nullptr ? Solo::SettleScope{*solo_} : Solo::SettleScope{};
}

void ChainControl::settle(const Hash& transaction, std::chrono::steady_clock::time_point deadline) {
    solo_->settle([&] { return mempool_.find(transaction) == nullptr; }, deadline);
}

void ChainControl::set_beneficiary(const Address& beneficiary) {
    const std::scoped_lock lock{mutex_};
    settings_.beneficiary = beneficiary;
}

void ChainControl::set_gas_limit(std::uint64_t gas_limit) {
    const std::scoped_lock lock{mutex_};
    settings_.gas_limit = gas_limit;
}

ChainControl::Done ChainControl::set_next_base_fee(const Uint256& base_fee) {
    if (base_fee > kHighestBaseFee) return std::unexpected("a base fee is at most 2^128 - 1 wei");
    const std::scoped_lock lock{mutex_};
    settings_.base_fee = base_fee;
    ++next_version_;
    return {};
}

void ChainControl::set_next_prev_randao(const Hash& prev_randao) {
    const std::scoped_lock lock{mutex_};
    settings_.prev_randao = prev_randao;
    ++next_version_;
}

Address ChainControl::beneficiary() const {
    const std::scoped_lock lock{mutex_};
    return settings_.beneficiary.value_or(defaults_.beneficiary);
}

// --- State ---------------------------------------------------------------------------------------

ChainControl::Done ChainControl::amend(const MakeDiff& make) {
    return between_blocks([&]() -> Done {
        const ReadScope reads;
        const StateDiff diff = make(chain_.state());
        if (reads.has_failed()) return std::unexpected(reads.failure());
        chain_.amend(diff);
        application_->forget_head();
        mempool_.look_again();
        return {};
    });
}

ChainControl::Done ChainControl::change_account(const Address& address,
                                                const std::function<void(Account&)>& change) {
    return amend([&](const StateView& state) {
        Account account = state.account(address).value_or(Account{});
        change(account);
        StateDiff diff;
        diff.accounts.push_back({address, as_kept(account, state.has_storage(address)), false, {}});
        return diff;
    });
}

ChainControl::Done ChainControl::set_balance(const Address& address, const Uint256& balance) {
    return change_account(address, [&](Account& account) { account.balance = balance; });
}

ChainControl::Done ChainControl::add_balance(const Address& address, const Uint256& more) {
    bool is_too_much = false;
    HEDDLE_CHECK(change_account(address, [&](Account& account) {
        const Uint256 sum = account.balance + more;
        is_too_much = sum < more;
        if (!is_too_much) account.balance = sum;
    }));
    if (is_too_much) return std::unexpected("a balance is at most 2^256 - 1 wei");
    return {};
}

ChainControl::Done ChainControl::set_nonce(const Address& address, std::uint64_t nonce) {
    return change_account(address, [&](Account& account) { account.nonce = nonce; });
}

ChainControl::Done ChainControl::set_code(const Address& address, Bytes code) {
    return amend([&](const StateView& state) {
        Account account = state.account(address).value_or(Account{});
        account.code_hash = code.empty() ? kEmptyCodeHash : keccak256(code);
        StateDiff diff;
        if (!code.empty()) diff.codes.push_back({account.code_hash, std::move(code)});
        diff.accounts.push_back({address, as_kept(account, state.has_storage(address)), false, {}});
        return diff;
    });
}

ChainControl::Done ChainControl::set_storage(const Address& address, const Uint256& slot,
                                             const Uint256& value) {
    return amend([&](const StateView& state) {
        const auto account = state.account(address);
        StateDiff diff;
        // Nothing of nothing: an account does not come into being by a zero.
        if (!account.has_value() && value.is_zero()) return diff;
        diff.accounts.push_back(
            {address, account.value_or(Account{}), false, {StorageChange{slot, value}}});
        return diff;
    });
}

ChainControl::Done ChainControl::set_values(const StateDiff& diff) {
    return amend([&](const StateView&) { return diff; });
}

ChainControl::Done ChainControl::read_ahead(const Transaction& tx) {
    const ForkBase* const base = chain_.fork_base();
    if (base == nullptr || !tx.sender.has_value()) return {};
    const ledger::StoredHeader head = chain_.head();
    const BlockEnv env = chain_.env_of_next(preview(head), head);
    vm::Evm evm({.code_cache = chain_.code_cache()});
    return read_ahead_of(tx, {*base, chain_.state(), chain_.block_hashes(), env}, evm);
}

ChainControl::Done ChainControl::read_state(const ReadState& read) {
    return between_blocks([&]() -> Done { return read(chain_.state(), chain_.amendment()); });
}

bool ChainControl::drop_transaction(const Hash& hash) {
    bool was_here = false;
    (void)between_blocks([&]() -> Done {
        was_here = mempool_.find(hash) != nullptr;
        if (was_here) mempool_.remove(hash, "dropped by request");
        return {};
    });
    return was_here;
}

void ChainControl::drop_transactions() {
    (void)between_blocks([&]() -> Done {
        mempool_.start_over({});
        return {};
    });
}

void ChainControl::drop_transactions_of(const Address& sender) {
    (void)between_blocks([&]() -> Done {
        const Mempool::Content content = mempool_.content_of(sender);
        for (const auto* list : {&content.queued, &content.pending})
            for (const SharedTransaction& transaction : *list)
                mempool_.remove(transaction->hash, "dropped by request");
        return {};
    });
}

Hash ChainControl::instance() const {
    const std::scoped_lock lock{mutex_};
    return instance_;
}

}  // namespace heddle::node
