// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "fixtures.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "child_process.hpp"
#include "temporary_folder.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

/// Runs a command line of a shell.
bool run(const std::string& command) {
    // NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe): the command line is this test's own
    const int status = std::system(command.c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Fixtures : public testing::Test {
protected:
    void SetUp() override {
        if (!run("tar --zstd --version >/dev/null 2>&1 && zstd --version >/dev/null 2>&1"))
            GTEST_SKIP() << "needs tar and zstd";
        fs::create_directories(cache());
        fs::create_directories(folder_ / "source");
        fs::create_directories(folder_ / "tree/scripts");
        for (const char* const script : {"unpack-fixtures.sh", "help.sh"})
            fs::copy(fs::path{HEDDLE_SCRIPTS} / script, folder_ / "tree/scripts");
        ::setenv("HEDDLE_FIXTURES", (folder_ / "source").c_str(), 1);
        ::setenv("HEDDLE_FIXTURE_CACHE", cache().c_str(), 1);
    }
    void TearDown() override {
        ::unsetenv("HEDDLE_FIXTURES");
        ::unsetenv("HEDDLE_FIXTURE_CACHE");
    }
    /// Where the script unpacks as well.
    [[nodiscard]] std::string cache() const { return folder_ / "tree/build/fixtures"; }
    [[nodiscard]] bool run_script() const {
        return run(folder_ / "tree/scripts/unpack-fixtures.sh >/dev/null 2>&1");
    }
    /// An archive with one file. Its size tells one text from another.
    void pack(const std::string& name, const std::string& text) const {
        fs::create_directories(folder_ / "packed");
        (void)folder_.write("packed/text", text);
        ASSERT_TRUE(run("tar --zstd -cf " + folder_ / ("source/" + name + ".tar.zst") + " -C " +
                        folder_ / "packed" + " text"));
    }
    void make_folder(const std::string& name) const {
        fs::create_directories(fs::path{cache()} / name / "inside");
        std::ofstream(fs::path{cache()} / name / "inside/file") << "old";
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const fs::directory_entry& entry : fs::directory_iterator(cache()))
            result.push_back(entry.path().filename().string());
        return result;
    }
    /// What another process sees, which has ended when this returns.
    [[nodiscard]] static bool is_text_elsewhere(const std::string& name, const std::string& text) {
        const pid_t child = begin_elsewhere(name, text);
        return has_seen(child);
    }
    [[nodiscard]] static pid_t begin_elsewhere(const std::string& name, const std::string& text) {
        const pid_t child = fork_child();
        if (child == 0) ::_exit(text_of(fixture_archive(name).value_or("")) == text ? 0 : 1);
        return child;
    }
    [[nodiscard]] static bool has_seen(pid_t child) {
        int status = 1;
        return ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
               WEXITSTATUS(status) == 0;
    }
    [[nodiscard]] static std::string text_of(const fs::path& folder) {
        std::ifstream file(folder / "text");
        return {std::istreambuf_iterator<char>(file), {}};
    }
    /// Folders that were made for an archive as it was before, and others with such names.
    void make_old_and_others() const {
        for (const char* const name : {"one-1-2", "one-3-4.partial", "one-5-6.removed", "one-5-6"})
            make_folder(name);
        for (const char* const name : {"one", "one-more-1-2", "one-1-2-3", "another-one-1-2"})
            make_folder(name);
        fs::create_directory_symlink("another-one-1-2", fs::path{cache()} / "one-7-8");
    }
    void expect_no_old_ones() const {
        const std::vector<std::string> left = names();
        for (const char* const name : {"one-1-2", "one-1-2.removed", "one-3-4.partial",
                                       "one-3-4.partial.removed", "one-5-6.removed", "one-5-6"})
            EXPECT_THAT(left, Not(Contains(name)));
        EXPECT_THAT(
            left, IsSupersetOf({"one", "one-more-1-2", "one-1-2-3", "another-one-1-2", "one-7-8"}));
        EXPECT_TRUE(fs::exists(fs::path{cache()} / "one-7-8/inside/file"));
    }

    const TemporaryFolder folder_;
};

TEST_F(Fixtures, what_was_unpacked_of_an_older_archive_goes_when_the_new_one_is_unpacked) {
    make_old_and_others();
    pack("one", "first");

    EXPECT_TRUE(is_text_elsewhere("one", "first"));

    expect_no_old_ones();
}

TEST_F(Fixtures, what_was_unpacked_of_an_older_archive_goes_when_the_script_is_run) {
    make_old_and_others();
    fs::remove_all(fs::path{cache()} / "one");  // the script's link
    pack("one", "first");

    EXPECT_TRUE(run_script());

    EXPECT_EQ(text_of(fs::path{cache()} / "one"), "first");
    expect_no_old_ones();
}

TEST_F(Fixtures, what_a_process_reads_stays_until_it_ends) {
    pack("one", "first");
    const fs::path first = fixture_archive("one").value_or("");
    pack("one", "the second one, which is longer");

    EXPECT_TRUE(is_text_elsewhere("one", "the second one, which is longer"));
    EXPECT_EQ(text_of(first), "first");
    EXPECT_TRUE(run_script());
    EXPECT_EQ(text_of(first), "first");
}

TEST_F(Fixtures, what_a_process_has_read_goes_once_it_has_ended) {
    pack("one", "first");
    EXPECT_TRUE(is_text_elsewhere("one", "first"));
    const std::vector<std::string> before = names();
    pack("one", "the second one, which is longer");

    EXPECT_TRUE(is_text_elsewhere("one", "the second one, which is longer"));

    EXPECT_EQ(names().size(), before.size()) << "the lock, and a folder";
    for (const std::string& name : before)
        if (!name.ends_with(".lock")) EXPECT_THAT(names(), Not(Contains(name)));
}

TEST_F(Fixtures, the_link_of_the_script_is_held_as_what_it_leads_to) {
    pack("one", "first");
    ASSERT_TRUE(run_script());
    ::setenv("HEDDLE_FIXTURES", cache().c_str(), 1);
    const fs::path read = fixture_archive("one").value_or("");
    const fs::path real = fs::canonical(read);
    ::setenv("HEDDLE_FIXTURES", (folder_ / "source").c_str(), 1);
    pack("one", "the second one, which is longer");

    EXPECT_TRUE(run_script());

    EXPECT_EQ(text_of(read), "the second one, which is longer");
    EXPECT_EQ(text_of(real), "first");
}

TEST_F(Fixtures, many_at_once_get_all_of_it) {
    const std::string text(100'000, 'x');
    make_old_and_others();
    fs::remove_all(fs::path{cache()} / "one");
    pack("one", text);
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i)
        children.push_back(begin_elsewhere("one", text));

    EXPECT_TRUE(run_script());

    for (const pid_t child : children)
        EXPECT_TRUE(has_seen(child));
    EXPECT_EQ(text_of(fs::path{cache()} / "one"), text);
}

}  // namespace
}  // namespace heddle::test
