// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/past_cursor.hpp"

#include <algorithm>

#include <types/expected.hpp>
#include <types/hash.hpp>

#include "storage/byte_codec.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

constexpr std::size_t kNumberSize = sizeof(std::uint64_t);

}  // namespace

PastCursor::PastCursor(const Database& database, Table table, std::optional<std::uint64_t> number,
                       const DatabaseSnapshot* snapshot)
    : flat_(database.cursor(table, snapshot)),
      tag_(table == Table::accounts ? 0 : 1),
      key_size_(table == Table::accounts ? sizeof(Hash) : 2 * sizeof(Hash)),
      number_(number.value_or(0)),
      database_(database),
      snapshot_(snapshot),
      has_history_(number.has_value()) {
    seek({});
}

void PastCursor::seek(BytesView key) {
    flat_.seek(key);
    if (has_history_) {
        if (!past_.has_value()) past_.emplace(database_.cursor(Table::history, snapshot_));
        seek_.assign(1, tag_);
        seek_.insert(seek_.end(), key.begin(), key.end());
        past_->seek(seek_);
        settle_past();
    }
    is_good_ = error().has_value();
}

bool PastCursor::has_prefix(BytesView prefix) const noexcept {
    if (!valid()) return false;
    const BytesView found = key();
    return found.size() >= prefix.size() && equal(found.first(prefix.size()), prefix);
}

std::optional<BytesView> PastCursor::present() const noexcept {
    if (side() > 0) return std::nullopt;
    return flat_.value();
}

BytesView PastCursor::past_key() const noexcept {
    const BytesView key = past_->key();
    return key.subspan(1, key.size() - 1 - kNumberSize);
}

void PastCursor::settle_past() {
    // Whatever else stands there, verification of the history finds it.
    while (past_->valid()) {
        const BytesView key = past_->key();
        if (key.empty() || key[0] != tag_) break;
        if (key.size() == 1 + key_size_ + kNumberSize) {
            if (schema::decode_number_key(key.last(kNumberSize)).value_or(0) > number_) return;
            seek_behind(number_);
        } else {
            past_->next();
        }
    }
    // A cursor that is not valid may have an error to tell.
    if (past_->valid()) past_.reset();
}

void PastCursor::seek_behind(std::uint64_t number) {
    const BytesView key = past_->key();
    seek_.assign(key.begin(), key.end() - kNumberSize);
    append_uint64(number, seek_);
    seek_.push_back(0);  // the largest number has no next one
    past_->seek(seek_);
}

void PastCursor::next_past() {
    seek_behind(UINT64_MAX);
    settle_past();
}

int PastCursor::side() const noexcept {
    if (!has_past()) return -1;
    if (!has_flat()) return 1;
    const BytesView flat = flat_.key();
    const BytesView past = past_key();
    if (equal(flat, past)) return 0;
    return std::ranges::lexicographical_compare(flat, past) ? -1 : 1;
}

void PastCursor::next() {
    const int now = side();
    if (now <= 0) flat_.next();
    if (now >= 0) next_past();
    // One that stands somewhere has none.
    if (!flat_.valid() || (past_.has_value() && !past_->valid())) is_good_ = error().has_value();
}

BytesView PastCursor::key() const noexcept {
    return side() < 0 ? flat_.key() : past_key();
}

BytesView PastCursor::value() const noexcept {
    return side() < 0 ? flat_.value() : past_->value();
}

bool PastCursor::is_past() const noexcept {
    return side() >= 0;
}

std::expected<void, LedgerError> PastCursor::error() const {
    HEDDLE_CHECK(flat_.error());
    if (past_.has_value()) return past_->error();
    return {};
}

}  // namespace heddle::ledger
