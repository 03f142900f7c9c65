// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "values/list_part.hpp"

#include <algorithm>

#include "values/kept_memory.hpp"

namespace heddle::executor {
namespace {

std::uint64_t hash_of(const Address& address) noexcept {
    return AddressHasher{}(address);
}
std::uint64_t hash_of(std::uint32_t account, const Uint256& slot) noexcept {
    return Uint256Hasher{}(slot, account);
}

}  // namespace

/// Fills the tables with what it is told. What is told after something that is not in good form is
/// left out: the list is none.
class ListPart::Filler final : public AccessListVisitor {
public:
    Filler(ListPart& part, ListBounds& bounds)
        : part_(part), bounds_(bounds), form_(bounds.transaction_count) {}

    void account(const Address& address) override {
        form_.account(address);
        count_items();
        if (!is_good()) return;
        leave_account();
        const auto slots = static_cast<std::uint32_t>(part_.slots_.size());
        AccountRow& row = part_.accounts_.emplace_back();
        row.address = address;
        row.slots.first = slots;
        part_.account_index_.insert(hash_of(address), [this](std::uint32_t i) {
            return hash_of(part_.accounts_[i].address);
        });
    }
    void changed_slot(const Uint256& slot) override {
        form_.changed_slot(slot);
        count_items();
        if (!is_good()) return;
        part_.add_slot(slot);
        ++part_.accounts_.back().changed_slots;
    }
    void slot_change(std::uint32_t index, const Uint256& value) override {
        form_.slot_change(index, value);
        if (is_good()) add(part_.words_, part_.slots_.back().changes, index, value);
    }
    void read_slot(const Uint256& slot) override {
        form_.read_slot(slot);
        count_items();
        if (is_good()) part_.add_slot(slot);
    }
    void balance_change(std::uint32_t index, const Uint256& wei) override {
        form_.balance_change(index, wei);
        if (is_good()) add(part_.words_, part_.accounts_.back().balances, index, wei);
    }
    void nonce_change(std::uint32_t index, std::uint64_t nonce) override {
        form_.nonce_change(index, nonce);
        if (is_good()) add(part_.nonces_, part_.accounts_.back().nonces, index, nonce);
    }
    void code_change(std::uint32_t index, BytesView code) override {
        form_.code_change(index, code);
        if (!is_good()) return;
        count_changes(code.size() / kBytesOfChange);
        if (!is_good()) return;
        const auto number = static_cast<std::uint32_t>(part_.codes_.size());
        add(part_.code_changes_, part_.accounts_.back().codes, index, number);
        const Hash hash = keccak256(code);
        part_.codes_.push_back({hash, Bytes(code.begin(), code.end())});
        part_.code_numbers_.emplace(hash, number);
    }

    [[nodiscard]] bool finish() {
        leave_account();
        bounds_.items.fetch_add(form_.item_count() - counted_, std::memory_order_relaxed);
        bounds_.changes.fetch_add(changes_, std::memory_order_relaxed);
        return !has_too_many_ && form_.is_good_at_end();
    }

private:
    static constexpr std::uint64_t kCountedAtOnce = 64;
    /// Bytes of code, which cost 200 gas each, that count as one change: 31 gas each.
    static constexpr std::size_t kBytesOfChange = 8;

    /// Whether it may still be a list: memory is for no more items than are allowed.
    [[nodiscard]] bool is_good() const noexcept { return form_.is_good() && !has_too_many_; }
    void count_items() {
        const std::uint64_t found = form_.item_count() - counted_;
        if (found < kCountedAtOnce) return;
        counted_ += found;
        const std::uint64_t all = bounds_.items.fetch_add(found, std::memory_order_relaxed) + found;
        has_too_many_ = has_too_many_ || all > bounds_.most_items ||
                        counted_ + kCountedAtOnce >= std::uint64_t{1} << kNumberBits;
    }
    void count_changes(std::uint64_t more) {
        changes_ += more;
        if (changes_ < kCountedAtOnce) return;
        const std::uint64_t all =
            bounds_.changes.fetch_add(changes_, std::memory_order_relaxed) + changes_;
        changes_ = 0;
        has_too_many_ = has_too_many_ || all > bounds_.most_changes;
    }
    template <typename Value>
    void add(std::vector<ListedChange<Value>>& changes, Range& range, std::uint32_t index,
             const Value& value) {
        if (range.count == 0) range.first = static_cast<std::uint32_t>(changes.size());
        ++range.count;
        changes.push_back({index, value});
        ++part_.change_counts_[index];
        count_changes(1);
    }
    void leave_account() {
        if (!part_.accounts_.empty()) part_.find_ends(part_.accounts_.back());
    }

    ListPart& part_;
    ListBounds& bounds_;
    AccessListForm form_;
    std::uint64_t counted_ = 0;  // items that `bounds_` knows of
    std::uint64_t changes_ = 0;  // that it does not
    bool has_too_many_ = false;
};

void ListPart::clear(std::size_t transaction_count) {
    clear_and_shrink(account_index_);
    clear_and_shrink(slot_index_);
    clear_and_shrink(accounts_);
    clear_and_shrink(slots_);
    clear_and_shrink(words_);
    clear_and_shrink(nonces_);
    clear_and_shrink(code_changes_);
    clear_and_shrink(codes_);
    clear_and_shrink(code_numbers_);
    clear_and_shrink(ends_);
    clear_and_shrink(change_counts_);
    change_counts_.assign(transaction_count + 2, 0);
}

bool ListPart::fill(BytesView accounts, ListBounds& bounds) {
    clear(bounds.transaction_count);
    Filler filler(*this, bounds);
    return visit_listed_accounts(accounts, filler).has_value() && filler.finish();
}

std::size_t ListPart::memory_bytes() const noexcept {
    const auto bytes_of = [](const auto& items) {
        return items.capacity() * sizeof(items.front());
    };
    std::size_t code = 0;
    for (const Code& one : codes_)
        code += one.bytes.capacity();
    // Of a map, a pointer for each bucket, and for each entry a node with another one.
    const std::size_t map =
        code_numbers_.bucket_count() * sizeof(void*) +
        code_numbers_.size() * (sizeof(*code_numbers_.begin()) + 2 * sizeof(void*));
    return account_index_.memory_bytes() + slot_index_.memory_bytes() + bytes_of(accounts_) +
           bytes_of(slots_) + bytes_of(words_) + bytes_of(nonces_) + bytes_of(code_changes_) +
           bytes_of(codes_) + code + map + bytes_of(ends_) + bytes_of(change_counts_);
}

void ListPart::add_slot(const Uint256& slot) {
    const auto account = static_cast<std::uint32_t>(accounts_.size() - 1);
    ++accounts_.back().slots.count;
    slots_.push_back({slot, account, {}});
    slot_index_.insert(hash_of(account, slot), [this](std::uint32_t i) {
        return hash_of(slots_[i].account, slots_[i].slot);
    });
}

/// Code goes only with its account, but for delegations (EIP-7702): such an account stays and has a
/// nonce. So an account ends where its code goes and nonce and balance are zero, as far as listed.
void ListPart::find_ends(AccountRow& row) {
    const auto is_zero_behind = [](auto changes, std::uint32_t index) {
        const auto after = std::ranges::upper_bound(
            changes, index, {}, [](const auto& change) { return change.index; });
        return after == changes.begin() || (after - 1)->value == decltype((after - 1)->value){};
    };
    row.ends.first = static_cast<std::uint32_t>(ends_.size());
    for (const auto& [index, number] : codes(row))
        if (codes_[number].bytes.empty() && is_zero_behind(nonces(row), index) &&
            is_zero_behind(balances(row), index))
            ends_.push_back(index);
    row.ends.count = static_cast<std::uint32_t>(ends_.size()) - row.ends.first;
}

std::uint32_t ListPart::find(const Address& address) const noexcept {
    return account_index_.find(hash_of(address),
                               [&](std::uint32_t i) { return accounts_[i].address == address; });
}

std::uint32_t ListPart::find(std::uint32_t account, const Uint256& slot) const noexcept {
    return slot_index_.find(hash_of(account, slot), [&](std::uint32_t i) {
        return slots_[i].slot == slot && slots_[i].account == account;
    });
}

const ListPart::Code* ListPart::find_code(const Hash& hash) const noexcept {
    const auto found = code_numbers_.find(hash);
    return found != code_numbers_.end() ? &codes_[found->second] : nullptr;
}

}  // namespace heddle::executor
