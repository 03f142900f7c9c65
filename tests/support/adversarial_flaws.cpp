// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "adversarial_flaws.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <vm/block.hpp>

namespace heddle::test {

void AdversarialFlaw::look(AdversarialStage& stage) {
    candidates_.clear();
    const auto add = [&](std::string name, Transaction tx) {
        candidates_.push_back(
            {stage.maker().transactions().size(), std::move(name), std::move(tx)});
    };
    Transaction high = stage.draft(stage.rich());
    ++high.nonce;
    add("nonce too high by one", high);

    Transaction low = stage.draft(stage.rich());
    if (low.nonce > 0) {
        --low.nonce;
        add("nonce too low by one", low);
    }
    // Of one who has just paid for something: an attempt that has not seen that finds it covered.
    // What must be covered is the most that the transaction can cost, not what it will cost.
    const std::vector<Transaction>& before = stage.maker().transactions();
    const bool follows = !before.empty() && stage.one_in(2);
    Transaction costly = stage.draft(follows ? *before.back().sender : stage.poor());
    if (costly.type == TransactionType::dynamic_fee)
        costly.max_fee_per_gas += costly.max_fee_per_gas;
    const Uint256 cost = Uint256{costly.gas_limit} * costly.max_fee_per_gas;
    const Uint256 has = stage.balance(*costly.sender);
    costly.value = has < cost ? Uint256{1} : has - cost + Uint256{1};
    add("one wei missing", costly);

    Transaction wide = stage.draft(stage.rich());
    wide.gas_limit = stage.maker().gas_left() + 1;
    add("one gas more than the block has left", wide);

    Transaction contract = stage.draft(stage.rich());
    contract.sender = kSweeper;
    contract.nonce = stage.nonce(kSweeper);
    add("sender is a contract", contract);
    // From Prague on that is a delegated account, which cannot pay.
    contract.sender = address_from_low64(kFirstDelegation);
    contract.nonce = stage.nonce(*contract.sender);
    add("sender has code like a delegation", contract);
}

std::string AdversarialFlaw::insert(Block& block, const Candidate& candidate) const {
    const auto index = std::min(candidate.index, block.transactions.size());
    block.transactions.insert(block.transactions.begin() + static_cast<std::ptrdiff_t>(index),
                              candidate.tx);
    block.header.transactions_root = vm::transactions_root(block.transactions);
    return candidate.name + " at " + std::to_string(index);
}

/// Exchanges two transactions of one sender; where each has one, nothing.
std::string AdversarialFlaw::reorder(Block& block, workload::Random& random) {
    std::vector<Transaction>& list = block.transactions;
    if (list.size() < 2) return {};
    const std::size_t from = random.below(static_cast<std::uint32_t>(list.size() - 1));
    const auto first = list.begin() + static_cast<std::ptrdiff_t>(from);
    const auto second =
        std::ranges::find(first + 1, list.end(), first->sender, &Transaction::sender);
    if (second == list.end()) return {};
    std::iter_swap(first, second);
    block.header.transactions_root = vm::transactions_root(list);
    return "order of one sender's transactions at " + std::to_string(from);
}

std::string AdversarialFlaw::damage(Block& block, workload::Random& random) const {
    BlockHeader& header = block.header;
    if (random.below(5) == 0)
        if (auto done = reorder(block, random); !done.empty()) return done;
    if (random.below(2) == 0 && !candidates_.empty())
        return insert(block,
                      candidates_[random.below(static_cast<std::uint32_t>(candidates_.size()))]);
    switch (random.below(9)) {
        case 0:
            header.gas_used += 1;
            return "gas used";
        case 1:
            header.receipts_root.bytes[7] ^= 1;
            return "receipts root";
        case 2:
            header.logs_bloom.bytes[200] ^= 1;
            return "bloom";
        case 3:
            header.parent_hash.bytes[3] ^= 1;
            return "parent hash";
        case 4:
            header.timestamp = 1;
            return "timestamp";
        case 5:
            header.transactions_root.bytes[9] ^= 1;
            return "transactions root";
        case 6:
            if (!header.requests_hash.has_value()) break;
            header.requests_hash->bytes[1] ^= 1;
            return "requests hash";
        case 7:
            if (!header.block_access_list_hash.has_value()) break;
            header.block_access_list_hash->bytes[1] ^= 1;
            return "block access list hash";
        default:
            break;
    }
    header.state_root.bytes[5] ^= 1;
    return "state root";
}

std::string AdversarialFlaw::put_into(std::vector<Block>& blocks, std::size_t at,
                                      workload::Random& random) const {
    std::string done = damage(blocks[at], random);
    if (at + 1 < blocks.size() && random.below(2) == 0) {
        AdversarialFlaw other;
        done +=
            "; and block " + std::to_string(at + 2) + ": " + other.damage(blocks[at + 1], random);
    }
    return done;
}

}  // namespace heddle::test
