// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/block_selector.hpp"

#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rpc/envelope/arguments.hpp"

namespace heddle::node::rpc {
namespace {

using Tag = BlockSelector::Tag;

constexpr std::array<std::pair<std::string_view, Tag>, 5> kTags{{
    {"latest", Tag::latest},
    {"pending", Tag::pending},
    {"earliest", Tag::earliest},
    {"safe", Tag::safe},
    {"finalized", Tag::finalized},
}};
constexpr std::size_t kHashTextSize = 66;
constexpr std::uint64_t kMaxNumber = std::numeric_limits<std::int64_t>::max();

BlockSelector by_hash(const JsonView& value) {
    return {.tag = Tag::none, .hash = to_hash32(value)};
}

BlockSelector from_object(const JsonView& object) {
    const auto number = object.find("blockNumber");
    const auto hash = object.find("blockHash");
    if (number.has_value() && hash.has_value())
        fail_input("cannot specify both BlockHash and BlockNumber, choose one or the other");
    // Every block is on the one chain that there is.
    if (const auto is_wanted = object.find("requireCanonical")) (void)to_bool(*is_wanted);
    if (number.has_value()) return to_number_selector(*number);
    if (hash.has_value()) return by_hash(*hash);
    fail_input("must specify either BlockHash or BlockNumber");
}

/// Of a committed block, if the selector means one.
std::optional<std::uint64_t> committed_number(const Chain& chain, const BlockSelector& selector) {
    switch (selector.tag) {
        case Tag::none:
            return selector.hash.has_value() ? take(chain.block_number(*selector.hash))
                                             : std::optional{selector.number};
        case Tag::pending:
            return std::nullopt;
        case Tag::earliest:
            return chain.first_block();
        case Tag::latest:
        case Tag::safe:
        case Tag::finalized:
            return chain.head_block()->block.header.number;
    }
    return std::nullopt;
}

}  // namespace

BlockSelector to_number_selector(const JsonView& value) {
    if (!value.is_string()) fail_input("hex string without 0x prefix");
    for (const auto& [name, tag] : kTags)
        if (value.string() == name) return {.tag = tag};
    const std::uint64_t number = to_block_number(value);
    if (number > kMaxNumber) fail_input("blocknumber too high");
    return {.tag = Tag::none, .number = number};
}

BlockSelector to_selector(const JsonView& value) {
    if (value.is_object()) return from_object(value);
    if (!value.is_string()) fail_input("expected a block number, a tag, a hash or an object");
    if (value.string().size() == kHashTextSize) return by_hash(value);
    return to_number_selector(value);
}

BlockSelector selector_argument(const Params& params, std::size_t index) {
    return find_argument(params, index, to_selector).value_or(BlockSelector{});
}

std::optional<SelectedBlock> find_block(const Chain& chain, const BlockSelector& selector) {
    std::uint64_t number = selector.number;
    if (selector.hash.has_value()) {
        const auto found = take(chain.block_number(*selector.hash));
        if (!found.has_value()) return std::nullopt;
        number = *found;
    } else if (selector.tag == Tag::earliest) {
        number = chain.first_block();
    } else if (selector.tag != Tag::none) {
        return SelectedBlock{chain.head(), selector.tag == Tag::pending};
    }
    auto header = take(chain.header(number));
    if (!header.has_value()) return std::nullopt;
    return SelectedBlock{*std::move(header)};
}

SelectedBlock select_block(const Chain& chain, const BlockSelector& selector) {
    auto found = find_block(chain, selector);
    if (!found.has_value())
        throw RpcError(Code::server_error, selector.hash.has_value() ? "header for hash not found"
                                                                     : "header not found");
    return *std::move(found);
}

SharedServedBlock find_served_block(const Chain& chain, const BlockSelector& selector) {
    const auto number = committed_number(chain, selector);
    return number.has_value() ? take(chain.served_block(*number)) : nullptr;
}

SharedBlock find_stored_block(const Chain& chain, const BlockSelector& selector) {
    const auto number = committed_number(chain, selector);
    return number.has_value() ? take(chain.stored_block(*number)) : nullptr;
}

bool follows_head(const BlockSelector& selector) noexcept {
    return !selector.hash.has_value() && selector.tag != Tag::none && selector.tag != Tag::earliest;
}

SelectedState select_state(const Chain& chain, const BlockSelector& selector) {
    auto [block, state] = ask_of(chain, selector, [&](const SelectedBlock& selected) {
        return chain.shared_state_at(selected.header.header.number);
    });
    if (!state.has_value()) {
        if (state.error().code != ledger::LedgerErrorCode::unavailable)
            throw RpcError(Code::internal_error, ledger::to_string(state.error()));
        throw RpcError(Code::server_error,
                       fmt::format("the state after block {} is not kept any more",
                                   block.header.header.number));
    }
    return {std::move(block), *std::move(state)};
}

SelectedState select_call_state(const Services& services, BlockSelector selector,
                                CallPurpose purpose) {
    const bool is_latest = selector.tag == Tag::latest && !selector.hash.has_value();
    const bool sees_next = services.seals_at_once &&
                           (purpose == CallPurpose::transaction || !services.waits_for_blocks);
    if (sees_next && is_latest) selector.tag = Tag::pending;
    return select_state(services.chain, selector);
}

}  // namespace heddle::node::rpc
