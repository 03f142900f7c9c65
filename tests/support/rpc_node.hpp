// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node without network and without consensus: a data directory of its own, filled with a chain,
// and all JSON-RPC methods on it, called as text. For tests of methods.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <types/genesis.hpp>

#include "chain/chain.hpp"
#include "mempool/mempool.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::test {

struct RpcNodeOptions {
    std::vector<std::string> chain_files{};  // RLP chain files, era1 and ere files to import
    node::MempoolOptions mempool{};
    node::rpc::MethodLimits limits{};
    /// What the gas limits of blocks that are built move to; 0: that of the parent.
    std::uint64_t gas_limit = 0;
    bool seals_at_once = false;  // Services::seals_at_once; nothing is sealed here
    node::rpc::LocalCallers local_callers = node::rpc::LocalCallers::none;
};

/// Thread safety: dispatch() and call() from any thread.
class RpcNode {
public:
    explicit RpcNode(const Genesis& genesis, const RpcNodeOptions& options = {});
    RpcNode(const RpcNode&) = delete;
    RpcNode& operator=(const RpcNode&) = delete;
    ~RpcNode();

    [[nodiscard]] node::Chain& chain() noexcept;
    [[nodiscard]] node::Mempool& mempool() noexcept;
    [[nodiscard]] const node::rpc::Services& services() const noexcept;
    /// All methods; a test may add to it before it asks.
    [[nodiscard]] node::rpc::MethodTable& methods() noexcept;

    /// Answers a request, or an array of them, as a server would.
    [[nodiscard]] std::string dispatch(std::string_view request) const;
    /// The result of one method as JSON text.
    /// @param params  JSON text of an array; empty: none.
    /// Errors: throws RpcError.
    [[nodiscard]] std::string call(std::string_view name, std::string_view params = {}) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// A node with the genesis of this file, in geth's format.
[[nodiscard]] std::unique_ptr<RpcNode> make_rpc_node(const std::filesystem::path& genesis_file,
                                                     const RpcNodeOptions& options = {});

/// The chain of the JSON-RPC conversations (fixture `rpc-tests`); null where the data is absent.
/// @param folder  Receives where the conversations are; may be null.
[[nodiscard]] std::unique_ptr<RpcNode> make_conversation_node(
    std::filesystem::path* folder = nullptr);

}  // namespace heddle::test
