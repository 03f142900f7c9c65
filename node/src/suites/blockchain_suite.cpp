// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "suites/blockchain_suite.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>
#include <ledger/memory_ledger.hpp>
#include <types/block.hpp>
#include <types/block_access_list.hpp>
#include <types/counted.hpp>
#include <vm/evm.hpp>

#include "formats/block_access_list_json.hpp"
#include "formats/fixture_codec.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "formats/json_counts.hpp"
#include "formats/networks.hpp"
#include "inputs/recording_sink.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/exceptions.hpp"

namespace heddle::node {

namespace {

/// What a fixture's account says against the ledger's; empty: equal.
std::string compare_account(const ledger::MemoryState& state, const GenesisAccount& expected) {
    const auto account = state.account(expected.address);
    const std::string name = to_string(expected.address);
    if (!account) return fmt::format("account {} does not exist", name);
    if (account->nonce != expected.nonce)
        return fmt::format("account {}: nonce is {}, want {}", name, account->nonce,
                           expected.nonce);
    if (account->balance != expected.balance)
        return fmt::format("account {}: balance is {}, want {}", name, to_hex(account->balance),
                           to_hex(expected.balance));
    if (account->code_hash != keccak256(expected.code))
        return fmt::format("account {}: code differs", name);
    std::size_t slots = 0;
    for (const auto& [slot, value] : expected.storage) {
        const Uint256 found = state.storage(expected.address, slot);
        if (found != value)
            return fmt::format("account {}: slot {} is {}, want {}", name, to_hex(slot),
                               to_hex(found), to_hex(value));
        slots += value.is_zero() ? 0u : 1u;
    }
    if (const auto found = state.storage_count(expected.address); found != slots)
        return fmt::format("account {}: {}, want {}", name, counted(found, "slot"), slots);
    return {};
}

std::string compare_state(const ledger::MemoryState& state, const JsonView& expected) {
    const auto accounts = parse_alloc(expected);
    for (const auto& account : accounts)
        if (auto difference = compare_account(state, account); !difference.empty())
            return "post state: " + difference;
    if (state.account_count() != accounts.size())
        return fmt::format("post state: {}, want {}", counted(state.account_count(), "account"),
                           accounts.size());
    return {};
}

/// Object sets of accepted blocks, by block hash.
using SetsByBlock = std::map<Hash, std::vector<ObjectSet>>;

/// A test with its chain.
struct TestChain {
    ChainConfig config;
    ledger::MemoryLedger ledger{{.keep_blocks = true}};
    SetsByBlock sets;
    /// A block continues one of these that is not the last. What is kept is a single chain, so what
    /// comes after that cannot be judged.
    bool has_fork = false;
};

/// Whether the header continues a block of the chain other than its head.
bool is_side_block(const BlockHeader& header, const ledger::MemoryLedger& ledger) {
    for (std::uint64_t number = ledger.head().header.number; number-- != 0;) {
        const auto* block = ledger.block(number);
        if (block == nullptr) return false;
        if (block->hash == header.parent_hash) return true;
    }
    return false;
}

/// Two runs of one test; empty: they came to the same.
std::string compare_runs(const TestChain& serial, const TestChain& parallel) {
    const std::uint64_t head = serial.ledger.head().header.number;
    if (parallel.ledger.head().header.number != head)
        return fmt::format("head is block {}, serially {}", parallel.ledger.head().header.number,
                           head);
    for (std::uint64_t number = head; number != 0; --number) {
        const auto* expected = serial.ledger.block(number);
        const auto* found = parallel.ledger.block(number);
        if (expected == nullptr || found == nullptr) break;
        if (found->hash != expected->hash) return fmt::format("block {}: hash differs", number);
        if (found->receipts != expected->receipts)
            return fmt::format("block {}: receipts differ", number);
    }
    if (parallel.ledger.state_root() != serial.ledger.state_root()) return "state root differs";
    if (parallel.sets != serial.sets) return "object sets differ";
    return {};
}

class BlockTestRunner final : public FileRunner {
public:
    explicit BlockTestRunner(const BlockTestOptions& options)
        : options_(options.common),
          filter_(options.common.run_pattern),
          tracer_(options.common.tracer),
          is_recording_(options.executor.is_parallel()) {
        using Interpreters = TestOptions::Engine;
        if (options.executor.is_parallel() && options_.trace)
            fail_input("blocktest: --trace needs --scheduler serial");
        executor::Options executor_options;
        if (options_.engine != Interpreters::plain) add_engine(options.executor, executor_options);
        executor_options.interpreter = executor::Interpreter::plain;
        if (options_.engine != Interpreters::fast) add_engine(options.executor, executor_options);
    }

    void run(const std::string& path, std::vector<TestResult>& results) override {
        const JsonView document = parser_.parse_file(path);
        const std::size_t count = member_count(document);
        for (std::size_t i = 0; i < count; ++i) {
            const auto [name, test] = document.member(i);
            if (!filter_.matches(std::string(name))) continue;
            TestResult& result = results.emplace_back();
            result.name = std::string(name);
            result.fork = std::string(test.at("network").string());
            for (const Engine& engine : engines_)
                if (result.error.empty() && result.skip.empty())
                    result.error = run_engine(test, engine, result);
            result.pass = result.error.empty() && result.skip.empty();
            if (options_.trace) write_trace();
        }
    }

private:
    /// What a test runs on.
    struct Engine {
        std::unique_ptr<executor::Executor> serial;
        std::unique_ptr<executor::Executor> parallel;  // null: none asked for
    };

    void add_engine(const ExecutorFlags& flags, executor::Options options) {
        Engine& engine = engines_.emplace_back();
        options.record_sets = flags.is_parallel();
        // Called for its checks of the flags, too.
        auto chosen = make_executor(flags, options);
        if (flags.is_parallel()) engine.parallel = std::move(chosen);
        options.code_cache = vm::make_code_cache(kCodeCacheBytes);
        if (options_.trace) options.tracer = &tracer_;
        engine.serial = executor::make_serial_executor(std::move(options));
    }

    /// @return what is wrong; empty: the test passed.
    std::string run_engine(const JsonView& test, const Engine& engine, TestResult& result) {
        TestChain serial;
        auto error = run_test(test, *engine.serial, {}, serial, result);
        if (!error.empty() || !result.skip.empty() || engine.parallel == nullptr) return error;
        TestChain parallel;
        error = run_test(test, *engine.parallel, serial.sets, parallel, result);
        if (error.empty()) error = compare_runs(serial, parallel);
        return error.empty() ? error : "parallel: " + error;
    }

    /// @param sets  Declared for the blocks.
    /// @return what is wrong; empty: the test passed.
    std::string run_test(const JsonView& test, executor::Executor& executor,
                         const SetsByBlock& sets, TestChain& chain, TestResult& result) {
        const auto network = find_network(result.fork);
        if (!network) return fmt::format("unsupported fork \"{}\"", result.fork);
        if (auto error = make_chain(test, *network, chain); !error.empty()) return error;
        RecordingSink sink(chain.ledger, [&chain](const BlockHeader&, const Hash& hash,
                                                  std::vector<ObjectSet> recorded) {
            chain.sets.insert_or_assign(hash, std::move(recorded));
            return true;
        });
        const executor::World world{
            .config = chain.config,
            .state = chain.ledger.state(),
            .block_hashes = chain.ledger,
            .sink = is_recording_ ? static_cast<BlockSink&>(sink) : chain.ledger};
        executor.start(world, chain_head(chain.ledger));
        std::string error = import_blocks(test.at("blocks"), executor, sets, world, chain);
        if (chain.has_fork) result.skip = "side chain";
        return error.empty() && !chain.has_fork ? check_end(test, chain, result) : error;
    }

    std::string import_blocks(const JsonView& blocks, executor::Executor& executor,
                              const SetsByBlock& sets, const executor::World& world,
                              TestChain& chain) {
        const std::size_t count = element_count(blocks);
        for (std::size_t i = 0; i < count && !chain.has_fork; ++i) {
            const JsonView block = blocks.element(i);
            auto error = import_block(block, executor, sets, chain);
            if (!error.empty()) return fmt::format("block {}: {}", i, error);
            if (block.find("expectException")) executor.start(world, chain_head(chain.ledger));
        }
        return {};
    }

    static std::string check_end(const JsonView& test, const TestChain& chain, TestResult& result) {
        result.state_root = chain.ledger.state_root();
        const Hash head = chain.ledger.head().hash;
        if (const Hash want = test.at("lastblockhash").hash(); head != want)
            return fmt::format("last block hash mismatch: got {}, want {}", to_string(head),
                               to_string(want));
        if (const auto post_state = test.find("postState"))
            return compare_state(chain.ledger.state(), *post_state);
        if (const auto root = test.find("postStateHash");
            root && root->hash() != chain.ledger.state_root())
            return fmt::format("post state root mismatch: got {}, want {}",
                               to_string(chain.ledger.state_root()), to_string(root->hash()));
        return {};
    }

    static std::string make_chain(const JsonView& test, const Network& network, TestChain& chain) {
        chain.config = network.config;
        if (const auto config = test.find("config")) {
            if (const auto chain_id = config->find("chainid"))
                chain.config.chain_id = chain_id->uint64();
            if (const auto schedule = config->find("blobSchedule"))
                chain.config.blob_schedule = parse_blob_schedule(network.blob_fork_times, schedule);
        }
        const JsonView header = test.at("genesisBlockHeader");
        Genesis genesis{.config = chain.config,
                        .header = parse_fixture_header(header),
                        .alloc = parse_alloc(test.at("pre"))};
        const Hash claimed_root = genesis.header.state_root;
        const auto& block = chain.ledger.initialize(genesis);
        if (block.header.state_root != claimed_root)
            return fmt::format("genesis state root mismatch: got {}, want {}",
                               to_string(block.header.state_root), to_string(claimed_root));
        if (const auto hash = header.find("hash"); hash && hash->hash() != block.hash)
            return fmt::format("genesis hash mismatch: got {}, want {}", to_string(block.hash),
                               to_string(hash->hash()));
        return {};
    }

    /// The ledger's head as the start of a stream.
    static executor::ChainHead chain_head(const ledger::MemoryLedger& ledger) {
        executor::ChainHead head;
        head.total_difficulty = ledger.head().total_difficulty;
        std::uint64_t number = ledger.head().header.number;
        while (head.ancestors.size() < kAncestorsForOmmers) {
            const auto* block = ledger.block(number);
            if (block == nullptr) break;
            Ancestor ancestor{.header = block->header, .hash = block->hash, .ommers = {}};
            for (const auto& ommer : block->ommers)
                ancestor.ommers.push_back(header_hash(ommer));
            head.ancestors.push_back(std::move(ancestor));
            if (number-- == 0) break;
        }
        return head;
    }

    /// @return what is wrong with how the block was received; empty: as expected.
    static std::string import_block(const JsonView& json, executor::Executor& executor,
                                    const SetsByBlock& sets, TestChain& chain) {
        const auto exception = json.find("expectException");
        const std::string_view expected = exception ? exception->string() : std::string_view{};
        const Bytes bytes = json.at("rlp").bytes();
        auto block = decode_block(bytes);
        if (!block) return judge(block.error(), expected);
        const BlockHeader header = block->header;
        const auto declared = sets.find(header_hash(header));
        executor::OrderedBlock ordered = executor::make_ordered_block(*std::move(block));
        ordered.start.encoded_size_bytes = bytes.size();
        if (const auto list = json.find("blockAccessListRLP"))
            ordered.start.access_list = list->bytes();
        if (declared != sets.end()) ordered.object_sets = declared->second;
        if (const auto error = execute(std::move(ordered), executor)) {
            auto verdict = judge(*error, expected);
            chain.has_fork = !verdict.empty() && error->code == BlockErrorCode::unknown_parent &&
                             is_side_block(header, chain.ledger);
            return chain.has_fork ? std::string{} : verdict;
        }
        if (!expected.empty()) return fmt::format("accepted, but expected {}", expected);
        return check_access_list(json, header);
    }

    /// The list as the fixture has it, in both forms, against the header's hash, which execution
    /// has found right. @return what is wrong; empty: nothing.
    static std::string check_access_list(const JsonView& json, const BlockHeader& header) {
        const auto encoded = json.find("blockAccessListRLP");
        if (!encoded) return {};
        const Bytes bytes = encoded->bytes();
        if (header.block_access_list_hash != keccak256(bytes))
            return "blockAccessListRLP has another hash than the header";
        const auto list = decode_block_access_list(bytes);
        if (!list) return "blockAccessListRLP: " + to_string(list.error());
        const std::size_t count = element_count(json.at("transactions"));
        if (const auto form = check_form(*list, count, header.gas_limit); !form)
            return "blockAccessListRLP: " + to_string(form.error());
        Bytes again;
        encode_block_access_list(*list, again);
        if (again != bytes) return "blockAccessListRLP does not come back";
        const auto difference =
            first_difference(parse_fixture_access_list(json.at("blockAccessList")), *list);
        return difference ? "blockAccessList: " + to_string(*difference) : std::string{};
    }

    static std::optional<BlockError> execute(executor::OrderedBlock block,
                                             executor::Executor& executor) {
        if (auto taken = executor::run(executor, std::move(block)); !taken)
            return std::move(taken).error();
        auto summary = executor.drain();
        return summary ? std::nullopt : std::optional(std::move(summary).error());
    }

    template <typename Error>
    static std::string judge(const Error& error, std::string_view expected) {
        if (expected.empty()) return fmt::format("rejected: {}", to_string(error));
        if (!is_expected(error, expected))
            return fmt::format("rejected for another reason: got {}, want {}", to_string(error),
                               expected);
        return {};
    }

    void write_trace() {
        std::string& text = tracer_.text();
        std::fwrite(text.data(), 1, text.size(), stderr);
        text.clear();
    }

    const TestOptions options_;
    const NameFilter filter_;
    JsonTracer tracer_;
    JsonParser parser_;
    const bool is_recording_;
    std::vector<Engine> engines_;  // each test runs on all of them
};

}  // namespace

std::unique_ptr<FileRunner> make_block_test_runner(const BlockTestOptions& options) {
    return std::make_unique<BlockTestRunner>(options);
}

void register_blocktest(Command app, Action& action) {
    Command command =
        app.add_subcommand("blocktest", "Run blockchain tests, as geth's `evm blocktest`");
    const auto options = std::make_shared<BlockTestOptions>();
    add_test_options(command, options->common);
    // A file at a time on each processor is faster.
    options->executor.scheduler = executor::kSerialScheduler;
    add_executor_flags(command, options->executor, "--dag-workers");
    command.callback([options, &action] {
        action = [options] {
            static_cast<void>(make_block_test_runner(*options));  // reports contradictions at once
            // Threads of both kinds would fight over the processors.
            if (options->executor.is_parallel() && options->common.workers == 0)
                options->common.workers = 1;
            return run_test_files(options->common,
                                  [&] { return make_block_test_runner(*options); });
        };
    });
}

}  // namespace heddle::node
