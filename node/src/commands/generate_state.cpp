// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// `heddle generate --snapshot`: a first state of any size, account by account into a ledger and
// from there into a snapshot.
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <ledger/genesis_loader.hpp>
#include <ledger/snapshot.hpp>
#include <types/text_bytes.hpp>
#include <workload/generator.hpp>
#include <workload/world.hpp>

#include "commands/generate.hpp"
#include "formats/chain_config_json.hpp"
#include "inputs/ledger_flags.hpp"
#include "inputs/maintenance_flags.hpp"
#include "program/error.hpp"
#include "program/marked_folder.hpp"

namespace heddle::node {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSlotsPerContract = 1'024;
constexpr auto kBeingMade = ledger::LedgerStage::being_made;

void check(const std::expected<void, ledger::LedgerError>& result) {
    if (!result.has_value()) fail_ledger(result.error(), kBeingMade);
}

void give(const GenesisAccount& account, ledger::GenesisLoader& loader) {
    loader.begin_account(account.address);
    for (const auto& [slot, value] : account.storage)
        check(loader.add_slot(slot, value));
    check(loader.end_account(account.nonce, account.balance, account.code));
}

/// What is too much to be held: accounts that only receive, as make_world() makes them, and
/// contracts that nobody calls. Their addresses are the last of the idle ones.
void give_idle(const GenerateOptions& options, ledger::GenesisLoader& loader) {
    const std::uint64_t seed = options.workload.seed;
    for (std::uint32_t i = 0; i < options.workload.idle_accounts; ++i) {
        loader.begin_account(workload::idle_address(seed, i));
        check(loader.end_account(0, 1, {}));
    }
    const Bytes stop{0x00};
    std::uint32_t index = UINT32_MAX;
    for (std::uint64_t done = 0; done < options.idle_slots; --index) {
        loader.begin_account(workload::idle_address(seed, index));
        for (std::uint64_t slot = 0; slot < kSlotsPerContract && done < options.idle_slots;
             ++slot, ++done)
            check(loader.add_slot(slot, done + 1));
        check(loader.end_account(1, {}, stop));
    }
}

/// Beside the snapshot, the data directory that it is made from.
constexpr const char* kMark = "heddle-generate.unfinished";
constexpr const char* kData = "data";

}  // namespace

GenerateSummary generate_state(const GenerateOptions& options) {
    fs::path folder = options.out;
    if (!folder.has_filename()) folder = folder.parent_path();  // of a slash at the end
    const std::string out = folder.string();
    std::error_code error;
    if (fs::exists(fs::symlink_status(out, error)))
        fail_input("{}: exists already; remove it, or choose another --out", out);
    // Goes after all that has it open.
    const MarkedFolder building(out + ".building", kMark, kData);
    GenerateOptions small = options;
    small.workload.idle_accounts = 0;
    workload::Generator generator(small.workload);
    const Genesis genesis =
        workload::make_genesis(generator.take_alloc(), options.workload, block_gas_limit(options));

    ledger::DurableLedgerOptions settings;
    settings.directory = building.path() / kData;
    StepProgress progress;
    auto loader =
        take(ledger::GenesisLoader::begin(std::move(settings), progress.callback()), kBeingMade);
    for (const GenesisAccount& account : genesis.alloc)
        give(account, loader);
    give_idle(options, loader);
    const std::string config = format_chain_config(genesis.config);
    GenerateSummary summary;
    const BytesView chain = bytes_of(config);
    summary.head_hash = take(loader.load(genesis.header, chain), kBeingMade);
    {
        const auto made = take(loader.finish(), kBeingMade);
        summary.state_root = made->head().header.state_root;
        const auto writer = take(made->begin_snapshot(), kBeingMade);
        (void)take(writer->write(out, progress.callback()), kBeingMade);
        close_ledger(*made);
    }
    building.clear();
    return summary;
}

}  // namespace heddle::node
