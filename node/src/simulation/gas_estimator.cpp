// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/gas_estimator.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <vm/limits.hpp>
#include <vm/validate.hpp>

#include "simulation/call_error.hpp"
#include "simulation/failure.hpp"

namespace heddle::node::simulation {
namespace {

constexpr std::uint64_t kCallStipend = 2'300;
/// Of a transfer: less is taken for no limit, also where EIP-2780 has made some of them cheaper.
constexpr std::uint64_t kTransferGas = 21'000;
/// How the texts of what more gas might mend begin. Memory beyond what gas can count is not such.
constexpr std::string_view kOutOfGas = "out of gas";
/// How far above the least gas limit an answer may be.
constexpr double kErrorRatio = 0.015;

class Estimator {
public:
    Estimator(const CallSite& site, CallTransaction tx, EvmPool& pool, const Deadline& deadline)
        : site_(site), tx_(std::move(tx)), lease_(pool.take(deadline)), deadline_(deadline) {
        if (site.has_foreign_code()) lease_.retire();
    }

    [[nodiscard]] std::uint64_t run(std::uint64_t gas_cap);

private:
    /// The most gas worth trying.
    [[nodiscard]] std::uint64_t ceiling(std::uint64_t gas_cap) const;
    /// What the sender can pay for. Errors: Failure where not even value and blobs are covered.
    [[nodiscard]] std::uint64_t affordable(std::uint64_t gas) const;
    [[nodiscard]] bool is_plain_transfer() const;
    /// Executes with this gas limit. @return whether it succeeded; failing for lack of gas before
    /// the first instruction counts as failing. Errors: Failure where gas is not what it lacks, or
    /// is below the floor (EIP-7623), which says how much it is: nothing is tried below.
    [[nodiscard]] bool succeeds(std::uint64_t gas);
    /// Why the call failed with the most gas.
    [[noreturn]] void fail(std::uint64_t gas);

    const CallSite& site_;
    CallTransaction tx_;
    EvmPool::Lease lease_;
    const Deadline deadline_;
    vm::Outcome outcome_;
    bool has_run_ = false;  // the last one; outcome_ is its
};

std::uint64_t Estimator::ceiling(std::uint64_t gas_cap) const {
    std::uint64_t gas = site_.env().gas_limit;
    if (tx_.gas_limit >= kTransferGas) gas = tx_.gas_limit;
    gas = std::min(gas, vm::limits(site_.env().revision).max_transaction_gas);
    if (!tx_.max_fee_per_gas.is_zero()) gas = affordable(gas);
    return std::min(gas, gas_cap);
}

std::uint64_t Estimator::affordable(std::uint64_t gas) const {
    Uint256 available = site_.state().account(*tx_.sender).value_or(Account{}).balance;
    // Who owns nothing cannot pay for gas either.
    if (tx_.value >= available)
        throw Failure(FailureKind::refused, "insufficient funds for transfer");
    available -= tx_.value;
    if (!tx_.blob_versioned_hashes.empty()) {
        Uint256 blobs;
        if (mul_overflow(Uint256{tx_.blob_versioned_hashes.size() * vm::kGasPerBlob},
                         tx_.max_fee_per_blob_gas, blobs) ||
            blobs >= available)
            throw Failure(FailureKind::refused, "insufficient funds for gas * price + value");
        available -= blobs;
    }
    const Uint256 allowance = available / tx_.max_fee_per_gas;
    return allowance < Uint256{gas} ? allowance.low64() : gas;
}

bool Estimator::is_plain_transfer() const {
    if (!tx_.data.empty() || !tx_.to) return false;
    const auto recipient = site_.state().account(*tx_.to);
    return !recipient || !recipient->has_code();
}

bool Estimator::succeeds(std::uint64_t gas) {
    deadline_.check();
    tx_.gas_limit = gas;
    const auto executed = site_.execute(tx_, lease_.evm(), outcome_, deadline_);
    has_run_ = executed.has_value();
    if (has_run_) lease_.note(outcome_.receipt.gas_used);
    if (executed) return outcome_.status == vm::Status::success;
    if (executed.error() == TransactionError::intrinsic_gas_too_low) return false;
    throw Failure(FailureKind::refused, fmt::format("failed with {} gas: {}", gas,
                                                    site_.rejection(executed.error(), tx_)));
}

void Estimator::fail(std::uint64_t gas) {
    if (has_run_ && outcome_.status == vm::Status::revert) throw revert_error(outcome_.output);
    if (has_run_) {
        const std::string text = site_.explain_halt(tx_, deadline_);
        if (!text.starts_with(kOutOfGas)) throw Failure(FailureKind::refused, text);
    }
    throw Failure(FailureKind::refused, fmt::format("gas required exceeds allowance ({})", gas));
}

std::uint64_t Estimator::run(std::uint64_t gas_cap) {
    std::uint64_t high = ceiling(gas_cap);
    if (is_plain_transfer()) {
        // Other members may make even a transfer dearer; and it may not be affordable.
        tx_.gas_limit = kTransferGas;
        const auto executed = site_.execute(tx_, lease_.evm(), outcome_, deadline_);
        if (executed && outcome_.status == vm::Status::success) return outcome_.receipt.gas_used;
    }
    if (!succeeds(high)) fail(high);
    std::uint64_t low = outcome_.receipt.gas_used - 1;
    const std::uint64_t likely = (outcome_.peak_gas + kCallStipend) * 64 / 63;
    if (likely < high) (succeeds(likely) ? high : low) = likely;
    while (low + 1 < high) {
        if (static_cast<double>(high - low) / static_cast<double>(high) < kErrorRatio) break;
        // Few calls need much more gas than they use.
        const std::uint64_t middle = std::min(low + (high - low) / 2, low * 2);
        (succeeds(middle) ? high : low) = middle;
    }
    return high;
}

}  // namespace

std::uint64_t estimate_gas(const CallSite& site, CallRequest request, std::uint64_t gas_cap,
                           EvmPool& pool, const Deadline& deadline) {
    // Gas that was not given stays zero: it is no limit.
    if (!request.gas) request.gas = 0;
    fill_defaults(request, gas_cap, site.has_base_fee(), site.env().chain_id);
    return Estimator(site, to_transaction(request), pool, deadline).run(gas_cap);
}

}  // namespace heddle::node::simulation
