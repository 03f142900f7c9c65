// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "jwt_tokens.hpp"

#include <array>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace heddle::node::rpc {

namespace {

/// base64url without padding, by way of the library's base64.
std::string encode(std::string_view bytes) {
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    while (text.ends_with('='))
        text.pop_back();
    for (char& c : text)
        c = c == '+' ? '-' : c == '/' ? '_' : c;
    return text;
}

}  // namespace

std::string make_token(std::string_view claims, BytesView secret, std::string_view header) {
    std::string token = encode(header) + "." + encode(claims);
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
    unsigned size = 0;
    HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
         reinterpret_cast<const unsigned char*>(token.data()), token.size(), mac.data(), &size);
    return token + "." + encode({reinterpret_cast<const char*>(mac.data()), size});
}

}  // namespace heddle::node::rpc
