// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Every fork that a chain configuration can name, a row each: its names, when it begins, and the
// blob parameters that it brings. Who reads, writes, compares or announces forks goes through these
// rows; what a revision changes in execution is vm's business. docs/hardfork-checklist.md says how
// to add a row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <types/chain_config.hpp>
#include <types/revision.hpp>

namespace heddle {

/// By what a fork begins.
enum class ForkActivation : std::uint8_t { genesis, block_number, total_difficulty, timestamp };

/// What a fork does to the blob parameters (EIP-7840, EIP-7892): `kept` takes over those in force
/// and may be given its own by a chain.
enum class ForkBlobs : std::uint8_t { none, kept, own };

/// A fork. Three kinds: those that begin a revision; those that change rules of blocks only (the
/// DAO fork, ice ages, the netsplit of the merge), which have no revision; and blob-parameter-only
/// forks (EIP-7892), which have no member in ChainConfig either, for a chain's blob schedule says
/// it all.
struct Fork {
    using Member = std::optional<std::uint64_t> ChainConfig::*;

    std::string_view name;
    /// The fork whose rules it builds on, by name; empty: none. Not always the row before: the DAO
    /// fork and blob-parameter-only forks are branches that a later fork may leave aside.
    std::string_view parent;
    std::optional<Revision> revision;
    ForkActivation activation = ForkActivation::genesis;
    /// Where a ChainConfig says when it begins; null: terminal_total_difficulty, or nowhere.
    Member member = nullptr;
    /// Its fields in geth's genesis format; more than one means the same. Unused ones are empty.
    std::array<std::string_view, 2> fields;
    /// Its names in test fixtures and geth's tools. Unused ones are empty.
    std::array<std::string_view, 2> networks;
    ForkBlobs blobs = ForkBlobs::none;
    /// Of `own`, where a chain's schedule has none for it; its activation_time has no meaning.
    BlobParameters parameters;

    /// The field that messages name.
    [[nodiscard]] constexpr std::string_view field() const noexcept {
        return fields[1].empty() ? fields[0] : fields[1];
    }
    /// Its key in geth's `blobSchedule`, and what `--fork` takes: "cancunTime" without "Time".
    [[nodiscard]] constexpr std::string_view key() const noexcept {
        return activation == ForkActivation::timestamp ? fields[0].substr(0, fields[0].size() - 4)
                                                       : std::string_view{};
    }
};

// clang-format off: a row each, its columns in the order of Fork
/// In the order of their activation on mainnet; a fork stands behind all those with a smaller
/// revision and behind its parent.
inline constexpr std::array kForks{
    Fork{"Frontier", "", Revision::frontier, ForkActivation::genesis, nullptr,
         {}, {"Frontier"}, ForkBlobs::none, {}},
    Fork{"Homestead", "Frontier", Revision::homestead, ForkActivation::block_number,
         &ChainConfig::homestead_block, {"homesteadBlock"}, {"Homestead"}, ForkBlobs::none, {}},
    Fork{"DAO", "Homestead", std::nullopt, ForkActivation::block_number,
         &ChainConfig::dao_fork_block, {"daoForkBlock"}, {"Dao"}, ForkBlobs::none, {}},
    Fork{"Tangerine Whistle", "Homestead", Revision::tangerine_whistle,
         ForkActivation::block_number, &ChainConfig::tangerine_whistle_block, {"eip150Block"},
         {"EIP150", "TangerineWhistle"}, ForkBlobs::none, {}},
    Fork{"Spurious Dragon", "Tangerine Whistle", Revision::spurious_dragon,
         ForkActivation::block_number, &ChainConfig::spurious_dragon_block,
         {"eip155Block", "eip158Block"}, {"EIP158", "SpuriousDragon"}, ForkBlobs::none, {}},
    Fork{"Byzantium", "Spurious Dragon", Revision::byzantium, ForkActivation::block_number,
         &ChainConfig::byzantium_block, {"byzantiumBlock"}, {"Byzantium"}, ForkBlobs::none, {}},
    Fork{"Constantinople", "Byzantium", Revision::constantinople, ForkActivation::block_number,
         &ChainConfig::constantinople_block, {"constantinopleBlock"}, {"Constantinople"},
         ForkBlobs::none, {}},
    Fork{"Petersburg", "Constantinople", Revision::petersburg, ForkActivation::block_number,
         &ChainConfig::petersburg_block, {"petersburgBlock"}, {"ConstantinopleFix", "Petersburg"},
         ForkBlobs::none, {}},
    Fork{"Istanbul", "Petersburg", Revision::istanbul, ForkActivation::block_number,
         &ChainConfig::istanbul_block, {"istanbulBlock"}, {"Istanbul"}, ForkBlobs::none, {}},
    Fork{"Muir Glacier", "Istanbul", std::nullopt, ForkActivation::block_number,
         &ChainConfig::muir_glacier_block, {"muirGlacierBlock"}, {"MuirGlacier"},
         ForkBlobs::none, {}},
    Fork{"Berlin", "Muir Glacier", Revision::berlin, ForkActivation::block_number,
         &ChainConfig::berlin_block, {"berlinBlock"}, {"Berlin"}, ForkBlobs::none, {}},
    Fork{"London", "Berlin", Revision::london, ForkActivation::block_number,
         &ChainConfig::london_block, {"londonBlock"}, {"London"}, ForkBlobs::none, {}},
    Fork{"Arrow Glacier", "London", std::nullopt, ForkActivation::block_number,
         &ChainConfig::arrow_glacier_block, {"arrowGlacierBlock"}, {"ArrowGlacier"},
         ForkBlobs::none, {}},
    Fork{"Gray Glacier", "Arrow Glacier", std::nullopt, ForkActivation::block_number,
         &ChainConfig::gray_glacier_block, {"grayGlacierBlock"}, {"GrayGlacier"},
         ForkBlobs::none, {}},
    Fork{"merge netsplit", "Gray Glacier", std::nullopt, ForkActivation::block_number,
         &ChainConfig::merge_netsplit_block, {"mergeNetsplitBlock"}, {}, ForkBlobs::none, {}},
    Fork{"Paris", "Gray Glacier", Revision::paris, ForkActivation::total_difficulty, nullptr,
         {"terminalTotalDifficulty"}, {"Paris", "Merge"}, ForkBlobs::none, {}},
    Fork{"Shanghai", "Paris", Revision::shanghai, ForkActivation::timestamp,
         &ChainConfig::shanghai_time, {"shanghaiTime"}, {"Shanghai"}, ForkBlobs::none, {}},
    Fork{"Cancun", "Shanghai", Revision::cancun, ForkActivation::timestamp,  // EIP-4844
         &ChainConfig::cancun_time, {"cancunTime"}, {"Cancun"},
         ForkBlobs::own, {0, 3, 6, 3'338'477}},
    Fork{"Prague", "Cancun", Revision::prague, ForkActivation::timestamp,  // EIP-7691
         &ChainConfig::prague_time, {"pragueTime"}, {"Prague"},
         ForkBlobs::own, {0, 6, 9, 5'007'716}},
    Fork{"Osaka", "Prague", Revision::osaka, ForkActivation::timestamp,
         &ChainConfig::osaka_time, {"osakaTime"}, {"Osaka"}, ForkBlobs::kept, {}},
    Fork{"BPO1", "Osaka", std::nullopt, ForkActivation::timestamp, nullptr,
         {"bpo1Time"}, {"BPO1"}, ForkBlobs::own, {0, 10, 15, 8'346'193}},
    Fork{"BPO2", "BPO1", std::nullopt, ForkActivation::timestamp, nullptr,
         {"bpo2Time"}, {"BPO2"}, ForkBlobs::own, {0, 14, 21, 11'684'671}},
    Fork{"Amsterdam", "BPO2", Revision::amsterdam, ForkActivation::timestamp,
         &ChainConfig::amsterdam_time, {"amsterdamTime"}, {"Amsterdam"}, ForkBlobs::kept, {}},
    Fork{"BPO3", "BPO2", std::nullopt, ForkActivation::timestamp, nullptr,
         {"bpo3Time"}, {"BPO3"}, ForkBlobs::own, {0, 21, 32, 20'609'697}},
    Fork{"BPO4", "BPO3", std::nullopt, ForkActivation::timestamp, nullptr,
         {"bpo4Time"}, {"BPO4"}, ForkBlobs::own, {0, 14, 21, 13'739'630}},
    Fork{"BPO5", "BPO4", std::nullopt, ForkActivation::timestamp, nullptr,
         {"bpo5Time"}, {"BPO5"}, ForkBlobs::own, {0, 14, 21, 13'739'630}},
};
// clang-format on

namespace detail {

constexpr std::size_t fork_index(std::string_view name) noexcept {
    std::size_t i = 0;
    while (i < kForks.size() && kForks[i].name != name)
        ++i;
    return i;
}

constexpr bool fork_parents_come_first() noexcept {
    for (std::size_t i = 1; i < kForks.size(); ++i)
        if (fork_index(kForks[i].parent) >= i) return false;
    return kForks[0].parent.empty();
}

/// Each revision once, ascending.
constexpr bool forks_name_each_revision() noexcept {
    std::size_t next = 0;
    for (const Fork& fork : kForks)
        if (fork.revision && static_cast<std::size_t>(*fork.revision) != next++) return false;
    return next == kRevisionCount;
}

/// Names that are not empty, and so none that a row leaves out: g++ 12 evaluates nothing but their
/// size.
constexpr bool share_a_name(std::span<const std::string_view> names,
                            std::span<const std::string_view> others) noexcept {
    for (const std::string_view& name : names)
        for (const std::string_view& other : others)
            if (!name.empty() && !other.empty() && name == other) return true;
    return false;
}

constexpr bool forks_are_told_apart() noexcept {
    for (std::size_t i = 0; i < kForks.size(); ++i)
        for (std::size_t j = i + 1; j < kForks.size(); ++j) {
            const Fork& a = kForks[i];
            const Fork& b = kForks[j];
            if (a.name == b.name || (a.member != nullptr && a.member == b.member)) return false;
            if (share_a_name(a.networks, b.networks) || share_a_name(a.fields, b.fields))
                return false;
        }
    return true;
}

/// What a reader or writer of configurations takes for granted of a row.
constexpr bool forks_have_what_their_kind_needs() noexcept {
    return std::ranges::all_of(kForks, [](const Fork& fork) {
        const bool by_time = fork.activation == ForkActivation::timestamp;
        const bool is_blob_only = by_time && !fork.revision;
        const bool needs_member =
            fork.activation == ForkActivation::block_number || (by_time && !is_blob_only);
        return needs_member == (fork.member != nullptr) &&
               fork.fields[0].empty() == (fork.activation == ForkActivation::genesis) &&
               (!by_time || fork.fields[0].ends_with("Time")) &&
               (fork.activation != ForkActivation::block_number ||
                fork.fields[0].ends_with("Block")) &&
               (fork.blobs == ForkBlobs::none || by_time) &&
               (!is_blob_only || fork.blobs == ForkBlobs::own) &&
               (fork.blobs == ForkBlobs::own) == (fork.parameters.base_fee_update_fraction != 0);
    });
}

}  // namespace detail

static_assert(detail::forks_name_each_revision(),
              "a revision has no row, or rows are out of order");
static_assert(detail::fork_parents_come_first(), "a parent is misspelt or stands behind its child");
static_assert(detail::forks_are_told_apart(), "two forks share a name, a field or a member");
static_assert(detail::forks_have_what_their_kind_needs());

/// The row that begins a revision.
[[nodiscard]] constexpr const Fork& fork_of(Revision revision) noexcept {
    return *std::ranges::find(kForks, std::optional{revision}, &Fork::revision);
}

/// The row of this name; null: there is none.
[[nodiscard]] constexpr const Fork* find_fork(std::string_view name) noexcept {
    const std::size_t index = detail::fork_index(name);
    return index == kForks.size() ? nullptr : &kForks[index];
}

/// Whether `fork` builds on `ancestor`, directly or not, or is the same.
[[nodiscard]] constexpr bool builds_on(const Fork& fork, const Fork& ancestor) noexcept {
    const Fork* at = &fork;
    while (at != nullptr && at->name != ancestor.name)
        at = find_fork(at->parent);
    return at != nullptr;
}

/// When each of kForks begins, in seconds, as far as it is a fork by time with blob parameters.
using BlobForkTimes = std::array<std::optional<std::uint64_t>, kForks.size()>;

/// Times of the forks with a member in `config`; those of blob-parameter-only forks are not there.
[[nodiscard]] BlobForkTimes blob_fork_times(const ChainConfig& config) noexcept;

/// A chain's own parameters for one of kForks; activation_time has no meaning.
using BlobOverrides = std::array<std::optional<BlobParameters>, kForks.size()>;

/// The blob schedule of a chain, sorted by time: of forks that begin at once the later row counts.
/// A fork that keeps the parameters takes those in force when it begins; where there are none, it
/// has no entry.
[[nodiscard]] std::vector<BlobParameters> make_blob_schedule(const BlobForkTimes& times,
                                                             const BlobOverrides& overrides = {});

}  // namespace heddle
