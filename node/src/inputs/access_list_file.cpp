// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/access_list_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <types/block_access_list.hpp>

#include "program/error.hpp"

namespace heddle::node {

namespace {

constexpr std::uint8_t kShortList = 0xc0;
constexpr std::uint8_t kLongList = 0xf7;
/// More than any block's gas buys.
constexpr std::uint64_t kMaxListBytes = std::uint64_t{256} << 20;

std::unexpected<BlockError> reject(BlockErrorCode code, std::uint64_t number, std::string detail) {
    BlockError error;
    error.code = code;
    error.number = number;
    error.detail = std::move(detail);
    return std::unexpected(std::move(error));
}

/// Where they part, in words.
std::string describe_difference(BytesView claimed, BytesView computed) {
    const auto wanted = decode_block_access_list(claimed);
    if (!wanted.has_value()) return to_string(wanted.error());
    const auto made = decode_block_access_list(computed);
    const auto difference = made.has_value() ? first_difference(*wanted, *made) : std::nullopt;
    return difference.has_value() ? to_string(*difference) : "encoded otherwise";
}

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

std::expected<Hash, BlockError> AccessListSink::commit(FinishedBlock block) {
    if (block.access_list.empty()) return inner_.commit(std::move(block));
    const std::uint64_t number = block.block.header.number;
    const auto claimed = file_.next();
    if (!claimed.has_value()) {
        failure_ = claimed.error();
        return reject(BlockErrorCode::execution_halted, number, *failure_);
    }
    if (!claimed->has_value())
        return reject(BlockErrorCode::invalid_access_list, number,
                      file_.path() + " has no list for it");
    if (**claimed != block.access_list)
        return reject(BlockErrorCode::invalid_access_list, number,
                      describe_difference(**claimed, block.access_list));
    ++compared_;
    return inner_.commit(std::move(block));
}

}  // namespace heddle::node
