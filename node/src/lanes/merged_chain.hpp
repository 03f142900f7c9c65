// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Merged blocks as blocks of a chain: `heddle node` over running lanes and `heddle lanes merge`
// over recorded ones make the same of the same logs.
//
// A merged block is one block of the chain, or several where one has no room for its transactions.
// It is cut into parts, by gas limits and bytes alone, that fit into a block each. A block is made
// of the first part that is left, or where that fills less than half of it, of the first two,
// three, five and so on; what does not fit then is left out. So blocks, and the seconds that they
// take of the chain's clock, are paid for, whatever transactions ask for and do not use.
//
// What is executed and turns out to be nothing that a block can have (executor::is_forfeited()) has
// taken gas that nobody pays for. Where it left none for others of its block, the block is made
// once more without it, at most kMostRepeats times: what is executed in vain for a block is so many
// gas limits at most, and one for each number of parts; and each block but the last of a merged
// block is half full of what was paid for.
//
// Extra data of each is a digest of the order so far, so that the chain says from which logs it was
// made: a chain that is there already is compared with it, block by block, and what is kept is not
// executed again.
//
// Homes are in the state (homes_contract.hpp). A transaction's claims are compared with those of
// the state before its merged block; a move is executed like any transaction, and counts from the
// next merged block on, if it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <consensus_adapter/lanes/directory.hpp>
#include <consensus_adapter/lanes/homes_contract.hpp>
#include <consensus_adapter/lanes/lane_feed.hpp>
#include <ledger/durable_ledger.hpp>
#include <types/hash.hpp>
#include <types/object.hpp>
#include <types/transaction.hpp>

#include "chain/chain.hpp"

namespace heddle::node::lanes {

/// What merging and executing came to.
struct LanesReport {
    std::uint64_t merged_blocks = 0;
    std::uint64_t blocks = 0;  // of the chain
    std::uint64_t transactions = 0;
    std::uint64_t several_homes = 0;  // of these
    std::uint64_t moves = 0;          // of homes, that were executed
    std::uint64_t components = 0;
    std::uint64_t largest_component = 0;
    std::uint64_t rejected = 0;  // incomplete for too long
    std::uint64_t refused = 0;   // items that are no entries, or whose payload is no transaction
    std::uint64_t wrong_home = 0;
    std::uint64_t left_out = 0;  // cannot be executed at their places
    std::uint64_t ignored = 0;   // entries
};

/// What the digest of an order says of the last merged block.
struct SaidOrder {
    std::uint64_t number = 0;
    consensus_adapter::lanes::Cut cut;
};
/// nullopt: these are no such bytes of so many lanes.
[[nodiscard]] std::optional<SaidOrder> read_said(BytesView said, std::size_t lane_count);

/// Of merged blocks that wait to be executed, as memory_of() counts; one block may be more.
inline constexpr std::size_t kMostOrderedBytes = std::size_t{4} << 20;

/// How often a block is made anew without what took room that nobody pays for. What blocks are
/// follows from it: the same on every node of a chain.
inline constexpr unsigned kMostRepeats = 8;

/// The same on every node of a chain.
struct MergedChainRules {
    consensus_adapter::lanes::HomeRanges homes;
    std::optional<Address> mover;  // who may move homes that are not its own
};

/// Transactions of a merged block in their order, as far as a block has room for all they ask for.
struct MergedPart {
    std::vector<Transaction> transactions;
    std::vector<ObjectSet> object_sets;
    std::uint64_t gas = 0;  // of their limits
    std::size_t bytes = 0;  // in a block
};

enum class MergedChainFault : std::uint8_t {
    not_executable,  // a merged block cannot be a block of the chain
    storage_failed,
    other_logs,  // the chain that is here was made from other logs
};
struct MergedChainError {
    MergedChainFault fault = MergedChainFault::not_executable;
    std::string sentence;
};

/// Thread safety: execute() one caller at a time; homes from any thread, for they are those of the
/// chain's state.
class MergedChain {
public:
    /// Of a placement that comes to nothing: its digest and why, one sentence. From execute().
    using OnFailed = std::function<void(const Hash& digest, const std::string& reason)>;

    /// Everything outlives it.
    MergedChain(const Chain& chain, consensus_adapter::Application& application,
                MergedChainRules rules, OnFailed on_failed = nullptr);

    /// Blocks up to this one are made; the next merged block is that which comes after. Before the
    /// first execute(). @param order  Digest of the order up to there, as in its extra data.
    void go_on_after(std::uint64_t block, const Hash& order);
    /// The last block that was made or compared, and the digest of the order up to there.
    [[nodiscard]] std::uint64_t last_block() const noexcept { return next_ - 1; }
    [[nodiscard]] const Hash& order() const noexcept { return order_; }
    /// What order() is the digest of, so that who knows the digest can be shown the cut; empty
    /// where nothing has been executed since go_on_after().
    [[nodiscard]] const Bytes& said() const noexcept { return said_; }

    /// The next merged block, from number 1 on: executes and keeps it, or finds that it is kept.
    [[nodiscard]] std::expected<void, MergedChainError> execute(
        consensus_adapter::lanes::MergedBlock merged);
    [[nodiscard]] const LanesReport& report() const noexcept { return report_; }

    /// As consensus_adapter::lanes::place(), on the homes after the chain's last block.
    [[nodiscard]] consensus_adapter::lanes::Placement place(const ObjectSet& objects) const;
    /// A move as it would be right now; nullopt: there is no such unit, or it is there.
    [[nodiscard]] std::optional<consensus_adapter::lanes::Placement> place_move(
        const consensus_adapter::lanes::HomeUnit& unit,
        consensus_adapter::lanes::LaneNumber new_home) const;
    [[nodiscard]] std::vector<consensus_adapter::lanes::HomeUnit> units_of(
        const Address& address) const;
    [[nodiscard]] consensus_adapter::lanes::Home home_of(
        const consensus_adapter::lanes::HomeUnit& unit) const;

private:
    /// A move that is among the transactions.
    struct AskedMove {
        Hash digest;
        consensus_adapter::lanes::HomeUnit unit;
        consensus_adapter::lanes::Home home;  // where it goes
    };
    void count(const consensus_adapter::lanes::MergedBlock& merged);
    void note_order(const consensus_adapter::lanes::MergedBlock& merged);
    void add(std::vector<MergedPart>& parts, std::vector<AskedMove>& moves,
             consensus_adapter::lanes::OrderedEntry entry);
    [[nodiscard]] std::expected<void, MergedChainError> stand_on_state();
    void note_moves(const std::vector<AskedMove>& asked);
    [[nodiscard]] std::expected<void, MergedChainError> keep(std::vector<MergedPart> parts,
                                                             std::uint64_t time_ms);
    [[nodiscard]] std::expected<std::size_t, MergedChainError> compare(
        std::span<const MergedPart> parts) const;
    [[nodiscard]] std::expected<std::size_t, MergedChainError> make(std::span<MergedPart> parts,
                                                                    std::uint64_t time_ms);
    [[nodiscard]] consensus_adapter::OrderedBlock block_of(std::span<MergedPart> parts,
                                                           std::uint64_t time_ms, bool takes) const;
    [[nodiscard]] bool is_full(std::uint64_t gas_used, std::size_t bytes) const noexcept;
    [[nodiscard]] std::unexpected<MergedChainError> made_from_other_logs() const;
    void fail(const Hash& digest, const std::string& reason) const;

    const Chain& chain_;
    consensus_adapter::Application& application_;
    const std::optional<Address> mover_;
    const OnFailed on_failed_;
    const std::uint64_t gas_limit_;  // of every block

    const consensus_adapter::lanes::RangeDirectory ranges_;

    // Of execute().
    consensus_adapter::lanes::CachedHomes homes_;  // before the merged block
    std::unique_ptr<ledger::PastState> past_;      // null: homes stand on the newest state
    std::uint64_t next_ = 1;                       // number of the block that comes next
    Hash order_;                                   // digest of the order so far
    Bytes said_;                                   // that it is of
    LanesReport report_;
};

}  // namespace heddle::node::lanes
