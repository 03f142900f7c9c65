// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/access_list_file.hpp"

#include <string>
#include <vector>

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

class CountingSink final : public BlockSink {
public:
    std::expected<Hash, BlockError> commit(FinishedBlock) override {
        ++count;
        return Hash{};
    }
    Hash state_root_with(const StateDiff&) override { return {}; }
    int count = 0;
};

class AccessListFileTest : public testing::Test {
protected:
    test::TemporaryFolder folder_;
    CountingSink inner_;

    [[nodiscard]] std::string write(const std::vector<Bytes>& lists) const {
        std::string text;
        for (const Bytes& list : lists)
            text.append(list.begin(), list.end());
        return folder_.write("lists.rlp", text);
    }
    static FinishedBlock block(Bytes list) {
        FinishedBlock finished;
        finished.block.header.number = 12;
        finished.access_list = std::move(list);
        return finished;
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

TEST_F(AccessListFileTest, lets_blocks_with_the_lists_of_the_file_through) {
    AccessListFile file(write({list_of(5), list_of(6)}));
    AccessListSink sink(inner_, file);

    EXPECT_TRUE(sink.commit(block(list_of(5))).has_value());
    EXPECT_TRUE(sink.commit(block({})).has_value());  // of a fork without lists
    EXPECT_TRUE(sink.commit(block(list_of(6))).has_value());

    EXPECT_EQ(inner_.count, 3);
    EXPECT_EQ(sink.compared(), 2u);
}

TEST_F(AccessListFileTest, keeps_back_a_block_with_another_list_and_names_the_difference) {
    AccessListFile file(write({list_of(5)}));
    AccessListSink sink(inner_, file);

    const auto other = sink.commit(block(list_of(6)));
    const auto beyond = sink.commit(block(list_of(6)));

    ASSERT_FALSE(other.has_value());
    EXPECT_EQ(other.error().code, BlockErrorCode::invalid_access_list);
    EXPECT_EQ(other.error().number, 12u);
    EXPECT_THAT(other.error().detail, HasSubstr("balance_changes, index 1: claimed 0x5, computed "
                                                "0x6"));
    ASSERT_FALSE(beyond.has_value());
    EXPECT_THAT(beyond.error().detail, HasSubstr("has no list for it"));
    EXPECT_EQ(inner_.count, 0);
    EXPECT_FALSE(sink.failure().has_value());
}

TEST_F(AccessListFileTest, a_damaged_file_ends_the_stream_and_is_remembered) {
    AccessListFile file(write({Bytes{0x80}}));
    AccessListSink sink(inner_, file);

    const auto committed = sink.commit(block(list_of(6)));

    ASSERT_FALSE(committed.has_value());
    EXPECT_EQ(committed.error().code, BlockErrorCode::execution_halted);
    EXPECT_THAT(sink.failure().value_or(""), HasSubstr("not the begin of a list"));
}

}  // namespace
}  // namespace heddle::node
