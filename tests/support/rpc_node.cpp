// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc_node.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include <consensus_adapter/pump.hpp>
#include <executor/executor.hpp>
#include <ledger/durable_ledger.hpp>

#include "fixtures.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "inputs/chain_input.hpp"
#include "inputs/executor_flags.hpp"
#include "inputs/ledger_flags.hpp"
#include "program/error.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/methods/all_methods.hpp"
#include "rpc/methods/testing_api.hpp"
#include "temporary_folder.hpp"

namespace heddle::test {
namespace {

using node::JsonView;
using node::JsonWriter;
using node::rpc::Code;
using node::rpc::RpcError;

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTimeLimit{120};
constexpr std::size_t kMaxResultBytes = std::size_t{64} << 20;

std::unique_ptr<ledger::DurableLedger> make_ledger(const std::string& folder,
                                                   const Genesis& genesis) {
    ledger::DurableLedgerOptions options;
    options.directory = folder;
    options.sync.blocks = ledger::kArchive;
    options.sync.interval = std::chrono::hours{1};
    options.history_blocks = ledger::kArchive;
    options.memory_bytes = std::size_t{64} << 20;
    return node::create_ledger(std::move(options), genesis);
}

/// Executes the blocks of the files and commits them.
void import(ledger::DurableLedger& ledger, const ChainConfig& config,
            const std::vector<std::string>& files) {
    node::ChainInput input;
    input.files = files;
    const auto source = node::open_chain(input, ledger.head().hash);
    node::ExecutorFlags flags;
    flags.scheduler = executor::kSerialScheduler;
    executor::Options options;
    options.record_sets = true;
    const auto executor = node::make_executor(flags, options);
    const ledger::StoredHeader head = ledger.head();
    auto ancestors = ledger.ancestors(head.header.number);
    executor->start(
        {.config = config, .state = ledger.state(), .block_hashes = ledger, .sink = ledger},
        {std::move(ancestors.value()), head.total_difficulty});
    if (const auto done = consensus_adapter::pump(*source, *executor); !done.has_value())
        throw std::runtime_error("the chain does not import: " + to_string(done.error()));
}

}  // namespace

struct RpcNode::State {
    State(const Genesis& genesis, const RpcNodeOptions& options)
        : ledger(make_ledger(folder / "data", genesis)) {
        const ChainConfig config = node::stored_chain_config(*ledger);
        if (!options.chain_files.empty()) import(*ledger, config, options.chain_files);
        ledger::SyncPolicy sync;
        sync.blocks = ledger::kArchive;
        chain = std::make_unique<node::Chain>(*ledger, config, sync);
        mempool = std::make_unique<node::Mempool>(options.mempool, *chain);
        services.emplace(node::rpc::Services{*chain, *mempool, "heddle/test", options.limits,
                                             nullptr, options.local_callers,
                                             options.seals_at_once});
        services->gas_limit = options.gas_limit;
        node::rpc::add_all_methods(methods, *services);
        node::rpc::add_testing_methods(methods, *services);
    }

    const TemporaryFolder folder;
    const std::unique_ptr<ledger::DurableLedger> ledger;
    std::unique_ptr<node::Chain> chain;
    std::unique_ptr<node::Mempool> mempool;
    std::optional<node::rpc::Services> services;
    node::rpc::MethodTable methods;
    const node::rpc::Responder responder{methods};
};

RpcNode::RpcNode(const Genesis& genesis, const RpcNodeOptions& options)
    : state_(std::make_unique<State>(genesis, options)) {}

RpcNode::~RpcNode() = default;

node::Chain& RpcNode::chain() noexcept {
    return *state_->chain;
}

node::Mempool& RpcNode::mempool() noexcept {
    return *state_->mempool;
}

const node::rpc::Services& RpcNode::services() const noexcept {
    return *state_->services;
}

node::rpc::MethodTable& RpcNode::methods() noexcept {
    return state_->methods;
}

std::string RpcNode::dispatch(std::string_view request) const {
    return state_->responder.answer(request, {}, Clock::now() + kTimeLimit);
}

std::string RpcNode::call(std::string_view name, std::string_view params) const {
    const node::rpc::Method* method = state_->methods.find(name);
    if (method == nullptr) throw RpcError(Code::method_not_found, "no method " + std::string{name});
    node::JsonParser parser;
    std::optional<JsonView> json;
    if (!params.empty()) json = parser.parse(params, "params");
    std::string result;
    JsonWriter out(result, JsonWriter::Style::compact);
    try {
        method->handler({.params = node::rpc::Params{json},
                         .deadline = Clock::now() + kTimeLimit,
                         .max_result_bytes = kMaxResultBytes,
                         .session = nullptr},
                        out);
    } catch (const node::InputError& error) {
        throw RpcError(Code::invalid_params, error.what());
    }
    return result;
}

std::unique_ptr<RpcNode> make_rpc_node(const std::filesystem::path& genesis_file,
                                       const RpcNodeOptions& options) {
    return std::make_unique<RpcNode>(node::load_genesis(genesis_file.native()), options);
}

std::unique_ptr<RpcNode> make_conversation_node(std::filesystem::path* folder) {
    const auto archive = fixture_archive("rpc-tests");
    if (!archive.has_value()) return nullptr;
    const std::filesystem::path inner = *archive / "rpc-tests";
    if (folder != nullptr) *folder = inner;
    RpcNodeOptions options;
    options.chain_files = {(inner / "chain.rlp").native()};
    // That of the node which wrote the conversations.
    options.gas_limit = 60'000'000;
    return make_rpc_node(inner / "genesis.json", options);
}

}  // namespace heddle::test
