// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the methods work on, and the bounds of what one call may cost. The parts are wired by
// node.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <types/uint256.hpp>

#include "chain/chain.hpp"
#include "chain/network_view.hpp"
#include "chain/transaction_target.hpp"
#include "development/chain_control.hpp"
#include "mempool/mempool.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/kept_memory.hpp"

namespace heddle::node::lanes {
class JoinSource;
class LanesView;
}  // namespace heddle::node::lanes
namespace heddle::node::replication {
class Replication;
}

namespace heddle::node {
class ChainExchange;
}

namespace heddle::node::rpc {

struct SubscriberRegistry;

struct MethodLimits {
    std::uint64_t call_gas = 50'000'000;         // eth_call, eth_estimateGas, eth_simulateV1
    std::uint64_t logs_blocks = 100'000;         // range of eth_getLogs
    std::size_t logs_results = 20'000;           // of eth_getLogs
    std::uint64_t trace_blocks = 100;            // range of trace_filter
    std::size_t fee_history_blocks = 1'024;      // of eth_feeHistory
    std::size_t proof_slots = 1'024;             // of eth_getProof
    std::size_t filters = 1'024;                 // of the node, and subscriptions of one connection
    std::uint64_t filter_timeout_seconds = 300;  // without being asked
    // Of what was read for eth_getLogs, for the next one.
    std::size_t kept_log_bytes = std::size_t{64} << 20;
    std::size_t kept_bloom_bytes = std::size_t{64} << 20;
    std::size_t kept_fee_bytes = std::size_t{16} << 20;  // of what was read for eth_feeHistory
    // Of what is kept for those who have yet to be told.
    std::size_t removed_log_bytes = std::size_t{16} << 20;  // for filters, again for subscriptions
    std::size_t arrival_bytes = std::size_t{32} << 20;      // transactions, for subscriptions
};

/// Whose transactions are local (Origin::local).
enum class LocalCallers : std::uint8_t {
    none,
    loopback,  // those of programs on this machine
    all,
};

/// Borrowed: everything outlives the server.
struct Services {
    Chain& chain;
    Mempool& mempool;
    std::string client_version;  // for web3_clientVersion
    MethodLimits limits;
    const NetworkView* network = nullptr;  // null: the node is a network of its own
    LocalCallers local_callers = LocalCallers::none;
    /// Whether a transaction gets into a block of its own as soon as it comes. Then what a call
    /// asks for is what would happen in that block, not what would have happened in the last one.
    bool seals_at_once = false;
    /// Where transactions are handed on to before this node takes them; null: they stay here, or
    /// the consensus engine fetches them.
    TransactionTarget* target = nullptr;
    /// What a development chain's user may do to it; null: this is none.
    ChainControl* control = nullptr;
    /// Whether who sends a transaction is answered when it is in a block; with `control`.
    bool waits_for_blocks = false;
    /// Who gets the fees of blocks that this node proposes.
    Address beneficiary{};
    std::uint64_t gas_limit = 0;  // what those of its blocks move to; 0: that of the parent
    const TransactionIntake* intake = nullptr;        // null: transactions are always taken
    replication::Replication* replication = nullptr;  // null: this node is a member of nothing
    const lanes::LanesView* lanes = nullptr;          // null: its blocks come from no lanes
    lanes::JoinSource* joining = nullptr;             // null: no node can join by it
    /// Of a development chain whose place another one can take; null: none can.
    ChainExchange* exchange = nullptr;
    /// Where methods say what they keep; null: nobody asks.
    KeptMemory* kept = nullptr;
    /// Who is subscribed, where chains before this one had subscribers; null: nobody yet.
    std::shared_ptr<SubscriberRegistry> subscribers{};  // with the methods of those chains

    /// Lives from before transactions are taken into the pool until settle() has returned.
    [[nodiscard]] consensus_adapter::Solo::SettleScope settling() const {
        return waits_for_blocks ? control->settling() : consensus_adapter::Solo::SettleScope{};
    }
    /// After these were taken into the pool, on whose behalf a call is being answered.
    void settle(std::span<const Hash> transactions, const Call& call) const {
        if (!waits_for_blocks) return;
        for (const Hash& hash : transactions)
            control->settle(hash, call.deadline);
    }
    /// Before a transaction is taken. Errors: RpcError where none is: why.
    void expect_taking() const {
        if (intake == nullptr) return;
        if (const auto reason = intake->refusal())
            throw RpcError(Code::server_error, "no transactions are taken: " + *reason);
    }
    /// Before a transaction is taken on a chain that forks another one: what it reads is fetched.
    /// Errors: RpcError that names what could not be read.
    void expect_readable(const Transaction& tx) const {
        if (chain.fork_base() == nullptr || control == nullptr) return;
        if (const auto read = control->read_ahead(tx); !read.has_value())
            throw RpcError(Code::server_error, "the transaction is not taken: " + read.error());
    }
    /// The same of its bytes; those that are no transaction are left to who takes them.
    void expect_readable(BytesView encoded) const;
    /// Of a transaction that this call brings.
    [[nodiscard]] Origin origin_of(const Call& call) const noexcept {
        const bool is_local = local_callers == LocalCallers::all ||
                              (local_callers == LocalCallers::loopback && call.is_loopback);
        return is_local ? Origin::local : Origin::submitted;
    }
};

}  // namespace heddle::node::rpc
