// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/state_sync.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <ledger/ledger_error.hpp>
#include <types/block.hpp>
#include <types/counted.hpp>

#include "chain/chain_rules.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::cometbft::ApplyOutcome;
using consensus_adapter::cometbft::ApplyResult;
using consensus_adapter::cometbft::OfferResult;
using consensus_adapter::cometbft::SnapshotOffer;
using ledger::LedgerErrorCode;
using ledger::SnapshotManifest;
using ledger::SnapshotRestorer;

bool equal_hash(BytesView bytes, const Hash& hash) {
    return std::ranges::equal(bytes, hash.bytes);
}

void refuse(std::uint64_t height, std::string_view why) {
    logger(Component::consensus).warn("the snapshot of block {} is refused: {}", height, why);
}

}  // namespace

void StateSync::chain_is_there(const Chain& chain, SnapshotStore* store) {
    const std::scoped_lock lock{mutex_};
    chain_ = &chain;
    store_ = store;
}

void StateSync::chain_ends() {
    const std::scoped_lock lock{mutex_};
    chain_ = nullptr;
    store_ = nullptr;
}

std::vector<SnapshotOffer> StateSync::list() {
    const std::scoped_lock lock{mutex_};
    return store_ != nullptr ? store_->list() : std::vector<SnapshotOffer>{};
}

Bytes StateSync::load_chunk(std::uint64_t height, std::uint32_t format, std::uint32_t index) {
    const std::scoped_lock lock{mutex_};
    return store_ != nullptr ? store_->load_chunk(height, format, index) : Bytes{};
}

std::optional<OfferResult> StateSync::compare_with_chain(std::uint64_t height, BytesView app_hash) {
    const std::scoped_lock lock{mutex_};
    if (chain_ == nullptr) return std::nullopt;
    const ledger::StoredHeader head = chain_->head();
    if (head.header.number == height && equal_hash(app_hash, head.hash)) return OfferResult::accept;
    logger(Component::consensus)
        .error(
            "a snapshot of block {} is offered, but {} holds a chain already, with head {}: to "
            "start from a snapshot again, stop the node, remove that folder and CometBFT's data "
            "(cometbft unsafe-reset-all), and start",
            height, options_.ledger.directory, head.header.number);
    return OfferResult::reject;
}

bool StateSync::is_of_this_chain(const SnapshotManifest& manifest) const {
    constexpr const char* kName = "the snapshot's chain configuration";
    try {
        return rule_changed_up_to(manifest.header, parse_stored_chain_config(manifest.chain, kName),
                                  options_.config)
                   .empty() &&
               parse_stored_validator_contract(manifest.chain, kName) == options_.validators;
    } catch (const InputError&) {
        return false;
    }
}

OfferResult StateSync::examine(const SnapshotOffer& offer, BytesView app_hash) const {
    if (offer.format != ledger::kSnapshotVersion) {
        refuse(offer.height, "its format is not one that this version knows");
        return OfferResult::reject_format;
    }
    const auto manifest = ledger::decode_manifest(offer.metadata);
    if (!manifest.has_value() || !equal_hash(offer.hash, ledger::snapshot_id(offer.metadata)) ||
        manifest->chunks.size() != offer.chunks) {
        refuse(offer.height, "it is not what it says it is");
        return OfferResult::reject_sender;
    }
    if (manifest->header.number != offer.height ||
        !equal_hash(app_hash, header_hash(manifest->header))) {
        refuse(offer.height, "its block is not the one that was verified beforehand");
        return OfferResult::reject;
    }
    if (!is_of_this_chain(*manifest)) {
        refuse(offer.height,
               "its chain has other rules than the genesis file of this node says; all nodes need "
               "the same file");
        return OfferResult::reject;
    }
    return OfferResult::accept;
}

OfferResult StateSync::offer(const SnapshotOffer& offer, BytesView app_hash) {
    restorer_.reset();  // it has the database open
    is_complete_ = false;
    if (const auto known = compare_with_chain(offer.height, app_hash)) {
        is_complete_ = *known == OfferResult::accept;
        return *known;
    }
    if (const OfferResult result = examine(offer, app_hash); result != OfferResult::accept)
        return result;
    auto begun = SnapshotRestorer::begin(options_.ledger, offer.metadata);
    if (!begun.has_value()) {
        logger(Component::consensus)
            .error("no snapshot can be restored: {}", to_string(begun.error()));
        return OfferResult::abort;
    }
    restorer_ = *std::move(begun);
    const SnapshotManifest& manifest = restorer_->manifest();
    logger(Component::consensus)
        .info("restoring the snapshot of block {}: {}, {}{}", offer.height,
              counted(manifest.accounts, "account"), counted(manifest.chunks.size(), "chunk"),
              restorer_->next_chunk() == 0
                  ? std::string{}
                  : ", of which " + std::to_string(restorer_->next_chunk()) + " are there");
    return OfferResult::accept;
}

ApplyOutcome StateSync::reject(const std::string& why) {
    refuse(restorer_->manifest().header.number, why);
    const auto abandoned = restorer_->abandon();
    restorer_.reset();
    if (!abandoned.has_value()) return abort(to_string(abandoned.error()));
    // Nodes offer what they have made or verified, no more; a liar could make up others for ever.
    return {ApplyResult::reject_snapshot, {}, true};
}

ApplyOutcome StateSync::abort(const std::string& why) {
    restorer_.reset();
    logger(Component::consensus)
        .error(
            "the snapshot cannot be restored: {}; once that is mended, start the node again: it "
            "goes on where it was",
            why);
    return {ApplyResult::abort, {}, false};
}

ApplyOutcome StateSync::apply(std::uint32_t index, BytesView chunk) {
    if (is_complete_) return {};
    // The engine believes in an offer that this node knows nothing of: it is to be made again.
    if (!restorer_.has_value()) return {ApplyResult::retry_snapshot, {}, false};
    const std::size_t count = restorer_->manifest().chunks.size();
    const std::size_t next = restorer_->next_chunk();
    if (index > next || index >= count) return {ApplyResult::retry_snapshot, {}, false};
    if (index == next) {
        const SnapshotManifest::Chunk& claimed = restorer_->manifest().chunks[index];
        if (chunk.size() != claimed.size || keccak256(chunk) != claimed.hash) {
            logger(Component::consensus)
                .warn("chunk {} is not the snapshot's; it is fetched again from another peer",
                      index);
            return {ApplyResult::retry, {index}, true};
        }
        if (const auto applied = restorer_->apply(chunk); !applied.has_value()) {
            const std::string why = to_string(applied.error());
            return applied.error().code == LedgerErrorCode::bad_snapshot ? reject(why) : abort(why);
        }
    }
    if (index == 0) {
        const auto genesis = restorer_->genesis_hash();
        if (!genesis.has_value() && genesis.error().code != LedgerErrorCode::bad_snapshot)
            return abort(to_string(genesis.error()));
        if (!genesis.has_value() || *genesis != options_.genesis_hash)
            return reject("it is of a chain that begins with another block");
    }
    if (index + 1 < count || restorer_->next_chunk() < count) return {};
    return complete();
}

ApplyOutcome StateSync::complete() {
    if (const auto finished = restorer_->finish(); !finished.has_value()) {
        const std::string why = to_string(finished.error());
        return finished.error().code == LedgerErrorCode::bad_snapshot ? reject(why) : abort(why);
    }
    logger(Component::consensus)
        .info("the snapshot of block {} is restored and verified",
              restorer_->manifest().header.number);
    restorer_.reset();  // the database is to be opened
    if (options_.on_restored) {
        if (const auto started = options_.on_restored(); !started.has_value())
            return abort(started.error());
    }
    is_complete_ = true;
    return {};
}

}  // namespace heddle::node
