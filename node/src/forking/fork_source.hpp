// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain that another one is forked from, behind the interface that the fork reads it by: blocks
// up to the fork point, states after them, logs. Blocks are checked against their hashes.
#pragma once

#include <cstdint>
#include <expected>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chain/fork_base.hpp"
#include "forking/fork_cache.hpp"
#include "forking/source_client.hpp"
#include "forking/source_state.hpp"

namespace heddle::node::forking {

struct ForkSourceOptions {
    std::string url;  // as the user wrote it
    SourceOptions source;
    std::string cache_folder;            // of all forks; empty: nothing is kept
    bool proves = false;                 // values are proven against state roots
    std::optional<std::uint64_t> block;  // to fork at; nullopt: the newest
    /// Memory of whole blocks that are kept at hand; the one used last is, whatever it takes.
    std::size_t block_bytes = std::size_t{64} << 20;
};

/// Thread safety: any, as ForkBase.
class ForkSource final : public ForkBase {
public:
    /// Asks which block is the fork point. Its header is that of its hash.
    /// Errors: one sentence.
    [[nodiscard]] static std::expected<std::unique_ptr<ForkSource>, std::string> open(
        ForkSourceOptions options);
    ~ForkSource() override;

    [[nodiscard]] std::uint64_t number() const noexcept override { return point_.header.number; }
    [[nodiscard]] const std::string& source() const noexcept override { return options_.url; }
    [[nodiscard]] const StateView& state() const noexcept override { return *state_; }
    [[nodiscard]] Found<ledger::StoredHeader> header(std::uint64_t number) const override;
    [[nodiscard]] Found<ledger::StoredBlock> block(std::uint64_t number) const override;
    [[nodiscard]] Found<std::uint64_t> block_number(const Hash& hash) const override;
    [[nodiscard]] Found<ledger::TransactionLocation> find_transaction(
        const Hash& hash) const override;
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override;
    [[nodiscard]] Result<std::unique_ptr<ledger::PastState>> state_at(
        std::uint64_t number) const override;
    [[nodiscard]] Result<ledger::AccountProof> prove(std::uint64_t number, const Address& address,
                                                     std::span<const Uint256> slots) const override;
    [[nodiscard]] Result<std::vector<SourceLog>> logs(const SourceLogQuery& query) const override;
    [[nodiscard]] bool fetch(std::span<const MissingRead> reads) const override;

    [[nodiscard]] std::uint64_t chain_id() const noexcept { return chain_id_; }
    /// The last block that is the source's.
    [[nodiscard]] const ledger::StoredHeader& point() const noexcept { return point_; }
    [[nodiscard]] SourceClient& client() const noexcept { return *client_; }
    /// Of the fork point's state and everything else.
    [[nodiscard]] ForkCache& cache() const noexcept { return state_->cache(); }
    /// Of a block that is shared with others.
    using SharedState = std::shared_ptr<const SourceState>;
    [[nodiscard]] Result<SharedState> shared_state(std::uint64_t number) const;

private:
    struct KeptBlock {
        std::uint64_t number = 0;
        std::shared_ptr<const ledger::StoredBlock> block;
        std::size_t bytes = 0;
    };
    void keep(std::uint64_t number, const ledger::StoredBlock& block) const;

    explicit ForkSource(ForkSourceOptions options);
    [[nodiscard]] std::expected<void, std::string> find_chain();
    [[nodiscard]] std::expected<void, std::string> find_point();
    [[nodiscard]] std::expected<void, std::string> find_point_offline();
    [[nodiscard]] std::expected<void, std::string> learn_access();
    [[nodiscard]] std::shared_ptr<ForkCache> cache_of(std::uint64_t number, const Hash& hash) const;
    /// Asks for a header: of a number or, in quotes, a hash. nullopt: there is none.
    [[nodiscard]] std::expected<std::optional<ledger::StoredHeader>, std::string> ask_header(
        std::string_view method, const std::string& which) const;
    [[nodiscard]] std::expected<std::optional<ledger::StoredBlock>, std::string> ask_block(
        std::uint64_t number) const;
    [[nodiscard]] std::expected<std::vector<Receipt>, std::string> ask_receipts(
        std::uint64_t number, const std::vector<Transaction>& transactions) const;
    [[nodiscard]] std::expected<std::vector<BlockHeader>, std::string> ask_ommers(
        std::uint64_t number, const std::vector<Hash>& hashes) const;
    [[nodiscard]] std::expected<void, std::string> learn_hashes(std::uint64_t down_to) const;
    [[nodiscard]] std::expected<void, std::string> fill_times(std::vector<SourceLog>& logs) const;

    const ForkSourceOptions options_;
    std::unique_ptr<SourceClient> client_;
    mutable CodeStore codes_;
    SourceAccess access_;
    std::uint64_t chain_id_ = 0;
    ledger::StoredHeader point_;
    SharedState state_;

    mutable std::mutex mutex_;
    // Guarded by mutex_, those used last:
    mutable std::list<std::pair<std::uint64_t, SharedState>> states_;
    mutable std::list<KeptBlock> blocks_;
    mutable std::size_t blocks_bytes_ = 0;
    mutable std::map<std::uint64_t, ledger::StoredHeader> headers_;
    mutable std::map<std::uint64_t, Hash> proven_hashes_;  // linked to the fork point
};

/// What a source says a total difficulty is, where it says nothing: that of a merged chain.
[[nodiscard]] Uint256 total_difficulty_of(const JsonView& block, const BlockHeader& header);

}  // namespace heddle::node::forking
