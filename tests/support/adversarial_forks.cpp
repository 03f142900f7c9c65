// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "adversarial_forks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "adversarial_contracts.hpp"

namespace heddle::test {
namespace {

using workload::Random;

constexpr std::uint64_t kMarkedBlocks = 10;  // EIP-779
constexpr std::string_view kMark = "dao-hard-fork";
constexpr int kMostBlobForks = 5;  // that geth has names for

/// The later ones more often: they have more that can go wrong.
Revision draw_revision(Random& random) {
    static constexpr std::array kFavourites = {Revision::spurious_dragon, Revision::cancun,
                                               Revision::prague, Revision::osaka,
                                               Revision::amsterdam};
    if (random.below(2) == 0) return kFavourites[random.below(kFavourites.size())];
    return static_cast<Revision>(random.below(kRevisionCount));
}

Revision next(Revision revision) {
    return static_cast<Revision>(static_cast<int>(revision) + 1);
}

/// Revisions that may all begin with one block: those by number, or those by time. The merge comes
/// when it comes.
bool may_begin_at_once(Revision first, Revision last) {
    return last <= Revision::london || first >= Revision::paris || last == next(first);
}

/// Where a chain under `first` changes to, mostly the next.
Revision draw_last(Revision first, Random& random) {
    Revision last = next(first);
    while (last < kLatestRevision && random.below(3) == 0 && may_begin_at_once(first, next(last)))
        last = next(last);
    return last;
}

/// Where a chain that ends under `last` comes from.
Revision draw_first(Revision last, Random& random) {
    auto first = static_cast<Revision>(static_cast<int>(last) - 1);
    while (first > Revision::frontier && random.below(3) == 0) {
        const auto before = static_cast<Revision>(static_cast<int>(first) - 1);
        if (!may_begin_at_once(before, last)) break;
        first = before;
    }
    return first;
}

/// The block from which a revision's rules hold.
std::optional<std::uint64_t> begin_of(const AdversarialForks& forks, Revision revision) {
    if (revision <= forks.first) return 0;
    for (const AdversarialForks::Change& change : forks.changes)
        if (revision <= change.to) return change.block;
    return std::nullopt;
}

/// Mostly one; or several, each close behind the one before.
void draw_changes(AdversarialForks& forks, std::uint64_t block, Random& random) {
    Revision at = forks.first;
    do {
        if (at == kLatestRevision) return;
        at = draw_last(at, random);
        forks.changes.push_back({block, at});
        block += 1 + random.below(3);
    } while (random.below(2) == 0);
}

/// Between Homestead and EIP-150, both included.
void draw_dao_fork(AdversarialForks& forks, std::uint64_t blocks, Random& random) {
    const auto homestead = begin_of(forks, Revision::homestead);
    if (forks.first > Revision::homestead || !homestead || random.below(2) == 0) return;
    const std::uint64_t least = std::max<std::uint64_t>(*homestead, 1);
    const std::uint64_t most = begin_of(forks, Revision::tangerine_whistle).value_or(blocks);
    if (least > most) return;
    forks.dao_fork = random.below(2) == 0
                         ? most
                         : least + random.below(static_cast<std::uint32_t>(most - least + 1));
    forks.takes_dao_fork = random.below(4) != 0;
}

/// From Osaka on, and geth wants them before Amsterdam.
void draw_blob_forks(AdversarialForks& forks, std::uint64_t blocks, Random& random) {
    const auto osaka = begin_of(forks, Revision::osaka);
    if (!osaka || forks.first == Revision::amsterdam) return;
    const std::uint64_t most = begin_of(forks, Revision::amsterdam).value_or(blocks);
    std::uint64_t at = std::max<std::uint64_t>(*osaka, 1);
    for (int i = 0; i < kMostBlobForks && at <= most && random.below(3) != 0; ++i) {
        at += random.below(static_cast<std::uint32_t>(most - at + 1));
        forks.blob_forks.push_back(at++);
    }
}

std::uint64_t time_of(std::uint64_t block) {
    return kAdversarialGenesisTime + block * kAdversarialBlockTime;
}

void set_blob_schedule(ChainConfig& config, const AdversarialForks& forks, Random& random) {
    // Some so narrow that few blobs move the price far.
    static constexpr BlobParameters kParameters[] = {
        {0, 10, 15, 8'346'193}, {0, 14, 21, 11'684'671}, {0, 2, 3, 900'000}, {0, 1, 6, 300'000}};
    const auto add = [&config](std::uint64_t time, BlobParameters parameters) {
        parameters.activation_time = time;
        config.blob_schedule.push_back(parameters);
    };
    if (config.cancun_time) add(*config.cancun_time, {0, 3, 6, 3'338'477});
    if (config.prague_time) add(*config.prague_time, {0, 6, 9, 5'007'716});
    // The same again: geth has no entries for these two, they go on with what there was.
    if (config.osaka_time) add(*config.osaka_time, config.blob_schedule.back());
    for (const std::uint64_t block : forks.blob_forks)
        add(time_of(block), kParameters[random.below(std::size(kParameters))]);
    if (config.amsterdam_time) add(*config.amsterdam_time, config.blob_schedule.back());
}

}  // namespace

AdversarialForks draw_adversarial_forks(const AdversarialPlan& plan, Random& random) {
    AdversarialForks forks;
    forks.first = plan.revision.value_or(draw_revision(random));
    const std::uint64_t block = 2 + random.below(std::max(plan.blocks, 3u) - 2);
    const bool changes = random.below(plan.revision ? 4 : 3) == 0;
    if (changes && !plan.revision) draw_changes(forks, block, random);
    if (changes && plan.revision && *plan.revision != Revision::frontier) {
        forks.first = draw_first(*plan.revision, random);
        forks.changes.push_back({block, *plan.revision});
    }
    draw_dao_fork(forks, plan.blocks, random);
    draw_blob_forks(forks, plan.blocks, random);
    return forks;
}

ChainConfig make_adversarial_config(const AdversarialForks& forks, Random& random) {
    const auto number = [&](Revision revision) { return begin_of(forks, revision); };
    const auto time = [&](Revision revision) {
        const auto block = begin_of(forks, revision);
        return block.value_or(0) == 0 ? block : std::optional{time_of(*block)};
    };
    ChainConfig config;
    config.homestead_block = number(Revision::homestead);
    config.dao_fork_block = forks.dao_fork;
    config.dao_fork_support = forks.takes_dao_fork;
    config.tangerine_whistle_block = number(Revision::tangerine_whistle);
    config.spurious_dragon_block = number(Revision::spurious_dragon);
    config.byzantium_block = number(Revision::byzantium);
    config.constantinople_block = number(Revision::constantinople);
    config.petersburg_block = number(Revision::petersburg);
    config.istanbul_block = number(Revision::istanbul);
    config.berlin_block = number(Revision::berlin);
    config.london_block = number(Revision::london);
    // The merge comes by difficulty: 131,072 a block or a little more, so that it is not late.
    if (const auto merge = number(Revision::paris); merge.has_value())
        config.terminal_total_difficulty = Uint256{131'072 * *merge};
    config.shanghai_time = time(Revision::shanghai);
    config.cancun_time = time(Revision::cancun);
    config.prague_time = time(Revision::prague);
    config.osaka_time = time(Revision::osaka);
    config.amsterdam_time = time(Revision::amsterdam);
    set_blob_schedule(config, forks, random);
    config.deposit_contract_address = kDepositBox;
    return config;
}

Bytes adversarial_extra_data(const AdversarialForks& forks, std::uint64_t number) {
    if (!forks.takes_dao_fork || number < *forks.dao_fork ||
        number - *forks.dao_fork >= kMarkedBlocks)
        return {};
    return {kMark.begin(), kMark.end()};
}

std::vector<GenesisAccount> make_dao_accounts(Random& random) {
    static constexpr std::string_view kDrained[] = {"0xd4fe7bc31cedb7bfb8a345f31e668033056b2728",
                                                    "0xb3fb0e5aba0e20e5c49d252dfd30e102b171a425",
                                                    "0x807640a13483f8ac783c557fcdf27be11ea4ac7a"};
    static constexpr std::string_view kRefunds = "0xbf4ed7b27f1d666546e30d74d50d173d20bca754";
    std::vector<GenesisAccount> accounts;
    for (const std::string_view text : kDrained)
        if (const std::uint32_t has = random.below(3); has != 0)
            accounts.push_back(
                {address_from_hex(text).value(), 0, Uint256{1'000} * (has - 1), {}, {}});
    if (random.below(2) == 0)
        accounts.push_back(
            {address_from_hex(kRefunds).value(), 1, Uint256{random.below(2)}, {}, {}});
    return accounts;
}

}  // namespace heddle::test
