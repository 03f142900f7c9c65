// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/access_list_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "program/error.hpp"

namespace heddle::node {

namespace {

constexpr std::uint8_t kShortList = 0xc0;
constexpr std::uint8_t kLongList = 0xf7;
/// More than any block's gas buys.
constexpr std::uint64_t kMaxListBytes = std::uint64_t{256} << 20;

}  // namespace

AccessListFile::AccessListFile(const std::string& path)
    : path_(path), file_(path, std::ios::binary) {
    if (!file_) fail_input("{}: cannot open the access lists", path_);
}

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
        file_.read(reinterpret_cast<char*>(out.data() + before),
                   static_cast<std::streamsize>(step));
        if (static_cast<std::size_t>(file_.gcount()) != step) return false;
        size -= step;
    }
    return true;
}

std::expected<std::optional<Bytes>, std::string> AccessListFile::next() {
    Bytes list;
    if (!read(1, list)) {
        if (file_.bad()) return error("cannot be read");
        return std::nullopt;
    }
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
}

std::expected<Bytes, std::string> AccessListSource::list_with(const Hash& hash) {
    while (true) {
        auto list = file_.next();
        if (!list.has_value()) return std::unexpected(std::move(list).error());
        if (!list->has_value()) return std::unexpected("the file has no list for it");
        if (keccak256(**list) == hash) return **std::move(list);
        if (given_ != 0)
            return std::unexpected(fmt::format("the file has another list for it, of hash {}",
                                               to_string(keccak256(**list))));
    }
}

std::optional<consensus_adapter::OrderedBlock> AccessListSource::next() {
    if (error_.has_value()) return std::nullopt;
    auto block = inner_.next();
    if (!block.has_value() || !block->start.header.block_access_list_hash.has_value()) return block;
    auto list = list_with(*block->start.header.block_access_list_hash);
    if (!list.has_value()) {
        error_ = consensus_adapter::SourceError{
            .code = consensus_adapter::ContentFault::wrong_access_list,
            .file = file_.path(),
            .offset = file_.offset(),
            .number = block->start.header.number,
            .reason = std::move(list).error()};
        return std::nullopt;
    }
    block->start.access_list = *std::move(list);
    ++given_;
    return block;
}

}  // namespace heddle::node
