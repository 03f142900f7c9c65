// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which accounts have the most slots: one walk over all of them, in pieces by the first byte of the
// keys, which threads share. An account's slots are in one piece.
#include <algorithm>
#include <utility>
#include <vector>

#include <types/expected.hpp>

#include <ledger/maintenance.hpp>

#include "durable/opening.hpp"
#include "storage/schema.hpp"
#include "tools/marks.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

namespace {

constexpr std::size_t kPieces = 256;

struct Owner {
    Hash account;
    std::uint64_t slots = 0;
    std::uint64_t bytes = 0;
};

/// The one with more slots first; a fixed order among those with as many.
bool is_larger(const Owner& left, const Owner& right) noexcept {
    return left.slots != right.slots ? left.slots > right.slots : left.account < right.account;
}

/// Keeps the largest ones that it is shown. Memory for twice as many as are wanted.
class LargestOwners {
public:
    explicit LargestOwners(std::size_t wanted) : wanted_(wanted) {}

    void add(const Owner& owner) {
        if (owner.slots == 0 || wanted_ == 0) return;
        owners_.push_back(owner);
        if (owners_.size() >= 2 * wanted_) drop_others();
    }
    [[nodiscard]] std::vector<Owner> take() && {
        drop_others();
        return std::move(owners_);
    }

private:
    void drop_others() {
        std::ranges::sort(owners_, is_larger);
        if (owners_.size() > wanted_) owners_.resize(wanted_);
    }

    std::size_t wanted_;
    std::vector<Owner> owners_;
};

struct Piece {
    std::vector<Owner> largest;
    std::expected<void, LedgerError> ended;
};

Piece walk(const Database& database, std::size_t index, std::size_t wanted) {
    LargestOwners owners(wanted);
    Owner owner;
    const auto first = static_cast<std::uint8_t>(index);
    Cursor cursor = database.cursor(Table::slots);
    for (cursor.seek({&first, 1}); cursor.has_prefix({&first, 1}); cursor.next()) {
        const BytesView key = cursor.key();
        if (key.size() != 2 * sizeof(Hash)) continue;  // verification finds it
        Hash account;
        std::ranges::copy(key.first(sizeof account.bytes), account.bytes.begin());
        if (account != owner.account) {
            owners.add(owner);
            owner = {.account = account};
        }
        ++owner.slots;
        owner.bytes += key.size() + cursor.value().size();
    }
    owners.add(owner);
    return {std::move(owners).take(), cursor.error()};
}

std::expected<LargeAccount, LedgerError> describe(const Database& database, const Owner& owner) {
    HEDDLE_TRY(const auto stored, database.get(Table::accounts, owner.account.view()));
    const auto entry = stored.has_value() ? schema::decode_account_entry(*stored) : std::nullopt;
    if (!entry.has_value())
        return damaged_record("the account with the slots of " + to_string(owner.account));
    return LargeAccount{entry->address, owner.slots, owner.bytes};
}

}  // namespace

std::expected<std::vector<LargeAccount>, LedgerError> largest_accounts(
    const MaintenanceOptions& options, std::size_t count) {
    HEDDLE_TRY(const auto database,
               open_database(options.directory, database_share(options.memory_bytes)));
    const unsigned threads = thread_count(options.threads);
    WorkerCrew crew(threads);
    LargestOwners owners(count);
    // A round at a time, so that somebody is told how far it is.
    const std::size_t round = std::size_t{4} * threads;
    for (std::size_t begin = 0; begin < kPieces; begin += round) {
        std::vector<Piece> pieces(std::min(round, kPieces - begin));
        crew.for_each(pieces.size(),
                      [&](std::size_t i) { pieces[i] = walk(*database, begin + i, count); });
        for (const Piece& piece : pieces) {
            HEDDLE_CHECK(piece.ended);
            for (const Owner& owner : piece.largest)
                owners.add(owner);
        }
        if (options.on_progress)
            options.on_progress("counting slots", begin + pieces.size(), kPieces);
    }
    std::vector<LargeAccount> result;
    for (const Owner& owner : std::move(owners).take()) {
        HEDDLE_TRY(const LargeAccount account, describe(*database, owner));
        result.push_back(account);
    }
    return result;
}

}  // namespace heddle::ledger
