// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/merged_chain.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/block_rules.hpp>
#include <consensus_adapter/lanes/move.hpp>
#include <executor/block_building.hpp>
#include <types/bytes.hpp>
#include <types/expected.hpp>
#include <types/revision.hpp>
#include <types/transaction_hashes.hpp>

#include "building/block_room.hpp"

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

/// What transactions of a block may take, and those of a part: by the rules of Osaka (EIP-7934)
/// under those before it as well, so that parts do not depend on when a fork is.
std::size_t room_of_block() {
    return room_for_transactions(Revision::osaka, 0);
}

/// How many parts are tried after so many that gave too little.
std::size_t more_parts(std::size_t count) noexcept {
    return count + (count + 1) / 2;
}

/// What the transactions of these parts that went into a block take in it.
std::size_t bytes_of(std::span<const MergedPart> parts,
                     const consensus_adapter::FinalizedBlock& block) {
    std::size_t bytes = 0;
    std::size_t index = 0;
    auto left_out = block.left_out.begin();
    for (const MergedPart& part : parts) {
        for (const Transaction& tx : part.transactions) {
            const bool is_in = left_out == block.left_out.end() || left_out->index != index;
            ++index;
            if (is_in)
                bytes += bytes_in_block(tx);
            else
                ++left_out;
        }
    }
    return bytes;
}

/// What took gas that nobody pays for before a transaction for which there was none left: places
/// among the block's transactions, ascending; empty: nothing was left out for it. Only what stands
/// before the first such transaction: without it everything up to there is as it was.
std::vector<std::size_t> in_the_way(const consensus_adapter::FinalizedBlock& block) {
    std::vector<std::size_t> forfeited;
    for (const consensus_adapter::LeftOut& left_out : block.left_out) {
        if (executor::is_forfeited(left_out.error))
            forfeited.push_back(left_out.index);
        else if (left_out.error == TransactionError::gas_limit_above_block && !forfeited.empty())
            return forfeited;
    }
    return {};
}

/// @param places  Ascending, among the transactions of all parts.
void remove(std::span<const std::size_t> places, std::span<MergedPart> parts) {
    std::size_t place = 0;
    auto next = places.begin();
    for (MergedPart& part : parts) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < part.transactions.size(); ++i, ++place) {
            if (next != places.end() && *next == place) {
                ++next;
                continue;
            }
            if (kept != i) {
                part.transactions[kept] = std::move(part.transactions[i]);
                part.object_sets[kept] = std::move(part.object_sets[i]);
            }
            ++kept;
        }
        part.transactions.resize(kept);
        part.object_sets.resize(kept);
    }
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
        is_storage ? to_string(error)
                   : fmt::format("merged block {} cannot be executed: {}{}", number,
                                 to_string(error), consensus_adapter::advice_for(error))});
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
    std::vector<MergedPart> parts(1);
    std::vector<AskedMove> moves;
    for (OrderedEntry& entry : merged.order)
        add(parts, moves, std::move(entry));
    HEDDLE_CHECK(keep(std::move(parts), merged.time_ms));
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

void MergedChain::add(std::vector<MergedPart>& parts, std::vector<AskedMove>& moves,
                      OrderedEntry entry) {
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
    const std::uint64_t gas = std::min(transaction->gas_limit, gas_limit_);
    const std::size_t bytes = bytes_in_block(entry.payload.size(), transaction->type);
    const bool fits =
        parts.back().gas <= gas_limit_ - gas && parts.back().bytes + bytes <= room_of_block();
    if (!fits && !parts.back().transactions.empty()) parts.emplace_back();
    MergedPart& part = parts.back();
    part.gas += gas;
    part.bytes += bytes;
    part.object_sets.push_back(objects_of(entry.placement, *transaction));
    part.transactions.push_back(*std::move(transaction));
}

bool MergedChain::is_full(std::uint64_t gas_used, std::size_t bytes) const noexcept {
    return gas_used >= gas_limit_ / 2 || bytes >= room_of_block() / 2;
}

std::unexpected<MergedChainError> MergedChain::made_from_other_logs() const {
    return std::unexpected(MergedChainError{
        MergedChainFault::other_logs,
        fmt::format("block {} of the chain in this folder was made from another order than the "
                    "logs of the lanes give: a lane has decided two things, or the folder belongs "
                    "to other lanes. Compare the logs with those of other nodes; a new folder "
                    "starts from the logs",
                    next_)});
}

/// Blocks that the chain has are not executed again: which parts went into one is seen by what it
/// holds.
std::expected<void, MergedChainError> MergedChain::keep(std::vector<MergedPart> parts,
                                                        std::uint64_t time_ms) {
    std::span<MergedPart> left{parts};
    while (!left.empty()) {
        const bool is_there = next_ <= application_.committed().head.number;
        HEDDLE_TRY(const std::size_t taken, is_there ? compare(left) : make(left, time_ms));
        left = left.subspan(taken);
        ++next_;
    }
    return {};
}

/// @return how many of the parts went into the next block, which the chain has.
std::expected<std::size_t, MergedChainError> MergedChain::compare(
    std::span<const MergedPart> parts) const {
    const auto unreadable = [this] {
        return std::unexpected(
            MergedChainError{MergedChainFault::storage_failed,
                             fmt::format("block {} of the chain cannot be read", next_)});
    };
    const auto kept = chain_.kept_header(next_);
    if (!kept.has_value() || !kept->has_value()) return unreadable();
    const BlockHeader& header = (*kept)->header;
    if (!equal(header.extra_data, order_.view())) return made_from_other_logs();
    if (parts.size() == 1) return 1;
    const auto block = chain_.kept_block(next_);
    if (!block.has_value() || !block->has_value()) return unreadable();
    const std::vector<Transaction>& there = (*block)->block.transactions;
    if (!is_full(header.gas_used, bytes_in_block(there))) return parts.size();
    // Each was put in where it first could be: it is the first of its kind behind the one before.
    const std::vector<Hash> hashes = transaction_hashes(there);
    auto found = hashes.begin();
    std::size_t reached = 0;  // the parts up to the last one that has given something
    for (std::size_t part = 0; part < parts.size() && found != hashes.end(); ++part) {
        for (const Hash& hash : transaction_hashes(parts[part].transactions)) {
            if (found == hashes.end()) break;
            if (hash != *found) continue;
            ++found;
            reached = part + 1;
        }
    }
    if (found != hashes.end()) return made_from_other_logs();
    std::size_t count = 1;
    while (count < reached)
        count = more_parts(count);
    return std::min(count, parts.size());
}

/// Of the first part, and of more as long as the block is less than half full. What nobody pays for
/// although it was executed is taken out where it left no room for others, and the same parts are
/// tried once more, kMostRepeats times at most.
/// @return how many of them went into it.
std::expected<std::size_t, MergedChainError> MergedChain::make(std::span<MergedPart> parts,
                                                               std::uint64_t time_ms) {
    std::size_t taken_out = 0;
    unsigned repeats = 0;
    for (std::size_t count = 1;;) {
        const std::span<MergedPart> tried = parts.first(std::min(count, parts.size()));
        const bool is_all = tried.size() == parts.size();
        // The first part has room for all that it asks for.
        const bool may_repeat = count > 1 && repeats < kMostRepeats;
        const auto finalized =
            application_.finalize(block_of(tried, time_ms, /*takes=*/is_all && !may_repeat),
                                  consensus_adapter::Unexecutable::left_out);
        if (!finalized.has_value()) return block_error(next_, finalized.error());
        if (const auto places = in_the_way(*finalized); may_repeat && !places.empty()) {
            remove(places, tried);
            taken_out += places.size();
            ++repeats;
            continue;
        }
        if (!is_all && !is_full(finalized->header.gas_used, bytes_of(tried, *finalized))) {
            count = more_parts(count);
            continue;
        }
        if (const auto committed = application_.commit(); !committed.has_value())
            return block_error(next_, committed.error());
        ++report_.blocks;
        report_.transactions += finalized->receipts.size();
        report_.left_out += finalized->left_out.size() + taken_out;
        return tried.size();
    }
}

/// @param takes  Whether the parts are not needed any more.
consensus_adapter::OrderedBlock MergedChain::block_of(std::span<MergedPart> parts,
                                                      std::uint64_t time_ms, bool takes) const {
    const consensus_adapter::Committed parent = application_.committed();
    consensus_adapter::BlockPlan plan;
    plan.timestamp =
        std::max(time_ms / 1000, parent.head_timestamp + (parent.may_repeat_timestamp ? 0 : 1));
    plan.prev_randao = consensus_adapter::prev_randao_after(parent.head);
    plan.gas_limit = parent.head_gas_limit;
    plan.extra_data.assign(order_.bytes.begin(), order_.bytes.end());
    consensus_adapter::OrderedBlock block;
    block.start = consensus_adapter::block_start(plan);
    block.start.mode = executor::BlockMode::decided;
    for (MergedPart& part : parts) {
        MergedPart given = takes ? std::move(part) : part;
        std::ranges::move(given.transactions, std::back_inserter(block.transactions));
        std::ranges::move(given.object_sets, std::back_inserter(block.object_sets));
    }
    block.start.transaction_count = block.transactions.size();
    return block;
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
