// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which shard an object lies in, and with that which class a transaction belongs to.
//
// What counts as what (ADR 18):
//
//   access                                  counts as
//   Read of a balance or nonce, of a slot   a read of its shard
//   Write of these                          a write of its shard
//   Add, Debit                              nothing, or a write where ShardOptions says so
//   Read of code, of storage_all            nothing: whoever writes these is in write-global, which
//                                           conflicts with everybody
//   Write of code, of storage_all           a write of all shards
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <types/address.hpp>
#include <types/uint256.hpp>

#include "early/request_classes.hpp"
#include "stream/task.hpp"

namespace heddle::executor {

enum class ShardKey : std::uint8_t {
    contract,  // all of an account lies in one shard, by its address
    key,       // storage is parted into ranges of slots, beginning with the shard of the account
};

/// An account, or some of its slots, that lie where somebody wants them.
struct ShardPin {
    Address address;
    Uint256 first_slot;  // both inclusive; of accounts without ranges all slots
    Uint256 last_slot = ~Uint256{};
    bool is_range = false;  // only these slots, not the account
    unsigned shard = 0;
    std::size_t order = 0;  // ShardMap's: among all pins
};

struct ShardOptions {
    unsigned shards = 1;
    ShardKey by = ShardKey::contract;
    bool moves_count_as_writes = false;
    std::vector<ShardPin> pins;  // the first that fits counts
};

/// Thread safety: immutable.
class ShardMap {
public:
    explicit ShardMap(ShardOptions options);

    [[nodiscard]] const RequestClasses& classes() const noexcept { return classes_; }
    [[nodiscard]] unsigned shard_of(const Address& address) const noexcept;
    [[nodiscard]] unsigned shard_of(const Address& address, const Uint256& slot) const noexcept;

    /// The class of a transaction with these requests.
    /// @param is_known  Whether they are all that is to be known.
    [[nodiscard]] ClassId class_of(std::span<const ObjectRequest> requests,
                                   bool is_known) const noexcept;

private:
    [[nodiscard]] unsigned shard_of(const ObjectRequest& request) const noexcept;
    [[nodiscard]] const ShardPin* find_pin(const Address& address,
                                           const Uint256* slot) const noexcept;

    const ShardOptions options_;
    const RequestClasses classes_;
};

}  // namespace heddle::executor
