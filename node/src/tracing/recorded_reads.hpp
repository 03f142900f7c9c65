// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What executing a block reads of the state before it and of earlier blocks: what a witness of it
// must hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include <types/state_view.hpp>

namespace heddle::node {

struct Reads {
    /// The slots read of each account that was read.
    std::map<Address, std::set<Uint256>> accounts;
    std::set<Hash> codes;  // by hash
    /// The lowest block whose hash was asked for; nullopt: none was.
    std::optional<std::uint64_t> oldest_hash;
};

/// Notes what is read of a state. Code counts as read when its bytes are asked for: machines that
/// run on it must have a code cache of their own.
/// Thread safety: one thread at a time.
class RecordedState final : public StateView {
public:
    /// Borrowed: both outlive it.
    RecordedState(const StateView& base, Reads& reads) : base_(base), reads_(reads) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        reads_.accounts[address];
        return base_.account(address);
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        reads_.accounts[address].insert(slot);
        return base_.storage(address, slot);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        reads_.accounts[address];
        return base_.has_storage(address);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        if (code_hash != kEmptyCodeHash) reads_.codes.insert(code_hash);
        return base_.code(code_hash);
    }

private:
    const StateView& base_;
    Reads& reads_;
};

/// The same of hashes of blocks.
class RecordedHashes final : public BlockHashes {
public:
    RecordedHashes(const BlockHashes& base, Reads& reads) : base_(base), reads_(reads) {}

    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        reads_.oldest_hash = std::min(number, reads_.oldest_hash.value_or(number));
        return base_.block_hash(number);
    }

private:
    const BlockHashes& base_;
    Reads& reads_;
};

}  // namespace heddle::node
