// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/records.hpp"

#include <utility>

#include <types/expected.hpp>
#include <types/object_codec.hpp>

namespace heddle::ledger {

namespace {

std::string of_block(const char* what, std::uint64_t number) {
    return std::string{what} + " of block " + std::to_string(number);
}

/// Reads and decodes; `decode` gives an optional.
// NOLINTNEXTLINE(readability-function-size): where it is, how it is read
template <typename T, typename Decode>
Found<T> read(const Database& database, Table table, BytesView key, const std::string& what,
              Decode decode, const DatabaseSnapshot* snapshot = nullptr) {
    HEDDLE_TRY(const std::optional<Bytes> bytes, database.get(table, key, snapshot));
    if (!bytes.has_value()) return std::nullopt;
    std::optional<T> value = decode(BytesView{*bytes});
    if (!value.has_value()) return damaged_record(what);
    return value;
}

/// What receipts do not store because the transaction tells it.
void complete(Receipt& receipt, const Transaction& tx, const BlockHeader& header) {
    constexpr std::uint64_t kGasPerBlob = std::uint64_t{1} << 17;  // EIP-4844
    receipt.blob_gas_used = kGasPerBlob * tx.blob_versioned_hashes.size();
    if (tx.is_creation() && tx.sender.has_value())
        receipt.contract_address = create_address(*tx.sender, tx.nonce);
    receipt.effective_gas_price = tx.max_fee_per_gas;
    if (header.base_fee_per_gas.has_value()) {
        const Uint256 offered = *header.base_fee_per_gas + tx.max_priority_fee_per_gas;
        if (offered < tx.max_fee_per_gas) receipt.effective_gas_price = offered;
    }
}

}  // namespace

std::unexpected<LedgerError> damaged_record(const std::string& what) {
    return std::unexpected(LedgerError{LedgerErrorCode::corrupt, what + " does not decode"});
}

std::unexpected<LedgerError> missing_record(const std::string& what) {
    return std::unexpected(LedgerError{LedgerErrorCode::corrupt, what + " is missing"});
}

Found<schema::HeaderRecord> read_header(const Database& database, std::uint64_t number) {
    const std::string what = of_block("the header", number);
    HEDDLE_TRY(auto record,
               read<schema::HeaderRecord>(database, Table::headers, schema::number_key(number),
                                          what, schema::decode_header_record));
    if (record.has_value() && record->header.number != number) return damaged_record(what);
    return record;
}

Found<std::uint64_t> read_block_number(const Database& database, const Hash& hash) {
    return read<std::uint64_t>(database, Table::block_numbers, hash.view(),
                               "the number of block " + to_string(hash), schema::decode_number_key);
}

Found<Block> read_block(const Database& database, std::uint64_t number) {
    HEDDLE_TRY(const auto record, read_header(database, number));
    if (!record.has_value()) return std::nullopt;
    const Bytes key = schema::number_key(number);
    HEDDLE_TRY(const std::optional<Bytes> body, database.get(Table::bodies, key));
    if (!body.has_value()) return std::nullopt;
    auto block = decode_block(schema::join_block(record->header, *body));
    if (!block.has_value()) return damaged_record(of_block("the body", number));
    HEDDLE_TRY(const std::optional<Bytes> senders, database.get(Table::senders, key));
    if (senders.has_value() && !schema::decode_senders(*senders, block->transactions))
        return damaged_record(of_block("the list of senders", number));
    return *std::move(block);
}

Found<std::vector<Receipt>> read_receipts(const Database& database, const Block& block) {
    const std::string what = of_block("the list of receipts", block.header.number);
    HEDDLE_TRY(auto receipts, read<std::vector<Receipt>>(database, Table::receipts,
                                                         schema::number_key(block.header.number),
                                                         what, schema::decode_receipts));
    if (!receipts.has_value()) return receipts;
    if (receipts->size() != block.transactions.size()) return damaged_record(what);
    for (std::size_t i = 0; i < receipts->size(); ++i)
        complete((*receipts)[i], block.transactions[i], block.header);
    return receipts;
}

Found<std::vector<ObjectSet>> read_object_sets(const Database& database, std::uint64_t number) {
    return read<std::vector<ObjectSet>>(
        database, Table::object_sets, schema::number_key(number),
        of_block("the list of object sets", number),
        [](BytesView bytes) -> std::optional<std::vector<ObjectSet>> {
            auto sets = decode_object_sets(bytes);
            if (!sets.has_value()) return std::nullopt;
            return *std::move(sets);
        });
}

Found<schema::TransactionPlace> read_place(const Database& database, const Hash& transaction) {
    return read<schema::TransactionPlace>(database, Table::transactions, transaction.view(),
                                          "the place of transaction " + to_string(transaction),
                                          schema::decode_place);
}

Found<BlockChanges> read_changes(const Database& database, std::uint64_t number,
                                 const DatabaseSnapshot* snapshot) {
    return read<BlockChanges>(database, Table::changes, schema::number_key(number),
                              of_block("the list of changes", number), schema::decode_changes,
                              snapshot);
}

Found<std::uint64_t> read_number(const Database& database, schema::Meta key,
                                 const DatabaseSnapshot* snapshot) {
    return read<std::uint64_t>(database, Table::meta, schema::meta_key(key),
                               "number " + std::to_string(static_cast<int>(key)) + " of `meta`",
                               schema::decode_number_key, snapshot);
}

Found<schema::BlockMark> read_head(const Database& database) {
    return read<schema::BlockMark>(database, Table::meta, schema::meta_key(schema::Meta::head),
                                   "the head", schema::decode_mark);
}

std::expected<std::uint64_t, LedgerError> read_first_header(const Database& database,
                                                            std::uint64_t first_block) {
    if (first_block == 0) return first_block;
    // Two, so that neither's loss makes it another kind of ledger.
    const std::vector<Bytes> keys{schema::number_key(0), schema::number_key(first_block - 1)};
    HEDDLE_TRY(const auto found, database.get_all(Table::headers, keys));
    const bool is_restored = found[0].has_value() || found[1].has_value();
    return is_restored ? first_header_below(first_block) : first_block;
}

}  // namespace heddle::ledger
