// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What this node has placed and what is not decided yet: when an entry is sent again, and when a
// transaction is placed anew. Who sends is lane_placer.hpp and entry_sender.hpp.
//
// A placement is decided by a merged block, for every node alike: it is in the order, or rejected.
// Until then it is the only one of its transaction here, so what is sent is its entry, the same
// bytes to every lane of it: one that has it already is ignored when lanes are merged (merger.hpp),
// however often it comes and whoever sends it. Only when it is decided, and has not put its
// transaction into a block, comes another placement: with another number, so another digest, which
// no late half of the first one can meet.
//
// A transaction of this node, in terms of its placement:
//
// | state   | event                                                 | next                        |
// |---------|-------------------------------------------------------|-----------------------------|
// | none    | placed, and a lane of it has taken the entry          | open                        |
// | none    | a lane of it does not answer, is silent or refuses    | waiting                     |
// | none    | one of its sender with a lower nonce is waiting       | waiting                     |
// | open    | nothing came of it in 6 merged blocks, 12, 24, 48, 96 | open, sent again to all     |
// | open    | and nothing in 192 after that: no lane wants it       | waiting                     |
// | open    | a lane of it answers again after it did not           | open, sent again to all,    |
// |         |                                                       | next after 6 blocks         |
// | open    | it is half placed for 4, 8 or 12 cuts                 | open, sent where it misses  |
// | open    | decided, and the transaction has left the pool        | none: it is in a block      |
// | open    | decided, and the transaction is in the pool still     | waiting                     |
// | waiting | its sender's pause is over, or a lane of it is back   | none: handed in, by nonce   |
// | any     | the transaction has left the pool                     | none                        |
//
// The pause of a sender begins anew whenever something of it comes to nothing: 0, 1, 3, 7, 15 and
// then 31 merged blocks, 1 at least where a lane is away; 64 quiet blocks or one that went into a
// block end the row. So whoever makes placements come to nothing costs an entry in 32 merged blocks
// for each transaction that they have in the pool, and can pay for as long as it is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <consensus_adapter/lanes/lane.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::node::lanes {

/// Of these numbers of merged blocks.
struct OpenPlacementsOptions {
    std::uint64_t quiet_blocks = 6;         // until an entry is sent again; doubled each time
    std::uint64_t most_quiet_blocks = 192;  // after which it is not, but placed anew
    std::uint64_t most_pause = 31;          // of a sender
    std::uint64_t forgiven_after = 64;
    // Beyond these something is not kept here, and comes again when whoever handed it in does so.
    std::size_t most_bytes = std::size_t{64} << 20;
    std::size_t most_placements = 131'072;
    std::size_t most_senders = 65'536;
    std::size_t most_sent = 256;  // again, in one merged block
};

/// A transaction of this node, as far as it matters here.
struct PlacedOne {
    Hash hash;
    Address sender;
    std::uint64_t nonce = 0;
};

/// An entry on its way.
struct SentEntry {
    Hash digest;
    Bytes entry;
    consensus_adapter::lanes::LaneSet lanes;  // that it is for
};

/// No clock but the numbers of merged blocks, no chance: what comes out is a function of the calls.
///
/// Thread safety: any; one lock, held while maps are looked at, and for as long as it takes to look
/// at all open placements where a lane is back. Nothing is called with it.
class OpenPlacements {
public:
    using LaneNumber = consensus_adapter::lanes::LaneNumber;
    using LaneSet = consensus_adapter::lanes::LaneSet;

    explicit OpenPlacements(OpenPlacementsOptions options = {}) : options_(options) {}

    // Of who places.
    /// The entry of a transaction's open placement, and the lanes that have not taken it; all of
    /// them, where all have.
    [[nodiscard]] std::optional<SentEntry> find(const Hash& transaction) const;
    /// Whether it is of no use to place it now: it would come before one that waits.
    [[nodiscard]] bool is_held_up(const PlacedOne& one) const;
    /// Before the entry is sent, for it may be decided before send() has come back.
    void placed(const PlacedOne& one, const SentEntry& entry);
    void taken(const Hash& digest, LaneSet lanes);
    /// None of its lanes has taken it.
    void forget(const Hash& digest);
    /// @param away  Lanes that it cannot go into now.
    void wait(const PlacedOne& one, LaneSet away);

    // Of whoever sends.
    void lane_failed(LaneNumber lane);
    void lane_answered(LaneNumber lane);
    /// Lanes that have failed since they answered last.
    [[nodiscard]] LaneSet failing() const;

    // Of who executes.
    [[nodiscard]] bool has(const Hash& digest) const;
    struct Due {
        std::vector<Hash> place;      // transactions, to be handed in; those of a sender by nonce
        std::vector<SentEntry> send;  // again
    };
    /// A merged block is executed, and the pool knows it.
    /// @param decided     Placements: in the order, or rejected.
    /// @param is_in_pool  Whether a transaction is, and could be executed next or after others that
    ///                    are; what cannot comes into the pool's arrivals when it can.
    /// Complexity: linear in `decided` and in what comes out.
    [[nodiscard]] Due on_block(std::uint64_t number, std::span<const Hash> decided,
                               const std::function<bool(const Hash&)>& is_in_pool);
    /// Open ones, and bytes that are kept of them.
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::size_t bytes() const;

private:
    struct Open {
        PlacedOne one;
        Bytes entry;
        LaneSet lanes;
        LaneSet left;  // that have not taken it
        std::uint64_t due = 0;
        std::uint64_t wait = 0;  // until the time after that
    };
    struct Sender {
        std::map<std::uint64_t, Hash> waiting;  // by nonce
        LaneSet away;                           // why; empty: something came to nothing
        unsigned failures = 0;
        std::uint64_t due = 0;
    };
    using Opens = std::unordered_map<Hash, Open, HashHasher>;
    using Senders = std::unordered_map<Address, Sender, AddressHasher>;

    void drop(Opens::iterator open);
    void hold(const PlacedOne& one, LaneSet away);
    void set_due(const Hash& digest, Open& open, std::uint64_t number);
    [[nodiscard]] std::uint64_t pause_after(unsigned failures) const noexcept;
    void take_back_lanes();
    void senders_due(Due& due);
    [[nodiscard]] std::vector<Hash> opens_due();
    [[nodiscard]] std::optional<SentEntry> again(Opens::iterator open);

    const OpenPlacementsOptions options_;
    mutable std::mutex mutex_;
    // Guarded by mutex_. Timers of what has another time now, or is gone, mean nothing. They are
    // ordered, so that the order of hash tables, which no two processes share, decides nothing.
    std::uint64_t block_ = 0;
    Opens open_;                                                 // by digest
    std::unordered_map<Hash, Hash, HashHasher> by_transaction_;  // its digest
    std::set<std::pair<std::uint64_t, Hash>> open_timers_;
    Senders senders_;
    std::set<std::pair<std::uint64_t, Address>> sender_timers_;
    std::size_t bytes_ = 0;
    LaneSet failing_;
    LaneSet back_;  // since the last merged block
};

}  // namespace heddle::node::lanes
