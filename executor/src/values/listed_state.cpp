// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "values/listed_state.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <types/assert.hpp>

namespace heddle::executor {
namespace {

constexpr std::uint32_t kAbsent = ListTables::kAbsent;

/// Objects. Asking for one costs little beside what asking at all does.
constexpr std::size_t kExpectedAtOnce = 32;

/// The last change before `index`; null: there is none. Most lists are very short.
template <typename Value>
const ListedChange<Value>* last_before(ListTables::Changes<Value> changes,
                                       std::uint32_t index) noexcept {
    const auto after = std::ranges::lower_bound(changes, index, {}, &ListedChange<Value>::index);
    return after == changes.begin() ? nullptr : &*(after - 1);
}

/// What the list claims of a value at `index`; null: that it stays as it was.
template <typename Value>
const ListedChange<Value>* at(ListTables::Changes<Value> changes, std::uint32_t index) noexcept {
    const auto found = std::ranges::lower_bound(changes, index, {}, &ListedChange<Value>::index);
    return found == changes.end() || found->index != index ? nullptr : &*found;
}

/// @return whether the change from `was` to `now` is the one that is claimed, or neither is there.
template <typename Value>
bool is_claimed(ListTables::Changes<Value> changes, std::uint32_t index, const Value& was,
                const Value& now, std::uint32_t& found) noexcept {
    if (was == now) return at(changes, index) == nullptr;
    const ListedChange<Value>* const claimed = at(changes, index);
    if (claimed == nullptr || claimed->value != now) return false;
    ++found;
    return true;
}

/// A list does not tell when an account that is there and empty comes to its end (EIP-161). No
/// public chain has any; where there is one, serial execution decides.
bool is_empty(const std::optional<Account>& account) noexcept {
    return account.has_value() && account->is_empty();
}

void note_once(StreamAtomics::Atomic<bool>& is_noted, std::uint32_t& fresh) noexcept {
    // Many note the same: the line is written once.
    if (is_noted.load(std::memory_order_relaxed)) return;
    is_noted.store(true, std::memory_order_relaxed);
    ++fresh;
}

}  // namespace

bool ListedState::begin(BytesView encoded, const StateView& before, std::size_t transaction_count,
                        std::uint64_t gas_limit, std::size_t most_parts) {
    before_ = &before;
    past_the_end_ = static_cast<std::uint32_t>(transaction_count) + 2;
    noted_.store(0, std::memory_order_relaxed);
    if (!tables_.begin(encoded, transaction_count, gas_limit, most_parts)) return false;
    // Memory of parts that are not needed is given back.
    for (std::size_t part = part_count(); part < ListTables::kMostParts; ++part) {
        accounts_[part].reset(0);
        slots_[part].reset(0);
    }
    return true;
}

void ListedState::fill(std::size_t part) {
    const bool is_good = tables_.fill(part);
    accounts_[part].reset(tables_.part(part).accounts().size());
    slots_[part].reset(tables_.part(part).slots().size());
    if (is_good) expect_values(tables_.part(part));
}

void ListedState::expect_values(const ListPart& part) const noexcept {
    // Accounts first: to ask for a slot is to find its account.
    std::array<ObjectId, kExpectedAtOnce> wanted;
    std::size_t count = 0;
    const auto goes_on = [&](const ObjectId& object) {
        wanted[count++] = object;
        return count != wanted.size() || (count = 0, before_->expect(wanted));
    };
    for (const AccountRow& row : part.accounts())
        if (!goes_on({row.address, ObjectKind::balance, {}})) return;
    for (const SlotRow& row : part.slots())
        if (!goes_on({part.accounts()[row.account].address, ObjectKind::storage, row.slot})) return;
    (void)before_->expect(std::span(wanted).first(count));
}

bool ListedState::attach(BytesView encoded, const StateView& before, std::size_t transaction_count,
                         std::uint64_t gas_limit) {
    if (!begin(encoded, before, transaction_count, gas_limit, 1)) return false;
    for (std::size_t part = 0; part < part_count(); ++part)
        fill(part);
    return finish();
}

std::size_t ListedState::memory_bytes() const noexcept {
    std::size_t bytes = tables_.memory_bytes();
    for (std::size_t part = 0; part < ListTables::kMostParts; ++part)
        bytes += accounts_[part].memory_bytes() + slots_[part].memory_bytes();
    return bytes;
}

// --- Values --------------------------------------------------------------------------------------

std::optional<Account> ListedState::before(std::uint32_t account) const noexcept {
    AccountMemo& memo = this->memo(accounts_, account);
    Reading reading = memo.reading.load(std::memory_order_acquire);
    if (reading == Reading::known) return memo.existed ? std::optional{memo.before} : std::nullopt;
    const std::optional<Account> value = before_->account(tables_.account(account).address);
    if (reading == Reading::unread &&
        memo.reading.compare_exchange_weak(reading, Reading::claimed, std::memory_order_relaxed)) {
        memo.existed = value.has_value();
        memo.before = value.value_or(Account{});
        memo.reading.store(Reading::known, std::memory_order_release);
    }
    return value;
}

Uint256 ListedState::slot_before(std::uint32_t slot) const noexcept {
    SlotMemo& memo = this->memo(slots_, slot);
    Reading reading = memo.reading.load(std::memory_order_acquire);
    if (reading == Reading::known) return memo.before;
    const Uint256 value = before_->storage(tables_.account(tables_.account_of(slot)).address,
                                           tables_.slot(slot).slot);
    if (reading == Reading::unread &&
        memo.reading.compare_exchange_weak(reading, Reading::claimed, std::memory_order_relaxed)) {
        memo.before = value;
        memo.reading.store(Reading::known, std::memory_order_release);
    }
    return value;
}

std::optional<Account> ListedState::account_at(std::uint32_t account,
                                               std::uint32_t index) const noexcept {
    std::optional<Account> value = before(account);
    const auto* const balance = last_before(tables_.balances(account), index);
    const auto* const nonce = last_before(tables_.nonces(account), index);
    const auto* const code = last_before(tables_.codes(account), index);
    if (balance == nullptr && nonce == nullptr && code == nullptr) return value;
    if (!value.has_value()) value.emplace();
    if (balance != nullptr) value->balance = balance->value;
    if (nonce != nullptr) value->nonce = nonce->value;
    if (code != nullptr) value->code_hash = tables_.code(account, code->value).hash;
    // What a transaction leaves empty is gone (EIP-161).
    if (value->is_empty()) value.reset();
    return value;
}

std::optional<std::uint32_t> ListedState::end_before(std::uint32_t account,
                                                     std::uint32_t index) const noexcept {
    const auto ends = tables_.ends(account);
    const auto after = std::ranges::lower_bound(ends, index);
    return after == ends.begin() ? std::nullopt : std::optional{*(after - 1)};
}

Uint256 ListedState::storage_at(std::uint32_t slot, std::uint32_t index) const noexcept {
    const auto* const change = last_before(tables_.changes(slot), index);
    const auto end = end_before(tables_.account_of(slot), index);
    if (change != nullptr && (!end.has_value() || change->index > *end)) return change->value;
    return end.has_value() ? Uint256{} : slot_before(slot);
}

bool ListedState::has_storage_at(std::uint32_t account, std::uint32_t index) const noexcept {
    // Whether there are any besides those that were emptied is not known: then there may be, and
    // what comes of it is compared.
    return !end_before(account, index).has_value() &&
           before_->has_storage(tables_.account(account).address);
}

std::uint32_t ListedState::find(const Address& address, AskedRows* asked) const noexcept {
    if (asked == nullptr) return tables_.find(address);
    // What is not listed is looked for again: a step that asks for it ends soon.
    if (asked->last_row == kAbsent || asked->last != address) {
        asked->last = address;
        asked->last_row = tables_.find(address);
    }
    return asked->last_row;
}

std::optional<Account> ListedState::account(const Address& address, std::uint32_t index,
                                            AskedRows* asked) const noexcept {
    const std::uint32_t row = find(address, asked);
    if (asked != nullptr) asked->accounts.push_back(row);
    return row != kAbsent ? account_at(row, index) : before_->account(address);
}

Uint256 ListedState::storage(const Address& address, const Uint256& slot, std::uint32_t index,
                             AskedRows* asked) const noexcept {
    const std::uint32_t account = find(address, asked);
    const std::uint32_t row = account != kAbsent ? tables_.find(account, slot) : kAbsent;
    if (asked != nullptr) asked->slots.push_back(row);
    return row != kAbsent ? storage_at(row, index) : before_->storage(address, slot);
}

bool ListedState::has_storage(const Address& address, std::uint32_t index) const noexcept {
    const std::uint32_t row = tables_.find(address);
    return row != kAbsent ? has_storage_at(row, index) : before_->has_storage(address);
}

BytesView ListedState::code(const Hash& hash) const noexcept {
    const ListTables::Code* const listed = tables_.find_code(hash);
    return listed != nullptr ? BytesView{listed->bytes} : before_->code(hash);
}

// --- Accesses ------------------------------------------------------------------------------------

bool ListedState::note_account(std::uint32_t account, std::uint32_t& fresh) const noexcept {
    if (account == kAbsent) return false;
    note_once(memo(accounts_, account).is_noted, fresh);
    return true;
}

bool ListedState::note_slot(std::uint32_t slot, std::uint32_t& fresh) const noexcept {
    if (slot == kAbsent) return false;
    note_once(memo(slots_, slot).is_noted, fresh);
    return true;
}

void ListedState::count_noted(std::uint32_t fresh) const noexcept {
    if (fresh != 0) noted_.fetch_add(fresh, std::memory_order_relaxed);
}

std::uint64_t ListedState::unaccessed() const noexcept {
    const std::uint64_t rows = tables_.item_count();
    return rows - std::min(rows, noted_.load(std::memory_order_relaxed));
}

bool ListedState::note(const Address& address) const noexcept {
    std::uint32_t fresh = 0;
    const bool is_listed = note_account(tables_.find(address), fresh);
    count_noted(fresh);
    return is_listed;
}

bool ListedState::note(const vm::AccessRecord& accesses) const noexcept {
    AskedRows asked;
    for (const vm::AccountAccess& access : accesses.accounts)
        asked.accounts.push_back(tables_.find(access.address));
    for (const vm::SlotAccess& access : accesses.slots) {
        const std::uint32_t account = asked.accounts[access.account];
        asked.slots.push_back(account != kAbsent ? tables_.find(account, access.slot) : kAbsent);
    }
    return note(accesses, asked);
}

bool ListedState::note(const vm::AccessRecord& accesses, const AskedRows& asked) const noexcept {
    HEDDLE_ASSERT(asked.accounts.size() == accesses.accounts.size() &&
                  asked.slots.size() == accesses.slots.size());
    std::uint32_t fresh = 0;
    const auto note_one = [&](std::uint32_t row) { return note_account(row, fresh); };
    const auto note_other = [&](std::uint32_t row) { return note_slot(row, fresh); };
    const auto note_fresh = [&](const vm::SlotAccess& access) {
        return note_slot(tables_.find(asked.accounts[access.account], access.slot), fresh);
    };
    const bool are_listed = std::ranges::all_of(asked.accounts, note_one) &&
                            std::ranges::all_of(asked.slots, note_other) &&
                            std::ranges::all_of(accesses.fresh_slots, note_fresh);
    count_noted(fresh);
    return are_listed;
}

bool ListedState::is_exhausted() const noexcept {
    const auto are_noted = [](const auto& memos) {
        for (std::size_t i = 0; i < memos.size(); ++i)
            if (!memos[i].is_noted.load(std::memory_order_relaxed)) return false;
        return true;
    };
    for (std::size_t part = 0; part < part_count(); ++part)
        if (!are_noted(accounts_[part]) || !are_noted(slots_[part])) return false;
    return true;
}

// --- Claims --------------------------------------------------------------------------------------

bool ListedState::claims_account(std::uint32_t account, std::uint32_t index,
                                 const AccountChange& change, std::uint32_t& found) const noexcept {
    if (account == kAbsent) return false;
    const std::optional<Account> earlier = account_at(account, index);
    if (is_empty(change.account) || (!change.account.has_value() && is_empty(earlier)))
        return false;
    const Account was = earlier.value_or(Account{});
    const Account now = change.account.value_or(Account{});
    if (!is_claimed(tables_.balances(account), index, was.balance, now.balance, found) ||
        !is_claimed(tables_.nonces(account), index, was.nonce, now.nonce, found))
        return false;
    const auto* const code = at(tables_.codes(account), index);
    if ((code != nullptr) != (was.code_hash != now.code_hash)) return false;
    if (code != nullptr) {
        if (tables_.code(account, code->value).hash != now.code_hash) return false;
        ++found;
    }
    // Slots that go with an account are in no list: it has to be clear from the list that it goes.
    const bool ends = end_before(account, index + 1) == index;
    if (ends && change.account.has_value()) return false;
    if (!change.storage_cleared || ends) return true;
    return was.nonce == 0 && !was.has_code() && !has_storage_at(account, index);
}

bool ListedState::claims_slot(std::uint32_t slot, std::uint32_t index, const Uint256& value,
                              std::uint32_t& found) const noexcept {
    // Before Amsterdam accesses leave out the slots of contracts that were created.
    std::uint32_t fresh = 0;
    const bool is_listed = note_slot(slot, fresh);
    count_noted(fresh);
    if (!is_listed) return false;
    return is_claimed(tables_.changes(slot), index, storage_at(slot, index), value, found);
}

bool ListedState::claims_fee(const vm::DeferredFee& fee, std::uint32_t index,
                             std::uint32_t& found) const noexcept {
    const std::uint32_t account = tables_.find(fee.recipient);
    if (account == kAbsent) return false;
    const std::optional<Account> earlier = account_at(account, index);
    if (fee.amount.is_zero() && is_empty(earlier)) return false;
    const Uint256 was = earlier.value_or(Account{}).balance;
    return is_claimed(tables_.balances(account), index, was, was + fee.amount, found);
}

bool ListedState::claims(std::uint32_t index, const StateDiff& diff) const noexcept {
    std::uint32_t found = 0;
    for (const AccountChange& change : diff.accounts) {
        const std::uint32_t account = tables_.find(change.address);
        if (!claims_account(account, index, change, found)) return false;
        for (const StorageChange& written : change.storage)
            if (!claims_slot(tables_.find(account, written.slot), index, written.value, found))
                return false;
    }
    return found == tables_.change_count(index);
}

bool ListedState::claims(std::uint32_t index, const StateDiff& diff,
                         const vm::AccessRecord& accesses, const AskedRows& asked,
                         const std::optional<vm::DeferredFee>& fee) const noexcept {
    std::uint32_t found = 0;
    std::size_t next_slot = 0;
    for (std::size_t i = 0; i < diff.accounts.size(); ++i) {
        const AccountChange& change = diff.accounts[i];
        const std::uint32_t account = asked.accounts[accesses.changed_accounts[i]];
        if (!claims_account(account, index, change, found)) return false;
        for (const StorageChange& written : change.storage) {
            const std::uint32_t access = accesses.changed_slots[next_slot++];
            const std::uint32_t slot = access != vm::AccessRecord::kNone
                                           ? asked.slots[access]
                                           : tables_.find(account, written.slot);
            if (!claims_slot(slot, index, written.value, found)) return false;
        }
    }
    if (fee.has_value() && !claims_fee(*fee, index, found)) return false;
    return found == tables_.change_count(index);
}

std::vector<ObjectId> ListedState::sample() const {
    constexpr std::size_t kMost = 64;  // finding one takes a tenth of a microsecond
    // Rounded up, so that steps do not fall into the pattern in which contracts lay out their data.
    const std::size_t step = tables_.item_count() / kMost + 1;
    std::vector<ObjectId> objects;
    std::size_t next_account = 0;  // counted from the first of the part
    std::size_t next_slot = 0;
    for (std::size_t part = 0; part < part_count(); ++part) {
        const std::vector<AccountRow>& accounts = tables_.part(part).accounts();
        const std::vector<SlotRow>& slots = tables_.part(part).slots();
        for (; next_account < accounts.size(); next_account += step)
            objects.push_back({accounts[next_account].address, ObjectKind::balance, {}});
        for (; next_slot < slots.size(); next_slot += step)
            objects.push_back({accounts[slots[next_slot].account].address, ObjectKind::storage,
                               slots[next_slot].slot});
        next_account -= accounts.size();
        next_slot -= slots.size();
    }
    return objects;
}

ObjectSet ListedState::objects() const {
    std::vector<Access> accesses;
    accesses.reserve(tables_.item_count());
    tables_.for_each_account([&](std::uint32_t account) {
        const AccountRow& row = tables_.account(account);
        accesses.push_back({{row.address, ObjectKind::balance, {}}, AccessMode::read});
        for (std::uint32_t i = 0; i < row.slots.count; ++i)
            accesses.push_back(
                {{row.address, ObjectKind::storage, tables_.slot(tables_.slot_of(account, i)).slot},
                 AccessMode::read});
    });
    return ObjectSet{std::move(accesses)};
}

std::uint64_t ListedState::changed() const noexcept {
    std::uint64_t count = 0;
    tables_.for_each_account([&](std::uint32_t account) {
        const AccountRow& row = tables_.account(account);
        if (row.is_changed()) count += 1 + row.changed_slots;
    });
    return count;
}

StateDiff ListedState::diff() const {
    StateDiff diff;
    tables_.for_each_account([&](std::uint32_t account) {
        if (tables_.account(account).is_changed()) add_changes(account, diff);
    });
    return diff;
}

void ListedState::add_changes(std::uint32_t account, StateDiff& diff) const {
    const AccountRow& row = tables_.account(account);
    AccountChange& change = diff.accounts.emplace_back();
    change.address = row.address;
    change.account = account_at(account, past_the_end_);
    const auto end = end_before(account, past_the_end_);
    change.storage_cleared = end.has_value();
    if (!change.account.has_value()) return;
    change.storage.reserve(row.changed_slots);
    for (std::uint32_t i = 0; i < row.changed_slots; ++i) {
        const std::uint32_t slot = tables_.slot_of(account, i);
        const auto& last = tables_.changes(slot).back();
        if (!end.has_value() || last.index > *end)
            change.storage.push_back({tables_.slot(slot).slot, last.value});
    }
    if (row.codes.count == 0) return;
    const ListTables::Code& code = tables_.code(account, tables_.codes(account).back().value);
    if (!code.bytes.empty()) diff.codes.push_back({code.hash, code.bytes});
}

}  // namespace heddle::executor
