// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The code that accounts refer to, each once and in order, however much of it there is: the lowest
// hashes that the memory has room for, and in another pass over the accounts those above.
//
//   CodesInUse codes(memory_bytes);
//   do {
//       for each account: codes.add(account);
//       ... what there is up to codes.last() ...
//   } while (codes.go_on());
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_set>
#include <vector>

#include <types/account.hpp>
#include <types/hash.hpp>

namespace heddle::ledger {

/// Thread safety: none.
class CodesInUse {
public:
    explicit CodesInUse(std::size_t memory_bytes);

    void add(const Account& account);
    /// @return whether it is in this pass's part of the hashes, and was added.
    bool remove(const Hash& code);
    [[nodiscard]] bool contains(const Hash& code) const { return codes_.contains(code); }
    /// Whether the hash is in this pass's part, added or not.
    [[nodiscard]] bool covers(const Hash& code) const noexcept {
        return (!above_.has_value() || code > *above_) && (!last_.has_value() || code <= *last_);
    }
    /// The last hash of this pass's part; nullopt: all that are left are in it.
    [[nodiscard]] const std::optional<Hash>& last() const noexcept { return last_; }
    [[nodiscard]] std::vector<Hash> ascending() const;
    /// To the next part, which is to be added. @return false: there is none.
    [[nodiscard]] bool go_on();

private:
    const std::size_t most_codes_;
    std::unordered_set<Hash, HashHasher> codes_;
    std::optional<Hash> above_;  // the parts before end here
    std::optional<Hash> last_;
};

}  // namespace heddle::ledger
