// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 of what comes in parts, as other programs compute it of a file.
#pragma once

#include <memory>

#include <openssl/evp.h>

#include <types/assert.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::node {

/// Thread safety: none.
class Sha256 {
public:
    Sha256() { HEDDLE_ASSERT(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1); }
    void add(BytesView bytes) {
        HEDDLE_ASSERT(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
    }
    /// Once, and nothing may follow.
    [[nodiscard]] Hash finish() {
        Hash hash;
        HEDDLE_ASSERT(EVP_DigestFinal_ex(context_.get(), hash.bytes.data(), nullptr) == 1);
        return hash;
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(),
                                                                     &EVP_MD_CTX_free};
};

}  // namespace heddle::node
