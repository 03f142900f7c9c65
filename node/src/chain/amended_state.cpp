// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/amended_state.hpp"

namespace heddle::node {

template <typename Read>
auto AmendedState::read_through(Read read) const noexcept {
    const std::uint64_t before = gate_.load(std::memory_order_acquire);
    if (before % 2 == 0) {
        auto value = read(nullptr);
        if (gate_.load(std::memory_order_acquire) == before) return value;
    }
    std::shared_lock lock{mutex_};
    if (!base_waits_) return read(overlay_.get());
    const SharedOverlay top = overlay_;
    lock.unlock();
    return read(top.get());
}

std::optional<Account> AmendedState::account(const Address& address) const noexcept {
    return read_through([&](const StateOverlay* top) {
        return top != nullptr ? top->account(base_, address) : base_.account(address);
    });
}

Uint256 AmendedState::storage(const Address& address, const Uint256& slot) const noexcept {
    return read_through([&](const StateOverlay* top) {
        return top != nullptr ? top->storage(base_, address, slot) : base_.storage(address, slot);
    });
}

bool AmendedState::has_storage(const Address& address) const noexcept {
    return read_through([&](const StateOverlay* top) {
        return top != nullptr ? top->has_storage(base_, address) : base_.has_storage(address);
    });
}

BytesView AmendedState::code(const Hash& code_hash) const noexcept {
    if (!has_codes_.load(std::memory_order_acquire)) return base_.code(code_hash);
    // What StateView promises: it stays valid until the thread asks again.
    thread_local std::shared_ptr<const Bytes> at_hand;
    {
        const std::shared_lock lock{mutex_};
        const auto found = codes_.find(code_hash);
        at_hand = found == codes_.end() ? nullptr : found->second;
    }
    return at_hand ? BytesView(*at_hand) : base_.code(code_hash);
}

void AmendedState::add_codes(std::span<const CodeChange> codes) {
    if (codes.empty()) return;
    const std::unique_lock lock{mutex_};
    for (const CodeChange& change : codes)
        codes_.try_emplace(change.hash, std::make_shared<const Bytes>(change.code));
    has_codes_.store(true, std::memory_order_release);
}

std::optional<Account> AmendedPastState::account(const Address& address) const noexcept {
    return is_amended() ? overlay_->account(*base_, address) : base_->account(address);
}

Uint256 AmendedPastState::storage(const Address& address, const Uint256& slot) const noexcept {
    return is_amended() ? overlay_->storage(*base_, address, slot) : base_->storage(address, slot);
}

bool AmendedPastState::has_storage(const Address& address) const noexcept {
    return is_amended() ? overlay_->has_storage(*base_, address) : base_->has_storage(address);
}

BytesView AmendedPastState::code(const Hash& code_hash) const noexcept {
    const Bytes* const code = overlay_->code(code_hash);
    return code == nullptr ? base_->code(code_hash) : BytesView(*code);
}

std::expected<void, ledger::LedgerError> AmendedPastState::visit_accounts(
    const Hash& from, const VisitAccount& visit) const {
    if (!is_amended()) return base_->visit_accounts(from, visit);
    return std::unexpected(ledger::LedgerError{
        ledger::LedgerErrorCode::unavailable,
        "the accounts in their order, until a block holds the values that were set"});
}

std::expected<void, ledger::LedgerError> AmendedPastState::visit_slots(
    const ledger::AccountKey& account, const Hash& from, const VisitSlot& visit) const {
    return is_amended() ? overlay_->visit_slots(*base_, account, from, visit)
                        : base_->visit_slots(account, from, visit);
}

void AmendedPastState::move_to(std::uint64_t number) noexcept {
    base_->move_to(number);
    at_.store(number, std::memory_order_release);
}

}  // namespace heddle::node
