// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What was read from a fork's source, kept on the disk: values by name in one file, each with a
// checksum. Whatever is damaged is as if it had never been there. The file is text, a line for each
// value:
//
//     <first 8 bytes of the Keccak-256 of the rest of the line> <name> <value>
//
// It is only ever appended to, a line in one write, so that two processes may share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace heddle::node::forking {

/// Thread safety: any.
class ForkCache {
public:
    static constexpr std::uint64_t kDefaultLimit = std::uint64_t{4} << 30;  // bytes of one file

    /// Reads through the file, which need not be there, and notes where values are.
    /// @param path       Its folder is made. Empty: nothing is kept.
    /// @param max_bytes  Beyond it nothing more is kept.
    /// Errors: InputError where the file cannot be opened.
    explicit ForkCache(std::string path, std::uint64_t max_bytes = kDefaultLimit);
    ~ForkCache();
    ForkCache(const ForkCache&) = delete;
    ForkCache& operator=(const ForkCache&) = delete;

    /// nullopt: it is not there, or not as it was written.
    [[nodiscard]] std::optional<std::string> find(const std::string& name) const;
    /// Neither name nor value has a line break, the name no space. Where it cannot be written it is
    /// not kept, which is said once.
    void put(const std::string& name, std::string_view value);

    [[nodiscard]] std::size_t size() const;
    /// Lines that were not as they were written, so far.
    [[nodiscard]] std::uint64_t damaged() const;
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    struct Place {
        std::uint64_t offset = 0;  // of the line
        std::uint64_t size = 0;    // without its end
    };
    void index();
    void index_line(std::string_view line, std::uint64_t offset);

    const std::string path_;
    const std::uint64_t max_bytes_;
    int file_ = -1;
    mutable std::mutex mutex_;
    // Guarded by mutex_:
    std::unordered_map<std::string, Place> places_;
    std::uint64_t bytes_ = 0;  // of the file, as far as it is known
    mutable std::uint64_t damaged_ = 0;
    bool is_within_line_ = false;  // the last line may be there in part
    bool has_warned_ = false;
};

/// Where caches lie if nobody says: `heddle/fork` in the user's folder for caches. Empty: the user
/// has none.
[[nodiscard]] std::string default_cache_folder();

}  // namespace heddle::node::forking
