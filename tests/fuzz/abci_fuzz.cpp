// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "cometbft/abci_application.hpp"
#include "cometbft/framing.hpp"
#include "fake_chain.hpp"
#include "targets.hpp"

namespace heddle::fuzz {

namespace {

using namespace consensus_adapter::cometbft;
using consensus_adapter::Proposal;

/// The largest message; small, so that the limit is met.
constexpr std::size_t kMaxMessage = 20'000;
/// Bytes that come at once; not all messages lie whole in them.
constexpr std::size_t kPiece = 700;

/// Responses are numbered as their requests, one later.
bool is_answer_to(const abci::Request& request, const abci::Response& response) {
    return static_cast<int>(response.value_case()) == static_cast<int>(request.value_case()) + 1;
}

/// CometBFT's hash of a block depends on its items.
template <typename Block>
void set_hash(Block& block) {
    Bytes all;
    for (const std::string& tx : block.txs()) {
        append_length(tx.size(), all);
        all.insert(all.end(), tx.begin(), tx.end());
    }
    block.set_hash(as_field(keccak256(all).view()));
}

class Conversation {
public:
    void answer(abci::Request& request) {
        if (request.has_process_proposal()) set_hash(*request.mutable_process_proposal());
        if (request.has_finalize_block()) set_hash(*request.mutable_finalize_block());
        host_.application.to_propose = to_propose_;
        const abci::Response response = ask(request);
        require(response.has_exception() || is_answer_to(request, response),
                "an answer of another kind");
        require(!response.has_exception() || !response.exception().error().empty(),
                "an Exception that says nothing");
        if (response.has_prepare_proposal())
            check_prepared(request.prepare_proposal(), response.prepare_proposal());
        if (response.has_process_proposal())
            require(ask(request).SerializeAsString() == response.SerializeAsString(),
                    "a proposal is judged differently the second time");
        if (response.has_finalize_block()) check_finalized(request, response.finalize_block());
    }

private:
    abci::Response ask(const abci::Request& request) {
        abci::Response response;
        require(!application_.answer(request, response).has_value(),
                "a failure where nothing can fail");
        return response;
    }

    /// Signing takes longer than all else.
    static const std::vector<Transaction>& transactions() {
        static const std::vector<Transaction> made{make_transaction(0), make_transaction(1)};
        return made;
    }

    void check_prepared(const abci::RequestPrepareProposal& request,
                        const abci::ResponsePrepareProposal& response) {
        abci::Request process;
        auto& proposal = *process.mutable_process_proposal();
        proposal.set_height(request.height());
        *proposal.mutable_time() = request.time();
        proposal.set_proposer_address(request.proposer_address());
        std::size_t size = 0;
        for (const std::string& tx : response.txs()) {
            size += item_bytes(tx.size());
            proposal.add_txs(tx);
        }
        require(size <= static_cast<std::size_t>(std::max<std::int64_t>(request.max_tx_bytes(), 0)),
                "a proposal that takes more than its room");
        require(ask(process).process_proposal().status() == 1, "an own proposal is rejected");
    }

    void check_finalized(const abci::Request& request,
                         const abci::ResponseFinalizeBlock& response) {
        require(response.tx_results_size() == request.finalize_block().txs_size(),
                "results that are not one for each item");
        require(response.app_hash().size() == sizeof(Hash), "an AppHash of another size");
        require(ask(request).finalize_block().SerializeAsString() == response.SerializeAsString(),
                "a block that gives something else the second time");
    }

    const Proposal to_propose_{transactions(), {make_set(1, 2), make_set(2, 3)}};
    FakeHost host_;
    AbciServerOptions options_;
    AbciApplication application_{host_, options_};
};

}  // namespace

void abci(BytesView input) {
    FrameReader reader{kMaxMessage};
    Conversation conversation;
    while (!input.empty()) {
        const auto room = reader.room();
        const std::size_t count = std::min({room.size(), input.size(), kPiece});
        std::copy_n(input.begin(), count, room.begin());
        reader.received(count);
        input = input.subspan(count);
        while (true) {
            const auto message = reader.next();
            if (!message.has_value()) return;
            if (!message->has_value()) break;
            consensus_adapter::cometbft::abci::Request request;
            if (!request.ParseFromArray((*message)->data(), static_cast<int>((*message)->size())))
                return;
            conversation.answer(request);
        }
    }
}

}  // namespace heddle::fuzz
