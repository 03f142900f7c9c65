// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/jwt.hpp"

#include <array>
#include <optional>
#include <string>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "formats/json.hpp"
#include "program/error.hpp"

namespace heddle::node::rpc {

namespace {

constexpr std::int64_t kMaxAge = 60;              // seconds, into both directions
constexpr std::size_t kMaxTokenLength = 8 << 10;  // what HTTP headers may have at most
constexpr std::uint64_t kMaxTime = 1ull << 40;    // seconds; keeps sums within 64 bits

std::optional<unsigned> digit_of(char c) noexcept {
    if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A');
    if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a') + 26;
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0') + 52;
    if (c == '-') return 62;
    if (c == '_') return 63;
    return std::nullopt;
}

/// base64url without padding (RFC 4648 5).
std::optional<std::string> decode_base64url(std::string_view text) {
    std::string bytes;
    unsigned bits = 0;
    unsigned count = 0;
    for (const char c : text) {
        const auto digit = digit_of(c);
        if (!digit) return std::nullopt;
        bits = ((bits << 6) | *digit) & 0xffffff;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<char>((bits >> count) & 0xff));
    }
    return text.size() % 4 == 1 ? std::nullopt : std::optional{std::move(bytes)};
}

/// Without padding.
std::string encode_base64url(std::string_view bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string text;
    unsigned bits = 0;
    unsigned count = 0;
    for (const char c : bytes) {
        bits = ((bits << 8) | static_cast<unsigned char>(c)) & 0xffff;
        count += 8;
        for (; count >= 6; count -= 6)
            text.push_back(kDigits[(bits >> (count - 6)) & 0x3f]);
    }
    if (count != 0) text.push_back(kDigits[(bits << (6 - count)) & 0x3f]);
    return text;
}

/// HMAC with SHA-256; empty where it cannot be computed.
std::string sign(std::string_view text, BytesView secret) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
    unsigned size = 0;
    const void* bytes = text.data();
    if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
             static_cast<const unsigned char*>(bytes), text.size(), code.data(), &size) == nullptr)
        return {};
    return {code.begin(), code.begin() + size};
}

bool is_signed_with(std::string_view text, std::string_view signature, BytesView secret) {
    const std::string expected = sign(text, secret);
    return !expected.empty() && signature.size() == expected.size() &&
           CRYPTO_memcmp(signature.data(), expected.data(), expected.size()) == 0;
}

/// A time among the claims; nullopt when it is absent.
std::optional<std::int64_t> time_of(const JsonView& claims, std::string_view name) {
    const auto claim = claims.find(name);
    if (!claim) return std::nullopt;
    const std::uint64_t time = claim->uint64();
    if (time > kMaxTime) claim->fail("beyond all time");
    return static_cast<std::int64_t>(time);
}

}  // namespace

std::string_view to_string(JwtError error) noexcept {
    switch (error) {
        case JwtError::none:
            return "valid token";
        case JwtError::malformed:
            return "malformed token";
        case JwtError::wrong_algorithm:
            return "signing method is invalid: HS256 is expected";
        case JwtError::wrong_signature:
            return "signature is invalid";
        case JwtError::missing_issue_time:
            return "missing issued-at";
        case JwtError::stale:
            return "stale token";
        case JwtError::future:
            return "future token";
        case JwtError::expired:
            return "token is expired";
    }
    return "unknown";
}

JwtError check_jwt(std::string_view token, BytesView secret, std::chrono::seconds now) {
    const std::size_t first = token.find('.');
    const std::size_t last = token.rfind('.');
    if (token.size() > kMaxTokenLength || first == std::string_view::npos || first == last ||
        token.find('.', first + 1) != last)
        return JwtError::malformed;
    const auto header = decode_base64url(token.substr(0, first));
    const auto payload = decode_base64url(token.substr(first + 1, last - first - 1));
    const auto signature = decode_base64url(token.substr(last + 1));
    if (!header || !payload || !signature) return JwtError::malformed;
    try {
        JsonParser parser;
        if (parser.parse(*header, "header").at("alg").string() != "HS256")
            return JwtError::wrong_algorithm;
        if (!is_signed_with(token.substr(0, last), *signature, secret))
            return JwtError::wrong_signature;
        const JsonView claims = parser.parse(*payload, "claims");
        const auto issued = time_of(claims, "iat");
        const auto expires = time_of(claims, "exp");
        if (!issued) return JwtError::missing_issue_time;
        if (now.count() - *issued > kMaxAge) return JwtError::stale;
        if (*issued - now.count() > kMaxAge) return JwtError::future;
        if (expires && *expires <= now.count()) return JwtError::expired;
    } catch (const InputError&) {
        return JwtError::malformed;
    }
    return JwtError::none;
}

std::string make_jwt(BytesView secret, std::chrono::seconds now) {
    const std::string signed_text =
        encode_base64url(R"({"alg":"HS256","typ":"JWT"})") + '.' +
        encode_base64url(R"({"iat":)" + std::to_string(now.count()) + "}");
    return signed_text + '.' + encode_base64url(sign(signed_text, secret));
}

}  // namespace heddle::node::rpc
