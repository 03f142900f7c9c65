// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/submission.hpp"

#include <algorithm>
#include <utility>

#include <types/assert.hpp>

#include "formats/json_writer.hpp"
#include "load/rpc_client.hpp"
#include "program/stop_signal.hpp"

namespace heddle::node::load {

namespace {

constexpr std::size_t kMaxLookahead = 32;
constexpr std::size_t kMaxReasons = 5;

Time now() {
    return std::chrono::steady_clock::now();
}

}  // namespace

Submission::Submission(std::span<const Endpoint> endpoints, const SubmissionOptions& options,
                       std::span<const SignedTransaction> transactions, std::uint64_t next_block)
    : options_(options),
      transactions_(transactions),
      next_block_(next_block),
      http_(endpoints, options.connections + 1),  // the last one looks for blocks
      lanes_(options.connections) {
    result_.fates.resize(transactions.size());
    by_hash_.reserve(transactions.size());
    std::uint32_t senders = 0;
    for (std::uint32_t i = 0; i < transactions.size(); ++i) {
        const std::uint32_t sender = transactions[i].sender;
        senders = std::max(senders, sender + 1);
        lanes_[sender % lanes_.size()].queue.push_back(i);
        by_hash_.emplace(transactions[i].hash, i);
    }
    is_blocked_.resize(senders);
}

SubmissionResult Submission::run() {
    result_.first_sent = last_event_ = result_.last_committed = now();
    look_for_blocks();
    pump_all();
    http_.run();
    for (const Fate& fate : result_.fates) {
        if (fate.phase == Phase::waiting) ++result_.not_sent;
        if (fate.phase == Phase::sent || fate.phase == Phase::accepted) ++result_.lost;
    }
    result_.accepted = transactions_.size() - result_.not_sent - result_.rejected;
    return std::move(result_);
}

Time Submission::due(std::uint32_t index) const {
    const std::chrono::duration<double> offset{static_cast<double>(index) / options_.rate};
    return result_.first_sent + std::chrono::duration_cast<Time::duration>(offset);
}

bool Submission::is_sending_over() {
    if (is_stopped_) return true;
    const bool is_late =
        options_.time_limit.count() != 0 && now() - result_.first_sent >= options_.time_limit;
    is_stopped_ = is_late || StopSignal::is_raised();
    return is_stopped_;
}

void Submission::pump_all() {
    for (std::size_t i = 0; i < lanes_.size(); ++i)
        pump(i);
}

// Sends the lane's next request, if it may. Whoever makes room calls it again.
void Submission::pump(std::size_t lane_index) {
    Lane& lane = lanes_[lane_index];
    if (lane.is_waiting || is_sending_over()) return;
    const Time time = now();
    std::vector<std::uint32_t> sent;
    body_ = "[";
    while (lane.position < lane.queue.size() && sent.size() < options_.batch &&
           in_flight_ < options_.in_flight) {
        const std::uint32_t index = lane.queue[lane.position];
        const Time due_time = options_.rate > 0 ? due(index) : time;
        if (due_time > time) {
            if (!sent.empty()) break;
            lane.is_waiting = true;
            return http_.after(due_time - time, [this, lane_index] {
                lanes_[lane_index].is_waiting = false;
                pump(lane_index);
            });
        }
        ++lane.position;
        if (is_blocked_[transactions_[index].sender]) continue;
        result_.fates[index] = {.phase = Phase::sent, .sent = due_time, .committed = {}};
        ++in_flight_;
        if (!sent.empty()) body_ += ',';
        body_ += transactions_[index].call;
        sent.push_back(index);
    }
    if (sent.empty()) return;
    body_ += ']';
    lane.is_waiting = true;
    ++requests_;
    last_event_ = time;
    http_.send(lane_index,
               options_.batch == 1 ? std::string_view{body_}.substr(1, body_.size() - 2)
                                   : std::string_view{body_},
               [this, lane_index, sent = std::move(sent)](std::string_view body) {
                   on_answer(lane_index, sent, body);
               });
}

void Submission::on_answer(std::size_t lane_index, std::span<const std::uint32_t> sent,
                           std::string_view body) {
    lanes_[lane_index].is_waiting = false;
    --requests_;
    if (body.find("\"error\"") != std::string_view::npos) read_rejections(body);
    for (const std::uint32_t index : sent)
        if (Fate& fate = result_.fates[index]; fate.phase == Phase::sent)
            fate.phase = Phase::accepted;
    pump(lane_index);
}

void Submission::read_rejections(std::string_view body) {
    JsonParser parser;
    const JsonView answers = parser.parse(body, "eth_sendRawTransaction");
    const auto read = [this](const JsonView& answer) {
        const auto error = answer.find("error");
        if (!error.has_value()) return;
        const auto id = answer.find("id");
        // Without an id it is the whole request that the node refused.
        if (!id.has_value())
            error->fail("the request was refused: " + std::string{error->at("message").string()});
        reject(static_cast<std::uint32_t>(id->uint64()), error->at("message").string());
    };
    if (!answers.is_array()) return read(answers);
    for (std::size_t i = 0; i < answers.size(); ++i)
        read(answers.element(i));
}

void Submission::reject(std::uint32_t index, std::string_view reason) {
    HEDDLE_ASSERT(index < transactions_.size());
    Fate& fate = result_.fates[index];
    if (fate.phase != Phase::sent) return;
    fate.phase = Phase::rejected;
    --in_flight_;
    ++result_.rejected;
    // What follows would wait for it for ever.
    is_blocked_[transactions_[index].sender] = true;
    auto& reasons = result_.rejections;
    if (reasons.size() < kMaxReasons && std::ranges::find(reasons, reason) == reasons.end())
        reasons.emplace_back(reason);
}

// Asks for as many blocks as there seem to be: one where blocks are slower than the looking.
void Submission::look_for_blocks() {
    std::string body = "[";
    for (std::size_t i = 0; i < lookahead_; ++i) {
        if (i != 0) body += ',';
        body += make_call(i, "eth_getBlockByNumber",
                          "[\"" + to_quantity(next_block_ + i) + "\",false]");
    }
    body += ']';
    http_.send(lanes_.size(), body, [this](std::string_view answer) { on_blocks(answer); });
}

void Submission::on_blocks(std::string_view body) {
    const Time time = now();
    const JsonView answers = parser_.parse(body, "eth_getBlockByNumber");
    std::vector<std::optional<JsonView>> blocks(lookahead_);
    bool is_cut_short = false;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const JsonView answer = answers.element(i);
        // The next request asks for those that this answer had no room for.
        if (is_too_large(answer) && lookahead_ > 1) {
            is_cut_short = true;
            continue;
        }
        if (answer.find("error").has_value())
            answer.fail(std::string{answer.at("error").at("message").string()});
        blocks.at(answer.at("id").uint64()) = answer.find("result");
    }
    std::size_t found = 0;
    for (const auto& block : blocks) {
        if (!block.has_value()) break;
        ++found;
        SeenBlock seen{next_block_++, time, block->at("gasUsed").uint64(), 0, 0};
        const JsonView hashes = block->at("transactions");
        seen.transactions = static_cast<std::uint32_t>(hashes.size());
        for (std::size_t i = 0; i < hashes.size(); ++i)
            on_transaction(hashes.element(i).hash(), seen);
        if (seen.ours != 0) result_.last_committed = last_event_ = time;
        result_.blocks.push_back(seen);
    }
    const bool all_there = found == lookahead_;
    lookahead_ = all_there ? std::min(2 * lookahead_, kMaxLookahead) : 1;
    pump_all();
    finish_if_over();
    if (all_there || is_cut_short) return look_for_blocks();
    http_.after(options_.poll_period, [this] { look_for_blocks(); });
}

void Submission::on_transaction(const Hash& hash, SeenBlock& block) {
    const auto found = by_hash_.find(hash);
    if (found == by_hash_.end()) return;
    ++block.ours;
    Fate& fate = result_.fates[found->second];
    if (fate.times_committed < 255) ++fate.times_committed;
    if (fate.times_committed != 1) return;
    if (fate.phase == Phase::rejected)
        --result_.rejected;
    else
        --in_flight_;
    fate.phase = Phase::committed;
    fate.committed = block.seen;
}

void Submission::finish_if_over() {
    if (requests_ != 0) return;
    const bool is_exhausted =
        is_sending_over() || std::ranges::all_of(lanes_, [](const Lane& lane) {
            return lane.position == lane.queue.size();
        });
    const bool is_hopeless = in_flight_ != 0 && now() - last_event_ > options_.patience;
    if ((is_exhausted && in_flight_ == 0) || is_hopeless) http_.stop();
}

}  // namespace heddle::node::load
