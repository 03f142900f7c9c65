// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The network form of transactions with blobs (EIP-4844, EIP-7594): taking it apart, putting it
// together, and whether the blobs are what the transaction commits to.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/revision.hpp>
#include <types/rlp.hpp>

namespace heddle::node {

/// A network form taken apart; borrows its bytes.
struct NetworkForm {
    Bytes canonical;    // `0x03 || payload`
    BytesView sidecar;  // RLP items
};

/// Whether these bytes are of type 3 with a sidecar.
[[nodiscard]] bool has_sidecar(BytesView encoded) noexcept;
/// @param encoded  has_sidecar() of it holds.
[[nodiscard]] rlp::Result<NetworkForm> split_network_form(BytesView encoded);
/// The reverse.
[[nodiscard]] Bytes join_network_form(BytesView canonical, BytesView sidecar);

/// Borrows the sidecar's bytes.
struct BlobSidecar {
    std::uint64_t version = 0;  // 0: a proof for each blob, 1: one for each cell
    std::vector<BytesView> blobs;
    std::vector<BytesView> commitments;
    std::vector<BytesView> proofs;
};
[[nodiscard]] rlp::Result<BlobSidecar> decode_sidecar(BytesView sidecar);

/// Whether counts and sizes fit, and the commitments are those of the versioned hashes. Proofs of
/// cells are taken from Osaka on, those of whole blobs always.
/// Errors: a sentence, here and below.
[[nodiscard]] std::expected<void, std::string> check_sidecar(const BlobSidecar& sidecar,
                                                             const std::vector<Hash>& hashes,
                                                             Revision revision);
/// Whether the proofs hold, for a sidecar that passed check_sidecar(). Milliseconds for each blob.
[[nodiscard]] std::expected<void, std::string> verify_proofs(const BlobSidecar& sidecar);

}  // namespace heddle::node
