// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc_schema.hpp"

#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include <boost/json.hpp>

namespace heddle::test {
namespace {

using boost::json::value;

/// Throws Problem where the value at `path` is not of the form.
using Schema = std::function<void(const value& json, const std::string& path)>;

struct Problem : std::runtime_error {
    Problem(const std::string& path, const std::string& what)
        : std::runtime_error(path + ": " + what) {}
};

bool is_hex(std::string_view digits) {
    return digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::string_view text_at(const value& json, const std::string& path) {
    if (!json.is_string()) throw Problem(path, "is not a string");
    return json.get_string();
}

std::string_view digits_at(const value& json, const std::string& path) {
    const std::string_view text = text_at(json, path);
    if (!text.starts_with("0x") || !is_hex(text.substr(2)))
        throw Problem(path, "is not hexadecimal with 0x: " + std::string{text});
    return text.substr(2);
}

void quantity(const value& json, const std::string& path) {
    const std::string_view digits = digits_at(json, path);
    if (digits.empty() || (digits.size() > 1 && digits[0] == '0'))
        throw Problem(path, "is not a quantity");
}

void bytes(const value& json, const std::string& path) {
    if (digits_at(json, path).size() % 2 != 0) throw Problem(path, "is not whole bytes");
}

Schema fixed(std::size_t size) {
    return [size](const value& json, const std::string& path) {
        if (digits_at(json, path).size() != 2 * size)
            throw Problem(path, "is not " + std::to_string(size) + " bytes");
    };
}

void text(const value& json, const std::string& path) {
    (void)text_at(json, path);
}

void boolean(const value& json, const std::string& path) {
    if (!json.is_bool()) throw Problem(path, "is not a boolean");
}

void natural(const value& json, const std::string& path) {
    if (!json.is_uint64() && !(json.is_int64() && json.get_int64() >= 0))
        throw Problem(path, "is not a natural number");
}

void fraction(const value& json, const std::string& path) {
    if (!json.is_number()) throw Problem(path, "is not a number");
    const auto number = json.to_number<double>();
    if (number < 0 || number > 1) throw Problem(path, "is not between 0 and 1");
}

Schema null_or(Schema schema) {
    return [schema](const value& json, const std::string& path) {
        if (!json.is_null()) schema(json, path);
    };
}

Schema list_of(Schema schema) {
    return [schema](const value& json, const std::string& path) {
        if (!json.is_array()) throw Problem(path, "is not an array");
        std::size_t index = 0;
        for (const value& element : json.get_array())
            schema(element, path + "[" + std::to_string(index++) + "]");
    };
}

/// Any names of one form, with values of one form.
Schema map_of(std::function<bool(std::string_view)> is_key, Schema schema) {
    return [is_key, schema](const value& json, const std::string& path) {
        if (!json.is_object()) throw Problem(path, "is not an object");
        for (const auto& member : json.get_object()) {
            const std::string name(member.key());
            if (!is_key(name)) throw Problem(path, "has a member " + name);
            schema(member.value(), path + "." + name);
        }
    };
}

using Members = std::map<std::string, Schema, std::less<>>;

/// These members, some of them not always, and no others.
Schema object_of(Members required, Members optional = {}) {
    return [required, optional](const value& json, const std::string& path) {
        if (!json.is_object()) throw Problem(path, "is not an object");
        for (const auto& [name, schema] : required)
            if (!json.get_object().contains(name)) throw Problem(path, "lacks " + name);
        for (const auto& member : json.get_object()) {
            const std::string name(member.key());
            const auto known = required.find(name);
            const auto other = optional.find(name);
            if (known == required.end() && other == optional.end())
                throw Problem(path, "has a member " + name);
            (known != required.end() ? known : other)->second(member.value(), path + "." + name);
        }
    };
}

Schema access_list() {
    return list_of(object_of({{"address", fixed(20)}, {"storageKeys", list_of(fixed(32))}}));
}

Schema pooled_transaction() {
    return object_of({{"blockHash", null_or(fixed(32))},
                      {"blockNumber", null_or(quantity)},
                      {"from", fixed(20)},
                      {"gas", quantity},
                      {"gasPrice", quantity},
                      {"hash", fixed(32)},
                      {"input", bytes},
                      {"nonce", quantity},
                      {"to", null_or(fixed(20))},
                      {"transactionIndex", null_or(quantity)},
                      {"value", quantity},
                      {"type", quantity},
                      {"v", quantity},
                      {"r", quantity},
                      {"s", quantity}},
                     {{"blockTimestamp", null_or(quantity)},
                      {"chainId", quantity},
                      {"yParity", quantity},
                      {"accessList", access_list()},
                      {"maxFeePerGas", quantity},
                      {"maxPriorityFeePerGas", quantity},
                      {"maxFeePerBlobGas", quantity},
                      {"blobVersionedHashes", list_of(fixed(32))},
                      {"authorizationList", list_of(object_of({{"chainId", quantity},
                                                               {"address", fixed(20)},
                                                               {"nonce", quantity},
                                                               {"yParity", quantity},
                                                               {"r", quantity},
                                                               {"s", quantity}}))}});
}

Schema pool_content() {
    const auto is_address = [](std::string_view key) {
        return key.size() == 42 && key.starts_with("0x") && is_hex(key.substr(2));
    };
    const auto is_nonce = [](std::string_view key) {
        return !key.empty() && key.find_first_not_of("0123456789") == std::string_view::npos;
    };
    const Schema by_sender = map_of(is_address, map_of(is_nonce, pooled_transaction()));
    return object_of({{"pending", by_sender}, {"queued", by_sender}});
}

Schema fee_history() {
    const Schema members = object_of({{"oldestBlock", quantity},
                                      {"baseFeePerGas", list_of(quantity)},
                                      {"gasUsedRatio", list_of(fraction)}},
                                     {{"baseFeePerBlobGas", list_of(quantity)},
                                      {"blobGasUsedRatio", list_of(fraction)},
                                      {"reward", list_of(list_of(quantity))}});
    return [members](const value& json, const std::string& path) {
        members(json, path);
        const auto size = [&](const char* name) { return json.at(name).get_array().size(); };
        const std::size_t blocks = size("gasUsedRatio");
        if (size("baseFeePerGas") != blocks + 1)
            throw Problem(path, "baseFeePerGas has no price for the block after the last");
        if (json.get_object().contains("reward") && size("reward") != blocks)
            throw Problem(path, "reward and gasUsedRatio differ in length");
    };
}

Schema transaction_trace() {
    const auto is_slot = [](std::string_view key) {
        return key.size() == 66 && key.starts_with("0x") && is_hex(key.substr(2));
    };
    const Schema step = object_of(
        {{"pc", natural}, {"op", text}, {"gas", natural}, {"gasCost", natural}, {"depth", natural}},
        {{"stack", list_of(quantity)},
         {"memory", list_of(fixed(32))},
         {"storage", map_of(is_slot, fixed(32))},
         {"returnData", bytes},
         {"refund", natural},
         {"error", text}});
    return object_of({{"gas", natural},
                      {"failed", boolean},
                      {"returnValue", bytes},
                      {"structLogs", list_of(step)}});
}

Schema block_trace() {
    return list_of(object_of({{"txHash", fixed(32)}, {"result", transaction_trace()}}));
}

Schema capabilities() {
    const Schema resource = object_of(
        {{"disabled", boolean}},
        {{"oldestBlock", quantity},
         {"deleteStrategy", object_of({{"type", text}}, {{"retentionBlocks", quantity}})}});
    return object_of({{"head", object_of({{"number", quantity}, {"hash", fixed(32)}})},
                      {"state", resource},
                      {"tx", resource},
                      {"logs", resource},
                      {"receipts", resource},
                      {"blocks", resource},
                      {"stateproofs", resource}});
}

Schema built_block() {
    const Schema withdrawal = object_of({{"index", quantity},
                                         {"validatorIndex", quantity},
                                         {"address", fixed(20)},
                                         {"amount", quantity}});
    const Schema payload = object_of({{"parentHash", fixed(32)},
                                      {"feeRecipient", fixed(20)},
                                      {"stateRoot", fixed(32)},
                                      {"receiptsRoot", fixed(32)},
                                      {"logsBloom", fixed(256)},
                                      {"prevRandao", fixed(32)},
                                      {"blockNumber", quantity},
                                      {"gasLimit", quantity},
                                      {"gasUsed", quantity},
                                      {"timestamp", quantity},
                                      {"extraData", bytes},
                                      {"baseFeePerGas", quantity},
                                      {"blockHash", fixed(32)},
                                      {"transactions", list_of(bytes)},
                                      {"withdrawals", list_of(withdrawal)},
                                      {"blobGasUsed", quantity},
                                      {"excessBlobGas", quantity}});
    return object_of({{"executionPayload", payload},
                      {"blockValue", quantity},
                      {"blobsBundle", object_of({{"commitments", list_of(fixed(48))},
                                                 {"proofs", list_of(fixed(48))},
                                                 {"blobs", list_of(bytes)}})},
                      {"executionRequests", list_of(bytes)},
                      {"shouldOverrideBuilder", boolean}});
}

const std::map<std::string, Schema, std::less<>>& schemas() {
    static const std::map<std::string, Schema, std::less<>> all{
        {"debug_traceBlockByHash", block_trace()},
        {"debug_traceBlockByNumber", block_trace()},
        {"debug_traceTransaction", transaction_trace()},
        {"eth_capabilities", capabilities()},
        {"eth_createAccessList",
         object_of({{"accessList", access_list()}, {"gasUsed", quantity}}, {{"error", text}})},
        {"eth_estimateGas", quantity},
        {"eth_feeHistory", fee_history()},
        {"eth_sendRawTransaction", fixed(32)},
        {"testing_buildBlockV1", built_block()},
        {"txpool_content", pool_content()},
    };
    return all;
}

}  // namespace

std::optional<std::string> find_schema_problem(std::string_view method, const value& result) {
    const auto schema = schemas().find(method);
    if (schema == schemas().end()) return "no schema for " + std::string{method};
    try {
        schema->second(result, "result");
    } catch (const Problem& problem) {
        return problem.what();
    }
    return std::nullopt;
}

}  // namespace heddle::test
