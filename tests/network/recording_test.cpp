// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Validators of a network under CometBFT are recorded while one process or the other is killed
// under load; what each of them did runs again the same, without network.
#include <csignal>
#include <cstdint>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "network.hpp"
#include "sender.hpp"

namespace heddle::test {
namespace {

class RecordedNetwork : public testing::Test {
protected:
    static constexpr std::size_t kRecorded = 2;

    void SetUp() override {
        if (!find_cometbft().has_value()) GTEST_SKIP() << "cometbft is not installed";
        network_ = std::make_unique<Network>(NetworkOptions{});
        for (std::size_t i = 0; i < kRecorded; ++i) {
            auto options = network_->at(i).node_options();
            options.push_back("record.folder=" + recording(i));
            network_->at(i).set_node_options(std::move(options));
        }
        network_->start();
        network_->wait_for_block(2);
    }
    void TearDown() override {
        if (network_) network_->stop();
    }
    [[nodiscard]] std::string recording(std::size_t validator) {
        return (network_->folder() / ("recording" + std::to_string(validator))).native();
    }
    void kill_one(std::mt19937_64& random) {
        Validator& validator = network_->at(random() % kRecorded);
        const std::uint64_t what = random() % 3;
        std::cout << (what == 0   ? "the node"
                      : what == 1 ? "CometBFT"
                                  : "both")
                  << " of " << validator.address() << (what == 2 ? " die\n" : " dies\n")
                  << std::flush;
        if (what != 1) (void)validator.node().end(SIGKILL);
        if (what != 0) (void)validator.comet().end(SIGKILL);
    }
    void expect_same_again(std::size_t validator, std::uint64_t number, const std::string& hash) {
        const std::string last = "head: block " + std::to_string(number) + ", hash " + hash;
        for (const char* const scheduler : {"", "serial", "dag", "auto"})
            for (const char* const workers : {"1", "4"}) {
                SCOPED_TRACE(std::string{scheduler} + " on " + workers);
                std::vector<std::string> arguments{"rerun",     recording(validator),
                                                   "--to",      std::to_string(number),
                                                   "--workers", workers};
                if (*scheduler != '\0')
                    arguments.insert(arguments.end(), {"--scheduler", scheduler});
                const ProgramResult result = run_program(arguments);
                EXPECT_EQ(result.exit_code, 0) << result.out << result.error;
                EXPECT_EQ(result.last_line(), last) << result.error;
            }
    }

    std::unique_ptr<Network> network_;
};

TEST_F(RecordedNetwork, runs_again_the_same_after_processes_were_killed_under_load) {
    const std::uint64_t seed = announced_seed();
    std::mt19937_64 random{seed};
    {
        const Sender sender{*network_, 40, seed};
        for (int i = 0; i < 4; ++i) {
            (void)network_->wait_for_more(1 + random() % 2);
            kill_one(random);
            (void)network_->wait_for_more(1);
        }
    }
    std::uint64_t number = 0;
    wait_until([&] {
        number = network_->least_head();
        return number != 0;
    });
    std::vector<std::string> hashes;
    for (std::size_t i = 0; i < kRecorded; ++i) {
        const auto hash = network_->at(i).block_hash(number);
        ASSERT_TRUE(hash.has_value());
        hashes.push_back(to_string(*hash));
    }
    network_->stop();
    for (std::size_t i = 0; i < kRecorded; ++i)
        expect_same_again(i, number, hashes[i]);
}

}  // namespace
}  // namespace heddle::test
