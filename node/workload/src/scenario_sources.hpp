// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the sources of scenarios share, and how each kind is made.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <workload/bytecode.hpp>
#include <workload/keys.hpp>
#include <workload/native_contracts.hpp>
#include <workload/scenario.hpp>

namespace heddle::workload {

[[nodiscard]] std::unique_ptr<ScenarioSource> make_payments(const ScenarioChoice& choice,
                                                            const ScenarioOptions& options);
[[nodiscard]] std::unique_ptr<ScenarioSource> make_generated(const ScenarioChoice& choice,
                                                             const ScenarioOptions& options);
[[nodiscard]] std::unique_ptr<ScenarioSource> make_collection(const ScenarioChoice& choice,
                                                              const ScenarioOptions& options);
[[nodiscard]] std::unique_ptr<ScenarioSource> make_table(const ScenarioChoice& choice,
                                                         const ScenarioOptions& options);
[[nodiscard]] std::unique_ptr<ScenarioSource> make_orders(const ScenarioChoice& choice,
                                                          const ScenarioOptions& options);
[[nodiscard]] std::unique_ptr<ScenarioSource> make_lists(const ScenarioChoice& choice,
                                                         const ScenarioOptions& options);

/// A call of one contract.
struct ContractCall {
    Bytes data;
    std::uint64_t gas_limit = 0;  // before Amsterdam
};

/// Calls of one contract, each by a sender of its own, so that what orders them is the contract's
/// storage alone.
class ContractSource : public ScenarioSource {
public:
    /// @param code  The contract's; its storage is what storage() gives.
    /// @param native  What runs in place of the code, which then stands for it; may be null.
    ContractSource(const CompiledContract& code, const ScenarioOptions& options,
                   const vm::NativeCode* native = nullptr);

    [[nodiscard]] std::vector<GenesisAccount> take_alloc() override;
    [[nodiscard]] std::vector<Address> beneficiaries() const override;
    [[nodiscard]] Transaction next(const Uint256& base_fee_per_gas,
                                   std::uint64_t blobs_left) override;

protected:
    [[nodiscard]] virtual std::vector<std::pair<Uint256, Uint256>> storage() = 0;
    /// What the `index`-th transaction calls.
    [[nodiscard]] virtual ContractCall call(std::uint32_t index) = 0;
    [[nodiscard]] const Address& sender(std::uint32_t index) const {
        return senders_[index].address;
    }
    [[nodiscard]] const ScenarioOptions& options() const noexcept { return options_; }
    /// Of a limit before Amsterdam, in the chain's own prices, and never more than EIP-7825 allows.
    [[nodiscard]] std::uint64_t gas_limit(std::uint64_t before_amsterdam) const noexcept;

private:
    const CompiledContract& code_;
    const vm::NativeCode* const native_;
    const ScenarioOptions options_;
    const Address contract_;
    std::vector<Key> senders_;
    std::uint32_t next_ = 0;
};

/// A transaction of type 2 for which any base fee up to twice this one is affordable.
[[nodiscard]] Transaction plain_transaction(const Uint256& base_fee_per_gas);
[[nodiscard]] GenesisAccount funded_account(const Address& address);

}  // namespace heddle::workload
