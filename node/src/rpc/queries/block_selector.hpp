// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which block a parameter means: a number, a tag, a hash, or an object with one of them (EIP-1898).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "chain/selected_state.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// What a parameter says, before anybody has looked whether there is such a block.
struct BlockSelector {
    enum class Tag : std::uint8_t { none, latest, pending, earliest, safe, finalized };
    Tag tag = Tag::latest;
    std::uint64_t number = 0;  // without tag and hash
    std::optional<Hash> hash{};
};
/// A number or a tag. Errors: InputError; see argument().
[[nodiscard]] BlockSelector to_number_selector(const JsonView& value);
/// Also a hash, and an object with one of them.
[[nodiscard]] BlockSelector to_selector(const JsonView& value);

/// The argument at `index`, "latest" where it is absent. Errors: RpcError invalid_params.
[[nodiscard]] BlockSelector selector_argument(const Params& params, std::size_t index);

/// nullopt: there is no such block. "safe" and "finalized" are the head: every block is final.
[[nodiscard]] std::optional<SelectedBlock> find_block(const Chain& chain,
                                                      const BlockSelector& selector);
/// The same for methods that cannot do without. Errors: RpcError server_error "header not found"
/// (with a number) or as geth words it for a hash.
[[nodiscard]] SelectedBlock select_block(const Chain& chain, const BlockSelector& selector);

/// Whether it means the head, whichever that is.
[[nodiscard]] bool follows_head(const BlockSelector& selector) noexcept;

/// The block, and what `ask(block)` gives, which is something or a LedgerError. A head may be
/// followed by another one, and its state be dropped where little history is kept, before it is
/// asked about: then the next head is. Errors: as select_block().
template <typename Ask>
[[nodiscard]] auto ask_of(const Chain& chain, const BlockSelector& selector, Ask&& ask) {
    for (;;) {
        SelectedBlock block = select_block(chain, selector);
        auto answer = ask(std::as_const(block));
        const bool is_gone = !answer.has_value() &&
                             answer.error().code == ledger::LedgerErrorCode::unavailable &&
                             follows_head(selector) && chain.head().hash != block.header.hash;
        if (!is_gone) return std::pair{std::move(block), std::move(answer)};
    }
}

/// A block with its body and receipts; null: there is no such block. A pending one is not there.
[[nodiscard]] SharedServedBlock find_served_block(const Chain& chain,
                                                  const BlockSelector& selector);

/// The same where nobody asks for the hashes of its transactions, which take time.
[[nodiscard]] SharedBlock find_stored_block(const Chain& chain, const BlockSelector& selector);

/// The block and the state after it. Errors: as select_block(), and server_error where the state
/// is not kept any more.
[[nodiscard]] SelectedState select_state(const Chain& chain, const BlockSelector& selector);

/// What somebody asks for: what a transaction will do, or what is.
enum class CallPurpose : std::uint8_t { transaction, view };
/// Where eth_call and its like are executed. On a node that seals at once "latest", also where it
/// is not said, is the next block: its number, its time and its fees are those that the transaction
/// will see for which the call is a rehearsal. Where whoever sends one is answered when its block
/// is there, as anvil and hardhat do it, a view at "latest" is of the latest block, as theirs.
/// Errors: as select_state().
[[nodiscard]] SelectedState select_call_state(const Services& services, BlockSelector selector,
                                              CallPurpose purpose);

/// The value of what the ledger gave, or RpcError internal_error.
template <typename T>
[[nodiscard]] T take(std::expected<T, ledger::LedgerError> result) {
    if (!result.has_value())
        throw RpcError(Code::internal_error, ledger::to_string(result.error()));
    return *std::move(result);
}

}  // namespace heddle::node::rpc
