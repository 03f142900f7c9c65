// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The generate command: options, the loop over blocks, files.
#include "commands/generate.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/counted.hpp>
#include <workload/generator.hpp>
#include <workload/random.hpp>
#include <workload/world.hpp>

#include "building/chain_maker.hpp"
#include "inputs/fork_flag.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "program/made_folder.hpp"
#include "program/quantities.hpp"
#include "program/say.hpp"
#include "program/terminal.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using workload::Workload;

constexpr std::uint64_t kUsualGasLimit = 60'000'000;  // of mainnet blocks in 2026
constexpr std::uint64_t kSecondsPerBlock = 12;
constexpr std::uint32_t kWithdrawalsPerBlock = 4;
constexpr std::uint64_t kMaxBlocks = 10'000'000;
constexpr std::uint32_t kMaxTransactionsPerBlock = 100'000;
constexpr std::uint32_t kMaxIdleAccountsOfStates = 1'000'000'000;
constexpr std::uint64_t kMaxIdleSlots = 10'000'000'000;
constexpr std::uint64_t kMaxGasPerBlock = 10'000'000'000;

/// More gas than a transaction of the workload uses on average.
std::uint64_t generous_average_gas(Workload kind) {
    switch (kind) {
        case Workload::transfers:
            return 21'000;
        case Workload::erc20:
            return 70'000;
        case Workload::swaps:
            return 150'000;
        case Workload::storage:
            return 500'000;
        case Workload::creations:
            return 600'000;
        case Workload::mixed:
            return 120'000;
    }
    return workload::kMaxGasLimit;
}

constexpr std::string_view kGenesisFile = "genesis.json";
constexpr std::string_view kChainFile = "chain.rlp";

std::string partial_name(std::string_view name) {
    return std::string{name} + ".partial";
}

/// Whether nothing is in it but what an attempt that was killed has left, which is no chain.
bool is_unused(const fs::path& folder, std::error_code& error) {
    for (fs::directory_iterator entry{folder, error}, end; !error && entry != end;
         entry.increment(error)) {
        const fs::path name = entry->path().filename();
        if (name != partial_name(kGenesisFile) && name != partial_name(kChainFile)) return false;
        if (entry->symlink_status(error).type() != fs::file_type::regular) return false;
    }
    return true;
}

/// Errors: InputError where chains do not belong there, or it could not be made.
void check_folder(const GenerateOptions& options, const MadeFolder& made) {
    const fs::path folder = options.out;
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_directory(folder, error))
        fail_input("{}: is not a folder", options.out);
    if (made.error()) fail_input("{}: cannot be created: {}", options.out, made.error().message());
    const bool is_free = is_unused(folder, error);
    if (error) fail_input("{}: cannot be read: {}", options.out, error.message());
    if (!is_free && !options.overwrite)
        fail_input("{}: is not empty; choose another folder, or overwrite with --force",
                   options.out);
}

/// A file that appears under its name only once all files of the chain are complete, and leaves
/// nothing where they are not: one without the other is no chain, and would be in the way of the
/// next attempt.
class ChainFile {
public:
    ChainFile(const fs::path& folder, std::string_view name)
        : path_(folder / name),
          partial_(folder / partial_name(name)),
          stream_(partial_, std::ios::binary | std::ios::trunc) {
        require_good();
    }
    ChainFile(const ChainFile&) = delete;
    ChainFile& operator=(const ChainFile&) = delete;
    ~ChainFile() {
        std::error_code ignored;
        if (!is_published_) fs::remove(partial_, ignored);
    }

    [[nodiscard]] std::ostream& stream() noexcept { return stream_; }

    void write(BytesView bytes) {
        // A stream writes characters; these are the same bytes.
        stream_.write(reinterpret_cast<const char*>(bytes.data()),  // NOLINT
                      static_cast<std::streamsize>(bytes.size()));
        require_good();
    }
    /// All of it is written.
    void complete() {
        stream_.close();
        require_good();
    }
    /// Follows complete().
    void publish() {
        std::error_code error;
        fs::rename(partial_, path_, error);
        if (error) fail_input("{}: cannot be written: {}", path_.string(), error.message());
        is_published_ = true;
    }

private:
    void require_good() const {
        if (!stream_.good())
            fail_input("{}: cannot be written: {}", path_.string(), std::strerror(errno));
    }

    fs::path path_;
    fs::path partial_;
    std::ofstream stream_;
    bool is_published_ = false;
};

/// Writes the file and returns what it says.
Genesis write_genesis(const GenerateOptions& options, workload::Generator& generator,
                      ChainFile& file) {
    Genesis genesis =
        workload::make_genesis(generator.take_alloc(), options.workload, block_gas_limit(options));
    workload::write_genesis_json(genesis, file.stream());
    file.complete();
    return genesis;
}

/// Everything about blocks that is not transactions.
class BlockPlanner {
public:
    BlockPlanner(const workload::World& world, std::uint64_t seed)
        : world_(world), random_(~seed) {}  // another stream than the transactions'

    BlockPlan next(std::uint64_t number) {
        BlockPlan plan;
        plan.timestamp = workload::kGenesisTimestamp + kSecondsPerBlock * number;
        plan.beneficiary = world_.beneficiaries[number % world_.beneficiaries.size()];
        plan.prev_randao = random_hash();
        plan.parent_beacon_block_root = random_hash();
        plan.extra_data = {'h', 'e', 'd', 'd', 'l', 'e'};
        for (std::uint32_t i = 0; i < kWithdrawalsPerBlock; ++i) {
            const auto account = static_cast<std::uint32_t>(world_.accounts.size());
            plan.withdrawals.push_back({withdrawal_index_++, random_.below(1'000'000),
                                        world_.accounts[random_.below(account)].address,
                                        1 + random_.below(20'000'000)});
        }
        return plan;
    }

private:
    Hash random_hash() {
        return to_hash({random_.next(), random_.next(), random_.next(), random_.next()});
    }

    const workload::World& world_;
    workload::Random random_;
    std::uint64_t withdrawal_index_ = 0;
};

void fill_block(const GenerateOptions& options, workload::Generator& generator, ChainMaker& maker) {
    const bool by_gas = options.gas_per_block != 0;
    for (std::uint32_t count = 0;
         by_gas ? maker.gas_used() < options.gas_per_block : count < options.txs; ++count) {
        const auto added = maker.add(generator.next(maker.base_fee_per_gas(), maker.blobs_left(),
                                                    maker.revision() >= Revision::prague));
        if (!added)
            fail_input("block {}, transaction {}: {}; ask for fewer transactions per block",
                       maker.head().number + 1, count, to_string(added.error()));
    }
}

Block make_block(const GenerateOptions& options, workload::Generator& generator,
                 BlockPlanner& planner, ChainMaker& maker) {
    const auto begun = maker.begin_block(planner.next(maker.head().number + 1));
    if (!begun) fail_input("{}", to_string(begun.error()));
    fill_block(options, generator, maker);
    auto block = maker.seal();
    if (!block && block.error().code == BlockErrorCode::block_too_large)
        fail_input("{}; ask for fewer transactions per block", to_string(block.error()));
    if (!block) fail_input("{}", to_string(block.error()));
    return *std::move(block);
}

}  // namespace

std::uint64_t block_gas_limit(const GenerateOptions& options) {
    const std::uint64_t used = options.gas_per_block != 0
                                   ? options.gas_per_block
                                   : options.txs * generous_average_gas(options.workload.workload) *
                                         workload::gas_factor(options.workload.revision);
    return std::max(kUsualGasLimit, 2 * used);
}

GenerateSummary generate_chain(const GenerateOptions& options, const GenerateProgress& progress) {
    const fs::path folder = options.out;
    MadeFolder made(folder);
    check_folder(options, made);
    workload::Generator generator(options.workload);
    ChainFile genesis_file(folder, kGenesisFile);
    ChainMaker maker(write_genesis(options, generator, genesis_file));
    BlockPlanner planner(generator.world(), options.workload.seed);
    ChainFile file(folder, kChainFile);
    GenerateSummary summary;
    Bytes encoded;
    while (summary.blocks < options.blocks) {
        const Block block = make_block(options, generator, planner, maker);
        encoded.clear();
        encode_block(block, encoded);
        file.write(encoded);

        ++summary.blocks;
        summary.transactions += block.transactions.size();
        summary.reverted += static_cast<std::uint64_t>(
            std::ranges::count(maker.receipts(), false, &Receipt::success));
        summary.gas_used += block.header.gas_used;
        summary.chain_bytes += encoded.size();
        summary.head_hash = maker.head_hash();
        summary.state_root = block.header.state_root;
        if (progress) progress(summary);
    }
    file.complete();
    file.publish();
    genesis_file.publish();
    made.keep();
    return summary;
}

namespace {

/// The line of progress on a terminal; nothing elsewhere.
class ProgressLine {
public:
    explicit ProgressLine(std::uint64_t blocks) : blocks_(blocks) {}

    void show(const GenerateSummary& summary) {
        const auto now = std::chrono::steady_clock::now();
        if (summary.blocks == blocks_) line_.clear();
        if (!line_.is_terminal() || summary.blocks == blocks_ ||
            now - shown_ < std::chrono::seconds(1))
            return;
        shown_ = now;
        line_.show(fmt::format("block {}/{}  {}  {}", summary.blocks, blocks_,
                               counted(summary.transactions, "transaction"),
                               format_gas(summary.gas_used)));
    }

private:
    std::uint64_t blocks_;
    RewrittenLine line_;
    std::chrono::steady_clock::time_point shown_{};
};

struct Arguments {
    GenerateOptions options;
    std::string workload = "mixed";
    std::string fork{fork_name(workload::kDefaultRevision)};
    std::uint64_t fork_block = 0;
    double contention = 0;
    bool is_snapshot = false;
};

GenerateOptions checked(const Arguments& arguments) {
    GenerateOptions options = arguments.options;
    if (!arguments.is_snapshot && options.workload.idle_accounts > workload::kMaxIdleAccounts)
        fail_input("--idle-accounts {}: at most {} without --snapshot",
                   options.workload.idle_accounts, workload::kMaxIdleAccounts);
    if (!arguments.is_snapshot && options.idle_slots != 0)
        fail_input("--idle-slots {}: only with --snapshot", options.idle_slots);
    const auto kind = workload::workload_from_string(arguments.workload);
    if (!kind)
        fail_input("--workload {}: not one of transfers, erc20, swaps, storage, creations, mixed",
                   arguments.workload);
    options.workload.workload = *kind;
    options.workload.revision = revision_of("--fork", arguments.fork);
    if (arguments.fork_block != 0) {
        if (options.workload.revision == workload::kFirstRevision)
            fail_input("--fork-at {}: there is nothing before {} that chains are made of",
                       arguments.fork_block, arguments.fork);
        options.workload.fork_time =
            workload::kGenesisTimestamp + kSecondsPerBlock * arguments.fork_block;
    }
    if (!(arguments.contention >= 0 && arguments.contention <= 1))
        fail_input("--contention {}: not between 0 and 1", arguments.contention);
    options.workload.contention_ppm =
        static_cast<std::uint32_t>(std::lround(arguments.contention * workload::kMillion));
    return options;
}

ExitCode run(const Arguments& arguments) {
    const GenerateOptions options = checked(arguments);
    if (arguments.is_snapshot) {
        const GenerateSummary made = generate_state(options);
        fmt::print("{}: a snapshot of block 0\nhead {}\nstate root {}\n", options.out,
                   to_string(made.head_hash), to_string(made.state_root));
        return ExitCode::ok;
    }
    if (arguments.fork_block > options.blocks)
        say("heddle: --fork-at {}: the chain ends at block {}, before the rules of {} begin\n",
            arguments.fork_block, options.blocks, arguments.fork);
    ProgressLine line(options.blocks);
    const GenerateSummary summary =
        generate_chain(options, [&](const GenerateSummary& so_far) { line.show(so_far); });
    fmt::print("{0}/genesis.json, {0}/chain.rlp: {1}, {2} ({3} reverted), {4}, {5}\n", options.out,
               counted(summary.blocks, "block"), counted(summary.transactions, "transaction"),
               summary.reverted, format_gas(summary.gas_used), format_bytes(summary.chain_bytes));
    fmt::print("head {}\nstate root {}\n", to_string(summary.head_hash),
               to_string(summary.state_root));
    return ExitCode::ok;
}

}  // namespace

void register_generate(Command app, Action& action) {
    auto arguments = std::make_shared<Arguments>();
    GenerateOptions& options = arguments->options;
    Command command = app.add_subcommand(
        "generate", "Make a valid chain from a seed: genesis.json and chain.rlp");
    command.add_option("--seed", options.workload.seed, "What the chain follows from")
        .capture_default();
    command.add_option("--blocks", options.blocks, "Number of blocks")
        .in_range(std::uint64_t{1}, kMaxBlocks)
        .capture_default();
    const Option txs = command.add_option("--txs", options.txs, "Transactions per block")
                           .in_range(std::uint32_t{1}, kMaxTransactionsPerBlock)
                           .capture_default();
    command.add_option("--gas-per-block", options.gas_per_block, "Fill blocks up to this much gas")
        .in_range(std::uint64_t{21'000}, kMaxGasPerBlock)
        .excludes(txs);
    command.add_option("--accounts", options.workload.accounts, "Funded senders")
        .in_range(workload::kMinAccounts, workload::kMaxAccounts)
        .capture_default();
    command
        .add_option("--idle-accounts", options.workload.idle_accounts,
                    "Accounts besides that send nothing and receive plain transfers")
        .in_range(std::uint32_t{0}, kMaxIdleAccountsOfStates)
        .capture_default();
    command
        .add_option("--idle-slots", options.idle_slots,
                    "With --snapshot: slots of contracts that nobody calls")
        .in_range(std::uint64_t{0}, kMaxIdleSlots)
        .capture_default();
    command.add_flag("--snapshot", arguments->is_snapshot,
                     "Write only the state before the first block, of any size, as a snapshot "
                     "that `heddle snapshot restore` takes; --out must not exist");
    command
        .add_option("--workload", arguments->workload,
                    "transfers, erc20, swaps, storage, creations or mixed")
        .offers({"transfers", "erc20", "swaps", "storage", "creations", "mixed"})
        .capture_default();
    command
        .add_option("--contention", arguments->contention,
                    "Share, from 0 to 1, of transactions that go to the one hot recipient, token, "
                    "pool or contract")
        .capture_default();
    command.add_option("--fork", arguments->fork, "Rules: " + known_forks())
        .offers(fork_choices())
        .capture_default();
    command
        .add_option("--fork-at", arguments->fork_block,
                    "First block with these rules; before it those of the fork before (default: "
                    "all blocks)")
        .in_range(std::uint64_t{1}, kMaxBlocks);
    command.add_option("--out", options.out, "Folder to write to; made if it is not there")
        .required();
    command.add_flag("--force", options.overwrite, "Write into a folder that is not empty");
    command.callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace heddle::node
