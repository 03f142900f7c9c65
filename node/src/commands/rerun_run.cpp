// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "commands/rerun_run.hpp"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include <consensus_adapter/block_rules.hpp>
#include <types/assert.hpp>
#include <types/counted.hpp>

#include "building/recorded_settings.hpp"
#include "formats/chain_config_json.hpp"
#include "inputs/ledger_flags.hpp"
#include "program/error.hpp"
#include "program/stop_signal.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::BlockId;
using consensus_adapter::OrderedBlock;
using consensus_adapter::Proposal;

std::string to_text(const BlockId& block) {
    return fmt::format("block {} {}", block.number, to_string(block.hash));
}

}  // namespace

Rerun::Rerun(LogReader& log, ledger::DurableLedger& ledger, RerunOptions options)
    : log_(log),
      ledger_(ledger),
      options_(std::move(options)),
      shim_(
          log,
          [this](std::span<const BytesView> encoded, std::uint8_t origin) {
              feed(encoded, origin);
          },
          [this](std::uint64_t number) { show(number); }) {
    if (options_.stop.has_value()) shim_.stop_at(*options_.stop);
    const ledger::StoredHeader head = ledger_.head();
    shim_.begin_after(head.header.number);
    report_.head = {head.header.number, head.hash};
}

Rerun::~Rerun() = default;

void Rerun::feed(std::span<const BytesView> encoded, std::uint8_t origin) {
    HEDDLE_ASSERT(mempool_ != nullptr);  // a segment begins with a start
    (void)mempool_->add_all(encoded, static_cast<Origin>(origin));
}

RerunReport Rerun::run() {
    while (report_.stopped.empty()) {
        if (options_.until_difference && shim_.differences() != 0) break;
        if (StopSignal::is_raised()) break;
        const Event* const next = shim_.next();
        if (next == nullptr) break;
        if (const auto* const start = std::get_if<RecordedStart>(next)) commit_before(*start);
        Event event = shim_.take();
        std::visit([this](auto& one) { handle(one); }, event);
        if (!shim_.storage_failure().has_value()) continue;
        report_.failures.push_back(
            fmt::format("the recorded node could not go on after block {}: {}", report_.head.number,
                        *shim_.storage_failure()));
        if (!shim_.leave_failed_process()) break;
    }
    if (shim_.is_lost() && report_.stopped.empty())
        report_.stopped = "what this program does next is not what was recorded";
    if (chain_) chain_->unstage();  // what was executed and not committed
    report_.time = shim_.time();
    report_.ends_inside_block = report_.time.index != 0;
    report_.differences = shim_.differences();
    report_.first = shim_.first_difference();
    return report_;
}

// --- Starts --------------------------------------------------------------------------------------

void Rerun::rebuild(const RecordedStart& start) {
    MempoolOptions pool_options;
    ChainApplicationOptions application_options;
    apply_settings(start.settings, pool_options, application_options);
    if (options_.workers.has_value())
        application_options.executor.parallel.workers = *options_.workers;
    else
        application_options.executor.parallel.workers = 0;  // as many as there are here
    if (options_.scheduler.has_value()) {
        application_options.scheduler = *options_.scheduler;
        application_options.executes_own = true;
    }
    stream_options_ = {};
    stream_options_.executor = application_options.executor;
    stream_options_.scheduler = application_options.scheduler;
    stream_options_.stores_lists = application_options.stores_lists;
    stream_.reset();
    shimmed_.reset();
    application_.reset();
    mempool_.reset();
    chain_ = std::make_unique<Chain>(
        ledger_, parse_stored_chain_config(start.chain, "the recorded chain configuration"),
        sync_nothing());
    // What is recorded of a member says which blocks are shown; what was there before is.
    if (is_of_member(start.settings)) {
        report_.shown = report_.head.number;
        if (const auto held = chain_->hold_back(report_.head.number); !held.has_value())
            throw StorageError(to_string(held.error()));
    }
    mempool_ = std::make_unique<Mempool>(std::move(pool_options), *chain_, shim_);
    application_ =
        std::make_unique<ChainApplication>(*chain_, *mempool_, std::move(application_options));
    shimmed_ = std::make_unique<ShimmedApplication>(*application_, shim_);
}

void Rerun::compare_pool(const PoolContent& recorded) {
    mempool_->with_content([&](const PoolContent& found) {
        if (found == recorded) return;
        const auto text = [](const PoolContent& content) {
            std::size_t transactions = 0;
            for (const PoolContent::Sender& sender : content.senders)
                transactions += sender.entries.size();
            return fmt::format("{} of {}", counted(transactions, "transaction"),
                               counted(content.senders.size(), "sender"));
        };
        shim_.note("the mempool", text(recorded), text(found));
    });
}

bool Rerun::finalize_as(const Known& known, const Hash& hash) {
    OrderedBlock block;
    block.start = consensus_adapter::block_start(known.plan);
    block.transactions = known.proposal.transactions;
    const auto result =
        application_->finalize(std::move(block), consensus_adapter::Unexecutable::left_out);
    if (!result.has_value() || result->hash != hash) return false;
    report_.transactions += result->receipts.size();
    return true;
}

/// A block whose commit was not written down any more, and that the disk had all the same: it is
/// the one that was finalized, or one of the proposals.
void Rerun::commit_before(const RecordedStart& start) {
    if (!shimmed_ || start.head.number != report_.head.number + 1) return;
    const Hash& hash = start.head.hash;
    bool is_there = finalized_ == hash;
    if (!is_there && prepared_.has_value()) is_there = finalize_as(*prepared_, hash);
    for (std::size_t i = 0; !is_there && i < processed_.size(); ++i)
        is_there = finalize_as(processed_[i], hash);
    if (is_there) commit();
}

/// A member that does not lead any more takes back what nobody has acknowledged, and an operator
/// may: the recorded node was started again below where it had been.
void Rerun::take_back(const RecordedStart& start) {
    if (start.head.number >= report_.head.number) return;
    const auto found = ledger_.header(start.head.number);
    if (!found.has_value() || !found->has_value() || (*found)->hash != start.head.hash) return;
    stream_.reset();
    shimmed_.reset();
    application_.reset();
    mempool_.reset();
    chain_.reset();
    if (const auto done = ledger_.rewind(start.head.number); !done.has_value()) {
        report_.stopped = to_string(done.error());
        return;
    }
    report_.taken_back += report_.head.number - start.head.number;
    report_.head = start.head;
}

void Rerun::show(std::uint64_t number) {
    if (!report_.shown.has_value() || number <= *report_.shown) return;
    report_.shown = number;
    chain_->show_up_to(number);
}

void Rerun::handle(const RecordedStart& start) {
    finalized_.reset();
    take_back(start);
    if (!report_.stopped.empty()) return;
    if (start.head.number != report_.head.number ||
        (start.head != report_.head && shim_.differences() == 0)) {
        report_.stopped = fmt::format("the recording goes on after {}, and this run is at {}",
                                      to_text(start.head), to_text(report_.head));
        return;
    }
    prepared_.reset();
    processed_.clear();
    const bool is_first = mempool_ == nullptr;
    if (start.is_continued && !is_first) {
        application_->begin_anew();
        compare_pool(start.pool);
    } else {
        rebuild(start);
        if (const std::size_t unreadable = mempool_->restore(start.pool); unreadable != 0)
            shim_.note("the mempool at the start", "all of it can be read",
                       fmt::format("{} cannot", counted(unreadable, "transaction")));
    }
    shim_.begin_after(report_.head.number);
}

// --- Calls ---------------------------------------------------------------------------------------

Proposal Rerun::proposal_of(ProposalSource source, Proposal given) const {
    using Kind = ProposalSource::Kind;
    if (source.kind == Kind::given) return given;
    if (source.kind == Kind::prepared)
        return prepared_.has_value() ? prepared_->proposal : Proposal{};
    return source.back < processed_.size() ? processed_[source.back].proposal : Proposal{};
}

void Rerun::handle(const PrepareBegins& event) {
    auto result = shimmed_->prepare(event.plan);
    prepared_.reset();
    if (result.has_value()) prepared_ = Known{event.plan, *std::move(result)};
}

void Rerun::handle(ProcessBegins& event) {
    Proposal proposal = proposal_of(event.source, std::move(event.given));
    (void)shimmed_->process(event.plan, proposal);
    processed_.push_front({event.plan, std::move(proposal)});
    if (processed_.size() > kRememberedProposals) processed_.pop_back();
}

void Rerun::handle(FinalizeBegins& event) {
    Proposal proposal = proposal_of(event.source, std::move(event.given));
    OrderedBlock block;
    block.start = consensus_adapter::block_start(event.plan);
    block.start.mode = event.mode;
    block.start.transaction_count = proposal.transactions.size();
    block.transactions = std::move(proposal.transactions);
    block.object_sets = std::move(proposal.object_sets);
    if (event.has_list) block.start.access_list = std::move(proposal.access_list);
    const auto result = shimmed_->finalize(std::move(block), event.unexecutable);
    finalized_.reset();
    if (!result.has_value()) return;
    finalized_ = result->hash;
    report_.transactions += result->receipts.size();
}

bool Rerun::was_committed() {
    for (std::size_t ahead = 0;; ++ahead) {
        const Event* const event = log_.peek(ahead);
        if (event == nullptr) return true;
        if (const auto* const start = std::get_if<RecordedStart>(event))
            return start->head.number > report_.head.number;
        if (!std::holds_alternative<RecordedAdmission>(*event) &&
            !std::holds_alternative<OmittedAdmissions>(*event) &&
            !std::holds_alternative<HeadShown>(*event))
            return true;
    }
}

void Rerun::commit() {
    const auto committed = shimmed_->commit();
    finalized_.reset();
    processed_.clear();
    prepared_.reset();
    if (committed.has_value()) note_commit(*committed);
}

void Rerun::note_commit(const BlockId& block) {
    report_.head = block;
    ++report_.blocks;
}

void Rerun::handle(const CommitBegins& /*event*/) {
    // One that differs is not to be in the state that is left.
    if (options_.until_difference && shim_.differences() != 0) return;
    if (was_committed()) commit();
}

// --- Blocks that others have made ---------------------------------------------------------------

/// Asked when the block is executed: what was recorded next says whether it was kept. Where the
/// process ended before it was written down, the start of the next one does.
bool Rerun::may_keep_streamed() {
    if (options_.until_difference && shim_.differences() != 0) return false;
    const Event* const next = shim_.next();
    if (next == nullptr) return false;
    if (const auto* const start = std::get_if<RecordedStart>(next))
        return start->head.number > report_.head.number;
    if (!std::holds_alternative<CommitBegins>(*next)) return false;
    (void)shim_.take();
    return was_committed();
}

void Rerun::handle(BlockBegins& event) {
    if (!stream_)
        stream_ = std::make_unique<RerunStream>(
            *chain_, *mempool_, shim_, stream_options_,
            RerunStreamCalls{[this] { return may_keep_streamed(); },
                             [this](const BlockId& block) { note_commit(block); }});
    const std::size_t transactions = event.block.transactions.size();
    const std::uint64_t before = report_.blocks;
    if (auto failed = stream_->take(std::move(event.block)))
        report_.stopped = fmt::format("the disk: {}", *failed);
    if (report_.blocks != before) report_.transactions += transactions;
}

template <typename Other>
void Rerun::handle(const Other& event) {
    report_.stopped = fmt::format("at {} was recorded what does not come here: {}",
                                  to_string(shim_.time()), name_of(Event{event}));
}

}  // namespace heddle::node
