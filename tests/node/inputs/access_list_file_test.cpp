// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/access_list_file.hpp"

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/block_access_list.hpp>

#include "program.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;

/// A list with one account whose balance is `balance` after transaction 1.
Bytes list_of(std::uint64_t balance) {
    BlockAccessList list;
    list.accounts.emplace_back().address = address_from_low64(7);
    list.accounts[0].balance_changes = {{1, Uint256{balance}}};
    Bytes bytes;
    encode_block_access_list(list, bytes);
    return bytes;
}

/// Blocks that claim these lists; one that is empty: a block of a fork without lists.
class FakeSource final : public consensus_adapter::BlockSource {
public:
    explicit FakeSource(std::vector<Bytes> lists) : lists_(std::move(lists)) {}
    std::optional<consensus_adapter::OrderedBlock> next() override {
        if (given_ == lists_.size()) return std::nullopt;
        consensus_adapter::OrderedBlock block;
        const Bytes& list = lists_[given_++];
        block.start.header.number = 11 + given_;
        if (!list.empty()) block.start.header.block_access_list_hash = keccak256(list);
        return block;
    }
    const std::optional<consensus_adapter::SourceError>& error() const noexcept override {
        return error_;
    }

private:
    std::vector<Bytes> lists_;
    std::size_t given_ = 0;
    std::optional<consensus_adapter::SourceError> error_;
};

class AccessListFileTest : public testing::Test {
protected:
    test::TemporaryFolder folder_;

    [[nodiscard]] std::string write(const std::vector<Bytes>& lists) const {
        std::string text;
        for (const Bytes& list : lists)
            text.append(list.begin(), list.end());
        return folder_.write("lists.rlp", text);
    }
    static std::string failure_of(const std::string& path) {
        try {
            AccessListFile file(path);
            while (true) {
                const auto list = file.next();
                if (!list.has_value()) return list.error();
                if (!list->has_value()) return "no error";
            }
        } catch (const InputError& error) {
            return error.what();
        }
    }
};

TEST_F(AccessListFileTest, gives_the_lists_one_after_the_other) {
    Bytes large(70'000, 0x05);
    rlp::wrap_list(0, large);
    AccessListFile file(write({Bytes{0xc0}, list_of(5), large}));

    EXPECT_EQ(file.next().value(), Bytes{0xc0});
    EXPECT_EQ(file.next().value(), list_of(5));
    EXPECT_EQ(file.next().value(), large);
    EXPECT_EQ(file.next().value(), std::nullopt);
}

TEST_F(AccessListFileTest, reads_on_where_a_pipe_has_not_all_of_a_list_yet) {
    const std::string path = (folder_.path() / "pipe").native();
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    Bytes large(200'000, 0x05);  // more than a pipe holds
    rlp::wrap_list(0, large);
    const std::jthread writer{[&] {
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(large.data()),
                   static_cast<std::streamsize>(large.size()));
    }};
    AccessListFile file(path);

    EXPECT_EQ(file.next().value(), large);
    EXPECT_EQ(file.next().value(), std::nullopt);
}

TEST_F(AccessListFileTest, says_what_is_wrong_and_where) {
    EXPECT_THAT(failure_of((folder_.path() / "missing").native()), HasSubstr("cannot open"));
    EXPECT_THAT(failure_of(write({Bytes{0xc0}, Bytes{0x80}})),
                HasSubstr("at byte 1: not the begin of a list"));
    EXPECT_THAT(failure_of(write({Bytes{0xc0}, Bytes{0xc5, 1}})), HasSubstr("at byte 1: cut off"));
    EXPECT_THAT(failure_of(write({Bytes{0xf9, 1}})), HasSubstr("at byte 0: cut off"));
    EXPECT_THAT(failure_of(write({Bytes{0xff, 1, 0, 0, 0, 0, 0, 0, 0}})),
                HasSubstr("at byte 0: longer than a list can be"));
    EXPECT_EQ(failure_of(write({list_of(5)})), "no error");
}

TEST_F(AccessListFileTest, gives_each_block_its_list) {
    AccessListFile file(write({list_of(5), list_of(6)}));
    FakeSource inner({list_of(5), {}, list_of(6)});
    AccessListSource source(inner, file);

    EXPECT_EQ(source.next().value().start.access_list, list_of(5));
    EXPECT_EQ(source.next().value().start.access_list, Bytes{});  // of a fork without lists
    EXPECT_EQ(source.next().value().start.access_list, list_of(6));
    EXPECT_FALSE(source.next().has_value());
    EXPECT_FALSE(source.error().has_value());
    EXPECT_EQ(source.given(), 2u);
}

TEST_F(AccessListFileTest, passes_over_the_lists_of_blocks_that_do_not_come) {
    AccessListFile file(write({list_of(3), list_of(4), list_of(5), list_of(6)}));
    FakeSource inner({list_of(5), list_of(6)});
    AccessListSource source(inner, file);

    EXPECT_EQ(source.next().value().start.access_list, list_of(5));
    EXPECT_EQ(source.next().value().start.access_list, list_of(6));
}

TEST_F(AccessListFileTest, stops_where_the_list_is_another_or_missing) {
    AccessListFile another(write({list_of(5), list_of(7)}));
    FakeSource inner({list_of(5), list_of(6)});
    AccessListSource source(inner, another);
    EXPECT_TRUE(source.next().has_value());
    EXPECT_FALSE(source.next().has_value());
    ASSERT_TRUE(source.error().has_value());
    EXPECT_EQ(source.error()->number, 13u);
    EXPECT_THAT(source.error()->reason, HasSubstr("another list for it"));

    AccessListFile none(write({list_of(4)}));
    FakeSource one({list_of(5)});
    AccessListSource ending(one, none);
    EXPECT_FALSE(ending.next().has_value());
    ASSERT_TRUE(ending.error().has_value());
    EXPECT_THAT(ending.error()->reason, HasSubstr("has no list for it"));
}

/// A block whose header claims no list.
BlockHeader unclaimed(std::uint64_t number) {
    BlockHeader header;
    header.number = number;
    return header;
}

TEST_F(AccessListFileTest, gives_advice_to_the_block_that_it_names) {
    BlockHeader other = unclaimed(13);
    other.timestamp = 1;
    AccessListFile file(
        write({encode_named_list(unclaimed(11), list_of(1)),
               encode_named_list(unclaimed(12), list_of(2)), encode_named_list(other, list_of(3)),
               list_of(5), encode_named_list(unclaimed(16), list_of(6))}));
    FakeSource inner({{}, {}, list_of(5), {}, {}, {}});
    AccessListSource source(inner, file);

    EXPECT_EQ(source.next().value().start.access_list, list_of(2));
    EXPECT_EQ(source.next().value().start.access_list, Bytes{});  // another block of that number
    EXPECT_EQ(source.next().value().start.access_list, list_of(5));
    EXPECT_EQ(source.next().value().start.access_list, Bytes{});
    EXPECT_EQ(source.next().value().start.access_list, list_of(6));
    EXPECT_EQ(source.next().value().start.access_list, Bytes{});
    EXPECT_FALSE(source.error().has_value());
    EXPECT_EQ(source.given(), 1u);
    EXPECT_EQ(source.advised(), 2u);
}

TEST_F(AccessListFileTest, what_names_no_block_is_no_advice) {
    AccessListFile file(write({Bytes{0xc2, 0x01, 0x02}}));
    FakeSource inner(std::vector<Bytes>(1));
    AccessListSource source(inner, file);

    EXPECT_FALSE(source.next().has_value());
    ASSERT_TRUE(source.error().has_value());
    EXPECT_THAT(source.error()->reason, HasSubstr("something else than a list with its block"));
}

TEST_F(AccessListFileTest, a_file_of_blocks_is_no_advice) {
    Bytes block;
    encode_block(Block{}, block);
    AccessListFile file(write({block}));
    FakeSource inner(std::vector<Bytes>(1));
    AccessListSource source(inner, file);

    EXPECT_FALSE(source.next().has_value());
    ASSERT_TRUE(source.error().has_value());
    EXPECT_THAT(source.error()->reason, HasSubstr("something else than access lists"));
}

TEST_F(AccessListFileTest, a_damaged_file_ends_the_stream) {
    AccessListFile file(write({Bytes{0x80}}));
    FakeSource inner({list_of(6)});
    AccessListSource source(inner, file);

    EXPECT_FALSE(source.next().has_value());
    ASSERT_TRUE(source.error().has_value());
    EXPECT_THAT(source.error()->reason, HasSubstr("not the begin of a list"));
}

}  // namespace
}  // namespace heddle::node
