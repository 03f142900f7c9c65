// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks, receipts, transactions and logs of a fork's source.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>
#include <types/held_bytes.hpp>

#include "follow/rpc_block.hpp"
#include "forking/block_record.hpp"
#include "forking/fork_source.hpp"
#include "formats/fixture_codec.hpp"
#include "program/error.hpp"

namespace heddle::node::forking {
namespace {

using follow::Answer;
using follow::Question;

constexpr std::size_t kMostBlocks = 16;
constexpr std::size_t kMostHeaders = 4'096;
/// How far back BLOCKHASH reaches from the fork's own blocks.
constexpr std::uint64_t kProvenHashes = 256;
constexpr std::uint64_t kHeadersAtOnce = 64;

/// The sentence is noted by whoever reads, too, for it says more than the error's kind.
std::unexpected<ledger::LedgerError> failed(std::string why) {
    ReadScope::fail(why);
    return std::unexpected(ledger::LedgerError{ledger::LedgerErrorCode::io_error, std::move(why)});
}

/// Errors: InputError where its hash is another one than is said.
ledger::StoredHeader read_header(const JsonView& json) {
    ledger::StoredHeader stored;
    stored.header = parse_rpc_header(json);
    stored.hash = header_hash(stored.header);
    if (const Hash said = json.at("hash").hash(); said != stored.hash)
        json.fail(
            fmt::format("what is said of the block has the hash {}, and its hash is said to "
                        "be {}",
                        to_string(stored.hash), to_string(said)));
    stored.total_difficulty = total_difficulty_of(json, stored.header);
    return stored;
}

std::string topics_text(const std::vector<std::vector<Hash>>& topics) {
    std::string text;
    for (const std::vector<Hash>& alternatives : topics) {
        if (!text.empty()) text += ',';
        if (alternatives.empty()) {
            text += "null";
            continue;
        }
        text += '[';
        for (std::size_t i = 0; i < alternatives.size(); ++i)
            text += fmt::format(R"({}"{}")", i == 0 ? "" : ",", to_string(alternatives[i]));
        text += ']';
    }
    return text;
}

std::string query_text(const SourceLogQuery& query) {
    std::string addresses;
    for (const Address& address : query.addresses)
        addresses += fmt::format(R"({}"{}")", addresses.empty() ? "" : ",", to_string(address));
    return fmt::format(R"([{{"fromBlock":{},"toBlock":{},"address":[{}],"topics":[{}]}}])",
                       follow::quoted_quantity(query.from), follow::quoted_quantity(query.to),
                       addresses, topics_text(query.topics));
}

template <typename T>
bool is_one_of(const T& value, const std::vector<T>& alternatives) {
    return alternatives.empty() || std::ranges::find(alternatives, value) != alternatives.end();
}

bool matches(const SourceLog& log, const SourceLogQuery& query) {
    if (log.block_number < query.from || log.block_number > query.to) return false;
    if (!is_one_of(log.log.address, query.addresses)) return false;
    if (log.log.topics.size() < query.topics.size()) return false;
    for (std::size_t i = 0; i < query.topics.size(); ++i)
        if (!is_one_of(log.log.topics[i], query.topics[i])) return false;
    return true;
}

/// Errors: InputError.
SourceLog read_log(const JsonView& json) {
    SourceLog log;
    log.log.address = json.at("address").address();
    const JsonView topics = json.at("topics");
    if (topics.size() > LogTopics::kMost) topics.fail("more than four topics");
    for (std::size_t i = 0; i < topics.size(); ++i)
        log.log.topics.push_back(topics.element(i).hash());
    log.log.data = json.at("data").bytes();
    log.block_hash = json.at("blockHash").hash();
    log.block_number = json.at("blockNumber").uint64();
    if (const auto time = json.find("blockTimestamp")) log.block_timestamp = time->uint64();
    log.transaction_hash = json.at("transactionHash").hash();
    log.transaction_index =
        static_cast<std::uint32_t>(json.at("transactionIndex").uint64() & 0xffffffffU);
    log.log_index = static_cast<std::uint32_t>(json.at("logIndex").uint64() & 0xffffffffU);
    return log;
}

}  // namespace

Uint256 total_difficulty_of(const JsonView& block, const BlockHeader& header) {
    if (const auto total = block.find("totalDifficulty")) return total->uint256();
    // It does not grow any more once the chain is merged, and nothing asks how large it is then.
    return header.difficulty;
}

std::expected<std::optional<ledger::StoredHeader>, std::string> ForkSource::ask_header(
    std::string_view method, const std::string& which) const {
    std::optional<ledger::StoredHeader> found;
    HEDDLE_CHECK(client_->ask_one(fmt::format("block {}", which),
                                  {method, fmt::format("[{},false]", which)},
                                  [&](const JsonView& json) {
                                      if (!json.is_null()) found = read_header(json);
                                  }));
    return found;
}

auto ForkSource::header(std::uint64_t number) const -> Found<ledger::StoredHeader> {
    if (number == point_.header.number) return point_;
    if (number > point_.header.number) return std::nullopt;
    {
        const std::scoped_lock lock{mutex_};
        if (const auto known = headers_.find(number); known != headers_.end()) return known->second;
    }
    if (const auto kept = cache().find(fmt::format("block:{}", number)))
        if (const auto block = parse_record(*kept))
            return ledger::StoredHeader{block->block.header, block->hash, block->total_difficulty};
    const std::string name = fmt::format("header:{}", number);
    if (const auto kept = cache().find(name))
        if (auto header = parse_header_record(*kept);
            header.has_value() && header->header.number == number)
            return header;
    auto asked = ask_header("eth_getBlockByNumber", follow::quoted_quantity(number));
    if (!asked.has_value()) return failed(std::move(asked).error());
    if (!asked->has_value()) return std::nullopt;
    if ((*asked)->header.number != number)
        return failed(fmt::format("{} gives block {} for block {}", client_->options().role,
                                  (*asked)->header.number, number));
    cache().put(name, to_header_record(**asked));
    const std::scoped_lock lock{mutex_};
    if (headers_.size() >= kMostHeaders) headers_.clear();
    headers_.emplace(number, **asked);
    return *asked;
}

auto ForkSource::block_number(const Hash& hash) const -> Found<std::uint64_t> {
    if (hash == point_.hash) return point_.header.number;
    const std::string name = "number:" + to_string(hash);
    if (const auto kept = cache().find(name))
        if (const auto number = uint256_from_string(*kept)) return number->low64();
    auto asked = ask_header("eth_getBlockByHash", fmt::format("\"{}\"", to_string(hash)));
    if (!asked.has_value()) return failed(std::move(asked).error());
    if (!asked->has_value() || (*asked)->header.number > point_.header.number) return std::nullopt;
    if ((*asked)->hash != hash)
        return failed(
            fmt::format("{} gives another block for {}", client_->options().role, to_string(hash)));
    // A block of the same height on another branch is none of this chain's.
    HEDDLE_TRY(const auto here, header((*asked)->header.number));
    if (!here.has_value() || here->hash != hash) return std::nullopt;
    cache().put(name, to_hex(Uint256{here->header.number}));
    return here->header.number;
}

std::expected<std::vector<Receipt>, std::string> ForkSource::ask_receipts(
    std::uint64_t number, const std::vector<Transaction>& transactions) const {
    std::vector<Receipt> receipts;
    if (transactions.empty()) return receipts;
    const std::string what = fmt::format("the receipts of block {}", number);
    const Question all{"eth_getBlockReceipts",
                       fmt::format("[{}]", follow::quoted_quantity(number))};
    bool is_known = true;
    HEDDLE_CHECK(client_->ask(what, {&all, 1}, [&](std::size_t, const Answer& answer) {
        is_known = answer.has_value();
        if (is_known) receipts = parse_rpc_receipts(*answer);
    }));
    if (is_known) return receipts;
    std::vector<Question> questions;
    questions.reserve(transactions.size());
    for (const Transaction& tx : transactions)
        questions.push_back({"eth_getTransactionReceipt",
                             fmt::format(R"(["{}"])", to_string(transaction_hash(tx)))});
    receipts.resize(questions.size());
    HEDDLE_CHECK(client_->ask(what, questions, [&](std::size_t i, const Answer& answer) {
        if (!answer.has_value() || answer->is_null()) fail_input("a receipt is refused");
        receipts[i] = parse_rpc_receipt(*answer);
    }));
    return receipts;
}

std::expected<std::vector<BlockHeader>, std::string> ForkSource::ask_ommers(
    std::uint64_t number, const std::vector<Hash>& hashes) const {
    std::vector<BlockHeader> ommers(hashes.size());
    std::vector<Question> questions;
    questions.reserve(hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i)
        questions.push_back(
            {"eth_getUncleByBlockNumberAndIndex",
             fmt::format("[{},{}]", follow::quoted_quantity(number), follow::quoted_quantity(i))});
    HEDDLE_CHECK(client_->ask(fmt::format("the ommers of block {}", number), questions,
                              [&](std::size_t i, const Answer& answer) {
                                  if (!answer.has_value()) fail_input("an ommer is refused");
                                  ommers[i] = follow::rebuild_ommer(*answer, hashes[i]);
                              }));
    return ommers;
}

std::expected<std::optional<ledger::StoredBlock>, std::string> ForkSource::ask_block(
    std::uint64_t number) const {
    std::optional<follow::RebuiltBlock> rebuilt;
    Uint256 total_difficulty;
    HEDDLE_CHECK(client_->ask_one(
        fmt::format("block {}", number),
        {"eth_getBlockByNumber", fmt::format("[{},true]", follow::quoted_quantity(number))},
        [&](const JsonView& json) {
            if (json.is_null()) return;
            rebuilt = follow::rebuild_block(json);
            total_difficulty = total_difficulty_of(json, rebuilt->block.header);
        }));
    if (!rebuilt.has_value()) return std::nullopt;
    if (rebuilt->block.header.number != number)
        return std::unexpected(fmt::format("{} gives block {} for block {}",
                                           client_->options().role, rebuilt->block.header.number,
                                           number));
    if (number == point_.header.number && rebuilt->hash != point_.hash)
        return std::unexpected(
            fmt::format("block {} is another one at the source than when it was forked", number));
    std::vector<BlockHeader> ommers;
    if (!rebuilt->ommers.empty()) {
        HEDDLE_TRY(ommers, ask_ommers(number, rebuilt->ommers));
    }
    HEDDLE_TRY(auto receipts, ask_receipts(number, rebuilt->block.transactions));
    try {
        return make_checked_block(*std::move(rebuilt), std::move(ommers), std::move(receipts),
                                  total_difficulty);
    } catch (const InputError& problem) {
        return std::unexpected(std::string{problem.what()});
    }
}

auto ForkSource::block(std::uint64_t number) const -> Found<ledger::StoredBlock> {
    if (number > point_.header.number) return std::nullopt;
    {
        const std::scoped_lock lock{mutex_};
        const auto found = std::ranges::find(blocks_, number, &KeptBlock::number);
        if (found != blocks_.end()) {
            blocks_.splice(blocks_.begin(), blocks_, found);
            return *blocks_.front().block;
        }
    }
    const std::string name = fmt::format("block:{}", number);
    std::optional<ledger::StoredBlock> found;
    if (const auto kept = cache().find(name)) found = parse_record(*kept);
    if (found.has_value() && found->block.header.number != number) found.reset();
    if (!found.has_value()) {
        auto asked = ask_block(number);
        if (!asked.has_value()) return failed(std::move(asked).error());
        if (!asked->has_value()) return std::nullopt;
        found = **std::move(asked);
        cache().put(name, to_record(*found));
    }
    keep(number, *found);
    return found;
}

/// A source may have blocks of any size.
void ForkSource::keep(std::uint64_t number, const ledger::StoredBlock& block) const {
    const std::size_t bytes =
        sizeof block + held_bytes(block.block.transactions) + held_bytes(block.receipts);
    const std::scoped_lock lock{mutex_};
    blocks_.push_front({number, std::make_shared<const ledger::StoredBlock>(block), bytes});
    blocks_bytes_ += bytes;
    while (blocks_.size() > 1 &&
           (blocks_.size() > kMostBlocks || blocks_bytes_ > options_.block_bytes)) {
        blocks_bytes_ -= blocks_.back().bytes;
        blocks_.pop_back();
    }
}

auto ForkSource::find_transaction(const Hash& hash) const -> Found<ledger::TransactionLocation> {
    const std::string name = "transaction:" + to_string(hash);
    std::optional<std::uint64_t> number;
    if (const auto kept = cache().find(name))
        if (const auto value = uint256_from_string(*kept)) number = value->low64();
    const bool is_kept = number.has_value();
    if (!is_kept) {
        auto asked = client_->ask_one(
            fmt::format("transaction {}", to_string(hash)),
            {"eth_getTransactionByHash", fmt::format(R"(["{}"])", to_string(hash))},
            [&](const JsonView& json) {
                if (json.is_null()) return;
                if (const auto block = json.find("blockNumber")) number = block->uint64();
            });
        if (!asked.has_value()) return failed(std::move(asked).error());
    }
    if (!number.has_value() || *number > point_.header.number) return std::nullopt;
    HEDDLE_TRY(const auto stored, block(*number));
    if (!stored.has_value()) return std::nullopt;
    const std::vector<Transaction>& transactions = stored->block.transactions;
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        if (transaction_hash(transactions[i]) != hash) continue;
        if (!is_kept) cache().put(name, to_hex(Uint256{*number}));
        return ledger::TransactionLocation{*number, static_cast<std::uint32_t>(i)};
    }
    return std::nullopt;
}

// --- Hashes of blocks ----------------------------------------------------------------------------

/// Headers from the lowest one that is linked to the fork point down, each the parent of the one
/// before.
std::expected<void, std::string> ForkSource::learn_hashes(std::uint64_t down_to) const {
    std::uint64_t next = point_.header.number;
    {
        const std::scoped_lock lock{mutex_};
        if (!proven_hashes_.empty()) next = proven_hashes_.begin()->first;
    }
    while (next > down_to) {
        // Those of an earlier run, as long as they go.
        const auto kept = cache().find(fmt::format("hash:{}", next - 1));
        const auto hash = kept.has_value() ? hash_from_hex(*kept) : std::nullopt;
        if (!hash.has_value()) break;
        const std::scoped_lock lock{mutex_};
        proven_hashes_.emplace(--next, *hash);
    }
    while (next > down_to) {
        const std::uint64_t last = next - 1;
        const std::uint64_t first =
            std::max(down_to, last + 1 - std::min(last + 1, kHeadersAtOnce));
        std::vector<Question> questions;
        for (std::uint64_t i = 0; i <= last + 1 - first; ++i)
            questions.push_back({"eth_getBlockByNumber",
                                 fmt::format("[{},false]", follow::quoted_quantity(last + 1 - i))});
        std::vector<ledger::StoredHeader> headers(questions.size());
        HEDDLE_CHECK(client_->ask(fmt::format("the hashes of blocks {} to {}", first, last),
                                  questions, [&](std::size_t i, const Answer& answer) {
                                      if (!answer.has_value() || answer->is_null())
                                          fail_input("a block is refused");
                                      headers[i] = read_header(*answer);
                                  }));
        // The first one is the block above, whose hash is known.
        Hash expected;
        {
            const std::scoped_lock lock{mutex_};
            const auto above = proven_hashes_.find(last + 1);
            expected = above != proven_hashes_.end() ? above->second : point_.hash;
        }
        for (std::size_t i = 0; i < headers.size(); ++i) {
            const std::uint64_t number = last + 1 - i;
            if (headers[i].header.number != number || headers[i].hash != expected)
                return std::unexpected(
                    fmt::format("block {} of {} is not the parent of the one above it", number,
                                client_->options().role));
            expected = headers[i].header.parent_hash;
            if (i == 0) continue;
            cache().put(fmt::format("hash:{}", number), to_string(headers[i].hash));
            const std::scoped_lock lock{mutex_};
            proven_hashes_.emplace(number, headers[i].hash);
        }
        next = first;
    }
    return {};
}

Hash ForkSource::block_hash(std::uint64_t number) const noexcept {
    if (number == point_.header.number) return point_.hash;
    if (number > point_.header.number) return {};
    if (number + 1 == point_.header.number) return point_.header.parent_hash;
    if (number + kProvenHashes < point_.header.number) {
        // Calls at earlier blocks; the way down to them may be as long as the chain.
        const auto found = header(number);
        return found.has_value() && found->has_value() ? (*found)->hash : Hash{};
    }
    const auto find = [&]() -> std::optional<Hash> {
        const std::scoped_lock lock{mutex_};
        const auto found = proven_hashes_.find(number);
        if (found == proven_hashes_.end()) return std::nullopt;
        return found->second;
    };
    if (const auto known = find()) return *known;
    if (ReadScope::is_failed()) return {};
    auto learnt = learn_hashes(number);
    if (!learnt.has_value()) ReadScope::fail(std::move(learnt).error());
    return find().value_or(Hash{});
}

// --- Logs ----------------------------------------------------------------------------------------

/// Some sources say no times: then those of the blocks.
std::expected<void, std::string> ForkSource::fill_times(std::vector<SourceLog>& logs) const {
    for (SourceLog& log : logs) {
        if (log.block_timestamp != 0) continue;
        const auto found = header(log.block_number);
        if (!found.has_value()) return std::unexpected(found.error().detail);
        if (!found->has_value() || (*found)->hash != log.block_hash)
            return std::unexpected(
                fmt::format("a log is of block {}, which is another one", log.block_number));
        log.block_timestamp = (*found)->header.timestamp;
    }
    return {};
}

ForkBase::Result<std::vector<SourceLog>> ForkSource::logs(const SourceLogQuery& query) const {
    std::vector<SourceLog> logs;
    auto asked = client_->ask_one(fmt::format("the logs of blocks {} to {}", query.from, query.to),
                                  {"eth_getLogs", query_text(query)}, [&](const JsonView& json) {
                                      for (std::size_t i = 0; i < json.size(); ++i) {
                                          logs.push_back(read_log(json.element(i)));
                                          if (!matches(logs.back(), query))
                                              json.element(i).fail("a log that was not asked for");
                                      }
                                  });
    if (asked.has_value()) asked = fill_times(logs);
    if (!asked.has_value()) return failed(std::move(asked).error());
    return logs;
}

}  // namespace heddle::node::forking
