// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/state_dump.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>

#include "formats/json.hpp"
#include "formats/json_writer.hpp"
#include "program/error.hpp"

namespace heddle::node::rpc {
namespace {

/// Writes accounts one after the other, and stops where the text gets too long.
class DumpWriter {
public:
    DumpWriter(const StateView& state, StateDiff amendment, std::size_t max_bytes)
        : state_(state), max_bytes_(max_bytes) {
        for (AccountChange& change : amendment.accounts)
            changes_.emplace(change.address, std::move(change));
        out_.begin_object();
        out_.key("accounts");
        out_.begin_object();
    }

    bool begin(const Address& address, const Account& account) {
        finish();
        const auto change = changes_.find(address);
        if (change == changes_.end()) return open(address, account);
        current_ = std::move(change->second);
        changes_.erase(change);
        if (!current_->account.has_value()) {
            current_.reset();
            is_skipped_ = true;
            return true;
        }
        return open(address, *current_->account);
    }

    bool add(const Uint256& slot, const Uint256& value) {
        if (is_skipped_) return true;
        if (current_.has_value()) {
            if (current_->storage_cleared) return true;
            const auto changed =
                std::ranges::lower_bound(current_->storage, slot, {}, &StorageChange::slot);
            if (changed != current_->storage.end() && changed->slot == slot) return true;
        }
        return write(slot, value);
    }

    /// Those accounts that only the amendment has, and the end. @return false: it is too long.
    bool end() {
        finish();
        for (auto& [address, change] : std::exchange(changes_, {})) {
            if (!change.account.has_value()) continue;
            current_ = std::move(change);
            if (!open(address, *current_->account)) return false;
            finish();
        }
        out_.end_object();
        out_.end_object();
        return fits();
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    [[nodiscard]] bool fits() const noexcept { return text_.size() <= max_bytes_; }

    bool open(const Address& address, const Account& account) {
        is_open_ = true;
        out_.key(to_string(address));
        out_.begin_object();
        out_.key("nonce");
        out_.number(account.nonce);
        out_.key("balance");
        out_.quantity(account.balance);
        out_.key("code");
        out_.hex(state_.code(account.code_hash));
        out_.key("storage");
        out_.begin_object();
        return fits();
    }

    bool write(const Uint256& slot, const Uint256& value) {
        Hash key;
        Hash word;
        store_be(slot, key.bytes.data());
        store_be(value, word.bytes.data());
        out_.key(to_string(key));
        out_.hash(word);
        return fits();
    }

    /// Ends the account that is open, if there is one.
    void finish() {
        is_skipped_ = false;
        if (!std::exchange(is_open_, false)) return;
        if (current_.has_value())
            for (const StorageChange& change : current_->storage)
                if (!change.value.is_zero()) write(change.slot, change.value);
        current_.reset();
        out_.end_object();
        out_.end_object();
    }

    const StateView& state_;
    const std::size_t max_bytes_;
    std::map<Address, AccountChange> changes_;
    std::optional<AccountChange> current_;  // of the account that is open
    bool is_open_ = false;
    bool is_skipped_ = false;  // the account that was begun is no more
    std::string text_;
    JsonWriter out_{text_, JsonWriter::Style::compact};
};

AccountChange parse_account(std::string_view key, const JsonView& json, const JsonView& accounts,
                            StateDiff& diff) {
    AccountChange change{address_from_key(key, accounts), Account{}, false, {}};
    if (const auto nonce = json.find("nonce")) change.account->nonce = nonce->uint64();
    if (const auto balance = json.find("balance")) change.account->balance = balance->uint256();
    if (const auto code = json.find("code")) {
        Bytes bytes = code->bytes();
        if (!bytes.empty()) {
            change.account->code_hash = keccak256(bytes);
            diff.codes.push_back({change.account->code_hash, std::move(bytes)});
        }
    }
    if (const auto storage = json.find("storage")) {
        std::map<Uint256, Uint256> slots;
        for (std::size_t i = 0; i < storage->size(); ++i) {
            const auto [slot, value] = storage->member(i);
            slots[uint256_from_key(slot, *storage)] = value.uint256();
        }
        for (const auto& [slot, value] : slots)
            change.storage.push_back({slot, value});
    }
    return change;
}

}  // namespace

ChainControl::Result<std::string> dump_of(Chain& chain, ChainControl& control,
                                          std::size_t max_bytes) {
    std::string text;
    HEDDLE_CHECK(control.read_state(
        [&](const StateView& state, const SharedOverlay& amendment) -> ChainControl::Done {
            DumpWriter writer(state, amendment ? amendment->diff() : StateDiff{}, max_bytes);
            bool fits = true;
            const auto visited = chain.visit_state(
                {.on_account =
                     [&](const Address& address, const Account& account) {
                         return fits = writer.begin(address, account);
                     },
                 .on_slot = [&](const Uint256& slot,
                                const Uint256& value) { return fits = writer.add(slot, value); }});
            if (!visited.has_value()) return std::unexpected(ledger::to_string(visited.error()));
            if (!fits || !writer.end())
                return std::unexpected(fmt::format(
                    "the state is longer than {} bytes, as much as an answer may have; see "
                    "rpc.max_response_kilobytes",
                    max_bytes));
            text = writer.take();
            return {};
        }));
    return text;
}

StateDiff parse_dump(BytesView bytes) {
    constexpr std::uint8_t kGzip[] = {0x1f, 0x8b};
    if (bytes.size() >= 2 && equal(bytes.first(2), kGzip))
        fail_input("the state is compressed; unpack it with gunzip before");
    const std::string text(bytes.begin(), bytes.end());
    JsonParser parser;
    const JsonView json = parser.parse(text, "state");
    const JsonView accounts = json.at("accounts");
    StateDiff diff;
    std::map<Address, AccountChange> changes;
    for (std::size_t i = 0; i < accounts.size(); ++i) {
        const auto [key, account] = accounts.member(i);
        AccountChange change = parse_account(key, account, accounts, diff);
        changes.insert_or_assign(change.address, std::move(change));
    }
    for (auto& [address, change] : changes)
        if (!change.account->is_empty() || !change.storage.empty())
            diff.accounts.push_back(std::move(change));
    std::ranges::sort(diff.codes, {}, &CodeChange::hash);
    const auto [first, last] = std::ranges::unique(diff.codes, {}, &CodeChange::hash);
    diff.codes.erase(first, last);
    return diff;
}

}  // namespace heddle::node::rpc
