// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "caller_state.hpp"

#include <utility>

#include <types/expected.hpp>

#include "changes.hpp"

/// Of one call of the callback for code.
struct heddle_code_sink {
    heddle::Bytes code;
    bool is_given = false;
    bool has_failed = false;
};

namespace heddle::library {

namespace {

/// No chain has code of a tenth of that.
constexpr std::size_t kMaxCodeBytes = std::size_t{16} << 20;

}  // namespace

Result<heddle_state> take_state(const heddle_state* state) {
    HEDDLE_TRY(const heddle_state callbacks, take(state, "state"));
    if (callbacks.account == nullptr || callbacks.storage == nullptr)
        return library::fail(HEDDLE_INVALID_ARGUMENT,
                             "state.account and state.storage must not be null");
    return callbacks;
}

std::optional<Account> CallerState::account(const Address& address) const noexcept {
    if (has_failed()) return std::nullopt;
    const heddle_address asked = told(address);
    heddle_account answer{};
    answer.size = sizeof(answer);
    if (!check("account", callbacks_.account(callbacks_.context, &asked, &answer)))
        return std::nullopt;
    if (answer.exists == 0) return std::nullopt;
    Account account;
    account.nonce = answer.nonce;
    account.balance = taken(answer.balance);
    const Hash code_hash = taken(answer.code_hash);
    account.code_hash = code_hash.is_zero() ? kEmptyCodeHash : code_hash;
    return account;
}

Uint256 CallerState::storage(const Address& address, const Uint256& slot) const noexcept {
    if (has_failed()) return {};
    const heddle_address asked = told(address);
    const heddle_word asked_slot = told(slot);
    heddle_word answer{};
    if (!check("storage", callbacks_.storage(callbacks_.context, &asked, &asked_slot, &answer)))
        return {};
    return taken(answer);
}

bool CallerState::has_storage(const Address& address) const noexcept {
    if (has_failed() || callbacks_.has_storage == nullptr) return false;
    const heddle_address asked = told(address);
    std::uint8_t answer = 0;
    return check("has_storage", callbacks_.has_storage(callbacks_.context, &asked, &answer)) &&
           answer != 0;
}

Hash CallerState::block_hash(std::uint64_t number) const noexcept {
    if (has_failed() || callbacks_.block_hash == nullptr) return {};
    heddle_hash answer{};
    if (!check("block_hash", callbacks_.block_hash(callbacks_.context, number, &answer))) return {};
    return taken(answer);
}

BytesView CallerState::code(const Hash& code_hash) const noexcept {
    // What a thread was given stays valid until it asks again, whatever the others do.
    thread_local CodeStore::Code given;
    if (code_hash == kEmptyCodeHash || has_failed()) return {};
    given = codes_.find(code_hash);
    if (given == nullptr) given = read_code(code_hash);
    return given == nullptr ? BytesView{} : BytesView{*given};
}

CodeStore::Code CallerState::read_code(const Hash& code_hash) const noexcept {
    if (callbacks_.code == nullptr) {
        fail({.status = HEDDLE_BAD_STATE, .text = "an account has code, and state.code is null"});
        return nullptr;
    }
    const heddle_hash asked = told(code_hash);
    heddle_code_sink sink;
    if (!check("code", callbacks_.code(callbacks_.context, &asked, &sink))) return nullptr;
    if (sink.has_failed) {
        fail({.status = HEDDLE_BAD_STATE,
              .text = "the callback for code has given none that is taken"});
        return nullptr;
    }
    auto code = codes_.add(code_hash, std::move(sink.code));
    if (code == nullptr)
        fail({.status = HEDDLE_BAD_STATE,
              .text = "the code given for the hash " + to_string(code_hash) + " has another one"});
    return code;
}

std::optional<Hash> CallerState::state_root(const StateDiff& diff) const noexcept {
    if (has_failed() || callbacks_.state_root == nullptr) return std::nullopt;
    const heddle_changes changes{sorted(diff)};
    heddle_hash answer{};
    if (!check("state_root", callbacks_.state_root(callbacks_.context, &changes, &answer)))
        return std::nullopt;
    return taken(answer);
}

bool CallerState::check(std::string_view callback, int result) const noexcept {
    if (result == 0) return true;
    fail({.status = HEDDLE_CALLBACK_FAILED,
          .text = "the callback state." + std::string{callback} + " has returned " +
                  std::to_string(result),
          .callback_result = result});
    return false;
}

void CallerState::fail(Failure failure) const noexcept {
    const std::lock_guard guard(mutex_);
    if (failure_.has_value()) return;
    failure_ = std::move(failure);
    has_failed_.store(true, std::memory_order_release);  // pairs with has_failed()
    if (on_failure_) on_failure_();
}

Failure CallerState::failure() const {
    const std::lock_guard guard(mutex_);
    return failure_.value_or(Failure{});
}

}  // namespace heddle::library

extern "C" heddle_status heddle_code_give(heddle_code_sink* sink, const std::uint8_t* code,
                                          std::size_t size) {
    using namespace heddle::library;
    if (sink == nullptr) return HEDDLE_INVALID_ARGUMENT;
    if (sink->is_given || (code == nullptr && size != 0) || size > kMaxCodeBytes) {
        sink->has_failed = true;
        return size > kMaxCodeBytes ? HEDDLE_LIMIT : HEDDLE_INVALID_ARGUMENT;
    }
    const heddle_status status = run_call(nullptr, [&]() -> Result<void> {
        sink->code.assign(code, code + size);
        return {};
    });
    sink->is_given = status == HEDDLE_OK;
    sink->has_failed = status != HEDDLE_OK;
    return status;
}
