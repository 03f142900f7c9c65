// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes blocks of every fork, proof of work included, transaction by transaction on the exact
// state, so that a generator can look at nonces and balances before it writes the next one. Shares
// with the executors only the vm: what it makes is checked by whoever imports it.
#pragma once

#include <cstdint>
#include <expected>
#include <vector>

#include <ledger/memory_state.hpp>
#include <ledger/state_root.hpp>
#include <types/block.hpp>
#include <types/genesis.hpp>
#include <types/transaction_error.hpp>
#include <vm/block.hpp>
#include <vm/block_execution.hpp>
#include <vm/evm.hpp>
#include <vm/transition.hpp>

namespace heddle::test {

/// What the maker of a block chooses.
struct AdversarialBlockPlan {
    std::uint64_t timestamp = 0;  // seconds; above the parent's
    Address beneficiary;
    std::uint64_t gas_limit = 0;
    Bytes extra_data;
    Hash randomness;
    std::vector<BlockHeader> ommers;             // before Paris
    std::vector<Withdrawal> withdrawals;         // from Shanghai on
    std::optional<std::uint64_t> slot_number{};  // from Amsterdam on
};

/// Thread safety: none.
class AdversarialMaker {
public:
    explicit AdversarialMaker(const Genesis& genesis);

    /// Headers of the chain, genesis first, state root included.
    [[nodiscard]] const std::vector<BlockHeader>& headers() const noexcept { return headers_; }
    /// State after the last transaction added.
    [[nodiscard]] const StateView& state() const noexcept { return state_.flat; }
    [[nodiscard]] const BlockEnv& env() const noexcept { return env_; }
    [[nodiscard]] std::uint64_t gas_left() const noexcept { return execution_.left().gas; }
    [[nodiscard]] const std::vector<Transaction>& transactions() const noexcept {
        return block_.transactions;
    }
    /// Rules of the block that a header with this number and time begins.
    [[nodiscard]] Revision next_revision(std::uint64_t timestamp) const noexcept;
    [[nodiscard]] bool is_next_merged() const noexcept;

    void open(AdversarialBlockPlan plan);
    /// Executes and appends. On error the block is as before.
    std::expected<void, TransactionError> add(Transaction tx);
    /// Ends the open block and makes it the head.
    [[nodiscard]] Block seal();

private:
    /// Takes every diff at once, in the flat state and in the tries.
    class State final : public vm::MutableState {
    public:
        ledger::MemoryState flat;
        ledger::StateTrie trie;

        [[nodiscard]] std::optional<Account> account(
            const Address& address) const noexcept override {
            return flat.account(address);
        }
        [[nodiscard]] Uint256 storage(const Address& address,
                                      const Uint256& slot) const noexcept override {
            return flat.storage(address, slot);
        }
        [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
            return flat.has_storage(address);
        }
        [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
            return flat.code(code_hash);
        }
        void apply(const StateDiff& diff) override {
            trie.apply(diff);
            flat.apply(diff);
        }
    };
    class Hashes final : public BlockHashes {
    public:
        std::vector<Hash> hashes;
        [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
            return hashes[number];
        }
    };

    void append_head(const BlockHeader& header);

    const ChainConfig config_;
    State state_;
    Hashes hashes_;
    std::vector<BlockHeader> headers_;
    Uint256 total_difficulty_;
    vm::Evm evm_;
    vm::Outcome outcome_;
    // The open block.
    Block block_;
    BlockEnv env_;
    vm::BlockExecution execution_;
};

}  // namespace heddle::test
