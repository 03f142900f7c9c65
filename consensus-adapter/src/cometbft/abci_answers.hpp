// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whoever answers the calls of ABCI, a message in and a message out: an application that executes
// (abci_application.hpp), or one that only orders (ordering_calls.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cometbft/abci_messages.hpp"

namespace heddle::consensus_adapter::cometbft {

/// Thread safety: any.
class AbciAnswers {
public:
    AbciAnswers() = default;
    virtual ~AbciAnswers() = default;
    AbciAnswers(const AbciAnswers&) = delete;
    AbciAnswers& operator=(const AbciAnswers&) = delete;
    AbciAnswers(AbciAnswers&&) = delete;
    AbciAnswers& operator=(AbciAnswers&&) = delete;

    /// Fills `response`: with an Exception where the request is unknown, out of turn or failed.
    /// @return why no more blocks can be decided, once, with the answer that says so first; the
    ///         caller passes it to AbciServerOptions::on_failure once that answer is on its way.
    [[nodiscard]] virtual std::optional<std::string> answer(const abci::Request& request,
                                                            abci::Response& response) = 0;
    /// answer() of each of several requests for which is_new_transaction() holds.
    virtual void answer_new(std::span<const abci::Request* const> requests,
                            std::span<abci::Response* const> responses) = 0;

    /// Whether the request is a CheckTx that may be answered together with others of the kind.
    [[nodiscard]] static bool is_new_transaction(const abci::Request& request) noexcept {
        return request.has_check_tx() && request.check_tx().type() == 0;
    }
};

/// A sentence where CometBFT of this version cannot be served; empty otherwise.
/// @param version       Of CometBFT.
/// @param abci_version  Of its protocol; may be empty.
[[nodiscard]] std::string refusal_of_version(const std::string& version,
                                             const std::string& abci_version);

}  // namespace heddle::consensus_adapter::cometbft
