// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The scenarios by name, their settings, and the one place where both are read.
#include <workload/scenario.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include <types/assert.hpp>

#include "scenario_sources.hpp"

namespace heddle::workload {
namespace {

constexpr ScenarioSetting kHot{
    "hot", true,
    0,     kMillion,
    0,     "share of transactions that go to the one hot recipient, token, pool or contract"};
constexpr ScenarioSetting kSkew{"skew",
                                true,
                                0,
                                2'000'000,
                                0,
                                "exponent of the Zipf distribution by which recipients, keys, "
                                "warehouses or shards are chosen; 0: all alike"};

constexpr ScenarioSetting kNative{
    "native", false, 0, 1, 0, "1: executed by C++ code in place of the contract's bytecode"};

constexpr std::array kPaymentSettings = {kHot, kSkew};
constexpr std::array kGeneratorSettings = {
    kHot, ScenarioSetting{"accounts", false, 0, kMaxAccounts, 0,
                          "funded senders; 0: two for each transaction"}};
constexpr std::array kNftSettings = {
    ScenarioSetting{"mints", true, 0, kMillion, 100'000,
                    "share of transactions that mint, which all take the next number"},
    kSkew};
constexpr std::array kYcsbSettings = {
    ScenarioSetting{"records", false, 1, 4'000'000, 50'000, "rows, one slot each"},
    ScenarioSetting{"keys", false, 1, 64, 10, "rows that a transaction accesses"},
    ScenarioSetting{"reads", true, 0, kMillion, 800'000,
                    "share of the accesses that read; the others write"},
    kSkew,
    ScenarioSetting{"hot-keys", false, 0, 64, 0,
                    "accesses of a transaction, of those above, to one of 77 hot rows"},
    ScenarioSetting{"length", false, 0, 100'000, 0, "hashes that a transaction computes"},
    ScenarioSetting{"stragglers", true, 0, kMillion, 0,
                    "share of transactions that compute more hashes"},
    ScenarioSetting{"straggler-length", false, 0, 100'000, 10'000, "hashes that these compute"},
    ScenarioSetting{"group", false, 0, 100'000, 0,
                    "transactions that follow each other and share one row; 0: no such groups"},
    kNative};
constexpr std::array kTpccSettings = {
    ScenarioSetting{"warehouses", false, 1, 10'000, 8, "warehouses"},
    kSkew,
    ScenarioSetting{"remote-orders", true, 0, kMillion, 100'000,
                    "share of New-Orders with a line from another warehouse"},
    ScenarioSetting{"remote-payments", true, 0, kMillion, 150'000,
                    "share of Payments by a customer of another warehouse"},
    ScenarioSetting{"split", false, 0, 1, 0,
                    "1: what touches the warehouse's row is a transaction of its own"},
    kNative};
constexpr std::array kListSettings = {
    ScenarioSetting{"shards", false, 1, 64, 1, "lists"},
    ScenarioSetting{"length", false, 1, 2'000, 100, "elements of each list at first"},
    ScenarioSetting{"writes", true, 0, kMillion, 100'000, "share of requests that add"},
    ScenarioSetting{"global", true, 0, kMillion, 10'000, "share of requests to all lists"}, kSkew};

constexpr std::array kScenarios = {
    ScenarioInfo{"transfers", "ether between accounts that occur once each", kPaymentSettings},
    ScenarioInfo{"neighbours", "ether to new accounts whose addresses follow each other", {}},
    ScenarioInfo{"erc20", "tokens between accounts that occur once each", kPaymentSettings},
    ScenarioInfo{"amm", "swaps in eight pools", kGeneratorSettings},
    ScenarioInfo{"nft", "tokens with numbers are handed on, some minted", kNftSettings},
    ScenarioInfo{"mixed", "30 % transfers, 40 % tokens, 20 % swaps, 8 % storage, 2 % creations",
                 kGeneratorSettings},
    ScenarioInfo{"storage", "many slots written, read and cleared", kGeneratorSettings},
    ScenarioInfo{"ycsb", "rows of a table read and written", kYcsbSettings},
    ScenarioInfo{"tpcc", "New-Order and Payment of TPC-C, one of each in turn", kTpccSettings},
    ScenarioInfo{"chain", "ether that the next sender has only from the one before", {}},
    ScenarioInfo{"hot-slot", "tokens, all to one recipient", {}},
    ScenarioInfo{"linked-list", "lists searched and added to", kListSettings},
};

template <typename Entries>
std::string names_of(const Entries& entries) {
    std::string text;
    for (const auto& entry : entries)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", entry.name);
    return text;
}

/// A decimal fraction with at most six digits behind the point, in millionths.
std::optional<std::uint64_t> parse_share(std::string_view text) {
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    std::string digits{point == std::string_view::npos ? "" : text.substr(point + 1)};
    if (whole.empty() || digits.size() > 6 || whole.size() > 3) return std::nullopt;
    digits.resize(6, '0');
    digits.insert(0, whole);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string show(const ScenarioSetting& setting, std::uint64_t value) {
    if (!setting.is_share) return std::to_string(value);
    std::string text = fmt::format("{}.{:06}", value / kMillion, value % kMillion);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::expected<void, std::string> set(ScenarioChoice& choice, std::string_view item) {
    const ScenarioInfo& info = *choice.info;
    const std::size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    const auto found = std::ranges::find(info.settings, name, &ScenarioSetting::name);
    if (found == info.settings.end())
        return std::unexpected(
            info.settings.empty()
                ? fmt::format("workload {} has no settings, so no {}", info.name, name)
                : fmt::format("workload {} has no setting {}: choose of {}", info.name, name,
                              names_of(info.settings)));
    const std::string_view text =
        equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1);
    const auto value = found->is_share ? parse_share(text) : parse_count(text);
    if (!value || *value < found->least || *value > found->most)
        return std::unexpected(fmt::format("workload {}: {}={}: a {} from {} to {} is wanted",
                                           info.name, name, text,
                                           found->is_share ? "decimal fraction" : "number",
                                           show(*found, found->least), show(*found, found->most)));
    choice.values[static_cast<std::size_t>(found - info.settings.begin())] = *value;
    return {};
}

}  // namespace

std::span<const ScenarioInfo> scenarios() noexcept {
    return kScenarios;
}

std::uint64_t ScenarioChoice::value(std::string_view setting) const {
    const auto found = std::ranges::find(info->settings, setting, &ScenarioSetting::name);
    HEDDLE_ASSERT(found != info->settings.end());
    return values[static_cast<std::size_t>(found - info->settings.begin())];
}

std::string ScenarioChoice::to_text() const {
    std::string text{info->name};
    char before = ':';
    for (std::size_t i = 0; i < values.size(); ++i) {
        const ScenarioSetting& setting = info->settings[i];
        if (values[i] == setting.usual) continue;
        text += fmt::format("{}{}={}", before, setting.name, show(setting, values[i]));
        before = ',';
    }
    return text;
}

std::expected<ScenarioChoice, std::string> parse_scenario(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const auto* const found = std::ranges::find(kScenarios, name, &ScenarioInfo::name);
    if (found == kScenarios.end())
        return std::unexpected(
            fmt::format("no workload {}: choose of {}", name, names_of(kScenarios)));
    ScenarioChoice choice;
    choice.info = found;
    for (const ScenarioSetting& setting : found->settings)
        choice.values.push_back(setting.usual);
    if (colon == std::string_view::npos) return choice;
    std::string_view rest = text.substr(colon + 1);
    for (;;) {
        const std::size_t comma = rest.find(',');
        if (auto done = set(choice, rest.substr(0, comma)); !done)
            return std::unexpected(std::move(done).error());
        if (comma == std::string_view::npos) return choice;
        rest.remove_prefix(comma + 1);
    }
}

std::unique_ptr<ScenarioSource> make_scenario(const ScenarioChoice& choice,
                                              const ScenarioOptions& options) {
    HEDDLE_ASSERT(options.transactions > 0 && options.transactions <= kMaxScenarioTransactions);
    const std::string_view name = choice.info->name;
    if (name == "transfers" || name == "neighbours" || name == "erc20" || name == "chain")
        return make_payments(choice, options);
    if (name == "nft") return make_collection(choice, options);
    if (name == "ycsb") return make_table(choice, options);
    if (name == "tpcc") return make_orders(choice, options);
    if (name == "linked-list") return make_lists(choice, options);
    return make_generated(choice, options);
}

}  // namespace heddle::workload
