// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A read that the system refuses is told apart from damage: it ends verification, and nothing of
// the data is said to be wrong or missing for it.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "broken_file.hpp"
#include "tools_chain.hpp"

namespace heddle::ledger {
namespace {

namespace fs = std::filesystem;

class VerifyFailureTest : public testing::Test {
protected:
    static constexpr std::uint64_t kHead = 40;

    void SetUp() override {
        test::make_ledger(directory_, chain_, kHead);
        for (const auto& entry : fs::directory_iterator(directory_ + "/ledger"))
            if (entry.path().extension() == ".sst") tables_.push_back(fs::canonical(entry.path()));
    }

    /// Verifies, and has these files fail from when `doing` is reported.
    [[nodiscard]] VerifyReport verify_with_broken(const std::vector<fs::path>& tables,
                                                  std::string_view doing) const {
        VerifyOptions options;
        options.ledger = test::maintenance_options(directory_);
        options.deep = true;
        bool is_broken = false;
        options.ledger.on_progress = [&](std::string_view done, std::uint64_t, std::uint64_t) {
            if (done != doing || std::exchange(is_broken, true)) return;
            for (const fs::path& table : tables)
                test::break_open_file(table);
        };
        const auto report = verify(options);
        EXPECT_TRUE(is_broken) << doing;
        EXPECT_TRUE(report.has_value());
        return report.value_or(VerifyReport{});
    }

    test::Random random_{45};
    const test::ToolsChain chain_{random_, kHead};
    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
    std::vector<fs::path> tables_;
};

TEST_F(VerifyFailureTest, a_broken_disk_is_no_problem_of_the_data) {
    for (const char* doing : {"verifying files", "verifying blocks"}) {
        const VerifyReport report = verify_with_broken(tables_, doing);

        ASSERT_TRUE(report.failure.has_value()) << doing;
        EXPECT_EQ(report.failure->code, LedgerErrorCode::io_error);
        EXPECT_FALSE(report.is_good());
        EXPECT_EQ(report.problem_count, 0u) << report.problems.front();
    }
    test::expect_sound(directory_, kHead);
}

TEST_F(VerifyFailureTest, nothing_is_missed_that_one_broken_file_holds) {
    std::size_t failures = 0;
    for (const fs::path& table : tables_) {
        const VerifyReport report = verify_with_broken({table}, "verifying blocks");

        // What has been read by then is not read again.
        if (report.failure.has_value()) ++failures;
        EXPECT_EQ(report.problem_count, 0u) << table << ": " << report.problems.front();
    }
    EXPECT_GE(failures, 2u);
}

}  // namespace
}  // namespace heddle::ledger
