// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "aria/candidate_batches.hpp"

#include <algorithm>
#include <utility>

#include <vm/validate.hpp>

namespace heddle::executor {
namespace {

/// What the transaction pays the proposer, in wei per gas.
Uint256 tip_of(const Transaction& tx, const Uint256& base_fee) {
    const Uint256 price = vm::effective_gas_price(tx, base_fee);
    return price > base_fee ? price - base_fee : Uint256{};
}

/// Whether `tip` is at least so many percent of `best`.
bool is_within(const Uint256& tip, const Uint256& best, unsigned percent) {
    // Both are divided where multiplying would overflow; only large ones are, and lose little.
    const unsigned shift = best > (~Uint256{} >> 8) ? 8 : 0;
    return (tip >> shift) * Uint256{100} >= (best >> shift) * Uint256{percent};
}

}  // namespace

std::optional<CandidateBatches::Offer> CandidateBatches::ask_source() {
    for (;;) {
        const std::optional<Candidate> candidate = source_.next();
        if (!candidate.has_value()) return std::nullopt;
        const std::size_t number = next_number_++;
        const Transaction& tx = *candidate->tx;
        if (dropped_.contains(*tx.sender)) {
            source_.skip_sender();
            continue;
        }
        Offer offer{.number = number,
                    .candidate = *candidate,
                    .upfront_cost = {},
                    .tip = tip_of(tx, env_.base_fee_per_gas),
                    .standing = {}};
        if (const auto cost = vm::upfront_cost(tx)) offer.upfront_cost = *cost;
        return offer;
    }
}

std::optional<CandidateBatches::Offer> CandidateBatches::take_offer() {
    if (held_.has_value()) return std::exchange(held_, std::nullopt);
    for (;;) {
        std::optional<Offer> offer;
        if (ahead_.empty()) {
            offer = ask_source();
            if (!offer.has_value()) return std::nullopt;
        } else {
            offer = ahead_.front();
            ahead_.pop_front();
            if (dropped_.contains(*offer->candidate.tx->sender)) continue;
        }
        standing_ = standing_.has_value() ? std::min(*standing_, offer->tip) : offer->tip;
        offer->standing = *standing_;
        return offer;
    }
}

void CandidateBatches::look_ahead(std::size_t count) {
    while (ahead_.size() < count) {
        std::optional<Offer> offer = ask_source();
        if (!offer.has_value()) return;
        ahead_.push_back(*std::move(offer));
    }
}

Trial CandidateBatches::make_trial(const Offer& offer) {
    Trial trial;
    trial.candidate = offer.number;
    trial.tx = offer.candidate.tx;
    trial.size_bytes = offer.candidate.size_bytes;
    trial.upfront_cost = offer.upfront_cost;
    return trial;
}

bool CandidateBatches::fits(const Candidate& candidate, const BatchBounds& bounds) const {
    return bytes_ + candidate.size_bytes <= limits_.max_bytes &&
           candidate.tx->gas_limit <= bounds.room_gas &&
           candidate.tx->blob_versioned_hashes.size() * vm::kGasPerBlob <= bounds.room_blob_gas;
}

void CandidateBatches::count_misfit(std::uint64_t room_gas) {
    if (is_nearly_full(room_gas, env_.gas_limit) ||
        is_nearly_full(limits_.max_bytes - bytes_, limits_.max_bytes))
        ++misfits_;
}

std::vector<Trial> CandidateBatches::next(const BatchBounds& bounds) {
    std::vector<Trial> trials;
    std::uint64_t gas = 0;
    std::optional<Uint256> best;
    while (trials.size() < bounds.transactions && !is_over()) {
        std::optional<Offer> offer = take_offer();
        if (!offer.has_value()) break;
        if (dropped_.contains(*offer->candidate.tx->sender)) continue;
        const std::uint64_t limit = offer->candidate.tx->gas_limit;
        if (!fits(offer->candidate, bounds)) {
            // The source is asked to skip its sender when it gives another one of it; those that
            // were taken ahead are passed over.
            drop(*offer->candidate.tx->sender, offer->number);
            count_misfit(bounds.room_gas);
            continue;
        }
        const bool is_far = best.has_value() && !is_within(offer->standing, *best, kept_percent_);
        if (is_far || (!trials.empty() && limit > bounds.gas - std::min(bounds.gas, gas))) {
            held_ = std::move(offer);
            break;
        }
        if (!best.has_value()) best = offer->standing;
        gas += limit;
        bytes_ += offer->candidate.size_bytes;
        trials.push_back(make_trial(*offer));
    }
    return trials;
}

void CandidateBatches::drop(const Address& sender, std::size_t number) {
    const auto [found, is_new] = dropped_.try_emplace(sender, number);
    found->second = std::min(found->second, number);
}

void CandidateBatches::drop(const Trial& trial) {
    bytes_ -= trial.size_bytes;
    drop(*trial.tx->sender, trial.candidate);
}

void CandidateBatches::drop_misfit(const Trial& trial, std::uint64_t room_gas) {
    drop(trial);
    count_misfit(room_gas);
}

bool CandidateBatches::is_dropped(const Trial& trial) const {
    const auto found = dropped_.find(*trial.tx->sender);
    return found != dropped_.end() && found->second <= trial.candidate;
}

}  // namespace heddle::executor
