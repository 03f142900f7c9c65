// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "mempool/journal.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mempool/mempool.hpp"
#include "program/error.hpp"
#include "test_chain.hpp"

namespace heddle::node {
namespace {

using testing::ElementsAre;

BytesView bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

class TransactionJournalTest : public testing::Test {
protected:
    std::vector<std::string> records() const {
        std::vector<std::string> result;
        TransactionJournal{path_}.read(
            [&](BytesView record) { result.emplace_back(record.begin(), record.end()); });
        return result;
    }

    test::TestChain chain_;  // for its folder
    const std::string path_ = chain_.path("journal");
    TransactionJournal journal_{path_};
};

TEST_F(TransactionJournalTest, what_is_appended_while_it_is_rewritten_waits_for_nothing) {
    journal_.append(bytes_of("old"));

    journal_.rewrite([&](const std::function<void(BytesView)>& write) {
        write(bytes_of("kept"));
        // Hangs where it waits for the rewriting to end.
        std::thread another{[&] { journal_.append(bytes_of("meanwhile")); }};
        another.join();
        EXPECT_THAT(records(), ElementsAre("old", "meanwhile")) << "the process may end now";
    });
    journal_.append(bytes_of("later"));

    EXPECT_THAT(records(), ElementsAre("kept", "meanwhile", "later"));
}

// What has left the pool since would come back after a restart.
TEST_F(TransactionJournalTest, what_was_appended_before_it_is_rewritten_does_not_stay) {
    const auto rewrite = [&](std::string_view record) {
        journal_.rewrite(
            [&](const std::function<void(BytesView)>& write) { write(bytes_of(record)); });
    };
    rewrite("once");
    journal_.append(bytes_of("dropped"));
    rewrite("twice");

    EXPECT_THAT(records(), ElementsAre("twice"));
}

// The last record there may be half a one, behind which nothing would be found.
TEST_F(TransactionJournalTest, nothing_is_appended_to_one_that_could_not_be_written) {
    std::filesystem::create_symlink("/dev/full", path_);
    journal_.append(bytes_of("no room"));
    std::filesystem::remove(path_);

    journal_.append(bytes_of("later"));

    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(TransactionJournalTest, what_a_full_disk_has_no_room_for_does_not_stay_there_in_part) {
    journal_.append(bytes_of("old"));
    const std::string half_written = path_ + ".new";
    std::filesystem::create_symlink("/dev/full", half_written);

    journal_.rewrite(
        [](const std::function<void(BytesView)>& write) { write(bytes_of("too much")); });

    EXPECT_FALSE(std::filesystem::is_symlink(half_written));
    EXPECT_THAT(records(), ElementsAre("old"));
}

// What is taken meanwhile is in no journal, and would not be for as long as the process runs.
TEST_F(TransactionJournalTest, what_a_disk_was_too_full_for_is_written_once_there_is_room) {
    MempoolOptions options;
    options.journal = path_;
    {
        Mempool pool{options, chain_.chain()};
        std::filesystem::create_symlink("/dev/full", path_);
        ASSERT_TRUE(pool.add(test::encoded(test::transfer({})), Origin::local).has_value());
        for (int block = 0; block < 29; ++block)
            pool.on_head(*chain_.commit({}));
        EXPECT_TRUE(std::filesystem::is_symlink(path_)) << "each time all of the pool is written";
        while (std::filesystem::is_symlink(path_))
            pool.on_head(*chain_.commit({}));
        ASSERT_TRUE(pool.add(test::encoded(test::transfer({.from = 2})), Origin::local));
    }
    EXPECT_EQ(records().size(), 2u);
}

// A node would wait for ever for what it says.
TEST_F(TransactionJournalTest, a_pipe_in_its_place_is_refused) {
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    EXPECT_THROW((void)records(), StorageError);
}

/// The byte at `place` of a file is another one.
void damage(const std::string& path, std::streamoff place) {
    std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
    file.seekg(place);
    const auto byte = static_cast<char>(file.get() ^ 1);
    file.seekp(place);
    file.put(byte);
}

// Thousands may have come after it, whose senders were told that they are here.
TEST_F(TransactionJournalTest, a_damaged_record_is_left_out_alone) {
    for (const char* const record : {"first", "second", "third", "last"})
        journal_.append(bytes_of(record));
    damage(path_, (8 + 5) + 8 + 2);

    EXPECT_THAT(records(), ElementsAre("first", "third", "last"));
    EXPECT_FALSE(TransactionJournal{path_}.read([](BytesView) {}));
}

TEST_F(TransactionJournalTest, behind_a_damaged_size_nothing_is_believed) {
    for (const char* const record : {"first", "second", "third"})
        journal_.append(bytes_of(record));
    damage(path_, (8 + 5) + 3);

    EXPECT_THAT(records(), ElementsAre("first"));
}

// As a file system may leave them where a machine has stopped.
TEST_F(TransactionJournalTest, behind_zeros_nothing_is_believed) {
    journal_.append(bytes_of("first"));
    std::ofstream{path_, std::ios::app | std::ios::binary} << std::string(8, '\0');
    journal_.append(bytes_of("second"));

    EXPECT_THAT(records(), ElementsAre("first"));
}

TEST_F(TransactionJournalTest, one_that_ends_within_a_header_is_damaged) {
    journal_.append(bytes_of("first"));
    EXPECT_TRUE(TransactionJournal{path_}.read([](BytesView) {}));
    std::ofstream{path_, std::ios::app | std::ios::binary} << "abc";

    EXPECT_THAT(records(), ElementsAre("first"));
    EXPECT_FALSE(TransactionJournal{path_}.read([](BytesView) {}));
}

TEST_F(TransactionJournalTest, a_large_one_has_doubled_later_than_a_small_one) {
    const std::string record(992, 'x');  // and eight bytes of a header
    const auto append = [&](int times) {
        for (int i = 0; i < times; ++i)
            journal_.append(bytes_of(record));
    };
    append(4);
    EXPECT_FALSE(journal_.has_doubled(4'000));
    append(1);
    EXPECT_TRUE(journal_.has_doubled(4'000));

    journal_.rewrite([&](const std::function<void(BytesView)>& write) {
        for (int i = 0; i < 20; ++i)
            write(bytes_of(record));
    });

    append(20);
    EXPECT_FALSE(journal_.has_doubled(4'000));
    append(1);
    EXPECT_TRUE(journal_.has_doubled(4'000));
}

}  // namespace
}  // namespace heddle::node
