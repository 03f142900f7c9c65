// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The kinds of transactions of adversarial chains. Each attacks one thing that a parallel executor
// may get wrong, and adds as many transactions as that takes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <types/transaction.hpp>
#include <workload/random.hpp>

#include "adversarial_contracts.hpp"
#include "adversarial_maker.hpp"

namespace heddle::test {

/// What the kinds work on. Transactions that turn out not to be valid are dropped and counted.
class AdversarialStage {
public:
    /// @param signs  Whether transactions get real signatures.
    AdversarialStage(const AdversarialCast& cast, AdversarialMaker& maker, workload::Random& random,
                     bool signs)
        : cast_(cast), maker_(maker), random_(random), signs_(signs) {}

    [[nodiscard]] const AdversarialCast& cast() const noexcept { return cast_; }
    [[nodiscard]] const AdversarialMaker& maker() const noexcept { return maker_; }
    [[nodiscard]] Revision revision() const noexcept { return maker_.env().revision; }
    [[nodiscard]] std::uint64_t added() const noexcept { return added_; }
    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

    [[nodiscard]] workload::Random& random() noexcept { return random_; }
    [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept { return random_.below(bound); }
    [[nodiscard]] bool one_in(std::uint32_t n) noexcept { return random_.below(n) == 0; }
    [[nodiscard]] const Address& rich() noexcept { return cast_.senders[below(kRichSenders)]; }
    [[nodiscard]] const Address& poor() noexcept {
        return cast_.senders[kRichSenders + below(kSenders - kRichSenders)];
    }
    [[nodiscard]] const Address& hot() noexcept {
        return cast_.hot[below(static_cast<std::uint32_t>(cast_.hot.size()))];
    }
    /// An address that nobody has used yet; remembered as a neighbour of later transactions.
    [[nodiscard]] Address fresh() noexcept;
    /// One of those, or a hot address while there are none.
    [[nodiscard]] Address once_fresh() noexcept;
    [[nodiscard]] Uint256 balance(const Address& address) const;
    [[nodiscard]] std::uint64_t nonce(const Address& address) const;

    /// A transfer of nothing with the sender's next nonce and some price that is valid here.
    [[nodiscard]] Transaction draft(const Address& sender);
    /// A call from some sender, with gas for most of what contracts do.
    [[nodiscard]] Transaction call(const Address& to, const std::vector<Uint256>& words);
    bool add(Transaction tx);

private:
    const AdversarialCast& cast_;
    AdversarialMaker& maker_;
    workload::Random& random_;
    const bool signs_;
    std::vector<Address> fresh_;
    std::uint64_t next_fresh_ = 0xf0000000;
    std::uint64_t added_ = 0;
    std::uint64_t dropped_ = 0;
};

struct AdversarialKind {
    std::string_view name;
    std::uint32_t weight;  // how often, against the others
    Revision since;
    void (*run)(AdversarialStage&);
};

/// In a fixed order: position is a bit of AdversarialPlan::kinds.
inline constexpr std::size_t kAdversarialKinds = 40;
extern const std::array<AdversarialKind, kAdversarialKinds> kAdversarialKindTable;

}  // namespace heddle::test
