// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "mempool/blob_sidecar.hpp"

#include <fmt/format.h>

#include <types/expected.hpp>
#include <types/transaction.hpp>
#include <vm/blob_proof.hpp>

namespace heddle::node {
namespace {

constexpr auto kBlobType = static_cast<std::uint8_t>(TransactionType::blob);

rlp::Result<std::vector<BytesView>> read_strings(rlp::Reader& reader) {
    std::vector<BytesView> strings;
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    while (!items.at_end()) {
        HEDDLE_TRY(const BytesView item, items.read_string());
        strings.push_back(item);
    }
    return strings;
}

template <typename... Args>
std::unexpected<std::string> refuse(fmt::format_string<Args...> format, Args&&... args) {
    return std::unexpected(fmt::format(format, std::forward<Args>(args)...));
}

std::expected<void, std::string> check_size(std::string_view name,
                                            const std::vector<BytesView>& items, std::size_t size) {
    for (const BytesView item : items)
        if (item.size() != size)
            return refuse("invalid size of a blob's {}: {} bytes, expected {}", name, item.size(),
                          size);
    return {};
}

}  // namespace

bool has_sidecar(BytesView encoded) noexcept {
    if (encoded.empty() || encoded[0] != kBlobType) return false;
    rlp::Reader reader{encoded.subspan(1)};
    auto list = reader.read_list();
    return list.has_value() && list->next_is_list();
}

rlp::Result<NetworkForm> split_network_form(BytesView encoded) {
    NetworkForm form;
    rlp::Reader reader{encoded.subspan(1), 1};
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    HEDDLE_CHECK(reader.expect_end());
    HEDDLE_TRY(const BytesView payload, items.read_raw());
    form.canonical.reserve(1 + payload.size());
    form.canonical.push_back(kBlobType);
    form.canonical.insert(form.canonical.end(), payload.begin(), payload.end());
    form.sidecar = encoded.subspan(items.offset());
    return form;
}

Bytes join_network_form(BytesView canonical, BytesView sidecar) {
    const BytesView payload = canonical.subspan(1);
    Bytes encoded{kBlobType};
    encoded.reserve(payload.size() + sidecar.size() + 10);
    rlp::encode_list_header(payload.size() + sidecar.size(), encoded);
    encoded.insert(encoded.end(), payload.begin(), payload.end());
    encoded.insert(encoded.end(), sidecar.begin(), sidecar.end());
    return encoded;
}

rlp::Result<BlobSidecar> decode_sidecar(BytesView bytes) {
    BlobSidecar sidecar;
    rlp::Reader reader{bytes};
    if (!reader.next_is_list()) {
        HEDDLE_TRY(sidecar.version, reader.read_uint64());
    }
    HEDDLE_TRY(sidecar.blobs, read_strings(reader));
    HEDDLE_TRY(sidecar.commitments, read_strings(reader));
    HEDDLE_TRY(sidecar.proofs, read_strings(reader));
    HEDDLE_CHECK(reader.expect_end());
    return sidecar;
}

std::expected<void, std::string> check_sidecar(const BlobSidecar& sidecar,
                                               const std::vector<Hash>& hashes, Revision revision) {
    // Wallets go on proving whole blobs, and geth turns their proofs into those of cells.
    const std::uint64_t newest = revision >= Revision::osaka ? 1 : 0;
    if (sidecar.version > newest)
        return refuse("unexpected sidecar version, want: {}, got: {}", newest, sidecar.version);
    if (sidecar.blobs.size() != hashes.size())
        return refuse("invalid number of {} blobs compared to {} blob hashes", sidecar.blobs.size(),
                      hashes.size());
    if (sidecar.commitments.size() != hashes.size())
        return refuse("invalid number of {} blob commitments compared to {} blob hashes",
                      sidecar.commitments.size(), hashes.size());
    const std::size_t proofs = hashes.size() * (sidecar.version == 1 ? vm::kCellsPerBlob : 1);
    if (sidecar.proofs.size() != proofs)
        return refuse("invalid number of {} blob proofs expected {}", sidecar.proofs.size(),
                      proofs);
    HEDDLE_CHECK(check_size("content", sidecar.blobs, vm::kBlobBytes));
    HEDDLE_CHECK(check_size("commitment", sidecar.commitments, vm::kKzgPointBytes));
    HEDDLE_CHECK(check_size("proof", sidecar.proofs, vm::kKzgPointBytes));
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        const Hash computed = vm::blob_versioned_hash(sidecar.commitments[i]);
        if (computed != hashes[i])
            return refuse("blob {}: computed hash {} mismatches transaction one {}", i,
                          to_string(computed), to_string(hashes[i]));
    }
    return {};
}

std::expected<void, std::string> verify_proofs(const BlobSidecar& sidecar) {
    for (std::size_t i = 0; i < sidecar.blobs.size(); ++i) {
        const BytesView blob = sidecar.blobs[i];
        const BytesView commitment = sidecar.commitments[i];
        bool is_proved = false;
        if (sidecar.version == 0) {
            is_proved = vm::verify_blob_proof(blob, commitment, sidecar.proofs[i]);
        } else {
            Bytes proofs;
            proofs.reserve(vm::kCellsPerBlob * vm::kKzgPointBytes);
            for (std::size_t cell = 0; cell < vm::kCellsPerBlob; ++cell) {
                const BytesView proof = sidecar.proofs[i * vm::kCellsPerBlob + cell];
                proofs.insert(proofs.end(), proof.begin(), proof.end());
            }
            is_proved = vm::verify_cell_proofs(blob, commitment, proofs);
        }
        if (!is_proved) return refuse("invalid blob {}: can't verify opening proof", i);
    }
    return {};
}

}  // namespace heddle::node
