// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What things cost and which rules hold, by revision (YP App. G and the EIPs named). One immutable
// schedule per revision: adding a fork is adding a row that says what it changes.
#pragma once

#include <array>
#include <cstdint>

#include <types/revision.hpp>

#include <vm/limits.hpp>
#include <vm/opcode.hpp>
#include <vm/validate.hpp>

namespace heddle::vm {

/// Static properties of an opcode in one revision.
struct OpcodeTraits {
    std::int16_t gas = -1;  // static part; -1: not defined in this revision
    std::int8_t stack_required = 0;
    std::int8_t stack_change = 0;

    [[nodiscard]] constexpr bool is_defined() const noexcept { return gas >= 0; }
};

/// What growing the state costs, in units of state gas (EIP-8037). All of it 0 before Amsterdam.
struct StateCosts {
    std::int64_t new_account = 0;
    std::int64_t new_slot = 0;
    std::int64_t delegation = 0;  // an account's first code designator
    std::int64_t code_byte = 0;

    /// Whether there is state gas at all.
    [[nodiscard]] constexpr bool are_charged() const noexcept { return new_account != 0; }
};

/// Gas in units of gas.
struct GasSchedule {
    Revision revision = Revision::frontier;
    std::array<OpcodeTraits, 256> opcodes{};

    // State access beyond the static cost (EIP-2929); 0 before Berlin.
    // What is cold costs more than the warm price that is charged statically.
    std::int64_t cold_account = 0;  // COLD_ACCOUNT_ACCESS_COST less that price
    std::int64_t cold_slot = 0;     // COLD_SLOAD_COST less that price
    std::int64_t warm_access = 0;   // WARM_STORAGE_READ_COST, for a delegation's target (EIP-7702)

    // SSTORE.
    bool net_gas_metering = false;      // EIP-1283, EIP-2200
    bool sstore_stipend_check = false;  // EIP-2200
    std::int64_t sstore_noop = 5000;    // unchanged or dirty slot, under net metering
    std::int64_t sstore_cold_slot = 0;  // of a cold slot, beside the rest; EIP-2929
    std::int64_t sstore_set = 20'000;
    std::int64_t sstore_reset = 5'000;
    std::int64_t sstore_clear_refund = 15'000;

    // Calls.
    std::int64_t call_value = 9'000;
    std::int64_t call_stipend = 2'300;
    std::int64_t new_account = 25'000;
    bool all_but_one_64th = false;  // EIP-150

    // Creations.
    std::int64_t create = 32'000;          // G_create; static part of CREATE and CREATE2
    std::int64_t init_code_word = 0;       // EIP-3860
    std::int64_t code_deposit_byte = 200;  // G_codedeposit
    std::int64_t code_deposit_word = 0;    // EIP-8037

    /// What the state grows by is paid in gas of its own.
    StateCosts state;

    std::int64_t selfdestruct_new_account = 0;   // EIP-150
    std::int64_t selfdestruct_cold_account = 0;  // EIP-2929
    std::int64_t selfdestruct_refund = 24'000;   // EIP-3529
    std::int64_t exp_byte = 10;                  // EIP-160
    std::int64_t max_refund_quotient = 2;        // EIP-3529

    // An authorization that is valid (EIP-7702, 8037).
    std::int64_t authority_write = 0;   // for an account that the transaction has not written yet
    std::int64_t authority_refund = 0;  // for an account that exists

    // Looked at once a transaction or creation.
    IntrinsicCosts intrinsic;
    Limits limits;

    [[nodiscard]] constexpr bool at_least(Revision since) const noexcept {
        return revision >= since;
    }
};

/// The schedule of a revision. Thread safety: immutable, lives as long as the program.
[[nodiscard]] const GasSchedule& gas_schedule(Revision revision) noexcept;

inline constexpr std::int64_t kCopyWordGas = 3;
inline constexpr std::int64_t kKeccakWordGas = 6;
inline constexpr std::int64_t kLogByteGas = 8;
inline constexpr std::int64_t kMemoryWordGas = 3;
inline constexpr std::int64_t kMemoryQuadraticDivisor = 512;

}  // namespace heddle::vm
