// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <types/block.hpp>
#include <types/expected.hpp>

#include <consensus_adapter/sidecar.hpp>

namespace heddle::consensus_adapter {

namespace {

/// Thread safety: next(), error() by one thread.
class DeclaredSource final : public BlockSource {
public:
    DeclaredSource(std::unique_ptr<BlockSource> source, SidecarReader sidecar,
                   std::shared_ptr<DeclaredCounts> counts)
        : source_(std::move(source)), sidecar_(std::move(sidecar)), counts_(std::move(counts)) {
        if (counts_ == nullptr) counts_ = std::make_shared<DeclaredCounts>();
    }

    std::optional<OrderedBlock> next() override {
        if (error_.has_value()) return std::nullopt;
        std::optional<OrderedBlock> block = source_->next();
        if (!block.has_value() || block->transactions.empty()) return block;
        if (auto found = find_sets(*block); !found.has_value()) {
            error_ = std::move(found).error();
            return std::nullopt;
        }
        // Figures to show: nothing hangs on their order.
        auto& count =
            block->object_sets.empty() ? counts_->blocks_without_sets : counts_->blocks_with_sets;
        count.fetch_add(1, std::memory_order_relaxed);
        return block;
    }

    const std::optional<SourceError>& error() const noexcept override {
        return error_.has_value() ? error_ : source_->error();
    }

    SourceProgress progress() const noexcept override { return source_->progress(); }

private:
    /// Fills in the block's sets where the sidecar has them.
    std::expected<void, SourceError> find_sets(OrderedBlock& block) {
        const std::uint64_t number = block.start.header.number;
        std::optional<Hash> hash;  // hashed only where there is something to compare with
        for (;;) {
            if (!record_.has_value() && !is_at_end_) {
                HEDDLE_TRY(record_, sidecar_.next());
                is_at_end_ = !record_.has_value();
            }
            if (!record_.has_value() || record_->number > number) return {};
            if (record_->number == number) {
                if (!hash.has_value()) hash = header_hash(block.start.header);
                if (record_->hash == *hash) break;
            }
            record_.reset();
        }
        HEDDLE_TRY(block.object_sets, sidecar_.decode(*record_, block.transactions.size()));
        record_.reset();
        return {};
    }

    const std::unique_ptr<BlockSource> source_;
    SidecarReader sidecar_;
    std::shared_ptr<DeclaredCounts> counts_;  // with whoever wants to know
    std::optional<SidecarRecord> record_;     // read, but not yet wanted
    bool is_at_end_ = false;
    std::optional<SourceError> error_;
};

}  // namespace

std::expected<std::unique_ptr<BlockSource>, SourceError> make_declared_source(
    std::unique_ptr<BlockSource> source, const std::string& sidecar_path,
    std::shared_ptr<DeclaredCounts> counts) {
    HEDDLE_TRY(SidecarReader sidecar, SidecarReader::open(sidecar_path));
    return std::make_unique<DeclaredSource>(std::move(source), std::move(sidecar),
                                            std::move(counts));
}

}  // namespace heddle::consensus_adapter
