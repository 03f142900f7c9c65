// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of block access lists (EIP-7928): RLP, one list after the other, in the order of their
// blocks; blocks without one leave nothing.
#pragma once

#include <cstdint>
#include <expected>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include <types/block_sink.hpp>
#include <types/bytes.hpp>

namespace heddle::node {

/// Reads one list at a time. Thread safety: none.
class AccessListFile {
public:
    /// Errors: InputError where it cannot be opened.
    explicit AccessListFile(const std::string& path);

    /// The next list, as it stands there; nullopt at the end.
    /// Errors: a sentence, where the file cannot be read, is cut off, or holds something else.
    [[nodiscard]] std::expected<std::optional<Bytes>, std::string> next();
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    [[nodiscard]] bool read(std::size_t size, Bytes& out);
    [[nodiscard]] std::unexpected<std::string> error(std::string_view what) const;

    const std::string path_;
    std::ifstream file_;
    std::uint64_t offset_ = 0;  // in bytes
};

/// Accepts blocks whose lists are those of a file, byte for byte, and hands them on.
class AccessListSink final : public BlockSink {
public:
    /// Both must outlive it.
    AccessListSink(BlockSink& inner, AccessListFile& file) : inner_(inner), file_(file) {}

    /// As the sink behind. Errors: also invalid_access_list, with the first difference, and
    /// execution_halted where the file is at fault (failure()).
    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override;
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override {
        return inner_.state_root_with(diff);
    }
    [[nodiscard]] std::uint64_t compared() const noexcept { return compared_; }
    /// What is wrong with the file, once nothing runs any more.
    [[nodiscard]] const std::optional<std::string>& failure() const noexcept { return failure_; }

private:
    BlockSink& inner_;
    AccessListFile& file_;
    std::uint64_t compared_ = 0;  // blocks
    std::optional<std::string> failure_;
};

}  // namespace heddle::node
