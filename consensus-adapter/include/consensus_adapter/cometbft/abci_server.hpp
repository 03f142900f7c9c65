// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Heddle as the application of a CometBFT node: ABCI 2.0 over a socket (CometBFT v0.38 to v0.40).
// Which blocks there are, CometBFT decides; what they do, the Application.
//
// | ABCI              | here                                                                     |
// |-------------------|--------------------------------------------------------------------------|
// | height            | block number; the genesis block is what InitChain returns                |
// | AppHash           | hash of the Ethereum block                                               |
// | block time        | timestamp, in whole seconds, at least one above the parent's             |
// | proposer_address  | extra_data of the header                                                 |
// | txs[0]            | BlockPreamble: beneficiary, gas limit, access list or object sets        |
// | txs[1...]         | transactions (EIP-2718)                                                  |
// | ExecTxResult.code | TransactionCode                                                          |
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <types/address.hpp>

#include <consensus_adapter/cometbft/abci_host.hpp>
#include <consensus_adapter/cometbft/ordering_host.hpp>

namespace heddle::consensus_adapter::cometbft {

/// Results of the transactions of a decided block. Part of what validators agree on.
enum class TransactionCode : std::uint32_t {
    success = 0,
    failed = 1,          // in the Ethereum block, with status 0
    not_executable = 2,  // left out of it: nonce, funds, gas left in the block ...
    malformed = 3,       // left out of it: no transaction, or no valid signature
};

/// What became of one decided block, for whoever counts.
struct DecisionReport {
    BlockId block;
    std::size_t transactions = 0;  // in the Ethereum block
    std::size_t left_out = 0;      // of the decided ones
    std::uint64_t gas_used = 0;
    std::size_t declared = 0;          // transactions with a declared object set
    std::size_t wrongly_declared = 0;  // of these, accessed something else
    bool has_list = false;             // an access list came with it
    bool is_listed = false;            // FinalizedBlock::is_listed
    bool has_wrong_list = false;       // FinalizedBlock::has_wrong_list
    unsigned executions = 0;           // FinalizedBlock::executions
    std::chrono::nanoseconds finalize{};
    std::chrono::nanoseconds commit{};
};
struct ProposalReport {
    std::uint64_t number = 0;
    std::size_t transactions = 0;
    bool is_own = false;    // prepared here, else judged
    std::string rejection;  // empty: accepted
    std::chrono::nanoseconds time{};
};

struct AbciServerOptions {
    /// `tcp://ADDRESS:PORT` (port 0: any free one) or `unix://PATH`.
    std::string address = "tcp://127.0.0.1:26658";
    /// Who gets the fees of blocks proposed here.
    Address beneficiary;
    /// What blocks proposed here move the gas limit to; nullopt: the parent's.
    std::optional<std::uint64_t> gas_limit;
    /// Whether blocks proposed here carry their access lists. Validators of versions that do not
    /// know these take such a block for malformed.
    bool proposes_lists = true;
    /// Largest message. CometBFT's blocks have up to 100 MiB.
    std::size_t max_message_bytes = std::size_t{128} << 20;
    std::size_t max_connections = 16;
    /// Memory of proposals that were accepted, which are kept decoded until one of them is decided.
    /// The last one is kept, whatever it takes; others are decoded again.
    std::size_t max_proposal_bytes = std::size_t{64} << 20;
    /// Of the application, for Info.
    std::string version;
    // Called from the server's threads.
    std::function<void(const DecisionReport&)> on_decision = nullptr;
    std::function<void(const ProposalReport&)> on_proposal = nullptr;
    /// Something the operator should know of: one sentence.
    std::function<void(const std::string&)> on_warning = nullptr;
    /// No more blocks can be executed: why. CometBFT has been told and ends.
    std::function<void(const std::string&)> on_failure = nullptr;
};

/// Thread safety: any.
class AbciServer {
public:
    /// Listens at once. @param host  Outlives it.
    /// Errors: the address is not one, or is in use.
    [[nodiscard]] static std::expected<std::unique_ptr<AbciServer>, std::string> start(
        AbciHost& host, AbciServerOptions options);
    /// The same for an application that only orders: of the options those of proposals and of
    /// decisions are not used.
    [[nodiscard]] static std::expected<std::unique_ptr<AbciServer>, std::string> start(
        OrderingHost& host, AbciServerOptions options);
    /// As stop().
    ~AbciServer();
    AbciServer(const AbciServer&) = delete;
    AbciServer& operator=(const AbciServer&) = delete;

    /// Where it listens, with the real port.
    [[nodiscard]] std::string address() const;
    /// Ends the connections once what is being executed is done. Not from one of the functions of
    /// the options.
    void stop();

private:
    struct Impl;
    explicit AbciServer(std::unique_ptr<Impl> impl);
    template <typename Host>
    [[nodiscard]] static std::expected<std::unique_ptr<AbciServer>, std::string> start_for(
        Host& host, AbciServerOptions options);
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::consensus_adapter::cometbft
