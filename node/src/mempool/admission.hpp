// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a transaction must be before the pool looks at it: well-formed, executable by the rules of
// the next block, paying enough, signed. The cheap checks come first, so that nonsense costs
// little.
#pragma once

#include <expected>

#include <types/block.hpp>

#include "mempool/mempool.hpp"
#include "mempool/pool.hpp"

namespace heddle::node {

/// Largest transaction without its blobs, in bytes.
inline constexpr std::size_t kMaxTransactionBytes = 131'072;

/// Decodes the network form. Neither the sender nor the place in the pool is filled.
/// Errors: malformed, oversized, unsupported_type, invalid_sender. Here and below the messages are
/// those of go-ethereum where it has one.
[[nodiscard]] std::expected<PooledTransaction, AdmissionError> decode_network_form(
    BytesView encoded, Origin origin);

/// The network form: canonical, or with the blobs.
[[nodiscard]] Bytes encode_network_form(const PooledTransaction& transaction);

/// Everything that needs neither the sender nor its account.
/// @param next  What the transactions of the next block will see of it.
[[nodiscard]] std::expected<void, AdmissionError> check_stateless(
    const PooledTransaction& transaction, const BlockEnv& next, const MempoolOptions& options);

/// What of the next block's rules concerns senders.
struct SenderRules {
    Revision revision{};
    bool code_may_send = false;  // BlockEnv::code_may_send

    explicit SenderRules(const BlockEnv& next)
        : revision(next.revision), code_may_send(next.code_may_send) {}
};

/// What depends on the sender alone, once its recovery was tried.
/// Errors: invalid_sender; intrinsic_gas, as far as it depends on the sender (EIP-2780).
[[nodiscard]] std::expected<void, AdmissionError> check_sender(const PooledTransaction& transaction,
                                                               Revision revision);

/// Recovers the accounts that the authorizations delegate: there may be hundreds of signatures.
void fill_authorities(PooledTransaction& transaction);

/// @param next  From Prague on a delegated account is no contract; on some chains contracts may
///              send transactions.
/// Errors: sender_not_eoa (EIP-3607).
[[nodiscard]] std::expected<SenderAccount, AdmissionError> read_account(const StateView& state,
                                                                        const Address& address,
                                                                        const SenderRules& next);
/// The same for one that has been let in already.
[[nodiscard]] SenderAccount reread_account(const StateView& state, const Address& address);

/// Checks the proofs of the blobs; nothing to do but for type 3. Errors: invalid_blobs.
[[nodiscard]] std::expected<void, AdmissionError> check_blob_proofs(
    const PooledTransaction& transaction);

/// Whether a transaction that was let in earlier would still be, by the rules of the next block.
[[nodiscard]] bool is_still_allowed(const PooledTransaction& transaction, const BlockEnv& next);

}  // namespace heddle::node
