// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keccak-256 of many messages at once: eight side by side with AVX-512, four with AVX2, one by one
// elsewhere; chosen when the program runs. For single messages keccak256() is faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle {

enum class KeccakPath : std::uint8_t { scalar, avx2, avx512 };
[[nodiscard]] std::string_view to_string(KeccakPath path) noexcept;

/// Whether this CPU and this build have it.
[[nodiscard]] bool is_supported(KeccakPath path) noexcept;
/// The widest one that is supported.
[[nodiscard]] KeccakPath best_keccak_path() noexcept;

/// Messages written one after the other into one buffer, padded there, then hashed together.
///
/// Thread safety: none.
class KeccakBatch {
public:
    /// `path` is supported.
    explicit KeccakBatch(KeccakPath path = best_keccak_path());

    /// Room for a message of up to `max_size` bytes, valid until the next begin().
    [[nodiscard]] std::uint8_t* begin(std::size_t max_size);
    /// Ends the message begun last at `size` bytes.
    void end(std::size_t size);
    void add(BytesView message);

    [[nodiscard]] std::size_t size() const noexcept { return messages_.size(); }
    /// Hash i, of the i-th message, goes to `hashes[i]`; there are as many as messages. Afterwards
    /// the batch is empty.
    void run(std::span<Hash> hashes);
    /// Memory that it holds, also while it is empty.
    [[nodiscard]] std::size_t held_bytes() const noexcept;

private:
    struct Message {
        std::size_t offset;
        std::size_t size;
    };
    void run_kernel(std::span<Hash> hashes);
    [[nodiscard]] Hash hash_alone(std::uint32_t index) const noexcept;

    KeccakPath path_;
    std::vector<std::uint8_t> buffer_;
    std::size_t used_ = 0;
    std::vector<Message> messages_;
    std::vector<std::uint32_t> order_;  // of messages, the longest first
};

/// Hash i of input i.
void keccak256_batch(std::span<const BytesView> inputs, std::span<Hash> hashes,
                     KeccakPath path = best_keccak_path());
/// Keys of the secure tries (YP 4.1): of accounts, and of slots as 32 bytes, big-endian.
void keccak256_batch(std::span<const Address> addresses, std::span<Hash> hashes,
                     KeccakPath path = best_keccak_path());
void keccak256_batch(std::span<const Uint256> slots, std::span<Hash> hashes,
                     KeccakPath path = best_keccak_path());

}  // namespace heddle
