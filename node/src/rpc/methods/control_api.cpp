// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/control_api.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/text_bytes.hpp>

#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/chain_wishes.hpp"
#include "rpc/methods/node_description.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/methods/state_dump.hpp"
#include "rpc/methods/value_slots.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/codec.hpp"

namespace heddle::node::rpc {
namespace {

/// Whose name of a method was called: they answer differently.
enum class Spelling : std::uint8_t { evm, anvil, hardhat, debug, admin };

/// Errors: RpcError with the sentence.
void check(const ChainControl::Done& done) {
    if (!done.has_value()) throw RpcError(Code::server_error, done.error());
}
template <typename T>
T check(ChainControl::Result<T> result) {
    if (!result.has_value()) throw RpcError(Code::server_error, result.error());
    return *std::move(result);
}

// Numbers come as quantities, with leading zeros, in decimal and as JSON numbers: every tool has
// its way.
std::uint64_t number_argument(const Params& params, std::size_t index) {
    return argument(params, index, [](const JsonView& value) { return value.uint64(); });
}
std::optional<std::uint64_t> find_number(const Params& params, std::size_t index) {
    return find_argument(params, index, [](const JsonView& value) { return value.uint64(); });
}
Uint256 word_argument(const Params& params, std::size_t index) {
    return argument(params, index, [](const JsonView& value) { return value.uint256(); });
}

void write_done(Spelling spelling, JsonWriter& out) {
    if (spelling == Spelling::anvil)
        out.null();
    else
        out.boolean(true);
}

void write_signed(std::int64_t value, JsonWriter& out) {
    out.raw(std::to_string(value));
}

using Control = ChainControl;

// --- Snapshots -----------------------------------------------------------------------------------

void take_snapshot(const Services& services, const Call&, Spelling, JsonWriter& out) {
    out.quantity(check(services.control->take_snapshot()));
}

void revert(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    out.boolean(check(services.control->revert(number_argument(call.params, 0))));
}

/// Without `forking` hardhat's goes back to a chain that forks none, anvil's to the start.
void reset(const Services& services, const Call& call, Spelling spelling, JsonWriter& out) {
    std::optional<ChainWish> wish;
    const auto options = call.params.find(0);
    if (options.has_value() && !options->is_object() && !options->is_null())
        throw RpcError(Code::invalid_params, "invalid argument 0: expected an object with forking");
    const auto forking =
        options.has_value() && options->is_object() ? options->find("forking") : std::nullopt;
    if (forking.has_value())
        wish = wish_of(services.chain, *forking);
    else if (spelling == Spelling::hardhat && services.chain.fork_base() != nullptr)
        wish.emplace();
    if (wish.has_value())
        exchange_chain(services, call, *wish);
    else
        check(services.control->reset());
    write_done(spelling, out);
}

/// Takes so many blocks back, 1 where nothing is said.
void roll_back(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    check(services.control->roll_back(find_number(call.params, 0).value_or(1)));
    out.null();
}

/// As geth: the number says which block is the head afterwards.
void set_head(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    check(services.control->roll_back_to(number_argument(call.params, 0)));
    out.null();
}

// --- Time ----------------------------------------------------------------------------------------

void increase_time(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    write_signed(check(services.control->advance_time(number_argument(call.params, 0))), out);
}

void set_time(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    write_signed(check(services.control->set_time(number_argument(call.params, 0))), out);
}

void set_next_time(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    check(services.control->set_next_time(number_argument(call.params, 0)));
    out.null();
}

void set_block_interval(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    const std::uint64_t seconds = number_argument(call.params, 0);
    if (seconds > kLatestTime) throw RpcError(Code::invalid_params, "the interval is too long");
    services.control->set_block_interval(seconds);
    out.null();
}

void remove_block_interval(const Services& services, const Call&, Spelling, JsonWriter& out) {
    services.control->set_block_interval(std::nullopt);
    out.boolean(true);
}

// --- Blocks --------------------------------------------------------------------------------------

/// One block, or as many as an object says, the first at the time given.
void mine_wanted(const Services& services, const Call& call, std::uint64_t most) {
    std::optional<std::uint64_t> timestamp;
    std::uint64_t blocks = 1;
    const auto given = call.params.find(0);
    if (given.has_value() && given->is_object()) {
        if (const auto value = given->find("timestamp")) timestamp = value->uint64();
        if (const auto value = given->find("blocks")) blocks = value->uint64();
    } else {
        timestamp = find_number(call.params, 0);
    }
    // Before the time is set, which would stay for a block that nobody has asked for.
    check(ChainControl::check_count(blocks));
    if (blocks > most)
        throw RpcError(Code::server_error, fmt::format("at most {} blocks are told of", most));
    if (timestamp.has_value() && blocks > 0)
        check(services.control->set_time_of_wanted(*timestamp));
    check(services.control->mine(blocks, std::nullopt));
}

void mine_at(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    mine_wanted(services, call, ChainControl::kMostMined);
    out.string("0x0");  // as ganache, hardhat and anvil answer
}

/// The same, and the blocks with their transactions.
void mine_detailed(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    constexpr std::uint64_t kMostTold = 1'000;
    const std::uint64_t before = services.chain.head().header.number;
    mine_wanted(services, call, kMostTold);
    const std::uint64_t head = services.chain.head().header.number;
    out.begin_array();
    for (std::uint64_t number = before + 1; number <= head; ++number) {
        call.check_deadline();
        const SharedServedBlock block = take(services.chain.served_block(number));
        if (!block) continue;  // somebody has gone back meanwhile
        write_block(block->stored->block,
                    {block->stored->hash, block->transaction_hashes, block->size_bytes}, true, out);
    }
    out.end_array();
}

/// `mine`: so many blocks, their times so many seconds apart. With hardhat the first one follows
/// the clock; with anvil that time passes before each of them.
void mine(const Services& services, const Call& call, Spelling spelling, JsonWriter& out) {
    const std::uint64_t count = find_number(call.params, 0).value_or(1);
    const std::optional<std::uint64_t> interval = find_number(call.params, 1);
    check(spelling == Spelling::hardhat
              ? services.control->mine(count, interval.value_or(1))
              : services.control->mine_over_time(count, interval.value_or(0)));
    write_done(spelling, out);
}

void set_automine(const Services& services, const Call& call, Spelling spelling, JsonWriter& out) {
    const bool is_wanted = bool_argument(call.params, 0);
    if (spelling == Spelling::anvil && is_wanted) services.control->seal_by_time(std::nullopt);
    services.control->seal_on_arrival(is_wanted);
    write_done(spelling, out);
}

void get_automine(const Services& services, const Call&, Spelling, JsonWriter& out) {
    out.boolean(services.control->seals_on_arrival());
}

/// The least and the most: a number is both, hardhat's pair has each.
std::pair<std::uint64_t, std::uint64_t> to_intervals(const JsonView& value) {
    if (!value.is_array()) return {value.uint64(), value.uint64()};
    if (value.size() != 2) value.fail("expected a number, or the least and the most");
    const auto least = value.element(0).uint64();
    const auto most = value.element(1).uint64();
    if (least == 0 || least > most) value.fail("expected the least, above 0, and then the most");
    return {least, most};
}

/// Anvil counts seconds, the others milliseconds; 0: no blocks by time.
void set_interval_mining(const Services& services, const Call& call, Spelling spelling,
                         JsonWriter& out) {
    const std::uint64_t longest = std::uint64_t{86'400} * 365;
    const std::uint64_t unit = spelling == Spelling::anvil ? 1'000 : 1;
    const auto [least, most] = argument(call.params, 0, to_intervals);
    if (most > longest * 1'000 / unit)
        throw RpcError(Code::invalid_params, "the interval is longer than a year");
    // Anvil seals in one way at a time, hardhat in both.
    if (spelling == Spelling::anvil) services.control->seal_on_arrival(false);
    if (least == 0)
        services.control->seal_by_time(std::nullopt);
    else
        services.control->seal_by_time(std::chrono::milliseconds{least * unit},
                                       std::chrono::milliseconds{(most - least) * unit});
    write_done(spelling, out);
}

/// In seconds, rounded up; or null: no blocks by time.
void get_interval_mining(const Services& services, const Call&, Spelling, JsonWriter& out) {
    const auto interval = services.control->seal_interval();
    if (!interval.has_value()) return out.null();
    out.number(
        static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(*interval).count()));
}

void set_coinbase(const Services& services, const Call& call, Spelling spelling, JsonWriter& out) {
    services.control->set_beneficiary(address_argument(call.params, 0));
    write_done(spelling, out);
}

void set_next_base_fee(const Services& services, const Call& call, Spelling spelling,
                       JsonWriter& out) {
    if (!services.chain.head().header.base_fee_per_gas.has_value())
        throw RpcError(Code::server_error, "there are no base fees before London");
    check(services.control->set_next_base_fee(word_argument(call.params, 0)));
    write_done(spelling, out);
}

void set_prev_randao(const Services& services, const Call& call, Spelling spelling,
                     JsonWriter& out) {
    Hash value;
    store_be(word_argument(call.params, 0), value.bytes.data());
    services.control->set_next_prev_randao(value);
    write_done(spelling, out);
}

void set_gas_limit(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    constexpr std::uint64_t kLeast = 5'000;  // YP 4.3.4
    constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
    const std::uint64_t limit = number_argument(call.params, 0);
    if (limit < kLeast || limit > kMost)
        throw RpcError(Code::invalid_params,
                       fmt::format("expected a gas limit of {} to {}", kLeast, kMost));
    services.control->set_gas_limit(limit);
    out.boolean(true);
}

// --- Values --------------------------------------------------------------------------------------

void set_balance(const Services& services, const Call& call, Spelling spelling, JsonWriter& out) {
    check(services.control->set_balance(address_argument(call.params, 0),
                                        word_argument(call.params, 1)));
    write_done(spelling, out);
}

void add_balance(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    check(services.control->add_balance(address_argument(call.params, 0),
                                        word_argument(call.params, 1)));
    out.null();
}

void append_word(const Address& address, Bytes& input) {
    input.insert(input.end(), 32 - address.bytes.size(), 0);
    input.insert(input.end(), address.bytes.begin(), address.bytes.end());
}

void deal_erc20(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    Bytes input{0x70, 0xa0, 0x82, 0x31};  // balanceOf(address)
    append_word(address_argument(call.params, 0), input);
    const Uint256 value = word_argument(call.params, 2);
    const ValueSlot place =
        find_value_slot(services, call, address_argument(call.params, 1), input, value);
    check(services.control->set_storage(place.contract, place.slot, value));
    out.null();
}

void set_erc20_allowance(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    Bytes input{0xdd, 0x62, 0xed, 0x3e};  // allowance(address,address)
    append_word(address_argument(call.params, 0), input);
    append_word(address_argument(call.params, 1), input);
    const Uint256 value = word_argument(call.params, 3);
    const ValueSlot place =
        find_value_slot(services, call, address_argument(call.params, 2), input, value);
    check(services.control->set_storage(place.contract, place.slot, value));
    out.null();
}

void set_nonce(const Services& services, const Call& call, Spelling spelling, JsonWriter& out) {
    check(services.control->set_nonce(address_argument(call.params, 0),
                                      number_argument(call.params, 1)));
    write_done(spelling, out);
}

void set_code(const Services& services, const Call& call, Spelling spelling, JsonWriter& out) {
    check(services.control->set_code(address_argument(call.params, 0),
                                     bytes_argument(call.params, 1)));
    write_done(spelling, out);
}

void set_storage(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    check(services.control->set_storage(address_argument(call.params, 0),
                                        word_argument(call.params, 1),
                                        word_argument(call.params, 2)));
    out.boolean(true);
}

void dump_state(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    // Two digits a byte, and the quotes.
    const std::size_t most =
        call.max_result_bytes == 0 ? std::string::npos : call.max_result_bytes / 2 - 8;
    const std::string text = check(dump_of(services.chain, *services.control, most));
    out.hex(bytes_of(text));
}

void load_state(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    check(services.control->set_values(parse_dump(bytes_argument(call.params, 0))));
    out.boolean(true);
}

// --- Transactions --------------------------------------------------------------------------------

void drop_transaction(const Services& services, const Call& call, Spelling spelling,
                      JsonWriter& out) {
    const Hash hash = hash_argument(call.params, 0);
    const bool is_dropped = services.control->drop_transaction(hash);
    if (spelling == Spelling::hardhat)
        out.boolean(is_dropped);
    else if (is_dropped)
        out.hash(hash);
    else
        out.null();
}

void drop_transactions_of(const Services& services, const Call& call, Spelling, JsonWriter& out) {
    services.control->drop_transactions_of(address_argument(call.params, 0));
    out.null();
}

void drop_transactions(const Services& services, const Call&, Spelling, JsonWriter& out) {
    services.control->drop_transactions();
    out.null();
}

void impersonate(const Services& services, const Call& call, Spelling spelling, JsonWriter& out) {
    if (!services.control->impersonation().add(address_argument(call.params, 0)))
        throw RpcError(Code::limit_exceeded,
                       fmt::format("too many accounts: {} are impersonated", Impersonation::kMost));
    write_done(spelling, out);
}

void stop_impersonating(const Services& services, const Call& call, Spelling spelling,
                        JsonWriter& out) {
    const bool was_one = services.control->impersonation().remove(address_argument(call.params, 0));
    if (spelling == Spelling::hardhat)
        out.boolean(was_one);
    else
        out.null();
}

void auto_impersonate(const Services& services, const Call& call, Spelling spelling,
                      JsonWriter& out) {
    services.control->impersonation().set_all(bool_argument(call.params, 0));
    write_done(spelling, out);
}

// --- The node ------------------------------------------------------------------------------------

void node_info(const Services& services, const Call&, Spelling, JsonWriter& out) {
    write_node_info(services, out);
}

void metadata(const Services& services, const Call&, Spelling, JsonWriter& out) {
    write_metadata(services, out);
}

void get_genesis_time(const Services& services, const Call&, Spelling, JsonWriter& out) {
    const auto first = take(services.chain.header(services.chain.first_block()));
    if (!first.has_value()) throw RpcError(Code::internal_error, "there is no first block");
    out.number(first->header.timestamp);
}

// --- All of them ---------------------------------------------------------------------------------

using Run = void (*)(const Services&, const Call&, Spelling, JsonWriter&);

struct Row {
    std::string_view name;       // after the prefix
    std::string_view spellings;  // of the prefixes: e, a, h, d, n (admin)
    std::size_t parameters = 0;  // at most
    Run run = nullptr;
    Weight weight = Weight::light;
};

constexpr Row kRows[] = {
    {"snapshot", "ea", 0, take_snapshot, Weight::heavy},
    {"revert", "ea", 1, revert, Weight::heavy},
    {"reset", "ah", 1, reset, Weight::waiting},
    {"rollback", "a", 1, roll_back, Weight::heavy},
    {"setHead", "d", 1, set_head, Weight::heavy},
    {"increaseTime", "ea", 1, increase_time},
    {"setTime", "ea", 1, set_time},
    {"setNextBlockTimestamp", "ea", 1, set_next_time},
    {"setBlockTimestampInterval", "ea", 1, set_block_interval},
    {"removeBlockTimestampInterval", "ea", 0, remove_block_interval},
    {"mine", "e", 1, mine_at, Weight::waiting},
    {"mine_detailed", "ea", 1, mine_detailed, Weight::waiting},
    {"mine", "ah", 2, mine, Weight::waiting},
    {"setAutomine", "ea", 1, set_automine},
    {"getAutomine", "ah", 0, get_automine},
    {"setIntervalMining", "ea", 1, set_interval_mining},
    {"getIntervalMining", "a", 0, get_interval_mining},
    {"setCoinbase", "ah", 1, set_coinbase},
    {"setNextBlockBaseFeePerGas", "ah", 1, set_next_base_fee},
    {"setPrevRandao", "ah", 1, set_prev_randao},
    {"setBlockGasLimit", "ea", 1, set_gas_limit},
    {"setBalance", "ah", 2, set_balance, Weight::heavy},
    {"addBalance", "ah", 2, add_balance, Weight::heavy},
    {"dealERC20", "ah", 3, deal_erc20, Weight::executing},
    {"setERC20Balance", "a", 3, deal_erc20, Weight::executing},
    {"setERC20Allowance", "a", 4, set_erc20_allowance, Weight::executing},
    {"setNonce", "ah", 2, set_nonce, Weight::heavy},
    {"setCode", "ah", 2, set_code, Weight::heavy},
    {"setStorageAt", "ah", 3, set_storage, Weight::heavy},
    {"setAccountBalance", "e", 2, set_balance, Weight::heavy},
    {"setAccountNonce", "e", 2, set_nonce, Weight::heavy},
    {"setAccountCode", "e", 2, set_code, Weight::heavy},
    {"setAccountStorageAt", "e", 3, set_storage, Weight::heavy},
    {"dumpState", "ah", 1, dump_state, Weight::heavy},
    {"loadState", "ah", 1, load_state, Weight::heavy},
    {"dropTransaction", "ah", 1, drop_transaction, Weight::heavy},
    {"dropAllTransactions", "ah", 0, drop_transactions, Weight::heavy},
    {"clearTxpool", "dn", 0, drop_transactions, Weight::heavy},
    {"removePoolTransactions", "a", 1, drop_transactions_of, Weight::heavy},
    {"impersonateAccount", "ah", 1, impersonate},
    {"stopImpersonatingAccount", "ah", 1, stop_impersonating},
    {"autoImpersonateAccount", "ah", 1, auto_impersonate},
    {"nodeInfo", "ah", 0, node_info},
    {"metadata", "ah", 0, metadata},
    {"getGenesisTime", "a", 0, get_genesis_time},
};

template <typename Add>
void for_each_name(Add add) {
    for (const Row& row : kRows)
        for (const auto& [letter, prefix, spelling] :
             {std::tuple{'e', "evm_", Spelling::evm}, std::tuple{'a', "anvil_", Spelling::anvil},
              std::tuple{'h', "hardhat_", Spelling::hardhat},
              std::tuple{'d', "debug_", Spelling::debug},
              std::tuple{'n', "admin_", Spelling::admin}})
            if (row.spellings.contains(letter))
                add(fmt::format("{}{}", prefix, row.name), row, spelling);
}

}  // namespace

void add_control_methods(MethodTable& table, const Services& services) {
    for_each_name([&](std::string name, const Row& row, Spelling spelling) {
        table.add({std::move(name),
                   with_failures_told(at_most(
                       row.parameters,
                       [services, run = row.run, spelling](const Call& call, JsonWriter& out) {
                           run(services, call, spelling, out);
                       })),
                   row.weight, Access::authenticated});
    });
}

void refuse_control_methods(MethodTable& table) {
    for_each_name([&](std::string name, const Row&, Spelling) {
        if (name == "evm_mine") return;  // what it does is a block, and written down
        const std::string sentence =
            name + ": what it changes is not recorded; start the node without --record";
        table.add(
            {std::move(name),
             [sentence](const Call&, JsonWriter&) { throw RpcError(Code::server_error, sentence); },
             Weight::light, Access::authenticated});
    });
}

}  // namespace heddle::node::rpc
