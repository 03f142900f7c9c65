// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A world in maps: committed state, block hashes and a sink that remembers what it was given.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <utility>
#include <vector>

#include <types/block_sink.hpp>
#include <types/chain_config.hpp>
#include <types/object.hpp>
#include <types/state_view.hpp>

#include "state_maps.hpp"

namespace heddle::executor::test {

/// May be read by many threads while a sink applies a block and a test gives an account, of which
/// nobody has heard yet, its balance. The maps themselves are for tests, while nothing is in
/// flight.
class FakeState final : public StateView, public heddle::test::StateMaps {
public:
    mutable std::size_t reads = 0;
    mutable std::vector<ObjectSet> prefetched;
    mutable std::vector<ObjectId> expected;
    std::size_t most_expected = 0;  // objects: from there on it is not worth while
    bool is_at_hand = false;        // what are_at_hand() says
    bool is_in_store = true;        // what is_in_memory() denies

    void set_balance(const Address& address, const Uint256& balance) {
        const std::unique_lock lock(*mutex_);
        accounts[address].balance = balance;
    }
    void set_slot(const Address& address, std::uint64_t slot, std::uint64_t value) {
        slots[{address, to_hash(Uint256{slot})}] = Uint256{value};
    }

    std::optional<Account> account(const Address& address) const noexcept override {
        std::atomic_ref{reads}.fetch_add(1, std::memory_order_relaxed);
        const std::shared_lock lock(*mutex_);
        return StateMaps::account(address);
    }
    Uint256 storage(const Address& address, const Uint256& slot) const noexcept override {
        std::atomic_ref{reads}.fetch_add(1, std::memory_order_relaxed);
        const std::shared_lock lock(*mutex_);
        return StateMaps::storage(address, slot);
    }
    bool has_storage(const Address& address) const noexcept override {
        const std::shared_lock lock(*mutex_);
        return StateMaps::has_storage(address);
    }
    BytesView code(const Hash& code_hash) const noexcept override {
        const std::shared_lock lock(*mutex_);
        return StateMaps::code(code_hash);
    }
    void prefetch(const ObjectSet& objects) const noexcept override {
        const std::unique_lock lock(*mutex_);
        prefetched.push_back(objects);
    }
    bool expect(std::span<const ObjectId> objects) const noexcept override {
        const std::unique_lock lock(*mutex_);
        expected.insert(expected.end(), objects.begin(), objects.end());
        return expected.size() < most_expected;
    }
    bool are_at_hand(std::span<const ObjectId>) const noexcept override { return is_at_hand; }
    bool is_in_memory() const noexcept override { return !is_in_store; }
    void apply(const StateDiff& diff) {
        const std::unique_lock lock(*mutex_);
        StateMaps::change(diff);
    }

private:
    std::shared_ptr<std::shared_mutex> mutex_ = std::make_shared<std::shared_mutex>();
};

class FakeBlockHashes final : public BlockHashes {
public:
    Hash block_hash(std::uint64_t number) const noexcept override {
        return to_hash(Uint256{number});
    }
};

/// Commits to a FakeState. Its state root is the number of blocks committed.
class FakeSink final : public BlockSink {
public:
    explicit FakeSink(FakeState& state) : state_(&state) {}

    std::vector<FinishedBlock> blocks;
    std::size_t roots_asked = 0;
    /// What the next block was said to change; and of how many blocks it was said, and was true.
    std::optional<std::pair<Hash, StateDiff>> foreseen;  // with the parent
    std::size_t times_foreseen = 0;
    std::size_t times_right = 0;
    /// State root that no block's header has.
    bool rejects = false;

    std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        const Hash root = to_hash(Uint256{blocks.size() + 1});
        if (rejects) {
            BlockError error;
            error.code = BlockErrorCode::state_root_mismatch;
            error.number = block.block.header.number;
            return std::unexpected(error);
        }
        if (std::exchange(foreseen, std::nullopt) ==
            std::pair{block.block.header.parent_hash, block.diff})
            ++times_right;
        state_->apply(block.diff);
        blocks.push_back(std::move(block));
        return root;
    }
    void foresee(const Hash& parent, const StateDiff& diff) override {
        foreseen.emplace(parent, diff);
        ++times_foreseen;
    }
    Hash state_root_with(const StateDiff& diff) override {
        ++roots_asked;
        return to_hash(Uint256{diff.accounts.size()});
    }

private:
    FakeState* state_;
};

/// A chain that is on Shanghai from its first block on.
inline ChainConfig config_of_shanghai() {
    ChainConfig config;
    config.homestead_block = 0;
    config.tangerine_whistle_block = config.spurious_dragon_block = config.byzantium_block = 0;
    config.constantinople_block = config.petersburg_block = config.istanbul_block = 0;
    config.berlin_block = config.london_block = 0;
    config.terminal_total_difficulty = Uint256{};
    config.shanghai_time = 0;
    return config;
}

}  // namespace heddle::executor::test
