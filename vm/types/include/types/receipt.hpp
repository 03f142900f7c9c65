// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Receipts, logs and blooms (YP 4.3.1) and their wire format.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/log_topics.hpp>
#include <types/transaction.hpp>

namespace heddle {

struct Log {
    Address address;
    LogTopics topics;
    Bytes data;
    friend bool operator==(const Log&, const Log&) = default;
};

/// 2048-bit Bloom filter of addresses and topics (YP 4.3.1).
struct LogsBloom {
    std::array<std::uint8_t, 256> bytes{};
    friend bool operator==(const LogsBloom&, const LogsBloom&) = default;
    /// Adds one address or topic.
    void add(BytesView item) noexcept;
    void add(const Log& log) noexcept;
    /// Adds the address or topic whose Keccak-256 this is.
    void add_hash(const Hash& hash) noexcept;
    LogsBloom& operator|=(const LogsBloom& other) noexcept;
};

struct Receipt {
    TransactionType type = TransactionType::legacy;
    /// From Byzantium on (EIP-658). Before, `post_state` stands in its place on the wire, and a
    /// creation that Frontier leaves without its code has none.
    bool success = false;
    std::uint64_t gas_used = 0;             // of this transaction
    std::uint64_t cumulative_gas_used = 0;  // of the block up to and including it
    std::vector<Log> logs;
    LogsBloom bloom;
    /// Intermediate state root; before Byzantium only.
    std::optional<Hash> post_state;
    std::uint64_t blob_gas_used = 0;          // not on the wire
    std::optional<Address> contract_address;  // not on the wire
    Uint256 effective_gas_price;              // wei; not on the wire
    friend bool operator==(const Receipt&, const Receipt&) = default;
};

[[nodiscard]] LogsBloom logs_bloom(const std::vector<Log>& logs) noexcept;
/// Appends the canonical form: RLP list for legacy, `type || payload` otherwise (EIP-2718).
void encode_receipt(const Receipt& receipt, Bytes& out);
/// The same of a receipt since Byzantium that has no logs, without the receipt.
void encode_receipt_without_logs(TransactionType type, bool success,
                                 std::uint64_t cumulative_gas_used, Bytes& out);
/// Appends the RLP list of logs that a receipt has.
void encode_logs(const std::vector<Log>& logs, Bytes& out);
/// KEC of the RLP list of logs; state tests state it.
[[nodiscard]] Hash logs_hash(const std::vector<Log>& logs);

}  // namespace heddle
