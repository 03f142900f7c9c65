// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who has to sign a lane's blocks, height by height: CometBFT's light client, as far as a follower
// of every block needs it. A header that is signed says by a hash who signs the next height, so
// whoever is believed once leads to everybody after. Source: CometBFT 0.38, "Light Client
// Verification" of its specification.
//
// | header of a height                                | is believed when                          |
// |---------------------------------------------------|-------------------------------------------|
// | names the validators that are known for it        | more than two thirds of them have signed  |
// | names others, and all headers from a believed one | each is, by those whom the one before     |
// | on are asked for                                  | names: the sequential rule                |
// | names others, and nobody has the headers between  | more than two thirds of the others, and   |
// | (jump(), of a node that joins)                    | more than a third of the known ones: the  |
// |                                                   | skipping rule                             |
//
// What is believed is kept in a file before blocks are, so that a start knows it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <consensus_adapter/cometbft/signed_header.hpp>
#include <types/hash.hpp>

#include "lanes/lane_proof.hpp"

namespace heddle::node::lanes {

/// Why a header is not believed.
struct HeaderDoubt {
    std::string sentence;
    /// Whoever gave it is wrong, whenever it is asked again; else it only did not answer, or could
    /// not be kept.
    bool is_fault = false;
};

/// Thread safety: one caller at a time.
class LaneValidators {
public:
    using SignedHeader = consensus_adapter::cometbft::SignedHeader;
    using TrustedValidators = consensus_adapter::cometbft::TrustedValidators;

    /// @param first  From height 1 on, where no file says otherwise.
    /// @param path   Of the file; empty: nothing is kept.
    /// Errors: InputError where the file is damaged, or another network's.
    LaneValidators(TrustedValidators first, std::string path);

    /// The header of a height, believed by what is known of the height `verified` below it, which
    /// was believed as well. At most as many questions as heights between, and one for each change.
    [[nodiscard]] std::expected<SignedHeader, HeaderDoubt> header(CommitClient& client,
                                                                  std::uint64_t verified,
                                                                  std::uint64_t height);
    /// The header of a height, whatever is between.
    [[nodiscard]] std::expected<SignedHeader, HeaderDoubt> jump(CommitClient& client,
                                                                std::uint64_t height);

    /// Who signs this height, as far as it is known.
    [[nodiscard]] const TrustedValidators& at(std::uint64_t height) const;
    /// How many changes are known that still matter.
    [[nodiscard]] std::size_t changes() const noexcept { return epochs_.size() - 1; }

private:
    /// They sign the heights above `after`, up to that of the next epoch.
    struct Epoch {
        std::uint64_t after = 0;
        TrustedValidators validators;
        Hash hash;
    };

    [[nodiscard]] const Epoch& epoch_at(std::uint64_t height) const;
    [[nodiscard]] std::expected<Epoch, HeaderDoubt> ask(CommitClient& client, std::uint64_t height,
                                                        BytesView hash) const;
    [[nodiscard]] std::expected<void, HeaderDoubt> believe(CommitClient& client,
                                                           std::uint64_t verified,
                                                           const SignedHeader& header);
    [[nodiscard]] std::expected<void, HeaderDoubt> add(Epoch epoch, std::uint64_t verified);
    void load();

    const std::string path_;
    std::vector<Epoch> epochs_;  // ascending; never empty
};

}  // namespace heddle::node::lanes
