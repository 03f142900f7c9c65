// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/http_rules.hpp"

#include <gtest/gtest.h>

namespace heddle::node::rpc {
namespace {

using Names = std::vector<std::string>;

TEST(HttpRules, find_the_name_in_a_host) {
    EXPECT_EQ(host_name("localhost:8545"), "localhost");
    EXPECT_EQ(host_name("localhost"), "localhost");
    EXPECT_EQ(host_name("127.0.0.1:80"), "127.0.0.1");
    EXPECT_EQ(host_name("[::1]:80"), "::1");
    EXPECT_EQ(host_name("[::1]"), "::1");
    EXPECT_EQ(host_name("::1"), "::1");
    EXPECT_EQ(host_name("[::1"), "[::1");
    EXPECT_EQ(host_name(""), "");
}

TEST(HttpRules, take_targets_apart) {
    const auto is_split = [](std::string_view text, std::string_view host, std::string_view path) {
        const Target target = split_target(text);
        return target.host == host && target.path == path;
    };
    EXPECT_TRUE(is_split("/", "", "/"));
    EXPECT_TRUE(is_split("/page/main.js?v=1", "", "/page/main.js"));
    EXPECT_TRUE(is_split("*", "", "*"));
    EXPECT_TRUE(is_split("?x", "", "/"));
    EXPECT_TRUE(is_split("http://localhost:8545/health?x=/", "localhost:8545", "/health"));
    EXPECT_TRUE(is_split("HTTPS://node.example", "node.example", "/"));
    EXPECT_TRUE(is_split("http://node.example?/", "node.example", "/"));
    EXPECT_TRUE(is_split("http://user@evil.example/", "user@evil.example", "/"));
    EXPECT_TRUE(is_split("http:///health", "", "/health"));
    EXPECT_TRUE(is_split("ftp://node.example/", "", "ftp://node.example/"));
}

TEST(HttpRules, know_where_a_body_in_chunks_ends_and_no_other) {
    for (const std::string_view known : {"chunked", "Chunked", " chunked\t"})
        EXPECT_TRUE(is_framing_known(known)) << known;
    for (const std::string_view unknown :
         {"", "identity", "gzip, chunked", "chunked, identity", "chunked, chunked", "xchunked"})
        EXPECT_FALSE(is_framing_known(unknown)) << unknown;
}

TEST(HttpRules, allow_addresses_and_configured_names_as_host) {
    const Names names{"localhost", "node.example"};

    for (const std::string host : {"", "localhost", "LOCALHOST:1", "node.example:8545", "127.0.0.1",
                                   "10.1.2.3:8545", "[::1]:8545", "[2001:db8::1]"})
        EXPECT_TRUE(is_host_allowed(host, names)) << host;
    for (const std::string host :
         {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "xlocalhost",
          "evil.example:8545", "[localhost", "1.2.3"})
        EXPECT_FALSE(is_host_allowed(host, names)) << host;
    EXPECT_TRUE(is_host_allowed("evil.example", {"*"}));
}

TEST(HttpRules, allow_configured_origins_to_read) {
    const Names origins{"https://wallet.example", "http://localhost:3000"};

    EXPECT_TRUE(is_origin_allowed("https://wallet.example", origins));
    EXPECT_TRUE(is_origin_allowed("http://LOCALHOST:3000", origins));
    EXPECT_FALSE(is_origin_allowed("http://wallet.example", origins));
    EXPECT_FALSE(is_origin_allowed("https://wallet.example.evil.example", origins));
    EXPECT_FALSE(is_origin_allowed("https://wallet.example", {}));
    EXPECT_TRUE(is_origin_allowed("https://any.example", {"*"}));
}

TEST(HttpRules, allow_programs_and_configured_origins_to_open_websockets) {
    EXPECT_TRUE(is_websocket_origin_allowed("", {}));
    EXPECT_TRUE(is_websocket_origin_allowed("http://localhost:3000", {}));
    EXPECT_FALSE(is_websocket_origin_allowed("https://evil.example", {}));
    EXPECT_FALSE(is_websocket_origin_allowed("http://localhost.evil.example", {}));
    EXPECT_FALSE(is_websocket_origin_allowed("null", {}));
    EXPECT_TRUE(is_websocket_origin_allowed("https://a.example:1", {"a.example"}));
    EXPECT_TRUE(is_websocket_origin_allowed("https://a.example:1", {"https://a.example"}));
    EXPECT_FALSE(is_websocket_origin_allowed("http://a.example", {"https://a.example"}));
    EXPECT_FALSE(is_websocket_origin_allowed("https://a.example:2", {"https://a.example:1"}));
    EXPECT_TRUE(is_websocket_origin_allowed("https://evil.example", {"*"}));
}

TEST(HttpRules, allow_the_pages_of_the_address_that_is_called) {
    EXPECT_TRUE(is_same_origin("http://127.0.0.1:8545", "127.0.0.1:8545"));
    EXPECT_TRUE(is_same_origin("http://[::1]:8545", "[::1]:8545"));
    EXPECT_TRUE(is_same_origin("https://node.example", "Node.example"));
    EXPECT_FALSE(is_same_origin("http://127.0.0.1:8546", "127.0.0.1:8545"));
    EXPECT_FALSE(is_same_origin("http://127.0.0.1", "127.0.0.1:8545"));
    EXPECT_FALSE(is_same_origin("http://site.example:8545", "127.0.0.1:8545"));
    EXPECT_FALSE(is_same_origin("null", "null"));
    EXPECT_FALSE(is_same_origin("http://", ""));
    EXPECT_FALSE(is_same_origin("", ""));
}

TEST(HttpRules, know_the_copy_of_a_page_by_its_tag) {
    EXPECT_TRUE(has_copy("\"a\"", "\"a\""));
    EXPECT_TRUE(has_copy("\"b\" ,  W/\"a\"", "\"a\""));
    EXPECT_TRUE(has_copy("*", "\"a\""));
    EXPECT_FALSE(has_copy("", "\"a\""));
    EXPECT_FALSE(has_copy("\"b\", \"aa\", a", "\"a\""));
    EXPECT_FALSE(has_copy("*", ""));
    EXPECT_FALSE(has_copy(",,,", "\"a\""));
}

TEST(HttpRules, know_pages_that_this_machine_serves) {
    for (const char* const origin :
         {"http://localhost:3000", "https://localhost", "http://127.0.0.1:5173", "http://127.1.2.3",
          "http://[::1]:80"})
        EXPECT_TRUE(is_local_page(origin)) << origin;
    for (const char* const origin :
         {"", "null", "localhost:3000", "file://localhost", "http://localhost.site.example",
          "http://127.0.0.1.site.example:80", "http://10.0.0.1", "http://site.example"})
        EXPECT_FALSE(is_local_page(origin)) << origin;
}

TEST(HttpRules, know_json_by_its_content_type) {
    for (const std::string type : {"application/json", "Application/JSON; charset=utf-8",
                                   " application/json ;a", "application/json-rpc"})
        EXPECT_TRUE(is_json_content(type)) << type;
    for (const std::string type : {"", "text/plain", "application/jsonx",
                                   "application/x-www-form-urlencoded", "application/"})
        EXPECT_FALSE(is_json_content(type)) << type;
}

TEST(HttpRules, find_the_token_of_a_bearer) {
    EXPECT_EQ(bearer_token("Bearer a.b.c"), "a.b.c");
    EXPECT_EQ(bearer_token("bearer  a.b.c "), "a.b.c");
    EXPECT_EQ(bearer_token("Basic a"), "");
    EXPECT_EQ(bearer_token("Bearer"), "");
    EXPECT_EQ(bearer_token(""), "");
}

}  // namespace
}  // namespace heddle::node::rpc
