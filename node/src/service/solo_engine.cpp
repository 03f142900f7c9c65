// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/solo_engine.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

#include <consensus_adapter/block_rules.hpp>
#include <ledger/durable_ledger.hpp>
#include <types/counted.hpp>

#include "logging/log.hpp"
#include "service/next_block.hpp"
#include "service/node_options.hpp"

namespace heddle::node {

using consensus_adapter::SealReport;
using consensus_adapter::Solo;
using consensus_adapter::SoloOptions;

SoloEngine::SoloEngine(const NodeConfig& config, NodeMetrics& metrics, const SoloParts& parts,
                       std::function<void(const std::string&)> on_failure)
    : metrics_(metrics),
      parts_(parts),
      on_failure_(std::move(on_failure)),
      watch_(std::chrono::system_clock::now(), std::chrono::steady_clock::now()) {
    SoloOptions options = options_for_head(config);
    seals_on_arrival_ = options.schedule.on_arrival;
    if (parts_.member != nullptr)
        options.extra_data = parts_.member->extra_data(options.extra_data);
    options.has_more = [this] { return parts_.mempool.status().pending != 0; };
    options.on_seal = [this](const SealReport& report) { on_seal(report); };
    options.on_failure = [this](const BlockError& error) { on_seal_failure(error); };
    if (parts_.control != nullptr)
        options.adjust = [this](const consensus_adapter::Committed& committed,
                                consensus_adapter::BlockPlan& plan) {
            parts_.control->adjust(committed, plan);
        };
    solo_ = std::make_unique<Solo>(parts_.driven, std::move(options));
    if (parts_.control != nullptr) parts_.control->attach(*solo_, parts_.application);
    arrivals_ = parts_.mempool.arrivals().subscribe(
        [this](const BecameExecutable&) { solo_->transactions_arrived(); });
    solo_->transactions_arrived();  // those of the journal
}

void SoloEngine::stop() {
    arrivals_ = {};
    solo_->stop();
}

SoloOptions SoloEngine::options_for_head(const NodeConfig& config) const {
    SoloOptions options = solo_options(config);
    const ledger::StoredHeader head = parts_.chain.head();
    const bool is_development = parts_.control != nullptr;  // whose user changes limits and time
    // A chain that needs proof of work is served, and nothing is added to it.
    if (needs_proof_of_work(parts_.chain, head, head.header.timestamp + 1)) {
        options.schedule = {};
        logger(Component::consensus).warn("the chain is not merged at its head: nothing is sealed");
    } else if (!is_development && !consensus_adapter::can_be_followed(head.header.gas_limit)) {
        options.schedule = {};
        logger(Component::consensus).warn("{}: nothing is sealed", no_block_follows(head.header));
    }
    if (!is_development)
        if (const auto warning = chain_ahead_of_clock(head.header.timestamp, options.clock()))
            logger(Component::consensus).warn("{}", *warning);
    return options;
}

void SoloEngine::on_seal(const SealReport& report) {
    metrics_.on_seal(report);
    warn_if_clock_went_back();
    if (parts_.control != nullptr) parts_.control->note_sealed();
    const std::chrono::duration<double, std::milli> taken =
        report.prepare + report.finalize + report.commit;
    logger(Component::consensus)
        .info("block {} {}: {}, {} gas, {:.1f} ms", report.block.number,
              to_string(report.block.hash), counted(report.transactions, "transaction"),
              report.gas_used, taken.count());
}

void SoloEngine::warn_if_clock_went_back() {
    const auto back =
        watch_.look(std::chrono::system_clock::now(), std::chrono::steady_clock::now());
    if (!back.has_value() || parts_.control != nullptr) return;
    logger(Component::consensus)
        .warn(
            "this machine's clock was set back by {}: no block is earlier than the one before it, "
            "so blocks may be ahead of the clock until it has come there again",
            counted(static_cast<std::uint64_t>(back->count()), "second"));
}

void SoloEngine::on_seal_failure(const BlockError& error) {
    metrics_.on_seal_failure();
    if (error.code == BlockErrorCode::storage_failed) return on_failure_(to_string(error));
    // That it waits for its backups was said once.
    if (parts_.member != nullptr && error.code == BlockErrorCode::execution_halted) return;
    logger(Component::consensus)
        .error("no block was made: {}{}", to_string(error), consensus_adapter::advice_for(error));
}

}  // namespace heddle::node
