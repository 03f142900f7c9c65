// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/forked_state.hpp"

#include <limits>

namespace heddle::node {
namespace {

constexpr std::uint64_t kNow = std::numeric_limits<std::uint64_t>::max();

}  // namespace

ForkedState::ForkedState(const ForkBase& base, const ledger::DurableLedger& ledger,
                         const StateDiff& first_own)
    : base_(base), ledger_(ledger) {
    marks_.note(base.number() + 1, first_own);
}

std::optional<Account> ForkedState::account(const StateView& own, const Address& address,
                                            std::uint64_t number) const noexcept {
    {
        const std::shared_lock lock{mutex_};
        if (marks_.has_account(address, number)) return own.account(address);
    }
    return base_.state().account(address);
}

Uint256 ForkedState::storage(const StateView& own, const Address& address, const Uint256& slot,
                             std::uint64_t number) const noexcept {
    {
        const std::shared_lock lock{mutex_};
        if (marks_.has_slot(address, slot, number)) return own.storage(address, slot);
    }
    return base_.state().storage(address, slot);
}

bool ForkedState::has_storage(const StateView& own, const Address& address,
                              std::uint64_t number) const noexcept {
    {
        const std::shared_lock lock{mutex_};
        if (own.has_storage(address)) return true;
        if (marks_.is_cleared(address, number)) return false;
    }
    return base_.state().has_storage(address);
}

BytesView ForkedState::code(const StateView& own, const Hash& code_hash) const noexcept {
    bool is_own = false;
    {
        const std::shared_lock lock{mutex_};
        is_own = marks_.has_code(code_hash);
    }
    return is_own ? own.code(code_hash) : base_.state().code(code_hash);
}

std::optional<Account> ForkedState::account(const Address& address) const noexcept {
    return account(ledger_.state(), address, kNow);
}

Uint256 ForkedState::storage(const Address& address, const Uint256& slot) const noexcept {
    return storage(ledger_.state(), address, slot, kNow);
}

bool ForkedState::has_storage(const Address& address) const noexcept {
    return has_storage(ledger_.state(), address, kNow);
}

BytesView ForkedState::code(const Hash& code_hash) const noexcept {
    return code(ledger_.state(), code_hash);
}

Hash ForkedState::block_hash(std::uint64_t number) const noexcept {
    if (number <= base_.number()) return base_.block_hash(number);
    return ledger_.find_block_hash(number).value_or(Hash{});
}

void ForkedPastState::check_rewinds() const {
    if (fork_.rewinds() != rewinds_)
        ReadScope::fail("blocks of the chain were taken back meanwhile: ask again");
}

std::optional<Account> ForkedPastState::account(const Address& address) const noexcept {
    auto account = fork_.account(*own_, address, at_.load(std::memory_order_acquire));
    check_rewinds();
    return account;
}

Uint256 ForkedPastState::storage(const Address& address, const Uint256& slot) const noexcept {
    const Uint256 value = fork_.storage(*own_, address, slot, at_.load(std::memory_order_acquire));
    check_rewinds();
    return value;
}

bool ForkedPastState::has_storage(const Address& address) const noexcept {
    const bool has = fork_.has_storage(*own_, address, at_.load(std::memory_order_acquire));
    check_rewinds();
    return has;
}

BytesView ForkedPastState::code(const Hash& code_hash) const noexcept {
    return fork_.code(*own_, code_hash);
}

void ForkedPastState::move_to(std::uint64_t number) noexcept {
    own_->move_to(number);
    at_.store(number, std::memory_order_release);
}

}  // namespace heddle::node
