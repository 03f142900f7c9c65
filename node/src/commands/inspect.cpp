// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/inspect.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <consensus_adapter/pump.hpp>
#include <consensus_adapter/sidecar.hpp>
#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>
#include <executor/schedulers.hpp>
#include <ledger/memory_ledger.hpp>
#include <types/object_codec.hpp>

#include "commands/given_block.hpp"
#include "commands/inspection.hpp"
#include "commands/traced_schedule.hpp"
#include "formats/witness_file.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/file.hpp"
#include "program/progress.hpp"
#include "program/say.hpp"

namespace heddle::node {

namespace {

using consensus_adapter::BlockSource;
using consensus_adapter::OrderedBlock;
using consensus_adapter::SourceError;

constexpr std::uint32_t kUsualWorkers = 8;
constexpr std::uint32_t kMaxWorkersDrawn = 64;
constexpr std::string_view kUsualScheduler = executor::kDagScheduler;

std::string scheduler_of(const InspectOptions& options) {
    return options.scheduler.empty() ? std::string{kUsualScheduler} : options.scheduler;
}

/// Blocks up to and including one; those behind it stay where they are.
class SourceUpTo final : public BlockSource {
public:
    SourceUpTo(std::unique_ptr<BlockSource> source, std::uint64_t last)
        : source_(std::move(source)), last_(last) {}

    std::optional<OrderedBlock> next() override {
        if (is_done_) return std::nullopt;
        auto block = source_->next();
        is_done_ = !block || block->start.header.number >= last_;
        is_cut_ = block && is_done_;
        return block;
    }
    const std::optional<SourceError>& error() const noexcept override {
        static const std::optional<SourceError> kNone;
        return is_cut_ ? kNone : source_->error();
    }
    consensus_adapter::SourceProgress progress() const noexcept override {
        return source_->progress();
    }

private:
    const std::unique_ptr<BlockSource> source_;
    const std::uint64_t last_;
    bool is_done_ = false;
    bool is_cut_ = false;
};

/// How the schedulers asked for ran the block. None: nobody has asked.
std::vector<Timeline> trace(const executor::World& world, const Block& block,
                            const InspectOptions& options) {
    std::vector<Timeline> timelines;
    if (!options.traces_schedule) return timelines;
    const std::uint32_t workers = options.workers.value_or(kUsualWorkers);
    timelines.push_back(trace_block(world, block, scheduler_of(options), workers));
    if (!options.beside.empty())
        timelines.push_back(trace_block(world, block, options.beside, workers));
    return timelines;
}

/// Keeps one block as it passes.
class CapturingSink final : public BlockSink {
public:
    /// @param world  Before the block, while it passes; its sink is not used.
    CapturingSink(BlockSink& inner, std::uint64_t number, const executor::World& world,
                  const InspectOptions& options)
        : inner_(inner), number_(number), world_(world), options_(options) {}

    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        if (block.block.header.number == number_)
            captured_ = make(block, trace(world_, block.block, options_));
        block.object_sets.clear();
        block.access_list.clear();
        return inner_.commit(std::move(block));
    }
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override {
        return inner_.state_root_with(diff);
    }
    [[nodiscard]] const std::optional<Inspection>& captured() const noexcept { return captured_; }

private:
    static Inspection make(const FinishedBlock& block, std::vector<Timeline> traces) {
        std::vector<std::uint64_t> gas;
        std::vector<Address> senders;
        std::vector<std::optional<Address>> recipients;
        std::vector<Hash> hashes;
        gas.reserve(block.receipts.size());
        senders.reserve(block.block.transactions.size());
        hashes.reserve(block.block.transactions.size());
        for (const Transaction& tx : block.block.transactions) {
            senders.push_back(tx.sender.value_or(Address{}));
            recipients.push_back(tx.to);
            hashes.push_back(transaction_hash(tx));
        }
        for (const Receipt& receipt : block.receipts)
            gas.push_back(receipt.gas_used);
        std::optional<ListFigures> list = measure_list(block.access_list);
        if (list.has_value()) {
            Bytes encoded;
            encode_block(block.block, encoded);
            list->block_bytes = encoded.size();
            encoded.clear();
            encode_object_sets(block.object_sets, encoded);
            list->set_bytes = encoded.size();
        }
        return make_inspection({.number = block.block.header.number,
                                .hash = header_hash(block.block.header),
                                .sets = block.object_sets,
                                .costs = std::move(gas),
                                .senders = std::move(senders),
                                .recipients = std::move(recipients),
                                .hashes = std::move(hashes),
                                .list = list,
                                .traces = std::move(traces)});
    }

    BlockSink& inner_;
    const std::uint64_t number_;
    const executor::World world_;
    const InspectOptions& options_;
    std::optional<Inspection> captured_;
};

std::string page_of(const Inspection& block, const InspectOptions& options) {
    std::vector<Timeline> timelines = block.traces;
    timelines.push_back(modelled(block, options.workers.value_or(kUsualWorkers)));
    return to_html(block, timelines);
}

std::string render(const Inspection& block, const InspectOptions& options) {
    switch (options.format) {
        case InspectOptions::Format::text:
            return to_text(block);
        case InspectOptions::Format::json:
            return to_json(block);
        case InspectOptions::Format::dot:
            return to_dot(block);
        case InspectOptions::Format::svg:
            return to_svg(to_dot(block));
        case InspectOptions::Format::html:
            return page_of(block, options);
    }
    return {};
}

void show(const std::string& text, const InspectOptions& options) {
    write_file(options.out.empty() ? "-" : options.out, text);
}

ExitCode report_wrong_block(const BlockError& error) {
    say("heddle: wrong block: {}\n", to_string(error));
    return ExitCode::failed;
}

ExitCode inspect_chain(const InspectOptions& options) {
    if (options.input.files.empty())
        fail_input(
            "inspect: no files: name chain files with --genesis FILE and --block N, or give "
            "--datadir DIR, --rpc URL, --witness FILE or --sets FILE");
    if (!options.block) fail_input("inspect: which block? Give --block N");
    if (*options.block == 0) fail_input("inspect: block 0 is genesis and has no transactions");
    ledger::MemoryLedger ledger;
    const Genesis genesis = load_chain_genesis(options.input, "inspect");
    const ledger::CommittedBlock first = ledger.initialize(genesis);
    check_genesis_hash(options.input, first.hash);
    SourceUpTo source(open_chain(options.input, first.hash), *options.block);
    CapturingSink sink(
        ledger, *options.block,
        {.config = genesis.config, .state = ledger.state(), .block_hashes = ledger, .sink = ledger},
        options);

    Progress progress;
    Work done;
    executor::Options executor_options;
    executor_options.record_sets = true;
    executor_options.make_access_lists = true;
    executor_options.on_block = [&](const executor::BlockReport& report) {
        ++done.blocks;
        done.transactions += report.transaction_count;
        done.gas += report.header.gas_used;
        progress.update(
            report.header.number, done,
            static_cast<double>(report.header.number) / static_cast<double>(*options.block));
    };
    const auto executor = executor::make_serial_executor(std::move(executor_options));
    executor->start(
        {.config = genesis.config, .state = ledger.state(), .block_hashes = ledger, .sink = sink},
        executor::make_chain_head(first.header, first.total_difficulty));
    const auto result = consensus_adapter::pump(source, *executor);
    progress.finish();

    if (!result) {
        if (const auto* error = std::get_if<BlockError>(&result.error()))
            return report_wrong_block(*error);
        fail_input("{}", describe(std::get<SourceError>(result.error())));
    }
    if (!sink.captured())
        fail_input("inspect: the files end with block {}, before block {}",
                   ledger.head().header.number, *options.block);
    show(render(*sink.captured(), options), options);
    return ExitCode::ok;
}

ExitCode inspect_block(const GivenBlock& given, const InspectOptions& options) {
    DiscardingSink discarding;
    CapturingSink sink(discarding, given.block.start.header.number,
                       {.config = given.config,
                        .state = given.state,
                        .block_hashes = given.block_hashes,
                        .sink = discarding},
                       options);
    executor::Options executor_options;
    executor_options.record_sets = true;
    executor_options.make_access_lists = true;
    const auto executor = executor::make_serial_executor(std::move(executor_options));
    executor->start({.config = given.config,
                     .state = given.state,
                     .block_hashes = given.block_hashes,
                     .sink = sink},
                    given.head);
    if (const auto taken = executor::run(*executor, given.block); !taken)
        return report_wrong_block(taken.error());
    if (const auto summary = executor->drain(); !summary)
        return report_wrong_block(summary.error());
    show(render(*sink.captured(), options), options);
    return ExitCode::ok;
}

ExitCode inspect_witness(const InspectOptions& options) {
    const KnownChain* chain =
        find_chain(options.input.chain.empty() ? "mainnet" : options.input.chain);
    JsonParser parser;
    const Witness witness = load_witness(parser, options.witness);
    const std::uint64_t number = witness.block.header.number;
    if (options.block && *options.block != number)
        fail_input("{}: holds block {}, not block {}", options.witness, number, *options.block);
    const KnownHashes hashes(witness.block_hashes);
    const ChainConfig config = chain->config();
    return inspect_block({.config = config,
                          .state = witness.state,
                          .block_hashes = hashes,
                          .head = {},
                          .block = make_ordered_block(witness)},
                         options);
}

ExitCode inspect_datadir(const InspectOptions& options) {
    ExitCode result = ExitCode::ok;
    with_stored_block(options.datadir, options.block,
                      [&](const GivenBlock& given) { result = inspect_block(given, options); });
    return result;
}

ExitCode inspect_node(const InspectOptions& options) {
    ExitCode result = ExitCode::ok;
    with_remote_block(options.rpc, options.input.genesis, options.block,
                      [&](const GivenBlock& given) { result = inspect_block(given, options); });
    return result;
}

/// One line of a sidecar's table of contents.
std::string contents_line(const Inspection& block) {
    std::size_t accesses = 0;
    for (const ObjectSet& set : block.sets)
        accesses += set.accesses().size();
    return fmt::format("{:>10} {} {:>6} {:>8} {:>8} {:>7} {:>6}\n", block.number,
                       to_string(block.hash), block.sets.size(), accesses,
                       block.graph.objects.size(), block.graph.edges.size(),
                       block.graph.critical_cost);
}

ExitCode inspect_sidecar(const InspectOptions& options) {
    if (!options.block && options.format != InspectOptions::Format::text)
        fail_input("inspect: which block? Give --block N, or leave --format away for a list");
    auto reader = consensus_adapter::SidecarReader::open(options.input.sets);
    if (!reader) fail_input("{}", describe(reader.error()));
    std::string text = options.block
                           ? std::string{}
                           : fmt::format("{:>10} {:<66} {:>6} {:>8} {:>8} {:>7} {:>6}\n", "block",
                                         "hash", "txs", "accesses", "objects", "edges", "path");
    bool is_found = !options.block;
    for (;;) {
        const auto record = reader->next();
        if (!record) fail_input("{}", describe(record.error()));
        if (!record->has_value()) break;
        if (options.block && (*record)->number != *options.block) continue;
        auto sets = reader->decode(**record);
        if (!sets) fail_input("{}", describe(sets.error()));
        const Inspection block = make_inspection(
            {.number = (*record)->number, .hash = (*record)->hash, .sets = *std::move(sets)});
        text += options.block ? render(block, options) : contents_line(block);
        is_found = true;
        if (options.block) break;
    }
    if (!is_found) fail_input("{}: holds no block {}", options.input.sets, *options.block);
    show(text, options);
    return ExitCode::ok;
}

}  // namespace

ExitCode inspect(const InspectOptions& options) {
    const bool has_chain =
        !options.input.files.empty() || (!options.input.genesis.empty() && options.rpc.empty());
    const int inputs = int{has_chain} + int{!options.witness.empty()} +
                       int{!options.datadir.empty()} + int{!options.rpc.empty()} +
                       int{!options.input.sets.empty()};
    if (inputs > 1)
        fail_input(
            "inspect: one input at a time: chain files with --genesis, or --datadir DIR, or --rpc "
            "URL, or --witness FILE, or --sets FILE");
    const bool knows_chain =
        !options.datadir.empty() || !options.rpc.empty() || !options.input.sets.empty();
    if (!options.input.chain.empty() && knows_chain)
        fail_input("inspect: --chain goes with chain files and --witness; others know their chain");
    const bool is_page = options.format == InspectOptions::Format::html;
    if (options.traces_schedule && (!is_page || !options.input.sets.empty()))
        fail_input("inspect: --trace-schedule needs a block that can be run, and --format html");
    for (const auto& [name, value] :
         {std::pair{"--scheduler", options.scheduler}, {"--beside", options.beside}})
        if (!value.empty() && !options.traces_schedule)
            fail_input("inspect: {} needs --trace-schedule", name);
    if (options.workers.has_value() && !is_page)
        fail_input("inspect: --workers goes with --format html: it is how many are drawn");
    if (options.traces_schedule) check_traceable(scheduler_of(options));
    if (!options.beside.empty()) check_traceable(options.beside);
    if (!options.out.empty()) check_writable(options.out);
    if (!options.input.sets.empty()) return inspect_sidecar(options);
    if (!options.datadir.empty()) return inspect_datadir(options);
    if (!options.rpc.empty()) return inspect_node(options);
    return options.witness.empty() ? inspect_chain(options) : inspect_witness(options);
}

void register_inspect(Command app, Action& action) {
    Command command = app.add_subcommand(
        "inspect", "Show what orders the transactions of a block, and why it did not scale");
    const auto options = std::make_shared<InspectOptions>();
    command.add_option("files", options->input.files,
                       "RLP chain files, era1 and ere files, in order; executed up to the block");
    add_chain_options(command, options->input);
    command.add_option("--datadir", options->datadir,
                       "Show a block of this data directory, while no node runs on it");
    command
        .add_option("--rpc", options->rpc,
                    "Show a block of the node that answers here; --genesis says its rules where "
                    "it does not")
        .type_name("URL");
    command.add_option("--block", options->block,
                       "Number of the block to show; with --datadir and --rpc the newest unless "
                       "given");
    command.add_option("--witness", options->witness,
                       "Show this block in JSON that carries its pre-state (of mainnet unless "
                       "--chain)");
    command.add_option("--sets", options->input.sets,
                       "Show this sidecar: a list of its blocks, or one with --block; without gas, "
                       "each transaction counts 1");
    using Format = InspectOptions::Format;
    command
        .add_choice<Format>("--format", options->format,
                            "text, json, html (a page with the block on workers over time), dot "
                            "(Graphviz), or svg, which runs Graphviz's `dot`",
                            {{"text", Format::text},
                             {"json", Format::json},
                             {"html", Format::html},
                             {"dot", Format::dot},
                             {"svg", Format::svg}},
                            {.names = "{text,json,html,dot,svg}"})
        .default_text("text");
    command.add_flag("--trace-schedule", options->traces_schedule,
                     "With --format html: also how a scheduler really runs the block, measured");
    command.add_option("--scheduler", options->scheduler, "With --trace-schedule: which one")
        .offers(executor::scheduler_names())
        .default_text(std::string{kUsualScheduler});
    command
        .add_option("--beside", options->beside,
                    "With --trace-schedule: another one, to the same scale")
        .offers(executor::scheduler_names());
    command.add_option("--workers", options->workers, "With --format html: on so many")
        .in_range(std::uint32_t{1}, kMaxWorkersDrawn)
        .default_text(std::to_string(kUsualWorkers));
    command.add_option("--out", options->out, "Write to this file, not to standard output");
    command.callback([options, &action] { action = [options] { return inspect(*options); }; });
}

}  // namespace heddle::node
