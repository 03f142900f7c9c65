// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/merged_chain.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/block_rules.hpp>
#include <consensus_adapter/lanes/move.hpp>
#include <types/bytes.hpp>
#include <types/expected.hpp>

namespace heddle::node::lanes {
namespace {

namespace homes = consensus_adapter::lanes;
using homes::HomeUnit;
using homes::LaneNumber;
using homes::MergedBlock;
using homes::OrderedEntry;
using homes::Placement;
using homes::UnitPlacement;

/// What its sender says that the transaction accesses: a help for the executor, which checks.
ObjectSet objects_of(const Placement& placement, const Transaction& transaction) {
    std::vector<Access> accesses;
    for (const UnitPlacement& unit : placement.units)
        accesses.insert(accesses.end(), unit.accesses.begin(), unit.accesses.end());
    if (placement.new_home.has_value()) {
        const Address contract = homes::homes_address();
        const Uint256 slot = homes::home_slot(placement.units.front().unit);
        accesses.push_back({{contract, ObjectKind::code, {}}, AccessMode::read});
        accesses.push_back({{contract, ObjectKind::storage, slot}, AccessMode::write});
        accesses.push_back({{contract, ObjectKind::storage, {}}, AccessMode::write});
        accesses.push_back({{*transaction.sender, ObjectKind::balance, {}}, AccessMode::write});
        accesses.push_back({{*transaction.sender, ObjectKind::nonce, {}}, AccessMode::write});
    }
    return ObjectSet{std::move(accesses)};
}

/// Nullopt: nothing that a block without blobs can have.
std::optional<Transaction> transaction_of(BytesView payload) {
    auto decoded = decode_transaction(payload);
    if (!decoded.has_value() || decoded->type == TransactionType::blob) return std::nullopt;
    return *std::move(decoded);
}

std::unexpected<MergedChainError> block_error(std::uint64_t number, const BlockError& error) {
    const bool is_storage = error.code == BlockErrorCode::storage_failed;
    return std::unexpected(MergedChainError{
        is_storage ? MergedChainFault::storage_failed : MergedChainFault::not_executable,
        is_storage
            ? to_string(error)
            : fmt::format("merged block {} cannot be executed: {}", number, to_string(error))});
}

void append(std::uint64_t number, Bytes& out) {
    for (unsigned shift = 0; shift < 64; shift += 8)
        out.push_back(static_cast<std::uint8_t>(number >> shift));
}
void append(const Hash& hash, Bytes& out) {
    out.insert(out.end(), hash.bytes.begin(), hash.bytes.end());
}

}  // namespace

MergedChain::MergedChain(const Chain& chain, consensus_adapter::Application& application,
                         MergedChainRules rules, OnFailed on_failed)
    : chain_(chain),
      application_(application),
      mover_(rules.mover),
      on_failed_(std::move(on_failed)),
      gas_limit_(chain.kept_head().header.gas_limit),
      ranges_(std::move(rules.homes)),
      homes_(ranges_) {}

void MergedChain::go_on_after(std::uint64_t block, const Hash& order) {
    next_ = block + 1;
    order_ = order;
    said_.clear();
}

void MergedChain::fail(const Hash& digest, const std::string& reason) const {
    if (on_failed_) on_failed_(digest, reason);
}

void MergedChain::count(const MergedBlock& merged) {
    ++report_.merged_blocks;
    report_.components += merged.components;
    report_.largest_component = std::max(report_.largest_component, merged.largest_component);
    report_.rejected += merged.rejected.size();
    report_.refused += merged.refused.size();
    report_.ignored += merged.ignored_entries;
    for (const homes::RejectedTransaction& rejected : merged.rejected)
        fail(rejected.digest, fmt::format("was rejected: {}, {} of its lanes gave no entry",
                                          to_string(rejected.reason), rejected.missing.size()));
}

/// All that decides what the blocks are: two orders have one digest only if they are the same.
void MergedChain::note_order(const MergedBlock& merged) {
    Bytes said;
    append(order_, said);
    append(merged.number, said);
    append(merged.time_ms, said);
    for (const std::uint64_t height : merged.cut.heights)
        append(height, said);
    append(merged.cut.silent.bits(), said);
    for (const OrderedEntry& entry : merged.order)
        append(entry.digest, said);
    order_ = keccak256(said);
    said_ = std::move(said);
}

std::optional<SaidOrder> read_said(BytesView said, std::size_t lane_count) {
    constexpr std::size_t kNumberBytes = 8;
    constexpr std::size_t kHashBytes = 32;
    // The order before, number, time, heights, who is silent; then a digest each.
    const std::size_t fixed = kHashBytes + (3 + lane_count) * kNumberBytes;
    if (said.size() < fixed || (said.size() - fixed) % kHashBytes != 0) return std::nullopt;
    std::size_t place = kHashBytes;
    const auto number = [&] {
        std::uint64_t result = 0;
        for (std::size_t i = kNumberBytes; i-- > 0;)
            result = result << 8 | said[place + i];
        place += kNumberBytes;
        return result;
    };
    SaidOrder result;
    result.number = number();
    (void)number();  // the time
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        result.cut.heights.push_back(number());
    result.cut.silent = homes::LaneSet{number()};
    return result;
}

std::expected<void, MergedChainError> MergedChain::execute(MergedBlock merged) {
    HEDDLE_CHECK(stand_on_state());
    count(merged);
    note_order(merged);
    std::vector<Part> parts(1);
    std::vector<AskedMove> moves;
    for (OrderedEntry& entry : merged.order)
        add(parts, moves, std::move(entry));
    for (Part& part : parts)
        HEDDLE_CHECK(keep(std::move(part), merged.time_ms));
    if (moves.empty()) return {};
    HEDDLE_CHECK(stand_on_state());
    note_moves(moves);
    return {};
}

/// That after block next_ - 1: what the chain has beyond is compared only.
std::expected<void, MergedChainError> MergedChain::stand_on_state() {
    const std::uint64_t base = next_ - 1;
    if (base >= chain_.kept_head().header.number) {
        homes_.stand_on(chain_.state());
        past_.reset();
        return {};
    }
    if (past_ != nullptr) {
        past_->move_to(base);
    } else {
        auto opened = chain_.state_at(base);
        if (!opened.has_value())
            return std::unexpected(MergedChainError{
                MergedChainFault::storage_failed,
                fmt::format("the homes before block {} cannot be read, for the state is not kept "
                            "so far back (ledger.history): {}. A new folder starts from the logs",
                            next_, to_string(opened.error()))});
        past_ = *std::move(opened);
    }
    homes_.stand_on(*past_);
    return {};
}

void MergedChain::note_moves(const std::vector<AskedMove>& asked) {
    for (const AskedMove& move : asked) {
        if (homes_.home_of(move.unit) == move.home)
            ++report_.moves;
        else
            fail(move.digest,
                 "moved nothing: the chain has no contract for homes, or the move could not be "
                 "paid for, ran out of gas, or came after another one of the same unit");
    }
}

void MergedChain::add(std::vector<Part>& parts, std::vector<AskedMove>& moves, OrderedEntry entry) {
    auto transaction = transaction_of(entry.payload);
    if (!transaction.has_value()) {
        ++report_.refused;
        return fail(entry.digest, "brings no transaction");
    }
    const bool is_move = entry.placement.new_home.has_value();
    if (is_move) {
        if (!transaction->sender.has_value()) transaction->sender = recover_sender(*transaction);
        if (!homes::allows_move(*transaction, entry.placement, mover_)) {
            ++report_.refused;
            return fail(entry.digest, "nobody who may has signed the move");
        }
    }
    if (const auto settled = homes::settle(homes_, entry.placement); !settled.has_value()) {
        ++report_.wrong_home;
        return fail(entry.digest, "was placed by a wrong home: " + to_string(settled.error()));
    }
    if (is_move) {
        const UnitPlacement& unit = entry.placement.units.front();
        moves.push_back({entry.digest, unit.unit, {*entry.placement.new_home, unit.moves + 1}});
    }
    if (lanes_of(entry.placement).size() > 1) ++report_.several_homes;
    const std::uint64_t gas = transaction->gas_limit;
    const bool fits = gas <= gas_limit_ && parts.back().gas <= gas_limit_ - gas;
    if (!fits && !parts.back().transactions.empty()) parts.emplace_back();
    Part& part = parts.back();
    part.gas += std::min(gas, gas_limit_);
    part.object_sets.push_back(objects_of(entry.placement, *transaction));
    part.transactions.push_back(*std::move(transaction));
}

std::expected<void, MergedChainError> MergedChain::compare(const Bytes& extra_data) const {
    const auto kept = chain_.kept_header(next_);
    if (!kept.has_value() || !kept->has_value())
        return std::unexpected(
            MergedChainError{MergedChainFault::storage_failed,
                             fmt::format("block {} of the chain cannot be read", next_)});
    if ((*kept)->header.extra_data == extra_data) return {};
    return std::unexpected(MergedChainError{
        MergedChainFault::other_logs,
        fmt::format("block {} of the chain in this folder was made from another order than the "
                    "logs of the lanes give: a lane has decided two things, or the folder belongs "
                    "to other lanes. Compare the logs with those of other nodes; a new folder "
                    "starts from the logs",
                    next_)});
}

std::expected<void, MergedChainError> MergedChain::keep(Part part, std::uint64_t time_ms) {
    const consensus_adapter::Committed parent = application_.committed();
    const Bytes extra_data(order_.bytes.begin(), order_.bytes.end());
    if (next_ <= parent.head.number) {
        HEDDLE_CHECK(compare(extra_data));
        ++next_;
        return {};
    }
    consensus_adapter::BlockPlan plan;
    plan.timestamp =
        std::max(time_ms / 1000, parent.head_timestamp + (parent.may_repeat_timestamp ? 0 : 1));
    plan.prev_randao = consensus_adapter::prev_randao_after(parent.head);
    plan.gas_limit = parent.head_gas_limit;
    plan.extra_data = extra_data;
    consensus_adapter::OrderedBlock block;
    block.start = consensus_adapter::block_start(plan);
    block.start.mode = executor::BlockMode::decided;
    block.start.transaction_count = part.transactions.size();
    block.transactions = std::move(part.transactions);
    block.object_sets = std::move(part.object_sets);
    const auto finalized =
        application_.finalize(std::move(block), consensus_adapter::Unexecutable::left_out);
    if (!finalized.has_value()) return block_error(next_, finalized.error());
    if (const auto committed = application_.commit(); !committed.has_value())
        return block_error(next_, committed.error());
    ++next_;
    ++report_.blocks;
    report_.transactions += finalized->receipts.size();
    report_.left_out += finalized->left_out.size();
    return {};
}

Placement MergedChain::place(const ObjectSet& objects) const {
    return homes::place(homes::HomesInState{ranges_, chain_.state()}, objects);
}

std::optional<Placement> MergedChain::place_move(const HomeUnit& unit, LaneNumber new_home) const {
    const homes::HomesInState directory{ranges_, chain_.state()};
    const std::vector<HomeUnit> units = directory.units_of(unit.address);
    if (new_home >= ranges_.lane_count()) return std::nullopt;
    if (std::ranges::find(units, unit) == units.end()) return std::nullopt;
    if (directory.home_of(unit).lane == new_home) return std::nullopt;
    return homes::place_move(directory, unit, new_home);
}

std::vector<HomeUnit> MergedChain::units_of(const Address& address) const {
    return ranges_.units_of(address);
}

homes::Home MergedChain::home_of(const HomeUnit& unit) const {
    return homes::HomesInState{ranges_, chain_.state()}.home_of(unit);
}

}  // namespace heddle::node::lanes
