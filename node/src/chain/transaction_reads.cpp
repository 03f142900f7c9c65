// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/transaction_reads.hpp"

#include <vm/transition.hpp>
#include <vm/validate.hpp>

namespace heddle::node {

std::expected<void, std::string> read_ahead_of(const Transaction& tx, const ReadingPlace& place,
                                               vm::Evm& evm) {
    vm::Outcome outcome;
    const auto execute = [&] {
        const auto valid = vm::validate(tx, place.state, place.env, vm::BlockGas::whole(place.env));
        if (!valid.has_value()) return;
        vm::transition(place.state, place.block_hashes, place.env, *valid, evm, outcome);
    };
    ReadScope scope;
    if (!read_ahead(place.base, execute) || scope.has_failed())
        return std::unexpected(scope.failure());
    return {};
}

}  // namespace heddle::node
