// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/debug_state_api.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "chain/state_overlay.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/block_replays.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

using ledger::PastState;
using ledger::VisitedAccount;
using ledger::VisitedSlot;

/// geth's AccountRangeMaxResults.
constexpr std::uint64_t kMostAccounts = 256;
/// Of debug_storageRangeAt; geth has no bound of its own.
constexpr std::uint64_t kMostSlots = 10'000;

void check(const std::expected<void, ledger::LedgerError>& visited) {
    if (!visited.has_value()) throw server_error(ledger::to_string(visited.error()));
}

/// What a start is that is shorter than a hash, as geth has it.
enum class ShortStart : std::uint8_t {
    prefix,  // of storage: zeros go behind it
    number,  // of accounts: zeros go before it
};

/// A hash to begin at.
Hash start_argument(const Params& params, std::size_t index, ShortStart kind) {
    const Bytes bytes = bytes_argument(params, index);
    Hash hash;
    if (bytes.size() > hash.bytes.size())
        throw RpcError(Code::invalid_params, "a start has at most 32 bytes");
    const std::ptrdiff_t zeros = std::ssize(hash.bytes) - std::ssize(bytes);
    std::ranges::copy(bytes,
                      hash.bytes.begin() + (kind == ShortStart::number ? zeros : std::ptrdiff_t{}));
    return hash;
}

// --- debug_storageRangeAt ------------------------------------------------------------------------

/// A state within a block: that before it, and what its first transactions did.
struct StateWithin {
    std::unique_ptr<PastState> base;
    StateOverlay overlay;
};

StateWithin state_within(const Services& services, const BlockSelector& selector,
                         std::uint64_t index, const Call& call) {
    const SharedBlock block = require_block(services.chain, selector);
    const std::size_t count = block->block.transactions.size();
    if (index >= count && (index != 0 || count != 0))
        throw server_error(fmt::format("transaction index {} out of range for block {}", index,
                                       to_string(block->hash)));
    StateWithin state;
    const auto replay = start_replay(services.chain, block);
    skip_to(index, *replay, services.chain, call);
    state.base = take_or_refuse(services.chain.state_at(block->block.header.number - 1));
    state.overlay.apply(replay->diff());
    return state;
}

/// The account's slots that are not zero, ascending by hash from `start` on, until `visit` says
/// false.
void visit_storage(const StateWithin& state, const Address& address, const Hash& start,
                   const Call& call, const ledger::PastState::VisitSlot& visit) {
    check(state.overlay.visit_slots(*state.base, {keccak256(address.view()), address}, start,
                                    [&](const VisitedSlot& slot) {
                                        call.check_deadline();
                                        return slot.value.is_zero() || visit(slot);
                                    }));
}

/// Also false where there is no such account.
bool has_storage(const StateWithin& state, const Address& address, const Call& call) {
    bool is_there = false;
    visit_storage(state, address, Hash{}, call, [&](const VisitedSlot&) {
        is_there = true;
        return false;
    });
    return is_there;
}

void storage_range_at(const Services& services, const Call& call, JsonWriter& out) {
    const BlockSelector selector = argument(call.params, 0, to_selector);
    const std::uint64_t index =
        argument(call.params, 1, [](const JsonView& value) { return value.uint64(); });
    const Address address = address_argument(call.params, 2);
    const Hash start = start_argument(call.params, 3, ShortStart::prefix);
    const std::uint64_t limit = std::min(
        argument(call.params, 4, [](const JsonView& value) { return value.uint64(); }), kMostSlots);
    const StateWithin state = state_within(services, selector, index, call);
    std::optional<Hash> next;
    out.begin_object();
    out.key("storage");
    // As geth has it: an account without any has none to be in a range.
    if (has_storage(state, address, call)) {
        std::uint64_t written = 0;
        out.begin_object();
        visit_storage(state, address, start, call, [&](const VisitedSlot& slot) {
            if (written == limit) {
                next = slot.hash;
                return false;
            }
            ++written;
            out.key(to_string(slot.hash));
            out.begin_object();
            out.key("key");
            slot.slot.has_value() ? out.hash(to_hash(*slot.slot)) : out.null();
            out.key("value");
            out.hash(to_hash(slot.value));
            out.end_object();
            return true;
        });
        out.end_object();
    } else {
        out.null();
    }
    out.key("nextKey");
    next.has_value() ? out.hash(*next) : out.null();
    out.end_object();
}

// --- debug_accountRange, debug_dumpBlock ---------------------------------------------------------

struct DumpOptions {
    Hash start{};
    std::uint64_t limit = 0;  // 0: all
    bool skips_code = false;
    bool skips_storage = false;
    bool skips_unknown = false;  // accounts whose address is not kept
};

/// Without leading zeros, in pairs of digits.
std::string digits_of(const Uint256& value) {
    const std::string text = to_string(to_hash(value)).substr(2);
    const std::size_t first = std::min(text.find_first_not_of('0'), text.size());
    return text.substr(first - first % 2);
}

class DumpWriter {
public:
    DumpWriter(const PastState& state, const DumpOptions& options, const Call& call,
               std::string& text)
        : state_(state), options_(options), call_(call), text_(text), out_(text, kCompact) {}

    void write(const Hash& root) {
        std::optional<Hash> next;
        std::uint64_t written = 0;
        out_.begin_object();
        out_.key("root");
        out_.string(to_string(root).substr(2));
        out_.key("accounts");
        out_.begin_object();
        check(state_.visit_accounts(options_.start, [&](const VisitedAccount& account) {
            call_.check_deadline();
            if (!account.account.has_value()) return true;
            if (options_.skips_unknown && !account.key.address.has_value()) return true;
            if (options_.limit != 0 && written == options_.limit) {
                next = account.key.hash;
                return false;
            }
            ++written;
            write_account(account);
            expect_room();
            return true;
        }));
        out_.end_object();
        if (next.has_value()) {
            out_.key("next");
            out_.hash(*next);
        }
        out_.end_object();
    }

private:
    static constexpr auto kCompact = JsonWriter::Style::compact;

    void expect_room() const {
        if (call_.max_result_bytes != 0 && text_.size() > call_.max_result_bytes)
            throw RpcError(Code::response_too_large,
                           fmt::format("the state is larger than {} bytes; ask for a range of it "
                                       "(debug_accountRange)",
                                       call_.max_result_bytes));
    }

    void write_account(const VisitedAccount& visited) {
        const Account& account = *visited.account;
        const std::string hash = to_string(visited.key.hash);
        out_.key(visited.key.address.has_value() ? to_checksum_string(*visited.key.address)
                                                 : "pre(" + hash + ")");
        out_.begin_object();
        out_.key("balance");
        out_.string(to_decimal(account.balance));
        out_.key("nonce");
        out_.number(account.nonce);
        out_.key("root");
        out_.hash(visited.storage_root);
        out_.key("codeHash");
        out_.hash(account.code_hash);
        if (!options_.skips_code && account.code_hash != kEmptyCodeHash) {
            out_.key("code");
            out_.hex(state_.code(account.code_hash));
        }
        if (!options_.skips_storage && visited.storage_root != kEmptyTrieRoot)
            write_storage(visited.key);
        if (visited.key.address.has_value()) {
            out_.key("address");
            out_.address(*visited.key.address);
        }
        out_.key("key");
        out_.hash(visited.key.hash);
        out_.end_object();
    }

    void write_storage(const ledger::AccountKey& account) {
        out_.key("storage");
        out_.begin_object();
        check(state_.visit_slots(account, {}, [&](const VisitedSlot& slot) {
            call_.check_deadline();
            if (slot.value.is_zero()) return true;
            out_.key(slot.slot.has_value() ? to_string(to_hash(*slot.slot))
                                           : "pre(" + to_string(slot.hash) + ")");
            out_.string(digits_of(slot.value));
            expect_room();
            return true;
        }));
        out_.end_object();
    }

    const PastState& state_;
    const DumpOptions& options_;
    const Call& call_;
    std::string& text_;
    JsonWriter out_;
};

void dump(const Services& services, const BlockSelector& selector, const DumpOptions& options,
          const Call& call, JsonWriter& out) {
    const SelectedBlock block = select_block(services.chain, selector);
    const auto state = take_or_refuse(services.chain.state_at(block.header.header.number));
    std::string text;
    DumpWriter(*state, options, call, text).write(block.header.header.state_root);
    out.raw(text);
}

void account_range(const Services& services, const Call& call, JsonWriter& out) {
    const BlockSelector selector = argument(call.params, 0, to_selector);
    DumpOptions options;
    options.start = start_argument(call.params, 1, ShortStart::number);
    // As geth: what is not above zero is as many as there may be.
    options.limit = argument(call.params, 2, [](const JsonView& value) -> std::uint64_t {
        return value.is_number() && value.real() < 0 ? 0 : value.uint64();
    });
    if (options.limit == 0 || options.limit > kMostAccounts) options.limit = kMostAccounts;
    options.skips_code = find_argument(call.params, 3, to_bool).value_or(false);
    options.skips_storage = find_argument(call.params, 4, to_bool).value_or(false);
    options.skips_unknown = !find_argument(call.params, 5, to_bool).value_or(false);
    dump(services, selector, options, call, out);
}

void dump_block(const Services& services, const Call& call, JsonWriter& out) {
    dump(services, argument(call.params, 0, to_selector), {.skips_unknown = true}, call, out);
}

// --- debug_getAccessibleState --------------------------------------------------------------------

/// The first of these blocks, in the order in which they are given, whose state can be read.
void get_accessible_state(const Services& services, const Call& call, JsonWriter& out) {
    const auto number_of = [&](std::size_t index) {
        const BlockSelector selector = argument(call.params, index, to_selector);
        return select_block(services.chain, selector).header.header.number;
    };
    const std::uint64_t from = number_of(0);
    const std::uint64_t to = number_of(1);
    if (from == to) throw server_error("from and to needs to be different");
    // States are kept from one block on, without a gap.
    const bool is_fork = services.chain.fork_base() != nullptr;
    const std::uint64_t oldest =
        is_fork ? services.chain.first_block() : services.chain.ledger().first_state();
    const std::uint64_t found = from < to ? std::max(from, oldest) : from;
    // As geth: the last one is not looked at.
    if (from < to ? found >= to : found < oldest) throw server_error("no state found");
    out.number(found);
}

// --- What blocks have changed --------------------------------------------------------------------

/// What the blocks have written, by account; where they wrote what was there before, too.
using Written = std::map<Address, std::set<Uint256>>;

/// The block is executed again.
StateDiff diff_of(const Services& services, SharedBlock block, const Call& call) {
    const auto replay = start_replay(services.chain, std::move(block));
    skip_to(replay->block().block.transactions.size(), *replay, services.chain, call);
    take_or_refuse(replay->end());
    return replay->diff();
}

/// Accounts that the states after two blocks differ in, in the order of their hashes as geth finds
/// them in the trie.
void modified_accounts(const Services& services, const Call& call, const BlockSelector& first,
                       const std::optional<BlockSelector>& last, JsonWriter& out) {
    std::uint64_t from = require_block(services.chain, first)->block.header.number;
    std::uint64_t to = from;
    if (last.has_value())
        to = require_block(services.chain, *last)->block.header.number;
    else if (from-- == 0)
        throw server_error("the first block has no parent");
    if (from >= to)
        throw server_error(fmt::format(
            "start block height ({}) must be less than end block height ({})", from, to));
    if (to - from > services.limits.trace_blocks)
        throw server_error(
            fmt::format("at most {} blocks are compared", services.limits.trace_blocks));
    Written written;
    for (std::uint64_t number = from + 1; number <= to; ++number) {
        const BlockSelector selector{.tag = BlockSelector::Tag::none, .number = number};
        const StateDiff diff = diff_of(services, require_block(services.chain, selector), call);
        for (const AccountChange& change : diff.accounts) {
            std::set<Uint256>& slots = written[change.address];
            for (const StorageChange& slot : change.storage)
                slots.insert(slot.slot);
        }
    }
    const auto before = take_or_refuse(services.chain.state_at(from));
    const auto after = take_or_refuse(services.chain.state_at(to));
    std::map<Hash, Address> changed;
    for (const auto& [address, slots] : written) {
        call.check_deadline();
        const bool differs =
            before->account(address) != after->account(address) ||
            std::ranges::any_of(slots, [&](const Uint256& slot) {
                return before->storage(address, slot) != after->storage(address, slot);
            });
        if (differs) changed.emplace(keccak256(address.view()), address);
    }
    out.begin_array();
    for (const auto& [hash, address] : changed)
        out.address(address);
    out.end_array();
}

void modified_by_number(const Services& services, const Call& call, JsonWriter& out) {
    const auto selector = [](const JsonView& value) {
        return BlockSelector{.tag = BlockSelector::Tag::none, .number = value.uint64()};
    };
    modified_accounts(services, call, argument(call.params, 0, selector),
                      find_argument(call.params, 1, selector), out);
}

void modified_by_hash(const Services& services, const Call& call, JsonWriter& out) {
    const auto selector = [](const JsonView& value) {
        return BlockSelector{.tag = BlockSelector::Tag::none, .hash = to_hash32(value)};
    };
    modified_accounts(services, call, argument(call.params, 0, selector),
                      find_argument(call.params, 1, selector), out);
}

/// Of each account whose balance a block changed: what it is after it.
void balance_changes(const Services& services, const Call& call, JsonWriter& out) {
    const SharedBlock block = require_block(services.chain, argument(call.params, 0, to_selector));
    const StateDiff diff = diff_of(services, block, call);
    const auto before = take_or_refuse(services.chain.state_at(block->block.header.number - 1));
    out.begin_object();
    for (const AccountChange& change : diff.accounts) {
        const Uint256 balance = change.account.value_or(Account{}).balance;
        if (before->account(change.address).value_or(Account{}).balance == balance) continue;
        out.key(to_string(change.address));
        out.quantity(balance);
    }
    out.end_object();
}

}  // namespace

void add_debug_state_methods(MethodTable& table, const Services& services) {
    const auto add = [&](std::string name, std::size_t parameters, Weight weight,
                         void (*run)(const Services&, const Call&, JsonWriter&)) {
        table.add({.name = std::move(name),
                   .handler = with_failures_told(at_most(
                       parameters, [services, run](const Call& call,
                                                   JsonWriter& out) { run(services, call, out); })),
                   .weight = weight});
    };
    add("debug_storageRangeAt", 5, Weight::executing, storage_range_at);
    add("debug_accountRange", 6, Weight::heavy, account_range);
    add("debug_dumpBlock", 1, Weight::heavy, dump_block);
    add("debug_getAccessibleState", 2, Weight::light, get_accessible_state);
    add("debug_getModifiedAccountsByNumber", 2, Weight::executing, modified_by_number);
    add("debug_getModifiedAccountsByHash", 2, Weight::executing, modified_by_hash);
    add("reth_getBalanceChangesInBlock", 1, Weight::executing, balance_changes);
}

}  // namespace heddle::node::rpc
