// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "formats/proven_block.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <executor/ordered_block.hpp>
#include <types/ancestor.hpp>
#include <types/expected.hpp>
#include <types/rlp.hpp>
#include <vm/block.hpp>

namespace heddle::node {
namespace {

/// How far BLOCKHASH reaches (YP 9.4.2).
constexpr std::size_t kMostHeaders = 256;

std::vector<Bytes> parse_items(const JsonView& json) {
    std::vector<Bytes> items;
    items.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i)
        items.push_back(json.element(i).bytes());
    return items;
}

Block parse_block(const JsonView& json) {
    if (!json.is_string()) {
        if (const auto ommers = json.find("uncles"); ommers.has_value() && ommers->size() != 0)
            ommers->fail("a block with ommers has to be given as RLP (debug_getRawBlock)");
        return parse_full_block(json);
    }
    auto block = decode_block(json.bytes());
    if (!block.has_value()) json.fail("the RLP is of no block");
    return *std::move(block);
}

/// Fills in the parent and the hashes of ancestors.
void parse_headers(const JsonView& json, ProvenBlock& proven) {
    const std::size_t count = json.size();
    if (count == 0 || count > kMostHeaders)
        json.fail(fmt::format("expected 1 to {} headers, the parent's last", kMostHeaders));
    Hash hash;
    for (std::size_t i = 0; i < count; ++i) {
        const JsonView item = json.element(i);
        auto header = decode_header(item.bytes());
        if (!header.has_value())
            item.fail("the RLP is of no header: " + rlp::to_string(header.error()));
        if (i != 0 && (header->parent_hash != hash || header->number != proven.parent.number + 1))
            item.fail("the header is not of a child of the one before it");
        proven.parent = *std::move(header);
        hash = header_hash(proven.parent);
        proven.block_hashes.emplace(proven.parent.number, hash);
    }
    if (proven.block.header.parent_hash != hash)
        json.fail(fmt::format("the last header is that of {}, and the block's parent is {}",
                              to_string(hash), to_string(proven.block.header.parent_hash)));
}

BlockError error_of(const BlockHeader& header, BlockErrorCode code, std::string detail) {
    BlockError error;
    error.code = code;
    error.number = header.number;
    error.detail = std::move(detail);
    return error;
}

/// Takes the block if its state root is right. Nothing is kept.
class RootSink final : public BlockSink {
public:
    explicit RootSink(const ledger::PartialState& state) : state_(state) {}

    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        const BlockHeader& header = block.block.header;
        const auto root = state_.root_with(block.diff);
        if (!root.has_value())
            return std::unexpected(
                error_of(header, BlockErrorCode::malformed,
                         "the witness has no state root: " + ledger::to_string(root.error())));
        if (*root == header.state_root) return *root;
        BlockError error = error_of(header, BlockErrorCode::state_root_mismatch, {});
        error.claimed = to_string(header.state_root);
        error.computed = to_string(*root);
        return std::unexpected(std::move(error));
    }
    /// Zero, which is no state's root, where the witness does not have it.
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override {
        return state_.root_with(diff).value_or(Hash{});
    }

private:
    const ledger::PartialState& state_;
};

/// Notes a hash that was asked for and did not come with the block.
class ProvenHashes final : public BlockHashes {
public:
    explicit ProvenHashes(const std::map<std::uint64_t, Hash>& hashes) : hashes_(hashes) {}

    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        const auto known = hashes_.find(number);
        if (known != hashes_.end()) return known->second;
        missing_ = number;
        return {};
    }
    [[nodiscard]] const std::optional<std::uint64_t>& missing() const noexcept { return missing_; }

private:
    const std::map<std::uint64_t, Hash>& hashes_;
    mutable std::optional<std::uint64_t> missing_;
};

/// A bound of the total difficulty, as far as the parent tells: after a proof-of-stake block there
/// is no other. nullopt: the block's own difficulty decides.
std::optional<Uint256> least_total_difficulty(const BlockHeader& parent,
                                              const ChainConfig& config) {
    const auto& terminal = config.terminal_total_difficulty;
    const bool is_reached = terminal.has_value() && terminal->is_zero();
    return is_reached || parent.difficulty.is_zero() ? terminal : std::nullopt;
}

/// What can be said of ommers without the seven ancestors that they hang from.
std::expected<void, BlockError> check_ommers(const Block& block) {
    const BlockHeader& header = block.header;
    const std::vector<BlockHeader>& ommers = block.ommers;
    if (const Hash hash = ommers_hash(ommers); hash != header.ommers_hash) {
        BlockError error = error_of(header, BlockErrorCode::invalid_ommers_hash, {});
        error.claimed = to_string(header.ommers_hash);
        error.computed = to_string(hash);
        return std::unexpected(std::move(error));
    }
    const auto reject = [&](std::string why) {
        return std::unexpected(error_of(header, BlockErrorCode::invalid_ommers, std::move(why)));
    };
    if (ommers.size() > 2) return reject("at most 2");
    if (ommers.size() == 2 && header_hash(ommers[0]) == header_hash(ommers[1]))
        return reject("included before");
    for (const BlockHeader& ommer : ommers)
        if (ommer.number >= header.number || header.number - ommer.number >= kAncestorsForOmmers)
            return reject("parent is not two to seven generations back");
    return {};
}

/// Of a block with ommers, which the executor could not check without those ancestors.
std::expected<void, BlockError> check_with_ommers(const ProvenBlock& proven,
                                                  const ChainConfig& config) {
    const BlockHeader& header = proven.block.header;
    const bool is_merged =
        vm::is_merged(header, least_total_difficulty(proven.parent, config), config);
    HEDDLE_CHECK(vm::validate_header(header, proven.parent, config, is_merged));
    return check_ommers(proven.block);
}

std::expected<void, BlockError> run(executor::Executor& executor, const ProvenBlock& proven,
                                    const ChainConfig& config) {
    const bool has_ommers = !proven.block.ommers.empty();
    if (has_ommers) HEDDLE_CHECK(check_with_ommers(proven, config));
    const auto mode = has_ommers ? executor::BlockMode::witness : executor::BlockMode::import;
    HEDDLE_CHECK(executor::run(executor, executor::make_ordered_block(proven.block, mode)));
    HEDDLE_CHECK(executor.drain());
    return {};
}

}  // namespace

bool is_proven_block(const JsonView& json) {
    return json.is_object() && json.find("block").has_value() && json.find("witness").has_value();
}

ProvenBlock parse_proven_block(const JsonView& json) {
    ProvenBlock proven;
    proven.block = parse_block(json.at("block"));
    const JsonView witness = json.at("witness");
    parse_headers(witness.at("headers"), proven);
    proven.state = std::make_unique<const ledger::PartialState>(proven.parent.state_root,
                                                                parse_items(witness.at("state")),
                                                                parse_items(witness.at("codes")));
    return proven;
}

std::expected<void, BlockError> execute(const ProvenBlock& proven, const ChainConfig& config,
                                        executor::Executor& executor) {
    RootSink sink(*proven.state);
    const ProvenHashes hashes(proven.block_hashes);
    executor.start(
        {.config = config, .state = *proven.state, .block_hashes = hashes, .sink = sink},
        executor::make_chain_head(proven.parent, least_total_difficulty(proven.parent, config)));
    auto done = run(executor, proven, config);
    // Whatever came of a read that failed means nothing.
    const BlockHeader& header = proven.block.header;
    if (const auto fault = proven.state->fault())
        return std::unexpected(
            error_of(header, BlockErrorCode::malformed, "the witness is incomplete: " + *fault));
    if (hashes.missing().has_value())
        return std::unexpected(error_of(
            header, BlockErrorCode::malformed,
            fmt::format("the witness is incomplete: no header of block {}", *hashes.missing())));
    return done;
}

}  // namespace heddle::node
