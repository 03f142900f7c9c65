// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/chain.hpp"

#include <utility>

#include <fmt/format.h>
#include <ledger/snapshot.hpp>
#include <types/assert.hpp>
#include <types/expected.hpp>
#include <vm/block.hpp>
#include <vm/next_header.hpp>

#include "chain/read_scope.hpp"
#include "chain/shared_code_cache.hpp"

namespace heddle::node {
namespace {

/// Blocks of which it is known what was set on top of their states; the oldest go first.
constexpr std::size_t kMaxAmendments = 100'000;

SharedBlock read_head(const ledger::DurableLedger& ledger) {
    auto block = ledger.shared_block(ledger.head().header.number);
    HEDDLE_ASSERT(block.has_value() && *block);
    return *std::move(block);
}

}  // namespace

Chain::Chain(ledger::DurableLedger& ledger, ChainConfig config, ledger::SyncPolicy sync,
             const ChainMemory& memory)
    : ledger_(ledger),
      config_(std::move(config)),
      waits_until_durable_(sync.blocks == 1),
      code_cache_(make_shared_code_cache(memory.code)),
      head_block_(read_head(ledger)),
      kept_head_(head_block_),
      served_(memory.served),
      rewindable_hashes_(ledger) {
    ledger_.hold_states_from(head_block_->block.header.number);
}

ledger::StoredHeader Chain::head() const {
    const SharedBlock head = head_block();
    return {head->block.header, head->hash, head->total_difficulty};
}

SharedBlock Chain::kept_head_block() const {
    const std::shared_lock lock{head_mutex_};
    return kept_head_;
}

ledger::StoredHeader Chain::kept_head() const {
    const SharedBlock head = kept_head_block();
    return {head->block.header, head->hash, head->total_difficulty};
}

auto Chain::header(std::uint64_t number) const -> Found<ledger::StoredHeader> {
    if (is_below_fork(number)) return fork_->base().header(number);
    if (number > head_block()->block.header.number) return std::nullopt;
    return ledger_.header(number);
}

auto Chain::block(std::uint64_t number) const -> Found<ledger::StoredBlock> {
    if (is_below_fork(number)) return fork_->base().block(number);
    const SharedBlock head = head_block();
    if (number > head->block.header.number) return std::nullopt;
    if (number == head->block.header.number) return *head;
    return ledger_.block(number);
}

auto Chain::kept_block(std::uint64_t number) const -> Found<ledger::StoredBlock> {
    const SharedBlock head = kept_head_block();
    if (number > head->block.header.number) return std::nullopt;
    if (number == head->block.header.number) return *head;
    return ledger_.block(number);
}

auto Chain::kept_header(std::uint64_t number) const -> Found<ledger::StoredHeader> {
    if (number > kept_head_block()->block.header.number) return std::nullopt;
    return ledger_.header(number);
}

auto Chain::block_number(const Hash& hash) const -> Found<std::uint64_t> {
    auto found = ledger_.block_number(hash);
    if (found.has_value() && found->has_value() && **found > head_block()->block.header.number)
        return std::nullopt;
    if (fork_ && found.has_value() && !found->has_value()) return fork_->base().block_number(hash);
    return found;
}

auto Chain::find_transaction(const Hash& hash) const -> Found<ledger::TransactionLocation> {
    auto found = ledger_.find_transaction(hash);
    if (found.has_value() && found->has_value() &&
        (*found)->number > head_block()->block.header.number)
        return std::nullopt;
    if (fork_ && found.has_value() && !found->has_value())
        return fork_->base().find_transaction(hash);
    return found;
}

SharedBlock Chain::head_block() const {
    const std::shared_lock lock{head_mutex_};
    return head_block_;
}

std::expected<std::shared_ptr<const ledger::PastState>, ledger::LedgerError> Chain::shared_state_at(
    std::uint64_t number) const {
    std::uint64_t version = 0;
    {
        const std::shared_lock lock{head_mutex_};
        if (head_state_ && head_block_->block.header.number == number) return head_state_;
        version = state_version_;
    }
    auto made = state_at(number);
    if (!made.has_value()) return std::unexpected(std::move(made.error()));
    std::shared_ptr<const ledger::PastState> state = *std::move(made);
    const std::unique_lock lock{head_mutex_};
    if (!head_state_ && head_block_->block.header.number == number && version == state_version_)
        head_state_ = state;
    return state;
}

std::expected<SharedBlock, ledger::LedgerError> Chain::stored_block(std::uint64_t number) const {
    SharedBlock head = head_block();
    const std::uint64_t last = head->block.header.number;
    if (number > last) return nullptr;
    if (number == last) return head;
    if (const SharedServedBlock known = served_.find(number)) return known->stored;
    if (ReadScope::postpones()) return nullptr;
    if (!is_below_fork(number)) return read_block(number);
    // Such a block may have come over a network: it is kept for the next question.
    auto served = served_block(number);
    if (!served.has_value()) return std::unexpected(std::move(served.error()));
    return *served ? (*served)->stored : nullptr;
}

std::expected<SharedBlock, ledger::LedgerError> Chain::read_block(std::uint64_t number) const {
    if (!is_below_fork(number)) return ledger_.shared_block(number);
    auto found = fork_->base().block(number);
    if (!found.has_value()) return std::unexpected(std::move(found.error()));
    if (!found->has_value()) return nullptr;
    return std::make_shared<const ledger::StoredBlock>(**std::move(found));
}

std::expected<SharedServedBlock, ledger::LedgerError> Chain::served_block(
    std::uint64_t number) const {
    const std::uint64_t clear_count = served_.clear_count();
    SharedBlock stored = head_block();
    const std::uint64_t last = stored->block.header.number;
    if (number > last) return nullptr;
    if (SharedServedBlock known = served_.find(number)) return known;
    if (number != last) {
        if (ReadScope::postpones()) return nullptr;
        auto found = read_block(number);
        if (!found.has_value()) return std::unexpected(std::move(found.error()));
        if (!*found) return nullptr;
        stored = *std::move(found);
    }
    SharedServedBlock served = make_served_block(std::move(stored));
    served_.add(served, clear_count);
    return served;
}

BlockEnv Chain::env_of(const ledger::StoredHeader& block) const {
    const BlockHeader& header = block.header;
    const Uint256 parent_total = block.total_difficulty - header.difficulty;
    return vm::make_block_env(header, config_, vm::is_merged(header, parent_total, config_));
}

BlockHeader Chain::next_header(const ledger::StoredHeader& parent, std::uint64_t timestamp) const {
    return vm::next_header({parent.header, parent.hash, parent.total_difficulty},
                           {.timestamp = timestamp, .gas_limit = parent.header.gas_limit}, config_);
}

BlockEnv Chain::env_of_next(const BlockHeader& header, const ledger::StoredHeader& parent) const {
    return vm::make_block_env(header, config_,
                              vm::is_merged(header, parent.total_difficulty, config_));
}

ledger::LedgerError Chain::no_root_of_fork(std::uint64_t number) {
    return {ledger::LedgerErrorCode::unavailable,
            fmt::format("no proofs of block {}: the state of a fork is not here as a whole, "
                        "and its own blocks' state roots are of what they have changed",
                        number)};
}

Hash Chain::state_root_with(const StateDiff& diff) {
    const std::scoped_lock lock{writing_};
    if (!amended_) return ledger_.state_root_with(diff);
    return ledger_.state_root_with(with_amendment(ledger_.head().header.number, diff));
}

std::expected<Hash, BlockError> Chain::stage(FinishedBlock block) {
    block.diff = with_amendment(block.block.header.number - 1, std::move(block.diff));
    const std::scoped_lock lock{writing_};
    if (fork_) staged_changes_ = block.diff;
    return ledger_.stage(std::move(block));
}

void Chain::unstage() {
    const std::scoped_lock lock{writing_};
    ledger_.unstage();
}

void Chain::foresee(const Hash& parent, const StateDiff& diff) {
    if (amended_ || fork_) return;
    const std::scoped_lock lock{writing_};
    ledger_.foresee(parent, diff);
}

std::expected<void, BlockError> Chain::commit(FinishedBlock block) {
    HEDDLE_CHECK(stage(std::move(block)));
    return publish();
}

std::expected<std::unique_ptr<ledger::SnapshotWriter>, ledger::LedgerError>
Chain::begin_snapshot() {
    const std::scoped_lock lock{writing_};
    return ledger_.begin_snapshot();
}

void Chain::show() {
    const std::scoped_lock lock{writing_};
    const auto publish = [this] {
        move_ledger([this] { ledger_.publish(); },
                    [this](ForkMarks& marks) {
                        marks.note(ledger_.head().header.number, staged_changes_);
                    });
    };
    if (!amended_) return publish();
    // What was set is in the block now.
    amended_->change([&](SharedOverlay& top) {
        publish();
        top.reset();
    });
}

std::expected<void, BlockError> Chain::publish() {
    show();
    return acknowledge();
}

std::expected<void, ledger::LedgerError> Chain::wait_kept(std::uint64_t number) {
    if (acknowledges_at_once_) return {};
    return waits_until_durable_ ? ledger_.wait_durable(number) : ledger_.wait_written(number);
}

std::expected<void, BlockError> Chain::acknowledge() {
    // While it is still in memory.
    const SharedBlock head = read_head(ledger_);
    const std::uint64_t number = head->block.header.number;
    made_.tell(head);
    if (const auto kept = wait_kept(number); !kept.has_value()) {
        BlockError error;
        error.code = BlockErrorCode::storage_failed;
        error.number = number;
        error.detail = ledger::to_string(kept.error());
        return std::unexpected(std::move(error));
    }
    std::shared_ptr<const ledger::PastState> old_state;  // freed outside the lock
    bool is_held = false;
    {
        const std::unique_lock lock{head_mutex_};
        kept_head_ = head;
        is_held = holds_back_;
        if (is_held) {
            held_.push_back(head);
        } else {
            head_block_ = head;
            old_state.swap(head_state_);
        }
    }
    if (!is_held) ledger_.hold_states_from(number);
    kept_.tell(head);
    if (!is_held) heads_.tell(head);
    return {};
}

std::expected<std::unique_ptr<ledger::PastState>, ledger::LedgerError> Chain::state_at(
    std::uint64_t number) const {
    if (is_below_fork(number)) return fork_->base().state_at(number);
    auto made = own_state_at(number);
    if (!made.has_value() || !amended_) return made;
    SharedOverlay overlay;
    {
        const std::shared_lock lock{head_mutex_};
        overlay = amendment_of(number);
    }
    if (!overlay) return made;
    return std::make_unique<AmendedPastState>(*std::move(made), std::move(overlay), number);
}

void Chain::become_development(Preview preview) {
    amended_ = std::make_unique<AmendedState>(own_state(), fork_ != nullptr);
    preview_ = std::move(preview);
}

SharedOverlay Chain::amendment_of(std::uint64_t number) const {
    const auto found = amendments_.find(number);
    return found == amendments_.end() ? nullptr : found->second;
}

SharedOverlay Chain::amendment() const {
    const std::shared_lock lock{head_mutex_};
    return amendment_of(head_block_->block.header.number);
}

SharedOverlay Chain::amendment(std::uint64_t number) const {
    const std::shared_lock lock{head_mutex_};
    return amendment_of(number);
}

StateDiff Chain::with_amendment(std::uint64_t number, StateDiff diff) const {
    if (!amended_) return diff;
    const std::shared_lock lock{head_mutex_};
    const SharedOverlay overlay = amendment_of(number);
    if (!overlay) return diff;
    StateOverlay merged = *overlay;
    merged.apply(diff);
    return merged.take_diff();
}

void Chain::amend(const StateDiff& diff) {
    HEDDLE_ASSERT(amended_ != nullptr);
    amended_->add_codes(diff.codes);
    const std::unique_lock lock{head_mutex_};
    ++state_version_;
    head_state_.reset();
    std::shared_ptr<StateOverlay>& kept = amendments_[head_block_->block.header.number];
    amended_->change([&](SharedOverlay& top) {
        // In place, unless somebody beside the two of us holds it: a snapshot, or a state that was
        // handed out.
        constexpr long kHolders = 2;
        if (!kept)
            kept = std::make_shared<StateOverlay>();
        else if (kept.use_count() != kHolders)
            kept = std::make_shared<StateOverlay>(*kept);
        kept->apply(diff);
        top = kept;
    });
    if (amendments_.size() > kMaxAmendments) amendments_.erase(amendments_.begin());
}

std::vector<std::pair<std::uint64_t, StateDiff>> Chain::amendments() const {
    std::vector<std::pair<std::uint64_t, StateDiff>> all;
    const std::shared_lock lock{head_mutex_};
    all.reserve(amendments_.size());
    for (const auto& [number, overlay] : amendments_)
        all.emplace_back(number, overlay->diff());
    return all;
}

void Chain::restore_amendment(std::uint64_t number, const StateDiff& diff) {
    HEDDLE_ASSERT(amended_ != nullptr);
    amended_->add_codes(diff.codes);
    const std::unique_lock lock{head_mutex_};
    std::shared_ptr<StateOverlay>& kept = amendments_[number];
    kept = std::make_shared<StateOverlay>();
    kept->apply(diff);
    if (number == head_block_->block.header.number)
        amended_->change([&kept](SharedOverlay& top) { top = kept; });
}

std::expected<void, ledger::LedgerError> Chain::rewind(std::uint64_t number,
                                                       SharedOverlay amendment) {
    HEDDLE_ASSERT(amended_ != nullptr);
    if (const std::uint64_t last = head_block()->block.header.number; number < last)
        taking_back_.tell({number + 1, last});
    std::expected<void, ledger::LedgerError> done;
    {
        const std::scoped_lock lock{writing_};
        amended_->move([&](SharedOverlay& top) {
            move_ledger([&] { done = ledger_.rewind(number); },
                        [&](ForkMarks& marks) {
                            if (done.has_value()) marks.drop_above(number);
                        });
            if (done.has_value()) top = amendment;
        });
    }
    if (!done.has_value()) return done;
    const SharedBlock head = read_head(ledger_);
    std::shared_ptr<const ledger::PastState> old_state;  // freed outside the lock
    {
        const std::unique_lock lock{head_mutex_};
        ++state_version_;
        head_block_ = kept_head_ = head;
        old_state.swap(head_state_);
        amendments_.erase(amendments_.lower_bound(number), amendments_.end());
        // Others hold it as well, and amend() changes nothing that others hold.
        if (amendment)
            amendments_.emplace(number, std::const_pointer_cast<StateOverlay>(amendment));
    }
    ledger_.hold_states_from(head->block.header.number);
    rewind_count_.fetch_add(1, std::memory_order_acq_rel);
    served_.clear();
    rewinds_.tell(head);
    return {};
}

std::expected<void, ledger::LedgerError> Chain::visit_state(
    const ledger::DurableLedger::StateVisitor& visitor) {
    const std::scoped_lock lock{writing_};
    return ledger_.visit_state(visitor);
}

std::expected<void, ledger::LedgerError> Chain::hold_back(std::uint64_t shown) {
    const std::unique_lock lock{head_mutex_};
    holds_back_ = true;
    const std::uint64_t kept = kept_head_->block.header.number;
    if (shown >= kept) return {};
    ledger_.hold_states_from(shown);
    HEDDLE_CHECK(ledger_.state_at(shown));
    for (std::uint64_t number = shown; number <= kept; ++number) {
        HEDDLE_TRY(auto block, ledger_.shared_block(number));
        if (!block)
            return std::unexpected(ledger::LedgerError{
                ledger::LedgerErrorCode::unavailable, fmt::format("there is no block {}", number)});
        if (number == shown)
            head_block_ = std::move(block);
        else
            held_.push_back(std::move(block));
    }
    return {};
}

void Chain::show_up_to(std::uint64_t number) {
    for (;;) {
        SharedBlock head;
        std::shared_ptr<const ledger::PastState> old_state;  // freed outside the lock
        {
            const std::unique_lock lock{head_mutex_};
            if (held_.empty() || held_.front()->block.header.number > number) return;
            head = std::move(held_.front());
            held_.pop_front();
            head_block_ = head;
            old_state.swap(head_state_);
        }
        ledger_.hold_states_from(head->block.header.number);
        heads_.tell(head);
    }
}

}  // namespace heddle::node
