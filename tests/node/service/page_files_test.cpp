// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The files of the page as the node serves them: whole, strict, none of them names another place.
#include "service/page_files.hpp"

#include <regex>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/node_pages.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;
using testing::Not;

rpc::Pages served() {
    NodePages parts;
    parts.metrics = [] { return std::string{}; };
    return make_pages(std::move(parts));
}

TEST(PageFiles, every_file_that_one_names_is_served) {
    const rpc::Pages pages = served();
    std::set<std::string> named;
    for (const PageFile& file : page_files()) {
        const std::string body{file.body};
        const std::regex reference{R"re((?:src|href)="(page/[\w.]+)"|from '\./([\w.]+)')re"};
        for (std::sregex_iterator found{body.begin(), body.end(), reference};
             found != std::sregex_iterator{}; ++found)
            named.insert((*found)[1].matched ? "/" + (*found)[1].str()
                                             : "/page/" + (*found)[2].str());
    }
    EXPECT_GT(named.size(), 15u);
    for (const std::string& path : named)
        EXPECT_TRUE(pages.contains(path)) << path;
    EXPECT_EQ(named.size() + 1, page_files().size()) << "a file that nobody needs";
}

TEST(PageFiles, come_with_a_policy_that_lets_no_other_script_run) {
    for (const auto& [path, page] : served()) {
        if (path != "/" && !path.starts_with("/page/")) continue;
        const rpc::Page answer = page.make();
        EXPECT_THAT(answer.headers, HasSubstr("default-src 'none'; script-src 'self';")) << path;
        EXPECT_THAT(answer.headers, HasSubstr("frame-ancestors 'none'")) << path;
        EXPECT_THAT(answer.headers, HasSubstr("nosniff")) << path;
        EXPECT_THAT(answer.headers, Not(HasSubstr("unsafe"))) << path;
        EXPECT_EQ(answer.etag.size(), 34u) << path;
        EXPECT_NE(answer.body, "") << path;
    }
}

TEST(PageFiles, hold_nothing_that_the_policy_forbids_or_that_is_elsewhere) {
    for (const PageFile& file : page_files()) {
        const std::string body{file.body};
        for (const char* forbidden :
             {"http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML",
              "document.write", "eval(", "style=\"", " onclick=\"", "@import", "//cdn"}) {
            // The name of SVG's vocabulary is no address.
            if (file.path.ends_with(".svg") && forbidden == std::string{"http://"}) continue;
            if (file.path.ends_with("dom.js") && forbidden == std::string{"innerHTML"}) continue;
            EXPECT_THAT(body, Not(HasSubstr(forbidden))) << file.path;
        }
    }
}

TEST(PageFiles, are_told_apart_by_their_content) {
    std::set<std::string_view> tags;
    for (const PageFile& file : page_files())
        tags.insert(file.etag);
    EXPECT_EQ(tags.size(), page_files().size());
}

}  // namespace
}  // namespace heddle::node
