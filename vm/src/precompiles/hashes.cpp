// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// OpenSSL's one-shot and EVP interfaces look the algorithm up on every call, which costs more than
// hashing a short input; the direct ones are deprecated but do exactly the work. They also offer
// RIPEMD-160 without the legacy provider.
#define OPENSSL_SUPPRESS_DEPRECATED  // NOLINT(readability-identifier-naming)

#include <openssl/ripemd.h>
#include <openssl/sha.h>

#include "precompiles/contracts.hpp"
#include "precompiles/sha256.hpp"

namespace heddle::vm::precompiles {

void sha256_digest(BytesView data, std::span<std::uint8_t, 32> digest) noexcept {
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, data.data(), data.size());
    SHA256_Final(digest.data(), &context);
}

bool sha256(BytesView input, Revision, Bytes& output) noexcept {
    output.resize(32);
    sha256_digest(input, std::span<std::uint8_t, 32>{output});
    return true;
}

/// The 20-byte digest, extended with zeroes on the left to a word.
bool ripemd160(BytesView input, Revision, Bytes& output) noexcept {
    output.resize(32);
    RIPEMD160_CTX context;
    RIPEMD160_Init(&context);
    RIPEMD160_Update(&context, input.data(), input.size());
    RIPEMD160_Final(output.data() + 12, &context);
    return true;
}

bool identity(BytesView input, Revision, Bytes& output) noexcept {
    output.assign(input.begin(), input.end());
    return true;
}

}  // namespace heddle::vm::precompiles
