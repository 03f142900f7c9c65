// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A lane as an application of CometBFT: what may wait for a place in its log, what its proposers
// propose, and the log itself. It executes nothing and knows no state: whether an entry's
// transaction can be paid for is seen where lanes are merged, and before that by who is asked
// (PayerCheck).
//
// A block of the leading lane begins with an item that names a cut:
//
// | field   | size | what                                     |
// |---------|------|------------------------------------------|
// | magic   | 4    | "HLC1"                                   |
// | lanes   | 1    | of the chain                             |
// | heights | 8    | of each lane                             |
// | silent  | 8    | bits of the lanes that nothing came of   |
//
// Integers are little-endian.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/transaction.hpp>

#include <consensus_adapter/cometbft/ordering_host.hpp>
#include <consensus_adapter/lanes/cut.hpp>
#include <consensus_adapter/lanes/lane_store.hpp>

namespace heddle::consensus_adapter::lanes {

/// The same for every validator of the lane, but for the bounds of what waits.
struct LaneRules {
    LaneLogHead head;
    std::string comet_chain_id;  // CometBFT's name of the lane's network
    std::uint64_t chain_id = 0;  // of the transactions
    std::optional<Address> mover;
    /// In wei: a transaction that offers less for a gas is not taken. What others propose may.
    std::uint64_t min_fee_per_gas = 0;
    std::size_t max_waiting = 50'000;
    std::size_t max_waiting_of_sender = 4'096;
    /// What has waited for so many heights is forgotten; CometBFT may bring it again.
    std::uint64_t max_waiting_heights = 64;
    /// Of the newest entries of the log, none of which waits once more: nobody pays for it again.
    std::size_t remembered_entries = 262'144;
    /// Of the log, below its end; of more than twice as many the oldest are given up, or, where
    /// that fails, after as many heights again. 0: all are kept. Each validator's own.
    std::uint64_t retain_blocks = 0;
    std::uint64_t silence_ms = 5'000;       // of another lane, until a cut names it as silent
    std::uint64_t max_hold_us = 2'000'000;  // for an entry that wants to be inserted later
    /// How many validators of each lane the leading lane watches; one where nothing is said.
    std::vector<std::size_t> witnesses;
    /// How long a validator of the leading lane waits for what a proposed cut names.
    std::chrono::milliseconds cut_patience{500};
};

/// Microseconds; from any thread.
struct LaneClocks {
    /// Since 1970, as everybody's clocks say; somebody may set it.
    std::function<std::uint64_t()> wall;
    /// Since whenever. It never goes back and never jumps: how long a lane has been silent does not
    /// depend on who sets clocks.
    std::function<std::uint64_t()> steady;
};

/// Why an entry may not wait; the numbers are those that CheckTx answers.
enum class LaneRefusal : std::uint32_t {
    no_entry = 1,        // EntryFault, in words
    no_transaction = 2,  // it brings none that is signed and of this chain
    not_its_sender = 3,  // its units are not about who signed it
    no_move = 4,         // nobody who may has signed the move
    low_fee = 5,
    too_many = 6,                             // wait, of this sender or of all
    there_already = cometbft::kThereAlready,  // in the log
    cannot_pay = 8,                           // its sender, as PayerCheck says
};

/// Of transactions whose senders are known: why each may not wait, by what is known of its sender's
/// account; nullopt: it may. From any thread.
using PayerCheck =
    std::function<std::vector<std::optional<std::string>>(std::span<const Transaction>)>;

/// Threads. CometBFT's connections call as OrderingHost says; saw() comes from whoever watches the
/// other lanes. `mutex_` guards what waits and what was seen of other lanes; it is held for
/// microseconds, never while a signature is checked or the disk is waited for. The log has a lock
/// of its own. What is being decided belongs to the one caller of the block calls.
class LaneApplication final : public cometbft::OrderingHost {
public:
    /// @param store   Of this lane; outlives it.
    /// @param payers  Empty: nobody is asked, and whoever signs is taken.
    LaneApplication(LaneStore& store, LaneRules rules, LaneClocks clocks, PayerCheck payers = {});

    /// The leading lane is told what the others say they have decided. Thread safety: any.
    /// @return false: the witness has said what is not so (CutMaker::is_doubted()).
    bool saw(Witness witness, std::uint64_t height);
    bool saw(LaneNumber lane, std::uint64_t height) { return saw(Witness{lane}, height); }
    /// How many witnesses say what is not so. Thread safety: any.
    [[nodiscard]] std::size_t doubted() const;
    /// Entries that wait, as far as they came through CheckTx here.
    [[nodiscard]] std::size_t waiting() const;
    /// Why the log has more old blocks than it should: its disk has no room to write the others
    /// anew, say. It goes on with them. nullopt: it has not. Thread safety: any.
    [[nodiscard]] std::optional<std::string> why_old_are_kept() const;
    [[nodiscard]] const LaneRules& rules() const noexcept { return rules_; }
    [[nodiscard]] const LaneStore& store() const noexcept { return store_; }

    /// check_all() of one.
    [[nodiscard]] std::expected<std::uint64_t, cometbft::Refusal> check(BytesView item);

    // As OrderingHost.
    [[nodiscard]] cometbft::OrderedHead committed() const override;
    [[nodiscard]] std::expected<void, std::string> begin(
        const cometbft::ChainStart& start) override;
    [[nodiscard]] std::vector<std::expected<std::uint64_t, cometbft::Refusal>> check_all(
        std::span<const BytesView> items) override;
    [[nodiscard]] std::vector<Bytes> propose(const cometbft::OrderingTurn& turn,
                                             std::span<const BytesView> pending,
                                             std::size_t max_bytes) override;
    [[nodiscard]] std::expected<void, std::string> judge(const cometbft::OrderingTurn& turn,
                                                         std::span<const BytesView> items) override;
    [[nodiscard]] std::expected<cometbft::OrderedItems, std::string> finalize(
        const cometbft::OrderingTurn& turn, std::span<const BytesView> items) override;
    [[nodiscard]] std::expected<std::uint64_t, std::string> commit() override;

private:
    /// An entry that is good in itself.
    struct Checked {
        Address sender;
        std::uint64_t gas = 0;
    };
    struct Waiting {
        Checked checked;
        std::uint64_t height = 0;  // when it came
    };
    struct Decided {
        Bytes block;  // encoded
        std::vector<Hash> items;
    };

    [[nodiscard]] std::uint64_t steady_ms() const;
    [[nodiscard]] bool leads() const noexcept { return rules_.head.lane == rules_.head.leading; }
    using Verdict = std::expected<std::uint64_t, cometbft::Refusal>;
    /// What an entry that is good in itself brings, with its sender.
    [[nodiscard]] std::expected<Transaction, cometbft::Refusal> look_at(
        BytesView item, std::uint64_t min_fee_per_gas) const;
    [[nodiscard]] std::optional<std::uint64_t> gas_of_waiting(const Hash& item) const;
    /// Of an item that nobody needs to look at; nullopt: it is new, and there is room.
    [[nodiscard]] std::optional<Verdict> known(const Hash& item) const;
    [[nodiscard]] std::optional<Verdict> known_locked(const Hash& item) const;  // with mutex_
    [[nodiscard]] Verdict let_in(const Hash& item, const Checked& checked);
    [[nodiscard]] std::expected<void, std::string> judge_cut(const Cut& cut);
    void give_up_old();
    /// What the log has had last, from its end.
    void recall();
    void remember(const Hash& item);  // with mutex_
    void forget(const Hash& item);    // with mutex_
    void forget_old();                // with mutex_

    LaneStore& store_;
    const LaneRules rules_;
    const LaneClocks clocks_;
    const PayerCheck payers_;

    mutable std::mutex mutex_;
    std::condition_variable seen_;  // another lane has gone on
    CutMaker cuts_;                 // guarded by mutex_, as what follows
    std::unordered_map<Hash, Waiting, HashHasher> waiting_;
    std::unordered_map<Address, std::size_t, AddressHasher> waiting_of_;
    std::deque<std::pair<std::uint64_t, Hash>> arrivals_;  // of waiting_, the oldest first
    std::unordered_set<Hash, HashHasher> ordered_;         // in the log, LaneRules bounds them
    std::deque<Hash> in_order_;                            // the same, the oldest first

    std::optional<std::string> why_old_are_kept_;  // guarded by mutex_; the last of it

    std::optional<Decided> decided_;    // of the caller of block calls
    std::uint64_t next_giving_up_ = 0;  // the same; a height, after a failure
};

/// What a lane's log has of a height that was decided: the only block of these items.
[[nodiscard]] LaneBlock lane_block_of(const LaneLogHead& head, const cometbft::OrderingTurn& turn,
                                      std::span<const BytesView> items);

/// The item that names a cut, and what it says; nullopt: it is none of a chain of so many lanes.
[[nodiscard]] Bytes encode_cut(const Cut& cut);
[[nodiscard]] std::optional<Cut> decode_cut(BytesView item, std::size_t lane_count);

}  // namespace heddle::consensus_adapter::lanes
