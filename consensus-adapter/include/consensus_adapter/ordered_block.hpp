// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What consensus delivers: one final block with its transactions in order.
#pragma once

#include <vector>

#include <types/transaction.hpp>

#include <executor/executor.hpp>

namespace heddle::consensus_adapter {

struct OrderedBlock {
    executor::BlockStart env;
    std::vector<Transaction> transactions;
    /// Declared object sets, one for each transaction; empty where nothing was declared.
    std::vector<ObjectSet> object_sets;
};

}  // namespace heddle::consensus_adapter
