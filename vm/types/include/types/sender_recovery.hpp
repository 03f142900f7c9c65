// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who has signed, for many signatures at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle {

struct Authorization;
struct Transaction;

/// A hash and a signature of it.
struct SignedMessage {
    Hash hash;
    std::uint8_t y_parity = 0;  // of the point whose x is r
    Uint256 r;
    Uint256 s;
};

/// As recover_signer() of types/signing.hpp for each of them; where the processor has AVX-512 IFMA,
/// in about a seventh of the time. Most is gained by 64 at once.
///
/// Thread safety: any.
void recover_signers(std::span<const SignedMessage> messages,
                     std::span<std::optional<Address>> signers);

/// Sets the sender of each to that of recover_sender(): to nullopt where nobody can have signed.
void recover_senders(std::span<Transaction* const> transactions);

/// The same of those among them whose sender is not known.
void recover_missing_senders(std::span<Transaction> transactions);

/// So many signatures are a good piece of work for one of several threads: what all of a piece
/// share is small beside the rest of it.
inline constexpr std::size_t kRecoveryGrain = 32;

/// No fork asks less gas of a transaction for an authorization.
inline constexpr std::uint64_t kLeastAuthorizationGas = 7'816;

/// The signatures that a block needs and nobody has looked at, in pieces for several threads: of
/// senders, and of authorizations (EIP-7702) that their transaction's gas limit pays for and that
/// can take effect on its chain. Nobody is asked for the signers of the others.
class UnknownSigners {
public:
    /// @param tx  Must outlive this.
    void add(Transaction& tx);
    [[nodiscard]] std::size_t pieces() const noexcept;
    /// Fills senders and authorities in.
    /// Thread safety: distinct pieces at once.
    void recover(std::size_t piece) const;

private:
    /// The sender's, where there is no authorization.
    struct Signature {
        Transaction* tx;
        Authorization* authorization;
    };
    std::vector<Signature> signatures_;
};

/// All that UnknownSigners finds in a block's transactions, by this thread alone.
void recover_missing_signers(std::span<Transaction> transactions);

/// Fills in whose each authorization is, on whatever chain it is to take effect.
void remember_authorities(std::span<Authorization> authorizations);

/// Whose each authorization is that can take effect on this chain, remembered or recovered. nullopt
/// for the others, and where the signature is invalid, malleable, or y_parity is above 1.
/// @param authorities  Overwritten; its buffer is reused.
void find_authorities(std::span<const Authorization> authorizations, std::uint64_t chain_id,
                      std::vector<std::optional<Address>>& authorities);

}  // namespace heddle
