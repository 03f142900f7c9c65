// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Four validators under load, one of which at a time is killed, stopped, restarted or cut off. A
// sample runs with the other tests; HEDDLE_SOAK_SECONDS makes it long (`make soak`).
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>

#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "network.hpp"
#include "partition.hpp"
#include "sender.hpp"

namespace heddle::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Killed and started again at once, as by a supervisor.
enum class Perturbation : std::uint8_t {
    kill_node,
    kill_comet,
    kill_both,
    pause_node,
    pause_comet,
    restart_node,
    restart_comet,
    cut_off,
};
constexpr std::array kNames{"kill node",      "kill CometBFT", "kill both",        "pause node",
                            "pause CometBFT", "restart node",  "restart CometBFT", "cut off"};

class Perturbed : public testing::Test {
protected:
    void SetUp() override {
        if (!find_cometbft().has_value()) GTEST_SKIP() << "cometbft is not installed";
        cable_ = Cable::create();
        NetworkOptions options;
        std::vector<std::string> namespaces;
        if (cable_) {
            options.addresses = cable_->near_addresses(3);
            options.addresses.push_back(cable_->far_address());
            namespaces = {"", "", "", cable_->network()};
        } else {
            std::cout << "network namespaces may not be made: no validator is cut off\n";
        }
        network_ = std::make_unique<Network>(options, namespaces);
    }

    void pause(Process& process, milliseconds time) {
        process.signal(SIGSTOP);
        std::this_thread::sleep_for(time);
        process.signal(SIGCONT);
    }

    void perturb(Perturbation what, Validator& validator, milliseconds time) {
        switch (what) {
            case Perturbation::kill_node:
                (void)validator.node().end(SIGKILL);
                break;
            case Perturbation::kill_comet:
                (void)validator.comet().end(SIGKILL);
                break;
            case Perturbation::kill_both:
                (void)validator.node().end(SIGKILL);
                (void)validator.comet().end(SIGKILL);
                break;
            case Perturbation::pause_node:
                return pause(validator.node(), time);
            case Perturbation::pause_comet:
                return pause(validator.comet(), time);
            case Perturbation::restart_node:
                (void)validator.node().end(SIGTERM);
                break;
            case Perturbation::restart_comet:
                (void)validator.comet().end(SIGTERM);
                break;
            case Perturbation::cut_off:
                cable_->cut();
                std::this_thread::sleep_for(time);
                return cable_->join();
        }
    }

    /// Until the network makes blocks again, and until the perturbed validator has them.
    struct Recovery {
        Clock::duration network{};
        Clock::duration validator{};
    };
    Recovery recover() {
        const auto begin = Clock::now();
        const std::uint64_t before = network_->greatest_head();
        wait_until([&] {
            tend();
            return network_->greatest_head() > before;
        });
        Recovery recovery;
        recovery.network = Clock::now() - begin;
        network_->wait_for_block(before + 1);
        // While it still catches up it takes no part: the next fault would be one too many.
        wait_until([&] {
            tend();
            return all_take_part();
        });
        recovery.validator = Clock::now() - begin;
        return recovery;
    }
    [[nodiscard]] bool all_take_part() {
        for (std::size_t i = 0; i < network_->size(); ++i)
            if (network_->at(i).ask_comet("/status").find("\"catching_up\":false") ==
                std::string::npos)
                return false;
        return true;
    }
    void tend() {
        for (std::size_t i = 0; i < network_->size(); ++i)
            (void)network_->at(i).tend();
    }

    std::unique_ptr<Cable> cable_;  // outlives those at its ends
    std::unique_ptr<Network> network_;
};

double seconds(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

TEST_F(Perturbed, validators_agree_on_every_block_and_lose_no_transaction) {
    const std::uint64_t seed = announced_seed();
    std::mt19937_64 random{seed};
    const auto time = std::chrono::seconds{number_from("HEDDLE_SOAK_SECONDS", 150)};
    network_->start();
    network_->wait_for_block(3);
    Sender sender{*network_, 40, seed};

    const auto begin = Clock::now();
    unsigned count = 0;
    Recovery worst;
    while (Clock::now() - begin < time) {
        const auto what =
            static_cast<Perturbation>(random() % (cable_ ? kNames.size() : kNames.size() - 1));
        const std::size_t victim = what == Perturbation::cut_off ? 3 : random() % 4;
        const milliseconds length{500 + random() % 3'000};
        perturb(what, network_->at(victim), length);
        const Recovery recovery = recover();
        worst.network = std::max(worst.network, recovery.network);
        worst.validator = std::max(worst.validator, recovery.validator);
        ++count;
        std::cout << count << ". " << kNames.at(static_cast<std::size_t>(what)) << " of "
                  << victim + 1 << " (" << length.count() << " ms): blocks after "
                  << seconds(recovery.network) << " s, it follows after "
                  << seconds(recovery.validator) << " s, height " << network_->greatest_head()
                  << '\n'
                  << std::flush;
    }
    sender.stop();
    network_->wait_for_more(3);

    EXPECT_EQ(network_->disagreement(), "");
    EXPECT_EQ(network_->complaints(), "");
    const std::vector<std::string> accepted = sender.accepted();
    EXPECT_GT(accepted.size(), 0u);
    for (const std::string& hash : accepted)
        wait_until([&] {
            tend();
            return network_->at(0)
                       .call("eth_getTransactionReceipt", "[\"" + hash + "\"]")
                       .find("blockHash") != std::string::npos;
        });
    std::cout << count << " perturbations, " << accepted.size() << " transactions, "
              << network_->least_head() << " blocks; at most " << seconds(worst.network)
              << " s without a block, " << seconds(worst.validator)
              << " s until a validator followed\n";
    network_->stop();
}

}  // namespace
}  // namespace heddle::test
