// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/exceptions.hpp"

#include <algorithm>
#include <span>

#include <types/transaction_error_names.hpp>

namespace heddle::node {

namespace {

/// Whether `name` is one of the space-separated `names`; a name ending with `*` is a prefix.
bool contains(std::string_view names, std::string_view name) noexcept {
    while (!names.empty()) {
        const auto space = names.find(' ');
        const auto candidate = names.substr(0, space);
        if (candidate.ends_with('*') ? name.starts_with(candidate.substr(0, candidate.size() - 1))
                                     : name == candidate)
            return true;
        if (space == std::string_view::npos) return false;
        names.remove_prefix(space + 1);
    }
    return false;
}

/// A name of retesteth's, which made fixtures before execution-spec-tests did, and the names that
/// say the same today, separated by spaces: where it stands for several rules, any of them will do.
struct OlderName {
    std::string_view older;
    std::string_view names;
};

constexpr OlderName kOlderTransactionNames[] = {
    {"TR_IntrinsicGas", "INTRINSIC_GAS_TOO_LOW INTRINSIC_GAS_BELOW_FLOOR_GAS_COST"},
    {"IntrinsicGas", "INTRINSIC_GAS_TOO_LOW INTRINSIC_GAS_BELOW_FLOOR_GAS_COST"},
    {"OutOfGas", "INTRINSIC_GAS_TOO_LOW INTRINSIC_GAS_BELOW_FLOOR_GAS_COST"},
    {"TR_NoFunds", "INSUFFICIENT_ACCOUNT_FUNDS GASLIMIT_PRICE_PRODUCT_OVERFLOW"},
    {"TR_NoFundsX", "INSUFFICIENT_ACCOUNT_FUNDS GASLIMIT_PRICE_PRODUCT_OVERFLOW"},
    {"TR_NoFundsValue", "INSUFFICIENT_ACCOUNT_FUNDS"},
    {"TR_NoFundsOrGas",
     "INSUFFICIENT_ACCOUNT_FUNDS GASLIMIT_PRICE_PRODUCT_OVERFLOW INTRINSIC_GAS_TOO_LOW "
     "INTRINSIC_GAS_BELOW_FLOOR_GAS_COST"},
    {"TR_RLP_WRONGVALUE", "RLP_INVALID_VALUE VALUE_OVERFLOW INSUFFICIENT_ACCOUNT_FUNDS"},
    {"TR_TooShort", "RLP_TOO_FEW_ELEMENTS"},
    {"TR_GasLimitReached", "GAS_ALLOWANCE_EXCEEDED"},
    {"TooMuchGasUsed2", "GAS_ALLOWANCE_EXCEEDED"},
    {"TR_NonceTooHigh", "NONCE_MISMATCH_TOO_HIGH"},
    {"TR_NonceTooLow", "NONCE_MISMATCH_TOO_LOW"},
    {"TR_NonceHasMaxValue", "NONCE_IS_MAX"},
    {"NonceMax", "NONCE_IS_MAX NONCE_OVERFLOW"},
    {"SenderNotEOA", "SENDER_NOT_EOA"},
    {"SenderNotEOAorNoCASH", "SENDER_NOT_EOA INSUFFICIENT_ACCOUNT_FUNDS"},
    // A creation that its type forbids is found when it is decoded, whatever the fork.
    {"TR_TypeNotSupported",
     "TYPE_NOT_SUPPORTED TYPE_3_TX_CONTRACT_CREATION TYPE_4_TX_CONTRACT_CREATION"},
    {"TR_TypeNotSupportedBlob", "TYPE_NOT_SUPPORTED TYPE_3_TX_CONTRACT_CREATION"},
    {"TR_TipGtFeeCap", "PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS"},
    {"1559PriorityFeeGreaterThanBaseFee", "PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS"},
    {"TR_FeeCapLessThanBlocks", "INSUFFICIENT_MAX_FEE_PER_GAS"},
    {"TR_FeeCapLessThanBlocksORNoFunds", "INSUFFICIENT_MAX_FEE_PER_GAS INSUFFICIENT_ACCOUNT_FUNDS"},
    {"TR_FeeCapLessThanBlocksORGasLimitReached",
     "INSUFFICIENT_MAX_FEE_PER_GAS GAS_ALLOWANCE_EXCEEDED"},
    {"TR_InitCodeLimitExceeded", "INITCODE_SIZE_EXCEEDED"},
    {"TR_EMPTYBLOB", "TYPE_3_TX_ZERO_BLOBS"},
    {"TR_BLOBCREATE", "TYPE_3_TX_CONTRACT_CREATION"},
    {"TR_BLOBVERSION_INVALID", "TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH"},
    {"TR_BLOBLIST_OVERSIZE",
     "TYPE_3_TX_BLOB_COUNT_EXCEEDED TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED"},
    {"TR_BlobDecodeError", "RLP_INVALID_VALUE"},
    {"InvalidVRS", "INVALID_SIGNATURE_VRS"},
    {"InvalidTransactionVRS", "INVALID_SIGNATURE_VRS"},
    {"InvalidChainID", "INVALID_CHAINID"},
    {"ECRecoveryFail", "EC_RECOVERY_FAIL"},
    {"AddressTooShort", "ADDRESS_TOO_SHORT"},
    {"AddressTooLong", "ADDRESS_TOO_LONG"},
    {"GasLimitPriceProductOverflow", "GASLIMIT_PRICE_PRODUCT_OVERFLOW"},
};

constexpr OlderName kOlderBlockNames[] = {
    {"ExtraDataTooBig", "EXTRA_DATA_TOO_BIG"},
    {"ExtraDataIncorrectDAO", "EXTRA_DATA_INVALID_DAO"},
    {"InvalidDifficulty", "INVALID_DIFFICULTY"},
    {"InvalidDifficulty2", "INVALID_DIFFICULTY"},
    {"InvalidGasLimit", "INVALID_GASLIMIT"},
    {"InvalidGasLimit2", "INVALID_GASLIMIT"},
    {"InvalidGasLimit3", "INVALID_GASLIMIT"},
    {"1559BlockImportImpossible_TargetGasLow", "INVALID_GASLIMIT"},
    {"1559BlockImportImpossible_TargetGasHigh", "INVALID_GASLIMIT"},
    {"1559BlockImportImpossible_InitialGasLimitInvalid", "INVALID_GASLIMIT"},
    {"1559BlockImportImpossible_BaseFeeWrong", "INVALID_BASEFEE_PER_GAS"},
    {"1559BlockImportImpossible_InitialBaseFeeWrong", "INVALID_BASEFEE_PER_GAS"},
    {"TooMuchGasUsed", "GAS_USED_OVERFLOW INVALID_GAS_USED_ABOVE_LIMIT"},
    {"InvalidGasUsed", "INVALID_GAS_USED"},
    {"InvalidGasUsed2", "INVALID_GAS_USED"},
    {"InvalidNumber", "INVALID_BLOCK_NUMBER"},
    {"InvalidTimestampEqualParent", "INVALID_BLOCK_TIMESTAMP_OLDER_THAN_PARENT"},
    {"InvalidTimestampOlderParent", "INVALID_BLOCK_TIMESTAMP_OLDER_THAN_PARENT"},
    {"InvalidLogBloom", "INVALID_LOG_BLOOM"},
    {"InvalidStateRoot", "INVALID_STATE_ROOT"},
    {"InvalidReceiptsStateRoot", "INVALID_RECEIPTS_ROOT"},
    {"InvalidTransactionsRoot", "INVALID_TRANSACTIONS_ROOT"},
    {"InvalidUnclesHash", "INVALID_UNCLES_HASH"},
    {"InvalidWithdrawals", "INVALID_WITHDRAWALS_ROOT"},
    {"UnknownParent", "UNKNOWN_PARENT"},
    {"UnknownParent2", "UNKNOWN_PARENT"},
    {"TooManyUncles", "TOO_MANY_UNCLES"},
    {"UncleInChain", "UNCLE_IN_CHAIN"},
    {"UncleIsAncestor", "UNCLE_IS_ANCESTOR"},
    {"UncleIsBrother", "UNCLE_IS_BROTHER"},
    {"UncleParentIsNotAncestor", "UNCLE_PARENT_INCORRECT"},
    {"InvalidUncleParentHash", "UNCLE_UNKNOWN_PARENT"},
    {"PostParisUncleHashIsNotEmpty", "IMPORT_IMPOSSIBLE_UNCLES_OVER_PARIS"},
    {"PostParisDifficultyIsNot0", "IMPORT_IMPOSSIBLE_DIFFICULTY_OVER_PARIS"},
};

/// The names and the older ones under one prefix.
struct Vocabulary {
    std::string_view prefix;
    std::span<const OlderName> older;
};
constexpr Vocabulary kOfTransactions{"TransactionException.", kOlderTransactionNames};
constexpr Vocabulary kOfBlocks{"BlockException.", kOlderBlockNames};

/// Whether one of the space-separated `today` is one of `names`.
bool contains_any(std::string_view names, std::string_view today) noexcept {
    while (!today.empty()) {
        const auto space = today.find(' ');
        if (contains(names, today.substr(0, space))) return true;
        if (space == std::string_view::npos) return false;
        today.remove_prefix(space + 1);
    }
    return false;
}

/// Whether `name`, with its prefix or an older one without, stands for one of `names`.
bool stands_for(std::string_view name, const Vocabulary& vocabulary,
                std::string_view names) noexcept {
    if (name.starts_with(vocabulary.prefix))
        return contains(names, name.substr(vocabulary.prefix.size()));
    // These are as they were.
    if (name.starts_with("RLP_")) return contains(names, name);
    const auto older = std::ranges::find(vocabulary.older, name, &OlderName::older);
    return older != vocabulary.older.end() && contains_any(names, older->names);
}

/// Whether one of the alternatives in `expected` stands for one of `names`.
bool any_alternative(std::string_view expected, const Vocabulary& vocabulary,
                     std::string_view names) noexcept {
    while (true) {
        const auto bar = expected.find('|');
        if (stands_for(expected.substr(0, bar), vocabulary, names)) return true;
        if (bar == std::string_view::npos) return false;
        expected.remove_prefix(bar + 1);
    }
}

/// How fixtures that go-ethereum has judged name the field of a header that is wrong, and the names
/// of kOfBlocks that mean it. A gas limit that is below the gas used also leaves the parent's far
/// behind.
struct HeaderField {
    std::string_view field;
    std::string_view names;
};
constexpr std::string_view kHeaderPrefix = "Header: ";
constexpr HeaderField kHeaderFields[] = {
    {"baseFee", "INVALID_BASEFEE_PER_GAS"},
    {"blobGasUsed", "INCORRECT_BLOB_GAS_USED"},
    {"blockAccessListHash", "INVALID_BLOCK_ACCESS_LIST"},
    {"blockAccessListHash missing", "INCORRECT_BLOCK_FORMAT"},
    {"bloom", "INVALID_LOG_BLOOM"},
    {"excessBlobGas", "INCORRECT_EXCESS_BLOB_GAS"},
    {"gasLimit below gasUsed", "GAS_USED_OVERFLOW INVALID_GASLIMIT"},
    {"gasUsed", "INVALID_GAS_USED"},
    {"receiptsRoot", "INVALID_RECEIPTS_ROOT"},
    {"requestsHash", "INVALID_REQUESTS"},
    {"slotNumber missing", "INCORRECT_BLOCK_FORMAT"},
    {"stateRoot", "INVALID_STATE_ROOT"},
    {"timestamp", "INVALID_BLOCK_TIMESTAMP_OLDER_THAN_PARENT"},
    {"withdrawalsRoot", "INVALID_WITHDRAWALS_ROOT"},
};

/// Whether `expected` is a field of the header that stands for one of `names`.
bool is_header_field(std::string_view expected, std::string_view names) noexcept {
    if (!expected.starts_with(kHeaderPrefix)) return false;
    const auto field = std::ranges::find(kHeaderFields, expected.substr(kHeaderPrefix.size()),
                                         &HeaderField::field);
    return field != std::end(kHeaderFields) && contains_any(names, field->names);
}

/// Where a fixture has no name for a fault but what geth said of it, that follows this.
constexpr std::string_view kByGeth = "TransactionException: ";

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// Whether `said` begins with `text`, whatever the numbers in them.
bool begins_with_words(std::string_view said, std::string_view text) noexcept {
    std::size_t i = 0, j = 0;
    while (j < text.size()) {
        if (i == said.size()) return false;
        if (is_digit(said[i]) && is_digit(text[j])) {
            while (i < said.size() && is_digit(said[i]))
                ++i;
            while (j < text.size() && is_digit(text[j]))
                ++j;
        } else if (said[i++] != text[j++]) {
            return false;
        }
    }
    return true;
}

std::string_view names_of(TransactionDecodeError error) noexcept {
    switch (error) {
        case TransactionDecodeError::rlp:
            return "RLP_* ADDRESS_TOO_SHORT ADDRESS_TOO_LONG NONCE_OVERFLOW NONCE_TOO_BIG "
                   "GASLIMIT_OVERFLOW VALUE_OVERFLOW GASPRICE_OVERFLOW PRIORITY_OVERFLOW "
                   "INVALID_SIGNATURE_VRS TYPE_4_INVALID_AUTHORITY_SIGNATURE "
                   "TYPE_4_INVALID_AUTHORIZATION_FORMAT TYPE_3_TX_CONTRACT_CREATION "
                   "TYPE_4_TX_CONTRACT_CREATION";
        case TransactionDecodeError::unknown_type:
            return "TYPE_NOT_SUPPORTED";
        case TransactionDecodeError::invalid_chain_id:
            return "INVALID_CHAINID INVALID_SIGNATURE_VRS";
        case TransactionDecodeError::invalid_y_parity:
            return "INVALID_SIGNATURE_VRS";
        case TransactionDecodeError::invalid_signature:
            // Where v names another chain as well, fixtures name that.
            return "INVALID_SIGNATURE_VRS EC_RECOVERY_FAIL RLP_INVALID_SIGNATURE_R "
                   "RLP_INVALID_SIGNATURE_S INVALID_CHAINID";
        case TransactionDecodeError::malleable_signature:
            return "INVALID_SIGNATURE_VRS";
        case TransactionDecodeError::creation_forbidden:
            return "TYPE_3_TX_CONTRACT_CREATION TYPE_4_TX_CONTRACT_CREATION";
        case TransactionDecodeError::with_blobs:
            return "TYPE_3_TX_WITH_FULL_BLOBS";
    }
    return "";
}

/// Names of kOfBlocks.
std::string_view names_of(BlockErrorCode code) noexcept {
    switch (code) {
        case BlockErrorCode::malformed:
            return "INCORRECT_BLOCK_FORMAT RLP_* IMPORT_IMPOSSIBLE_*";
        case BlockErrorCode::unknown_parent:
            return "UNKNOWN_PARENT UNKNOWN_PARENT_ZERO INVALID_BLOCK_HASH";
        case BlockErrorCode::invalid_number:
            return "INVALID_BLOCK_NUMBER";
        case BlockErrorCode::invalid_timestamp:
            return "INVALID_BLOCK_TIMESTAMP_OLDER_THAN_PARENT";
        case BlockErrorCode::invalid_gas_limit:
            return "INVALID_GASLIMIT GASLIMIT_TOO_BIG";
        case BlockErrorCode::gas_used_above_limit:
            return "GAS_USED_OVERFLOW INVALID_GAS_USED_ABOVE_LIMIT";
        case BlockErrorCode::extra_data_too_long:
            return "EXTRA_DATA_TOO_BIG";
        case BlockErrorCode::invalid_difficulty:
            return "INVALID_DIFFICULTY IMPORT_IMPOSSIBLE_DIFFICULTY_OVER_PARIS";
        case BlockErrorCode::invalid_nonce:
            return "INCORRECT_BLOCK_FORMAT";
        case BlockErrorCode::invalid_ommers:
            return "TOO_MANY_UNCLES UNCLE_* IMPORT_IMPOSSIBLE_UNCLES_OVER_PARIS";
        case BlockErrorCode::invalid_ommers_hash:
            return "INVALID_UNCLES_HASH IMPORT_IMPOSSIBLE_UNCLES_OVER_PARIS";
        case BlockErrorCode::invalid_dao_extra_data:
            return "EXTRA_DATA_INVALID_DAO";
        case BlockErrorCode::invalid_base_fee:
            return "INVALID_BASEFEE_PER_GAS";
        case BlockErrorCode::invalid_withdrawals:
            return "INVALID_WITHDRAWALS_ROOT RLP_WITHDRAWALS_NOT_READ INCORRECT_BLOCK_FORMAT";
        case BlockErrorCode::invalid_blob_gas_used:
            return "INCORRECT_BLOB_GAS_USED";
        case BlockErrorCode::invalid_excess_blob_gas:
            return "INCORRECT_EXCESS_BLOB_GAS";
        case BlockErrorCode::blob_gas_above_limit:
            return "BLOB_GAS_USED_ABOVE_LIMIT";
        case BlockErrorCode::invalid_header_fields:
            return "INCORRECT_BLOCK_FORMAT IMPORT_IMPOSSIBLE_*";
        case BlockErrorCode::invalid_transactions_root:
            return "INVALID_TRANSACTIONS_ROOT";
        case BlockErrorCode::invalid_transaction:
            return "";
        case BlockErrorCode::invalid_gas_used:
            return "INVALID_GAS_USED";
        case BlockErrorCode::invalid_receipts_root:
            return "INVALID_RECEIPTS_ROOT";
        case BlockErrorCode::invalid_logs_bloom:
            return "INVALID_LOG_BLOOM";
        case BlockErrorCode::invalid_requests:
            return "INVALID_REQUESTS";
        case BlockErrorCode::invalid_deposit_layout:
            return "INVALID_DEPOSIT_EVENT_LAYOUT";
        case BlockErrorCode::system_contract_missing:
            return "SYSTEM_CONTRACT_EMPTY";
        case BlockErrorCode::system_call_failed:
            return "SYSTEM_CONTRACT_CALL_FAILED";
        case BlockErrorCode::invalid_access_list:
            return "INVALID_BLOCK_ACCESS_LIST INVALID_BAL_HASH INVALID_BAL_EXTRA_ACCOUNT "
                   "INVALID_BAL_MISSING_ACCOUNT";
        case BlockErrorCode::access_list_too_large:
            return "BLOCK_ACCESS_LIST_GAS_LIMIT_EXCEEDED";
        case BlockErrorCode::block_too_large:
            return "RLP_BLOCK_LIMIT_EXCEEDED";
        case BlockErrorCode::state_root_mismatch:
            return "INVALID_STATE_ROOT";
        case BlockErrorCode::execution_halted:
        case BlockErrorCode::storage_failed:
            return "";
    }
    return "";
}

}  // namespace

bool is_expected(TransactionError error, std::string_view expected) noexcept {
    if (expected.starts_with(kByGeth))
        return begins_with_words(expected.substr(kByGeth.size()), geth_text(error));
    return any_alternative(expected, kOfTransactions, fixture_names(error));
}

bool is_expected(TransactionDecodeError error, std::string_view expected) noexcept {
    // What a transaction's type forbids, geth finds as it decodes.
    if (expected.starts_with(kByGeth))
        return (error == TransactionDecodeError::rlp ||
                error == TransactionDecodeError::creation_forbidden) &&
               expected.substr(kByGeth.size()).starts_with("rlp: ");
    return any_alternative(expected, kOfTransactions, names_of(error));
}

bool is_expected(const BlockError& error, std::string_view expected) noexcept {
    if (error.transaction && is_expected(*error.transaction, expected)) return true;
    // A transaction for which the block has no gas left would take it above its limit.
    if (error.transaction == TransactionError::gas_limit_above_block &&
        any_alternative(expected, kOfBlocks, "GAS_USED_OVERFLOW"))
        return true;
    // A body with more blob gas than a block may have names no transaction of its own.
    if (error.code == BlockErrorCode::blob_gas_above_limit &&
        any_alternative(expected, kOfTransactions,
                        "TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED TYPE_3_TX_BLOB_COUNT_EXCEEDED"))
        return true;
    return any_alternative(expected, kOfBlocks, names_of(error.code)) ||
           is_header_field(expected, names_of(error.code));
}

bool is_expected(const BlockDecodeError& error, std::string_view expected) noexcept {
    if (error.transaction && is_expected(*error.transaction, expected)) return true;
    const std::string_view names = names_of(BlockErrorCode::malformed);
    return any_alternative(expected, kOfBlocks, names) ||
           (error.part == BlockDecodeError::Part::header && is_header_field(expected, names));
}

}  // namespace heddle::node
