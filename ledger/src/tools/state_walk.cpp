// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/state_walk.hpp"

#include <algorithm>
#include <utility>

#include <types/expected.hpp>
#include <types/rlp.hpp>

#include "durable/block_changes.hpp"
#include "durable/past_cursor.hpp"
#include "storage/schema.hpp"
#include "trie/trie_builder.hpp"

namespace heddle::ledger {

namespace {

constexpr std::uint64_t kProgressInterval = 1 << 14;

Hash to_hash(BytesView bytes) noexcept {
    Hash hash;
    std::ranges::copy(bytes.first(sizeof hash.bytes), hash.bytes.begin());
    return hash;
}

class StateWalk {
public:
    StateWalk(const Database& database, const StateWalkOptions& options, const OnProblem& problem,
              StateWalkCounts& counts)
        : database_(database),
          options_(options),
          problem_(problem),
          counts_(counts),
          accounts_(database, Table::accounts, options.number),
          slots_(database, Table::slots, options.number),
          account_trie_([this](NibblesView path, BytesView node) {
              if (options_.on_node) options_.on_node(kAccountTrie, path, node);
          }),
          storage_trie_([this](NibblesView path, BytesView node) {
              if (options_.on_node) options_.on_node(account_, path, node);
          }) {}

    std::expected<Hash, LedgerError> run() {
        for (; accounts_.valid(); accounts_.next()) {
            if (accounts_.key().size() != sizeof(Hash)) {
                problem_(name(Table::accounts, accounts_.key()) + " has a key of another size");
                continue;
            }
            account_ = to_hash(accounts_.key());
            skip_orphans();
            HEDDLE_CHECK(take_account());
        }
        account_ = {};
        while (slots_.valid()) {
            report_orphan();
            slots_.next();
        }
        HEDDLE_CHECK(accounts_.error());
        HEDDLE_CHECK(slots_.error());
        return account_trie_.finish();
    }

private:
    [[nodiscard]] std::string name(Table table, BytesView key) const {
        return std::string{"table "} + table_name(table) + ", key " + to_hex(key);
    }

    void progress() {
        if (options_.on_progress && (counts_.accounts + counts_.slots) % kProgressInterval == 0)
            options_.on_progress(counts_);
    }

    void report_orphan() {
        if (slots_.is_past() &&
            !schema::decode_past_slot(slots_.value()).value_or(Uint256{1}).is_zero())
            problem_(name(Table::history, slots_.key()) + ": the slot has no account");
        else if (!slots_.is_past())
            problem_(name(Table::slots, slots_.key()) + ": the slot has no account");
    }

    /// Those of accounts that are not there.
    void skip_orphans() {
        const auto is_before = [&] {
            const BytesView key = slots_.key();
            return key.size() != 2 * sizeof(Hash) || to_hash(key) < account_;
        };
        for (; slots_.valid() && is_before(); slots_.next())
            report_orphan();
    }

    std::expected<void, LedgerError> take_account() {
        const std::optional<AccountRecord> record = account_record();
        while (slots_.valid() && slots_.key().size() == 2 * sizeof(Hash) &&
               to_hash(slots_.key()) == account_) {
            if (record.has_value())
                take_slot();
            else if (!slots_.is_past())
                report_orphan();
            slots_.next();
        }
        const Hash root = storage_trie_.finish();
        if (!record.has_value()) return {};
        if (root != record->storage_root)
            problem_(name(Table::accounts, account_.view()) + ": its storage root is " +
                     to_string(record->storage_root) + ", that of its slots " + to_string(root));
        ++counts_.accounts;
        progress();
        leaf_.clear();
        schema::encode_account_leaf(*record, leaf_);
        (void)account_trie_.add(account_, leaf_);
        return check_code(record->account);
    }

    /// nullopt: it did not exist then, or does not decode.
    std::optional<AccountRecord> account_record() const {
        if (accounts_.is_past()) {
            const auto past = schema::decode_past_account(accounts_.value());
            if (past.has_value()) return *past;
            problem_(name(Table::history, accounts_.key()) + " does not decode");
            return std::nullopt;
        }
        const auto entry = schema::decode_account_entry(accounts_.value());
        if (!entry.has_value()) {
            problem_(name(Table::accounts, accounts_.key()) + " does not decode");
            return std::nullopt;
        }
        if (schema::hash_of(entry->address) != account_)
            problem_(name(Table::accounts, accounts_.key()) + " is not the hash of address " +
                     to_string(entry->address));
        return entry->record;
    }

    void take_slot() {
        const Hash hash = to_hash(slots_.key().last(sizeof(Hash)));
        Uint256 value;
        if (slots_.is_past()) {
            const auto past = schema::decode_past_slot(slots_.value());
            if (!past.has_value())
                problem_(name(Table::history, slots_.key()) + " does not decode");
            value = past.value_or(Uint256{});
        } else {
            const auto entry = schema::decode_slot_entry(slots_.value());
            if (!entry.has_value())
                problem_(name(Table::slots, slots_.key()) + " does not decode");
            else if (schema::hash_of_slot(entry->slot) != hash)
                problem_(name(Table::slots, slots_.key()) + " is not the hash of slot " +
                         to_hex(entry->slot));
            if (entry.has_value()) value = entry->value;
        }
        if (value.is_zero()) return;
        leaf_.clear();
        rlp::encode_uint256(value, leaf_);
        (void)storage_trie_.add(hash, leaf_);
        ++counts_.slots;
        progress();
    }

    std::expected<void, LedgerError> check_code(const Account& account) {
        if (!account.has_code() || !codes_.insert(account.code_hash).second) return {};
        ++counts_.codes;
        HEDDLE_TRY(const auto code, database_.get(Table::codes, account.code_hash.view()));
        if (!code.has_value())
            problem_(name(Table::codes, account.code_hash.view()) +
                     " is missing: it is the code of " + "account " + to_string(account_));
        return {};
    }

    const Database& database_;
    const StateWalkOptions& options_;
    const OnProblem& problem_;
    StateWalkCounts& counts_;
    PastCursor accounts_;
    PastCursor slots_;
    TrieBuilder account_trie_;
    TrieBuilder storage_trie_;
    Hash account_;  // of the account being visited
    Bytes leaf_;
    std::unordered_set<Hash, HashHasher> codes_;
};

}  // namespace

std::expected<Hash, LedgerError> walk_state(const Database& database,
                                            const StateWalkOptions& options,
                                            const OnProblem& problem, StateWalkCounts& counts) {
    return StateWalk(database, options, problem, counts).run();
}

}  // namespace heddle::ledger
