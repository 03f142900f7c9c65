// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A small world that keeps a list of what was read from it, so that two executions can be compared
// by their reads too. Ordered maps: for tests, not for speed.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include <types/state_diff.hpp>
#include <types/state_view.hpp>

namespace heddle::vm::test {

struct StateRead {
    Address address;
    std::optional<Uint256> slot;  // nullopt: the account
    friend bool operator==(const StateRead&, const StateRead&) = default;
};

class RecordedState final : public StateView {
public:
    std::map<Address, Account> accounts;
    std::map<Address, std::map<Hash, Uint256>> slots;
    std::map<Hash, Bytes> codes;
    /// In order; repeated reads are listed again.
    mutable std::vector<StateRead> reads;
    mutable std::size_t code_reads = 0;

    void set_balance(const Address& address, const Uint256& balance) {
        accounts[address].balance = balance;
    }
    /// Nonce 1, as contracts have.
    void set_nonce(const Address& address, std::uint64_t nonce) { accounts[address].nonce = nonce; }
    void deploy(const Address& address, const Bytes& code) {
        Account& account = accounts[address];
        account.nonce = 1;
        account.code_hash = keccak256(code);
        codes[account.code_hash] = code;
    }
    void set_storage(const Address& address, const Uint256& slot, const Uint256& value) {
        slots[address][to_hash(slot)] = value;
    }

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        reads.push_back({address, std::nullopt});
        const auto known = accounts.find(address);
        return known == accounts.end() ? std::nullopt : std::optional{known->second};
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        reads.push_back({address, slot});
        const auto known = slots.find(address);
        if (known == slots.end()) return {};
        const auto value = known->second.find(to_hash(slot));
        return value == known->second.end() ? Uint256{} : value->second;
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        const auto known = slots.find(address);
        if (known == slots.end()) return false;
        for (const auto& [slot, value] : known->second)
            if (!value.is_zero()) return true;
        return false;
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        ++code_reads;
        return code_hash == kEmptyCodeHash ? BytesView{} : BytesView{codes.at(code_hash)};
    }

    void apply(const StateDiff& diff) {
        for (const AccountChange& change : diff.accounts) {
            if (change.storage_cleared || !change.account) slots.erase(change.address);
            if (change.account)
                accounts[change.address] = *change.account;
            else
                accounts.erase(change.address);
            for (const StorageChange& written : change.storage)
                set_storage(change.address, written.slot, written.value);
        }
        for (const CodeChange& change : diff.codes)
            codes[change.hash] = change.code;
    }
};

/// A hash that is its number, so that tests can say what BLOCKHASH must give.
class NumberedBlockHashes final : public BlockHashes {
public:
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        return to_hash(Uint256{number} + Uint256{0xb10c0000});
    }
};

}  // namespace heddle::vm::test
