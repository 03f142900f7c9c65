// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/subject.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include <consensus_adapter/block_source.hpp>
#include <ledger/memory_ledger.hpp>
#include <types/block_error.hpp>
#include <workload/native_contracts.hpp>

#include "benchmark/flat_sink.hpp"
#include "program/error.hpp"
#include "program/file.hpp"

namespace heddle::node::benchmark {

using consensus_adapter::BlockSource;
using executor::OrderedBlock;

namespace {

/// @return false  once a block before was wrong: finish() says which, and why.
bool run(const KnownBlock& block, executor::Executor& executor) {
    return executor::run(executor, {block.start, block.transactions, {}}).has_value();
}

void finish(const std::string& name, executor::Executor& executor) {
    if (const auto summary = executor.drain(); !summary)
        fail_input("{}: {}", name, to_string(summary.error()));
}

}  // namespace

void execute_blocks(const std::string& name, const std::vector<KnownBlock>& blocks,
                    executor::Executor& executor) {
    for (const KnownBlock& block : blocks)
        if (!run(block, executor)) break;
    finish(name, executor);
}

void record_knowledge(const std::string& name, Series& series) {
    executor::Options options;
    options.record_sets = true;
    options.make_access_lists = true;
    const auto executor = executor::make_serial_executor(std::move(options));
    ledger::MemoryState state = series.state;
    FlatSink sink(state);
    const KnownHashes hashes(series.hashes);
    executor->start({.config = series.config, .state = state, .block_hashes = hashes, .sink = sink},
                    series.head);
    execute_blocks(name, series.blocks, *executor);
    auto sets = sink.take_object_sets();
    auto lists = sink.take_access_lists();
    for (std::size_t i = 0; i < series.blocks.size(); ++i) {
        series.blocks[i].object_sets = std::move(sets[i]);
        series.blocks[i].access_list = std::move(lists[i]);
    }
}

std::string digest_of(const std::vector<Series>& series) {
    Bytes hashes;
    for (const Series& each : series)
        for (const KnownBlock& block : each.blocks) {
            const Hash hash = header_hash(block.start.header);
            hashes.insert(hashes.end(), hash.bytes.begin(), hash.bytes.end());
        }
    return to_string(keccak256(hashes)).substr(0, 18);
}

namespace {

KnownBlock make_known(OrderedBlock block) {
    block.start.access_list.clear();
    return {std::move(block.start), std::move(block.transactions), {}, {}};
}

/// The last blocks of a chain, as the next one needs them.
class Tip {
public:
    Tip(BlockHeader genesis, std::optional<Uint256> total_difficulty)
        : total_difficulty_(total_difficulty) {
        const Hash hash = header_hash(genesis);
        ancestors_.push_front({std::move(genesis), hash, {}});
    }
    void add(const KnownBlock& block) {
        Ancestor ancestor{block.start.header, header_hash(block.start.header), {}};
        for (const BlockHeader& ommer : block.start.ommers)
            ancestor.ommers.push_back(header_hash(ommer));
        ancestors_.push_front(std::move(ancestor));
        if (ancestors_.size() > kAncestorsForOmmers) ancestors_.pop_back();
        if (total_difficulty_) *total_difficulty_ += block.start.header.difficulty;
    }
    [[nodiscard]] executor::ChainHead head() const {
        return {{ancestors_.begin(), ancestors_.end()}, total_difficulty_};
    }

private:
    std::deque<Ancestor> ancestors_;  // newest first
    std::optional<Uint256> total_difficulty_;
};

/// Executes what comes before the range, on the state.
class Prefix {
public:
    Prefix(std::string name, Series& series, executor::ChainHead head)
        : name_(std::move(name)),
          hashes_(series.hashes),
          sink_(series.state),
          executor_(executor::make_serial_executor()) {
        executor_->start({.config = series.config,
                          .state = series.state,
                          .block_hashes = hashes_,
                          .sink = sink_},
                         std::move(head));
    }
    void add(const KnownBlock& block) {
        ++count_;
        if (!run(block, *executor_)) finish();
    }
    void finish() {
        if (count_ != 0) benchmark::finish(name_, *executor_);
    }

private:
    const std::string name_;
    const KnownHashes hashes_;
    FlatSink sink_;
    const std::unique_ptr<executor::Executor> executor_;
    std::uint64_t count_ = 0;
};

void read_blocks(const std::string& name, BlockSource& source, const BlockRange& range,
                 Series& series, Tip& tip) {
    const std::uint64_t first = std::max<std::uint64_t>(range.first, 1);
    Prefix prefix(name, series, tip.head());
    while (series.blocks.size() < range.count) {
        auto next = source.next();
        if (!next) break;
        KnownBlock block = make_known(*std::move(next));
        const BlockHeader& header = block.start.header;
        if (header.number < first) {
            prefix.add(block);
            tip.add(block);
        } else if (series.blocks.empty()) {
            prefix.finish();
            series.head = tip.head();
        }
        series.hashes[header.number] = header_hash(header);
        if (header.number >= first) series.blocks.push_back(std::move(block));
    }
    if (series.blocks.size() < range.count && source.error())
        fail_input("{}", describe(*source.error()));
    if (series.blocks.empty()) fail_input("{}: no blocks from number {} on", name, first);
}

}  // namespace

std::uint64_t Subject::transaction_count() const {
    std::uint64_t count = 0;
    for (const Series& each : series)
        for (const KnownBlock& block : each.blocks)
            count += block.transactions.size();
    return count;
}

std::uint64_t Subject::gas_used() const {
    std::uint64_t gas = 0;
    for (const Series& each : series)
        for (const KnownBlock& block : each.blocks)
            gas += block.start.header.gas_used;
    return gas;
}

std::vector<std::uint64_t> Subject::block_numbers() const {
    std::vector<std::uint64_t> numbers;
    for (const Series& each : series)
        for (const KnownBlock& block : each.blocks)
            numbers.push_back(block.start.header.number);
    return numbers;
}

Subject make_subject(Chain chain) {
    Series series;
    series.config = chain.genesis.config;
    series.state = make_state(chain.genesis);
    series.hashes = std::move(chain.hashes);
    series.head = executor::make_chain_head(chain.first);
    for (std::size_t i = 0; i < chain.blocks.size(); ++i) {
        KnownBlock block = make_known(executor::make_ordered_block(std::move(chain.blocks[i])));
        block.object_sets = std::move(chain.object_sets[i]);
        block.access_list = std::move(chain.access_lists[i]);
        series.blocks.push_back(std::move(block));
    }
    Subject subject;
    subject.name = std::move(chain.name);
    subject.natives = workload::native_contracts();
    subject.series.push_back(std::move(series));
    subject.digest = digest_of(subject.series);
    return subject;
}

Subject load_witnesses(const std::vector<std::string>& files, const std::string& chain) {
    const KnownChain* known = find_chain(chain.empty() ? "mainnet" : chain);
    if (known == nullptr) fail_input("bench: unknown chain {}", chain);
    Subject subject;
    subject.name = "witness blocks";
    JsonParser parser;
    for (const std::string& file : expand_paths(files, ".json")) {
        Witness witness = load_witness(parser, file);
        Series series;
        series.config = known->config();
        series.blocks.push_back(make_known(make_ordered_block(witness)));
        series.state = std::move(witness.state);
        series.hashes = std::move(witness.block_hashes);
        record_knowledge(file, series);
        subject.series.push_back(std::move(series));
    }
    subject.digest = digest_of(subject.series);
    return subject;
}

Subject load_chain(const ChainInput& input, const BlockRange& range) {
    const Genesis genesis = load_chain_genesis(input, "bench");
    const ledger::CommittedBlock first = ledger::MemoryLedger().initialize(genesis);
    check_genesis_hash(input, first.hash);
    Subject subject;
    subject.name = input.files.front();
    Series series;
    series.config = genesis.config;
    series.state = make_state(genesis);
    series.hashes[first.header.number] = first.hash;
    Tip tip(first.header, first.total_difficulty);
    const auto source = open_chain(input, first.hash);
    read_blocks(subject.name, *source, range, series, tip);
    record_knowledge(subject.name, series);
    subject.series.push_back(std::move(series));
    subject.digest = digest_of(subject.series);
    return subject;
}

}  // namespace heddle::node::benchmark
