// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the node shows to a browser and to whoever watches over it: /, /health, /metrics.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "chain/chain.hpp"
#include "chain/network_view.hpp"
#include "mempool/mempool.hpp"
#include "rpc/transport/server.hpp"

namespace heddle::node::replication {
class Replication;
}

namespace heddle::node {

/// What the pages tell of; borrowed, and asked from the server's threads.
struct NodePages {
    std::function<std::string()> metrics;
    const Chain* chain = nullptr;
    const Mempool* mempool = nullptr;
    std::function<std::optional<std::string>()> failure;
    const replication::Replication* replication = nullptr;  // null: the chain is not replicated
    const NetworkView* network = nullptr;                   // null: it makes its blocks alone
};

///     /, /page/…     the chain, live (docs/page.md)
///     /health        200 while blocks can be committed, else 503; JSON
///     /health/live   200 as long as the process answers
///     /health/ready  200 while it has what others have: for whoever shares reads among nodes
///     /metrics       Prometheus text
[[nodiscard]] rpc::Pages make_pages(NodePages parts);

/// E.g. `heddle/0.1.0/linux-x86_64`.
[[nodiscard]] std::string client_version();

}  // namespace heddle::node
