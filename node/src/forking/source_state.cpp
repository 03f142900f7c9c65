// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "forking/source_state.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/counted.hpp>
#include <types/expected.hpp>

#include "chain/overwritten_slots.hpp"
#include "follow/rpc_block.hpp"
#include "program/error.hpp"

namespace heddle::node::forking {
namespace {

using follow::Answer;
using follow::Question;

/// Values kept in memory; the cache on the disk has them all.
constexpr std::size_t kMostValues = 2'000'000;
/// By others who have read much at the same moment, where nothing is kept on the disk.
constexpr const char* kForgotten = "a value was forgotten while it was read: ask again";

std::string account_name(const Address& address) {
    return "account:" + to_string(address);
}
std::string slot_name(const Address& address, const Uint256& slot) {
    return fmt::format("slot:{}:{}", to_string(address), to_hex(slot));
}
std::string code_name(const Hash& hash) {
    return "code:" + to_string(hash);
}

/// `-`, or nonce, balance and hash of the code.
std::string account_text(const std::optional<Account>& account) {
    if (!account.has_value()) return "-";
    return fmt::format("{} {} {}", account->nonce, to_hex(account->balance),
                       to_string(account->code_hash));
}

/// nullopt: it is no such text.
std::optional<std::optional<Account>> read_account_text(std::string_view text) {
    if (text == "-") return std::optional<Account>{};
    Account account;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), account.nonce);
    if (error != std::errc{} || end == text.data() + text.size()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    const auto space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    const auto balance = uint256_from_string(text.substr(0, space));
    const auto code_hash = hash_from_hex(text.substr(space + 1));
    if (!balance.has_value() || !code_hash.has_value()) return std::nullopt;
    account.balance = *balance;
    account.code_hash = *code_hash;
    return std::optional{account};
}

const JsonView& taken(const Question& question, const Answer& answer) {
    if (!answer.has_value())
        fail_input("{} is refused: {} ({})", question.method,
                   follow::in_a_line(answer.error().message), answer.error().code);
    return *answer;
}

std::vector<Bytes> read_nodes(const JsonView& json) {
    constexpr std::size_t kUsual = 64;  // more take room one by one, as they are looked at
    std::vector<Bytes> nodes;
    nodes.reserve(std::min(json.size(), kUsual));
    for (std::size_t i = 0; i < json.size(); ++i)
        nodes.push_back(json.element(i).bytes());
    return nodes;
}

std::string describe(std::span<const MissingRead> reads, std::uint64_t block) {
    if (reads.empty()) return {};
    const MissingRead& first = reads.front();
    std::string text = first.slot.has_value() ? fmt::format("slot {} of {}", to_hex(*first.slot),
                                                            to_string(first.address))
                                              : fmt::format("account {}", to_string(first.address));
    if (reads.size() > 1) text += fmt::format(" and {} more values", reads.size() - 1);
    return fmt::format("{} after block {}", text, block);
}

}  // namespace

std::optional<BytesView> CodeStore::find(const Hash& hash) const {
    const std::shared_lock lock{mutex_};
    const auto found = codes_.find(hash);
    if (found == codes_.end()) return std::nullopt;
    return BytesView{*found->second};
}

bool CodeStore::add(const Hash& hash, Bytes code) {
    const std::unique_lock lock{mutex_};
    if (codes_.contains(hash)) return true;
    if (bytes_ + code.size() > kMostBytes) return false;
    bytes_ += code.size();
    codes_.emplace(hash, std::make_unique<const Bytes>(std::move(code)));
    return true;
}

SourceState::SourceState(const SourceAccess& access, const SourceBlock& block,
                         std::shared_ptr<ForkCache> cache)
    : access_(access), block_(block), cache_(std::move(cache)) {}

// --- What is at hand -----------------------------------------------------------------------------

std::optional<std::optional<Account>> SourceState::known_account(const Address& address) const {
    {
        const std::shared_lock lock{mutex_};
        if (const auto found = accounts_.find(address); found != accounts_.end())
            return found->second;
    }
    const auto text = cache_->find(account_name(address));
    if (!text.has_value()) return std::nullopt;
    auto account = read_account_text(*text);
    if (!account.has_value()) return std::nullopt;
    // An account without its code is worth nothing.
    if (account->has_value() && (*account)->has_code() &&
        !access_.codes->find((*account)->code_hash).has_value()) {
        const Hash& hash = (*account)->code_hash;
        const auto code = cache_->find(code_name(hash));
        auto bytes = code.has_value() ? from_hex(*code) : std::nullopt;
        if (!bytes.has_value() || keccak256(*bytes) != hash ||
            !access_.codes->add(hash, *std::move(bytes)))
            return std::nullopt;
    }
    const std::unique_lock lock{mutex_};
    make_room();
    accounts_.insert_or_assign(address, *account);
    return account;
}

std::optional<Uint256> SourceState::known_slot(const Address& address, const Uint256& slot) const {
    {
        const std::shared_lock lock{mutex_};
        if (const auto account = slots_.find(address); account != slots_.end())
            if (const auto found = account->second.find(slot); found != account->second.end())
                return found->second;
        // Nothing has ever been stored where code has never been. Whoever delegated once (EIP-7702)
        // has a nonce, and keeps what was stored when the delegation is gone.
        if (const auto found = accounts_.find(address); found != accounts_.end()) {
            const std::optional<Account>& account = found->second;
            if (!account.has_value() || (account->nonce == 0 && !account->has_code()))
                return Uint256{};
        }
    }
    const auto text = cache_->find(slot_name(address, slot));
    const auto value = text.has_value() ? uint256_from_string(*text) : std::nullopt;
    if (!value.has_value()) return std::nullopt;
    const std::unique_lock lock{mutex_};
    make_room();
    slots_[address].insert_or_assign(slot, *value);
    return value;
}

void SourceState::keep_account(const Address& address,
                               const std::optional<Account>& account) const {
    cache_->put(account_name(address), account_text(account));
    const std::unique_lock lock{mutex_};
    make_room();
    accounts_.insert_or_assign(address, account);
}

void SourceState::keep_slot(const Address& address, const Uint256& slot,
                            const Uint256& value) const {
    cache_->put(slot_name(address, slot), to_hex(value));
    const std::unique_lock lock{mutex_};
    make_room();
    slots_[address].insert_or_assign(slot, value);
}

void SourceState::make_room() const {
    if (++size_ <= kMostValues) return;
    accounts_.clear();
    slots_.clear();
    has_storage_.clear();
    size_ = 1;
}

void SourceState::keep_code(const Hash& hash, Bytes code) const {
    if (hash == kEmptyCodeHash || access_.codes->find(hash).has_value()) return;
    cache_->put(code_name(hash), to_hex(code));
    if (!access_.codes->add(hash, std::move(code)))
        fail_input("more than {} MiB of code were read: no more is kept",
                   CodeStore::kMostBytes >> 20);
}

// --- Reads ---------------------------------------------------------------------------------------

bool SourceState::fetch_one(const MissingRead& read) const {
    if (ReadScope::mode() == ReadScope::Mode::gather) {
        ReadScope::miss(read);
        return false;
    }
    // What is computed is worth nothing already: nobody needs to wait for more of it.
    if (ReadScope::is_failed()) return false;
    auto fetched = fetch({&read, 1});
    if (fetched.has_value()) return true;
    ReadScope::fail(std::move(fetched).error());
    return false;
}

std::optional<Account> SourceState::account(const Address& address) const noexcept {
    if (const auto known = known_account(address)) return *known;
    if (!fetch_one({block_.number, address, std::nullopt})) return std::nullopt;
    const auto known = known_account(address);
    if (!known.has_value()) ReadScope::fail(kForgotten);
    return known.value_or(std::nullopt);
}

Uint256 SourceState::storage(const Address& address, const Uint256& slot) const noexcept {
    if (const auto known = known_slot(address, slot)) return *known;
    if (OverwrittenSlots::are_expected()) return OverwrittenSlots::value();
    if (!fetch_one({block_.number, address, slot})) return {};
    const auto known = known_slot(address, slot);
    if (!known.has_value()) ReadScope::fail(kForgotten);
    return known.value_or(Uint256{});
}

bool SourceState::has_storage(const Address& address) const noexcept {
    const auto found = account(address);
    if (!found.has_value()) return false;
    if (found->has_code()) return true;
    {
        const std::shared_lock lock{mutex_};
        if (const auto known = has_storage_.find(address); known != has_storage_.end())
            return known->second;
    }
    const auto proof = prove(address, {});
    const bool has = proof.has_value() && proof->account.storage_root != kEmptyTrieRoot;
    if (!proof.has_value() && access_.proves) ReadScope::fail(proof.error());
    const std::unique_lock lock{mutex_};
    if (proof.has_value()) has_storage_.insert_or_assign(address, has);
    return has;
}

BytesView SourceState::code(const Hash& code_hash) const noexcept {
    if (code_hash == kEmptyCodeHash) return {};
    const auto code = access_.codes->find(code_hash);
    HEDDLE_ASSERT(code.has_value());  // it came with the account
    return *code;
}

// --- Fetching ------------------------------------------------------------------------------------

std::string SourceState::selector() const {
    if (access_.by_hash) return fmt::format(R"({{"blockHash":"{}"}})", to_string(block_.hash));
    return follow::quoted_quantity(block_.number);
}

std::vector<SourceState::Wanted> SourceState::wanted(std::span<const MissingRead> reads) const {
    std::vector<Wanted> all;
    std::unordered_map<Address, std::size_t, AddressHasher> places;
    for (const MissingRead& read : reads) {
        const bool is_slot = read.slot.has_value();
        if (is_slot ? known_slot(read.address, *read.slot).has_value()
                    : known_account(read.address).has_value())
            continue;
        const auto [place, is_new] = places.try_emplace(read.address, all.size());
        if (is_new) all.push_back({read.address, false, {}});
        Wanted& one = all[place->second];
        if (!is_slot)
            one.wants_account = true;
        else if (std::ranges::find(one.slots, *read.slot) == one.slots.end())
            one.slots.push_back(*read.slot);
    }
    return all;
}

std::expected<void, std::string> SourceState::fetch(std::span<const MissingRead> reads) const {
    const std::vector<Wanted> all = wanted(reads);
    if (all.empty()) return {};
    const std::string what = describe(reads, block_.number);
    try {
        return access_.proves ? fetch_proven(what, all) : fetch_plain(what, all);
    } catch (const InputError& problem) {
        return std::unexpected(fmt::format("{}: {}", what, problem.what()));
    }
}

std::expected<void, std::string> SourceState::fetch_plain(std::string_view what,
                                                          std::span<const Wanted> wanted) const {
    struct Read {
        Address address;
        std::optional<Uint256> slot;
        Account account;
        std::optional<Bytes> code;
        Uint256 value;
    };
    std::vector<Read> reads;
    std::vector<Question> questions;
    std::vector<std::size_t> read_of;  // by question
    const std::string at = selector();
    const auto ask = [&](std::string_view method, std::string params) {
        questions.push_back({method, std::move(params)});
        read_of.push_back(reads.size() - 1);
    };
    for (const Wanted& one : wanted) {
        const std::string address = to_string(one.address);
        if (one.wants_account) {
            reads.push_back({one.address, {}, {}, {}, {}});
            for (const std::string_view method :
                 {"eth_getBalance", "eth_getTransactionCount", "eth_getCode"})
                ask(method, fmt::format(R"(["{}",{}])", address, at));
        }
        for (const Uint256& slot : one.slots) {
            reads.push_back({one.address, slot, {}, {}, {}});
            ask("eth_getStorageAt",
                fmt::format(R"(["{}","{}",{}])", address, to_string(to_hash(slot)), at));
        }
    }
    HEDDLE_CHECK(access_.client->ask(what, questions, [&](std::size_t i, const Answer& answer) {
        const JsonView& json = taken(questions[i], answer);
        Read& read = reads[read_of[i]];
        if (questions[i].method == "eth_getBalance")
            read.account.balance = json.uint256();
        else if (questions[i].method == "eth_getTransactionCount")
            read.account.nonce = json.uint64();
        else if (questions[i].method == "eth_getCode")
            read.code = json.bytes();
        else
            read.value = json.uint256();
    }));
    for (Read& read : reads) {
        if (read.slot.has_value()) {
            keep_slot(read.address, *read.slot, read.value);
            continue;
        }
        if (!read.code->empty()) {
            read.account.code_hash = keccak256(*read.code);
            keep_code(read.account.code_hash, *std::move(read.code));
        }
        const bool is_there = !read.account.is_empty();
        keep_account(read.address, is_there ? std::optional{read.account} : std::nullopt);
    }
    return {};
}

Question SourceState::proof_question(const Address& address, std::span<const Uint256> slots) const {
    std::string keys;
    for (const Uint256& slot : slots)
        keys += fmt::format(R"({}"{}")", keys.empty() ? "" : ",", to_string(to_hash(slot)));
    return {"eth_getProof", fmt::format(R"(["{}",[{}],{}])", to_string(address), keys, selector())};
}

SourceState::Proof SourceState::read_proof(const JsonView& json, const Address& address,
                                           std::span<const Uint256> slots) const {
    Proof proof;
    proof.nodes = read_nodes(json.at("accountProof"));
    auto account = ledger::check_account_proof(block_.state_root, address, proof.nodes);
    if (!account.has_value())
        json.fail(fmt::format("the proof of account {} does not lead to the state root {}: {}",
                              to_string(address), to_string(block_.state_root), account.error()));
    proof.account = *account;
    const JsonView given = json.at("storageProof");
    if (given.size() != slots.size())
        given.fail(
            fmt::format("{} of {}", counted(given.size(), "proof"), counted(slots.size(), "slot")));
    for (std::size_t i = 0; i < slots.size(); ++i) {
        Proof::Slot& slot = proof.slots.emplace_back();
        slot.nodes = read_nodes(given.element(i).at("proof"));
        const auto value =
            ledger::check_slot_proof(proof.account.storage_root, slots[i], slot.nodes);
        if (!value.has_value())
            given.fail(fmt::format("the proof of slot {} does not lead to the storage root: {}",
                                   to_hex(slots[i]), value.error()));
        slot.value = *value;
    }
    return proof;
}

std::expected<SourceState::Proof, std::string> SourceState::prove(
    const Address& address, std::span<const Uint256> slots) const {
    Proof proof;
    const std::string what =
        fmt::format("the proof of account {} after block {}", to_string(address), block_.number);
    HEDDLE_CHECK(access_.client->ask_one(
        what, proof_question(address, slots),
        [&](const JsonView& json) { proof = read_proof(json, address, slots); }));
    return proof;
}

std::expected<void, std::string> SourceState::fetch_proven(std::string_view what,
                                                           std::span<const Wanted> wanted) const {
    std::vector<Question> questions;
    questions.reserve(wanted.size());
    for (const Wanted& one : wanted)
        questions.push_back(proof_question(one.address, one.slots));
    std::vector<Proof> proofs(wanted.size());
    HEDDLE_CHECK(access_.client->ask(what, questions, [&](std::size_t i, const Answer& answer) {
        proofs[i] = read_proof(taken(questions[i], answer), wanted[i].address, wanted[i].slots);
    }));
    std::vector<std::pair<Address, Hash>> codes;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto& account = proofs[i].account.account;
        if (account.has_value() && account->has_code() &&
            !access_.codes->find(account->code_hash).has_value())
            codes.emplace_back(wanted[i].address, account->code_hash);
    }
    HEDDLE_CHECK(fetch_codes(what, codes));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const ledger::ProvenAccount& proven = proofs[i].account;
        const bool is_there = proven.account.has_value() && !proven.account->is_empty();
        keep_account(wanted[i].address, is_there ? proven.account : std::nullopt);
        for (std::size_t j = 0; j < wanted[i].slots.size(); ++j)
            keep_slot(wanted[i].address, wanted[i].slots[j], proofs[i].slots[j].value);
        const std::unique_lock lock{mutex_};
        has_storage_.insert_or_assign(wanted[i].address, proven.storage_root != kEmptyTrieRoot);
    }
    return {};
}

std::expected<void, std::string> SourceState::fetch_codes(
    std::string_view what, std::span<const std::pair<Address, Hash>> codes) const {
    std::vector<Question> questions;
    for (const auto& [address, hash] : codes)
        questions.push_back(
            {"eth_getCode", fmt::format(R"(["{}",{}])", to_string(address), selector())});
    return access_.client->ask(what, questions, [&](std::size_t i, const Answer& answer) {
        Bytes code = taken(questions[i], answer).bytes();
        const auto& [address, hash] = codes[i];
        if (const Hash found = keccak256(code); found != hash)
            fail_input("the code of {} has the hash {}, and it is proven to have {}",
                       to_string(address), to_string(found), to_string(hash));
        keep_code(hash, std::move(code));
    });
}

}  // namespace heddle::node::forking
