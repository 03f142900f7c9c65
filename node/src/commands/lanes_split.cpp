// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "commands/lanes_split.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <consensus_adapter/lanes/directory.hpp>
#include <consensus_adapter/lanes/lane_log.hpp>
#include <workload/random.hpp>

#include "program/error.hpp"
#include "program/file.hpp"
#include "program/made_folder.hpp"

namespace heddle::node {

namespace {

using consensus_adapter::OrderedBlock;
using consensus_adapter::SourceError;
using namespace consensus_adapter::lanes;
using workload::Random;

/// Heights by which a lane falls behind at most.
constexpr std::uint32_t kMaxLag = 3;

/// An entry on its way into a log.
struct Waiting {
    Bytes item;
    std::optional<Address> sender;
};

void check(const std::expected<void, SourceError>& result) {
    if (!result.has_value()) fail_input("{}", describe(result.error()));
}

/// Without what every transaction of a block has in common: the fee goes to one account, in any
/// order.
ObjectSet without_fee(const ObjectSet& objects, const Address& beneficiary) {
    std::vector<Access> accesses;
    for (const Access& access : objects.accesses())
        if (access.object != ObjectId{beneficiary, ObjectKind::balance, {}} ||
            access.mode != AccessMode::add)
            accesses.push_back(access);
    return ObjectSet{std::move(accesses)};
}

class Splitter {
public:
    Splitter(const LanesSplitOptions& options, std::vector<LaneLogWriter> logs)
        : options_(options),
          random_(options.seed),
          directory_(make_even_ranges(options.lane_count)),
          logs_(std::move(logs)),
          pending_(options.lane_count),
          last_(options.lane_count, 0) {}

    void add(const OrderedBlock& block) {
        if (block.object_sets.size() != block.transactions.size())
            fail_input(
                "block {}: its object sets are not there: record them with `heddle replay "
                "--record-sets FILE` and name the file with --sets",
                block.start.header.number);
        ++summary_.blocks;
        std::vector<std::vector<Waiting>> entries(options_.lane_count);
        for (std::size_t i = 0; i < block.transactions.size(); ++i)
            place_in(entries, block.transactions[i],
                     without_fee(block.object_sets[i], block.start.header.beneficiary));
        for (std::size_t lane = 0; lane < entries.size(); ++lane)
            put_off(lane, std::move(entries[lane]));
        write(block.start.header.timestamp * 1000);
    }
    LanesSplitSummary finish(std::uint64_t time_ms) {
        // As long as something is put off, and one for the cut that has it.
        for (std::uint32_t i = 0; i <= kMaxLag; ++i)
            write(time_ms += 1000);
        for (LaneLogWriter& log : logs_)
            check(log.finish());
        return summary_;
    }

private:
    void place_in(std::vector<std::vector<Waiting>>& entries, const Transaction& transaction,
                  const ObjectSet& objects) {
        Entry entry;
        entry.placement = place(directory_, objects);
        encode_transaction(transaction, entry.payload);
        const LaneSet lanes = lanes_of(entry.placement);
        entry.placement.id = {++summary_.transactions, lanes.first()};
        entry.placement.payload_hash = keccak256(entry.payload);
        if (lanes.size() > 1) ++summary_.several_homes;
        const auto sender =
            transaction.sender.has_value() ? transaction.sender : recover_sender(transaction);
        for (LaneNumber lane = 0; lane < LaneNumber(options_.lane_count); ++lane) {
            if (!lanes.has(lane)) continue;
            ++summary_.entries;
            Waiting& waiting = entries[lane].emplace_back();
            encode_entry(entry, waiting.item);
            waiting.sender = sender;
            entry.payload.clear();  // one lane has it
        }
    }
    /// Nothing overtakes what was put off before it, in its own lane.
    void put_off(std::size_t lane, std::vector<Waiting> entries) {
        std::uint64_t height = height_ + 1;
        if (options_.seed != 0) {
            height = std::max(height + random_.below(kMaxLag + 1), last_[lane]);
            for (std::size_t i = 1; i < entries.size(); ++i)
                if (entries[i].sender != entries[i - 1].sender && random_.below(3) == 0)
                    std::swap(entries[i], entries[i - 1]);
        }
        last_[lane] = height;
        auto& items = pending_[lane][height];
        for (Waiting& entry : entries)
            items.push_back(std::move(entry.item));
    }
    void write(std::uint64_t time_ms) {
        ++height_;
        for (LaneNumber lane = 0; lane < LaneNumber(options_.lane_count); ++lane) {
            LaneBlock block{lane, height_, time_ms, std::nullopt, {}};
            if (auto found = pending_[lane].extract(height_)) block.items = found.mapped();
            if (lane == 0)
                block.cut = Cut{std::vector<std::uint64_t>(options_.lane_count, height_), {}};
            check(logs_[lane].append(block));
        }
    }

    const LanesSplitOptions& options_;
    Random random_;
    RangeDirectory directory_;
    std::vector<LaneLogWriter> logs_;
    std::vector<std::map<std::uint64_t, std::vector<Bytes>>> pending_;  // by lane, then height
    std::vector<std::uint64_t> last_;  // by lane, up to where something is put off
    std::uint64_t height_ = 0;
    LanesSplitSummary summary_;
};

}  // namespace

LanesSplitSummary split_chain(const LanesSplitOptions& options) {
    if (options.input.files.empty()) fail_input("lanes split: no chain files");
    if (options.input.sets.empty())
        fail_input(
            "lanes split: what transactions access has to be known: record it with `heddle replay "
            "--record-sets FILE` and name the file with --sets");
    check_new_folder("--out", options.out);
    const Genesis genesis = load_chain_genesis(options.input, "lanes split");
    const auto source = open_chain(options.input, compute_genesis_hash(genesis));
    // It goes where this fails: the same command refuses a folder that is there.
    MadeFolder folder{options.out};
    if (folder.error()) fail_input("--out {}: {}", options.out, folder.error().message());
    if (folder.was_there())  // since it was looked for: another process's
        fail_input("--out {}: is there already; name a folder to make", options.out);
    std::vector<LaneLogWriter> logs;
    for (LaneNumber lane = 0; lane < LaneNumber(options.lane_count); ++lane) {
        const std::string path = fmt::format("{}/lane-{}.log", options.out, lane);
        folder.add(path);
        auto log =
            LaneLogWriter::create(path, {lane, static_cast<std::uint8_t>(options.lane_count), 0});
        if (!log.has_value()) fail_input("{}", describe(log.error()));
        logs.push_back(*std::move(log));
    }
    Splitter splitter(options, std::move(logs));
    std::uint64_t time_ms = 0;
    while (const auto block = source->next()) {
        // Nobody executes them here, who would say so.
        if (block->start.transaction_count != block->transactions.size())
            fail_input("lanes split: block {} is not the next one by its number and gas limit",
                       block->start.header.number);
        splitter.add(*block);
        time_ms = block->start.header.timestamp * 1000;
    }
    if (source->error().has_value()) fail_input("{}", describe(*source->error()));
    const LanesSplitSummary summary = splitter.finish(time_ms);
    folder.keep();
    return summary;
}

}  // namespace heddle::node
