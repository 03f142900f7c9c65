// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/jwt.hpp"

#include <string>

#include <gtest/gtest.h>

#include "jwt_tokens.hpp"

namespace heddle::node::rpc {
namespace {

const Bytes kSecret(32, 7);
constexpr std::chrono::seconds kNow{1'700'000'000};

JwtError check(const std::string& token) {
    return check_jwt(token, kSecret, kNow);
}

std::string issued_at(std::int64_t time) {
    return R"({"iat":)" + std::to_string(time) + "}";
}

TEST(Jwt, accepts_the_example_of_the_standard) {
    // RFC 7515 A.1, whose token has no time of issue.
    const std::string token =
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cn"
        "VlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const Bytes secret = *from_hex(
        "0323354b2b0fa5bc837e0665777ba68f5ab328e6f054c928a90f84b2d2502ebf"
        "d3fb5a92d20647ef968ab4c377623d223d2e2172052e4f08c0cd9af567d080a3");

    EXPECT_EQ(check_jwt(token, secret, kNow), JwtError::missing_issue_time);
    EXPECT_EQ(check_jwt(token, kSecret, kNow), JwtError::wrong_signature);
}

TEST(Jwt, makes_tokens_that_it_takes_for_a_minute) {
    const std::string token = make_jwt(kSecret, kNow);

    EXPECT_EQ(token.substr(0, 37), "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.");
    EXPECT_EQ(check(token), JwtError::none);
    EXPECT_EQ(check_jwt(token, kSecret, kNow + std::chrono::seconds{61}), JwtError::stale);
    EXPECT_EQ(check_jwt(token, Bytes(32, 8), kNow), JwtError::wrong_signature);
}

TEST(Jwt, accepts_a_token_issued_within_a_minute) {
    for (const std::int64_t age : {0, 60, -60})
        EXPECT_EQ(check(make_token(issued_at(kNow.count() - age), kSecret)), JwtError::none) << age;
    EXPECT_EQ(check(make_token(issued_at(kNow.count() - 61), kSecret)), JwtError::stale);
    EXPECT_EQ(check(make_token(issued_at(kNow.count() + 61), kSecret)), JwtError::future);
}

TEST(Jwt, refuses_a_token_that_has_expired) {
    EXPECT_EQ(check(make_token(R"({"iat":1700000000,"exp":1700000001})", kSecret)), JwtError::none);
    EXPECT_EQ(check(make_token(R"({"iat":1700000000,"exp":1700000000})", kSecret)),
              JwtError::expired);
}

TEST(Jwt, refuses_a_token_of_another_key) {
    EXPECT_EQ(check(make_token(issued_at(kNow.count()), Bytes(32, 8))), JwtError::wrong_signature);
}

TEST(Jwt, refuses_every_other_algorithm) {
    const std::string claims = issued_at(kNow.count());

    EXPECT_EQ(check(make_token(claims, kSecret, R"({"alg":"none"})")), JwtError::wrong_algorithm);
    EXPECT_EQ(check(make_token(claims, kSecret, R"({"alg":"HS512"})")), JwtError::wrong_algorithm);
    EXPECT_EQ(check(make_token(claims, kSecret, R"({"typ":"JWT"})")), JwtError::malformed);
}

TEST(Jwt, refuses_a_token_with_any_byte_changed) {
    const std::string token = make_token(issued_at(kNow.count()), kSecret);
    ASSERT_EQ(check(token), JwtError::none);

    for (std::size_t i = 0; i < token.size(); ++i) {
        std::string changed = token;
        changed[i] = changed[i] == 'A' ? 'Q' : 'A';
        // The last character has bits beyond the last byte of the signature.
        if (i + 1 != token.size()) {
            EXPECT_NE(check(changed), JwtError::none) << i;
        }
        EXPECT_NE(check(token.substr(0, i)), JwtError::none) << i;
    }
}

TEST(Jwt, refuses_what_is_no_token) {
    for (const std::string text : {"", ".", "..", "...", "a.b", "a.b.c", "YQ.YQ.YQ", "=.=.="})
        EXPECT_EQ(check(text), JwtError::malformed) << text;
    EXPECT_EQ(check(make_token("[]", kSecret)), JwtError::malformed);
    EXPECT_EQ(check(make_token(R"({"iat":"soon"})", kSecret)), JwtError::malformed);
    EXPECT_EQ(check(make_token(R"({"iat":18446744073709551615})", kSecret)), JwtError::malformed);
    EXPECT_EQ(check(std::string(1 << 20, 'a')), JwtError::malformed);
}

}  // namespace
}  // namespace heddle::node::rpc
