// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/given_blobs.hpp"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include <types/rlp.hpp>
#include <vm/blob_proof.hpp>
#include <vm/limits.hpp>

#include "formats/strict_hex.hpp"

namespace heddle::node::rpc {
namespace {

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
    throw RpcError(Code::server_error, fmt::format(format, std::forward<Args>(args)...));
}

std::optional<std::vector<Bytes>> parse_items(const JsonView& transaction, std::string_view key,
                                              std::size_t size, std::string_view name) {
    const auto list = transaction.find(key);
    if (!list) return std::nullopt;
    if (!list->is_array()) list->fail("expected a list");
    std::vector<Bytes> items;
    items.reserve(list->size());
    for (std::size_t i = 0; i < list->size(); ++i)
        items.push_back(to_fixed_bytes(list->element(i), size, name));
    return items;
}

void check_counts(const GivenBlobs& given, const simulation::CallRequest& request) {
    const std::size_t count = given.blobs.size();
    if (given.proofs && !given.commitments)
        refuse("blob proofs provided while commitments were not");
    if (given.commitments && !given.proofs)
        refuse("blob commitments provided while proofs were not");
    if (request.blob_versioned_hashes && request.blob_versioned_hashes->size() != count)
        refuse("number of blobs and hashes mismatch (have={}, want={})",
               request.blob_versioned_hashes->size(), count);
    if (given.commitments && given.commitments->size() != count)
        refuse("number of blobs and commitments mismatch (have={}, want={})",
               given.commitments->size(), count);
    check_blob_count(count);  // before the work of proving them
}

void append_items(std::vector<Bytes>& items, BytesView joined) {
    for (std::size_t at = 0; at < joined.size(); at += vm::kKzgPointBytes) {
        const BytesView item = joined.subspan(at, vm::kKzgPointBytes);
        items.emplace_back(item.begin(), item.end());
    }
}

void make_proofs(GivenBlobs& given, bool of_cells, const Call& call) {
    given.commitments.emplace();
    given.proofs.emplace();
    for (std::size_t i = 0; i < given.blobs.size(); ++i) {
        call.check_deadline();
        const Bytes& blob = given.blobs[i];
        auto commitment = vm::commit_to_blob(blob);
        if (!commitment)
            refuse(
                "blobs[{}]: error computing commitment: scalar is not canonical when interpreted "
                "as a big integer in big-endian",
                i);
        const auto proofs = of_cells ? vm::prove_cells(blob) : vm::prove_blob(blob, *commitment);
        if (!proofs) throw RpcError(Code::internal_error, "the blob cannot be proved");
        append_items(*given.proofs, *proofs);
        given.commitments->push_back(*std::move(commitment));
    }
}

/// Of blobs that are complete. Borrows them.
BlobSidecar sidecar_of(const GivenBlobs& given) {
    return {.version = given.proofs->size() == given.blobs.size() ? 0U : 1U,
            .blobs = {given.blobs.begin(), given.blobs.end()},
            .commitments = {given.commitments->begin(), given.commitments->end()},
            .proofs = {given.proofs->begin(), given.proofs->end()}};
}

}  // namespace

void check_blob_count(std::size_t count) {
    const std::uint64_t most = vm::limits(Revision::osaka).max_blobs_per_transaction;
    if (count > most) refuse("too many blobs in transaction (have={}, max={})", count, most);
}

std::optional<GivenBlobs> parse_given_blobs(const JsonView& transaction) {
    auto blobs = parse_items(transaction, "blobs", vm::kBlobBytes, "a blob");
    if (!blobs) return std::nullopt;
    return GivenBlobs{
        .blobs = *std::move(blobs),
        .commitments = parse_items(transaction, "commitments", vm::kKzgPointBytes, "a commitment"),
        .proofs = parse_items(transaction, "proofs", vm::kKzgPointBytes, "a proof")};
}

void complete_blobs(GivenBlobs& given, simulation::CallRequest& request, Revision revision,
                    const Call& call) {
    check_counts(given, request);
    const std::size_t count = given.blobs.size();
    const bool of_cells = revision >= Revision::osaka;
    const std::size_t wanted = of_cells ? count * vm::kCellsPerBlob : count;
    if (given.proofs && given.proofs->size() != wanted) {
        if (given.proofs->size() != count)
            refuse("number of blobs and proofs mismatch (have={}, want={})", given.proofs->size(),
                   wanted);
        given.commitments.reset();  // as wallets prove them that do not know of cells
    }
    if (!given.commitments) {
        make_proofs(given, of_cells, call);
    } else if (const auto verified = verify_proofs(sidecar_of(given)); !verified) {
        refuse("failed to verify blob proof: {}", verified.error());
    }
    std::vector<Hash> hashes;
    for (const Bytes& commitment : *given.commitments)
        hashes.push_back(vm::blob_versioned_hash(commitment));
    if (!request.blob_versioned_hashes) request.blob_versioned_hashes = hashes;
    for (std::size_t i = 0; i < count; ++i)
        if (const Hash& claimed = (*request.blob_versioned_hashes)[i]; claimed != hashes[i])
            refuse("blob hash verification failed (have={}, want={})", to_string(claimed),
                   to_string(hashes[i]));
}

Bytes encode_sidecar(const GivenBlobs& given) {
    const BlobSidecar sidecar = sidecar_of(given);
    Bytes encoded;
    if (sidecar.version != 0) rlp::encode_uint64(sidecar.version, encoded);
    for (const auto* const items : {&sidecar.blobs, &sidecar.commitments, &sidecar.proofs}) {
        const std::size_t begin = encoded.size();
        for (const BytesView item : *items)
            rlp::encode_string(item, encoded);
        rlp::wrap_list(begin, encoded);
    }
    return encoded;
}

}  // namespace heddle::node::rpc
