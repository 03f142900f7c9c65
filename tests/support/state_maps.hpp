// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A state that maps hold, as plain as can be: what tests compare with and stand on.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/state_diff.hpp>
#include <types/uint256.hpp>

namespace heddle::test {

/// Thread safety: none.
struct StateMaps {
    std::map<Address, Account> accounts;
    std::map<std::pair<Address, Hash>, Uint256> slots;
    std::map<Hash, Bytes> codes;

    void deploy(const Address& address, const Bytes& code) {
        const Hash hash = keccak256(code);
        accounts[address].nonce = 1;
        accounts[address].code_hash = hash;
        codes[hash] = code;
    }

    [[nodiscard]] std::optional<Account> account(const Address& address) const {
        const auto known = accounts.find(address);
        return known == accounts.end() ? std::nullopt : std::optional{known->second};
    }
    [[nodiscard]] Uint256 storage(const Address& address, const Uint256& slot) const {
        const auto known = slots.find({address, to_hash(slot)});
        return known == slots.end() ? Uint256{} : known->second;
    }
    [[nodiscard]] bool has_storage(const Address& address) const {
        for (const auto& [key, value] : slots)
            if (key.first == address && !value.is_zero()) return true;
        return false;
    }
    /// The hash is of code that is here, or of none.
    [[nodiscard]] BytesView code(const Hash& code_hash) const {
        if (code_hash == kEmptyCodeHash) return {};
        return codes.at(code_hash);
    }
    void change(const StateDiff& diff) {
        for (const AccountChange& change : diff.accounts) {
            if (change.storage_cleared || !change.account.has_value())
                std::erase_if(slots,
                              [&](const auto& slot) { return slot.first.first == change.address; });
            if (change.account.has_value())
                accounts[change.address] = *change.account;
            else
                accounts.erase(change.address);
            for (const StorageChange& written : change.storage)
                slots[{change.address, to_hash(written.slot)}] = written.value;
        }
        for (const CodeChange& change : diff.codes)
            codes[change.hash] = change.code;
    }
};

}  // namespace heddle::test
