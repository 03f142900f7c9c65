// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/resumed_source.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <types/block.hpp>

namespace heddle::consensus_adapter {

namespace {

/// Of so many blocks delivered last the hashes are known: as many as an era1 or ere file has.
constexpr std::size_t kKnownBlocks = 8192;

/// Thread safety: next(), error() by one thread.
class ResumedSource final : public BlockSource {
public:
    ResumedSource(std::unique_ptr<BlockSource> source, ResumeOptions options)
        : source_(std::move(source)), options_(std::move(options)), there_(options_.head) {}

    std::optional<OrderedBlock> next() override {
        while (!is_done_) {
            std::optional<OrderedBlock> block = source_->next();
            is_done_ = !block.has_value() || block->start.header.number > options_.last;
            if (!is_done_ && block->start.header.number <= options_.head) {
                dropped_ = std::move(block->start.header);
                continue;
            }
            is_done_ |= !check_dropped();
            if (is_done_) break;
            if (block->start.header.number > there_) {
                note(block->start.header);
                return block;
            }
            is_done_ = !is_what_is_there(block->start.header);
        }
        return std::nullopt;
    }

    const std::optional<SourceError>& error() const noexcept override {
        return error_.has_value() ? error_ : source_->error();
    }

    SourceProgress progress() const noexcept override { return source_->progress(); }

private:
    /// The block is delivered: it is there when it comes once more.
    void note(const BlockHeader& header) {
        there_ = header.number;
        if (delivered_.empty()) delivered_.resize(kKnownBlocks);
        delivered_[header.number % kKnownBlocks] = {header.number, header_hash(header)};
    }

    /// nullopt: not known.
    [[nodiscard]] std::optional<Hash> hash_of(std::uint64_t number) const {
        if (number > options_.head && !delivered_.empty())
            if (const Delivered& block = delivered_[number % kKnownBlocks]; block.number == number)
                return block.hash;
        return options_.hash_of ? options_.hash_of(number) : std::nullopt;
    }

    /// @return whether the last block dropped is the one that is there.
    bool check_dropped() {
        const auto last = std::exchange(dropped_, std::nullopt);
        return !last.has_value() || is_what_is_there(*last);
    }

    /// Sets the error where another block of this number is there.
    bool is_what_is_there(const BlockHeader& header) {
        const std::optional<Hash> there = hash_of(header.number);
        if (!there.has_value()) return true;
        const Hash hash = header_hash(header);
        if (*there == hash) return true;
        error_.emplace();
        error_->code = StreamFault::wrong_chain;
        error_->number = header.number;
        error_->reason = to_string(hash) + " instead of " + to_string(*there);
        return false;
    }

    struct Delivered {
        std::uint64_t number = 0;  // no block that is delivered has it
        Hash hash;
    };

    const std::unique_ptr<BlockSource> source_;
    const ResumeOptions options_;
    std::uint64_t there_;                 // the last block that is there or was delivered
    std::vector<Delivered> delivered_;    // by number modulo kKnownBlocks
    std::optional<BlockHeader> dropped_;  // the last one up to the head, not compared yet
    std::optional<SourceError> error_;
    bool is_done_ = false;
};

}  // namespace

std::unique_ptr<BlockSource> make_resumed_source(std::unique_ptr<BlockSource> source,
                                                 ResumeOptions options) {
    return std::make_unique<ResumedSource>(std::move(source), std::move(options));
}

}  // namespace heddle::consensus_adapter
