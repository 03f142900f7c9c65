// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/block_calls.hpp"

#include <algorithm>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <consensus_adapter/block_rules.hpp>

#include "cometbft/common_answers.hpp"
#include "cometbft/decision_results.hpp"
#include "cometbft/proposal_items.hpp"
#include "cometbft/validator_updates.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

/// Proposals of one height that are remembered decoded: one for each of as many rounds.
constexpr std::size_t kMaxProcessed = 4;
constexpr std::int32_t kAccept = 1;
constexpr std::int32_t kReject = 2;
/// Of a header's extra data (YP 4.3.4).
constexpr std::size_t kMaxExtraData = 32;
/// A validator set that was returned at a height is in the commits from three heights later on.
constexpr std::uint64_t kMinEpochBlocks = 4;

/// Blocks faster than one a second run ahead of the clock: Ethereum's timestamps are whole seconds
/// and ascend.
std::uint64_t timestamp_after(const Committed& parent, const abci::Timestamp& time) noexcept {
    const auto seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(time.seconds(), 0));
    return std::max(seconds, parent.head_timestamp + 1);
}

/// @param preamble  Null: the block has none that can be read.
BlockPlan make_plan(const Committed& parent, const abci::Timestamp& time,
                    const std::string& proposer_address, const BlockPreamble* preamble) {
    BlockPlan plan;
    plan.timestamp = timestamp_after(parent, time);
    plan.prev_randao = prev_randao_after(parent.head);
    const BytesView proposer = as_bytes(proposer_address);
    plan.extra_data.assign(
        proposer.begin(),
        proposer.begin() + static_cast<std::ptrdiff_t>(std::min(proposer.size(), kMaxExtraData)));
    plan.gas_limit = parent.head_gas_limit;
    if (preamble != nullptr) {
        plan.beneficiary = preamble->beneficiary;
        plan.gas_limit = next_gas_limit(parent.head_gas_limit, preamble->gas_limit);
    }
    return plan;
}

/// As near to what is wanted as others agree to.
std::uint64_t proposed_gas_limit(std::uint64_t parent, std::uint64_t wanted) noexcept {
    const std::uint64_t next = next_gas_limit(parent, wanted);
    return is_agreed_gas_limit(parent, next) ? next : std::min(parent, kLeastAgreedGasLimit);
}

const BlockPreamble* preamble_of(const BlockContents& contents) noexcept {
    return contents.preamble.has_value() ? &*contents.preamble : nullptr;
}

template <typename Fields>
std::vector<BytesView> views(const Fields& fields) {
    std::vector<BytesView> items;
    items.reserve(static_cast<std::size_t>(fields.size()));
    for (const std::string& field : fields)
        items.push_back(as_bytes(field));
    return items;
}

}  // namespace

BlockCalls::BlockCalls(AbciHost& host, const AbciServerOptions& options)
    : host_(host), options_(options) {}

auto BlockCalls::turn(std::int64_t height) const -> std::expected<Turn, std::string> {
    if (!failure_.empty()) return std::unexpected(failure_);
    const std::optional<AbciChain> chain = host_.chain();
    if (!chain.has_value())
        return std::unexpected(
            "there is no chain here yet: InitChain or a snapshot must come before any block");
    Turn turn{*chain, chain->application->committed()};
    const std::uint64_t expected = turn.committed.head.number + 1;
    if (height != as_signed(expected))
        return std::unexpected("the block of height " + std::to_string(height) +
                               " is out of turn; expected is height " + std::to_string(expected));
    return turn;
}

auto BlockCalls::prepare(const abci::RequestPrepareProposal& request,
                         abci::ResponsePrepareProposal& response) -> Answer {
    const Clock::time_point begin = Clock::now();
    prepared_.reset();
    HEDDLE_TRY(const Turn turn, this->turn(request.height()));
    ProposalReport report;
    report.number = turn.committed.head.number + 1;
    report.is_own = true;

    BlockPreamble preamble;
    preamble.beneficiary = options_.beneficiary;
    const std::uint64_t parent_gas_limit = turn.committed.head_gas_limit;
    preamble.gas_limit =
        proposed_gas_limit(parent_gas_limit, options_.gas_limit.value_or(parent_gas_limit));
    BlockPlan plan =
        make_plan(turn.committed, request.time(), request.proposer_address(), &preamble);
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(request.max_tx_bytes(), 0));
    plan.max_bytes = transaction_room(room);
    plan.wants_access_list = options_.proposes_lists;
    auto proposal = turn.chain.application->prepare(plan);
    if (!proposal.has_value()) {
        // A proposer that ended here would stop nothing but itself; an empty block goes on.
        warn("an empty block is proposed, for none could be made: " + to_string(proposal.error()));
        proposal = Proposal{};
    }

    Prepared prepared;
    prepared.items = pack(std::move(preamble), *proposal, room);
    for (const Bytes& item : prepared.items)
        response.add_txs(as_field(item));
    report.transactions = proposal->transactions.size();
    prepared.contents = contents_of_own(prepared.items, std::move(*proposal));
    prepared_ = std::move(prepared);
    report.time = Clock::now() - begin;
    if (options_.on_proposal) options_.on_proposal(report);
    return {};
}

/// What was prepared here was decoded and recovered long ago.
BlockContents BlockCalls::contents_of(std::span<const BytesView> items) {
    if (prepared_.has_value() &&
        std::ranges::equal(items, prepared_->items,
                           [](BytesView a, const Bytes& b) { return equal(a, b); })) {
        BlockContents contents = std::move(prepared_->contents);
        prepared_.reset();
        return contents;
    }
    return read_contents(items, true);
}

std::string BlockCalls::judge(const Turn& turn, const BlockPlan& plan,
                              BlockContents& contents) const {
    if (!contents.faults.empty()) {
        const Fault& fault = contents.faults.front();
        return "item " + std::to_string(fault.item) + ": " + fault.reason;
    }
    if (!contents.help_error.empty()) return contents.help_error;
    if (contents.preamble.has_value() && contents.preamble->gas_limit != plan.gas_limit)
        return "the gas limit " + std::to_string(contents.preamble->gas_limit) +
               " is not within bounds of the parent's, " +
               std::to_string(turn.committed.head_gas_limit);
    if (!is_agreed_gas_limit(turn.committed.head_gas_limit, plan.gas_limit))
        return "the gas limit " + std::to_string(plan.gas_limit) + " is below the parent's and " +
               std::to_string(kLeastAgreedGasLimit) + ", with which no block may be able to follow";
    const auto judged = turn.chain.application->process(plan, contents.proposal);
    return judged.has_value() ? std::string{} : to_string(judged.error());
}

auto BlockCalls::process(const abci::RequestProcessProposal& request,
                         abci::ResponseProcessProposal& response) -> Answer {
    const Clock::time_point begin = Clock::now();
    HEDDLE_TRY(const Turn turn, this->turn(request.height()));
    const std::vector<BytesView> items = views(request.txs());
    BlockContents contents = contents_of(items);
    BlockPlan plan = make_plan(turn.committed, request.time(), request.proposer_address(),
                               preamble_of(contents));
    plan.max_bytes = 0;  // CometBFT has counted: it is as large as a block may be
    for (const BytesView item : items)
        plan.max_bytes += item.size();

    ProposalReport report;
    report.number = turn.committed.head.number + 1;
    report.transactions = contents.proposal.transactions.size();
    report.rejection = judge(turn, plan, contents);
    response.set_status(report.rejection.empty() ? kAccept : kReject);
    if (report.rejection.empty()) {
        const std::size_t bytes = held_bytes(contents);
        keep({request.hash(), std::move(contents), bytes});
    }
    report.time = Clock::now() - begin;
    if (options_.on_proposal) options_.on_proposal(report);
    return {};
}

/// Each round of a height may bring another one, as large as a block may be.
void BlockCalls::keep(Processed processed) {
    std::erase_if(processed_, [&](const Processed& p) { return p.hash == processed.hash; });
    processed_.push_back(std::move(processed));
    while (processed_.size() > 1 &&
           (processed_.size() > kMaxProcessed || kept_bytes() > options_.max_proposal_bytes))
        processed_.pop_front();
}

std::size_t BlockCalls::kept_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const Processed& processed : processed_)
        bytes += processed.bytes;
    return bytes;
}

BlockContents BlockCalls::take_contents(const abci::RequestFinalizeBlock& request) {
    const auto found = std::ranges::find(processed_, request.hash(), &Processed::hash);
    if (found != processed_.end() &&
        found->contents.item_count == static_cast<std::size_t>(request.txs_size())) {
        BlockContents contents = std::move(found->contents);
        processed_.erase(found);
        return contents;
    }
    return read_contents(views(request.txs()), false);
}

auto BlockCalls::finalize(const abci::RequestFinalizeBlock& request,
                          abci::ResponseFinalizeBlock& response) -> Answer {
    const Clock::time_point begin = Clock::now();
    finalized_.reset();
    HEDDLE_TRY(const Turn turn, this->turn(request.height()));
    BlockContents contents = take_contents(request);
    const BlockPlan plan = make_plan(turn.committed, request.time(), request.proposer_address(),
                                     preamble_of(contents));
    DecisionResults results{contents};
    OrderedBlock block;
    block.start = block_start(plan);
    block.start.transaction_count = contents.proposal.transactions.size();
    block.transactions = std::move(contents.proposal.transactions);
    block.object_sets = std::move(contents.proposal.object_sets);
    if (!contents.proposal.access_list.empty()) {
        block.start.mode = executor::BlockMode::decided;
        block.start.access_list = std::move(contents.proposal.access_list);
    }
    Finalized finalized;
    finalized.report.declared = block.object_sets.size();
    finalized.report.has_list = !block.start.access_list.empty();
    const auto executed =
        turn.chain.application->finalize(std::move(block), Unexecutable::left_out);
    if (!executed.has_value())
        return fail(to_string(executed.error()).append(advice_for(executed.error())));

    results.write(*executed, response);
    response.set_app_hash(as_field(executed->hash.view()));
    HEDDLE_CHECK(update_validators(turn, request, response));
    for (const abci::Misbehavior& proven : request.misbehavior())
        warn(to_sentence(proven, request.height()));
    finalized.hash = executed->hash;
    finalized.report.transactions = executed->receipts.size();
    finalized.report.left_out = executed->left_out.size() + contents.faults.size();
    finalized.report.gas_used = executed->header.gas_used;
    finalized.report.wrongly_declared = executed->wrongly_declared;
    finalized.report.is_listed = executed->is_listed;
    finalized.report.has_wrong_list = executed->has_wrong_list;
    finalized.report.executions = executed->executions;
    finalized.report.finalize = Clock::now() - begin;
    finalized_ = std::move(finalized);
    return {};
}

auto BlockCalls::commit(abci::ResponseCommit& response) -> Answer {
    const Clock::time_point begin = Clock::now();
    if (!failure_.empty()) return std::unexpected(failure_);
    if (!finalized_.has_value())
        return std::unexpected("there is nothing to commit: FinalizeBlock comes before Commit");
    const std::optional<AbciChain> chain = host_.chain();
    HEDDLE_ASSERT(chain.has_value());
    Finalized finalized = std::move(*finalized_);
    finalized_.reset();
    prepared_.reset();
    processed_.clear();
    const auto committed = chain->application->commit();
    if (!committed.has_value()) return fail(to_string(committed.error()));
    HEDDLE_ASSERT(committed->hash == finalized.hash);
    response.set_retain_height(as_signed(host_.on_committed(*committed)));
    finalized.report.block = *committed;
    finalized.report.commit = Clock::now() - begin;
    if (options_.on_decision) options_.on_decision(finalized.report);
    return {};
}

/// At the end of an epoch, by what the state says before the block: CometBFT asks for the answer
/// before the block is committed. In force from two heights later on.
auto BlockCalls::update_validators(const Turn& turn, const abci::RequestFinalizeBlock& request,
                                   abci::ResponseFinalizeBlock& response) -> Answer {
    ValidatorSource* const source = turn.chain.validators;
    if (source == nullptr) return {};
    const std::uint64_t epoch_blocks = source->epoch_blocks();
    HEDDLE_ASSERT(epoch_blocks >= kMinEpochBlocks);
    if ((turn.committed.head.number + 1) % epoch_blocks != 0) return {};

    std::vector<Member> members;
    for (const abci::VoteInfo& vote : request.decided_last_commit().votes()) {
        Member& member = members.emplace_back();
        const BytesView address = as_bytes(vote.validator().address());
        std::copy_n(address.begin(), std::min(address.size(), member.address.size()),
                    member.address.begin());
        member.power = vote.validator().power();
    }
    auto wanted = source->read();
    if (!wanted.has_value() && wanted.error().is_own_fault) return fail(wanted.error().sentence);
    auto updates = wanted.has_value() ? validator_updates(members, std::move(*wanted))
                                      : std::unexpected(std::move(wanted).error().sentence);
    if (!updates.has_value()) {
        warn("the validators stay as they are: " + updates.error());
        return {};
    }
    for (const Validator& validator : *updates) {
        abci::ValidatorUpdate& update = *response.add_validator_updates();
        update.mutable_pub_key()->set_ed25519(as_field(validator.ed25519_key));
        update.set_power(validator.power);
    }
    return {};
}

/// The block was decided: whoever cannot execute it cannot go on.
std::unexpected<std::string> BlockCalls::fail(const std::string& why) {
    failure_ = "no more blocks can be executed: " + why;
    return std::unexpected(failure_);
}

void BlockCalls::warn(const std::string& sentence) const {
    if (options_.on_warning) options_.on_warning(sentence);
}

}  // namespace heddle::consensus_adapter::cometbft
