// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the ABCI server asks of the node besides the Application: where transactions go that
// CometBFT gossips, where snapshots come from and go to, who the validators are, and how a chain
// begins.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include <consensus_adapter/application.hpp>

namespace heddle::consensus_adapter::cometbft {

/// Why a transaction is not passed on; codes are small numbers above 0, stable.
struct Refusal {
    std::uint32_t code = 1;
    std::string reason;
};

/// Pending transactions. Thread safety: any.
class TransactionGate {
public:
    virtual ~TransactionGate() = default;
    /// One that comes for the first time, from a peer or from this node, in its network form
    /// (CheckTx NEW, InsertTx). One that is pending already is welcome.
    /// @return its gas limit.
    [[nodiscard]] virtual std::expected<std::uint64_t, Refusal> admit(BytesView encoded) = 0;
    /// The same of each, in their order. Together they cost less than one after the other.
    [[nodiscard]] virtual std::vector<std::expected<std::uint64_t, Refusal>> admit_all(
        std::span<const BytesView> encoded) = 0;
    /// Whether one that was admitted is still pending (CheckTx RECHECK): cheap, for it is asked of
    /// all of them after each block.
    [[nodiscard]] virtual std::expected<std::uint64_t, Refusal> recheck(BytesView encoded) = 0;
    /// Transactions of this node that no peer has been told of, for engines that ask (ReapTxs of
    /// CometBFT 0.39 on, mempool type `app`). Each is given once.
    /// @param max_bytes  Most bytes together; 0: any.
    /// @param max_gas    Most gas together; 0: any.
    [[nodiscard]] virtual std::vector<Bytes> take_outgoing(std::uint64_t max_bytes,
                                                           std::uint64_t max_gas) = 0;
};

/// ABCI Snapshot.
struct SnapshotOffer {
    std::uint64_t height = 0;
    std::uint32_t format = 0;
    std::uint32_t chunks = 0;
    Bytes hash;      // equal only for equal snapshots
    Bytes metadata;  // the manifest
};

/// As in ABCI; the numbers are those of ResponseOfferSnapshot.Result.
enum class OfferResult : std::uint8_t {
    unknown,
    accept,
    abort,
    reject,
    reject_format,
    reject_sender,
};

/// As in ABCI; the numbers are those of ResponseApplySnapshotChunk.Result.
enum class ApplyResult : std::uint8_t {
    unknown,
    accept,
    abort,
    retry,
    retry_snapshot,
    reject_snapshot,
};
struct ApplyOutcome {
    ApplyResult result = ApplyResult::accept;
    std::vector<std::uint32_t> refetch_chunks;
    bool rejects_sender = false;
};

/// State sync. Thread safety: list() and load_chunk() any; the others one caller at a time.
class SnapshotHost {
public:
    virtual ~SnapshotHost() = default;
    [[nodiscard]] virtual std::vector<SnapshotOffer> list() = 0;
    /// Empty: there is no such chunk (any more).
    [[nodiscard]] virtual Bytes load_chunk(std::uint64_t height, std::uint32_t format,
                                           std::uint32_t index) = 0;
    /// @param app_hash  What the light client verified for the height: the hash of the Ethereum
    ///                  block. Nothing else of the offer is to be believed.
    [[nodiscard]] virtual OfferResult offer(const SnapshotOffer& offer, BytesView app_hash) = 0;
    /// After the last chunk was accepted, the host has a chain whose head is the snapshot's block.
    [[nodiscard]] virtual ApplyOutcome apply(std::uint32_t index, BytesView chunk) = 0;
};

/// A validator as CometBFT knows it.
struct Validator {
    Bytes ed25519_key;  // 32 bytes
    std::int64_t power = 0;
    friend bool operator==(const Validator&, const Validator&) = default;
};

/// Why there is no list of validators.
struct NoValidators {
    std::string sentence;
    /// Whether it is this node that could not read it: others have one, or know that there is none.
    bool is_own_fault = false;
};

/// Where the validators of a chain are written down in its state. Thread safety: as Application.
class ValidatorSource {
public:
    virtual ~ValidatorSource() = default;
    /// Blocks whose number is a multiple of it end an epoch; at least 4.
    [[nodiscard]] virtual std::uint64_t epoch_blocks() const = 0;
    /// What the committed state says: those who are to be validators, and with power 0 those who
    /// are to be no more. Errors: why it says nothing that can be used. Nothing changes
    /// then, unless it is the node's own fault, which must not go on as if it had read it.
    [[nodiscard]] virtual std::expected<std::vector<Validator>, NoValidators> read() = 0;
};

/// What a running chain consists of, as far as the server is concerned. Borrowed.
struct AbciChain {
    Application* application = nullptr;
    TransactionGate* transactions = nullptr;
    ValidatorSource* validators = nullptr;  // null: those of the genesis, for ever
};

/// What InitChain says.
struct ChainStart {
    std::string chain_id;
    std::uint64_t initial_height = 1;
    Bytes app_state;  // JSON, as in CometBFT's genesis file
};

/// The node. Thread safety: chain() and snapshots() any; the others as Application.
class AbciHost {
public:
    virtual ~AbciHost() = default;
    /// nullopt: there is no chain here yet (before InitChain or the end of state sync of a node
    /// that is to have one). Once there is one, it stays.
    [[nodiscard]] virtual std::optional<AbciChain> chain() = 0;
    /// The chain is to begin at its genesis; idempotent until the first block is committed.
    /// Errors: this node cannot be part of that chain: why and what to do.
    [[nodiscard]] virtual std::expected<void, std::string> begin_chain(const ChainStart& start) = 0;
    /// A block was committed. @return the lowest height whose block CometBFT must keep; 0: all.
    [[nodiscard]] virtual std::uint64_t on_committed(const BlockId& block) = 0;
    /// Null: there are none, and none are taken.
    [[nodiscard]] virtual SnapshotHost* snapshots() = 0;
};

}  // namespace heddle::consensus_adapter::cometbft
