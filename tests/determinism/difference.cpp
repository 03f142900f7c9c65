// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparing two runs, and saying where they part.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <types/block_access_list.hpp>

#include "harness.hpp"

namespace heddle::test {
namespace {

std::string_view mode_name(AccessMode mode) {
    static constexpr std::string_view kNames[] = {"read", "add", "debit", "write"};
    return kNames[static_cast<std::size_t>(mode)];
}

std::string to_text(const Access& access) {
    static constexpr std::string_view kKinds[] = {"balance", "nonce", "code", "storage",
                                                  "storage_all"};
    const ObjectId& object = access.object;
    std::string text = fmt::format("{}({}", kKinds[static_cast<std::size_t>(object.kind)],
                                   to_string(object.address));
    if (object.kind == ObjectKind::storage) text += ", " + to_hex(object.slot);
    return fmt::format("{}) {}", text, mode_name(access.mode));
}

std::string set_difference(const ObjectSet& expected, const ObjectSet& actual) {
    std::string text;
    for (const Access& access : expected.accesses()) {
        const Access* other = actual.find(access.object);
        if (other == nullptr)
            text += "; missing " + to_text(access);
        else if (other->mode != access.mode)
            text += fmt::format("; {} instead of {}", to_text(*other), mode_name(access.mode));
    }
    for (const Access& access : actual.accesses())
        if (expected.find(access.object) == nullptr) text += "; too much " + to_text(access);
    return text;
}

std::string account_text(const std::optional<Account>& account) {
    if (!account.has_value()) return "nothing";
    return fmt::format("nonce {} balance {} code {}", account->nonce, to_decimal(account->balance),
                       to_string(account->code_hash));
}

std::string change_difference(const AccountChange& expected, const AccountChange& actual) {
    const std::string who = "account " + to_string(expected.address) + ": ";
    if (expected.account != actual.account)
        return who + account_text(expected.account) + " became " + account_text(actual.account);
    if (expected.storage_cleared != actual.storage_cleared)
        return who + (actual.storage_cleared ? "storage cleared" : "storage not cleared");
    for (std::size_t i = 0; i < std::min(expected.storage.size(), actual.storage.size()); ++i) {
        const StorageChange& a = expected.storage[i];
        const StorageChange& b = actual.storage[i];
        if (a != b)
            return fmt::format("{}slot {} = {} became slot {} = {}", who, to_hex(a.slot),
                               to_hex(a.value), to_hex(b.slot), to_hex(b.value));
    }
    return fmt::format("{}{} slots became {}", who, expected.storage.size(), actual.storage.size());
}

std::string code_difference(const std::vector<CodeChange>& expected,
                            const std::vector<CodeChange>& actual) {
    if (expected == actual) return {};
    const auto hashes = [](const std::vector<CodeChange>& codes) {
        std::string text;
        for (const CodeChange& code : codes)
            text += " " + to_string(code.hash);
        return text.empty() ? " none" : text;
    };
    return "codes" + hashes(expected) + " became" + hashes(actual);
}

std::string diff_difference(const StateDiff& expected, const StateDiff& actual) {
    for (std::size_t i = 0; i < std::min(expected.accounts.size(), actual.accounts.size()); ++i) {
        const AccountChange& a = expected.accounts[i];
        const AccountChange& b = actual.accounts[i];
        if (a.address != b.address)
            return fmt::format("changed account {} became {}", to_string(a.address),
                               to_string(b.address));
        if (a != b) return change_difference(a, b);
    }
    if (expected.accounts.size() != actual.accounts.size())
        return fmt::format("{} changed accounts became {}", expected.accounts.size(),
                           actual.accounts.size());
    return code_difference(expected.codes, actual.codes);
}

std::string receipt_difference(const Receipt& a, const Receipt& b) {
    if (a == b) return {};
    if (a.success != b.success) return fmt::format("success {} became {}", a.success, b.success);
    if (a.gas_used != b.gas_used)
        return fmt::format("gas used {} became {}", a.gas_used, b.gas_used);
    if (a.cumulative_gas_used != b.cumulative_gas_used)
        return fmt::format("cumulative gas used {} became {}", a.cumulative_gas_used,
                           b.cumulative_gas_used);
    if (a.logs != b.logs) return fmt::format("{} logs became {}", a.logs.size(), b.logs.size());
    if (a.post_state != b.post_state) return "state root after it";
    if (a.bloom != b.bloom) return "bloom";
    return "type, price, blob gas or created address";
}

std::string access_list_difference(BytesView expected, BytesView actual) {
    const auto one = decode_block_access_list(expected);
    const auto other = decode_block_access_list(actual);
    if (!one.has_value() || !other.has_value())
        return "access list: only one, or none that is whole";
    const auto found = first_difference(*one, *other);
    return "access list: " + (found.has_value() ? to_string(*found) : "encoding");
}

std::string block_difference(const BlockRecord& expected, const BlockRecord& actual) {
    const std::size_t count = expected.receipts.size();
    if (actual.receipts.size() != count)
        return fmt::format("{} receipts became {}", count, actual.receipts.size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto text = receipt_difference(expected.receipts[i], actual.receipts[i]);
        if (!text.empty()) return fmt::format("transaction {}: {}", i, text);
    }
    if (auto text = diff_difference(expected.diff, actual.diff); !text.empty()) return text;
    if (expected.access_list != actual.access_list)
        return access_list_difference(expected.access_list, actual.access_list);
    if (expected.state_root != actual.state_root) return "state root";
    if (expected.header != actual.header) return "header";
    if (expected.hash != actual.hash) return "hash reported";
    if (expected.object_sets.size() != actual.object_sets.size())
        return fmt::format("{} object sets became {}", expected.object_sets.size(),
                           actual.object_sets.size());
    for (std::size_t i = 0; i < expected.object_sets.size(); ++i) {
        const auto text = set_difference(expected.object_sets[i], actual.object_sets[i]);
        if (!text.empty()) return fmt::format("transaction {}: object set{}", i, text);
    }
    return {};
}

std::string error_text(const std::optional<BlockError>& error) {
    if (!error.has_value()) return "no error";
    return fmt::format("\"{}\" (transaction or ommer {}, reason {})", to_string(*error),
                       error->index.has_value() ? std::to_string(*error->index) : "none",
                       error->transaction.has_value() ? to_string(*error->transaction) : "none");
}

std::string blocks_difference(const RunRecord& expected, const RunRecord& actual) {
    const std::size_t count = std::min(expected.blocks.size(), actual.blocks.size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto text = block_difference(expected.blocks[i], actual.blocks[i]);
        if (!text.empty())
            return fmt::format("block {}: {}", expected.blocks[i].header.number, text);
    }
    return {};
}

std::string summary_difference(const executor::Summary& a, const executor::Summary& b) {
    if (a.stats.blocks != b.stats.blocks || a.stats.transactions != b.stats.transactions ||
        a.stats.gas_used != b.stats.gas_used)
        return "counts of the summary";
    if (a.head_number != b.head_number || a.head_hash != b.head_hash ||
        a.state_root != b.state_root)
        return "head of the summary";
    return {};
}

}  // namespace

std::string difference(const RunRecord& expected, const RunRecord& actual) {
    if (auto text = blocks_difference(expected, actual); !text.empty()) return text;
    if (error_text(expected.error) != error_text(actual.error))
        return error_text(expected.error) + " became " + error_text(actual.error);
    if (expected.blocks.size() != actual.blocks.size())
        return fmt::format("{} blocks became {}", expected.blocks.size(), actual.blocks.size());
    if (expected.error.has_value()) return {};
    return summary_difference(expected.summary, actual.summary);
}

std::string prefix_difference(const RunRecord& expected, const RunRecord& actual) {
    if (actual.blocks.size() > expected.blocks.size())
        return fmt::format("{} blocks became {}", expected.blocks.size(), actual.blocks.size());
    if (auto text = blocks_difference(expected, actual); !text.empty()) return text;
    if (actual.error.has_value()) return difference(expected, actual);
    const executor::Summary& summary = actual.summary;
    if (summary.stats.blocks != actual.blocks.size()) return "counts of the summary";
    if (!actual.blocks.empty() && (summary.head_hash != actual.blocks.back().hash ||
                                   summary.state_root != actual.blocks.back().state_root))
        return "head of the summary";
    return {};
}

Hash digest(const RunRecord& run) {
    Bytes all;
    const auto append = [&](BytesView bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); };
    const auto append_word = [&](const Uint256& word) { append(to_hash(word).bytes); };
    for (const BlockRecord& block : run.blocks) {
        append(block.hash.bytes);
        append(block.state_root.bytes);
        append(block.access_list);
        for (const Receipt& receipt : block.receipts)
            encode_receipt(receipt, all);
        for (const ObjectSet& set : block.object_sets) {
            for (const Access& access : set.accesses()) {
                append(access.object.address.bytes);
                append_word(access.object.slot);
                all.push_back(static_cast<std::uint8_t>(access.object.kind));
                all.push_back(static_cast<std::uint8_t>(access.mode));
            }
        }
    }
    const std::string error = error_text(run.error);
    all.insert(all.end(), error.begin(), error.end());
    return keccak256(all);
}

}  // namespace heddle::test
