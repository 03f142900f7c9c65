// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The values that transactions in flight have published for one object, by who wrote them. There is
// mostly one; behind a transaction that takes long there may be as many as the window has places,
// and everything that is done with them must stay cheap then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::executor {

/// Who wrote a value: stream position and attempt. Later positions are greater; 0 is the committed
/// state that the stream started on. Of one position, attempts ahead of its turn count from 0, and
/// what is run in stream order comes after all of them, one stamp for each time that it changes the
/// committed state.
using Stamp = std::uint64_t;
inline constexpr unsigned kAttemptBits = 6;
inline constexpr unsigned kLastAttempt = (1U << kAttemptBits) - 1;
/// So often may one position be attempted ahead of its turn.
inline constexpr unsigned kMaxAttempts = 16;
[[nodiscard]] constexpr Stamp make_stamp(std::uint64_t position, unsigned attempt) noexcept {
    return position << kAttemptBits | attempt;
}
/// Of what is run in stream order.
[[nodiscard]] constexpr Stamp make_stamp_in_order(std::uint64_t position) noexcept {
    return make_stamp(position, kMaxAttempts);
}
[[nodiscard]] constexpr unsigned attempt_of(Stamp stamp) noexcept {
    return static_cast<unsigned>(stamp & kLastAttempt);
}
[[nodiscard]] constexpr std::uint64_t position_of(Stamp stamp) noexcept {
    return stamp >> kAttemptBits;
}

/// Version: has `Stamp stamp`, which is not 0.
///
/// The oldest is in the list itself, so that one needs no other memory. The others are in pieces of
/// at most kPiece, ascending: putting one in anywhere moves no more than a piece, taking out the
/// oldest, which is what the committer does, moves nothing.
///
/// Thread safety: none.
/// Complexity: of everything logarithmic, plus at most kPiece moves, plus one move of a piece's
/// handle for each piece once in kPiece / 2 calls.
template <typename Version>
class VersionList {
public:
    static constexpr std::size_t kPiece = 64;

    [[nodiscard]] bool is_empty() const noexcept { return oldest_.stamp == 0; }

    /// Versions that there is memory for beside the first.
    [[nodiscard]] std::size_t capacity() const noexcept {
        std::size_t versions = 0;
        if (rest_ != nullptr)
            for (const Piece& piece : *rest_)
                versions += piece.capacity();
        return versions;
    }

    /// The newest version before `limit`; null: there is none. Valid until the list changes.
    [[nodiscard]] const Version* newest_before(Stamp limit) const noexcept {
        if (is_empty() || oldest_.stamp >= limit) return nullptr;
        if (!has_rest() || rest_->front().first() >= limit) return &oldest_;
        const auto piece = std::ranges::lower_bound(*rest_, limit, {}, &Piece::first) - 1;
        return &*(piece->lower_bound(limit) - 1);
    }

    void clear() noexcept {
        oldest_.stamp = 0;
        rest_.reset();
    }

    void insert(Version version) {
        if (is_empty()) {
            oldest_ = std::move(version);
            return;
        }
        if (version.stamp < oldest_.stamp) std::swap(version, oldest_);
        if (rest_ == nullptr) rest_ = std::make_unique<Pieces>(1);
        auto piece = std::ranges::upper_bound(*rest_, version.stamp, {}, &Piece::first);
        if (piece != rest_->begin()) --piece;
        if (piece->size() == kPiece) piece = make_room(piece, version.stamp);
        piece->insert(std::move(version));
    }

    /// Takes out the version with this stamp, if it is there.
    void erase(Stamp stamp) noexcept {
        if (oldest_.stamp == stamp) {
            oldest_.stamp = 0;
            if (!has_rest()) return;
            oldest_ = rest_->front().take_first();
            drop_if_empty(rest_->begin());
            return;
        }
        if (!has_rest()) return;
        auto piece = std::ranges::upper_bound(*rest_, stamp, {}, &Piece::first);
        if (piece == rest_->begin()) return;
        --piece;
        piece->erase(stamp);
        drop_if_empty(piece);
    }

private:
    /// Memory for so many versions is kept when the list has shrunk to one: what is written by one
    /// transaction after another grows and shrinks all the time, under the lock of its cell. More
    /// would be many times what the cell takes, in each of a million cells that were once hot.
    static constexpr std::size_t kKept = 8;

    /// Some versions, ascending. None only if it is the only piece.
    class Piece {
    public:
        [[nodiscard]] std::size_t size() const noexcept { return versions_.size() - taken_; }
        [[nodiscard]] Stamp first() const noexcept {
            return size() == 0 ? 0 : versions_[taken_].stamp;
        }
        [[nodiscard]] Stamp last() const noexcept { return versions_.back().stamp; }
        [[nodiscard]] std::size_t capacity() const noexcept { return versions_.capacity(); }
        [[nodiscard]] auto lower_bound(Stamp stamp) const noexcept {
            return std::ranges::lower_bound(versions_.begin() + taken(), versions_.end(), stamp, {},
                                            &Version::stamp);
        }
        void insert(Version version) {
            if (versions_.size() == versions_.capacity() && taken_ >= size()) {
                versions_.erase(versions_.begin(), versions_.begin() + taken());
                taken_ = 0;
            }
            versions_.insert(lower_bound(version.stamp), std::move(version));
        }
        [[nodiscard]] Version take_first() noexcept { return std::move(versions_[taken_++]); }
        void erase(Stamp stamp) noexcept {
            const auto at = lower_bound(stamp);
            if (at != versions_.end() && at->stamp == stamp) versions_.erase(at);
        }
        /// Moves the upper half to a piece of its own.
        [[nodiscard]] Piece split() {
            Piece upper;
            const auto middle = versions_.end() - static_cast<std::ptrdiff_t>(size() / 2);
            upper.versions_.assign(std::make_move_iterator(middle),
                                   std::make_move_iterator(versions_.end()));
            versions_.erase(middle, versions_.end());
            return upper;
        }
        void clear() noexcept {
            versions_.clear();
            taken_ = 0;
        }

    private:
        [[nodiscard]] std::ptrdiff_t taken() const noexcept {
            return static_cast<std::ptrdiff_t>(taken_);
        }

        std::vector<Version> versions_;
        std::size_t taken_ = 0;  // from the front
    };
    using Pieces = std::vector<Piece>;

    [[nodiscard]] bool has_rest() const noexcept {
        return rest_ != nullptr && rest_->front().size() != 0;
    }
    /// @return the piece where `stamp` belongs, which is not full.
    typename Pieces::iterator make_room(typename Pieces::iterator piece, Stamp stamp) {
        // Mostly versions come in order: full pieces stay full.
        if (stamp > piece->last()) return rest_->emplace(piece + 1);
        piece = rest_->insert(piece + 1, piece->split());
        return stamp < piece->first() ? piece - 1 : piece;
    }
    void drop_if_empty(typename Pieces::iterator piece) noexcept {
        if (piece->size() != 0) return;
        if (rest_->size() > 1) {
            rest_->erase(piece);
        } else if (piece->capacity() > kKept) {
            rest_.reset();
        } else {
            piece->clear();
        }
    }

    Version oldest_;                // none while its stamp is 0
    std::unique_ptr<Pieces> rest_;  // null, or one piece or more
};

}  // namespace heddle::executor
