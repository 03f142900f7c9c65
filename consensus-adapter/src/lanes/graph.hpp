// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The graph of transactions that are not decided: who comes after whom, as each lane says. Which of
// it is stable and in what order that goes is stable_walk.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <types/hash.hpp>
#include <types/keyed_hash.hpp>
#include <types/object.hpp>

#include <consensus_adapter/lanes/lane.hpp>
#include <consensus_adapter/lanes/merger.hpp>

#include "lanes/field_reader.hpp"
#include "lanes/link_pool.hpp"
#include "lanes/place_index.hpp"

namespace heddle::consensus_adapter::lanes {

/// | state      | event                                             | next       |
/// |------------|---------------------------------------------------|------------|
/// | absent     | first entry                                       | incomplete |
/// | incomplete | the last of its entries, or rejected              | fresh      |
/// | fresh      | the walk meets something incomplete before it     | waiting    |
/// | fresh      | the walk closes its component                     | stable     |
/// | waiting    | what it hangs on is complete or rejected          | fresh      |
/// | stable     | the cut is over                                   | absent     |
enum class VertexState : std::uint8_t { absent, incomplete, fresh, waiting, stable };

struct Vertex {
    LaneSet lanes;
    LaneSet seen;  // lanes whose entry has come
    LinkList edges;
    std::uint32_t weight = 0;           // as MergeRules::max_waiting counts
    std::uint32_t visit = 0;            // of the walk in this cut, from 1; 0: not yet
    std::uint32_t low = 0;              // least visit that its component is known to reach
    std::uint32_t hangs_on = kNone;     // waiting: slot of something incomplete
    std::uint32_t waiters = kNone;      // incomplete: slot of the last one that hangs on it
    std::uint32_t next_waiter = kNone;  // waiting: the one before it
    VertexState state = VertexState::absent;
    bool is_rejected = false;
    bool has_waited = false;
    std::uint64_t cut = 0;  // of its first entry
    std::uint64_t content = 0;
    TransactionId id;
    Hash digest;
};

/// Whom the accesses of one lane come after: by object, the last exclusive one and the shared ones
/// since. Objects whose last accesses are decided are forgotten from time to time, so that it is as
/// large as what is new and what waits.
class ObjectTails {
public:
    struct Record {
        ObjectId object;
        std::uint64_t writer_serial = 0;
        std::uint32_t writer_slot = kNone;
        std::uint32_t prune_at = 0;  // readers
        std::uint64_t last_reader_serial = 0;
        LinkList readers;
        std::uint32_t hash = 0;  // as much of it as the index looks at
    };
    [[nodiscard]] static std::uint64_t hash_of(const ObjectId& object) noexcept {
        HashedWords account = hashed_words(object.address);
        account.number = static_cast<std::uint64_t>(object.kind);
        const std::uint64_t hash = keyed_hash(kHashKey, account);
        return object.slot.is_zero() ? hash : keyed_hash(kHashKey, hashed_words(object.slot, hash));
    }

    /// Found or made. Good until the next call.
    [[nodiscard]] Record& at(const ObjectId& object, std::uint64_t hash);
    void prefetch_place(std::uint64_t hash) const noexcept { index_.prefetch(hash); }
    void prefetch_record(std::uint64_t hash) const noexcept {
        const std::uint32_t found = index_.candidate(hash);
        if (found == PlaceIndex::kAbsent) return;
        const auto* const bytes = reinterpret_cast<const char*>(&records_[found]);
        __builtin_prefetch(bytes);
        __builtin_prefetch(bytes + 64);
        __builtin_prefetch(bytes + sizeof(Record) - 1);  // it may begin anywhere in a line
    }
    /// Whether it is time to forget. Nothing is decided while a cut's entries come, so that is
    /// looked at between cuts.
    [[nodiscard]] bool is_full() const noexcept { return records_.size() >= limit_; }
    /// Keeps the records that `keep(record)` wants.
    template <typename Keep>
    void forget(Keep&& keep);
    [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
    [[nodiscard]] std::span<const Record> records() const noexcept { return records_; }

private:
    static constexpr std::size_t kMinimumLimit = std::size_t{1} << 14;

    PlaceIndex index_;
    std::vector<Record> records_;
    std::size_t limit_ = kMinimumLimit;
};

template <typename Keep>
void ObjectTails::forget(Keep&& keep) {
    std::erase_if(records_, [&](Record& record) { return !keep(record); });
    limit_ = std::max(kMinimumLimit, 2 * records_.size());
    index_.rebuild_for(records_.size(), limit_,
                       [this](std::uint32_t i) { return records_[i].hash; });
}

/// Transactions by digest: those that wait, and the last ones that are decided, in two halves of
/// which the older is dropped whole.
class KnownTransactions {
public:
    struct Record {
        Hash digest;
        std::uint64_t serial = 0;
        std::uint32_t slot = kNone;
    };
    explicit KnownTransactions(std::size_t remembered) : remembered_(remembered) {}

    /// nullptr: not known. `hash` is that of the digest.
    [[nodiscard]] const Record* find(std::uint64_t hash, const Hash& digest) const noexcept {
        const Record* const found = present_.find(hash, digest);
        return found != nullptr ? found : past_.find(hash, digest);
    }
    void prefetch(std::uint64_t hash) const noexcept {
        present_.index.prefetch(hash);
        past_.index.prefetch(hash);
    }
    /// One that find() did not find. `waits(record)` says whether a record must not be forgotten.
    template <typename Waits>
    void add(std::uint64_t hash, const Record& record, Waits&& waits);
    [[nodiscard]] std::size_t size() const noexcept {
        return present_.records.size() + past_.records.size();
    }
    // For checkpoints: the older half and the newer one, and one record more for either.
    [[nodiscard]] const std::vector<Record>& past() const noexcept { return past_.records; }
    [[nodiscard]] const std::vector<Record>& present() const noexcept { return present_.records; }
    void put_back(bool is_present, std::uint64_t hash, const Record& record) {
        (is_present ? present_ : past_).add(hash, record);
    }

private:
    struct Half {
        PlaceIndex index;
        std::vector<Record> records;

        [[nodiscard]] const Record* find(std::uint64_t hash, const Hash& digest) const noexcept {
            const std::uint32_t found =
                index.find(hash, [&](std::uint32_t i) { return records[i].digest == digest; });
            return found == PlaceIndex::kAbsent ? nullptr : &records[found];
        }
        void add(std::uint64_t hash, const Record& record) {
            index.insert(hash);
            records.push_back(record);
        }
    };
    const std::size_t remembered_;
    Half present_;
    Half past_;
};

template <typename Waits>
void KnownTransactions::add(std::uint64_t hash, const Record& record, Waits&& waits) {
    if (present_.records.size() >= remembered_) {
        std::vector<Record> kept;
        for (const Record& old : past_.records)
            if (waits(old)) kept.push_back(old);
        std::swap(past_, present_);
        present_.index.rebuild_for(0, remembered_, [](std::uint32_t) { return std::uint32_t{0}; });
        present_.records.clear();
        for (const Record& old : kept)
            present_.add(HashHasher{}(old.digest), old);
    }
    present_.add(hash, record);
}

/// An entry on its way in, with the hashes by which it is looked up.
struct Arrival {
    const MergeEntry* entry = nullptr;
    std::span<const LaneAccess> accesses;
    LaneNumber lane = 0;
    std::uint64_t digest_hash = 0;
    std::span<const std::uint64_t> object_hashes;  // of the accesses
};

/// What became of an entry.
enum class Inserted : std::uint8_t {
    arrived,    // a new transaction
    joined,     // one that was there, and still misses an entry
    completed,  // one that was there, and has all of them now
    ignored,    // it had one in this lane, or is decided
};

/// Thread safety: none.
class Graph {
public:
    Graph(const MergeRules& rules, MergeWork& work);

    struct Insertion {
        Inserted what = Inserted::ignored;
        std::uint32_t slot = kNone;
        bool is_content_used = false;
    };
    /// A transaction that is complete at once is `fresh`, one that is completed becomes so.
    [[nodiscard]] Insertion insert(const Arrival& arrival, std::uint64_t cut);
    /// A cut begins: what came before and is gone need not be looked up any more, unless something
    /// waits; and objects are forgotten where they have become many.
    void begin_cut();
    /// Two steps to the memory that inserting them will read: first where to look, then, some time
    /// after, what is there.
    void prefetch_places(std::span<const Arrival> arrivals) const noexcept;
    void prefetch_records(std::span<const Arrival> arrivals) const noexcept;
    /// Forgets a transaction and its edges.
    void remove(std::uint32_t slot);

    [[nodiscard]] Vertex& at(std::uint32_t slot) noexcept { return vertices_[slot]; }
    /// Null where the transaction is decided.
    [[nodiscard]] Vertex* find(VertexLink link) noexcept {
        return is_there(link) ? &vertices_[link.slot] : nullptr;
    }
    [[nodiscard]] bool has(VertexLink link) const noexcept { return is_there(link); }
    [[nodiscard]] VertexLink link_to(std::uint32_t slot) const noexcept {
        return {slot, static_cast<std::uint32_t>(serials_[slot])};
    }
    /// In the order of arrival, from 1; 0: there is none in this slot.
    [[nodiscard]] std::uint64_t serial_of(std::uint32_t slot) const noexcept {
        return serials_[slot];
    }
    [[nodiscard]] const LinkPool& links() const noexcept { return links_; }
    /// Of all that are here.
    [[nodiscard]] std::size_t weight() const noexcept { return weight_; }
    [[nodiscard]] std::size_t size() const noexcept { return vertices_.size() - free_.size(); }
    void count(MergeMemory& memory) const noexcept;

    // Between two cuts (graph_checkpoint.cpp).
    /// Appends it. @return by slot, the place that it is named by: its slot when it is restored.
    std::vector<std::uint32_t> save(Bytes& out) const;
    /// Into a graph that nothing was done with. @return false: the bytes are those of no graph, and
    /// this one is good for nothing.
    [[nodiscard]] bool restore(FieldReader& in);
    [[nodiscard]] std::uint32_t slots() const noexcept {
        return static_cast<std::uint32_t>(vertices_.size());
    }

private:
    using PendingEdges = std::vector<std::uint32_t>;
    [[nodiscard]] bool is_there(VertexLink link) const noexcept {
        const std::uint64_t serial = serials_[link.slot];
        return serial != 0 && static_cast<std::uint32_t>(serial) == link.stamp;
    }
    [[nodiscard]] bool is_there(std::uint32_t slot, std::uint64_t serial) const noexcept {
        return serial >= first_there_ && serials_[slot] == serial;
    }
    [[nodiscard]] std::uint32_t make_vertex(const Arrival& arrival, std::uint64_t cut);
    void place(ObjectTails::Record& record, std::uint32_t slot, bool is_exclusive);
    void add_edge(std::uint32_t slot, VertexLink from);
    void prune(ObjectTails::Record& record);
    void forget_objects(ObjectTails& tails);
    void save_links(const LinkList& list, std::span<const std::uint32_t> places, Bytes& out) const;
    void save_vertex(std::uint32_t slot, std::span<const std::uint32_t> places, Bytes& out) const;
    void save_tails(const ObjectTails& tails, std::span<const std::uint32_t> places,
                    Bytes& out) const;
    void restore_vertex(std::uint32_t slot, PendingEdges& edges, FieldReader& in);
    [[nodiscard]] std::vector<std::uint32_t> restore_places(FieldReader& in) const;
    [[nodiscard]] bool hang(std::uint32_t slot);
    void restore_tails(ObjectTails& tails, FieldReader& in);
    [[nodiscard]] bool restore_known(FieldReader& in);

    MergeWork& work_;
    LinkPool links_;
    std::vector<Vertex> vertices_;
    std::vector<std::uint64_t> serials_;  // by slot, apart: most looks want no more
    std::vector<std::uint32_t> free_;
    std::vector<ObjectTails> tails_;  // by lane
    KnownTransactions known_;
    std::uint64_t next_serial_ = 1;
    std::uint64_t first_there_ = 1;  // whatever came before is gone
    std::size_t weight_ = 0;
};

}  // namespace heddle::consensus_adapter::lanes
