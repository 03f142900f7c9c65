// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/kept_amendments.hpp"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <types/expected.hpp>
#include <types/rlp.hpp>
#include <types/state_diff.hpp>
#include <types/text_bytes.hpp>

#include "logging/log.hpp"
#include "program/durable_file.hpp"
#include "program/error.hpp"
#include "program/file.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = std::size_t{4} << 30;

fs::path path_in(const std::string& datadir) {
    return fs::path{datadir} / "amendments.rlp";
}

void encode_account(const AccountChange& change, Bytes& out) {
    const std::size_t begin = out.size();
    rlp::encode_address(change.address, out);
    rlp::encode_uint64(change.storage_cleared ? 1 : 0, out);
    const std::size_t account = out.size();
    if (change.account.has_value()) {
        rlp::encode_uint64(change.account->nonce, out);
        rlp::encode_uint256(change.account->balance, out);
        rlp::encode_hash(change.account->code_hash, out);
    }
    rlp::wrap_list(account, out);
    const std::size_t storage = out.size();
    for (const StorageChange& slot : change.storage) {
        rlp::encode_uint256(slot.slot, out);
        rlp::encode_uint256(slot.value, out);
    }
    rlp::wrap_list(storage, out);
    rlp::wrap_list(begin, out);
}

void encode_amendment(std::uint64_t number, const Hash& block, const StateDiff& diff, Bytes& out) {
    const std::size_t begin = out.size();
    rlp::encode_uint64(number, out);
    rlp::encode_hash(block, out);
    const std::size_t accounts = out.size();
    for (const AccountChange& change : diff.accounts)
        encode_account(change, out);
    rlp::wrap_list(accounts, out);
    const std::size_t codes = out.size();
    for (const CodeChange& change : diff.codes)
        rlp::encode_string(change.code, out);
    rlp::wrap_list(codes, out);
    rlp::wrap_list(begin, out);
}

rlp::Result<AccountChange> decode_account(rlp::Reader reader) {
    AccountChange change;
    HEDDLE_TRY(change.address, reader.read_address());
    HEDDLE_TRY(const std::uint64_t is_cleared, reader.read_uint64());
    change.storage_cleared = is_cleared != 0;
    HEDDLE_TRY(rlp::Reader account, reader.read_list());
    if (!account.at_end()) {
        Account& values = change.account.emplace();
        HEDDLE_TRY(values.nonce, account.read_uint64());
        HEDDLE_TRY(values.balance, account.read_uint256());
        HEDDLE_TRY(values.code_hash, account.read_hash());
    }
    HEDDLE_TRY(rlp::Reader storage, reader.read_list());
    while (!storage.at_end()) {
        StorageChange& slot = change.storage.emplace_back();
        HEDDLE_TRY(slot.slot, storage.read_uint256());
        HEDDLE_TRY(slot.value, storage.read_uint256());
    }
    return change;
}

struct KeptAmendment {
    std::uint64_t number = 0;
    Hash block;
    StateDiff diff;
};

/// Whether the amendments are those that were written. Files from before there was a checksum have
/// none, and begin with an amendment.
bool is_as_written(BytesView content) {
    rlp::Reader top{content};
    auto list = top.read_list();
    if (!list.has_value() || list->next_is_list()) return true;  // decode() says what is wrong
    const auto sum = list->read_hash();
    return sum.has_value() && *sum == keccak256(content.subspan(list->offset()));
}

rlp::Result<std::vector<KeptAmendment>> decode(BytesView content) {
    std::vector<KeptAmendment> result;
    rlp::Reader top{content};
    HEDDLE_TRY(rlp::Reader list, top.read_list());
    if (!list.next_is_list()) HEDDLE_CHECK(list.read_hash());
    while (!list.at_end()) {
        KeptAmendment& kept = result.emplace_back();
        HEDDLE_TRY(rlp::Reader reader, list.read_list());
        HEDDLE_TRY(kept.number, reader.read_uint64());
        HEDDLE_TRY(kept.block, reader.read_hash());
        HEDDLE_TRY(rlp::Reader accounts, reader.read_list());
        while (!accounts.at_end()) {
            HEDDLE_TRY(const rlp::Reader account, accounts.read_list());
            HEDDLE_TRY(AccountChange change, decode_account(account));
            kept.diff.accounts.push_back(std::move(change));
        }
        HEDDLE_TRY(rlp::Reader codes, reader.read_list());
        while (!codes.at_end()) {
            HEDDLE_TRY(const BytesView code, codes.read_string());
            kept.diff.codes.push_back({keccak256(code), Bytes(code.begin(), code.end())});
        }
    }
    HEDDLE_CHECK(top.expect_end());
    return result;
}

/// The chain's block of that number; nullopt: it has none, or cannot say.
std::optional<Hash> hash_of(const Chain& chain, std::uint64_t number) {
    const auto header = chain.header(number);
    if (!header.has_value() || !header->has_value()) return std::nullopt;
    return (*header)->hash;
}

}  // namespace

void keep_amendments(const std::string& datadir, const Chain& chain) {
    Bytes content;
    for (const auto& [number, diff] : chain.amendments())
        if (const auto block = hash_of(chain, number))
            encode_amendment(number, *block, diff, content);
    if (content.empty()) return;
    Bytes sum;
    rlp::encode_hash(keccak256(content), sum);
    content.insert(content.begin(), sum.begin(), sum.end());
    rlp::wrap_list(0, content);
    const fs::path path = path_in(datadir);
    const std::string next = path.string() + ".next";
    std::error_code failed;
    if (write_durably(next, content)) {
        fs::rename(next, path, failed);
        if (!failed && sync_folder(datadir)) return;
        if (!failed) failed.assign(errno, std::generic_category());
    } else {
        failed.assign(errno, std::generic_category());
    }
    logger(Component::chain)
        .error("{}: cannot be written: {}; values that were set are lost", path.string(),
               failed.message());
    std::error_code ignored;
    fs::remove(next, ignored);
    fs::remove(path, ignored);
}

void restore_amendments(const std::string& datadir, Chain& chain) {
    const fs::path path = path_in(datadir);
    std::error_code failed;
    if (!fs::exists(path, failed)) return;
    require_regular_file(path.string());
    std::string content;
    read_file(path.string(), kMaxBytes, content);
    const BytesView bytes = bytes_of(content);
    const auto kept = decode(bytes);
    if (!kept.has_value() || !is_as_written(bytes))
        fail_input("{}: {}; remove it, and values that were set on the chain are lost",
                   path.string(),
                   kept.has_value() ? "its checksum is another" : rlp::to_string(kept.error()));
    for (const KeptAmendment& amendment : *kept)
        if (hash_of(chain, amendment.number) == amendment.block)
            chain.restore_amendment(amendment.number, amendment.diff);
    // What is set from now on is only here, and what is there would be out of date.
    fs::remove(path, failed);
    if (failed) fail_input("{}: cannot be removed: {}", path.string(), failed.message());
}

}  // namespace heddle::node
