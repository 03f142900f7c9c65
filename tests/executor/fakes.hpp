// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A world in maps: committed state, block hashes and a sink that remembers what it was given.
#pragma once

#include <atomic>
#include <map>
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

namespace heddle::executor::test {

/// May be read by many threads while a sink applies a block and a test gives an account, of which
/// nobody has heard yet, its balance. The maps themselves are for tests, while nothing is in
/// flight.
class FakeState final : public StateView {
public:
    std::map<Address, Account> accounts;
    std::map<std::pair<Address, Hash>, Uint256> slots;
    std::map<Hash, Bytes> codes;
    mutable std::size_t reads = 0;
    mutable std::vector<ObjectSet> prefetched;
    bool is_at_hand = false;  // what are_at_hand() says
    bool is_in_store = true;  // what is_in_memory() denies

    void set_balance(const Address& address, const Uint256& balance) {
        const std::unique_lock lock(*mutex_);
        accounts[address].balance = balance;
    }
    void set_slot(const Address& address, std::uint64_t slot, std::uint64_t value) {
        slots[{address, to_hash(Uint256{slot})}] = Uint256{value};
    }
    void deploy(const Address& address, const Bytes& code) {
        const Hash hash = keccak256(code);
        accounts[address].nonce = 1;
        accounts[address].code_hash = hash;
        codes[hash] = code;
    }

    std::optional<Account> account(const Address& address) const noexcept override {
        std::atomic_ref{reads}.fetch_add(1, std::memory_order_relaxed);
        const std::shared_lock lock(*mutex_);
        const auto known = accounts.find(address);
        return known == accounts.end() ? std::nullopt : std::optional{known->second};
    }
    Uint256 storage(const Address& address, const Uint256& slot) const noexcept override {
        std::atomic_ref{reads}.fetch_add(1, std::memory_order_relaxed);
        const std::shared_lock lock(*mutex_);
        const auto known = slots.find({address, to_hash(slot)});
        return known == slots.end() ? Uint256{} : known->second;
    }
    bool has_storage(const Address& address) const noexcept override {
        const std::shared_lock lock(*mutex_);
        for (const auto& [key, value] : slots)
            if (key.first == address && !value.is_zero()) return true;
        return false;
    }
    BytesView code(const Hash& code_hash) const noexcept override {
        if (code_hash == kEmptyCodeHash) return {};
        const std::shared_lock lock(*mutex_);
        return codes.at(code_hash);
    }
    void prefetch(const ObjectSet& objects) const noexcept override {
        const std::unique_lock lock(*mutex_);
        prefetched.push_back(objects);
    }
    bool are_at_hand(std::span<const ObjectId>) const noexcept override { return is_at_hand; }
    bool is_in_memory() const noexcept override { return !is_in_store; }
    void apply(const StateDiff& diff) {
        const std::unique_lock lock(*mutex_);
        for (const AccountChange& change : diff.accounts) {
            if (change.storage_cleared || !change.account.has_value())
                std::erase_if(slots,
                              [&](const auto& slot) { return slot.first.first == change.address; });
            if (change.account.has_value())
                accounts[change.address] = *change.account;
            else
                accounts.erase(change.address);
            for (const StorageChange& written : change.storage)
                slots[{change.address, to_hash(written.slot)}] = written.value;
        }
        for (const CodeChange& change : diff.codes)
            codes[change.hash] = change.code;
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
    std::optional<StateDiff> foreseen;
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
        if (std::exchange(foreseen, std::nullopt) == block.diff) ++times_right;
        state_->apply(block.diff);
        blocks.push_back(std::move(block));
        return root;
    }
    void foresee(const Hash& /*parent*/, const StateDiff& diff) override {
        foreseen = diff;
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
