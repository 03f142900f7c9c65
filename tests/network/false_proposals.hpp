// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a proposer that lies or errs puts into its blocks instead of what Heddle prepared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include <types/bytes.hpp>
#include <types/genesis.hpp>

#include "cometbft/block_preamble.hpp"
#include "own_chain.hpp"

namespace heddle::test {

enum class Lie : std::uint8_t {
    no_items,
    no_preamble,
    garbage_preamble,
    second_preamble,
    empty_sets,
    foreign_sets,
    too_few_sets,
    too_many_sets,
    large_sets,
    foreign_list,
    garbage_list,
    huge_gas_limit,
    wrong_nonce_order,
    same_twice,
    nonce_too_high,
    no_funds,
    fee_too_low,
    no_signer,
    garbage,
    empty_item,
    blobs,
    out_of_gas,
    reverts,
    more_gas_than_a_block,
    too_large,
};

/// What becomes of it.
enum class Fate : std::uint8_t {
    decided,   // validators agree to it
    rejected,  // they do not
    fatal,     // the proposer's own CometBFT does not bear it
};

struct LieTraits {
    Lie lie;
    std::string_view name;
    Fate fate;
};
inline constexpr std::array kLies{
    LieTraits{Lie::no_items, "no items at all", Fate::decided},
    LieTraits{Lie::no_preamble, "no preamble", Fate::decided},
    LieTraits{Lie::garbage_preamble, "garbage as preamble", Fate::rejected},
    LieTraits{Lie::second_preamble, "a second preamble", Fate::rejected},
    LieTraits{Lie::empty_sets, "empty sets", Fate::decided},
    LieTraits{Lie::foreign_sets, "sets of other transactions", Fate::decided},
    LieTraits{Lie::too_few_sets, "fewer sets than transactions", Fate::rejected},
    LieTraits{Lie::too_many_sets, "more sets than transactions", Fate::rejected},
    LieTraits{Lie::large_sets, "3 MiB of sets", Fate::decided},
    LieTraits{Lie::foreign_list, "the access list of another block", Fate::decided},
    LieTraits{Lie::garbage_list, "garbage as access list", Fate::rejected},
    LieTraits{Lie::huge_gas_limit, "a huge gas limit", Fate::rejected},
    LieTraits{Lie::wrong_nonce_order, "nonces in the wrong order", Fate::decided},
    LieTraits{Lie::same_twice, "a transaction twice", Fate::decided},
    LieTraits{Lie::nonce_too_high, "a nonce that is too high", Fate::decided},
    LieTraits{Lie::no_funds, "a transfer without funds", Fate::decided},
    LieTraits{Lie::fee_too_low, "a fee below the base fee", Fate::decided},
    LieTraits{Lie::no_signer, "a signature of nobody", Fate::rejected},
    LieTraits{Lie::garbage, "garbage", Fate::rejected},
    LieTraits{Lie::empty_item, "an empty item", Fate::rejected},
    LieTraits{Lie::blobs, "a blob transaction", Fate::rejected},
    LieTraits{Lie::out_of_gas, "a transaction that runs out of gas", Fate::decided},
    LieTraits{Lie::reverts, "a transaction that reverts", Fate::decided},
    LieTraits{Lie::more_gas_than_a_block, "more gas than a block has", Fate::decided},
    LieTraits{Lie::too_large, "more bytes than a block has", Fate::fatal},
};

struct FalseProposal {
    std::vector<Bytes> items;
    std::size_t left_out = 0;          // items that no transaction of the block comes of
    std::size_t wrongly_declared = 0;  // transactions that access what was not declared, at least
    bool has_wrong_list = false;
};

/// Each lie has accounts of its own, so that none spoils another.
/// Thread safety: one thread at a time.
class Liar {
public:
    explicit Liar(std::uint64_t seed);

    /// The development chain, and what the lies need.
    [[nodiscard]] Genesis genesis() const;
    /// @param honest  What Heddle prepared.
    [[nodiscard]] FalseProposal make(Lie lie, const std::vector<Bytes>& honest);

private:
    using Preamble = consensus_adapter::cometbft::BlockPreamble;

    const node::DevAccount& fresh_account();
    Bytes transfer(const node::DevAccount& from, std::uint64_t nonce);
    [[nodiscard]] Bytes random_bytes(std::size_t size);
    void add_transfers(FalseProposal& proposal);
    void lie_in_preamble(Lie lie, FalseProposal& proposal, Preamble preamble);
    void lie_in_sets(Lie lie, FalseProposal& proposal, Preamble preamble);
    void lie_in_list(Lie lie, FalseProposal& proposal, Preamble preamble);
    void lie_in_transactions(Lie lie, FalseProposal& proposal);

    std::mt19937_64 random_;
    const std::vector<node::DevAccount> accounts_;
    std::size_t next_account_ = 0;
};

}  // namespace heddle::test
