// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "building/recorded_settings.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "program/error.hpp"

namespace heddle::node {
namespace {

/// Every setting that there is, for both directions.
template <typename Mempool, typename Application, typename Visit>
void visit_settings(Mempool& mempool, Application& application, Visit&& visit) {
    visit("mempool.max_transactions", mempool.max_transactions);
    visit("mempool.max_bytes", mempool.max_bytes);
    visit("mempool.max_per_sender", mempool.max_per_sender);
    visit("mempool.max_nonce_gap", mempool.max_nonce_gap);
    visit("mempool.waiting_lifetime", mempool.waiting_lifetime);
    visit("mempool.price_bump", mempool.price_bump_percent);
    visit("mempool.blob_price_bump", mempool.blob_price_bump_percent);
    visit("mempool.min_priority_fee", mempool.min_priority_fee);
    visit("mempool.max_fee", mempool.max_fee);
    visit("mempool.allow_unprotected", mempool.allow_unprotected);
    visit("mempool.allow_blobs", mempool.allow_blobs);
    visit("building.builder", application.builder);
    visit("building.fee_tolerance", application.fee_tolerance_percent);
    visit("ledger.store_lists", application.stores_lists);
    visit("executor.scheduler", application.scheduler);
    visit("executor.workers", application.executor.parallel.workers);
}

std::string text_of(std::integral auto value) {
    return std::to_string(value);
}
std::string text_of(bool value) {
    return value ? "true" : "false";
}
std::string text_of(std::chrono::milliseconds value) {
    return std::to_string(value.count());
}
std::string text_of(const Uint256& value) {
    return to_hex(value);
}
std::string text_of(Builder value) {
    return value == Builder::serial ? "serial" : "aria";
}
std::string text_of(const std::string& value) {
    return value;
}

bool read(const std::string& text, std::integral auto& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}
bool read(const std::string& text, bool& value) {
    value = text == "true";
    return value || text == "false";
}
bool read(const std::string& text, std::chrono::milliseconds& value) {
    std::int64_t count = 0;
    const bool is_good = read(text, count);
    value = std::chrono::milliseconds{count};
    return is_good;
}
bool read(const std::string& text, Uint256& value) {
    const auto read = uint256_from_string(text);
    if (read.has_value()) value = *read;
    return read.has_value();
}
bool read(const std::string& text, Builder& value) {
    value = text == "serial" ? Builder::serial : Builder::aria;
    return text == text_of(value);
}
bool read(const std::string& text, std::string& value) {
    value = text;
    return true;
}

}  // namespace

RecordedSettings settings_of(const MempoolOptions& mempool,
                             const ChainApplicationOptions& application) {
    RecordedSettings settings;
    visit_settings(mempool, application, [&](std::string_view name, const auto& value) {
        settings.emplace_back(name, text_of(value));
    });
    return settings;
}

bool is_of_member(const RecordedSettings& settings) {
    return std::ranges::any_of(settings,
                               [](const auto& one) { return one.first == kReplicationSetting; });
}

void apply_settings(const RecordedSettings& settings, MempoolOptions& mempool,
                    ChainApplicationOptions& application) {
    for (const auto& [name, text] : settings) {
        if (name.starts_with("genesis.") || name == kReplicationSetting) continue;
        bool is_known = false;
        visit_settings(mempool, application, [&](std::string_view known, auto& value) {
            if (known != name) return;
            is_known = true;
            if (!read(text, value))
                fail_input("the recording's setting {} is {}, which is none", name, text);
        });
        if (!is_known)
            fail_input("the recording has the setting {}, which this program does not know", name);
    }
}

}  // namespace heddle::node
