// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdint>

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <types/hash.hpp>

#include "precompiles/contracts.hpp"
#include "precompiles/padded_input.hpp"

namespace heddle::vm::precompiles {

/// Input: hash, v, r, s, a word each. An unrecoverable signature succeeds with empty output.
bool ecrecover(BytesView input, Revision, Bytes& output) noexcept {
    const PaddedInput<128> padded{input};
    const std::uint8_t* const hash = padded.data();
    const std::uint8_t* const v = hash + 32;
    const std::uint8_t* const signature_bytes = hash + 64;

    const bool v_is_small = std::all_of(v, v + 31, [](std::uint8_t byte) { return byte == 0; });
    if (!v_is_small || (v[31] != 27 && v[31] != 28)) return true;

    // Recovery needs no precomputed context, and the library's own is constant: nothing is shared
    // that could be written to.
    const secp256k1_context* const context = secp256k1_context_static;
    secp256k1_ecdsa_recoverable_signature signature;
    secp256k1_pubkey key;
    if (secp256k1_ecdsa_recoverable_signature_parse_compact(context, &signature, signature_bytes,
                                                            v[31] - 27) == 0 ||
        secp256k1_ecdsa_recover(context, &key, &signature, hash) == 0)
        return true;

    std::array<std::uint8_t, 65> serialized{};
    std::size_t size = serialized.size();
    secp256k1_ec_pubkey_serialize(context, serialized.data(), &size, &key,
                                  SECP256K1_EC_UNCOMPRESSED);
    const Hash key_hash = keccak256(BytesView{serialized}.subspan(1));
    output.resize(32);
    std::ranges::copy(BytesView{key_hash.bytes}.subspan(12), output.begin() + 12);
    return true;
}

}  // namespace heddle::vm::precompiles
