// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "commands/given_block.hpp"

#include <utility>

#include <ledger/durable_ledger.hpp>

#include "chain/read_scope.hpp"
#include "follow/endpoint.hpp"
#include "forking/fork_rules.hpp"
#include "forking/fork_source.hpp"
#include "formats/witness_file.hpp"
#include "inputs/ledger_flags.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

class SourceHashes final : public BlockHashes {
public:
    explicit SourceHashes(const forking::ForkSource& source) : source_(source) {}
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        return source_.block_hash(number);
    }

private:
    const forking::ForkSource& source_;
};

void refuse_genesis(std::uint64_t number) {
    if (number == 0) fail_input("inspect: block 0 is genesis and has no transactions");
}

/// So that what the block reads is fetched in a few batches, and is there for all later runs.
void fetch_reads(const forking::ForkSource& source, const GivenBlock& given) {
    const auto execute = [&] {
        DiscardingSink sink;
        const auto executor = executor::make_serial_executor();
        executor->start({.config = given.config,
                         .state = given.state,
                         .block_hashes = given.block_hashes,
                         .sink = sink},
                        given.head);
        // What is not at hand yet reads as nothing, so it may well be a wrong block.
        static_cast<void>(executor::run(*executor, given.block));
        static_cast<void>(executor->drain());
    };
    static_cast<void>(read_ahead(source, execute));
}

}  // namespace

void with_stored_block(const std::string& datadir, std::optional<std::uint64_t> number,
                       const UseGivenBlock& use) {
    LedgerFlags flags;
    flags.datadir = datadir;
    const auto ledger = open_ledger(make_reading_options(flags));
    const std::uint64_t last = ledger->head().header.number;
    const std::uint64_t wanted = number.value_or(last);
    refuse_genesis(wanted);
    if (wanted > last)
        fail_input("inspect: {} ends with block {}, before block {}", datadir, last, wanted);
    auto stored = take(ledger->block(wanted));
    if (!stored.has_value()) fail_input("inspect: {} does not hold block {}", datadir, wanted);
    const auto state = take(ledger->state_at(wanted - 1));
    const auto parent = take(ledger->header(wanted - 1));
    if (!parent.has_value()) fail_input("inspect: {} does not hold block {}", datadir, wanted - 1);
    const ChainConfig config = stored_chain_config(*ledger);
    use({.config = config,
         .state = *state,
         .block_hashes = *ledger,
         .head = {take(ledger->ancestors(wanted - 1)), parent->total_difficulty},
         .block = executor::make_ordered_block(std::move(stored->block))});
}

void with_remote_block(const std::string& url, const std::string& genesis_file,
                       std::optional<std::uint64_t> number, const UseGivenBlock& use) {
    forking::ForkSourceOptions options;
    options.url = url;
    options.source.endpoint = follow::parse_endpoint(url, "--rpc");
    options.source.role = "the node";
    options.block = number;
    const auto opened = forking::ForkSource::open(std::move(options));
    if (!opened.has_value()) fail_input("--rpc: {}", opened.error());
    const forking::ForkSource& source = **opened;
    refuse_genesis(source.number());
    const auto config = forking::find_rules(source, genesis_file);
    if (!config.has_value()) fail_input("--rpc: {}", config.error());
    auto stored = take(source.block(source.number()));
    const auto parent = take(source.header(source.number() - 1));
    if (!stored.has_value() || !parent.has_value())
        fail_input("--rpc: {} does not hold block {} and the one before it", url, source.number());
    const auto state = take(source.state_at(source.number() - 1));
    const SourceHashes hashes(source);
    const GivenBlock given{
        .config = *config,
        .state = *state,
        .block_hashes = hashes,
        .head = executor::make_chain_head(parent->header, parent->total_difficulty),
        .block = executor::make_ordered_block(std::move(stored->block))};
    const ReadScope reads;
    fetch_reads(source, given);
    if (!reads.has_failed()) use(given);
    if (reads.has_failed()) fail_input("--rpc: {}", reads.failure());
}

}  // namespace heddle::node
