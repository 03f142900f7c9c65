// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "suites/state_suite.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include <fmt/format.h>

#include <ledger/memory_state.hpp>
#include <ledger/state_root.hpp>
#include <types/text_bytes.hpp>
#include <types/transaction.hpp>
#include <vm/block.hpp>
#include <vm/evm.hpp>
#include <vm/transition.hpp>
#include <vm/validate.hpp>

#include "formats/fixture_codec.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "formats/json_counts.hpp"
#include "formats/networks.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/exceptions.hpp"

namespace heddle::node {

namespace {

/// Base fee where a fixture from London on gives none, in wei.
constexpr std::uint64_t kDefaultBaseFee = 10;
/// --bench: repetitions end after this many seconds.
constexpr double kBenchSeconds = 1.0;

/// State tests have no chain: BLOCKHASH gives the hash of the number's decimal digits.
class DigitHashes final : public BlockHashes {
public:
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        const std::string digits = std::to_string(number);
        return keccak256(bytes_of(digits));
    }
};

/// Which of the alternatives a case is about.
struct CaseIndexes {
    std::size_t data = 0;
    std::size_t gas = 0;
    std::size_t value = 0;
};

/// Everything but signature and chain id, as the members of a fixture say.
Transaction transaction_from_members(const JsonView& json, const CaseIndexes& indexes) {
    Transaction tx;
    tx.nonce = json.at("nonce").uint64();
    tx.gas_limit = json.at("gasLimit").element(indexes.gas).uint64();
    tx.value = json.at("value").element(indexes.value).uint256();
    tx.data = json.at("data").element(indexes.data).bytes();
    if (const auto to = json.find("to"); to && !to->string().empty()) tx.to = to->address();
    if (const auto lists = json.find("accessLists");
        lists && indexes.data < element_count(*lists)) {
        const JsonView list = lists->element(indexes.data);
        if (!list.is_null()) {
            tx.type = TransactionType::access_list;
            tx.access_list = parse_access_list(list);
        }
    }
    if (const auto max_fee = json.find("maxFeePerGas")) {
        tx.type = TransactionType::dynamic_fee;
        tx.max_fee_per_gas = max_fee->uint256();
        tx.max_priority_fee_per_gas = json.at("maxPriorityFeePerGas").uint256();
    } else {
        tx.max_fee_per_gas = json.at("gasPrice").uint256();
        tx.max_priority_fee_per_gas = tx.max_fee_per_gas;
    }
    if (const auto hashes = json.find("blobVersionedHashes")) {
        tx.type = TransactionType::blob;
        for (std::size_t i = 0; i < element_count(*hashes); ++i)
            tx.blob_versioned_hashes.push_back(hashes->element(i).hash());
    }
    if (const auto max_fee = json.find("maxFeePerBlobGas")) {
        tx.type = TransactionType::blob;
        tx.max_fee_per_blob_gas = max_fee->uint256();
    }
    if (const auto list = json.find("authorizationList")) {
        tx.type = TransactionType::set_code;
        tx.authorization_list = parse_authorization_list(*list);
    }
    return tx;
}

/// Name of the first field in which they differ beside chain id and signature; empty: none.
std::string_view first_difference(const Transaction& a, const Transaction& b) noexcept {
    if (a.type != b.type) return "type";
    if (a.nonce != b.nonce) return "nonce";
    if (a.gas_limit != b.gas_limit) return "gasLimit";
    if (a.to != b.to) return "to";
    if (a.value != b.value) return "value";
    if (a.data != b.data) return "data";
    if (a.max_fee_per_gas != b.max_fee_per_gas) return "gasPrice or maxFeePerGas";
    if (a.max_priority_fee_per_gas != b.max_priority_fee_per_gas) return "maxPriorityFeePerGas";
    if (a.access_list != b.access_list) return "accessLists";
    if (a.max_fee_per_blob_gas != b.max_fee_per_blob_gas) return "maxFeePerBlobGas";
    if (a.blob_versioned_hashes != b.blob_versioned_hashes) return "blobVersionedHashes";
    if (a.authorization_list != b.authorization_list) return "authorizationList";
    return {};
}

/// The header whose rules and values a state test's transaction sees.
BlockHeader header_from_env(const JsonView& env, const ChainConfig& config) {
    BlockHeader header;
    header.beneficiary = env.at("currentCoinbase").address();
    header.gas_limit = env.at("currentGasLimit").uint64();
    header.number = env.at("currentNumber").uint64();
    header.timestamp = env.at("currentTimestamp").uint64();
    if (const auto difficulty = env.find("currentDifficulty"))
        header.difficulty = difficulty->uint256();
    if (const auto random = env.find("currentRandom"))
        header.prev_randao = to_hash(random->uint256());
    if (config.london_block) {
        const auto base_fee = env.find("currentBaseFee");
        header.base_fee_per_gas = base_fee ? base_fee->uint256() : Uint256{kDefaultBaseFee};
    }
    if (config.cancun_time) {
        const auto excess = env.find("currentExcessBlobGas");
        header.excess_blob_gas = excess ? excess->uint64() : 0;
    }
    if (config.amsterdam_time) {
        const auto slot = env.find("slotNumber");
        header.slot_number = slot ? slot->uint64() : 0;
    }
    return header;
}

/// Diffs say the same when they agree up to order.
StateDiff sorted(StateDiff diff) {
    const auto by_address = [](const auto& a, const auto& b) { return a.address < b.address; };
    std::sort(diff.accounts.begin(), diff.accounts.end(), by_address);
    for (auto& account : diff.accounts)
        std::sort(account.storage.begin(), account.storage.end(),
                  [](const auto& a, const auto& b) { return a.slot < b.slot; });
    std::sort(diff.codes.begin(), diff.codes.end(),
              [](const auto& a, const auto& b) { return a.hash < b.hash; });
    return diff;
}

/// Name of the first result in which two interpreters differ; empty: none.
std::string_view first_difference(const vm::Outcome& a, const vm::Outcome& b) {
    if (!vm::is_same_ending(a.status, b.status)) return "status";
    if (a.receipt.gas_used != b.receipt.gas_used) return "gas used";
    if (a.block_gas != b.block_gas) return "gas of the block";
    if (a.output != b.output) return "output";
    if (a.receipt.logs != b.receipt.logs) return "logs";
    if (a.receipt != b.receipt) return "receipt";
    if (sorted(a.diff) != sorted(b.diff)) return "state changes";
    return {};
}

/// A test with what its cases share.
struct TestContext {
    std::string name;
    JsonView json;
    JsonView transaction;
    ledger::MemoryState state;
    std::uint64_t chain_id = 1;
    std::optional<JsonView> blob_schedule;
    std::size_t cases_left = 0;  // whose pre-state has not been used yet
};

class StateTestRunner final : public FileRunner {
public:
    explicit StateTestRunner(const StateTestOptions& options)
        : options_(options), filter_(options.common.run_pattern), tracer_(options.common.tracer) {
        vm::EvmOptions evm_options;
        evm_options.code_cache = vm::make_code_cache(kCodeCacheBytes);
        if (options.common.engine == TestOptions::Engine::plain)
            evm_options.engine = vm::Engine::plain;
        if (options.common.trace) evm_options.tracer = &tracer_;
        evm_ = vm::Evm(evm_options);
        if (options.common.engine == TestOptions::Engine::both) {
            evm_options.engine = vm::Engine::plain;
            evm_options.tracer = nullptr;
            oracle_.emplace(evm_options);
        }
    }

    void run(const std::string& path, std::vector<TestResult>& results) override {
        const JsonView document = parser_.parse_file(path);
        const std::size_t count = member_count(document);
        for (std::size_t i = 0; i < count; ++i) {
            const auto [name, test] = document.member(i);
            if (filter_.matches(std::string(name))) run_test(name, test, results);
        }
    }

private:
    void run_test(std::string_view name, const JsonView& test, std::vector<TestResult>& results) {
        TestContext context{.name = std::string(name),
                            .json = test,
                            .transaction = test.at("transaction"),
                            .state = {},
                            .blob_schedule = std::nullopt};
        for (const auto& account : parse_alloc(test.at("pre")))
            context.state.add(account);
        if (const auto config = test.find("config")) {
            if (const auto chain_id = config->find("chainid"))
                context.chain_id = chain_id->uint64();
            context.blob_schedule = config->find("blobSchedule");
        }
        const JsonView post = test.at("post");
        const std::size_t fork_count = member_count(post);
        for (std::size_t i = 0; i < fork_count; ++i)
            context.cases_left += element_count(post.member(i).second);
        for (std::size_t i = 0; i < fork_count; ++i) {
            const auto [fork, cases] = post.member(i);
            if (!options_.fork.empty() && options_.fork != fork) continue;
            run_fork(context, fork, cases, results);
        }
    }

    void run_fork(TestContext& context, std::string_view fork, const JsonView& cases,
                  std::vector<TestResult>& results) {
        const Network* network = find_cached_network(fork);
        const std::size_t count = element_count(cases);
        for (std::size_t i = 0; i < count; ++i) {
            if (options_.index && *options_.index != i) continue;
            TestResult& result = results.emplace_back();
            result.name = context.name;
            result.fork = std::string(fork);
            if (count > 1) result.index = i;
            if (network == nullptr) {
                result.error = fmt::format("unsupported fork \"{}\"", fork);
                continue;
            }
            ChainConfig config = network->config;
            config.chain_id = context.chain_id;
            if (context.blob_schedule)
                config.blob_schedule =
                    parse_blob_schedule(network->blob_fork_times, context.blob_schedule);
            result.error = run_case(context, config, cases.element(i), result);
            result.pass = result.error.empty();
            if (options_.common.trace) write_trace(result);
        }
    }

    const Network* find_cached_network(std::string_view fork) {
        const auto known = networks_.find(fork);
        if (known != networks_.end()) return &known->second;
        auto network = find_network(fork);
        if (!network) return nullptr;
        return &networks_.emplace(std::string(fork), *std::move(network)).first->second;
    }

    /// @return what is wrong; empty: the case passed.
    std::string run_case(TestContext& context, const ChainConfig& config, const JsonView& json,
                         TestResult& result) {
        --context.cases_left;
        const auto exception = json.find("expectException");
        const std::string_view expected = exception ? exception->string() : std::string_view{};
        CaseIndexes indexes;
        const JsonView index_json = json.at("indexes");
        indexes.data = index_json.at("data").uint64();
        indexes.gas = index_json.at("gas").uint64();
        indexes.value = index_json.at("value").uint64();

        Transaction tx;
        if (const auto bytes = json.find("txbytes")) {
            auto decoded = decode_transaction(bytes->bytes());
            if (!decoded) return check_rejection(context, json, expected, decoded.error(), result);
            tx = *std::move(decoded);
            const auto difference =
                first_difference(tx, transaction_from_members(context.transaction, indexes));
            if (!difference.empty())
                return fmt::format("txbytes and transaction differ in {}", difference);
        } else {
            tx = transaction_from_members(context.transaction, indexes);
            tx.sender = context.transaction.at("sender").address();
            // A legacy one may be of any chain; before EIP-155 it cannot name one.
            if (tx.type != TransactionType::legacy) tx.chain_id = context.chain_id;
        }

        const BlockHeader header = header_from_env(context.json.at("env"), config);
        const bool is_merged = config.terminal_total_difficulty.has_value();
        const BlockEnv env = vm::make_block_env(header, config, is_merged);
        const auto valid = vm::validate(tx, context.state, env, vm::BlockGas::whole(env));
        if (!valid) return check_rejection(context, json, expected, valid.error(), result);
        vm::transition(context.state, hashes_, env, *valid, evm_, outcome_);
        result.gas_used = outcome_.receipt.gas_used;
        if (options_.bench) bench(context, env, *valid, result);
        if (oracle_) {
            vm::transition(context.state, hashes_, env, *valid, *oracle_, oracle_outcome_);
            const auto difference = first_difference(outcome_, oracle_outcome_);
            if (!difference.empty())
                return fmt::format("the interpreters differ in {}", difference);
        }
        return check_outcome(context, json, expected, result);
    }

    std::string check_outcome(TestContext& context, const JsonView& json, std::string_view expected,
                              TestResult& result) {
        // The last case may change the state in place.
        if (context.cases_left == 0) {
            context.state.apply(outcome_.diff);
            result.state_root = ledger::compute_state_root(context.state);
        } else {
            ledger::MemoryState after = context.state;
            after.apply(outcome_.diff);
            result.state_root = ledger::compute_state_root(after);
        }
        if (!expected.empty()) return fmt::format("accepted, but expected {}", expected);
        if (const Hash root = json.at("hash").hash(); *result.state_root != root)
            return fmt::format("post state root mismatch: got {}, want {}",
                               to_string(*result.state_root), to_string(root));
        const Hash logs = logs_hash(outcome_.receipt.logs);
        if (const Hash want = json.at("logs").hash(); logs != want)
            return fmt::format("post state logs hash mismatch: got {}, want {}", to_string(logs),
                               to_string(want));
        return {};
    }

    /// A rejected transaction leaves the state as it was.
    template <typename Error>
    std::string check_rejection(const TestContext& context, const JsonView& json,
                                std::string_view expected, Error error, TestResult& result) {
        result.state_root = ledger::compute_state_root(context.state);
        if (expected.empty()) return fmt::format("unexpected error: {}", to_string(error));
        if (!is_expected(error, expected))
            return fmt::format("rejected for another reason: got {}, want {}", to_string(error),
                               expected);
        if (const Hash root = json.at("hash").hash(); *result.state_root != root)
            return fmt::format("post state root mismatch: got {}, want {}",
                               to_string(*result.state_root), to_string(root));
        return {};
    }

    void bench(const TestContext& context, const BlockEnv& env, const vm::ValidTransaction& valid,
               TestResult& result) {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        auto last = begin;
        do {
            vm::transition(context.state, hashes_, env, valid, evm_, outcome_);
            const auto now = Clock::now();
            const double seconds = std::chrono::duration<double>(now - last).count();
            if (result.best_seconds == 0 || seconds < result.best_seconds)
                result.best_seconds = seconds;
            last = now;
        } while (std::chrono::duration<double>(last - begin).count() < kBenchSeconds);
    }

    void write_trace(const TestResult& result) {
        std::string& text = tracer_.text();
        if (result.state_root)
            text += fmt::format("{{\"stateRoot\": \"{}\"}}\n", to_string(*result.state_root));
        std::fwrite(text.data(), 1, text.size(), stderr);
        text.clear();
    }

    const StateTestOptions options_;
    const NameFilter filter_;
    const DigitHashes hashes_;
    JsonTracer tracer_;
    JsonParser parser_;
    vm::Evm evm_;
    std::optional<vm::Evm> oracle_;  // engine `both`: the plain interpreter
    vm::Outcome outcome_;
    vm::Outcome oracle_outcome_;
    std::map<std::string, Network, std::less<>> networks_;
};

}  // namespace

std::unique_ptr<FileRunner> make_state_test_runner(const StateTestOptions& options) {
    return std::make_unique<StateTestRunner>(options);
}

void register_statetest(Command app, Action& action) {
    Command command = app.add_subcommand("statetest", "Run state tests, as geth's `evm statetest`");
    const auto options = std::make_shared<StateTestOptions>();
    add_test_options(command, options->common);
    command.add_option("--statetest.fork", options->fork, "Run only the cases of this fork");
    const auto index = std::make_shared<long long>(-1);
    command.add_option("--statetest.index", *index, "Run only this case of each fork");
    command.add_flag("--bench", options->bench, "Repeat each transaction and report its best time");
    command.callback([options, index, &action] {
        action = [options, index] {
            if (*index >= 0) options->index = static_cast<std::size_t>(*index);
            return run_test_files(options->common,
                                  [&] { return make_state_test_runner(*options); });
        };
    });
}

}  // namespace heddle::node
