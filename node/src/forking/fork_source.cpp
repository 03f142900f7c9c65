// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "forking/fork_source.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <types/expected.hpp>
#include <types/text_bytes.hpp>

#include "follow/rpc_block.hpp"
#include "forking/block_record.hpp"
#include "forking/source_past_state.hpp"
#include "program/error.hpp"

namespace heddle::node::forking {
namespace {

using follow::Answer;
using follow::Question;

/// States after earlier blocks that are kept open, with their caches.
constexpr std::size_t kMostStates = 8;
constexpr std::string_view kSuffix = ".fork";

std::string file_name(std::uint64_t number, const Hash& hash) {
    return fmt::format("{}-{}{}", number, to_string(hash), kSuffix);
}

/// The newest cache of a state after this block.
std::optional<Hash> find_cached(const std::string& folder, std::uint64_t number) {
    namespace fs = std::filesystem;
    const std::string prefix = fmt::format("{}-", number);
    std::optional<Hash> found;
    fs::file_time_type newest;
    std::error_code error;
    for (fs::directory_iterator entry{folder, error}, end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(prefix) || !name.ends_with(kSuffix)) continue;
        const auto hash = hash_from_hex(std::string_view{name}.substr(
            prefix.size(), name.size() - prefix.size() - kSuffix.size()));
        const auto time = entry->last_write_time(error);
        if (!hash.has_value() || (found.has_value() && time <= newest)) continue;
        found = hash;
        newest = time;
    }
    return found;
}

}  // namespace

ForkSource::ForkSource(ForkSourceOptions options)
    : options_(std::move(options)), client_(std::make_unique<SourceClient>(options_.source)) {
    access_.client = client_.get();
    access_.codes = &codes_;
    access_.proves = options_.proves;
}

ForkSource::~ForkSource() = default;

std::expected<std::unique_ptr<ForkSource>, std::string> ForkSource::open(
    ForkSourceOptions options) {
    std::unique_ptr<ForkSource> source{new ForkSource(std::move(options))};
    try {
        HEDDLE_CHECK(source->find_chain());
        if (source->options_.source.is_offline)
            HEDDLE_CHECK(source->find_point_offline());
        else
            HEDDLE_CHECK(source->find_point());
        const ledger::StoredHeader& point = source->point_;
        if (!source->options_.source.is_offline) HEDDLE_CHECK(source->learn_access());
        source->state_ = std::make_shared<const SourceState>(
            source->access_, SourceBlock{point.header.number, point.hash, point.header.state_root},
            source->cache_of(point.header.number, point.hash));
        source->cache().put("header", to_header_record(point));
    } catch (const InputError& problem) {
        return std::unexpected(std::string{problem.what()});
    }
    return source;
}

std::shared_ptr<ForkCache> ForkSource::cache_of(std::uint64_t number, const Hash& hash) const {
    if (options_.cache_folder.empty()) return std::make_shared<ForkCache>(std::string{});
    return std::make_shared<ForkCache>(
        fmt::format("{}/{}/{}", options_.cache_folder, chain_id_, file_name(number, hash)));
}

std::expected<void, std::string> ForkSource::find_chain() {
    // Which chain an address leads to; the address may have a secret in it.
    const follow::Endpoint& endpoint = options_.source.endpoint;
    const std::string address = endpoint.name() + endpoint.path;
    const std::string name = to_string(keccak256(bytes_of(address)));
    ForkCache sources{options_.cache_folder.empty() ? std::string{}
                                                    : options_.cache_folder + "/sources"};
    if (!options_.source.is_offline) {
        HEDDLE_CHECK(client_->ask_one("the chain id", {"eth_chainId", "[]"},
                                      [&](const JsonView& json) { chain_id_ = json.uint64(); }));
        const std::string text = std::to_string(chain_id_);
        if (sources.find(name) != text) sources.put(name, text);
        return {};
    }
    const auto text = sources.find(name);
    if (text.has_value() &&
        std::from_chars(text->data(), text->data() + text->size(), chain_id_).ec == std::errc{})
        return {};
    return std::unexpected(fmt::format(
        "--fork-offline: nothing of {} is in the cache {}; fork it once without --fork-offline",
        endpoint.name(), options_.cache_folder));
}

std::expected<void, std::string> ForkSource::find_point() {
    const std::string which =
        options_.block.has_value() ? follow::quoted_quantity(*options_.block) : "\"latest\"";
    const std::string said =
        options_.block.has_value() ? std::to_string(*options_.block) : "\"latest\"";
    HEDDLE_TRY(const auto header, ask_header("eth_getBlockByNumber", which));
    if (!header.has_value())
        return std::unexpected(
            fmt::format("{} has no block {}", options_.source.endpoint.name(), said));
    if (options_.block.has_value() && header->header.number != *options_.block)
        return std::unexpected(fmt::format("{} gives block {} for block {}",
                                           options_.source.endpoint.name(), header->header.number,
                                           *options_.block));
    point_ = *header;
    return {};
}

std::expected<void, std::string> ForkSource::find_point_offline() {
    if (!options_.block.has_value())
        return std::unexpected("--fork-offline: name the block with --fork-block");
    const std::string folder = fmt::format("{}/{}", options_.cache_folder, chain_id_);
    if (const auto hash = find_cached(folder, *options_.block)) {
        const auto text = cache_of(*options_.block, *hash)->find("header");
        auto header = text.has_value() ? parse_header_record(*text) : std::nullopt;
        if (header.has_value() && header->hash == *hash) {
            point_ = *std::move(header);
            return {};
        }
    }
    return std::unexpected(fmt::format(
        "--fork-offline: block {} of chain {} is not in the cache {}; fork it once without "
        "--fork-offline",
        *options_.block, chain_id_, folder));
}

/// Whether states are named by block hashes, and whether there are proofs where they are wanted.
std::expected<void, std::string> ForkSource::learn_access() {
    const std::string at_hash = fmt::format(R"({{"blockHash":"{}"}})", to_string(point_.hash));
    const std::string zero = to_string(Address{});
    const auto probe = [&](std::string_view method, const std::string& params,
                           std::string& refusal) {
        const Question question{method, params};
        return client_->ask("whether states can be read", {&question, 1},
                            [&](std::size_t, const Answer& answer) {
                                if (!answer.has_value())
                                    refusal = follow::in_a_line(answer.error().message);
                            });
    };
    std::string refusal;
    HEDDLE_CHECK(probe("eth_getBalance", fmt::format(R"(["{}",{}])", zero, at_hash), refusal));
    access_.by_hash = refusal.empty();
    const std::string at =
        access_.by_hash ? at_hash : follow::quoted_quantity(point_.header.number);
    if (!access_.by_hash) {
        refusal.clear();
        HEDDLE_CHECK(probe("eth_getBalance", fmt::format(R"(["{}",{}])", zero, at), refusal));
        if (!refusal.empty())
            return std::unexpected(fmt::format(
                "{} does not give the state after block {}: {}; fork at a newer block, or at a "
                "node that keeps all states",
                options_.source.endpoint.name(), point_.header.number, refusal));
    }
    if (!access_.proves) return {};
    HEDDLE_CHECK(probe("eth_getProof", fmt::format(R"(["{}",[],{}])", zero, at), refusal));
    if (refusal.empty()) return {};
    return std::unexpected(
        fmt::format("--fork-verify: {} gives no proofs of the state after block {}: {}; leave "
                    "--fork-verify out to believe what it says",
                    options_.source.endpoint.name(), point_.header.number, refusal));
}

// --- States --------------------------------------------------------------------------------------

ForkBase::Result<ForkSource::SharedState> ForkSource::shared_state(std::uint64_t number) const {
    if (number == point_.header.number) return state_;
    {
        const std::scoped_lock lock{mutex_};
        const auto found =
            std::ranges::find(states_, number, &std::pair<std::uint64_t, SharedState>::first);
        if (found != states_.end()) {
            states_.splice(states_.begin(), states_, found);
            return states_.front().second;
        }
    }
    HEDDLE_TRY(const auto header, this->header(number));
    if (!header.has_value())
        return std::unexpected(ledger::LedgerError{ledger::LedgerErrorCode::unavailable,
                                                   fmt::format("block {}", number)});
    SharedState state;
    try {
        state = std::make_shared<const SourceState>(
            access_, SourceBlock{number, header->hash, header->header.state_root},
            cache_of(number, header->hash));
    } catch (const InputError& problem) {
        ReadScope::fail(problem.what());
        return std::unexpected(
            ledger::LedgerError{ledger::LedgerErrorCode::io_error, problem.what()});
    }
    const std::scoped_lock lock{mutex_};
    states_.emplace_front(number, state);
    if (states_.size() > kMostStates) states_.pop_back();
    return state;
}

ForkBase::Result<std::unique_ptr<ledger::PastState>> ForkSource::state_at(
    std::uint64_t number) const {
    HEDDLE_TRY(SharedState state, shared_state(number));
    return std::make_unique<SourcePastState>(*this, std::move(state));
}

bool ForkSource::fetch(std::span<const MissingRead> reads) const {
    std::map<std::uint64_t, std::vector<MissingRead>> by_block;
    for (const MissingRead& read : reads)
        by_block[read.block].push_back(read);
    for (const auto& [number, of_block] : by_block) {
        const auto state = shared_state(number);
        if (!state.has_value()) return false;
        auto fetched = (*state)->fetch(of_block);
        if (fetched.has_value()) continue;
        ReadScope::fail(std::move(fetched).error());
        return false;
    }
    return true;
}

ForkBase::Result<ledger::AccountProof> ForkSource::prove(std::uint64_t number,
                                                         const Address& address,
                                                         std::span<const Uint256> slots) const {
    HEDDLE_TRY(const SharedState state, shared_state(number));
    auto proof = state->prove(address, slots);
    if (!proof.has_value()) {
        ReadScope::fail(proof.error());
        return std::unexpected(
            ledger::LedgerError{ledger::LedgerErrorCode::io_error, std::move(proof).error()});
    }
    ledger::AccountProof made;
    made.account = proof->account.account;
    made.storage_root = proof->account.storage_root;
    made.nodes = std::move(proof->nodes);
    for (std::size_t i = 0; i < slots.size(); ++i)
        made.slots.push_back({slots[i], proof->slots[i].value, std::move(proof->slots[i].nodes)});
    return made;
}

}  // namespace heddle::node::forking
