// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of block access lists (EIP-7928): RLP, one list after the other, in the order of their
// blocks; blocks without one leave nothing. A list that a header claims stands as it is: its hash
// says whose it is. One that no header claims comes in a list with its block's number and hash
// before it.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <consensus_adapter/block_source.hpp>
#include <types/block.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "program/input_file.hpp"

namespace heddle::node {

/// A list as a file holds it whose header claims none.
/// @param list  RLP.
[[nodiscard]] Bytes encode_named_list(const BlockHeader& header, BytesView list);

/// Reads one list at a time. Thread safety: none.
class AccessListFile {
public:
    /// Errors: InputError where it cannot be opened.
    explicit AccessListFile(const std::string& path);

    /// The next list, as it stands there; nullopt at the end.
    /// Errors: a sentence, where the file cannot be read, is cut off, or holds something else.
    [[nodiscard]] std::expected<std::optional<Bytes>, std::string> next();
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// Behind the last list read, in bytes.
    [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

private:
    [[nodiscard]] bool read(std::size_t size, Bytes& out);
    [[nodiscard]] std::unexpected<std::string> error(std::string_view what) const;

    const std::string path_;
    InputFile file_;
    std::uint64_t offset_ = 0;  // in bytes
};

/// Gives each block the list that a file has for it, so that it can be executed from it, and tells
/// where the file has another one than the header claims. Lists before that of the first block are
/// passed over: a stream may begin in the middle of its chain. Where the header claims none, the
/// file may have advice, or none.
class AccessListSource final : public consensus_adapter::BlockSource {
public:
    /// Both must outlive it.
    AccessListSource(consensus_adapter::BlockSource& inner, AccessListFile& file)
        : inner_(inner), file_(file) {}

    [[nodiscard]] std::optional<consensus_adapter::OrderedBlock> next() override;
    /// That of the source behind, or of the file.
    [[nodiscard]] const std::optional<consensus_adapter::SourceError>& error()
        const noexcept override {
        return error_.has_value() ? error_ : inner_.error();
    }
    [[nodiscard]] consensus_adapter::SourceProgress progress() const noexcept override {
        return inner_.progress();
    }
    /// Blocks that have got the list that their header claims.
    [[nodiscard]] std::uint64_t given() const noexcept { return given_; }
    /// Blocks that have got a list though their header claims none.
    [[nodiscard]] std::uint64_t advised() const noexcept { return advised_; }

private:
    /// Errors: a sentence.
    [[nodiscard]] std::expected<Bytes, std::string> list_with(const Hash& hash);
    /// Empty: there is none. Errors: a sentence.
    [[nodiscard]] std::expected<Bytes, std::string> advice_for(const BlockHeader& header);
    [[nodiscard]] std::expected<std::optional<Bytes>, std::string> next_item();

    consensus_adapter::BlockSource& inner_;
    AccessListFile& file_;
    std::optional<Bytes> ahead_;  // read, and for a block to come
    std::uint64_t given_ = 0;
    std::uint64_t advised_ = 0;
    std::optional<consensus_adapter::SourceError> error_;
};

}  // namespace heddle::node
