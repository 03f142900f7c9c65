// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "formats/fixture_codec.hpp"

#include "formats/json.hpp"
#include "formats/json_counts.hpp"

namespace heddle::node {

namespace {

/// Names of the header's fields in one of the two dialects.
struct HeaderNames {
    const char* ommers_hash;
    const char* beneficiary;
    const char* transactions_root;
    const char* receipts_root;
    const char* bloom;
};
constexpr HeaderNames kFixtureNames = {"uncleHash", "coinbase", "transactionsTrie", "receiptTrie",
                                       "bloom"};
constexpr HeaderNames kRpcNames = {"sha3Uncles", "miner", "transactionsRoot", "receiptsRoot",
                                   "logsBloom"};

template <std::size_t size>
std::array<std::uint8_t, size> parse_fixed(const JsonView& json) {
    std::array<std::uint8_t, size> result;
    if (!decode_hex(json.string(), result))
        json.fail("expected " + std::to_string(2 * size) + " hexadecimal digits");
    return result;
}

BlockHeader parse_header(const JsonView& json, const HeaderNames& names) {
    BlockHeader header;
    header.parent_hash = json.at("parentHash").hash();
    header.ommers_hash = json.at(names.ommers_hash).hash();
    header.beneficiary = json.at(names.beneficiary).address();
    header.state_root = json.at("stateRoot").hash();
    header.transactions_root = json.at(names.transactions_root).hash();
    header.receipts_root = json.at(names.receipts_root).hash();
    header.logs_bloom.bytes = parse_fixed<256>(json.at(names.bloom));
    header.difficulty = json.at("difficulty").uint256();
    header.number = json.at("number").uint64();
    header.gas_limit = json.at("gasLimit").uint64();
    header.gas_used = json.at("gasUsed").uint64();
    header.timestamp = json.at("timestamp").uint64();
    header.extra_data = json.at("extraData").bytes();
    header.prev_randao = json.at("mixHash").hash();
    header.nonce = parse_fixed<8>(json.at("nonce"));
    if (const auto value = json.find("baseFeePerGas")) header.base_fee_per_gas = value->uint256();
    if (const auto value = json.find("withdrawalsRoot")) header.withdrawals_root = value->hash();
    if (const auto value = json.find("blobGasUsed")) header.blob_gas_used = value->uint64();
    if (const auto value = json.find("excessBlobGas")) header.excess_blob_gas = value->uint64();
    if (const auto value = json.find("parentBeaconBlockRoot"))
        header.parent_beacon_block_root = value->hash();
    if (const auto value = json.find("requestsHash")) header.requests_hash = value->hash();
    if (const auto value = json.find("blockAccessListHash"))
        header.block_access_list_hash = value->hash();
    if (const auto value = json.find("slotNumber")) header.slot_number = value->uint64();
    return header;
}

}  // namespace

AccessList parse_access_list(const JsonView& json) {
    AccessList list;
    const std::size_t size = element_count(json);
    list.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        const JsonView entry = json.element(i);
        AccessListEntry& parsed = list.emplace_back();
        parsed.address = entry.at("address").address();
        const auto keys = entry.find("storageKeys");
        const std::size_t key_count = keys ? element_count(*keys) : 0;
        parsed.storage_keys.reserve(key_count);
        for (std::size_t j = 0; j < key_count; ++j)
            parsed.storage_keys.push_back(to_hash(keys->element(j).uint256()));
    }
    return list;
}

std::vector<Authorization> parse_authorization_list(const JsonView& json) {
    std::vector<Authorization> list;
    const std::size_t size = element_count(json);
    list.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        const JsonView entry = json.element(i);
        Authorization& parsed = list.emplace_back();
        parsed.chain_id = entry.at("chainId").uint256();
        parsed.address = entry.at("address").address();
        parsed.nonce = entry.at("nonce").uint64();
        const auto parity = entry.find("yParity");
        parsed.y_parity = parity ? parity->uint256() : entry.at("v").uint256();
        parsed.r = entry.at("r").uint256();
        parsed.s = entry.at("s").uint256();
    }
    return list;
}

Withdrawal parse_withdrawal(const JsonView& json) {
    Withdrawal withdrawal;
    withdrawal.index = json.at("index").uint64();
    withdrawal.validator_index = json.at("validatorIndex").uint64();
    withdrawal.address = json.at("address").address();
    withdrawal.amount = json.at("amount").uint64();
    return withdrawal;
}

std::vector<Withdrawal> parse_withdrawals(const JsonView& json) {
    std::vector<Withdrawal> withdrawals;
    const std::size_t size = element_count(json);
    withdrawals.reserve(size);
    for (std::size_t i = 0; i < size; ++i)
        withdrawals.push_back(parse_withdrawal(json.element(i)));
    return withdrawals;
}

BlockHeader parse_fixture_header(const JsonView& json) {
    return parse_header(json, kFixtureNames);
}

BlockHeader parse_rpc_header(const JsonView& json) {
    return parse_header(json, kRpcNames);
}

bool apply_v(const Uint256& v, Transaction& tx) noexcept {
    tx.y_parity = static_cast<std::uint8_t>(v.words[0] & 1);
    if (tx.type != TransactionType::legacy) return v <= 1;
    if (v == 27 || v == 28) {
        tx.chain_id.reset();
        tx.y_parity = static_cast<std::uint8_t>(v.words[0] - 27);
        return true;
    }
    if (v < 35 || (v - 35).words[1] != 0) return false;
    const Uint256 shifted = v - 35;
    tx.y_parity = static_cast<std::uint8_t>(shifted.words[0] & 1);
    const Uint256 chain_id = shifted >> 1;
    tx.chain_id = chain_id.low64();
    return chain_id.fits_uint64();
}

Transaction parse_signed_transaction(const JsonView& json) {
    Transaction tx;
    const auto type = json.find("type");
    const std::uint64_t type_number = type ? type->uint64() : 0;
    if (type_number > static_cast<std::uint64_t>(TransactionType::set_code))
        type->fail("transaction types are 0x0 to 0x4");
    tx.type = static_cast<TransactionType>(type_number);
    if (const auto chain_id = json.find("chainId"); chain_id && type_number != 0)
        tx.chain_id = chain_id->uint64();
    else if (type_number != 0)
        json.fail("missing member \"chainId\"");
    tx.nonce = json.at("nonce").uint64();
    if (tx.type >= TransactionType::dynamic_fee) {
        tx.max_fee_per_gas = json.at("maxFeePerGas").uint256();
        tx.max_priority_fee_per_gas = json.at("maxPriorityFeePerGas").uint256();
    } else {
        tx.max_fee_per_gas = json.at("gasPrice").uint256();
        tx.max_priority_fee_per_gas = tx.max_fee_per_gas;
    }
    const auto gas = json.find("gas");
    tx.gas_limit = gas ? gas->uint64() : json.at("gasLimit").uint64();
    if (const auto to = json.find("to"); to && !to->string().empty()) tx.to = to->address();
    tx.value = json.at("value").uint256();
    const auto input = json.find("input");
    tx.data = input ? input->bytes() : json.at("data").bytes();
    // Some write one with every transaction; a legacy one has none.
    if (const auto list = json.find("accessList"); list && tx.type != TransactionType::legacy)
        tx.access_list = parse_access_list(*list);
    if (tx.type == TransactionType::blob) {
        tx.max_fee_per_blob_gas = json.at("maxFeePerBlobGas").uint256();
        const JsonView hashes = json.at("blobVersionedHashes");
        for (std::size_t i = 0; i < element_count(hashes); ++i)
            tx.blob_versioned_hashes.push_back(hashes.element(i).hash());
    }
    if (tx.type == TransactionType::set_code)
        tx.authorization_list = parse_authorization_list(json.at("authorizationList"));
    const auto v = json.find("v");
    const Uint256 v_value = v ? v->uint256() : json.at("yParity").uint256();
    tx.r = json.at("r").uint256();
    tx.s = json.at("s").uint256();
    const bool is_unsigned = v_value.is_zero() && tx.r.is_zero() && tx.s.is_zero();
    if (!is_unsigned && !apply_v(v_value, tx))
        json.fail("the signature's v has a value that means nothing");
    return tx;
}

}  // namespace heddle::node
