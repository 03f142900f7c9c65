// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/blob_proof.hpp>

#include <types/assert.hpp>

#include "precompiles/curves/curves.h"
#include "precompiles/sha256.hpp"

namespace heddle::vm {

Hash blob_versioned_hash(BytesView commitment) noexcept {
    Hash hash;
    precompiles::sha256_digest(commitment, hash.bytes);
    hash.bytes[0] = 0x01;
    return hash;
}

bool verify_blob_proof(BytesView blob, BytesView commitment, BytesView proof) {
    HEDDLE_ASSERT(blob.size() == kBlobBytes && commitment.size() == kKzgPointBytes &&
                  proof.size() == kKzgPointBytes);
    return heddle_kzg_verify_blob(blob.data(), commitment.data(), proof.data()) == HEDDLE_CURVES_OK;
}

bool verify_cell_proofs(BytesView blob, BytesView commitment, BytesView proofs) {
    HEDDLE_ASSERT(blob.size() == kBlobBytes && commitment.size() == kKzgPointBytes &&
                  proofs.size() == kCellsPerBlob * kKzgPointBytes);
    return heddle_kzg_verify_cells(blob.data(), commitment.data(), proofs.data()) ==
           HEDDLE_CURVES_OK;
}

std::optional<Bytes> commit_to_blob(BytesView blob) {
    HEDDLE_ASSERT(blob.size() == kBlobBytes);
    Bytes commitment(kKzgPointBytes);
    if (heddle_kzg_commit(blob.data(), commitment.data()) != HEDDLE_CURVES_OK) return std::nullopt;
    return commitment;
}

std::optional<Bytes> prove_blob(BytesView blob, BytesView commitment) {
    HEDDLE_ASSERT(blob.size() == kBlobBytes && commitment.size() == kKzgPointBytes);
    Bytes proof(kKzgPointBytes);
    if (heddle_kzg_prove_blob(blob.data(), commitment.data(), proof.data()) != HEDDLE_CURVES_OK)
        return std::nullopt;
    return proof;
}

std::optional<Bytes> prove_cells(BytesView blob) {
    HEDDLE_ASSERT(blob.size() == kBlobBytes);
    Bytes proofs(kCellsPerBlob * kKzgPointBytes);
    if (heddle_kzg_prove_cells(blob.data(), proofs.data()) != HEDDLE_CURVES_OK) return std::nullopt;
    return proofs;
}

}  // namespace heddle::vm
