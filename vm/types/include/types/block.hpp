// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Headers of every fork, bodies, withdrawals (YP 4.3) and their wire format. Whether they are valid
// is vm/block.hpp's business.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/receipt.hpp>
#include <types/revision.hpp>
#include <types/rlp.hpp>
#include <types/transaction.hpp>
#include <types/uint256.hpp>

namespace heddle {

struct BlockHeader {
    Hash parent_hash;                              // H_p
    Hash ommers_hash = kEmptyListHash;             // H_o
    Address beneficiary;                           // H_c
    Hash state_root = kEmptyTrieRoot;              // H_r
    Hash transactions_root = kEmptyTrieRoot;       // H_t
    Hash receipts_root = kEmptyTrieRoot;           // H_e
    LogsBloom logs_bloom;                          // H_b
    Uint256 difficulty;                            // H_d; zero from Paris on
    std::uint64_t number = 0;                      // H_i
    std::uint64_t gas_limit = 0;                   // H_l
    std::uint64_t gas_used = 0;                    // H_g
    std::uint64_t timestamp = 0;                   // H_s; seconds
    Bytes extra_data;                              // H_x
    Hash prev_randao;                              // mix hash before Paris (EIP-4399)
    std::array<std::uint8_t, 8> nonce{};           // H_n
    std::optional<Uint256> base_fee_per_gas;       // London, EIP-1559; wei
    std::optional<Hash> withdrawals_root;          // Shanghai, EIP-4895
    std::optional<std::uint64_t> blob_gas_used;    // Cancun, EIP-4844
    std::optional<std::uint64_t> excess_blob_gas;  // Cancun, EIP-4844
    std::optional<Hash> parent_beacon_block_root;  // Cancun, EIP-4788
    std::optional<Hash> requests_hash;             // Prague, EIP-7685
    std::optional<Hash> block_access_list_hash;    // Amsterdam, EIP-7928
    std::optional<std::uint64_t> slot_number;      // Amsterdam, EIP-7843
    friend bool operator==(const BlockHeader&, const BlockHeader&) = default;
};

/// EIP-4895.
struct Withdrawal {
    std::uint64_t index = 0;
    std::uint64_t validator_index = 0;
    Address address;
    std::uint64_t amount = 0;  // Gwei
    friend bool operator==(const Withdrawal&, const Withdrawal&) = default;
};

struct Block {
    BlockHeader header;
    std::vector<Transaction> transactions;
    std::vector<BlockHeader> ommers;                     // U
    std::optional<std::vector<Withdrawal>> withdrawals;  // Shanghai
    friend bool operator==(const Block&, const Block&) = default;
};

/// Where and why bytes are no block.
struct BlockDecodeError {
    enum class Part : std::uint8_t { block, header, transaction, ommer, withdrawal };
    Part part = Part::block;
    std::size_t index = 0;   // of the transaction, ommer or withdrawal
    std::size_t offset = 0;  // in bytes from the start of the block
    std::optional<rlp::Error> rlp;
    std::optional<TransactionDecodeError> transaction;
};
/// One sentence: part, index, offset, reason.
[[nodiscard]] std::string to_string(const BlockDecodeError& error);

[[nodiscard]] std::expected<BlockHeader, rlp::Error> decode_header(BytesView bytes);
[[nodiscard]] std::expected<BlockHeader, rlp::Error> decode_header_item(rlp::Reader& reader);
void encode_header(const BlockHeader& header, Bytes& out);
[[nodiscard]] Hash header_hash(const BlockHeader& header);

/// Decodes one block; trailing bytes are an error.
[[nodiscard]] std::expected<Block, BlockDecodeError> decode_block(BytesView bytes);
void encode_block(const Block& block, Bytes& out);
/// Appends everything of a block but its header: the rest of its RLP's payload.
void encode_body(const Block& block, Bytes& out);
/// At least as many bytes as encode_block() appends, of numbers at their longest: to know without
/// encoding that a block is far below a limit. One pass over the transactions.
[[nodiscard]] std::size_t encoded_size_bound(const Block& block) noexcept;
/// KEC of the RLP list of ommer headers.
[[nodiscard]] Hash ommers_hash(const std::vector<BlockHeader>& ommers);
void encode_withdrawal(const Withdrawal& withdrawal, Bytes& out);

/// The block-level values a transaction sees (YP 9.3: I_H and what later EIPs add).
struct BlockEnv {
    Revision revision = kLatestRevision;
    std::uint64_t chain_id = 1;
    std::uint64_t number = 0;
    std::uint64_t timestamp = 0;  // seconds
    std::uint64_t gas_limit = 0;
    Address beneficiary;
    Uint256 difficulty;        // before Paris
    Hash prev_randao;          // from Paris on
    Uint256 base_fee_per_gas;  // wei; zero before London
    Uint256 blob_base_fee;     // wei; from Cancun on
    /// Most blob gas a block may use under the blob schedule in force; from Cancun on.
    std::uint64_t max_blob_gas_per_block = 0;
    std::uint64_t slot_number = 0;  // from Amsterdam on (EIP-7843)
    /// ChainConfig::strict_access_lists.
    bool strict_access_lists = false;
    /// ChainConfig::code_may_send and any_code_size.
    bool code_may_send = false;
    bool any_code_size = false;
};

}  // namespace heddle
