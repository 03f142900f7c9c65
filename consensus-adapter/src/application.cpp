// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/application.hpp>

#include <fmt/format.h>

#include <types/assert.hpp>

namespace heddle::consensus_adapter {

std::string to_string(const ProposalError& error) {
    switch (error.code) {
        case ProposalErrorCode::wrong_set_count:
            return fmt::format("there are {} object sets for {} transactions", error.found,
                               error.allowed);
        case ProposalErrorCode::early_timestamp:
            return fmt::format("the timestamp {} is not above the parent's, {}", error.found,
                               error.allowed);
        case ProposalErrorCode::invalid_transaction:
            HEDDLE_ASSERT(error.transaction.has_value());
            return fmt::format("transaction {}: {}", error.found, to_string(*error.transaction));
        case ProposalErrorCode::too_large:
            return fmt::format("the transactions take more than {} bytes", error.allowed);
    }
    return "unknown proposal error";
}

}  // namespace heddle::consensus_adapter
