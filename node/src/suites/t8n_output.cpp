// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <map>
#include <string>

#include <fmt/format.h>

#include <types/rlp.hpp>
#include <vm/block.hpp>
#include <vm/block_execution.hpp>

#include "formats/json_writer.hpp"
#include "program/file.hpp"
#include "suites/t8n.hpp"

namespace heddle::node {

namespace {

/// The hash that logs and receipts carry, as the block has none yet. Same as geth's.
constexpr Hash kPlaceholderBlockHash =
    detail::hash_literal("1337000000000000000000000000000000000000000000000000000000000000");

void write_alloc(const ledger::MemoryState& state, JsonWriter& json) {
    json.begin_object();
    state.for_each_account([&](const Address& address, const Account& account) {
        json.key(to_string(address));
        json.begin_object();
        if (account.has_code()) {
            json.key("code");
            json.hex(state.code(account.code_hash));
        }
        if (state.has_storage(address)) {
            json.key("storage");
            json.begin_object();
            state.for_each_slot(address, [&](const Uint256& slot, const Uint256& value) {
                json.key(to_string(to_hash(slot)));
                json.hash(to_hash(value));
            });
            json.end_object();
        }
        json.key("balance");
        json.quantity(account.balance);
        if (account.nonce != 0) {
            json.key("nonce");
            json.quantity(account.nonce);
        }
        json.end_object();
    });
    json.end_object();
}

/// What a log or receipt says of its place.
struct Place {
    const BlockHeader& header;
    Hash transaction_hash;
    std::size_t transaction_index = 0;
};

void write_place(const Place& place, JsonWriter& json) {
    json.key("transactionHash");
    json.hash(place.transaction_hash);
    json.key("transactionIndex");
    json.quantity(place.transaction_index);
    json.key("blockHash");
    json.hash(kPlaceholderBlockHash);
}

void write_log(const Log& log, const Place& place, std::size_t index, JsonWriter& json) {
    json.begin_object();
    json.key("address");
    json.address(log.address);
    json.key("topics");
    json.begin_array();
    for (const Hash& topic : log.topics)
        json.hash(topic);
    json.end_array();
    json.key("data");
    json.hex(log.data);
    json.key("blockNumber");
    json.quantity(place.header.number);
    write_place(place, json);
    json.key("blockTimestamp");
    json.quantity(place.header.timestamp);
    json.key("logIndex");
    json.quantity(index);
    json.key("removed");
    json.boolean(false);
    json.end_object();
}

void write_receipt(const Receipt& receipt, const Place& place, std::size_t first_log,
                   const T8nResult& result, JsonWriter& json) {
    json.begin_object();
    if (receipt.type != TransactionType::legacy) {
        json.key("type");
        json.quantity(static_cast<std::uint64_t>(receipt.type));
    }
    json.key("root");
    json.string(receipt.post_state ? to_string(*receipt.post_state) : "0x");
    json.key("status");
    json.quantity(receipt.success ? 1u : 0u);
    json.key("cumulativeGasUsed");
    json.quantity(receipt.cumulative_gas_used);
    json.key("logsBloom");
    json.hex(receipt.bloom.bytes);
    json.key("logs");
    json.begin_array();
    for (std::size_t i = 0; i < receipt.logs.size(); ++i)
        write_log(receipt.logs[i], place, first_log + i, json);
    json.end_array();
    json.key("transactionHash");
    json.hash(place.transaction_hash);
    json.key("contractAddress");
    json.address(receipt.contract_address.value_or(Address{}));
    json.key("gasUsed");
    json.quantity(receipt.gas_used);
    json.key("effectiveGasPrice");
    json.null();
    if (receipt.type == TransactionType::blob) {
        json.key("blobGasUsed");
        json.quantity(receipt.blob_gas_used);
        json.key("blobGasPrice");
        json.quantity(result.blob_base_fee);
    }
    json.key("blockHash");
    json.hash(kPlaceholderBlockHash);
    json.key("blockNumber");
    json.quantity(place.header.number);
    json.key("transactionIndex");
    json.quantity(place.transaction_index);
    json.end_object();
}

void write_receipts(const T8nInput& input, const T8nResult& result, JsonWriter& json) {
    json.begin_array();
    std::size_t logs = 0;
    for (std::size_t i = 0; i < result.block.receipts.size(); ++i) {
        const Place place{input.header, transaction_hash(result.included[i]), i};
        write_receipt(result.block.receipts[i], place, logs, result, json);
        logs += result.block.receipts[i].logs.size();
    }
    json.end_array();
}

void write_rejected(const T8nResult& result, JsonWriter& json) {
    json.key("rejected");
    json.begin_array();
    for (const auto& rejected : result.rejected) {
        json.begin_object();
        json.key("index");
        json.number(rejected.index);
        json.key("error");
        json.string(rejected.error);
        json.end_object();
    }
    json.end_array();
}

void write_requests(const T8nResult& result, JsonWriter& json) {
    const bool has_requests = result.block.revision >= Revision::prague;
    if (has_requests) {
        json.key("requestsHash");
        json.hash(vm::requests_hash(result.block.requests));
    }
    json.key("requests");
    if (!has_requests) return json.null();
    json.begin_array();
    for (const Bytes& request : result.block.requests)
        json.hex(request);
    json.end_array();
}

void write_access_list(const T8nResult& result, JsonWriter& json) {
    if (!result.block.access_list.has_value()) return;
    json.key("blockAccessListHash");
    json.hash(result.block.access_list->hash);
    json.key("blockAccessList");
    json.hex(result.block.access_list->encoded);
}

void write_result(const T8nInput& input, const T8nResult& result, JsonWriter& json) {
    const BlockHeader& header = input.header;
    std::vector<Log> logs;
    LogsBloom bloom;
    for (const Receipt& receipt : result.block.receipts) {
        logs.insert(logs.end(), receipt.logs.begin(), receipt.logs.end());
        bloom |= receipt.bloom;
    }
    json.begin_object();
    const auto hash = [&](std::string_view key, const Hash& value) {
        json.key(key);
        json.hash(value);
    };
    hash("stateRoot", result.state_root);
    hash("txRoot", vm::transactions_root(result.included));
    hash("receiptsRoot", vm::receipts_root(result.block.receipts));
    hash("logsHash", logs_hash(logs));
    json.key("logsBloom");
    json.hex(bloom.bytes);
    json.key("receipts");
    write_receipts(input, result, json);
    if (!result.rejected.empty()) write_rejected(result, json);
    json.key("currentDifficulty");
    if (input.is_merged)
        json.null();
    else
        json.quantity(header.difficulty);
    json.key("gasUsed");
    json.quantity(result.block.gas_used);
    if (input.base_fee) {
        json.key("currentBaseFee");
        json.quantity(*input.base_fee);
    }
    if (input.withdrawals_root) hash("withdrawalsRoot", *input.withdrawals_root);
    if (header.excess_blob_gas) {
        json.key("currentExcessBlobGas");
        json.quantity(*header.excess_blob_gas);
        json.key("blobGasUsed");
        json.quantity(result.block.blob_gas_used);
    }
    write_requests(result, json);
    write_access_list(result, json);
    json.end_object();
}

void write_body(const T8nResult& result, JsonWriter& json) {
    Bytes body;
    for (const auto& tx : result.included)
        encode_transaction_item(tx, body);
    rlp::wrap_list(0, body);
    json.hex(body);
}

void write_opcode_counts(const T8nResult& result, JsonWriter& json) {
    std::map<std::string, std::uint64_t> by_name;
    for (std::size_t opcode = 0; opcode < result.opcode_counts.size(); ++opcode)
        if (const std::uint64_t count = result.opcode_counts[opcode])
            by_name.emplace(opcode_name(static_cast<std::uint8_t>(opcode)), count);
    json.begin_object();
    for (const auto& [name, count] : by_name) {
        json.key(name);
        json.number(count);
    }
    json.end_object();
}

/// Collects what goes to one of the streams as the members of one object.
class Stream {
public:
    explicit Stream(std::FILE* file) : file_(file), json_(text_) {}

    JsonWriter& member(std::string_view key) {
        if (text_.empty()) json_.begin_object();
        json_.key(key);
        return json_;
    }
    void flush() {
        if (text_.empty()) return;
        json_.end_object();
        fmt::print(file_, "{}\n", text_);
    }

private:
    std::FILE* file_;
    std::string text_;
    JsonWriter json_;
};

}  // namespace

void write_t8n_output(const T8nOptions& options, const T8nInput& input, const T8nResult& result) {
    Stream out(stdout);
    Stream error(stderr);
    const auto write_to_file = [&](const std::string& name, auto&& content) {
        std::string text;
        JsonWriter json(text);
        content(json);
        failing_as(T8nFailure::files, [&] {
            write_file((std::filesystem::path(options.output_dir) / name).native(), text);
        });
    };
    const auto write = [&](std::string_view key, const std::string& target, auto&& content) {
        if (target.empty()) return;
        if (target == "stdout") return content(out.member(key));
        if (target == "stderr") return content(error.member(key));
        write_to_file(target, content);
    };
    if (!options.opcode_count.empty())
        write_to_file(options.opcode_count,
                      [&](JsonWriter& json) { write_opcode_counts(result, json); });
    write("alloc", options.output_alloc, [&](JsonWriter& json) { write_alloc(input.state, json); });
    write("result", options.output_result,
          [&](JsonWriter& json) { write_result(input, result, json); });
    write("body", options.output_body, [&](JsonWriter& json) { write_body(result, json); });
    out.flush();
    error.flush();
}

}  // namespace heddle::node
