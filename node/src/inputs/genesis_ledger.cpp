// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "inputs/genesis_ledger.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include <ledger/genesis_loader.hpp>
#include <types/text_bytes.hpp>

#include "formats/genesis_stream.hpp"
#include "inputs/known_genesis.hpp"
#include "inputs/ledger_flags.hpp"
#include "program/error.hpp"
#include "program/stop_signal.hpp"

namespace heddle::node {

namespace {

using ledger::LedgerErrorCode;
constexpr auto kBeingMade = ledger::LedgerStage::being_made;

[[noreturn]] void fail_stopped(const std::string& file) {
    fail_input("{}: stopped as asked; the same command reads it again", file);
}

/// What an error of the loader becomes, which has the allocation of `file`.
[[noreturn]] void fail_loading(const std::string& file, const ledger::LedgerError& error) {
    if (error.code == LedgerErrorCode::unavailable) fail_stopped(file);
    if (error.code == LedgerErrorCode::invalid) fail_input("{}: $.alloc: {}", file, error.detail);
    fail_ledger(error, kBeingMade);
}

class LoaderSink final : public AllocSink {
public:
    LoaderSink(const std::string& file, ledger::GenesisLoader& loader) noexcept
        : file_(file), loader_(loader) {}

    void begin_account(const Address& address) override { loader_.begin_account(address); }
    void slot(const Uint256& slot, const Uint256& value) override {
        if (const auto added = loader_.add_slot(slot, value); !added.has_value())
            fail_loading(file_, added.error());
    }
    void end_account(std::uint64_t nonce, const Uint256& balance, BytesView code) override {
        if (const auto added = loader_.end_account(nonce, balance, code); !added.has_value())
            fail_loading(file_, added.error());
    }

private:
    const std::string& file_;
    ledger::GenesisLoader& loader_;
};

/// Loading takes minutes where the file has gigabytes. Who listens to the signal finds that it was
/// raised.
ledger::GenesisLoader begin_loading(ledger::DurableLedgerOptions options,
                                    const ledger::WorkProgress& on_progress) {
    return take(ledger::GenesisLoader::begin(std::move(options), on_progress,
                                             [] { return StopSignal::is_raised(); }),
                kBeingMade);
}

/// What a file says, its allocation in the loader.
GenesisOutline load(const ChainInput& input, std::string_view command,
                    const ledger::WorkProgress& on_progress, ledger::GenesisLoader& loader) {
    require_genesis(input, command);
    LoaderSink sink(input.genesis, loader);
    GenesisRest rest =
        stream_genesis_file(input.genesis, sink, [&](std::uint64_t done, std::uint64_t total) {
            if (StopSignal::is_raised()) fail_stopped(input.genesis);
            if (on_progress) on_progress("reading " + input.genesis, done, total);
        });
    if (const KnownChain* chain = find_chain(input.chain)) rest.genesis.config = chain->config();
    const std::string config = format_chain_config(rest.genesis.config, rest.validators);
    const auto hash = loader.load(rest.genesis.header, bytes_of(config));
    if (!hash.has_value()) fail_loading(input.genesis, hash.error());
    return {std::move(rest.genesis.config), std::move(rest.validators), *hash};
}

}  // namespace

std::unique_ptr<ledger::DurableLedger> create_chain_ledger(
    ledger::DurableLedgerOptions options, const ChainInput& input, std::string_view command,
    const ledger::WorkProgress& on_progress) {
    const std::string directory = options.directory;
    auto loader = begin_loading(std::move(options), on_progress);
    const Hash hash = load(input, command, on_progress, loader).hash;
    // Before it counts as a ledger.
    check_genesis_hash(input, hash);
    auto made = take(loader.finish(), kBeingMade);
    remember_created(input, directory, *made);
    return made;
}

GenesisOutline outline_genesis(const std::string& datadir, std::size_t memory_bytes,
                               const ChainInput& input, std::string_view command,
                               const ledger::WorkProgress& on_progress) {
    ledger::DurableLedgerOptions options;
    options.directory = (std::filesystem::path{datadir} / "genesis.compared").string();
    options.memory_bytes = memory_bytes;
    // Never finished, so nothing stays of it.
    auto loader = begin_loading(std::move(options), on_progress);
    return load(input, command, on_progress, loader);
}

}  // namespace heddle::node
