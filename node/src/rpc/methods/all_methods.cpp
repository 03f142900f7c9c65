// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/all_methods.hpp"

#include <memory>

#include "rpc/methods/account_search.hpp"
#include "rpc/methods/debug_raw_api.hpp"
#include "rpc/methods/debug_state_api.hpp"
#include "rpc/methods/debug_trace_api.hpp"
#include "rpc/methods/eth_account_api.hpp"
#include "rpc/methods/eth_block_api.hpp"
#include "rpc/methods/eth_call_api.hpp"
#include "rpc/methods/eth_chain_api.hpp"
#include "rpc/methods/eth_fee_api.hpp"
#include "rpc/methods/eth_log_api.hpp"
#include "rpc/methods/eth_simulate_api.hpp"
#include "rpc/methods/eth_state_api.hpp"
#include "rpc/methods/eth_subscription_api.hpp"
#include "rpc/methods/eth_transaction_api.hpp"
#include "rpc/methods/heddle_api.hpp"
#include "rpc/methods/net_web3_api.hpp"
#include "rpc/methods/ots_api.hpp"
#include "rpc/methods/trace_api.hpp"
#include "rpc/methods/txpool_api.hpp"
#include "rpc/methods/witness_api.hpp"

namespace heddle::node::rpc {

std::shared_ptr<BlockStreams> add_all_methods(MethodTable& table, const Services& services) {
    const auto pending = std::make_shared<PendingBlocks>(services);
    add_account_search_methods(table, services);
    add_debug_raw_methods(table, services);
    add_debug_state_methods(table, services);
    add_debug_trace_methods(table, services, pending);
    add_eth_account_methods(table, services);
    add_eth_block_methods(table, services, pending);
    add_eth_call_methods(table, services);
    add_eth_chain_methods(table, services);
    add_eth_fee_methods(table, services, pending);
    add_eth_log_methods(table, services);
    add_eth_simulate_methods(table, services);
    add_eth_state_methods(table, services);
    add_eth_subscription_methods(table, services);
    add_eth_transaction_methods(table, services, pending);
    auto streams = add_heddle_methods(table, services);
    add_net_web3_methods(table, services);
    add_ots_methods(table, services);
    add_trace_methods(table, services);
    add_txpool_methods(table, services);
    add_witness_methods(table, services);
    return streams;
}

}  // namespace heddle::node::rpc
