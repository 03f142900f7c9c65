// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/account_search.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/block_replays.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/queries/served_block_codec.hpp"
#include "simulation/deadline.hpp"
#include "tracing/transaction_tracer.hpp"

namespace heddle::node::rpc {
namespace {

constexpr std::uint64_t kMostOnPage = 1'000;

enum class Direction : std::uint8_t { before, after };

/// Whether an account calls or is called, is created, destroyed or given what a destroyed one had.
class PartTracer final : public vm::Tracer {
public:
    explicit PartTracer(const Address& account) : account_(account) {}

    void begin() noexcept { takes_part_ = false; }
    [[nodiscard]] bool takes_part() const noexcept { return takes_part_; }

    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override { return no_steps(); }
    void on_step(const vm::TraceStep&, vm::Status) noexcept override {}
    void on_enter(const vm::TraceCall& call) noexcept override {
        takes_part_ = takes_part_ || call.from == account_ || call.to == account_;
    }

private:
    const Address account_;
    bool takes_part_ = false;
};

/// A transaction as it is told. Its block is let go: a page may be of as many blocks as it has
/// transactions, and each may be large.
struct Match {
    std::string transaction;
    std::string receipt;
};

/// What is seen of a transaction without executing it.
bool is_party(const Address& account, const Transaction& tx, const Receipt& receipt) {
    return tx.sender == account || tx.to == account || receipt.contract_address == account;
}

class AccountSearch {
public:
    AccountSearch(const Chain& chain, const Address& account, const Call& call)
        : chain_(chain),
          call_(call),
          account_(account),
          tracer_(account),
          evm_({.tracer = &tracer_, .code_cache = chain.code_cache(), .lets_go_of_code = true}) {}

    /// Appends those of a block, in its order.
    void search(const SharedServedBlock& block, std::vector<Match>& matches) {
        const auto& transactions = block->stored->block.transactions;
        std::vector<bool> takes_part(transactions.size());
        std::size_t unknown_end = 0;  // behind the last one that has to be executed
        for (std::size_t i = 0; i < transactions.size(); ++i) {
            takes_part[i] = is_party(account_, transactions[i], block->stored->receipts[i]);
            if (!takes_part[i]) unknown_end = i + 1;
        }
        if (unknown_end != 0) execute(block, unknown_end, takes_part);
        for (std::size_t i = 0; i < transactions.size(); ++i)
            if (takes_part[i]) add(*block, i, matches);
    }

private:
    /// Errors: RpcError where the page becomes too large.
    void add(const ServedBlock& block, std::size_t index, std::vector<Match>& matches) {
        Match& match = matches.emplace_back();
        JsonWriter transaction(match.transaction, JsonWriter::Style::compact);
        write_transaction_of(block, index, transaction);
        JsonWriter receipt(match.receipt, JsonWriter::Style::compact);
        write_timed_receipt_of(chain_, block, index, receipt);
        bytes_ += match.transaction.size() + match.receipt.size();
        if (call_.max_result_bytes != 0 && bytes_ > call_.max_result_bytes)
            throw RpcError(Code::response_too_large,
                           fmt::format("the page is larger than {} bytes; ask for a smaller one",
                                       call_.max_result_bytes));
    }
    void execute(const SharedServedBlock& block, std::size_t end, std::vector<bool>& takes_part) {
        const auto replay = start_replay(chain_, block->stored);
        while (replay->next_index() < end) {
            call_.check_deadline();
            const std::size_t index = replay->next_index();
            tracer_.begin();
            const simulation::Deadline deadline = deadline_of(call_);
            const simulation::Supervision supervision(deadline, evm_);
            const auto outcome = replay->execute_next(evm_);
            if (!outcome.has_value())
                throw server_error(fmt::format("a search failed: {}", to_string(outcome.error())));
            deadline.note_gas((*outcome)->executed_gas);
            if (vm::is_unfinished((*outcome)->status)) simulation::Deadline::fail();
            takes_part[index] = takes_part[index] || tracer_.takes_part();
            replay->finish_next();
        }
    }

    const Chain& chain_;
    const Call& call_;
    const Address account_;
    std::size_t bytes_ = 0;  // of all matches
    PartTracer tracer_;
    vm::Evm evm_;
};

/// The page's transactions and receipts, the newest first, and whether it is one of the ends.
void write_page(const std::vector<Match>& matches, bool is_first, bool is_last, JsonWriter& out) {
    out.begin_object();
    out.key("txs");
    out.begin_array();
    for (const Match& match : matches)
        out.raw(match.transaction);
    out.end_array();
    out.key("receipts");
    out.begin_array();
    for (const Match& match : matches)
        out.raw(match.receipt);
    out.end_array();
    out.key("firstPage");
    out.boolean(is_first);
    out.key("lastPage");
    out.boolean(is_last);
    out.end_object();
}

/// Whole blocks only, so that the next page can begin at a block: a page may have more than asked
/// for. Block 0 stands for the end from which the direction begins.
void search(const Services& services, Direction direction, const Call& call, JsonWriter& out) {
    const auto number = [](const JsonView& value) { return value.uint64(); };
    const Address account = address_argument(call.params, 0);
    const std::uint64_t from = argument(call.params, 1, number);
    const std::uint64_t size = argument(call.params, 2, number);
    if (size == 0 || size > kMostOnPage)
        throw RpcError(Code::invalid_params,
                       fmt::format("expected a page of 1 to {} transactions", kMostOnPage));
    const Chain& chain = services.chain;
    const std::uint64_t head = chain.head_block()->block.header.number;
    const std::uint64_t first = std::max<std::uint64_t>(chain.first_block(), 1);

    AccountSearch accounts(chain, account, call);
    std::vector<Match> matches;
    const auto search_block = [&](std::uint64_t block_number) {
        call.check_deadline();
        if (const SharedServedBlock block = take(chain.served_block(block_number)))
            accounts.search(block, matches);
    };
    if (direction == Direction::before) {
        // The first block that is not looked at, from which those below begin.
        std::uint64_t end = from == 0 ? head + 1 : std::min(from, head + 1);
        while (end > first && matches.size() < size) {
            const std::size_t known = matches.size();
            search_block(--end);
            std::reverse(matches.begin() + static_cast<std::ptrdiff_t>(known), matches.end());
        }
        return write_page(matches, from == 0, end <= first, out);
    }
    std::uint64_t next = std::max(from + 1, first);
    for (; next <= head && matches.size() < size; ++next)
        search_block(next);
    std::ranges::reverse(matches);
    write_page(matches, next > head, from == 0, out);
}

}  // namespace

void add_account_search_methods(MethodTable& table, const Services& services) {
    const auto add = [&](std::string name, Direction direction) {
        table.add({.name = std::move(name),
                   .handler = with_failures_told(
                       at_most(3,
                               [services, direction](const Call& call, JsonWriter& out) {
                                   search(services, direction, call, out);
                               })),
                   .weight = Weight::executing});
    };
    add("ots_searchTransactionsBefore", Direction::before);
    add("ots_searchTransactionsAfter", Direction::after);
}

}  // namespace heddle::node::rpc
