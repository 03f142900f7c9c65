// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/shard_map.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace heddle::executor {
namespace {

__extension__ using Wide = unsigned __int128;

/// Of `count` equal ranges of all words, the one that the word lies in.
unsigned range_of(std::uint64_t word, unsigned count) noexcept {
    return static_cast<unsigned>(Wide{word} * count >> 64);
}

enum class Use : std::uint8_t { nothing, read, write, write_of_all };

Use use_of(const ObjectRequest& request, bool moves_are_writes) noexcept {
    switch (request.mode) {
        case AccessMode::add:
        case AccessMode::debit:
            return moves_are_writes ? Use::write : Use::nothing;
        case AccessMode::read:
        case AccessMode::write:
            break;
    }
    const bool is_written = request.mode == AccessMode::write;
    if (request.kind == ObjectKind::code || request.kind == ObjectKind::storage_all)
        return is_written ? Use::write_of_all : Use::nothing;
    return is_written ? Use::write : Use::read;
}

}  // namespace

/// Pins in order of addresses; those of one address as they were given.
ShardMap::ShardMap(ShardOptions options)
    : options_([&options] {
          for (std::size_t i = 0; i < options.pins.size(); ++i)
              options.pins[i].order = i;
          std::ranges::sort(options.pins, {},
                            [](const ShardPin& pin) { return std::pair{pin.address, pin.order}; });
          return std::move(options);
      }()),
      classes_(options_.shards) {}

const ShardPin* ShardMap::find_pin(const Address& address, const Uint256* slot) const noexcept {
    auto pin = std::ranges::lower_bound(options_.pins, address, {}, &ShardPin::address);
    for (; pin != options_.pins.end() && pin->address == address; ++pin) {
        if (!pin->is_range) return &*pin;
        if (slot != nullptr && pin->first_slot <= *slot && *slot <= pin->last_slot) return &*pin;
    }
    return nullptr;
}

unsigned ShardMap::shard_of(const Address& address) const noexcept {
    if (const ShardPin* const pin = find_pin(address, nullptr)) return pin->shard;
    // Small addresses differ in their low bytes only, others anywhere.
    std::uint64_t low = 0;
    std::memcpy(&low, address.bytes.data() + 12, sizeof low);
    return range_of(std::byteswap(low) * 0x9e3779b97f4a7c15, options_.shards);
}

unsigned ShardMap::shard_of(const Address& address, const Uint256& slot) const noexcept {
    if (const ShardPin* const pin = find_pin(address, &slot)) return pin->shard;
    const unsigned shard = shard_of(address);
    if (options_.by == ShardKey::contract) return shard;
    return (shard + range_of(slot.words[3], options_.shards)) % options_.shards;
}

unsigned ShardMap::shard_of(const ObjectRequest& request) const noexcept {
    const Address& address = request.account->address;
    return request.slot != nullptr ? shard_of(address, request.slot->slot) : shard_of(address);
}

ClassId ShardMap::class_of(std::span<const ObjectRequest> requests, bool is_known) const noexcept {
    if (!is_known) return classes_.global_write();
    std::uint64_t touched = 0;  // shards
    bool is_written = false;
    for (const ObjectRequest& request : requests) {
        const Use use = use_of(request, options_.moves_count_as_writes);
        if (use == Use::write_of_all) return classes_.global_write();
        if (use == Use::nothing) continue;
        touched |= std::uint64_t{1} << shard_of(request);
        is_written = is_written || use == Use::write;
    }
    if (touched == 0) return classes_.moves();
    const auto first = static_cast<unsigned>(std::countr_zero(touched));
    if (std::popcount(touched) != 1)
        return is_written ? classes_.global_write() : classes_.global_read();
    return is_written ? classes_.local_write(first) : classes_.local_read(first);
}

}  // namespace heddle::executor
