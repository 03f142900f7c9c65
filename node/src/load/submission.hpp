// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The measured part: sends signed transactions and watches blocks until all that were accepted are
// in one. Whether their outcome is right is check.hpp's business.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <types/hash.hpp>

#include "formats/json.hpp"
#include "load/http_client.hpp"
#include "load/plan.hpp"

namespace heddle::node::load {

using Time = std::chrono::steady_clock::time_point;

struct SubmissionOptions {
    std::size_t connections = 1;
    std::size_t batch = 1;                    // transactions of a request
    std::size_t in_flight = 1'000;            // sent and not yet in a block, at most
    double rate = 0;                          // transactions per second; 0: as fast as answers come
    std::chrono::nanoseconds time_limit{0};   // after which nothing more is sent; 0: none
    std::chrono::nanoseconds poll_period{0};  // between looks for the next block
    std::chrono::nanoseconds patience{0};     // without a commit before the rest counts as lost
};

/// A block that appeared meanwhile.
struct SeenBlock {
    std::uint64_t number = 0;
    Time seen;
    std::uint64_t gas_used = 0;
    std::uint32_t transactions = 0;  // all of it
    std::uint32_t ours = 0;
};

enum class Phase : std::uint8_t { waiting, sent, accepted, rejected, committed };

struct Fate {
    Phase phase = Phase::waiting;
    std::uint8_t times_committed = 0;
    Time sent;       // or was due, with a rate
    Time committed;  // when its block was seen
};

struct SubmissionResult {
    Time first_sent;
    Time last_committed;
    std::vector<Fate> fates;        // by transaction
    std::vector<SeenBlock> blocks;  // every one, in order
    std::size_t accepted = 0;       // committed ones included
    std::size_t rejected = 0;
    std::size_t not_sent = 0;  // because the time was over, or an earlier one was rejected
    std::size_t lost = 0;      // accepted, and in no block
    std::vector<std::string> rejections;  // the first few different ones, in the node's words
};

/// Transactions of one account keep their order: they all go over the same connection.
/// Errors: InputError as HttpClient.
/// Thread safety: one thread.
class Submission {
public:
    /// The transactions must outlive it.
    /// @param next_block  The first block that may hold one of them.
    /// @param endpoints   The first one is asked for blocks, too.
    Submission(std::span<const Endpoint> endpoints, const SubmissionOptions& options,
               std::span<const SignedTransaction> transactions, std::uint64_t next_block);

    /// Once. Ends early where StopSignal is raised, as at the time limit.
    [[nodiscard]] SubmissionResult run();

private:
    struct Lane {
        std::vector<std::uint32_t> queue;  // transactions in order
        std::size_t position = 0;
        bool is_waiting = false;  // for an answer, or until the next one is due
    };

    void pump(std::size_t lane_index);
    void pump_all();
    void on_answer(std::size_t lane_index, std::span<const std::uint32_t> sent,
                   std::string_view body);
    void read_rejections(std::string_view body);
    void reject(std::uint32_t index, std::string_view reason);
    void look_for_blocks();
    void on_blocks(std::string_view body);
    void on_transaction(const Hash& hash, SeenBlock& block);
    void finish_if_over();
    [[nodiscard]] bool is_sending_over();
    [[nodiscard]] Time due(std::uint32_t index) const;

    SubmissionOptions options_;
    std::span<const SignedTransaction> transactions_;
    std::uint64_t next_block_;
    HttpClient http_;
    std::vector<Lane> lanes_;
    std::unordered_map<Hash, std::uint32_t, HashHasher> by_hash_;
    std::vector<bool> is_blocked_;  // by sender: an earlier transaction was rejected
    SubmissionResult result_;
    std::size_t in_flight_ = 0;
    std::size_t requests_ = 0;  // not answered
    std::size_t lookahead_ = 1;
    bool is_stopped_ = false;
    Time last_event_;
    std::string body_;   // kept for its memory, as the next one
    JsonParser parser_;  // of blocks
};

}  // namespace heddle::node::load
