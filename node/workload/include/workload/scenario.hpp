// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Workloads by name with their parameters, as benchmarks ask for them: `ycsb:skew=0.9,reads=0.8`.
// The list here is the only one; whoever lets somebody choose takes names and words from it.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <types/address.hpp>
#include <types/genesis.hpp>
#include <types/revision.hpp>
#include <types/transaction.hpp>
#include <types/uint256.hpp>

#include <workload/options.hpp>

namespace heddle::workload {

/// One parameter of a scenario. All are integers: counts, or shares in millionths, which are
/// written as decimal fractions.
struct ScenarioSetting {
    std::string_view name;
    bool is_share;
    std::uint64_t least;
    std::uint64_t most;
    std::uint64_t usual;
    std::string_view description;
};

struct ScenarioInfo {
    std::string_view name;
    std::string_view description;  // what its transactions do, in half a sentence
    std::span<const ScenarioSetting> settings;
};
[[nodiscard]] std::span<const ScenarioInfo> scenarios() noexcept;

/// A scenario with a value for each of its settings.
struct ScenarioChoice {
    const ScenarioInfo* info = nullptr;
    std::vector<std::uint64_t> values;  // in the order of info->settings

    /// Of a setting that the scenario has.
    [[nodiscard]] std::uint64_t value(std::string_view setting) const;
    /// The name, and the settings that are not as usual, so that parse_scenario() gives it again.
    [[nodiscard]] std::string to_text() const;
};
/// @param text  `NAME` or `NAME:setting=value,…`.
/// Errors: a sentence that names what is wrong and what there is.
[[nodiscard]] std::expected<ScenarioChoice, std::string> parse_scenario(std::string_view text);

struct ScenarioOptions {
    std::uint64_t seed = 1;
    Revision revision = kDefaultRevision;
    std::uint32_t transactions = 1'000;  // in all; at most kMaxScenarioTransactions
};
inline constexpr std::uint32_t kMaxScenarioTransactions = 200'000;

/// The world of a scenario and its transactions, which follow from the options alone.
/// Thread safety: one thread at a time.
class ScenarioSource {
public:
    virtual ~ScenarioSource() = default;

    /// The genesis allocation; once.
    [[nodiscard]] virtual std::vector<GenesisAccount> take_alloc() = 0;
    [[nodiscard]] virtual std::vector<Address> beneficiaries() const = 0;
    /// The next transaction, signed, with its sender filled, valid if all before it were included.
    /// Not more often than ScenarioOptions::transactions.
    [[nodiscard]] virtual Transaction next(const Uint256& base_fee_per_gas,
                                           std::uint64_t blobs_left) = 0;
    /// No less than what a transaction uses on average.
    [[nodiscard]] virtual std::uint64_t average_gas() const noexcept = 0;
};
[[nodiscard]] std::unique_ptr<ScenarioSource> make_scenario(const ScenarioChoice& choice,
                                                            const ScenarioOptions& options);

}  // namespace heddle::workload
