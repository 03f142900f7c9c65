// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One lane as a node follows it: blocks of its log, checked and kept in a log of the node's own, so
// that a restart goes on without the lane.
//
// | state     | event                                            | next      |
// |-----------|--------------------------------------------------|-----------|
// | checking  | it is the lane that it should be, and the last   | following |
// |           | block that is kept here is the same there        |           |
// | following | blocks came, each one height after the one kept  | following |
// | any       | no answer                                        | checking, after a pause |
// | any       | two blocks of one height, another lane or chain, | faulty    |
// |           | a gap, what is no block of a lane, or what its   |           |
// |           | validators have not signed                       |           |
// | faulty    | a long pause is over                             | checking  |
//
// Nothing is taken of a faulty lane, and what waits for it waits; all else goes on. Who runs the
// node has to find out which of the blocks the lane has decided. When the lane gives them, it is
// followed again from the last block kept on, as by a node that was started again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include <consensus_adapter/lanes/lane_store.hpp>
#include <consensus_adapter/lanes/opportunistic.hpp>

#include "follow/endpoint.hpp"
#include "lanes/lane_client.hpp"
#include "lanes/lane_proof.hpp"
#include "lanes/lane_validators.hpp"
#include "lanes/lanes_view.hpp"
#include "lanes/prepared_blocks.hpp"

namespace heddle::node::lanes {

/// By whom a lane's blocks have to be signed (lane_validators.hpp), and who knows the signatures.
struct LaneTrust {
    consensus_adapter::cometbft::TrustedValidators validators;  // as far as no file says otherwise
    follow::Endpoint comet;                                     // the RPC of a CometBFT of the lane
    std::string file;                                           // of validators that came after
};

struct SubscriptionOptions {
    follow::Endpoint endpoint;
    consensus_adapter::lanes::LaneLogHead head;
    std::uint64_t chain_id = 0;
    std::optional<LaneTrust> trust;  // nullopt: the endpoint is believed
    /// Between two questions while nothing is new.
    std::chrono::milliseconds poll{25};
    /// After a failure; doubled with each further one, up to `max_pause`.
    std::chrono::milliseconds pause{50};
    std::chrono::milliseconds max_pause{1'000};
    /// After a fault, which somebody has to mend.
    std::chrono::milliseconds fault_pause{30'000};
    /// Heights beyond those that are merged, and bytes of them: a lane whose blocks nobody merges
    /// stops here. More than a cut can go on by, which is 64 blocks of 16 MiB.
    std::uint64_t max_ahead = 8'192;
    std::uint64_t max_bytes_ahead = std::uint64_t{2} << 30;
    /// Microseconds since 1970; from any thread.
    std::function<std::uint64_t()> clock;
    /// Blocks were kept. From the subscription's thread.
    std::function<void()> on_blocks;
    /// Blocks cannot be kept here: why. From the subscription's thread.
    std::function<void(const std::string&)> on_failure;
};

/// One thread of its own, which alone appends to the store. `mutex_` guards what state() tells and
/// is held for a few instructions.
///
/// Thread safety: any.
class LaneSubscription {
public:
    /// Begins at once. @param store  Outlives it.
    /// Errors: InputError: the file of validators is no good.
    LaneSubscription(SubscriptionOptions options, consensus_adapter::lanes::LaneStore& store);
    /// As stop().
    ~LaneSubscription();
    LaneSubscription(const LaneSubscription&) = delete;
    LaneSubscription& operator=(const LaneSubscription&) = delete;
    LaneSubscription(LaneSubscription&&) = delete;
    LaneSubscription& operator=(LaneSubscription&&) = delete;

    /// Blocks up to this height are merged.
    void merged(std::uint64_t height);
    /// Blocks up to this height, which are merged, need not be kept any more.
    void give_up_to(std::uint64_t height);
    [[nodiscard]] LaneState state() const;
    /// How much later it is at the lane when what is sent now comes there, by its clock.
    [[nodiscard]] std::int64_t offset_us() const;
    /// A block that was kept since the start, if it is still at hand; lower ones are wanted no
    /// more. nullopt: it has to be read from the store.
    [[nodiscard]] std::optional<consensus_adapter::lanes::PreparedBlock> take_prepared(
        std::uint64_t height) {
        return prepared_.take(height);
    }
    /// Ends the question that is being asked.
    void stop();

private:
    /// What ends the conversation: it is begun again, where the lane is at fault much later.
    struct Trouble {
        std::string sentence;
        bool is_fault = false;
        bool is_storage = false;
    };

    void run(const std::stop_token& stop);
    [[nodiscard]] std::expected<void, Trouble> ask(LaneClient& client);
    [[nodiscard]] std::expected<void, Trouble> check_identity(LaneClient& client);
    [[nodiscard]] std::expected<void, Trouble> take(const LaneBlocks& answer, std::uint64_t from);
    [[nodiscard]] std::expected<void, Trouble> check_signatures(const LaneBlocks& answer,
                                                                std::uint64_t from);
    [[nodiscard]] std::string who_signed(const consensus_adapter::lanes::LaneBlock& second);
    [[nodiscard]] std::expected<void, Trouble> take_one(const Bytes& block, std::uint64_t height);
    [[nodiscard]] bool has_room() const;
    void give_up_needless();
    void note(const LaneBlocks& answer, std::uint64_t sent_us);
    void note(const Trouble& trouble);
    void note_is_right();
    void wait(std::chrono::milliseconds longest, const std::stop_token& stop);

    const SubscriptionOptions options_;
    consensus_adapter::lanes::LaneStore& store_;

    mutable std::mutex mutex_;
    std::condition_variable_any wakeup_;
    LaneState state_;  // guarded by mutex_, as what follows
    consensus_adapter::lanes::DelayEstimate delay_;
    std::uint64_t merged_ = 0;
    std::uint64_t needless_ = 0;  // up to which height blocks need not be kept

    PreparedBlocks prepared_;  // has a lock of its own, which nothing is called with

    // Its thread only.
    std::optional<LaneValidators> validators_;
    std::optional<CommitClient> commits_;
    bool is_checked_ = false;
    bool is_new_ = false;  // the last answer had blocks

    std::jthread thread_;
};

}  // namespace heddle::node::lanes
