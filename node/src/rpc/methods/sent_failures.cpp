// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/sent_failures.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/uint256.hpp>
#include <vm/evm.hpp>
#include <vm/precompile.hpp>

#include "formats/json.hpp"
#include "formats/json_writer.hpp"
#include "formats/revert_reason.hpp"
#include "rpc/methods/block_replays.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "simulation/call_error.hpp"

namespace heddle::node::rpc {
namespace {

constexpr std::string_view kBeginning = "VM Exception while processing transaction: ";

/// In hardhat's words: people's tests look for them.
std::string revert_sentence(BytesView data) {
    constexpr std::array<std::uint8_t, 4> kPanic{0x4e, 0x48, 0x7b, 0x71};  // Panic(uint256)
    if (data.empty()) return "Transaction reverted without a reason string";
    if (data.size() == kPanic.size() + 32 && std::ranges::equal(data.first(kPanic.size()), kPanic))
        return fmt::format("{}reverted with panic code {}", kBeginning,
                           to_hex(load_be(data.data() + kPanic.size())));
    if (const auto reason = revert_reason(data); reason.has_value())
        return fmt::format("{}reverted with reason string '{}'", kBeginning, *reason);
    return fmt::format("{}reverted with an unrecognized custom error (return data: {})", kBeginning,
                       to_hex(data));
}

struct Failed {
    std::string sentence;
    Bytes data;  // what it reverted with
};

/// Executes the transaction again to see how it failed. Errors: as skip_to().
Failed explain(const Services& services, const SharedBlock& block, std::size_t index,
               const Call& call) {
    const Transaction& tx = block->block.transactions[index];
    const auto replay = start_replay(services.chain, block);
    skip_to(index, *replay, services.chain, call);
    const simulation::Deadline deadline = deadline_of(call);
    simulation::HaltTracer tracer(deadline);
    vm::Evm evm(
        {.tracer = &tracer, .code_cache = services.chain.code_cache(), .lets_go_of_code = true});
    const simulation::Supervision supervision(deadline, evm);
    const auto outcome = replay->execute_next(evm);
    if (!outcome.has_value())
        throw server_error(fmt::format("{}{}", kBeginning, to_string(outcome.error())));
    deadline.note_gas((*outcome)->executed_gas);
    const vm::Status status = (*outcome)->status;
    if (vm::is_unfinished(status)) simulation::Deadline::fail();
    if (status == vm::Status::revert)
        return {revert_sentence((*outcome)->output), (*outcome)->output};
    if (status == vm::Status::out_of_gas) return {"Transaction ran out of gas", {}};
    const std::uint32_t precompile =
        tx.to ? vm::precompile_index(*tx.to, replay->env().revision) : 0;
    return {fmt::format("{}{}", kBeginning, tracer.text(status, precompile, tx)), {}};
}

std::string data_object(const Hash& hash, const Failed& failed) {
    std::string text;
    JsonWriter out(text, JsonWriter::Style::compact);
    out.begin_object();
    out.key("message");
    out.string(failed.sentence);
    out.key("txHash");
    out.hash(hash);
    out.key("data");
    out.hex(failed.data);
    out.end_object();
    return text;
}

void expect_success(const Services& services, const Hash& hash, const Call& call) {
    const auto place = take(services.chain.find_transaction(hash));
    if (!place.has_value()) return;  // it was not sealed: blocks are not made on arrival now
    const SharedServedBlock block = take(services.chain.served_block(place->number));
    if (!block || place->index >= block->stored->receipts.size()) return;
    if (block->stored->receipts[place->index].success) return;
    const Failed failed = explain(services, block->stored, place->index, call);
    throw RpcError(Code::internal_error, failed.sentence, data_object(hash, failed));
}

/// Calls `send`, whose answer is a hash, and looks what became of it.
Handler checked(Handler send, const Services& services) {
    return with_failures_told(
        [send = std::move(send), services](const Call& call, JsonWriter& out) {
            std::string answer;
            JsonWriter sent(answer, JsonWriter::Style::compact);
            send(call, sent);
            JsonParser parser;
            const auto hash = hash_from_hex(parser.parse(answer, "answer").string());
            if (hash.has_value()) expect_success(services, *hash, call);
            out.raw(answer);
        });
}

}  // namespace

MethodTable with_failures_thrown(const MethodTable& methods, const Services& services) {
    MethodTable result;
    for (const std::string& name : methods.names()) {
        Method method = *methods.find(name);
        if (name == "eth_sendTransaction" || name == "eth_sendRawTransaction")
            method.handler = checked(std::move(method.handler), services);
        result.add(std::move(method));
    }
    return result;
}

}  // namespace heddle::node::rpc
