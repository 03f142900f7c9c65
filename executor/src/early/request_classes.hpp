// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The classes of requests (Early Scheduling §3.1, figure 1) and which of them conflict. The state
// is parted into shards, and a transaction belongs to a class by the shards that it reads and
// writes:
//
//   class          transactions that                        conflicts with
//   read-S         read shard S and write nothing           write-S, write-global
//   write-S        write shard S and touch no other         itself, read-S, read- and write-global
//   moves          neither read nor write any shard         write-global
//   read-global    read several shards and write nothing    each write-S, write-global
//   write-global   write one of several shards that they    each class, itself among them
//                  touch, or of which not all is known
//
// The paper has no `moves`: its requests read or write. What a transaction only adds to or takes
// from is neither here (see ShardMap), and a plain transfer does nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::executor {

/// Numbers of classes are dense, from 0.
using ClassId = std::uint16_t;

/// Thread safety: a value.
class RequestClasses {
public:
    static constexpr unsigned kMaxShards = 64;
    static constexpr std::size_t kMaxClasses = 2 * kMaxShards + 3;

    /// `shards`: 1 to kMaxShards.
    explicit RequestClasses(unsigned shards) noexcept;

    [[nodiscard]] unsigned shards() const noexcept { return shards_; }
    [[nodiscard]] ClassId count() const noexcept { return to_id(2 * shards_ + 3); }

    [[nodiscard]] ClassId local_read(unsigned shard) const noexcept { return to_id(shard); }
    [[nodiscard]] ClassId local_write(unsigned shard) const noexcept {
        return to_id(shards_ + shard);
    }
    [[nodiscard]] ClassId moves() const noexcept { return to_id(2 * shards_); }
    [[nodiscard]] ClassId global_read() const noexcept { return to_id(2 * shards_ + 1); }
    [[nodiscard]] ClassId global_write() const noexcept { return to_id(2 * shards_ + 2); }

    /// Whether two transactions of these classes may conflict; symmetric.
    [[nodiscard]] bool conflict(ClassId a, ClassId b) const noexcept;

    /// As the table above has it.
    [[nodiscard]] std::string name(ClassId id) const;
    [[nodiscard]] std::optional<ClassId> find(std::string_view name) const;

private:
    [[nodiscard]] static ClassId to_id(unsigned number) noexcept {
        return static_cast<ClassId>(number);
    }

    unsigned shards_;
};

}  // namespace heddle::executor
