// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Signers recovered round for round beside helpers who come when they like, under schedules drawn
// by seed: when a round is over all of its signers are there, and nobody is at work any more.
#include "stream/signer_recovery.hpp"

#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <types/signing.hpp>

#include "checks.hpp"
#include "explored_stream.hpp"
#include "explorer.hpp"

namespace heddle::executor {
namespace {

using heddle::test::expect;
using heddle::test::expect_holds;
using heddle::test::explore_bounded;
using heddle::test::explore_randomly;

constexpr std::size_t kTransactions = kRecoveryGrain + 1;  // two pieces

const Hash kSecret = to_hash(Uint256{77});

/// Whose signatures are nobody's but the first and the last one's: those take no time.
std::vector<Transaction> barely_signed() {
    std::vector<Transaction> transactions(kTransactions);
    for (Transaction* const tx : {&transactions.front(), &transactions.back()}) {
        EXPECT_TRUE(sign_transaction(*tx, kSecret));
        tx->sender.reset();
    }
    return transactions;
}

class Rounds final : public heddle::test::Case {
public:
    explicit Rounds(const std::vector<Transaction>& transactions) : transactions_(transactions) {}

    std::vector<Thread> threads() override {
        return {{"executing", [this] { execute(); }},
                {"helper", [this] { help(); }},
                {"another", [this] { help(); }}};
    }

private:
    static constexpr unsigned kRounds = 2;

    void execute() {
        for (unsigned round = 0; round < kRounds; ++round) {
            std::vector<Transaction> some = transactions_;
            recovery_.run(some);
            expect(some.front().sender.has_value() && some.back().sender.has_value(),
                   "a round was over before its signers were there");
            expect(!recovery_.has_work(), "something of a round is left");
        }
    }
    void help() {
        for (unsigned times = 0; times < kRounds; ++times)
            recovery_.run_once();
    }

    const std::vector<Transaction>& transactions_;
    WorkerParking parking_;
    SignerRecovery recovery_{&parking_};
};

TEST(SignerRecoverySchedule, rounds_end_with_all_their_signers_whoever_helps) {
    const std::vector<Transaction> transactions = barely_signed();
    const auto rounds = [&] { return std::make_unique<Rounds>(transactions); };
    expect_holds(explore_randomly(rounds, heddle::test::announced_seed(), 1'000));
    expect_holds(explore_bounded(rounds, 1));
}

}  // namespace
}  // namespace heddle::executor
