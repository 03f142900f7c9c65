// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// SHA-256, and the digests of answers by which a recorded run and another one are compared. Not
// Keccak-256, for processors have instructions for this one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <types/bytes.hpp>
#include <types/object.hpp>

namespace heddle::node {

/// The first 16 bytes of a SHA-256.
struct Digest {
    std::array<std::uint8_t, 16> bytes{};
    friend bool operator==(const Digest&, const Digest&) = default;
};
[[nodiscard]] std::string to_string(const Digest& digest);

/// Small pieces are gathered first. Thread safety: none.
class Digester {
public:
    Digester();
    ~Digester();
    Digester(const Digester&) = delete;
    Digester& operator=(const Digester&) = delete;

    // Here, for most pieces are hashes, addresses and numbers, which are stored faster than a
    // function is called.
    Digester& add(BytesView bytes) {
        if (bytes.size() > buffer_.size() - used_) return add_beyond(bytes);
        if (bytes.empty()) return *this;  // without bytes there may be no pointer to any
        std::memcpy(buffer_.data() + used_, bytes.data(), bytes.size());
        used_ += bytes.size();
        return *this;
    }
    Digester& add(std::uint64_t number) {  // little-endian
        std::array<std::uint8_t, sizeof number> bytes;
        for (std::uint8_t& byte : bytes) {
            byte = static_cast<std::uint8_t>(number);
            number >>= 8;
        }
        return add(BytesView{bytes});
    }
    /// And begins anew.
    [[nodiscard]] Digest finish();

private:
    void flush();
    Digester& add_beyond(BytesView bytes);

    struct Context;
    const std::unique_ptr<Context> context_;
    std::array<std::uint8_t, 1024> buffer_;
    std::size_t used_ = 0;
};

// What is compared of answers. A digester that has begun nothing is lent.

/// A proposal, by what it consists of.
struct ProposalOutline {
    std::vector<Hash> transactions;
    Digest object_sets;
    Digest access_list;
    friend bool operator==(const ProposalOutline&, const ProposalOutline&) = default;
};
[[nodiscard]] ProposalOutline outline_of(std::span<const Transaction> transactions,
                                         std::span<const ObjectSet> object_sets,
                                         BytesView access_list, Digester& digester);
[[nodiscard]] Digest digest_of(const ProposalOutline& outline, Digester& digester);
/// What the hash of the block does not cover.
[[nodiscard]] Digest digest_of(const consensus_adapter::FinalizedBlock& block, Digester& digester);
/// Of each receipt four bytes, so that the first that differs can be named.
[[nodiscard]] std::vector<std::uint32_t> receipt_tags(std::span<const Receipt> receipts,
                                                      Digester& digester);

}  // namespace heddle::node
