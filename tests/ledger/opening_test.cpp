// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "durable/opening.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "file_size_limit.hpp"
#include "storage/schema.hpp"
#include "temporary_folder.hpp"

namespace heddle::ledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMemory = std::size_t{32} << 20;

class OpeningTest : public testing::Test {
protected:
    [[nodiscard]] LedgerErrorCode open_error() const {
        const auto opened = open_database(directory_, kMemory);
        EXPECT_FALSE(opened.has_value());
        return opened.has_value() ? LedgerErrorCode::invalid : opened.error().code;
    }
    [[nodiscard]] LedgerErrorCode create_error() const {
        const auto created = NewDatabase::create(directory_, kMemory);
        EXPECT_FALSE(created.has_value());
        return created.has_value() ? LedgerErrorCode::invalid : created.error().code;
    }
    void make() const {
        auto fresh = NewDatabase::create(directory_, kMemory);
        ASSERT_TRUE(fresh.has_value()) << to_string(fresh.error());
        ASSERT_TRUE(std::move(*fresh).finish().has_value());
    }
    void put_format(const Bytes& format) const {
        auto database = Database::open({.directory = directory_ + "/ledger"});
        ASSERT_TRUE(database.has_value());
        WriteBatch batch = (*database)->batch();
        batch.put(Table::meta, schema::meta_key(schema::Meta::format), format);
        ASSERT_TRUE((*database)->write(batch, false).has_value());
    }

    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
};

TEST_F(OpeningTest, finished_database_is_opened) {
    EXPECT_FALSE(has_finished_database(directory_));
    make();
    EXPECT_TRUE(has_finished_database(directory_));
    EXPECT_TRUE(open_database(directory_, kMemory).has_value());
    EXPECT_EQ(create_error(), LedgerErrorCode::already_exists);
}

TEST_F(OpeningTest, nothing_is_not_found) {
    EXPECT_EQ(open_error(), LedgerErrorCode::not_found);
    fs::create_directories(directory_);
    EXPECT_EQ(open_error(), LedgerErrorCode::not_found);
    EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(OpeningTest, empty_folder_takes_a_new_database) {
    fs::create_directories(directory_);
    make();
    EXPECT_TRUE(has_finished_database(directory_));
}

TEST_F(OpeningTest, database_does_not_count_until_it_is_finished) {
    auto fresh = NewDatabase::create(directory_, kMemory);
    ASSERT_TRUE(fresh.has_value());
    EXPECT_FALSE(has_finished_database(directory_));
    EXPECT_EQ(open_error(), LedgerErrorCode::locked);
    EXPECT_EQ(create_error(), LedgerErrorCode::locked);

    ASSERT_TRUE(std::move(*fresh).finish().has_value());

    EXPECT_TRUE(has_finished_database(directory_));
}

/// One that came while the first was about to finish marked what that one had made as unfinished,
/// or removed it.
TEST_F(OpeningTest, one_process_at_a_time_makes_a_database) {
    std::optional<NewDatabase> first;
    {
        auto fresh = NewDatabase::create(directory_, kMemory);
        ASSERT_TRUE(fresh.has_value());
        first.emplace(*std::move(fresh));
    }
    const auto finished = std::move(*first).finish();
    ASSERT_TRUE(finished.has_value());

    // Its folder is still its own, though the mark is gone.
    EXPECT_EQ(create_error(), LedgerErrorCode::locked);
    EXPECT_TRUE(has_finished_database(directory_));
    first.reset();
    EXPECT_EQ(create_error(), LedgerErrorCode::already_exists);
}

/// Those above it stayed, empty.
TEST_F(OpeningTest, folders_made_for_a_database_go_with_it) {
    const std::string above = folder_ / "chains";
    const std::string directory = above + "/of/mine";
    auto given_up = NewDatabase::create(directory, kMemory);
    ASSERT_TRUE(given_up.has_value());
    std::move(*given_up).discard();
    EXPECT_FALSE(fs::exists(above));
    {
        const test::FileSizeLimit limit(0);  // not even the mark can be written
        EXPECT_FALSE(NewDatabase::create(directory, kMemory).has_value());
    }
    EXPECT_FALSE(fs::exists(above));
    {
        const test::FileSizeLimit limit(16);  // the mark, and not the database
        EXPECT_FALSE(NewDatabase::create(directory, kMemory).has_value());
    }
    EXPECT_FALSE(fs::exists(above));

    // Those that were there, and what somebody has put something into, stay.
    fs::create_directory(above);
    auto begun = NewDatabase::create(directory, kMemory);
    ASSERT_TRUE(begun.has_value());
    std::move(*begun).discard();
    EXPECT_TRUE(fs::is_empty(above));
    auto joined = NewDatabase::create(directory, kMemory);
    ASSERT_TRUE(joined.has_value());
    std::ofstream(above + "/of/letter.txt") << "mine";
    std::move(*joined).discard();
    EXPECT_FALSE(fs::exists(directory));
    EXPECT_TRUE(fs::exists(above + "/of/letter.txt"));
}

TEST_F(OpeningTest, folder_that_is_being_filled_is_left_to_who_fills_it) {
    fs::create_directories(directory_);
    const auto lock = FolderLock::take(directory_);
    ASSERT_TRUE(lock.has_value());
    EXPECT_EQ(create_error(), LedgerErrorCode::locked);
    EXPECT_TRUE(fs::is_empty(directory_)) << "not even marked";
    std::ofstream(directory_ + "/ledger.unfinished").flush();
    EXPECT_EQ(open_error(), LedgerErrorCode::locked);
    const auto resumed = NewDatabase::resume(directory_, kMemory);
    ASSERT_FALSE(resumed.has_value());
    EXPECT_EQ(resumed.error().code, LedgerErrorCode::locked);
}

TEST_F(OpeningTest, interrupted_making_is_made_anew) {
    {
        auto fresh = NewDatabase::create(directory_, kMemory);
        ASSERT_TRUE(fresh.has_value());
        WriteBatch batch = fresh->database().batch();
        batch.put(Table::codes, Bytes{1}, Bytes{2});
        ASSERT_TRUE(fresh->database().write(batch, true).has_value());
    }
    std::ofstream(directory_ + "/ledger/000099.dbtmp") << "half a file";
    ASSERT_EQ(open_error(), LedgerErrorCode::unfinished);

    make();

    const auto database = open_database(directory_, kMemory);
    ASSERT_TRUE(database.has_value());
    EXPECT_EQ((*database)->get(Table::codes, Bytes{1}), std::nullopt);
    EXPECT_FALSE(fs::exists(directory_ + "/ledger/000099.dbtmp"));
}

/// It may be hours of work, and who begins a chain beside it may have forgotten it.
TEST_F(OpeningTest, what_a_restorer_has_left_is_made_anew_by_restorers_only) {
    using Maker = NewDatabase::Maker;
    ASSERT_TRUE(NewDatabase::create(directory_, kMemory, Maker::restorer).has_value());

    const auto made = NewDatabase::create(directory_, kMemory);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, LedgerErrorCode::unfinished);
    EXPECT_NE(to_string(made.error()).find("snapshot"), std::string::npos);
    EXPECT_TRUE(fs::exists(directory_ + "/ledger"));
    EXPECT_TRUE(NewDatabase::create(directory_, kMemory, Maker::restorer).has_value());

    fs::remove_all(directory_);
    ASSERT_TRUE(NewDatabase::create(directory_, kMemory).has_value());
    EXPECT_TRUE(NewDatabase::create(directory_, kMemory).has_value()) << "of an interrupted init";
}

TEST_F(OpeningTest, mark_without_a_database_is_made_anew) {
    fs::create_directories(directory_);
    std::ofstream(directory_ + "/ledger.unfinished").flush();
    ASSERT_EQ(open_error(), LedgerErrorCode::unfinished);
    make();
    EXPECT_FALSE(fs::exists(directory_ + "/ledger.unfinished"));
}

TEST_F(OpeningTest, foreign_folder_is_refused_and_left_alone) {
    fs::create_directories(directory_);
    std::ofstream(directory_ + "/letter.txt") << "mine";
    EXPECT_EQ(open_error(), LedgerErrorCode::not_a_ledger);
    EXPECT_EQ(create_error(), LedgerErrorCode::not_a_ledger);
    EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1);
}

TEST_F(OpeningTest, foreign_folder_of_the_same_name_is_refused_and_left_alone) {
    fs::create_directories(directory_ + "/ledger");
    std::ofstream(directory_ + "/ledger/accounts.ods") << "mine";
    EXPECT_EQ(open_error(), LedgerErrorCode::not_a_ledger);
    // Who was to make one was told that there is one, and to use it as it is.
    EXPECT_EQ(create_error(), LedgerErrorCode::not_a_ledger);
    EXPECT_EQ(std::distance(fs::directory_iterator(directory_ + "/ledger"), {}), 1);
}

/// Where a disk of its own is not mounted. Opening said that there is no ledger, making that there
/// is one.
TEST_F(OpeningTest, empty_folder_of_the_database_has_lost_its_files) {
    fs::create_directories(directory_ + "/ledger");

    const auto opened = open_database(directory_, kMemory);

    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, LedgerErrorCode::corrupt);
    EXPECT_NE(opened.error().detail.find("/data/ledger is empty"), std::string::npos)
        << opened.error().detail;
    EXPECT_EQ(create_error(), LedgerErrorCode::corrupt);
    EXPECT_TRUE(fs::is_empty(directory_ + "/ledger"));
}

/// The same where the disk is reached by a link. It was called files of another kind.
TEST_F(OpeningTest, link_to_nothing_in_the_place_of_the_database_has_lost_its_files) {
    fs::create_directories(directory_);
    fs::create_directory_symlink(folder_ / "disk/ledger", directory_ + "/ledger");

    const auto opened = open_database(directory_, kMemory);

    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, LedgerErrorCode::corrupt);
    EXPECT_NE(opened.error().detail.find("/data/ledger is a link to nothing"), std::string::npos)
        << opened.error().detail;
    EXPECT_TRUE(has_finished_database(directory_));
    EXPECT_EQ(create_error(), LedgerErrorCode::corrupt);
    EXPECT_TRUE(fs::is_symlink(directory_ + "/ledger"));
}

TEST_F(OpeningTest, file_is_no_ledger) {
    std::ofstream{directory_} << "a file";
    EXPECT_EQ(open_error(), LedgerErrorCode::not_a_ledger);
    EXPECT_FALSE(has_finished_database(directory_));
    EXPECT_FALSE(NewDatabase::create(directory_, kMemory).has_value());
    EXPECT_TRUE(fs::is_regular_file(directory_));
}

TEST_F(OpeningTest, what_is_no_folder_where_one_belongs_is_no_ledger_and_no_fault_of_the_disk) {
    fs::create_directories(directory_);
    std::ofstream{directory_ + "/ledger"} << "a file";
    EXPECT_EQ(open_error(), LedgerErrorCode::not_a_ledger);
    EXPECT_EQ(create_error(), LedgerErrorCode::not_a_ledger);

    fs::remove_all(directory_);
    fs::create_symlink(folder_ / "nowhere", directory_);
    EXPECT_EQ(create_error(), LedgerErrorCode::not_a_ledger);
    fs::create_directories(folder_ / "nowhere");
    make();
}

TEST_F(OpeningTest, database_without_a_format_is_no_ledger) {
    fs::create_directories(directory_);
    ASSERT_TRUE(Database::open({.directory = directory_ + "/ledger", .create = true}).has_value());
    EXPECT_EQ(open_error(), LedgerErrorCode::not_a_ledger);
}

TEST_F(OpeningTest, other_format_is_no_ledger) {
    make();
    put_format({'x'});
    EXPECT_EQ(open_error(), LedgerErrorCode::not_a_ledger);
}

TEST_F(OpeningTest, later_format_is_refused_and_named) {
    make();
    Bytes format;
    schema::encode_format(format);
    format.back() = 77;
    put_format(format);

    const auto opened = open_database(directory_, kMemory);

    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, LedgerErrorCode::newer_format);
    EXPECT_NE(opened.error().detail.find("format 77"), std::string::npos) << opened.error().detail;
}

/// The content of every file in a folder, by name.
std::map<std::string, std::string> contents_of(const std::string& folder) {
    std::map<std::string, std::string> contents;
    for (const auto& entry : fs::directory_iterator(folder)) {
        std::ifstream stream(entry.path(), std::ios::binary);
        contents[entry.path().filename().string()] =
            std::string(std::istreambuf_iterator<char>(stream), {});
    }
    return contents;
}

/// As docs/storage.md says: whoever it is for finds it as it was, also the log of a crash.
TEST_F(OpeningTest, what_has_another_format_is_left_alone) {
    Bytes later;
    schema::encode_format(later);
    later.back() = 77;
    for (const Bytes& format : {later, Bytes{'x'}, Bytes{}}) {
        make();
        put_format(format);
        const auto before = contents_of(directory_ + "/ledger");
        EXPECT_FALSE(open_database(directory_, kMemory).has_value());
        EXPECT_TRUE(contents_of(directory_ + "/ledger") == before) << to_hex(format);
        fs::remove_all(directory_);
    }
    fs::create_directories(directory_);
    ASSERT_TRUE(Database::open({.directory = directory_ + "/ledger", .create = true}).has_value());
    const auto before = contents_of(directory_ + "/ledger");
    EXPECT_FALSE(open_database(directory_, kMemory).has_value());
    EXPECT_TRUE(contents_of(directory_ + "/ledger") == before) << "it names no format";
}

/// What `work` returns where the system keeps this process from what is not its own, as it does for
/// all users but root.
LedgerErrorCode as_another_user(const std::function<LedgerErrorCode()>& work) {
    auto result = LedgerErrorCode::invalid;
    std::thread([&] {
        constexpr uid_t kNobody = 65534;
        if (::geteuid() == 0) ::setfsuid(kNobody);  // of this thread, and those that it begins
        result = work();
    }).join();
    return result;
}

/// Before, it was no ledger, a damaged one or a disk that failed.
TEST_F(OpeningTest, what_the_system_does_not_let_this_user_see_is_denied) {
    make();
    const auto open = [&] { return open_error(); };
    const auto create = [&] { return create_error(); };
    const auto denied = LedgerErrorCode::denied;
    fs::permissions(folder_.path(), fs::perms::all);
    const auto expect_denied = [&](const fs::path& path, fs::perms allowed) {
        SCOPED_TRACE(path);
        const fs::perms before = fs::status(path).permissions();
        fs::permissions(path, allowed);
        EXPECT_TRUE(has_finished_database(directory_));
        EXPECT_EQ(as_another_user(open), denied);
        fs::permissions(path, before);
    };
    fs::permissions(directory_, fs::perms::all);
    fs::permissions(directory_ + "/ledger", fs::perms::all);
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_ + "/ledger"))
        fs::permissions(entry.path(), fs::perms::all);
    EXPECT_EQ(as_another_user([&] {
                  return open_database(directory_, kMemory).has_value() ? LedgerErrorCode::invalid
                                                                        : denied;
              }),
              LedgerErrorCode::invalid);

    expect_denied(directory_, fs::perms::none);
    expect_denied(directory_ + "/ledger", fs::perms::none);
    expect_denied(directory_ + "/ledger", fs::perms::owner_read | fs::perms::others_read |
                                              fs::perms::owner_exec | fs::perms::others_exec);
    expect_denied(directory_ + "/ledger/CURRENT", fs::perms::none);
    expect_denied(directory_ + "/ledger/LOCK", fs::perms::none);
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_ + "/ledger"))
        if (entry.path().filename().string().starts_with("MANIFEST-"))
            expect_denied(entry.path(), fs::perms::none);

    fs::permissions(directory_, fs::perms::none);
    EXPECT_EQ(as_another_user(create), denied);
    fs::permissions(directory_, fs::perms::all);
    fs::remove_all(directory_);
    fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec |
                                        fs::perms::others_read | fs::perms::others_exec);
    EXPECT_EQ(as_another_user(create), denied) << "to make a folder where none may be made";
}

// RocksDB would wait until somebody writes to it.
TEST_F(OpeningTest, a_pipe_in_place_of_a_file_is_damage) {
    make();
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_ + "/ledger"))
        files.push_back(entry.path());
    ASSERT_GE(files.size(), 4u);
    for (const fs::path& file : files) {
        SCOPED_TRACE(file);
        fs::rename(file, folder_ / "aside");
        ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
        EXPECT_EQ(open_error(), LedgerErrorCode::corrupt);
        fs::remove(file);
        fs::rename(folder_ / "aside", file);
    }
    EXPECT_TRUE(open_database(directory_, kMemory).has_value());

    const std::string mark = directory_ + "/ledger.unfinished";
    ASSERT_EQ(::mkfifo(mark.c_str(), 0600), 0);
    EXPECT_EQ(open_error(), LedgerErrorCode::not_a_ledger);
    fs::remove_all(directory_ + "/ledger");
    EXPECT_EQ(create_error(), LedgerErrorCode::not_a_ledger);
}

TEST_F(OpeningTest, open_database_is_locked) {
    make();
    const auto database = open_database(directory_, kMemory);
    ASSERT_TRUE(database.has_value());
    EXPECT_EQ(open_error(), LedgerErrorCode::locked);
}

}  // namespace
}  // namespace heddle::ledger
