// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole nodes over lanes: subscriptions, merging, execution and data directories are the program's;
// only CometBFT is not there (test_lane.hpp).
#pragma once

#include "lanes/lane_engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <consensus_adapter/lanes/homes_contract.hpp>
#include <consensus_adapter/lanes/move.hpp>

#include "../../consensus-adapter/lanes/entry_maker.hpp"
#include "../cometbft/test_node.hpp"
#include "chain/dev_chain.hpp"
#include "moved_homes.hpp"
#include "temporary_folder.hpp"
#include "test_comet.hpp"
#include "test_lane.hpp"

namespace heddle::node {

namespace homes = consensus_adapter::lanes;
using homes::HomeUnit;
using homes::LaneNumber;
using homes::LaneSet;
using homes::Placement;
using homes::test::encode;
using homes::test::make_entry;
using homes::test::signed_with;
using homes::test::transfer_objects;
using homes::test::unsigned_transfer;
using testing::HasSubstr;

inline constexpr std::uint8_t kLanes = 3;

inline void wait_until(const std::function<bool()>& is_so) {
    while (!is_so())
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
}

inline Transaction unsigned_move(std::uint64_t nonce, const homes::Move& move) {
    Transaction tx = unsigned_transfer(nonce, homes::homes_address());
    tx.value = {};
    tx.data = homes::encode_move(move);
    return tx;
}

/// The development chain's, with homes that can be moved.
inline Genesis genesis_with_homes() {
    Genesis genesis = dev_genesis();
    genesis.alloc.push_back(homes::homes_account(kLanes, dev_accounts()[9].address));
    return genesis;
}

struct LanesNodeOptions {
    std::uint64_t checkpoint_blocks = 1'024;
    std::uint64_t retain_blocks = 0;
    std::uint64_t snapshot_interval = 0;
    std::size_t snapshots_kept = 2;
    std::optional<lanes::TrustedBlock> trusted{};
    /// Who signs the blocks of each lane; null: lanes are believed.
    const std::vector<std::unique_ptr<test::TestComet>>* comets = nullptr;
    /// Of the CometBFT of each lane, which take entries; empty: nobody is there.
    std::vector<std::string> taking{};
};

/// A node with a data directory, over lanes.
class LanesNode {
public:
    LanesNode(std::string datadir, const std::vector<std::unique_ptr<test::TestLane>>& lanes,
              const LanesNodeOptions& wanted = {}, const Genesis& genesis = genesis_with_homes())
        : datadir_(std::move(datadir)), node_(datadir_, genesis) {
        lanes::LaneEngineOptions options;
        options.folder = datadir_ + "/lanes";
        for (const auto& lane : lanes) {
            options.lanes.push_back(lane->endpoint());
            options.comets.emplace_back("http://127.0.0.1:1");  // nobody is there
        }
        for (std::size_t i = 0; wanted.comets != nullptr && i < lanes.size(); ++i) {
            options.comets[i] = (*wanted.comets)[i]->address();
            options.validators.push_back((*wanted.comets)[i]->first());
        }
        if (!wanted.taking.empty()) {
            options.comets = wanted.taking;
            // They answer, if a busy machine lets them.
            options.comet_timeout = std::chrono::hours{1};
        }
        options.checkpoint_blocks = wanted.checkpoint_blocks;
        options.retain_blocks = wanted.retain_blocks;
        options.snapshot_interval = wanted.snapshot_interval;
        options.snapshots.folder = snapshot_folder(datadir_);
        options.snapshots.kept = wanted.snapshots_kept;
        options.trusted = wanted.trusted;
        options.mover = dev_accounts()[9].address;
        options.on_failure = [this](const std::string& reason) {
            const std::scoped_lock lock{mutex_};
            failure_ = reason;
        };
        engine_ = std::make_unique<lanes::LaneEngine>(node_.chain(), node_.mempool(),
                                                      node_.application(), std::move(options));
        engine_->start();
    }
    ~LanesNode() { engine_->stop(); }
    LanesNode(const LanesNode&) = delete;
    LanesNode& operator=(const LanesNode&) = delete;

    [[nodiscard]] lanes::LaneEngine& engine() { return *engine_; }
    [[nodiscard]] Chain& chain() { return node_.chain(); }
    [[nodiscard]] Mempool& mempool() { return node_.mempool(); }
    [[nodiscard]] std::string failure() const {
        const std::scoped_lock lock{mutex_};
        return failure_;
    }
    void wait_for_merged(std::uint64_t number) {
        wait_until([&] { return engine_->status().merged_number >= number || !failure().empty(); });
        EXPECT_EQ(failure(), "");
    }
    [[nodiscard]] std::vector<Hash> hashes() {
        std::vector<Hash> result;
        for (std::uint64_t i = 0; i <= node_.head().number; ++i)
            result.push_back(node_.chain().header(i).value()->hash);
        return result;
    }
    [[nodiscard]] std::size_t transactions() {
        std::size_t count = 0;
        for (std::uint64_t i = 1; i <= node_.head().number; ++i)
            count += node_.chain().block(i).value()->block.transactions.size();
        return count;
    }

private:
    const std::string datadir_;
    test::TestNode node_;
    mutable std::mutex mutex_;
    std::string failure_;  // guarded by mutex_
    std::unique_ptr<lanes::LaneEngine> engine_;
};

class LaneEngineTest : public testing::Test {
protected:
    void SetUp() override {
        for (LaneNumber lane = 0; lane < kLanes; ++lane)
            lanes_.push_back(std::make_unique<test::TestLane>(folder_.path(),
                                                              homes::LaneLogHead{lane, kLanes, 0}));
    }
    [[nodiscard]] std::unique_ptr<LanesNode> start_node(const std::string& name = "node",
                                                        const LanesNodeOptions& options = {}) {
        return std::make_unique<LanesNode>(folder_ / name, lanes_, options);
    }
    /// A CometBFT for each lane, with two validators of it.
    void start_comets() {
        for (LaneNumber lane = 0; lane < kLanes; ++lane) {
            const std::string name = "lane-" + std::to_string(lane);
            comets_.push_back(
                std::make_unique<test::TestComet>([&one = *lanes_[lane]] { return one.store(); },
                                                  name, test::keys_of({name + " a", name + " b"})));
        }
    }
    [[nodiscard]] static Address account(std::size_t i) { return dev_accounts()[i].address; }
    [[nodiscard]] LaneNumber home(std::size_t i) const {
        return directory_.home_of({account(i), {}}).lane;
    }
    /// A transfer of a development account as its sender places it.
    [[nodiscard]] homes::Entry transfer(std::size_t from, std::size_t to) {
        const Transaction tx = signed_with(unsigned_transfer(nonces_[from]++, account(to)),
                                           dev_accounts()[from].secret);
        return make_entry(homes::place(directory_, transfer_objects(tx)), tx, ++id_);
    }
    /// A move as a development account places it.
    [[nodiscard]] homes::Entry move(std::size_t signer, const HomeUnit& unit, LaneNumber to,
                                    std::uint64_t gas_limit = 100'000) {
        Transaction tx = unsigned_move(nonces_[signer]++, {unit, to, 0});
        tx.gas_limit = gas_limit;
        return make_entry(homes::place_move(directory_, unit, to),
                          signed_with(tx, dev_accounts()[signer].secret), ++id_);
    }
    /// Puts it into what each of its lanes orders next.
    void put(const homes::Entry& entry, std::optional<LaneNumber> without = {}) {
        for (LaneNumber lane = 0; lane < kLanes; ++lane)
            if (lanes_of(entry.placement).has(lane) && lane != without)
                next_[lane].push_back(encode(entry));
    }
    /// Every lane orders what was put into it, and the leading one names all of it.
    void order(LaneSet silent = {}) {
        for (LaneNumber lane = 1; lane < kLanes; ++lane)
            if (!silent.has(lane)) lanes_[lane]->order(std::exchange(next_[lane], {}));
        std::vector<std::uint64_t> heights;
        for (const auto& lane : lanes_) {
            if (const LaneSet one{std::uint64_t{1} << heights.size()}; silent.intersects(one))
                heights.push_back(last_[heights.size()]);
            else
                heights.push_back(lane->height());
        }
        last_ = heights;
        lanes_[0]->cut(heights, std::exchange(next_[0], {}), silent);
    }
    /// A pair of development accounts at home in two lanes, the second not in the leading one.
    [[nodiscard]] std::pair<std::size_t, std::size_t> apart() const {
        for (std::size_t a = 0; a < 9; ++a)
            for (std::size_t b = 0; b < 9; ++b)
                if (home(a) != home(b) && home(b) != 0) return {a, b};
        ADD_FAILURE() << "the development accounts have one home";
        return {0, 1};
    }

    const heddle::test::TemporaryFolder folder_;
    std::vector<std::unique_ptr<test::TestLane>> lanes_;
    std::vector<std::unique_ptr<test::TestComet>> comets_;  // end before the lanes
    heddle::test::MovedHomes directory_{homes::make_even_ranges(kLanes)};
    std::vector<std::uint64_t> nonces_ = std::vector<std::uint64_t>(10);
    std::uint64_t id_ = 0;
    std::vector<std::vector<Bytes>> next_{kLanes};
    std::vector<std::uint64_t> last_ = std::vector<std::uint64_t>(kLanes);
};

}  // namespace heddle::node
