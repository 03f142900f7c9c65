// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/state_walk.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>
#include <vector>

#include <types/expected.hpp>
#include <types/rlp.hpp>

#include "durable/block_changes.hpp"
#include "durable/past_cursor.hpp"
#include "storage/schema.hpp"
#include "trie/trie_builder.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

namespace {

/// Parts for each thread in one round, so that a long one holds up few.
constexpr std::size_t kPartsPerThread = 4;
constexpr unsigned kMaxPartBits = 16;
/// About; what an account's leaf takes while its part grows.
constexpr std::size_t kLeafBytes = 256;
constexpr std::size_t kLeastPartKeys = 256;

Hash to_hash(BytesView bytes) noexcept {
    Hash hash;
    std::ranges::copy(bytes.first(sizeof hash.bytes), hash.bytes.begin());
    return hash;
}

std::string name(Table table, BytesView key) {
    return std::string{"table "} + table_name(table) + ", key " + to_hex(key);
}

/// The keys from `begin` on that are below `end`; an empty `end` is behind all keys.
struct PartRange {
    Bytes begin;
    Bytes end;

    [[nodiscard]] bool contains(BytesView key) const noexcept {
        return end.empty() || std::ranges::lexicographical_compare(key, end);
    }
};

/// Part `index` of 2^`bits`, by the first bits of the keys.
PartRange part_range(std::size_t index, unsigned bits) {
    const auto bound = [bits](std::size_t i) -> Bytes {
        const std::size_t first = i << (kMaxPartBits - bits);
        if (i == 0 || first >> kMaxPartBits != 0) return {};
        return {static_cast<std::uint8_t>(first >> 8), static_cast<std::uint8_t>(first)};
    };
    return {bound(index), bound(index + 1)};
}

struct WalkedNode {
    const Hash& owner;
    NibblesView path;
    BytesView encoded;
};

/// Tells on_node of a node, and `problem` what is wrong with it.
/// @param taken  Its error ends the walk: nothing is told after it.
template <typename Problem>
void tell_node(const StateWalkOptions& options, const WalkedNode& node,
               std::expected<void, LedgerError>& taken, Problem&& problem) {
    if (!options.on_node || !taken.has_value()) return;
    auto wrong = options.on_node(node.owner, node.path, node.encoded);
    if (!wrong.has_value())
        taken = std::unexpected(std::move(wrong).error());
    else if (wrong->has_value())
        problem(**std::move(wrong));
}

/// What the walk over one part has found.
struct PartFindings {
    struct Leaf {
        Hash account;
        std::size_t size = 0;  // of its value, which stands behind the one before
    };
    std::vector<Leaf> leaves;
    Bytes values;
    std::vector<std::string> problems;
    StateWalkCounts counts;
    std::expected<void, LedgerError> ended;
};

/// Walks one part. Thread safety: none; one for each part.
class PartWalk {
public:
    PartWalk(const Database& database, const StateWalkOptions& options, PartRange range)
        : database_(database),
          options_(options),
          range_(std::move(range)),
          accounts_(database, Table::accounts, options.number),
          slots_(database, Table::slots, options.number),
          storage_trie_([this](NibblesView path, BytesView node) { take_node(path, node); }) {
        if (range_.begin.empty()) return;
        accounts_.seek(range_.begin);
        slots_.seek(range_.begin);
    }

    PartFindings run() {
        found_.ended = walk();
        return std::move(found_);
    }

private:
    std::expected<void, LedgerError> walk() {
        for (; has(accounts_); accounts_.next()) {
            HEDDLE_CHECK(check_cursors());
            if (accounts_.key().size() != sizeof(Hash)) {
                problem(name(Table::accounts, accounts_.key()) + " has a key of another size");
                continue;
            }
            account_ = to_hash(accounts_.key());
            skip_orphans();
            HEDDLE_CHECK(take_account());
        }
        HEDDLE_CHECK(check_cursors());
        for (; has(slots_); slots_.next())
            report_orphan();
        return check_cursors();
    }

    /// One that fails only seems to be at the end: what it did not come to is not missing.
    [[nodiscard]] std::expected<void, LedgerError> check_cursors() const {
        HEDDLE_CHECK(accounts_.error());
        return slots_.error();
    }

    void take_node(NibblesView path, BytesView node) {
        ++found_.counts.trie_nodes;
        tell_node(options_, {account_, path, node}, node_checked_,
                  [this](std::string text) { problem(std::move(text)); });
    }

    [[nodiscard]] bool has(const PastCursor& cursor) const {
        return cursor.valid() && range_.contains(cursor.key());
    }

    void problem(std::string text) { found_.problems.push_back(std::move(text)); }

    void report_orphan() {
        if (slots_.key().size() != 2 * sizeof(Hash)) {
            problem(name(Table::slots, slots_.key()) + " has a key of another size");
            return;
        }
        if (slots_.is_past() &&
            !schema::decode_past_slot(slots_.value()).value_or(Uint256{1}).is_zero())
            problem(name(Table::history, slots_.key()) + ": the slot has no account");
        else if (!slots_.is_past())
            problem(name(Table::slots, slots_.key()) + ": the slot has no account");
    }

    /// Those of accounts that are not there.
    void skip_orphans() {
        const auto is_before = [&] {
            const BytesView key = slots_.key();
            return key.size() < sizeof(Hash) || to_hash(key) < account_;
        };
        for (; has(slots_) && is_before(); slots_.next())
            report_orphan();
    }

    std::expected<void, LedgerError> take_account() {
        const std::optional<AccountRecord> record = account_record();
        while (has(slots_) && slots_.key().size() >= sizeof(Hash) &&
               to_hash(slots_.key()) == account_) {
            if (record.has_value() && slots_.key().size() == 2 * sizeof(Hash))
                take_slot();
            else if (!slots_.is_past())
                report_orphan();
            slots_.next();
        }
        HEDDLE_CHECK(check_cursors());
        const Hash root = storage_trie_.finish();
        HEDDLE_CHECK(node_checked_);
        if (!record.has_value()) return {};
        if (root != record->storage_root)
            problem(name(Table::accounts, account_.view()) + ": its storage root is " +
                    to_string(record->storage_root) + ", that of its slots " + to_string(root));
        ++found_.counts.accounts;
        const std::size_t before = found_.values.size();
        schema::encode_account_leaf(*record, found_.values);
        found_.leaves.push_back({account_, found_.values.size() - before});
        return check_code(record->account);
    }

    /// nullopt: it did not exist then, or does not decode.
    std::optional<AccountRecord> account_record() {
        if (accounts_.is_past()) {
            const auto past = schema::decode_past_account(accounts_.value());
            if (past.has_value()) return *past;
            problem(name(Table::history, accounts_.key()) + " does not decode");
            return std::nullopt;
        }
        const auto entry = schema::decode_account_entry(accounts_.value());
        if (!entry.has_value()) {
            problem(name(Table::accounts, accounts_.key()) + " does not decode");
            return std::nullopt;
        }
        if (schema::hash_of(entry->address) != account_)
            problem(name(Table::accounts, accounts_.key()) + " is not the hash of address " +
                    to_string(entry->address));
        return entry->record;
    }

    void take_slot() {
        const Hash hash = to_hash(slots_.key().last(sizeof(Hash)));
        Uint256 value;
        if (slots_.is_past()) {
            const auto past = schema::decode_past_slot(slots_.value());
            if (!past.has_value()) problem(name(Table::history, slots_.key()) + " does not decode");
            value = past.value_or(Uint256{});
        } else {
            const auto entry = schema::decode_slot_entry(slots_.value());
            if (!entry.has_value())
                problem(name(Table::slots, slots_.key()) + " does not decode");
            else if (schema::hash_of_slot(entry->slot) != hash)
                problem(name(Table::slots, slots_.key()) + " is not the hash of slot " +
                        to_hex(entry->slot));
            if (entry.has_value()) value = entry->value;
        }
        if (value.is_zero()) return;
        leaf_.clear();
        rlp::encode_uint256(value, leaf_);
        (void)storage_trie_.add(hash, leaf_);
        ++found_.counts.slots;
    }

    std::expected<void, LedgerError> check_code(const Account& account) {
        if (!account.has_code() || !codes_.insert(account.code_hash).second) return {};
        HEDDLE_TRY(const auto code, database_.get(Table::codes, account.code_hash.view()));
        if (!code.has_value())
            problem(name(Table::codes, account.code_hash.view()) +
                    " is missing: it is the code of account " + to_string(account_));
        return {};
    }

    const Database& database_;
    const StateWalkOptions& options_;
    PartRange range_;
    PastCursor accounts_;
    PastCursor slots_;
    TrieBuilder storage_trie_;
    Hash account_;  // of the account being visited
    Bytes leaf_;
    std::unordered_set<Hash, HashHasher> codes_;     // that accounts of the part refer to
    std::expected<void, LedgerError> node_checked_;  // by on_node
    PartFindings found_;
};

/// Sends threads over the parts and puts together what they find, in the order of the parts.
class StateWalk {
public:
    StateWalk(const Database& database, const StateWalkOptions& options, const OnProblem& problem,
              StateWalkCounts& counts)
        : database_(database),
          options_(options),
          problem_(problem),
          counts_(counts),
          crew_(std::max(options.threads, 1U)),
          account_trie_([this](NibblesView path, BytesView node) {
              ++counts_.trie_nodes;
              tell_node(options_, {kAccountTrie, path, node}, taken_, problem_);
          }) {}

    std::expected<Hash, LedgerError> run() {
        const unsigned bits = part_bits();
        const std::size_t parts = std::size_t{1} << bits;
        const std::size_t round = round_size();
        std::vector<PartFindings> before;
        for (std::size_t first = 0; first < parts; first += round) {
            std::vector<PartFindings> found(std::min(round, parts - first));
            crew_.for_each(found.size() + 1, [&](std::size_t i) {
                if (i == 0)
                    take(before);
                else
                    found[i - 1] =
                        PartWalk(database_, options_, part_range(first + i - 1, bits)).run();
            });
            HEDDLE_CHECK(taken_);
            before = std::move(found);
            if (options_.on_progress) options_.on_progress(counts_);
        }
        take(before);
        HEDDLE_CHECK(taken_);
        const Hash root = account_trie_.finish();
        HEDDLE_CHECK(taken_);
        return root;
    }

private:
    [[nodiscard]] std::size_t round_size() const {
        return kPartsPerThread * std::max(options_.threads, 1U);
    }

    [[nodiscard]] unsigned part_bits() const {
        const std::uint64_t keys =
            database_.stats(Table::accounts).keys + database_.stats(Table::slots).keys;
        // A round is walked while the one before is put together.
        const std::size_t fitting = options_.memory_bytes / (2 * round_size() * kLeafBytes);
        const std::size_t part_keys =
            std::min(options_.part_keys, std::max(fitting, kLeastPartKeys));
        const std::uint64_t parts = keys / std::max<std::size_t>(part_keys, 1) + 1;
        return std::min(static_cast<unsigned>(std::bit_width(parts - 1)), kMaxPartBits);
    }

    void take(const std::vector<PartFindings>& parts) {
        for (const PartFindings& part : parts) {
            if (!taken_.has_value()) return;
            taken_ = part.ended;
            take(part);
        }
    }

    void take(const PartFindings& part) {
        std::size_t offset = 0;
        for (const PartFindings::Leaf& leaf : part.leaves) {
            (void)account_trie_.add(leaf.account,
                                    BytesView(part.values).subspan(offset, leaf.size));
            offset += leaf.size;
        }
        for (const std::string& found : part.problems)
            problem_(found);
        counts_.accounts += part.counts.accounts;
        counts_.slots += part.counts.slots;
        counts_.trie_nodes += part.counts.trie_nodes;
    }

    const Database& database_;
    const StateWalkOptions& options_;
    const OnProblem& problem_;
    StateWalkCounts& counts_;
    WorkerCrew crew_;
    TrieBuilder account_trie_;
    std::expected<void, LedgerError> taken_;
};

}  // namespace

std::expected<Hash, LedgerError> walk_state(const Database& database,
                                            const StateWalkOptions& options,
                                            const OnProblem& problem, StateWalkCounts& counts) {
    return StateWalk(database, options, problem, counts).run();
}

}  // namespace heddle::ledger
