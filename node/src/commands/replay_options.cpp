// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which options of replay mean something together. One that would not be heeded is refused: whoever
// gave it would take what comes out for what was asked for.
#include <string_view>
#include <vector>

#include "commands/replay.hpp"
#include "program/error.hpp"

namespace heddle::node {

namespace {

/// What is executed: one of these, by the options that choose it.
enum Kind : unsigned {
    kLaneLogs = 1U << 0,      // --lanes, into a data directory
    kPassingLanes = 1U << 1,  // --lanes, into one that goes away
    kWitnesses = 1U << 2,     // --witness
    kFiles = 1U << 3,         // chain files, from genesis, in memory
    kContinued = 1U << 4,     // chain files, into a data directory
    kStoredBlocks = 1U << 5   // of a data directory, again
};
constexpr unsigned kLanes = kLaneLogs | kPassingLanes;
constexpr unsigned kChains = kFiles | kContinued | kStoredBlocks;
constexpr unsigned kDirectories = kLaneLogs | kContinued | kStoredBlocks;

Kind kind_of(const ReplayOptions& options) {
    const bool is_passing = options.ledger.datadir.empty();
    if (options.lanes) return is_passing ? kPassingLanes : kLaneLogs;
    if (options.witness) return kWitnesses;
    if (is_passing) return kFiles;
    return options.input.files.empty() ? kStoredBlocks : kContinued;
}

struct Use {
    std::string_view option;
    bool is_given;
    unsigned kinds;              // of which it means something
    std::string_view otherwise;  // what is said of it where chains are executed
};

constexpr std::string_view kNeedsDirectory =
    "goes with --datadir DIR: without one nothing is stored";
constexpr std::string_view kNeedsWitness =
    "goes with --witness: chain files are executed once, and their senders are always recovered";
constexpr std::string_view kNeedsFiles =
    "goes with chain files: without any, the blocks that are stored are executed again";

std::vector<Use> uses(const ReplayOptions& options) {
    const ReplayOptions unchanged;
    const LedgerFlags& ledger = options.ledger;
    const std::string_view needs_new = ledger.datadir.empty() ? kNeedsDirectory : kNeedsFiles;
    return {
        {"--witness", options.witness, kWitnesses, ""},
        {"--repeat", options.repeat != unchanged.repeat, kWitnesses, kNeedsWitness},
        {"--recover-senders", options.recover_senders, kWitnesses, kNeedsWitness},
        {"--plain", options.plain_interpreter, kWitnesses | kChains, ""},
        {"--record-sets", !options.record_sets.empty(), kWitnesses | kChains, ""},
        {"--genesis", !options.input.genesis.empty(), ~kStoredBlocks, kNeedsFiles},
        {"--chain", !options.input.chain.empty(), ~kStoredBlocks, kNeedsFiles},
        {"--sets", !options.input.sets.empty(), kWitnesses | kFiles | kContinued, kNeedsFiles},
        {"--access-lists", !options.access_lists.empty(), kChains, ""},
        {"--to", options.to != unchanged.to, kChains, ""},
        {"--from", options.from != unchanged.from, kStoredBlocks,
         "does not go with chain files: it is for executing stored blocks again, and blocks of "
         "files that are stored already are passed over"},
        {"--no-sets", options.no_sets, kContinued, needs_new},
        {"--store-lists", options.store_lists, kContinued,
         "goes with --datadir DIR and chain files: it stores the lists of blocks that come new"},
        {"--report-durable", options.report_durable, kContinued, needs_new},
        {"--datadir", !ledger.datadir.empty(), kDirectories, ""},
        {"--history", ledger.history.has_value(), kDirectories, kNeedsDirectory},
        {"--archive", ledger.archive, kDirectories, kNeedsDirectory},
        {"--access-list-history", ledger.access_lists != unchanged.ledger.access_lists,
         kDirectories, kNeedsDirectory},
        {"--sync", ledger.sync != unchanged.ledger.sync, kDirectories, kNeedsDirectory},
        {"--memory", ledger.memory_mib != unchanged.ledger.memory_mib, kDirectories | kLanes,
         kNeedsDirectory},
        {"--pipeline", options.executor.pipeline.has_value(), kWitnesses | kChains, ""},
        {"--knowledge", options.executor.knowledge.has_value(), kWitnesses | kChains, ""},
        {"--delay-seed", options.executor.delay_seed.has_value(), kWitnesses | kChains, ""},
    };
}

}  // namespace

void check_replay_options(const ReplayOptions& options) {
    const Kind kind = kind_of(options);
    for (const Use& use : uses(options)) {
        if (!use.is_given || (use.kinds & kind) != 0) continue;
        if (kind == kWitnesses) fail_input("replay: --witness does not go with {}", use.option);
        if ((kind & kLanes) != 0 && (use.kinds & kLaneLogs) == 0)
            fail_input("replay: --lanes does not go with {}", use.option);
        fail_input("replay: {} {}", use.option, use.otherwise);
    }
}

}  // namespace heddle::node
