// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a decided block costs a validator: ABCI's ProcessProposal, FinalizeBlock and Commit of mixed
// blocks, with the DAG scheduler and with the serial one, in turn in one run. Each of them has a
// ledger on the disk of its own and comes to the same blocks. bench/README.md has the method.
#include <algorithm>
#include <array>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <consensus_adapter/block_rules.hpp>
#include <measure/statistics.hpp>
#include <types/assert.hpp>
#include <workload/generator.hpp>
#include <workload/random.hpp>

#include "arguments.hpp"
#include "block_ledger.hpp"
#include "building/block_builder.hpp"
#include "building/chain_application.hpp"
#include "cometbft/abci_application.hpp"
#include "cometbft/block_preamble.hpp"
#include "cometbft/transaction_gate.hpp"
#include "machine.hpp"
#include "table.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::measure;
using namespace heddle::consensus_adapter::cometbft;
namespace fs = std::filesystem;

/// For --help.
constexpr const char* kPurpose =
    "What a decided block costs a validator: ABCI's ProcessProposal, FinalizeBlock and "
    "Commit, with the DAG scheduler and with the serial one, in turn, each on a ledger of its "
    "own.";

constexpr std::uint64_t kSecondsPerBlock = 2;
constexpr std::uint64_t kGasLimit = 60'000'000;
const std::string kProposer(20, 'p');  // its address

std::uint64_t time_of(std::uint64_t number) {
    return workload::kGenesisTimestamp + kSecondsPerBlock * number;
}

/// A validator without CometBFT.
class Validator final : public AbciHost {
public:
    Validator(const fs::path& folder, const Genesis& genesis, const std::string& scheduler,
              unsigned workers)
        : ledger_(make_block_ledger(folder, genesis)),
          chain_(*ledger_, genesis.config, sync_each_block()),
          mempool_({}, chain_),
          application_(chain_, mempool_, application_options(scheduler, workers)),
          gate_(mempool_) {
        options_.on_decision = [this](const DecisionReport& report) { decision_ = report; };
    }

    [[nodiscard]] node::Chain& blocks() noexcept { return chain_; }
    [[nodiscard]] const DecisionReport& decision() const noexcept { return decision_; }
    /// Of the last execution.
    [[nodiscard]] const executor::Timing& timing() const noexcept { return timing_; }

    void admit(const std::vector<Bytes>& items) {
        for (std::size_t i = 1; i < items.size(); ++i)
            (void)gate_.admit(items[i]);
    }
    /// @return milliseconds.
    double ask(const abci::Request& request) {
        abci::Response response;
        const std::uint64_t start = now_ns();
        const auto failure = abci_.answer(request, response);
        const std::uint64_t end = now_ns();
        HEDDLE_ASSERT(!failure.has_value() && !response.has_exception());
        if (response.has_process_proposal())
            HEDDLE_ASSERT(response.process_proposal().status() == 1);
        return static_cast<double>(end - start) / 1e6;
    }

    // As AbciHost.
    [[nodiscard]] std::optional<AbciChain> chain() override {
        return AbciChain{&application_, &gate_, nullptr};
    }
    [[nodiscard]] std::expected<void, std::string> begin_chain(const ChainStart&) override {
        return {};
    }
    [[nodiscard]] std::uint64_t on_committed(const consensus_adapter::BlockId&) override {
        return 0;
    }
    [[nodiscard]] SnapshotHost* snapshots() override { return nullptr; }

private:
    node::ChainApplicationOptions application_options(const std::string& scheduler,
                                                      unsigned workers) {
        node::ChainApplicationOptions options;
        options.scheduler = scheduler;
        options.executor.parallel.workers = workers;
        options.executor.on_block = [this](const executor::BlockReport& report) {
            timing_ = report.timing;
        };
        return options;
    }

    executor::Timing timing_;
    std::unique_ptr<ledger::DurableLedger> ledger_;
    node::Chain chain_;
    node::Mempool mempool_;
    node::ChainApplication application_;
    node::GossipGate gate_;
    AbciServerOptions options_;
    DecisionReport decision_;
    AbciApplication abci_{*this, options_};
};

/// A list as a proposer decides on it.
struct Decided {
    std::vector<Bytes> items;
    std::size_t transactions = 0;
    std::uint64_t bytes = 0;
};

/// The transactions of a block, in order, and what each accesses.
struct Content {
    std::vector<Bytes> encoded;
    std::vector<ObjectSet> sets;
};

/// What a proposer says of its list.
enum class Claims : std::uint8_t { right, none, lies, unexecutable };
constexpr std::array kAllClaims{Claims::right, Claims::none, Claims::lies, Claims::unexecutable};

const char* name_of(Claims claims) {
    switch (claims) {
        case Claims::right:
            return "declared";
        case Claims::none:
            return "no sets";
        case Claims::lies:
            return "wrong sets";
        case Claims::unexecutable:
            return "10 % unexecutable";
    }
    return "";
}

/// A tenth more, each one that is there already, somewhere behind it: its nonce is used.
Content with_unexecutable(const Content& content, workload::Random& random) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < content.encoded.size(); ++i) {
        order.push_back(i);
        if (i % 10 == 9) order.push_back(i - random.below(9));
    }
    Content result;
    for (const std::size_t i : order) {
        result.encoded.push_back(content.encoded[i]);
        result.sets.push_back(content.sets[i]);
    }
    return result;
}

Decided decide(const Content& honest, Claims claims, workload::Random& random) {
    Content content = claims == Claims::unexecutable ? with_unexecutable(honest, random) : honest;
    // Everybody has somebody else's.
    if (claims == Claims::lies)
        std::rotate(content.sets.begin(), content.sets.begin() + 1, content.sets.end());
    if (claims == Claims::none) content.sets.clear();
    Decided decided;
    decided.transactions = content.encoded.size();
    decided.items.push_back(encode_preamble({.beneficiary = address_from_low64(0xfee),
                                             .gas_limit = kGasLimit,
                                             .object_sets = std::move(content.sets)}));
    std::ranges::move(content.encoded, std::back_inserter(decided.items));
    for (const Bytes& item : decided.items)
        decided.bytes += item.size();
    return decided;
}

/// Executes the generator's transactions on the head as a proposer does, up to `gas`.
Content make_content(workload::Generator& generator, Validator& author, std::uint64_t gas) {
    node::Chain& chain = author.blocks();
    const ledger::StoredHeader head = chain.head();
    BlockHeader header = chain.next_header(head, time_of(head.header.number + 1));
    header.gas_limit = kGasLimit;
    header.beneficiary = address_from_low64(0xfee);
    header.prev_randao = consensus_adapter::prev_randao_after({head.header.number, head.hash});
    header.extra_data.assign(kProposer.begin(), kProposer.end());
    const BlockEnv env = chain.env_of_next(header, head);
    node::BlockBuilder builder{chain.config(), chain.ledger().state(), chain.block_hashes()};
    HEDDLE_ASSERT(builder.begin(std::move(header), env, {}).has_value());
    Content content;
    while (builder.gas_used() < gas) {
        const Transaction tx = generator.next(env.base_fee_per_gas, 0);
        HEDDLE_ASSERT(builder.add(tx).has_value());
        encode_transaction(tx, content.encoded.emplace_back());
    }
    content.sets = builder.object_sets();
    return content;
}

template <typename Part>
void fill(Part& part, const Decided& decided, std::uint64_t number) {
    for (const Bytes& item : decided.items)
        part.add_txs(as_field(item));
    part.set_height(as_signed(number));
    part.mutable_time()->set_seconds(as_signed(time_of(number)));
    part.set_proposer_address(kProposer);
    part.set_hash("hash of " + std::to_string(number));
}

struct Times {
    double process = 0;  // milliseconds, as the others
    double finalize = 0;
    double commit = 0;
    // Parts of finalize.
    double execution = 0;
    double root = 0;
};

/// How a decided block comes: after its proposal, with its transactions pending, as in a running
/// network; or out of the blue, as when a validator catches up.
Times run_block(Validator& validator, const Decided& decided, std::uint64_t number,
                bool is_proposed) {
    Times times;
    if (is_proposed) {
        validator.admit(decided.items);
        abci::Request process;
        fill(*process.mutable_process_proposal(), decided, number);
        times.process = validator.ask(process);
    }
    abci::Request finalize;
    fill(*finalize.mutable_finalize_block(), decided, number);
    times.finalize = validator.ask(finalize);
    times.execution = static_cast<double>(validator.timing().execution_ns) / 1e6;
    times.root = static_cast<double>(validator.timing().commit_ns) / 1e6;
    abci::Request commit;
    commit.mutable_commit();
    times.commit = validator.ask(commit);
    return times;
}

struct Plan {
    std::uint64_t blocks = 30;
    std::uint64_t warm_up = 5;
    std::uint64_t gas = 30'000'000;
    unsigned workers = 2;
    workload::Options workload;
};

/// One validator that takes lists of one kind, with one scheduler.
struct Lane {
    Claims claims{};
    std::unique_ptr<Validator> serial;
    std::unique_ptr<Validator> dag;
    std::vector<Times> serial_times;
    std::vector<Times> dag_times;
};

template <typename Value>
double median_of(const std::vector<Times>& times, Value&& value) {
    std::vector<double> values;
    for (const Times& entry : times)
        values.push_back(value(entry));
    return median(std::move(values));
}

void add_row(Table& table, const Lane& lane, bool is_proposed, double transactions,
             double kilobytes) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < lane.dag_times.size(); ++i)
        ratios.push_back(lane.serial_times[i].finalize / lane.dag_times[i].finalize);
    const auto serial = [&](double Times::* part) {
        return median_of(lane.serial_times, [&](const Times& times) { return times.*part; });
    };
    const auto dag = [&](double Times::* part) {
        return median_of(lane.dag_times, [&](const Times& times) { return times.*part; });
    };
    table.add({name_of(lane.claims), is_proposed ? "proposed" : "decided only", transactions,
               kilobytes, dag(&Times::process), serial(&Times::finalize), dag(&Times::finalize),
               median(ratios), serial(&Times::execution), serial(&Times::root),
               dag(&Times::execution), dag(&Times::root), dag(&Times::commit),
               static_cast<double>(lane.dag->decision().left_out),
               static_cast<double>(lane.dag->decision().wrongly_declared)});
}

void measure_all(Table& table, const Plan& plan, bool is_proposed, const fs::path& folder) {
    workload::Generator generator{plan.workload};
    const Genesis genesis =
        workload::make_genesis(generator.take_alloc(), plan.workload, kGasLimit);
    const std::string oracle{executor::kSerialScheduler};
    Validator author{folder / "author", genesis, oracle, 1};
    std::vector<Lane> lanes;
    for (const Claims claims : kAllClaims) {
        const std::string name = std::to_string(lanes.size());
        Lane& lane = lanes.emplace_back();
        lane.claims = claims;
        lane.serial = std::make_unique<Validator>(folder / ("serial" + name), genesis, oracle, 1);
        lane.dag =
            std::make_unique<Validator>(folder / ("dag" + name), genesis,
                                        std::string{executor::kDefaultScheduler}, plan.workers);
    }
    std::vector<double> transactions(lanes.size());
    std::vector<double> kilobytes(lanes.size());
    workload::Random random{plan.workload.seed};
    for (std::uint64_t number = 1; number <= plan.warm_up + plan.blocks; ++number) {
        const Content content = make_content(generator, author, plan.gas);
        run_block(author, decide(content, Claims::right, random), number, false);
        const Hash hash = author.decision().block.hash;
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            Lane& lane = lanes[i];
            const Decided decided = decide(content, lane.claims, random);
            // The one that goes first changes from block to block.
            Times serial;
            if (number % 2 == 0) serial = run_block(*lane.serial, decided, number, is_proposed);
            const Times dag = run_block(*lane.dag, decided, number, is_proposed);
            if (number % 2 == 1) serial = run_block(*lane.serial, decided, number, is_proposed);
            HEDDLE_ASSERT(lane.serial->decision().block.hash == hash);
            HEDDLE_ASSERT(lane.dag->decision().block.hash == hash);
            if (number <= plan.warm_up) continue;
            lane.serial_times.push_back(serial);
            lane.dag_times.push_back(dag);
            transactions[i] +=
                static_cast<double>(decided.transactions) / static_cast<double>(plan.blocks);
            kilobytes[i] +=
                static_cast<double>(decided.bytes) / 1e3 / static_cast<double>(plan.blocks);
        }
    }
    for (std::size_t i = 0; i < lanes.size(); ++i)
        add_row(table, lanes[i], is_proposed, transactions[i], kilobytes[i]);
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments(argc, argv, kPurpose);
    Plan plan;
    plan.blocks = arguments.number("blocks", plan.blocks, "blocks that are measured");
    plan.warm_up = arguments.number("warm-up", plan.warm_up, "blocks before them");
    plan.gas = arguments.number("gas", plan.gas, "gas limit of a block");
    plan.workers = static_cast<unsigned>(
        arguments.number("workers", plan.workers, "threads of the DAG scheduler"));
    plan.workload.accounts =
        static_cast<std::uint32_t>(arguments.number("accounts", 1'000, "senders"));
    plan.workload.seed =
        arguments.number("seed", plan.workload.seed, "what transactions follow from");
    const std::string directory = arguments.text(
        "directory", "", "where the ledgers lie; without it among the temporary files");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    Tables tables;
    Table& table =
        tables.add("decided blocks, milliseconds, serial time over DAG time", {{"list"},
                                                                               {"came"},
                                                                               {"txs", 0},
                                                                               {"kB", 0},
                                                                               {"process_ms", 2},
                                                                               {"serial_ms", 2},
                                                                               {"dag_ms", 2},
                                                                               {"ratio", 2},
                                                                               {"serial_exec", 2},
                                                                               {"serial_root", 2},
                                                                               {"dag_exec", 2},
                                                                               {"dag_root", 2},
                                                                               {"commit_ms", 2},
                                                                               {"left_out", 0},
                                                                               {"wrong_sets", 0}});
    for (const bool is_proposed : {true, false}) {
        const test::TemporaryFolder folder{directory};
        measure_all(table, plan, is_proposed, folder.path());
    }
    tables.write_json(json);
    return 0;
}
