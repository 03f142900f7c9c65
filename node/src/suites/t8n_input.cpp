// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <utility>

#include <fmt/format.h>

#include <types/rlp.hpp>
#include <types/signing.hpp>
#include <vm/block.hpp>

#include "formats/fixture_codec.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "formats/json_counts.hpp"
#include "formats/networks.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "suites/t8n.hpp"

namespace heddle::node {

namespace {

constexpr std::string_view kStdin = "stdin";

std::optional<std::uint64_t> find_uint64(const JsonView& object, std::string_view key) {
    const auto value = object.find(key);
    return value ? std::optional(value->uint64()) : std::nullopt;
}

std::optional<Uint256> find_uint256(const JsonView& object, std::string_view key) {
    const auto value = object.find(key);
    return value ? std::optional(value->uint256()) : std::nullopt;
}

/// The environment lacks what the fork needs, or says what it cannot have.
[[noreturn]] void fail_configuration(const JsonView& env, std::string_view problem) {
    failing_as(T8nFailure::configuration, [&] { env.fail(problem); });
    std::unreachable();
}

/// What the environment says of the block before.
BlockHeader parse_parent(const JsonView& env, std::uint64_t number) {
    BlockHeader parent;
    parent.number = number == 0 ? 0 : number - 1;
    parent.timestamp = find_uint64(env, "parentTimestamp").value_or(0);
    parent.difficulty = find_uint256(env, "parentDifficulty").value_or(Uint256{});
    parent.gas_used = find_uint64(env, "parentGasUsed").value_or(0);
    parent.gas_limit = find_uint64(env, "parentGasLimit").value_or(0);
    parent.base_fee_per_gas = find_uint256(env, "parentBaseFee");
    parent.blob_gas_used = find_uint64(env, "parentBlobGasUsed");
    parent.excess_blob_gas = find_uint64(env, "parentExcessBlobGas");
    if (const auto hash = env.find("parentUncleHash"); hash && !hash->hash().is_zero())
        parent.ommers_hash = hash->hash();
    return parent;
}

void complete_base_fee(const JsonView& env, const BlockHeader& parent, const ChainConfig& config,
                       BlockHeader& header) {
    if (!config.london_block || header.number < *config.london_block) return;
    header.base_fee_per_gas = find_uint256(env, "currentBaseFee");
    if (header.base_fee_per_gas) return;
    if (!parent.base_fee_per_gas || header.number == 0)
        fail_configuration(
            env,
            "from London on, give currentBaseFee, or parentBaseFee with parentGasUsed and "
            "parentGasLimit");
    header.base_fee_per_gas = vm::next_base_fee(parent, config);
}

/// Difficulty before the merge, randomness after it.
void complete_consensus(const JsonView& env, const BlockHeader& parent, const ChainConfig& config,
                        bool is_merged, BlockHeader& header) {
    const auto difficulty = find_uint256(env, "currentDifficulty");
    if (is_merged) {
        const auto random = env.find("currentRandom");
        if (!random) fail_configuration(env, "from Paris on, currentRandom is required");
        if (difficulty && !difficulty->is_zero())
            fail_configuration(env, "from Paris on, currentDifficulty must be zero or absent");
        header.prev_randao = to_hash(random->uint256());
        return;
    }
    if (difficulty) {
        header.difficulty = *difficulty;
        return;
    }
    if (!env.find("parentDifficulty"))
        fail_configuration(
            env, "before Paris, give currentDifficulty, or parentDifficulty to compute it from");
    if (header.number == 0) fail_configuration(env, "currentDifficulty is required for block 0");
    if (header.timestamp <= parent.timestamp)
        fail_configuration(env,
                           "currentDifficulty cannot be computed: currentTimestamp is not after "
                           "parentTimestamp");
    header.difficulty = vm::next_difficulty(parent, header.number, header.timestamp, config);
}

void complete_blob_gas(const JsonView& env, const BlockHeader& parent, const ChainConfig& config,
                       BlockHeader& header) {
    header.excess_blob_gas = find_uint64(env, "currentExcessBlobGas");
    if (!header.excess_blob_gas && parent.excess_blob_gas && parent.blob_gas_used)
        header.excess_blob_gas = vm::next_excess_blob_gas(parent, header.timestamp, config);
    const auto root = env.find("parentBeaconBlockRoot");
    if (!root) fail_configuration(env, "from Cancun on, parentBeaconBlockRoot is required");
    header.parent_beacon_block_root = root->hash();
}

void parse_env(const JsonView& env, T8nInput& input) {
    BlockHeader& header = input.header;
    const ChainConfig& config = input.config;
    header.beneficiary = env.at("currentCoinbase").address();
    header.gas_limit = env.at("currentGasLimit").uint64();
    header.number = env.at("currentNumber").uint64();
    header.timestamp = env.at("currentTimestamp").uint64();
    if (const auto extra = env.find("extraData")) header.extra_data = extra->bytes();
    const BlockHeader parent = parse_parent(env, header.number);
    input.is_merged = config.terminal_total_difficulty == Uint256{};
    complete_base_fee(env, parent, config, header);
    complete_consensus(env, parent, config, input.is_merged, header);

    const Revision revision = config.revision(header.number, header.timestamp, input.is_merged);
    input.base_fee =
        header.base_fee_per_gas ? header.base_fee_per_gas : find_uint256(env, "currentBaseFee");
    if (const auto withdrawals = env.find("withdrawals")) {
        input.withdrawals = parse_withdrawals(*withdrawals);
        input.withdrawals_root = vm::withdrawals_root(input.withdrawals);
        if (revision < Revision::shanghai) input.withdrawals.clear();
    } else if (revision >= Revision::shanghai) {
        fail_configuration(env, "from Shanghai on, withdrawals is required");
    }
    if (revision >= Revision::cancun) complete_blob_gas(env, parent, config, header);
    if (revision >= Revision::amsterdam) {
        header.slot_number = find_uint64(env, "slotNumber").value_or(0);
        // A reward of nothing, which is the usual option, would list who gets it (EIP-7928).
        input.touches_beneficiary = input.reward == Uint256{};
        if (input.touches_beneficiary) input.reward.reset();
    }

    const auto hashes = env.find("blockHashes");
    input.has_block_hashes = hashes.has_value();
    if (hashes)
        for (std::size_t i = 0; i < member_count(*hashes); ++i) {
            const auto [number, hash] = hashes->member(i);
            const Uint256 key = uint256_from_key(number, *hashes);
            if (!key.fits_uint64()) hashes->fail(fmt::format("\"{}\" is no block number", number));
            // As geth: of two names for one number ("0" and "0x0") the last one counts.
            input.block_hashes.insert_or_assign(key.low64(), hash.hash());
        }
    if (header.number > 0)
        if (const auto known = input.block_hashes.find(header.number - 1);
            known != input.block_hashes.end())
            header.parent_hash = known->second;
    if (const auto ommers = env.find("ommers"))
        for (std::size_t i = 0; i < element_count(*ommers); ++i) {
            const JsonView ommer = ommers->element(i);
            const std::uint64_t delta = ommer.at("delta").uint64();
            if (delta == 0 || delta > 8) ommer.fail("delta must be 1 to 8");
            input.ommers.push_back({ommer.at("address").address(), delta});
        }
}

/// A transaction without a signature may bring the key to sign it with.
T8nTransaction parse_transaction(const JsonView& json, const ChainConfig& config) {
    T8nTransaction result;
    result.tx = parse_signed_transaction(json);
    Transaction& tx = result.tx;
    const auto secret = json.find("secretKey");
    const bool is_signed = !tx.r.is_zero() || !tx.s.is_zero();
    if (!secret || is_signed) return result;
    const auto is_protected = json.find("protected");
    const bool is_legacy = tx.type == TransactionType::legacy;
    // Who signs says for which chain, unless the transaction does.
    if (is_legacy ? !is_protected || is_protected->boolean() : tx.chain_id == 0u)
        tx.chain_id = config.chain_id;
    if (tx.chain_id && *tx.chain_id != config.chain_id)
        json.fail(fmt::format("invalid chain id for signer: have {} want {}", *tx.chain_id,
                              config.chain_id));
    if (!sign_transaction(tx, to_hash(secret->uint256())))
        secret->fail("is no secret key of secp256k1");
    return result;
}

/// Items of an RLP list of transactions. One that does not decode is rejected, as geth does.
std::vector<T8nTransaction> parse_rlp_transactions(const JsonView& json) {
    const Bytes bytes = json.bytes();
    std::vector<T8nTransaction> result;
    rlp::Reader outer(bytes);
    const auto fail = [&](const rlp::Error& error) { json.fail(rlp::to_string(error)); };
    auto list = outer.read_list();
    if (!list) fail(list.error());
    if (const auto end = outer.expect_end(); !end) fail(end.error());
    while (!list->at_end()) {
        const auto raw = list->read_raw();
        if (!raw) fail(raw.error());
        rlp::Reader item(*raw);
        auto tx = decode_transaction_item(item);
        T8nTransaction& parsed = result.emplace_back();
        if (tx)
            parsed.tx = *std::move(tx);
        else
            parsed.error = std::string(to_string(tx.error()));
    }
    return result;
}

void parse_transactions(const JsonView& json, T8nInput& input) {
    if (json.is_string()) {
        input.transactions = parse_rlp_transactions(json);
        return;
    }
    if (json.is_null()) return;  // what Go makes of no transactions
    const std::size_t count = element_count(json);
    input.transactions.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        input.transactions.push_back(parse_transaction(json.element(i), input.config));
}

/// The parts of the input, each from its file or from one object on standard input.
class InputParts {
public:
    explicit InputParts(const T8nOptions& options) : options_(options) {
        if (options.input_alloc == kStdin || options.input_env == kStdin ||
            options.input_txs == kStdin) {
            stdin_.emplace(parse_file("/dev/stdin", "standard input", text_, parser_));
        }
    }

    /// Calls `use` with a part while its document is there.
    void with_part(const std::string& source, std::string_view key,
                   const std::function<void(const JsonView&)>& use) {
        std::string text;
        JsonParser parser;
        failing_as(T8nFailure::json, [&] {
            use(source == kStdin ? stdin_->at(key) : parse_file(source, source, text, parser));
        });
    }

    /// Transactions on standard input may be RLP under another key.
    void with_transactions(const std::function<void(const JsonView&)>& use) {
        const bool is_there = options_.input_txs != kStdin || stdin_->find("txs").has_value();
        if (!is_there && !stdin_->find("txsRlp")) return;  // null: none
        with_part(options_.input_txs, is_there ? "txs" : "txsRlp", use);
    }

private:
    [[nodiscard]] static JsonView parse_file(const std::string& path, const std::string& name,
                                             std::string& text, JsonParser& parser) {
        failing_as(T8nFailure::files, [&] { read_file(path, kMaxJsonFileSize, text); });
        return failing_as(T8nFailure::json, [&] { return parser.parse(text, name); });
    }

    const T8nOptions& options_;
    std::string text_;
    JsonParser parser_;
    std::optional<JsonView> stdin_;
};

}  // namespace

T8nInput read_t8n_input(const T8nOptions& options) {
    T8nInput input;
    auto network = find_network(options.fork);
    if (!network)
        throw T8nError(
            T8nFailure::configuration,
            fmt::format("t8n: unknown fork \"{}\": --state.fork takes {}, or transitions such as "
                        "ShanghaiToCancunAtTime15k",
                        options.fork, known_networks()));
    input.config = std::move(network->config);
    input.config.chain_id = options.chain_id;
    if (!options.reward.starts_with('-')) {
        input.reward = uint256_from_string(options.reward);
        if (!input.reward)
            fail_input("t8n: --state.reward: \"{}\" is not a number of wei", options.reward);
    }
    InputParts parts(options);
    parts.with_part(options.input_alloc, "alloc", [&](const JsonView& json) {
        for (const auto& account : parse_alloc(json))
            input.state.add(account);
    });
    parts.with_part(options.input_env, "env",
                    [&](const JsonView& json) { parse_env(json, input); });
    parts.with_transactions([&](const JsonView& json) { parse_transactions(json, input); });
    return input;
}

}  // namespace heddle::node
