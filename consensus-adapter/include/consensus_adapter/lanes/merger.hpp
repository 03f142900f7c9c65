// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Several ordered logs into one order, out of what they say alone (Detock §3): the graph of who
// follows whom on which object in which lane, its stable part at a cut, and the components of that.
// What transactions do, where their objects are at home and where blocks come from is not its
// business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/object.hpp>

#include <consensus_adapter/lanes/lane.hpp>

namespace heddle::consensus_adapter::lanes {

/// One object that an entry is about. Shared accesses need no order among themselves.
struct LaneAccess {
    ObjectId object;
    bool is_exclusive = true;
    friend bool operator==(const LaneAccess&, const LaneAccess&) = default;
};

/// What one lane's log says of one transaction: that it is there, and which objects with their home
/// in this lane it accesses. A transaction has such an entry in each of its lanes (the paper's
/// GraphPlacementTxn).
struct MergeEntry {
    TransactionId id;
    /// Of everything that its sender says of the transaction, `id` and `lanes` included: entries
    /// belong together where it is equal.
    Hash digest;
    LaneSet lanes;  // that have an entry each; not empty
    /// The caller's name for what is to be executed; 0: this entry does not bring it.
    std::uint64_t content = 0;
    std::uint32_t content_bytes = 0;  // that are kept for it while the transaction waits
    std::uint32_t first_access = 0;   // in MergeBlock::accesses
    std::uint32_t access_count = 0;
};

/// A lane's entries in their order, as far as the merger looks at them.
struct MergeBlock {
    std::vector<MergeEntry> entries;
    std::vector<LaneAccess> accesses;

    void add(MergeEntry entry, std::span<const LaneAccess> of_entry) {
        entry.first_access = static_cast<std::uint32_t>(accesses.size());
        entry.access_count = static_cast<std::uint32_t>(of_entry.size());
        accesses.insert(accesses.end(), of_entry.begin(), of_entry.end());
        entries.push_back(entry);
    }
};

/// What waits is counted in transactions, accesses and so many bytes of the entry that brings what
/// is to be executed.
inline constexpr std::uint32_t kContentBytesPerWaiting = 64;

/// The same on every node of a chain: results depend on them.
struct MergeRules {
    std::size_t lane_count = 1;
    /// An incomplete transaction is rejected at the cut that is so many behind the one at which its
    /// first entry came.
    std::uint64_t max_age_cuts = 16;
    /// A complete transaction waits no longer than this for incomplete ones before it: then comes a
    /// clearing cut, which rejects every incomplete transaction.
    std::uint64_t max_held_cuts = 64;
    /// A clearing cut comes as well when transactions that wait, with their accesses and each
    /// kContentBytesPerWaiting of `content_bytes`, are more than this.
    std::size_t max_waiting = std::size_t{1} << 20;
    /// How many transactions are known again when an entry of theirs comes once more. At least so
    /// many, at most twice as many.
    std::size_t remembered = std::size_t{1} << 19;
};

struct MergedTransaction {
    TransactionId id;
    Hash digest;
    std::uint64_t content = 0;  // of the first entry that brought it, in the order of arrival
};

enum class RejectionReason : std::uint8_t {
    incomplete,   // max_age_cuts have passed
    silent_lane,  // the cut names a lane as silent that it misses an entry of
    cleared,      // a clearing cut
    no_content,   // complete, but none of its entries brings what is to be executed
};
[[nodiscard]] std::string_view to_string(RejectionReason reason) noexcept;

struct RejectedTransaction {
    TransactionId id;
    Hash digest;
    std::uint64_t content = 0;
    RejectionReason reason = RejectionReason::incomplete;
    LaneSet missing;  // lanes without an entry of it
};

/// A transaction that waits for entries of other lanes.
struct IncompleteTransaction {
    Hash digest;
    std::uint64_t content = 0;
    LaneSet missing;  // lanes without an entry of it
};

/// What one cut comes to.
struct MergedCut {
    std::vector<MergedTransaction> order;
    std::vector<RejectedTransaction> rejected;
    /// Contents that nobody needs: of ignored entries, and of others after the first.
    std::vector<std::uint64_t> unused;
    std::uint64_t ignored_entries = 0;  // of transactions that had one in that lane, or are decided
    std::uint64_t components = 0;       // of more than one transaction
    std::uint64_t component_members = 0;  // of all of these
    std::uint64_t largest_component = 0;
    bool is_clearing = false;
};

/// What merging has cost since the beginning, for tests of bounds.
struct MergeWork {
    std::uint64_t entries = 0;
    std::uint64_t accesses = 0;
    std::uint64_t edges = 0;         // made
    std::uint64_t visits = 0;        // of transactions
    std::uint64_t edge_visits = 0;   // of edges
    std::uint64_t reader_moves = 0;  // shared accesses looked at to forget old ones
    std::uint64_t record_moves = 0;  // objects looked at to forget old ones
    std::uint64_t age_checks = 0;    // of those that wait
};

/// What it holds now.
struct MergeMemory {
    std::size_t waiting = 0;     // transactions
    std::size_t incomplete = 0;  // of these
    std::size_t vertices = 0;    // slots, taken or not
    std::size_t chunks = 0;      // of edges, taken or not
    std::size_t records = 0;     // objects
    std::size_t known = 0;       // transactions remembered
};

/// A transaction is a vertex from its first entry on. An entry gives it an edge from the last ones
/// before it in the same lane that it conflicts with, object by object: edges depend on one log
/// each, so they are the same whatever came first from where. A transaction is complete when each
/// of its lanes has given an entry, and stable when nothing incomplete reaches it. A cut puts the
/// stable ones in order and forgets them; the others wait for the next.
///
/// The order of a cut: transactions are walked in the order of their arrival (that of the cuts; in
/// a cut, the first entry of every lane, then the second, and so on), and before a transaction is
/// left, those that it has edges from are walked, in the order of its entries and their objects. A
/// strongly connected component takes its place when the walk leaves the first of its members that
/// it came to; inside, transactions stand by id, then digest.
///
/// A rejected transaction stays in the graph with nothing to execute, until it is stable: so order
/// through it is kept.
///
/// Invariants: (1) edges of a complete transaction never change; (2) one that is stable was never
/// reached by anything that comes later (Detock, lemma 3.4); (3) one that waits and is complete
/// hangs on one incomplete transaction that reaches it, and is looked at again only when that one
/// is complete or rejected: the cost of a cut is that of what is new and of what it sets free.
///
/// Thread safety: none. No clock, no chance: the result is a function of rules and calls.
class Merger {
public:
    explicit Merger(const MergeRules& rules);
    ~Merger();
    Merger(Merger&&) noexcept;
    Merger& operator=(Merger&&) noexcept;
    Merger(const Merger&) = delete;
    Merger& operator=(const Merger&) = delete;

    /// Merges what has come to every lane since the last cut.
    /// @param lanes   One list of blocks for each lane, in the order of its log; read only here.
    /// @param silent  Lanes that are not waited for.
    /// An entry in a lane that is not one of its `lanes`, or that names lanes beyond the chain's,
    /// is a programming error: whoever decodes entries refuses those.
    /// Complexity: linear in the entries and accesses that are new, and in transactions that waited
    /// for those that are completed or rejected by it, with their edges. Members of a component are
    /// sorted.
    [[nodiscard]] MergedCut merge(std::span<const std::vector<const MergeBlock*>> lanes,
                                  LaneSet silent = {});

    [[nodiscard]] const MergeWork& work() const noexcept;
    [[nodiscard]] MergeMemory memory() const noexcept;

    /// Appends all that later cuts depend on. Bytes: 36 for each transaction that is remembered,
    /// and what waits.
    void save(Bytes& out) const;
    /// One that goes on as the saved one would. nullopt: the bytes are those of none, or of one
    /// under other rules.
    [[nodiscard]] static std::optional<Merger> restore(const MergeRules& rules, BytesView bytes);
    /// Transactions that wait with what they will execute, unless they are rejected.
    [[nodiscard]] std::vector<MergedTransaction> waiting() const;
    /// Those that miss an entry and whose first one came `age` cuts before the last cut, in the
    /// order of arrival. Complexity: linear in the incomplete ones that came with that cut.
    [[nodiscard]] std::vector<IncompleteTransaction> incomplete_of_age(std::uint64_t age) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::consensus_adapter::lanes
