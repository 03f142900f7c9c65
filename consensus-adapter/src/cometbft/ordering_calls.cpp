// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/ordering_calls.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include "cometbft/common_answers.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

constexpr std::int32_t kAccept = 1;
constexpr std::int32_t kReject = 2;
constexpr std::uint32_t kNoQueries = 1;
constexpr std::uint32_t kNotGood = 1;  // an item that was decided and is none

template <typename Fields>
std::vector<BytesView> views(const Fields& fields) {
    std::vector<BytesView> result;
    result.reserve(static_cast<std::size_t>(fields.size()));
    for (const std::string& field : fields)
        result.push_back(as_bytes(field));
    return result;
}

OrderingTurn turn_of(std::int64_t height, const abci::Timestamp& time) {
    const auto seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(time.seconds(), 0));
    const auto nanos = static_cast<std::uint64_t>(std::max<std::int32_t>(time.nanos(), 0));
    return {static_cast<std::uint64_t>(height), seconds * 1000 + nanos / 1'000'000};
}

void write(const std::expected<std::uint64_t, Refusal>& checked, abci::ResponseCheckTx& response) {
    if (checked.has_value()) {
        response.set_gas_wanted(as_signed(*checked));
        return;
    }
    response.set_code(std::max<std::uint32_t>(checked.error().code, 1));
    response.set_log(checked.error().reason);
    response.set_codespace(kOrderingCodespace);
}

bool is_serial(const abci::Request& request) {
    return request.has_init_chain() || request.has_prepare_proposal() ||
           request.has_process_proposal() || request.has_finalize_block() || request.has_commit();
}

}  // namespace

OrderingCalls::OrderingCalls(OrderingHost& host, const AbciServerOptions& options)
    : host_(host), options_(options) {}

void OrderingCalls::warn(const std::string& sentence) const {
    if (options_.on_warning) options_.on_warning(sentence);
}

std::optional<std::string> OrderingCalls::answer(const abci::Request& request,
                                                 abci::Response& response) {
    Answer answer;
    try {
        answer =
            is_serial(request) ? dispatch_serial(request, response) : dispatch(request, response);
    } catch (const std::exception& error) {
        answer = std::unexpected("an error inside the application: " + std::string{error.what()});
    }
    if (answer.has_value()) return std::nullopt;
    response.mutable_exception()->set_error(answer.error());
    const std::scoped_lock lock{serial_};
    if (is_failure_told_ || failure_.empty() || failure_ != answer.error()) return std::nullopt;
    is_failure_told_ = true;
    return answer.error();
}

void OrderingCalls::answer_new(std::span<const abci::Request* const> requests,
                               std::span<abci::Response* const> responses) {
    HEDDLE_ASSERT(requests.size() == responses.size());
    std::vector<BytesView> items;
    items.reserve(requests.size());
    for (const abci::Request* const request : requests)
        items.push_back(as_bytes(request->check_tx().tx()));
    try {
        const auto checked = host_.check_all(items);
        HEDDLE_ASSERT(checked.size() == items.size());
        for (std::size_t i = 0; i < items.size(); ++i)
            write(checked[i], *responses[i]->mutable_check_tx());
    } catch (const std::exception& error) {
        for (abci::Response* const response : responses)
            response->mutable_exception()->set_error("an error inside the application: " +
                                                     std::string{error.what()});
    }
}

auto OrderingCalls::dispatch(const abci::Request& request, abci::Response& response) -> Answer {
    using Case = abci::Request::ValueCase;
    switch (request.value_case()) {
        case Case::kInfo:
            return info(request.info(), *response.mutable_info());
        case Case::kCheckTx:
            check(request.check_tx(), *response.mutable_check_tx());
            return {};
        case Case::kQuery:
            response.mutable_query()->set_code(kNoQueries);
            response.mutable_query()->set_codespace(kOrderingCodespace);
            response.mutable_query()->set_log("the log is read over the lane's own JSON-RPC");
            return {};
        case Case::kListSnapshots:
            response.mutable_list_snapshots();
            return {};
        case Case::kOfferSnapshot:
            response.mutable_offer_snapshot()->set_result(
                static_cast<std::int32_t>(OfferResult::reject));
            return {};
        case Case::kLoadSnapshotChunk:
            response.mutable_load_snapshot_chunk();
            return {};
        default:
            if (answer_common(request, response)) return {};
            return std::unexpected("the request is of a kind that a lane does not know");
    }
}

auto OrderingCalls::dispatch_serial(const abci::Request& request, abci::Response& response)
    -> Answer {
    using Case = abci::Request::ValueCase;
    const std::scoped_lock lock{serial_};
    if (!failure_.empty()) return std::unexpected(failure_);
    switch (request.value_case()) {
        case Case::kInitChain:
            response.mutable_init_chain();
            return init_chain(request.init_chain());
        case Case::kPrepareProposal:
            return prepare(request.prepare_proposal(), *response.mutable_prepare_proposal());
        case Case::kProcessProposal:
            return process(request.process_proposal(), *response.mutable_process_proposal());
        case Case::kFinalizeBlock:
            return finalize(request.finalize_block(), *response.mutable_finalize_block());
        default:
            return commit(*response.mutable_commit());
    }
}

auto OrderingCalls::info(const abci::RequestInfo& request, abci::ResponseInfo& response) -> Answer {
    std::string refusal = refusal_of_version(request.version(), request.abci_version());
    if (!refusal.empty()) {
        warn(refusal);
        return std::unexpected(std::move(refusal));
    }
    const OrderedHead head = host_.committed();
    response.set_data("heddle lane");
    response.set_version(options_.version);
    response.set_last_block_height(as_signed(head.height));
    response.set_last_block_app_hash(as_field(head.app_hash));
    return {};
}

auto OrderingCalls::init_chain(const abci::RequestInitChain& request) -> Answer {
    if (request.initial_height() != 1)
        return std::unexpected("the lane begins at height " +
                               std::to_string(request.initial_height()) +
                               "; initial_height in CometBFT's genesis file must be 1");
    if (const std::uint64_t height = host_.committed().height; height != 0)
        return std::unexpected("the lane has begun already: height " + std::to_string(height) +
                               " is kept here; CometBFT's data folder does not belong to this log");
    ChainStart start;
    start.chain_id = request.chain_id();
    const BytesView app_state = as_bytes(request.app_state_bytes());
    start.app_state.assign(app_state.begin(), app_state.end());
    return host_.begin(start);
}

void OrderingCalls::check(const abci::RequestCheckTx& request, abci::ResponseCheckTx& response) {
    const BytesView item = as_bytes(request.tx());
    write(host_.check_all({&item, 1}).front(), response);
}

auto OrderingCalls::expect_turn(std::int64_t height) const -> Answer {
    const std::uint64_t next = host_.committed().height + 1;
    if (height > 0 && static_cast<std::uint64_t>(height) == next) return {};
    return std::unexpected("height " + std::to_string(height) + " is asked for, and the next is " +
                           std::to_string(next));
}

auto OrderingCalls::prepare(const abci::RequestPrepareProposal& request,
                            abci::ResponsePrepareProposal& response) -> Answer {
    HEDDLE_CHECK(expect_turn(request.height()));
    const std::vector<BytesView> pending = views(request.txs());
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(request.max_tx_bytes(), 0));
    for (const Bytes& item :
         host_.propose(turn_of(request.height(), request.time()), pending, room))
        response.add_txs(as_field(item));
    return {};
}

auto OrderingCalls::process(const abci::RequestProcessProposal& request,
                            abci::ResponseProcessProposal& response) -> Answer {
    HEDDLE_CHECK(expect_turn(request.height()));
    const std::vector<BytesView> items = views(request.txs());
    const auto judged = host_.judge(turn_of(request.height(), request.time()), items);
    if (!judged.has_value())
        warn("a proposal for height " + std::to_string(request.height()) +
             " is rejected: " + judged.error());
    response.set_status(judged.has_value() ? kAccept : kReject);
    return {};
}

auto OrderingCalls::finalize(const abci::RequestFinalizeBlock& request,
                             abci::ResponseFinalizeBlock& response) -> Answer {
    is_finalized_ = false;
    HEDDLE_CHECK(expect_turn(request.height()));
    const std::vector<BytesView> items = views(request.txs());
    const auto ordered = host_.finalize(turn_of(request.height(), request.time()), items);
    if (!ordered.has_value()) {
        failure_ = ordered.error();
        return std::unexpected(failure_);
    }
    HEDDLE_ASSERT(ordered->is_good.size() == items.size());
    for (const bool is_good : ordered->is_good) {
        abci::ExecTxResult& result = *response.add_tx_results();
        if (is_good) continue;
        result.set_code(kNotGood);
        result.set_codespace(kOrderingCodespace);
    }
    response.set_app_hash(as_field(ordered->app_hash));
    for (const abci::Misbehavior& proven : request.misbehavior())
        warn(to_sentence(proven, request.height()));
    is_finalized_ = true;
    return {};
}

auto OrderingCalls::commit(abci::ResponseCommit& response) -> Answer {
    if (!is_finalized_)
        return std::unexpected("Commit without a FinalizeBlock before it: nothing is to be kept");
    is_finalized_ = false;
    const auto first_needed = host_.commit();
    if (!first_needed.has_value()) {
        failure_ = first_needed.error();
        return std::unexpected(failure_);
    }
    response.set_retain_height(as_signed(*first_needed));
    return {};
}

}  // namespace heddle::consensus_adapter::cometbft
