// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Phase 1 of a transaction: whether it may be executed at its place in the block. The result is
// what execution needs, and the only way to get it.
#pragma once

#include <cstdint>
#include <expected>

#include <types/block.hpp>
#include <types/revision.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>
#include <types/transaction_error.hpp>

namespace heddle::vm {

/// What is left of a block's limits at a transaction's place. From Amsterdam on gas has two
/// dimensions, each with the whole gas limit (EIP-8037); before, state gas stays as it is.
struct BlockGas {
    std::uint64_t gas = 0;        // gas limit less the gas used so far, for execution
    std::uint64_t state_gas = 0;  // gas limit less the state gas used so far
    std::uint64_t blob_gas = 0;   // blob gas limit less the blob gas used so far

    /// The highest gas limit of a transaction that there is room for.
    [[nodiscard]] std::uint64_t most(Revision revision) const noexcept;
    /// Of a block without transactions.
    [[nodiscard]] static BlockGas whole(const BlockEnv& env) noexcept {
        return {env.gas_limit, env.gas_limit, env.max_blob_gas_per_block};
    }
};

/// Gas that a transaction costs before execution, and the floor below which it cannot go.
struct IntrinsicGas {
    std::uint64_t gas = 0;    // g_0 (YP 6.2, EIP-2028, 2930, 3860, 7702, 2780); for execution
    std::uint64_t floor = 0;  // EIP-7623, 7976, 7981; 0 before Prague
};

/// What a transaction costs before it executes (YP 6.2, g_0), in gas: the
/// parts that intrinsic_gas() adds up.
struct IntrinsicCosts {
    std::uint64_t transaction = 21'000;          // G_transaction
    std::uint64_t recipient = 0;                 // who is not the sender: EIP-2780
    std::uint64_t value = 0;                     // that goes to such a recipient: EIP-2780
    std::uint64_t create = 0;                    // G_txcreate: EIP-2
    std::uint64_t zero_byte = 4;                 // G_txdatazero
    std::uint64_t non_zero_byte = 68;            // G_txdatanonzero: EIP-2028
    std::uint64_t init_code_word = 0;            // EIP-3860
    std::uint64_t access_list_address = 2'400;   // EIP-2930
    std::uint64_t access_list_slot = 1'900;      // EIP-2930
    std::uint64_t authorization = 25'000;        // EIP-7702, PER_EMPTY_ACCOUNT_COST
    std::uint64_t floor_token = 0;               // EIP-7623; 0: no floor
    std::uint64_t tokens_per_non_zero_byte = 4;  // EIP-7623
    std::uint64_t access_list_floor_byte = 0;    // beside its price, and in the floor: EIP-7981
};

/// How the gas limit of a transaction divides into gas for execution and a reservoir that pays for
/// nothing but growing the state (EIP-8037). Before Amsterdam all of it is for execution.
struct GasSplit {
    std::uint64_t execution = 0;  // less the intrinsic gas
    std::uint64_t reservoir = 0;
};

struct CallChecks;

/// A transaction that passed validate() against one state and environment, or a call that passed
/// validate_call(); nothing else makes one. Borrows the transaction, which must outlive it.
class ValidTransaction {
public:
    [[nodiscard]] const Transaction& tx() const noexcept { return *tx_; }
    [[nodiscard]] const Address& sender() const noexcept { return sender_; }
    [[nodiscard]] const IntrinsicGas& intrinsic() const noexcept { return intrinsic_; }
    [[nodiscard]] const Uint256& effective_gas_price() const noexcept { return gas_price_; }
    [[nodiscard]] std::uint64_t blob_gas() const noexcept { return blob_gas_; }
    /// For all of its blobs, in wei.
    [[nodiscard]] const Uint256& blob_fee() const noexcept { return blob_fee_; }
    /// What there is for its execution.
    [[nodiscard]] const GasSplit& gas() const noexcept { return gas_; }

private:
    friend std::expected<ValidTransaction, TransactionError> validate(const Transaction&,
                                                                      const StateView&,
                                                                      const BlockEnv&,
                                                                      const BlockGas&) noexcept;
    friend std::expected<ValidTransaction, TransactionError> validate_call(
        const Transaction&, const StateView&, const BlockEnv&, const CallChecks&) noexcept;
    ValidTransaction() = default;

    const Transaction* tx_ = nullptr;
    Address sender_;
    IntrinsicGas intrinsic_;
    Uint256 gas_price_;  // wei
    std::uint64_t blob_gas_ = 0;
    Uint256 blob_fee_;  // wei
    GasSplit gas_;
};

/// Gas per blob (EIP-4844).
inline constexpr std::uint64_t kGasPerBlob = 131'072;

/// The first revision that has transactions of this type.
[[nodiscard]] Revision first_revision(TransactionType type) noexcept;

/// Thread safety: immutable, lives as long as the program.
[[nodiscard]] const IntrinsicCosts& intrinsic_costs(Revision revision) noexcept;

/// YP 6.2 g_0; EIP-2, 2028, 2930, 3860, 7623, 7702, 2780, 7976, 7981. No transaction that is held
/// in memory makes it overflow. From Amsterdam on a transaction to oneself costs less: where
/// `tx.sender` is not filled this is the least that it can cost.
[[nodiscard]] IntrinsicGas intrinsic_gas(const Transaction& tx, Revision revision) noexcept;

/// Effective gas price in wei (EIP-1559); equal to the gas price for legacy and type 1.
[[nodiscard]] Uint256 effective_gas_price(const Transaction& tx,
                                          const Uint256& base_fee_per_gas) noexcept;

/// What the sender must own, in wei: the most that gas, blobs and value can cost (YP 6.2, v_0).
/// Errors: TransactionError::gas_price_overflow, insufficient_funds where nobody can own as much.
[[nodiscard]] std::expected<Uint256, TransactionError> upfront_cost(const Transaction& tx) noexcept;

/// Whether a block has room for the transaction (YP 6.2; EIP-4844, 8037).
/// Errors: TransactionError::gas_limit_above_block, blob_gas_above_block. Thread safety: pure.
[[nodiscard]] std::expected<void, TransactionError> check_room(const Transaction& tx,
                                                               const BlockGas& left,
                                                               Revision revision) noexcept;

/// The checks that need neither state nor the block's remaining gas: type, chain id, sizes, fees,
/// blobs, authorizations, intrinsic gas. The sender is not recovered.
/// Errors: the first broken rule, in the order geth checks them.
[[nodiscard]] std::expected<void, TransactionError> validate_stateless(
    const Transaction& tx, const BlockEnv& env) noexcept;

/// All checks (YP 6.2, eq. 65 ff.; EIP-3607, 1559, 2681, 4844, 7623, 7702, 7825, 8037).
///
/// Uses `tx.sender` where it is filled, otherwise recovers it.
/// @param view  World state at the transaction's place in the serial order.
/// @param left  What is left of the block's limits there.
/// Thread safety: pure.
[[nodiscard]] std::expected<ValidTransaction, TransactionError> validate(
    const Transaction& tx, const StateView& view, const BlockEnv& env,
    const BlockGas& left) noexcept;

}  // namespace heddle::vm
