// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a member of a replicated chain keeps beside its ledger (docs/replication.md):
// `replication.state`, its epoch, leader and role, and `replication.shown`, how much of its chain
// it has shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <consensus_adapter/replication/member.hpp>

#include "chain/chain.hpp"

namespace heddle::node::replication {

/// Thread safety: save() and note_shown() by one caller at a time each; they may overlap.
class MemberFiles final : public consensus_adapter::replication::MemberStore {
public:
    /// @param folder  The data directory, which is there. @param member  Whose it is.
    /// Errors: StorageError.
    MemberFiles(std::string folder, std::string member);
    ~MemberFiles() override;
    MemberFiles(const MemberFiles&) = delete;
    MemberFiles& operator=(const MemberFiles&) = delete;

    /// nullopt: there is none yet.
    /// Errors: StorageError where it is damaged, for a promise that was forgotten is none; and
    /// where it is another member's, in a copy of that one's directory.
    [[nodiscard]] std::optional<consensus_adapter::replication::MemberState> load() const;
    /// Forced to the disk. Why it was not is in the log.
    [[nodiscard]] bool save(const consensus_adapter::replication::MemberState& state) override;

    /// The newest block that was noted; nullopt: none, or the note was half written when the power
    /// failed.
    [[nodiscard]] std::optional<std::uint64_t> shown() const;
    /// Survives the end of the process, not a loss of power: then less is shown until the others
    /// have said how far they are.
    void note_shown(std::uint64_t number);
    /// What was noted survives that, too, so that there is a note from then on.
    void force_shown();

private:
    const std::string folder_;
    const std::string member_;
    int shown_file_ = -1;
};

/// Of a data directory that nobody has open.
struct ShownNote {
    bool is_member = false;              // of a replicated chain
    std::optional<std::uint64_t> shown;  // as MemberFiles::shown()
};
/// Errors: none; what cannot be read is not there.
[[nodiscard]] ShownNote read_shown(const std::string& folder);

/// Up to which block a member has shown its chain that has no note of it: a copy of another one's
/// directory, or the power took the note. Blocks without an epoch were shown when they were made;
/// of those with one nobody may have acknowledged the newest.
/// @param most_held  How many of them at most.
[[nodiscard]] std::uint64_t shown_without_note(const Chain& chain, std::uint64_t most_held);

}  // namespace heddle::node::replication
