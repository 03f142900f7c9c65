// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <string>

#include <openssl/evp.h>

#include <types/assert.hpp>

#include <vm/block_execution.hpp>

#include "block_ends.hpp"
#include "reject.hpp"

namespace heddle::vm {

namespace {

/// DepositEvent(bytes,bytes,bytes,bytes,bytes).
constexpr Hash kDepositEvent = heddle::detail::hash_literal(
    "649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5");

/// Fields of the event in order: where the ABI puts them and how long they are (EIP-6110).
struct DepositField {
    std::size_t offset;
    std::size_t size;
};
constexpr std::array<DepositField, 5> kDepositFields{{
    {160, 48},  // public key
    {256, 32},  // withdrawal credentials
    {320, 8},   // amount
    {384, 96},  // signature
    {512, 8},   // index
}};
constexpr std::size_t kDepositEventBytes = 576;
constexpr std::size_t kWordBytes = 32;

/// Appends the deposit that `data` tells of. @return false when it is laid out otherwise.
bool append_deposit(BytesView data, Bytes& out) {
    if (data.size() != kDepositEventBytes) return false;
    for (std::size_t i = 0; i < kDepositFields.size(); ++i) {
        const auto& [offset, size] = kDepositFields[i];
        if (load_be(data.data() + i * kWordBytes) != Uint256{offset} ||
            load_be(data.data() + offset) != Uint256{size})
            return false;
    }
    for (const auto& [offset, size] : kDepositFields) {
        const BytesView field = data.subspan(offset + kWordBytes, size);
        out.insert(out.end(), field.begin(), field.end());
    }
    return true;
}

Hash sha256(BytesView data) {
    Hash hash;
    const int ok =
        EVP_Digest(data.data(), data.size(), hash.bytes.data(), nullptr, EVP_sha256(), nullptr);
    HEDDLE_ASSERT(ok == 1);
    return hash;
}

}  // namespace

std::expected<Bytes, BlockError> deposit_requests(std::span<const Receipt> receipts,
                                                  std::uint64_t block_number,
                                                  const ChainConfig& config) {
    Bytes request;
    for (std::size_t i = 0; i < receipts.size(); ++i)
        for (const Log& log : receipts[i].logs) {
            if (log.address != config.deposit_contract_address || log.topics.empty() ||
                log.topics.front() != kDepositEvent)
                continue;
            if (!append_deposit(log.data, request)) {
                auto rejected = reject(BlockErrorCode::invalid_deposit_layout, block_number,
                                       std::to_string(log.data.size()) + " bytes");
                rejected.error().index = i;
                return rejected;
            }
        }
    return request;
}

Hash requests_hash(std::span<const Bytes> requests) {
    Bytes digests;
    for (const Bytes& request : requests) {
        const Hash digest = sha256(request);
        digests.insert(digests.end(), digest.bytes.begin(), digest.bytes.end());
    }
    return sha256(digests);
}

}  // namespace heddle::vm
