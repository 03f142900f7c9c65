// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether blobs are what their transaction commits to (EIP-4844, EIP-7594). Execution never sees
// blobs: this is for whoever takes transactions in.
#pragma once

#include <cstddef>
#include <optional>

#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::vm {

inline constexpr std::size_t kBlobBytes = 131'072;
/// A commitment or a proof: a compressed point.
inline constexpr std::size_t kKzgPointBytes = 48;
inline constexpr std::size_t kCellsPerBlob = 128;  // EIP-7594

/// What a transaction names a commitment by (EIP-4844).
[[nodiscard]] Hash blob_versioned_hash(BytesView commitment) noexcept;

/// Whether `proof` shows that `commitment` is that of `blob` (EIP-4844). Milliseconds; the first
/// call in a process loads the trusted setup, which takes longer. Sizes must be those above.
/// Thread safety: any, here and below.
[[nodiscard]] bool verify_blob_proof(BytesView blob, BytesView commitment, BytesView proof);
/// The same with kCellsPerBlob proofs, one behind the other (EIP-7594).
[[nodiscard]] bool verify_cell_proofs(BytesView blob, BytesView commitment, BytesView proofs);

// Making what the above verify, for transactions that are to be signed. nullopt: the blob is none,
// for one of its 4,096 numbers is not below the order of the field.

/// kKzgPointBytes (EIP-4844). Milliseconds.
[[nodiscard]] std::optional<Bytes> commit_to_blob(BytesView blob);
/// The same, of the blob and its commitment.
[[nodiscard]] std::optional<Bytes> prove_blob(BytesView blob, BytesView commitment);
/// kCellsPerBlob proofs, one behind the other (EIP-7594). Some hundred milliseconds.
[[nodiscard]] std::optional<Bytes> prove_cells(BytesView blob);

}  // namespace heddle::vm
