// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "formats/genesis_json.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <types/fork.hpp>

#include "formats/chain_config_names.hpp"
#include "formats/genesis_stream.hpp"
#include "formats/json.hpp"
#include "formats/networks.hpp"
#include "program/error.hpp"

namespace heddle::node {

namespace {

/// Base fee of a chain that starts with London, in wei (EIP-1559).
constexpr std::uint64_t kInitialBaseFee = 1'000'000'000;
/// Gas limit where the file gives none, as geth does.
constexpr std::uint64_t kDefaultGasLimit = 4'712'388;

/// When a fork begins, in blocks or seconds. Unlike elsewhere an empty text is no zero: it is what
/// a template leaves for a value that nobody gave, and the fork would be there from the beginning.
std::optional<std::uint64_t> find_beginning(const JsonView& object, std::string_view key) {
    const auto value = object.find(key);
    if (value && value->is_string() && (value->string().empty() || value->string() == "0x"))
        value->fail("expected a number, hexadecimal with 0x or decimal");
    return value ? std::optional(value->uint64()) : std::nullopt;
}

/// When a fork begins. Two fields mean the same here and not in geth, which has a chain with one of
/// them alone, or refuses it: both are there, or none.
std::optional<std::uint64_t> find_activation(const JsonView& json, const Fork& fork) {
    const std::string_view first = fork.fields[0];
    const std::string_view second = fork.fields[1];
    const auto activation = find_beginning(json, first);
    if (second.empty()) return activation;
    const auto other = find_beginning(json, second);
    if (activation.has_value() != other.has_value())
        json.fail(fmt::format("{} is set but {} is not; both belong to {} and must be the same",
                              activation ? first : second, activation ? second : first, fork.name));
    if (activation != other)
        json.fail(fmt::format("{} and {} differ; both belong to {} and must be the same", first,
                              second, fork.name));
    return activation;
}

void parse_forks(const JsonView& json, ChainConfig& config) {
    for (const Fork& fork : kForks)
        if (fork.member != nullptr) config.*fork.member = find_activation(json, fork);
    if (const auto support = json.find("daoForkSupport"))
        config.dao_fork_support = support->boolean();
    // As geth: a chain that does not mention Petersburg never had Constantinople without it. Where
    // it goes on to Istanbul it has to mention it: check_fork_order().
    if (!config.petersburg_block && !config.istanbul_block)
        config.petersburg_block = config.constantinople_block;
}

BlobForkTimes parse_blob_fork_times(const JsonView& json) {
    BlobForkTimes times;
    for (std::size_t i = 0; i < kForks.size(); ++i)
        if (kForks[i].blobs != ForkBlobs::none)
            times[i] = find_beginning(json, kForks[i].fields[0]);
    return times;
}

/// When one of kForks begins, in blocks or in seconds.
std::optional<std::uint64_t> activation_of(std::size_t index, const ChainConfig& config,
                                           const BlobForkTimes& times) {
    const Fork& fork = kForks[index];
    return fork.member != nullptr ? config.*fork.member : times[index];
}

/// Whether one of kForks may not begin before another one. Their order is geth's, which is that of
/// the rows, but that all forks which change blob parameters alone come before Amsterdam.
bool comes_after(std::size_t index, std::size_t earlier) noexcept {
    const auto place = [](std::size_t i) {
        const auto& revision = kForks[i].revision;
        return std::pair{revision && *revision > Revision::osaka, i};
    };
    return kForks[index].activation == kForks[earlier].activation && place(index) > place(earlier);
}

/// What a fork builds on must be there, and not come later; geth refuses it as well. Forks without
/// a revision may be left out, and those that change blob parameters alone need nothing but blobs.
void check_fork_order(const JsonView& json, const ChainConfig& config) {
    const BlobForkTimes times = parse_blob_fork_times(json);
    for (std::size_t i = 0; i < kForks.size(); ++i) {
        const Fork& fork = kForks[i];
        const auto activation = activation_of(i, config, times);
        if (!activation) continue;
        for (std::size_t j = 0; j < kForks.size(); ++j) {
            if (j == i) continue;
            const Fork& earlier = kForks[j];
            const auto before = activation_of(j, config, times);
            const bool is_needed = earlier.revision && (earlier.member != nullptr) &&
                                   builds_on(fork, earlier) &&
                                   (fork.revision || *earlier.revision <= Revision::cancun);
            if (!before && is_needed)
                json.fail(fmt::format("{} is set but {} is not", fork.field(), earlier.field()));
            if (before && comes_after(i, j) && *activation < *before)
                json.fail(fmt::format("{} ({}) must not come before {} ({})", fork.field(),
                                      *activation, earlier.field(), *before));
        }
    }
}

/// A fork that changes nothing but blob parameters takes them from the chain (EIP-7892), which must
/// say them; those of Cancun and Prague are in their EIPs.
void check_blob_schedule(const JsonView& json) {
    const BlobForkTimes times = parse_blob_fork_times(json);
    const auto table = json.find("blobSchedule");
    for (std::size_t i = 0; i < kForks.size(); ++i) {
        const Fork& fork = kForks[i];
        const bool is_blob_only = fork.activation == ForkActivation::timestamp && !fork.revision;
        if (!is_blob_only || !times[i]) continue;
        if (!table || !has_blob_entry(*table, fork))
            json.fail(
                fmt::format("{} is set but blobSchedule has no \"{}\"", fork.field(), fork.key()));
    }
}

/// "strict": EIP-2930 lists are binding; "hint" as everywhere else. Not part of geth's format.
bool parse_access_lists(const JsonView& json, const ChainConfig& config) {
    const auto rule = json.find("accessLists");
    if (!rule) return false;
    if (rule->string() == "hint") return false;
    if (rule->string() != "strict")
        rule->fail(
            fmt::format(R"("{}" is neither "strict" nor "hint")", std::string(rule->string())));
    if (config.berlin_block != 0u)
        rule->fail("strict access lists need Berlin from block 0 on (berlinBlock: 0)");
    return true;
}

/// Not part of geth's format either.
bool parse_equal_timestamps(const JsonView& json, const ChainConfig& config) {
    const auto rule = json.find("equalTimestamps");
    if (!rule || !rule->boolean()) return false;
    if (config.terminal_total_difficulty != Uint256{})
        rule->fail(
            "equal timestamps need proof of stake from genesis (terminalTotalDifficulty: 0)");
    return true;
}

ChainConfig parse_config(const JsonView& json) {
    ChainConfig config;
    config.chain_id = json.at("chainId").uint64();
    parse_forks(json, config);

    if (const auto difficulty = json.find("terminalTotalDifficulty"))
        config.terminal_total_difficulty = difficulty->uint256();
    else if (const auto passed = json.find("terminalTotalDifficultyPassed");
             passed && passed->boolean())
        config.terminal_total_difficulty = Uint256{};
    config.strict_access_lists = parse_access_lists(json, config);
    config.equal_timestamps = parse_equal_timestamps(json, config);

    config.blob_schedule =
        parse_blob_schedule(parse_blob_fork_times(json), json.find("blobSchedule"));
    if (const auto address = json.find("depositContractAddress"))
        config.deposit_contract_address = address->address();

    // The merge block of the two public chains is history; a file cannot express it.
    for (const ChainConfig* known : {&mainnet_config(), &sepolia_config()})
        if (known->chain_id == config.chain_id &&
            known->terminal_total_difficulty == config.terminal_total_difficulty)
            config.merge_block = known->merge_block;
    return config;
}

BlockHeader parse_header(const JsonView& json, const ChainConfig& config) {
    BlockHeader header;
    const auto read = [&](std::string_view key, auto&& apply) {
        if (const auto value = json.find(key)) apply(*value);
    };
    read("parentHash", [&](const JsonView& v) { header.parent_hash = v.hash(); });
    read("coinbase", [&](const JsonView& v) { header.beneficiary = v.address(); });
    read("difficulty", [&](const JsonView& v) { header.difficulty = v.uint256(); });
    read("number", [&](const JsonView& v) {
        if (v.uint64() != 0) v.fail("a chain begins with block 0; to begin later, take a snapshot");
    });
    header.gas_limit = kDefaultGasLimit;
    read("gasLimit", [&](const JsonView& v) {
        if (const auto limit = v.uint64(); limit != 0) header.gas_limit = limit;
    });
    read("gasUsed", [&](const JsonView& v) { header.gas_used = v.uint64(); });
    read("timestamp", [&](const JsonView& v) { header.timestamp = v.uint64(); });
    read("extraData", [&](const JsonView& v) { header.extra_data = v.bytes(); });
    read("mixHash", [&](const JsonView& v) { header.prev_randao = v.hash(); });
    read("nonce", [&](const JsonView& v) {
        const std::uint64_t nonce = v.uint64();
        for (std::size_t i = 0; i < 8; ++i)
            header.nonce[7 - i] = static_cast<std::uint8_t>(nonce >> (8 * i));
    });
    const bool is_merged =
        config.terminal_total_difficulty && config.terminal_total_difficulty->is_zero();
    // A chain that starts merged has no difficulty unless the file insists on one.
    if (!json.find("difficulty") && !is_merged) header.difficulty = 131'072;

    const auto is_active = [&](const std::optional<std::uint64_t>& time) {
        return config.london_block == 0u && time && *time <= header.timestamp;
    };
    if (config.london_block == 0u) header.base_fee_per_gas = kInitialBaseFee;
    // As geth, also where London comes later or never; the hash is another one then.
    read("baseFeePerGas", [&](const JsonView& v) { header.base_fee_per_gas = v.uint256(); });
    if (is_active(config.shanghai_time)) header.withdrawals_root = kEmptyTrieRoot;
    if (is_active(config.cancun_time)) {
        header.blob_gas_used = 0;
        header.excess_blob_gas = 0;
        header.parent_beacon_block_root = Hash{};
        read("blobGasUsed", [&](const JsonView& v) { header.blob_gas_used = v.uint64(); });
        read("excessBlobGas", [&](const JsonView& v) { header.excess_blob_gas = v.uint64(); });
        // geth passes over another one: the file would make two chains.
        read("parentBeaconBlockRoot", [&](const JsonView& v) {
            if (v.hash() != Hash{}) v.fail("is zero in the first block of a chain");
        });
    }
    if (is_active(config.prague_time)) header.requests_hash = kEmptyRequestsHash;
    if (is_active(config.amsterdam_time)) {
        header.block_access_list_hash = kEmptyListHash;
        header.slot_number = 0;
        read("slotNumber", [&](const JsonView& v) { header.slot_number = v.uint64(); });
    }
    return header;
}

/// Forks by time are those of proof of stake, which has base fees from its first block on.
void check_merge(const JsonView& json, const Genesis& genesis) {
    const ChainConfig& config = genesis.config;
    if (!config.terminal_total_difficulty) {
        if (config.shanghai_time)
            json.fail(
                "shanghaiTime is set but terminalTotalDifficulty is not, so the chain would never "
                "come to proof of stake, where time counts: write 0 for a chain that begins there");
        return;
    }
    if (genesis.header.difficulty < *config.terminal_total_difficulty) return;
    if (!config.london_block)
        json.fail("londonBlock is missing, and the chain has proof of stake from block 1 on");
    if (*config.london_block > 1)
        json.fail(
            fmt::format("londonBlock ({}) must not be above 1 where the chain has proof of "
                        "stake from block 1 on",
                        *config.london_block));
}

std::string twice(const Uint256& slot, const Address& address) {
    return fmt::format("slot {} of address {} occurs twice", to_hex(slot), to_string(address));
}

/// A slot that is there twice, however it is written.
std::optional<Uint256> slot_given_twice(const GenesisAccount& account) {
    std::vector<Uint256> slots;
    slots.reserve(account.storage.size());
    for (const auto& [slot, value] : account.storage)
        slots.push_back(slot);
    std::ranges::sort(slots);
    const auto found = std::ranges::adjacent_find(slots);
    return found == slots.end() ? std::nullopt : std::optional{*found};
}

/// Keeps all of an allocation. Errors as those of a ledger that is made of the file.
class AllocKeeper final : public AllocSink {
public:
    explicit AllocKeeper(const std::string& file) : file_(file) {}

    void begin_account(const Address& address) override {
        if (!seen_.insert(address).second)
            fail_input("{}: $.alloc: address {} occurs twice", file_, to_string(address));
        accounts_.emplace_back().address = address;
    }
    void slot(const Uint256& slot, const Uint256& value) override {
        accounts_.back().storage.emplace_back(slot, value);
    }
    void end_account(std::uint64_t nonce, const Uint256& balance, BytesView code) override {
        GenesisAccount& account = accounts_.back();
        if (const auto slot = slot_given_twice(account))
            fail_input("{}: $.alloc: {}", file_, twice(*slot, account.address));
        account.nonce = nonce;
        account.balance = balance;
        account.code.assign(code.begin(), code.end());
    }
    [[nodiscard]] std::vector<GenesisAccount> take() noexcept { return std::move(accounts_); }

private:
    const std::string& file_;
    std::vector<GenesisAccount> accounts_;
    std::unordered_set<Address, AddressHasher> seen_;
};

}  // namespace

GenesisAccount parse_account(const Address& address, const JsonView& json) {
    GenesisAccount account;
    account.address = address;
    if (const auto nonce = json.find("nonce")) account.nonce = nonce->uint64();
    if (const auto balance = json.find("balance")) account.balance = balance->uint256();
    if (const auto code = json.find("code")) account.code = code->bytes();
    if (const auto storage = json.find("storage")) {
        const std::size_t size = storage->size();
        account.storage.reserve(size);
        for (std::size_t i = 0; i < size; ++i) {
            const auto [key, value] = storage->member(i);
            const auto slot = storage_word_from_text(key);
            if (!slot) storage->fail(fmt::format("\"{}\" is not a number below 2^256", key));
            const auto word =
                value.is_string() ? storage_word_from_text(value.string()) : value.uint256();
            if (!word) value.fail(kStorageWordExpected);
            account.storage.emplace_back(*slot, *word);
        }
        if (const auto slot = slot_given_twice(account)) storage->fail(twice(*slot, address));
    }
    return account;
}

std::vector<GenesisAccount> parse_alloc(const JsonView& alloc) {
    std::vector<GenesisAccount> accounts;
    if (!alloc.is_object()) alloc.fail("expected an object from address to account");
    const std::size_t size = alloc.size();
    accounts.reserve(size);
    std::unordered_set<Address, AddressHasher> seen;
    seen.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        const auto [key, account] = alloc.member(i);
        const Address address = address_from_key(key, alloc);
        if (!seen.insert(address).second)
            alloc.fail(fmt::format("address {} occurs twice", to_string(address)));
        accounts.push_back(parse_account(address, account));
    }
    return accounts;
}

ChainConfig parse_chain_config(const JsonView& json) {
    check_known_forks(json);
    ChainConfig config = parse_config(json);
    check_fork_order(json, config);
    check_blob_schedule(json);
    return config;
}

ChainConfig parse_known_chain_config(const JsonView& json) {
    return parse_config(json);
}

Genesis parse_genesis(const JsonView& json) {
    Genesis genesis;
    genesis.config = parse_chain_config(json.at("config"));
    genesis.header = parse_header(json, genesis.config);
    check_merge(json.at("config"), genesis);
    genesis.alloc = parse_alloc(json.at("alloc"));
    return genesis;
}

Genesis load_genesis(const std::string& path) {
    AllocKeeper keeper(path);
    Genesis genesis = stream_genesis_file(path, keeper, {}).genesis;
    genesis.alloc = keeper.take();
    return genesis;
}

}  // namespace heddle::node
