// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "small_chain.hpp"

#include <utility>

#include <vm/block.hpp>
#include <vm/system_contracts.hpp>

#include "formats/networks.hpp"

namespace heddle::test {

namespace {

constexpr std::uint64_t kGwei = 1'000'000'000;
constexpr std::uint64_t kGasLimit = 30'000'000;

Hash secret(std::uint64_t number) {
    return to_hash(Uint256{number});
}

/// Adds one to slot 0 and logs the sum.
const Bytes kCounter = *from_hex("60005460010180600055600052600160206000a100");
/// Deploys one byte of code.
const Bytes kCreation = *from_hex("600160005360016000f3");

Transaction make_transaction(std::uint64_t from, std::uint64_t nonce, std::optional<Address> to,
                             Bytes data) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1;
    tx.nonce = nonce;
    tx.gas_limit = 1'000'000;
    tx.max_fee_per_gas = Uint256{100 * kGwei};
    tx.max_priority_fee_per_gas = Uint256{kGwei};
    tx.to = to;
    tx.value = to.has_value() && data.empty() ? Uint256{7} : Uint256{};
    tx.data = std::move(data);
    (void)sign_transaction(tx, secret(from));
    return tx;
}

}  // namespace

SmallChain::SmallChain(const std::string& fork) {
    heddle_chain* made = nullptr;
    (void)heddle_chain_by_name(fork.c_str(), &made, nullptr);
    chain_.reset(made);
    const ChainConfig config = node::find_network(fork)->config;

    const Address counter = address_from_low64(0xc0de);
    for (std::uint64_t i = 1; i <= 3; ++i)
        state_.add({*address_from_secret(secret(i)), 0, Uint256{kGwei} * Uint256{kGwei}, {}, {}});
    state_.add({counter, 1, {}, kCounter, {{Uint256{0}, Uint256{41}}}});

    parent_.number = 9;
    parent_.timestamp = kSmallChainTime;
    parent_.gas_limit = kGasLimit;
    parent_.base_fee_per_gas = Uint256{kGwei};
    const bool is_merged = config.terminal_total_difficulty.has_value();
    if (!is_merged) parent_.difficulty = Uint256{131'072};
    const Revision revision = config.revision(parent_.number, parent_.timestamp, is_merged);
    if (revision >= Revision::shanghai) parent_.withdrawals_root = kEmptyTrieRoot;
    if (revision >= Revision::cancun) {
        parent_.blob_gas_used = parent_.excess_blob_gas = 0;
        parent_.parent_beacon_block_root.emplace();
    }
    if (revision >= Revision::prague) parent_.requests_hash = kEmptyRequestsHash;
    if (revision >= Revision::amsterdam) {
        parent_.block_access_list_hash = kEmptyListHash;
        parent_.slot_number = 9;
    }
    // Blocks that call them cannot do without; these have nothing to request.
    for (const auto& contract : vm::system_contracts(vm::SystemCallPlace::end_block, revision))
        state_.add({contract.address, 1, {}, {0}, {}});
    parent_.state_root = ledger::compute_state_root(state_);
    encode_header(parent_, encoded_parent_);

    transactions.push_back(make_transaction(1, 0, address_from_low64(0xbeef), {}));
    transactions.push_back(make_transaction(2, 0, counter, {1}));
    transactions.push_back(make_transaction(3, 0, std::nullopt, kCreation));
    fields.timestamp = kSmallChainTime + 12;
    fields.gas_limit = kGasLimit;
    fields.beneficiary.bytes[19] = 0xfe;
}

Callbacks SmallChain::callbacks() const {
    return Callbacks(
        state_, [this](std::uint64_t) { return header_hash(parent_); },
        [this](const StateDiff& diff) {
            ledger::MemoryState after = state_;
            after.apply(diff);
            return ledger::compute_state_root(after);
        });
}

heddle_block SmallChain::unmade() {
    encoded_.clear();
    given_.clear();
    for (const Transaction& tx : transactions)
        encode_transaction(tx, encoded_.emplace_back());
    for (const Bytes& encoded : encoded_)
        given_.push_back(bytes_of(encoded));
    heddle_block block = given({});
    block.rlp = {};
    block.transactions = given_.data();
    block.transaction_count = given_.size();
    block.fields = &fields;
    return block;
}

Bytes SmallChain::encode(const heddle_result* made) const {
    const heddle_bytes header = summary_of(made).header;
    Block block;
    block.header = *decode_header({header.data, header.size});
    block.transactions = transactions;
    if (block.header.withdrawals_root.has_value()) block.withdrawals.emplace();
    Bytes encoded;
    encode_block(block, encoded);
    return encoded;
}

heddle_block SmallChain::given(const Bytes& block) {
    ancestor_ = bytes_of(encoded_parent_);
    heddle_block given = HEDDLE_INIT(heddle_block);
    given.rlp = bytes_of(block);
    given.ancestors = &ancestor_;
    given.ancestor_count = 1;
    return given;
}

}  // namespace heddle::test
