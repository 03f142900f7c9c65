// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A block that somebody else has made, as a recording holds it: all that an executor is given of
// it, in a form that needs nothing that was said before. So it can be written when it is known what
// came of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <consensus_adapter/ordered_block.hpp>
#include <types/block.hpp>
#include <types/bytes.hpp>
#include <types/object.hpp>

#include "shim/block_shim.hpp"
#include "shim/byte_fields.hpp"

namespace heddle::node {

/// Gathers a block in the order in which an executor is given it. Thread safety: none.
class GivenBlockWriter {
public:
    void begin(const executor::BlockStart& start);
    void add(const Transaction& tx, const std::optional<ObjectSet>& objects);
    [[nodiscard]] GivenBlock finish();

private:
    GivenBlock block_;
    Bytes transactions_;
    Bytes scratch_;
    Bytes access_list_;
    std::uint64_t count_ = 0;
    std::vector<ObjectSet> sets_;  // of all transactions so far, or fewer
};

/// Fails the fields where they are none.
[[nodiscard]] consensus_adapter::OrderedBlock take_given_block(FieldReader& fields);

// Parts that other events have as well.
void put_withdrawals(const std::vector<Withdrawal>& withdrawals, Bytes& out);
[[nodiscard]] std::vector<Withdrawal> take_withdrawals(FieldReader& fields);
/// Empty where nothing was declared.
void put_sets(const std::vector<ObjectSet>& sets, Bytes& out);
[[nodiscard]] std::vector<ObjectSet> take_sets(FieldReader& fields);

}  // namespace heddle::node
