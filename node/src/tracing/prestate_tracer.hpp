// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// prestateTracer: what of the state a transaction needs, or with `diffMode` what it changes.
#pragma once

#include <map>
#include <optional>
#include <unordered_set>

#include <types/account.hpp>
#include <types/state_diff.hpp>

#include "tracing/transaction_tracer.hpp"

namespace heddle::node {

struct PrestateTracerOptions {
    bool diff_mode = false;
    bool with_code = true;
    bool with_storage = true;
    /// Accounts that were empty, too. Not with diff_mode.
    bool include_empty = false;
};

class PrestateTracer final : public TransactionTracer {
public:
    PrestateTracer(TraceBudget& budget, PrestateTracerOptions options)
        : TransactionTracer(budget), options_(options) {}

    void begin(const TraceSubject& subject) override;
    void end(const vm::Outcome& outcome) override;
    void write(JsonWriter& out) override;

    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override;
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override;
    void on_enter(const vm::TraceCall& call) noexcept override;

private:
    using Slots = std::map<Uint256, Uint256>;
    /// An account before the transaction.
    struct Before {
        Account account;
        Bytes code;
        Slots slots;
    };
    /// What is different afterwards.
    struct After {
        std::optional<Uint256> balance;
        std::optional<std::uint64_t> nonce;
        std::optional<Hash> code_hash;
        Bytes code;
        Slots slots;
    };

    Before& look_up(const Address& address);
    /// The transaction's recipient, and where that delegated to (EIP-7702) before it.
    void look_up_recipient(const Address& address);
    void look_up_slot(const Address& address, const Uint256& slot);
    /// @param changed  What became of the account; null: nothing.
    [[nodiscard]] std::optional<After> after(const Address& address, Before& before,
                                             const AccountChange* changed,
                                             const vm::Outcome& outcome) const;
    [[nodiscard]] static After after_absence(Before& before);
    void compare_slots(Before& before, const AccountChange& change, After& after) const;
    void write_before(JsonWriter& out) const;
    void write_after(JsonWriter& out) const;
    void write_slots(const Slots& slots, JsonWriter& out) const;

    const PrestateTracerOptions options_;
    TraceSubject subject_;
    std::map<Address, Before> before_;
    std::map<Address, After> after_;
    std::unordered_set<Address, AddressHasher> created_;
    std::unordered_set<Address, AddressHasher> destroyed_;
};

}  // namespace heddle::node
