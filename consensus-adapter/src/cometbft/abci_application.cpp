// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/abci_application.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>

#include <types/expected.hpp>

#include "cometbft/common_answers.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

constexpr std::int32_t kNew = 0;
constexpr std::int32_t kRecheck = 1;
constexpr std::uint32_t kNoQueries = 1;
constexpr const char* kCodespace = "heddle";
constexpr const char* kNoChain =
    "there is no chain here yet: InitChain or a snapshot must come first";

struct Version {
    unsigned major = 0;
    unsigned minor = 0;
};

/// `v1.2…` or `1.2…`; nullopt: something else.
std::optional<Version> parse_version(const std::string& text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    if (at != end && *at == 'v') ++at;
    Version version;
    const auto [dot, error] = std::from_chars(at, end, version.major);
    if (error != std::errc{} || dot == end || *dot != '.') return std::nullopt;
    if (std::from_chars(dot + 1, end, version.minor).ec != std::errc{}) return std::nullopt;
    return version;
}

/// What an engine says of itself, fit for a sentence.
std::string printable(const std::string& text) {
    constexpr std::size_t kMost = 40;
    std::string out = text.substr(0, kMost);
    std::ranges::replace_if(out, [](char c) { return c < ' ' || c > '~'; }, '?');
    return out;
}

void write_offer(const SnapshotOffer& offer, abci::Snapshot& snapshot) {
    snapshot.set_height(offer.height);
    snapshot.set_format(offer.format);
    snapshot.set_chunks(offer.chunks);
    snapshot.set_hash(as_field(offer.hash));
    snapshot.set_metadata(as_field(offer.metadata));
}

SnapshotOffer read_offer(const abci::Snapshot& snapshot) {
    SnapshotOffer offer;
    offer.height = snapshot.height();
    offer.format = snapshot.format();
    offer.chunks = snapshot.chunks();
    const BytesView hash = as_bytes(snapshot.hash());
    const BytesView metadata = as_bytes(snapshot.metadata());
    offer.hash.assign(hash.begin(), hash.end());
    offer.metadata.assign(metadata.begin(), metadata.end());
    return offer;
}

void fill(abci::ResponseCheckTx& response, const std::expected<std::uint64_t, Refusal>& admitted) {
    if (admitted.has_value()) {
        response.set_gas_wanted(as_signed(*admitted));
        return;
    }
    response.set_code(std::max<std::uint32_t>(admitted.error().code, 1));
    response.set_log(admitted.error().reason);
    response.set_codespace(kCodespace);
}

}  // namespace

std::string refusal_of_version(const std::string& version, const std::string& abci_version) {
    constexpr const char* kUse = "; use CometBFT v0.38 to v0.40";
    const auto abci = parse_version(abci_version);
    if (abci.has_value() && (abci->major != 2 || abci->minor != 0))
        return "ABCI " + printable(abci_version) + " of CometBFT " + printable(version) +
               " is not supported, only ABCI 2.0" + kUse;
    if (const auto comet = parse_version(version); comet.has_value() && comet->major >= 1)
        return "CometBFT " + printable(version) + " is not supported: its messages differ" + kUse;
    return {};
}

AbciApplication::AbciApplication(AbciHost& host, const AbciServerOptions& options)
    : host_(host), options_(options), blocks_(host, options) {}

std::optional<std::string> AbciApplication::answer(const abci::Request& request,
                                                   abci::Response& response) {
    Answer answer;
    try {
        answer = dispatch(request, response);
    } catch (const std::exception& error) {
        answer = std::unexpected("an error inside the application: " + std::string{error.what()});
    }
    if (answer.has_value()) return std::nullopt;
    response.mutable_exception()->set_error(answer.error());
    if (!request.has_finalize_block() && !request.has_commit()) return std::nullopt;
    const std::scoped_lock lock{serial_};
    if (is_failure_told_ || blocks_.failure() != answer.error()) return std::nullopt;
    is_failure_told_ = true;
    return answer.error();
}

auto AbciApplication::dispatch(const abci::Request& request, abci::Response& response) -> Answer {
    using Case = abci::Request::ValueCase;
    switch (request.value_case()) {
        case Case::kInfo:
            return info(request.info(), *response.mutable_info());
        case Case::kQuery:
            query(request.query(), *response.mutable_query());
            return {};
        case Case::kCheckTx:
            return check_tx(request.check_tx(), *response.mutable_check_tx());
        case Case::kInsertTx:
            return insert_tx(request.insert_tx(), *response.mutable_insert_tx());
        case Case::kReapTxs:
            return reap_txs(request.reap_txs(), *response.mutable_reap_txs());
        case Case::kEcho:
        case Case::kFlush:
        case Case::kExtendVote:
        case Case::kVerifyVoteExtension:
            (void)answer_common(request, response);
            return {};
        case Case::kInitChain:
        case Case::kPrepareProposal:
        case Case::kProcessProposal:
        case Case::kFinalizeBlock:
        case Case::kCommit:
            return dispatch_serial(request, response);
        case Case::kListSnapshots:
        case Case::kLoadSnapshotChunk:
        case Case::kOfferSnapshot:
        case Case::kApplySnapshotChunk:
            return dispatch_snapshot(request, response);
        case Case::VALUE_NOT_SET:
            break;
    }
    return std::unexpected("the request is of a kind that is not known here");
}

auto AbciApplication::dispatch_serial(const abci::Request& request, abci::Response& response)
    -> Answer {
    using Case = abci::Request::ValueCase;
    const std::scoped_lock lock{serial_};
    switch (request.value_case()) {
        case Case::kInitChain:
            return init_chain(request.init_chain(), *response.mutable_init_chain());
        case Case::kPrepareProposal:
            return blocks_.prepare(request.prepare_proposal(),
                                   *response.mutable_prepare_proposal());
        case Case::kProcessProposal:
            return blocks_.process(request.process_proposal(),
                                   *response.mutable_process_proposal());
        case Case::kFinalizeBlock:
            return blocks_.finalize(request.finalize_block(), *response.mutable_finalize_block());
        default:
            return blocks_.commit(*response.mutable_commit());
    }
}

auto AbciApplication::dispatch_snapshot(const abci::Request& request, abci::Response& response)
    -> Answer {
    using Case = abci::Request::ValueCase;
    switch (request.value_case()) {
        case Case::kListSnapshots:
            list_snapshots(*response.mutable_list_snapshots());
            return {};
        case Case::kLoadSnapshotChunk: {
            const abci::RequestLoadSnapshotChunk& wanted = request.load_snapshot_chunk();
            abci::ResponseLoadSnapshotChunk& found = *response.mutable_load_snapshot_chunk();
            if (SnapshotHost* const snapshots = host_.snapshots(); snapshots != nullptr)
                found.set_chunk(as_field(
                    snapshots->load_chunk(wanted.height(), wanted.format(), wanted.chunk())));
            return {};
        }
        case Case::kOfferSnapshot: {
            const std::scoped_lock lock{serial_};
            offer_snapshot(request.offer_snapshot(), *response.mutable_offer_snapshot());
            return {};
        }
        default: {
            const std::scoped_lock lock{serial_};
            return apply_chunk(request.apply_snapshot_chunk(),
                               *response.mutable_apply_snapshot_chunk());
        }
    }
}

auto AbciApplication::info(const abci::RequestInfo& request, abci::ResponseInfo& response)
    -> Answer {
    std::string refusal = refusal_of_version(request.version(), request.abci_version());
    if (!refusal.empty()) {
        if (options_.on_warning) options_.on_warning(refusal);
        return std::unexpected(std::move(refusal));
    }
    response.set_data("heddle");
    response.set_version(options_.version);
    // Height 0 and no hash: CometBFT sends InitChain, or a snapshot.
    const std::optional<AbciChain> chain = host_.chain();
    if (!chain.has_value()) return {};
    const BlockId head = chain->application->committed().head;
    response.set_last_block_height(as_signed(head.number));
    response.set_last_block_app_hash(as_field(head.hash.view()));
    return {};
}

auto AbciApplication::init_chain(const abci::RequestInitChain& request,
                                 abci::ResponseInitChain& response) -> Answer {
    if (!blocks_.failure().empty()) return std::unexpected(blocks_.failure());
    if (request.initial_height() != 1)
        return std::unexpected("the chain begins at height " +
                               std::to_string(request.initial_height()) +
                               "; initial_height in CometBFT's genesis file must be 1, for heights "
                               "are block numbers");
    const auto check_head = [&]() -> Answer {
        const std::optional<AbciChain> chain = host_.chain();
        const std::uint64_t number =
            chain.has_value() ? chain->application->committed().head.number : 0;
        if (number == 0) return {};
        return std::unexpected("the chain has begun already: block " + std::to_string(number) +
                               " is committed here; CometBFT's data folder does not belong to "
                               "this ledger");
    };
    HEDDLE_CHECK(check_head());
    ChainStart start;
    start.chain_id = request.chain_id();
    start.initial_height = 1;
    const BytesView app_state = as_bytes(request.app_state_bytes());
    start.app_state.assign(app_state.begin(), app_state.end());
    HEDDLE_CHECK(host_.begin_chain(start));
    const std::optional<AbciChain> chain = host_.chain();
    if (!chain.has_value())
        return std::unexpected("the chain has not begun: this node waits for a snapshot");
    HEDDLE_CHECK(check_head());
    // No validators and no parameters: those of CometBFT's genesis file hold.
    response.set_app_hash(as_field(chain->application->committed().head.hash.view()));
    return {};
}

auto AbciApplication::check_tx(const abci::RequestCheckTx& request, abci::ResponseCheckTx& response)
    -> Answer {
    const std::optional<AbciChain> chain = host_.chain();
    if (!chain.has_value()) return std::unexpected(kNoChain);
    if (request.type() != kNew && request.type() != kRecheck)
        return std::unexpected("CheckTx of the unknown type " + std::to_string(request.type()));
    const BytesView tx = as_bytes(request.tx());
    fill(response, request.type() == kNew ? chain->transactions->admit(tx)
                                          : chain->transactions->recheck(tx));
    return {};
}

void AbciApplication::answer_new(std::span<const abci::Request* const> requests,
                                 std::span<abci::Response* const> responses) {
    Answer answer;
    try {
        answer = check_new(requests, responses);
    } catch (const std::exception& error) {
        answer = std::unexpected("an error inside the application: " + std::string{error.what()});
    }
    if (answer.has_value()) return;
    for (abci::Response* const response : responses)
        response->mutable_exception()->set_error(answer.error());
}

auto AbciApplication::check_new(std::span<const abci::Request* const> requests,
                                std::span<abci::Response* const> responses) -> Answer {
    const std::optional<AbciChain> chain = host_.chain();
    if (!chain.has_value()) return std::unexpected(kNoChain);
    std::vector<BytesView> transactions;
    for (const abci::Request* const request : requests)
        transactions.push_back(as_bytes(request->check_tx().tx()));
    const auto admitted = chain->transactions->admit_all(transactions);
    for (std::size_t i = 0; i < responses.size(); ++i)
        fill(*responses[i]->mutable_check_tx(), admitted[i]);
    return {};
}

auto AbciApplication::insert_tx(const abci::RequestInsertTx& request,
                                abci::ResponseInsertTx& response) -> Answer {
    const std::optional<AbciChain> chain = host_.chain();
    if (!chain.has_value()) return std::unexpected(kNoChain);
    const auto admitted = chain->transactions->admit(as_bytes(request.tx()));
    if (!admitted.has_value()) response.set_code(std::max<std::uint32_t>(admitted.error().code, 1));
    return {};
}

auto AbciApplication::reap_txs(const abci::RequestReapTxs& request, abci::ResponseReapTxs& response)
    -> Answer {
    const std::optional<AbciChain> chain = host_.chain();
    if (!chain.has_value()) return std::unexpected(kNoChain);
    for (const Bytes& tx :
         chain->transactions->take_outgoing(request.max_bytes(), request.max_gas()))
        response.add_txs(as_field(tx));
    return {};
}

void AbciApplication::query(const abci::RequestQuery& request, abci::ResponseQuery& response) {
    const std::optional<AbciChain> chain = host_.chain();
    if (request.path() != "/head" || !chain.has_value()) {
        response.set_code(kNoQueries);
        response.set_codespace(kCodespace);
        response.set_log(chain.has_value()
                             ? "state is read over the node's JSON-RPC; here is only /head"
                             : kNoChain);
        return;
    }
    const BlockId head = chain->application->committed().head;
    response.set_height(as_signed(head.number));
    response.set_value("{\"number\":" + std::to_string(head.number) + ",\"hash\":\"" +
                       to_string(head.hash) + "\"}");
}

void AbciApplication::list_snapshots(abci::ResponseListSnapshots& response) {
    SnapshotHost* const snapshots = host_.snapshots();
    if (snapshots == nullptr) return;
    for (const SnapshotOffer& offer : snapshots->list())
        write_offer(offer, *response.add_snapshots());
}

void AbciApplication::offer_snapshot(const abci::RequestOfferSnapshot& request,
                                     abci::ResponseOfferSnapshot& response) {
    SnapshotHost* const snapshots = host_.snapshots();
    const OfferResult result =
        snapshots == nullptr
            ? OfferResult::reject
            : snapshots->offer(read_offer(request.snapshot()), as_bytes(request.app_hash()));
    response.set_result(static_cast<std::int32_t>(result));
}

auto AbciApplication::apply_chunk(const abci::RequestApplySnapshotChunk& request,
                                  abci::ResponseApplySnapshotChunk& response) -> Answer {
    SnapshotHost* const snapshots = host_.snapshots();
    if (snapshots == nullptr)
        return std::unexpected("no snapshot was accepted, so that no chunk can be applied");
    const ApplyOutcome outcome = snapshots->apply(request.index(), as_bytes(request.chunk()));
    response.set_result(static_cast<std::int32_t>(outcome.result));
    for (const std::uint32_t chunk : outcome.refetch_chunks)
        response.add_refetch_chunks(chunk);
    if (outcome.rejects_sender) response.add_reject_senders(request.sender());
    return {};
}

}  // namespace heddle::consensus_adapter::cometbft
