// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/access_list_file.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>
#include <types/rlp.hpp>

#include "program/error.hpp"

namespace heddle::node {

namespace {

constexpr std::uint8_t kShortList = 0xc0;
constexpr std::uint8_t kLongList = 0xf7;
/// More than any block's gas buys.
constexpr std::uint64_t kMaxListBytes = std::uint64_t{256} << 20;

/// A list that no header claims, with what says whose it is.
struct NamedList {
    std::uint64_t number = 0;
    Hash hash;
    BytesView list;  // RLP
};

/// Whether an item is a list with its block before it: an access list begins with an account, which
/// is a list.
bool is_named(BytesView item) {
    const auto inner = rlp::Reader{item}.read_list();
    return inner.has_value() && !inner->at_end() && !inner->next_is_list();
}

/// Whether an item begins as a list of accounts does: a block, for one, has its parent's hash where
/// the first account's address would be.
bool begins_with_account(BytesView item) {
    auto accounts = rlp::Reader{item}.read_list();
    if (!accounts.has_value()) return false;
    if (accounts->at_end()) return true;
    auto account = accounts->read_list();
    return account.has_value() && account->read_address().has_value();
}

rlp::Result<NamedList> read_named_list(BytesView item) {
    HEDDLE_TRY(rlp::Reader reader, rlp::Reader{item}.read_list());
    NamedList named;
    HEDDLE_TRY(named.number, reader.read_uint64());
    HEDDLE_TRY(named.hash, reader.read_hash());
    HEDDLE_TRY(named.list, reader.read_raw());
    HEDDLE_CHECK(reader.expect_end());
    return named;
}

}  // namespace

Bytes encode_named_list(const BlockHeader& header, BytesView list) {
    Bytes out;
    rlp::encode_uint64(header.number, out);
    rlp::encode_hash(header_hash(header), out);
    out.insert(out.end(), list.begin(), list.end());
    rlp::wrap_list(0, out);
    return out;
}

AccessListFile::AccessListFile(const std::string& path) : path_(path), file_(path) {}

std::unexpected<std::string> AccessListFile::error(std::string_view what) const {
    return std::unexpected(fmt::format("{}: at byte {}: {}", path_, offset_, what));
}

/// Appends. @return false: there is less.
bool AccessListFile::read(std::size_t size, Bytes& out) {
    // Grown as it comes in: a length that a damaged file claims costs no memory.
    constexpr std::size_t kStep = std::size_t{1} << 20;
    while (size != 0) {
        const std::size_t step = std::min(size, kStep);
        const std::size_t before = out.size();
        out.resize(before + step);
        const std::span<char> into(reinterpret_cast<char*>(out.data() + before), step);  // NOLINT
        const std::size_t got = file_.read(into);
        out.resize(before + got);
        if (got == 0) return false;
        size -= got;
    }
    return true;
}

std::expected<std::optional<Bytes>, std::string> AccessListFile::next() try {
    Bytes list;
    if (!read(1, list)) return std::nullopt;
    if (list.front() < kShortList) return error("not the begin of a list");
    std::uint64_t size = list.front() - kShortList;
    if (list.front() > kLongList) {
        if (!read(list.front() - kLongList, list)) return error("cut off");
        size = 0;
        for (std::size_t i = 1; i < list.size(); ++i)
            size = size << 8 | list[i];
    }
    if (size > kMaxListBytes) return error("longer than a list can be");
    if (!read(static_cast<std::size_t>(size), list)) return error("cut off");
    offset_ += list.size();
    return list;
} catch (const InputError& failure) {
    return std::unexpected(failure.what());
}

std::expected<std::optional<Bytes>, std::string> AccessListSource::next_item() {
    if (!ahead_.has_value()) return file_.next();
    return std::exchange(ahead_, std::nullopt);
}

std::expected<Bytes, std::string> AccessListSource::list_with(const Hash& hash) {
    while (true) {
        HEDDLE_TRY(std::optional<Bytes> list, next_item());
        if (!list.has_value()) return std::unexpected("the file has no list for it");
        if (is_named(*list)) continue;
        const Hash found = keccak256(*list);
        if (found == hash) return *std::move(list);
        if (given_ != 0)
            return std::unexpected(
                fmt::format("the file has another list for it, of hash {}", to_string(found)));
    }
}

std::expected<Bytes, std::string> AccessListSource::advice_for(const BlockHeader& header) {
    while (true) {
        HEDDLE_TRY(std::optional<Bytes> item, next_item());
        if (!item.has_value()) return Bytes{};
        if (is_named(*item)) {
            const auto named = read_named_list(*item);
            if (!named.has_value())
                return std::unexpected("the file has something else than a list with its block: " +
                                       to_string(named.error()));
            if (named->number < header.number) continue;
            if (named->number == header.number) {
                if (named->hash != header_hash(header)) continue;
                return Bytes(named->list.begin(), named->list.end());
            }
        } else if (!begins_with_account(*item)) {
            return std::unexpected("the file has something else than access lists");
        }
        ahead_ = std::move(item);
        return Bytes{};
    }
}

std::optional<consensus_adapter::OrderedBlock> AccessListSource::next() {
    if (error_.has_value()) return std::nullopt;
    auto block = inner_.next();
    if (!block.has_value()) return block;
    const BlockHeader& header = block->start.header;
    const std::optional<Hash>& claimed = header.block_access_list_hash;
    auto list = claimed.has_value() ? list_with(*claimed) : advice_for(header);
    if (!list.has_value()) {
        error_ = consensus_adapter::SourceError{
            .code = consensus_adapter::ContentFault::wrong_access_list,
            .file = file_.path(),
            .offset = file_.offset(),
            .number = header.number,
            .reason = std::move(list).error()};
        return std::nullopt;
    }
    if (claimed.has_value())
        ++given_;
    else if (!list->empty())
        ++advised_;
    block->start.access_list = *std::move(list);
    return block;
}

}  // namespace heddle::node
