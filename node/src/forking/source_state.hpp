// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The state after one block of a fork's source: values are read when somebody asks for them, proven
// where that is wanted, and kept.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <ledger/proof_check.hpp>
#include <types/hash.hpp>
#include <types/state_view.hpp>

#include "chain/read_scope.hpp"
#include "forking/fork_cache.hpp"
#include "forking/source_client.hpp"

namespace heddle::node::forking {

/// Code by its hash: of all states of a source, and for as long as there is one, because code that
/// somebody has once read an account of may be asked for at any time.
/// Thread safety: any.
class CodeStore {
public:
    /// Together; beyond it accounts with more code cannot be read.
    static constexpr std::size_t kMostBytes = std::size_t{512} << 20;

    /// Good as long as the store. nullopt: it is not here.
    [[nodiscard]] std::optional<BytesView> find(const Hash& hash) const;
    /// @return false: there is no room.
    [[nodiscard]] bool add(const Hash& hash, Bytes code);

private:
    mutable std::shared_mutex mutex_;
    std::unordered_map<Hash, std::unique_ptr<const Bytes>, HashHasher> codes_;
    std::size_t bytes_ = 0;
};

/// Which block of the source.
struct SourceBlock {
    std::uint64_t number = 0;
    Hash hash;
    Hash state_root;
};

/// How a source is asked for states.
struct SourceAccess {
    SourceClient* client = nullptr;
    CodeStore* codes = nullptr;
    bool proves = false;  // every value is proven against the block's state root
    bool by_hash = true;  // blocks are named by their hashes (EIP-1898), else by number
};

/// As StateView, but that reads may fail: they read as nothing then, and the ReadScope says so.
/// Thread safety: any.
class SourceState final : public StateView {
public:
    /// @param cache  Of this block.
    SourceState(const SourceAccess& access, const SourceBlock& block,
                std::shared_ptr<ForkCache> cache);

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    /// Where the source proves nothing, false for an account without code.
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;

    /// All of them at once. Those that are at hand are left out.
    [[nodiscard]] std::expected<void, std::string> fetch(std::span<const MissingRead> reads) const;
    /// An account with proofs, as the source gives them, checked.
    struct Proof {
        ledger::ProvenAccount account;
        std::vector<Bytes> nodes;
        struct Slot {
            Uint256 value;
            std::vector<Bytes> nodes;
        };
        std::vector<Slot> slots;  // in the order of the question
    };
    [[nodiscard]] std::expected<Proof, std::string> prove(const Address& address,
                                                          std::span<const Uint256> slots) const;

    [[nodiscard]] const SourceBlock& block() const noexcept { return block_; }
    [[nodiscard]] ForkCache& cache() const noexcept { return *cache_; }

private:
    using Slots = std::unordered_map<Uint256, Uint256, Uint256Hasher>;
    /// What is missing of one account.
    struct Wanted {
        Address address;
        bool wants_account = false;
        std::vector<Uint256> slots;
    };

    [[nodiscard]] std::optional<std::optional<Account>> known_account(const Address& address) const;
    [[nodiscard]] std::optional<Uint256> known_slot(const Address& address,
                                                    const Uint256& slot) const;
    [[nodiscard]] std::vector<Wanted> wanted(std::span<const MissingRead> reads) const;
    [[nodiscard]] std::expected<void, std::string> fetch_plain(
        std::string_view what, std::span<const Wanted> wanted) const;
    [[nodiscard]] std::expected<void, std::string> fetch_proven(
        std::string_view what, std::span<const Wanted> wanted) const;
    [[nodiscard]] std::expected<void, std::string> fetch_codes(
        std::string_view what, std::span<const std::pair<Address, Hash>> codes) const;
    void keep_account(const Address& address, const std::optional<Account>& account) const;
    void keep_slot(const Address& address, const Uint256& slot, const Uint256& value) const;
    /// Before one more value is kept in memory. With the lock.
    void make_room() const;
    /// Throws InputError where there is no room.
    void keep_code(const Hash& hash, Bytes code) const;
    /// The block among parameters.
    [[nodiscard]] std::string selector() const;
    /// Errors: InputError where it proves nothing.
    [[nodiscard]] Proof read_proof(const JsonView& json, const Address& address,
                                   std::span<const Uint256> slots) const;
    [[nodiscard]] follow::Question proof_question(const Address& address,
                                                  std::span<const Uint256> slots) const;
    /// @return false: it could not be had, which is noted.
    [[nodiscard]] bool fetch_one(const MissingRead& read) const;

    const SourceAccess access_;
    const SourceBlock block_;
    const std::shared_ptr<ForkCache> cache_;
    mutable std::shared_mutex mutex_;
    // Guarded by mutex_, forgotten when they are many:
    mutable std::unordered_map<Address, std::optional<Account>, AddressHasher> accounts_;
    mutable std::unordered_map<Address, Slots, AddressHasher> slots_;
    mutable std::unordered_map<Address, bool, AddressHasher> has_storage_;
    mutable std::size_t size_ = 0;  // entries of all of them
};

}  // namespace heddle::node::forking
