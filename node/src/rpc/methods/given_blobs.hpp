// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blobs of a transaction that somebody is about to sign (eth_fillTransaction): checked, what
// belongs to them made where it is not given, and written as their transaction's network form has
// them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <types/bytes.hpp>
#include <types/revision.hpp>

#include "formats/json.hpp"
#include "mempool/blob_sidecar.hpp"
#include "rpc/envelope/method.hpp"
#include "simulation/call_request.hpp"

namespace heddle::node::rpc {

/// As the caller gives them; sizes are right.
struct GivenBlobs {
    std::vector<Bytes> blobs;
    std::optional<std::vector<Bytes>> commitments;
    std::optional<std::vector<Bytes>> proofs;
};

/// nullopt: there is no member "blobs". Errors: InputError.
[[nodiscard]] std::optional<GivenBlobs> parse_given_blobs(const JsonView& transaction);

/// That a transaction can have so many, on a chain of any fork (EIP-7594).
/// Errors: RpcError server_error, as below.
void check_blob_count(std::size_t count);

/// Makes commitments and proofs where they are missing, those of cells from Osaka on; checks them
/// where they are not. Proofs of whole blobs are made anew from Osaka on. Gives `request` the
/// blobs' hashes, or compares them with those that it has. Takes some hundred milliseconds a blob.
/// Errors: RpcError server_error, worded as geth words it; timed_out.
void complete_blobs(GivenBlobs& given, simulation::CallRequest& request, Revision revision,
                    const Call& call);

/// Of blobs that are complete, what follows the transaction in the network form; RLP items.
[[nodiscard]] Bytes encode_sidecar(const GivenBlobs& given);

}  // namespace heddle::node::rpc
