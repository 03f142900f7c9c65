// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Commitments and proofs of blobs, as whoever sends them makes them (EIP-4844, EIP-7594). The
// program itself only verifies: vm/blob_proof.hpp. Who includes this links heddle_vm_internal.
#pragma once

#include <array>

#include <types/assert.hpp>
#include <types/bytes.hpp>

#include <vm/blob_proof.hpp>

#include "precompiles/curves/curves.h"

namespace heddle::test {

using KzgPoint = std::array<std::uint8_t, vm::kKzgPointBytes>;

/// The blob's field elements must be below the modulus, here and below.
[[nodiscard]] inline KzgPoint commit_to(BytesView blob) {
    HEDDLE_ASSERT(blob.size() == vm::kBlobBytes);
    KzgPoint commitment;
    HEDDLE_ASSERT(heddle_kzg_commit(blob.data(), commitment.data()) == HEDDLE_CURVES_OK);
    return commitment;
}

/// One proof for all of the blob (EIP-4844).
[[nodiscard]] inline KzgPoint prove_blob(BytesView blob, const KzgPoint& commitment) {
    HEDDLE_ASSERT(blob.size() == vm::kBlobBytes);
    KzgPoint proof;
    HEDDLE_ASSERT(heddle_kzg_prove_blob(blob.data(), commitment.data(), proof.data()) ==
                  HEDDLE_CURVES_OK);
    return proof;
}

/// vm::kCellsPerBlob proofs, one behind the other (EIP-7594).
[[nodiscard]] inline Bytes prove_cells(BytesView blob) {
    HEDDLE_ASSERT(blob.size() == vm::kBlobBytes);
    Bytes proofs(vm::kCellsPerBlob * vm::kKzgPointBytes);
    HEDDLE_ASSERT(heddle_kzg_prove_cells(blob.data(), proofs.data()) == HEDDLE_CURVES_OK);
    return proofs;
}

}  // namespace heddle::test
