// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// All transactions in which an account takes part, page by page, as the explorer Otterscan asks for
// them. There is no index: the blocks are executed again, one after the other, until a page is full
// or the request's time is over. A chain of some hundred thousand transactions is looked through in
// that time; on a longer one, an account that is rarely used may not be found.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// ots_searchTransactionsBefore, searchTransactionsAfter. What it borrows of the services outlives
/// it.
void add_account_search_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
