// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "adversarial_chain.hpp"

#include <array>
#include <utility>

#include <types/assert.hpp>
#include <vm/system_contracts.hpp>

#include "adversarial_flaws.hpp"
#include "adversarial_forks.hpp"
#include "adversarial_transactions.hpp"

namespace heddle::test {
namespace {

BlockHeader make_genesis_header(Revision first, workload::Random& random) {
    static constexpr std::uint64_t kGasLimits[] = {700'000, 3'000'000, 8'000'000, 30'000'000};
    // Growth of the state needs more, and a reservoir more than 2^24 (EIP-8037).
    static constexpr std::uint64_t kLargeGasLimits[] = {3'000'000, 30'000'000, 60'000'000,
                                                        150'000'000};
    BlockHeader header;
    header.timestamp = kAdversarialGenesisTime;
    header.gas_limit = (first >= Revision::osaka ? kLargeGasLimits : kGasLimits)[random.below(4)];
    if (first < Revision::paris) header.difficulty = Uint256{131'072};
    if (first >= Revision::london)
        header.base_fee_per_gas = Uint256{random.below(2) == 0 ? 7u : 1'000'000'000u};
    if (first >= Revision::shanghai) header.withdrawals_root = kEmptyTrieRoot;
    if (first >= Revision::cancun) {
        header.blob_gas_used = header.excess_blob_gas = 0;
        header.parent_beacon_block_root = Hash{};
    }
    if (first >= Revision::prague) header.requests_hash = kEmptyRequestsHash;
    if (first >= Revision::amsterdam) {
        header.block_access_list_hash = kEmptyListHash;
        header.slot_number = 0;
    }
    return header;
}

/// How many roots of beacon blocks are remembered, by timestamps (EIP-4788).
constexpr std::uint64_t kBeaconRoots = 8'191;

/// Storage without code or nonce, where nothing can be created (EIP-7610). geth does not keep to
/// that everywhere, so chains that it may be shown have none.
bool is_squatter(const GenesisAccount& account) {
    return account.code.empty() && account.nonce == 0 && !account.storage.empty();
}

class ChainBuilder {
public:
    explicit ChainBuilder(const AdversarialPlan& plan)
        : random_(plan.seed), cast_(make_adversarial_cast()) {
        chain_.plan = plan;
        forks_ = draw_adversarial_forks(plan, random_);
        chain_.genesis.config = make_adversarial_config(forks_, random_);
        chain_.genesis.header = make_genesis_header(forks_.first, random_);
        chain_.genesis.alloc = make_adversarial_alloc(cast_, forks_.first, random_);
        if (random_.below(4) == 0) vary_system_contract(chain_.genesis.alloc, random_);
        if (forks_.dao_fork)
            for (GenesisAccount& account : make_dao_accounts(random_))
                chain_.genesis.alloc.push_back(std::move(account));
        if (plan.is_signed) std::erase_if(chain_.genesis.alloc, is_squatter);
        draw_weights();
        // Forks by time are to come in the middle.
        const bool changes_by_time =
            !forks_.changes.empty() && forks_.changes.back().to > Revision::paris;
        // Difficulties that rise would bring the merge before London.
        has_steady_difficulty_ = forks_.first < Revision::london &&
                                 chain_.genesis.config.terminal_total_difficulty.has_value();
        has_odd_times_ = !changes_by_time && !has_steady_difficulty_ && forks_.blob_forks.empty() &&
                         random_.below(3) == 0;
    }

    AdversarialChain build() {
        const AdversarialPlan& plan = chain_.plan;
        AdversarialMaker maker(chain_.genesis);
        chain_.genesis.header = maker.headers().front();
        const bool has_flaw = random_.below(4) == 0 && plan.with_flaws;
        chain_.is_signed = (random_.below(10) == 0 && !has_flaw) || plan.is_signed;
        AdversarialStage stage(cast_, maker, random_, chain_.is_signed);
        const std::size_t flawed = random_.below(plan.blocks);
        AdversarialFlaw flaw;
        for (std::size_t i = 0; i < plan.blocks; ++i) {
            maker.open(plan_block(maker));
            const std::uint32_t size =
                random_.below(8) == 0 ? random_.below(3) : random_.below(plan.max_transactions + 1);
            const std::size_t spot = random_.below(size + 1);
            fill_block(maker, stage, size, [&] {
                if (has_flaw && i == flawed && maker.transactions().size() >= spot)
                    flaw.look(stage);
            });
            if (has_flaw && i == flawed) flaw.look(stage);
            chain_.blocks.push_back(maker.seal());
        }
        describe(stage);
        if (has_flaw) {
            chain_.flawed = flawed;
            chain_.description += ", flawed block " + std::to_string(flawed + 1) + ": " +
                                  flaw.put_into(chain_.blocks, flawed, random_);
        }
        return std::move(chain_);
    }

private:
    /// Every chain has favourites, and kinds that it does without.
    void draw_weights() {
        static constexpr std::uint32_t kFactors[] = {0, 1, 1, 1, 6};
        for (std::size_t i = 0; i < kAdversarialKinds; ++i) {
            const std::uint32_t factor = kFactors[random_.below(std::size(kFactors))];
            const bool is_wanted = (chain_.plan.kinds >> i & 1) != 0;
            weights_[i] = is_wanted ? factor * kAdversarialKindTable[i].weight : 0;
        }
    }

    const AdversarialKind* draw_kind(Revision revision) {
        std::uint32_t total = 0;
        const auto weight = [&](std::size_t i) {
            return revision >= kAdversarialKindTable[i].since ? weights_[i] : 0;
        };
        for (std::size_t i = 0; i < kAdversarialKinds; ++i)
            total += weight(i);
        if (total == 0) return nullptr;
        std::uint32_t left = random_.below(total);
        for (std::size_t i = 0;; ++i) {
            if (left < weight(i)) return &kAdversarialKindTable[i];
            left -= weight(i);
        }
    }

    template <typename Watch>
    void fill_block(const AdversarialMaker& maker, AdversarialStage& stage, std::uint32_t size,
                    Watch watch) {
        // A kind may add nothing where the block is full or nobody can pay.
        for (std::uint32_t tries = 0; tries < 2 * size && maker.transactions().size() < size;
             ++tries) {
            const AdversarialKind* kind = draw_kind(stage.revision());
            if (kind == nullptr) return;
            kind->run(stage);
            watch();
        }
    }

    AdversarialBlockPlan plan_block(const AdversarialMaker& maker) {
        const BlockHeader& parent = maker.headers().back();
        AdversarialBlockPlan plan;
        plan.timestamp = parent.timestamp + draw_block_time();
        const Revision revision = maker.next_revision(plan.timestamp);
        plan.beneficiary = draw_beneficiary(parent);
        plan.extra_data = adversarial_extra_data(forks_, parent.number + 1);
        plan.gas_limit = parent.gas_limit - random_.below(200);
        // EIP-1559 doubles it once.
        if (revision >= Revision::london && !parent.base_fee_per_gas.has_value())
            plan.gas_limit = 2 * parent.gas_limit;
        plan.randomness = to_hash({random_.next(), random_.next(), random_.next(), random_.next()});
        if (revision < Revision::paris && !has_steady_difficulty_) plan.ommers = draw_ommers(maker);
        if (revision >= Revision::shanghai) plan.withdrawals = draw_withdrawals(parent.number + 1);
        // Slots may be missed.
        if (revision >= Revision::amsterdam)
            plan.slot_number = parent.slot_number.value_or(1'000) + 1 + random_.below(3);
        return plan;
    }

    /// A contract that blocks call themselves, who calls it, or a precompiled one.
    Address draw_protocol_address() {
        const std::uint32_t which = random_.below(10);
        if (which == 0) return address_from_word((Uint256{1} << 160) - Uint256{2});
        if (which < 4) return address_from_low64(1 + random_.below(0x11));
        return vm::kSystemContracts[which % vm::kSystemContracts.size()].address;
    }

    const Address& draw_hot() {
        return cast_.hot[random_.below(static_cast<std::uint32_t>(cast_.hot.size()))];
    }

    /// Difficulties that rise and fall as far as they can in one step, and roots of beacon blocks
    /// that replace one another (EIP-4788).
    std::uint64_t draw_block_time() {
        static constexpr std::uint64_t kTimes[] = {1, 5, 8, 9, 10, 12, 13, 20, 100, 2'000};
        if (!has_odd_times_) return kAdversarialBlockTime;
        if (random_.below(8) == 0) {
            const std::uint64_t rounds = 1 + random_.below(2);
            return kBeaconRoots * rounds + random_.below(3) - 1;
        }
        return kTimes[random_.below(std::size(kTimes))];
    }

    Address draw_beneficiary(const BlockHeader& parent) {
        if (chain_.plan.pays_the_living) return kTill;
        switch (random_.below(10)) {
            case 6:
                return draw_protocol_address();
            case 0:  // new in each block
                return address_from_low64(0xbe0000 + parent.number);
            case 5:
                return adversarial_dead(parent.number + 1, 0);
            case 1:
                return cast_.senders[random_.below(kSenders)];
            case 2:
                return draw_hot();
            case 3:
                return address_from_low64(kFirstProgram + random_.below(kPrograms));
            case 4:
                return random_.below(2) == 0 ? Address{} : address_from_low64(1 + random_.below(4));
            default:
                return parent.beneficiary;
        }
    }

    /// Siblings of the parent and the grandparent, by hot beneficiaries: rewards that depend on
    /// nothing and that everybody looks at.
    std::vector<BlockHeader> draw_ommers(const AdversarialMaker& maker) {
        std::vector<BlockHeader> ommers;
        const auto& headers = maker.headers();
        for (std::size_t depth = 1; depth <= 2 && headers.size() > depth + 1; ++depth) {
            if (random_.below(3) != 0) continue;
            BlockHeader ommer = headers[headers.size() - depth];
            ommer.beneficiary = draw_credited(headers.size());
            ommer.prev_randao.bytes[0] ^= static_cast<std::uint8_t>(headers.size());
            ommers.push_back(std::move(ommer));
        }
        return ommers;
    }

    std::vector<Withdrawal> draw_withdrawals(std::uint64_t block) {
        std::vector<Withdrawal> withdrawals(random_.below(2) == 0 ? 0 : random_.below(7));
        for (Withdrawal& withdrawal : withdrawals) {
            withdrawal.index = withdrawal_index_++;
            withdrawal.validator_index = random_.below(100);
            withdrawal.address = draw_credited(block);
            withdrawal.amount = random_.below(3) == 0 ? 0 : random_.below(50);
            if (random_.below(16) == 0) withdrawal.amount = ~std::uint64_t{random_.below(2)};
        }
        return withdrawals;
    }

    Address draw_credited(std::uint64_t block) {
        if (chain_.plan.pays_the_living) return adversarial_living(cast_, random_.below(12));
        switch (random_.below(5)) {
            case 2:
                return random_.below(2) == 0
                           ? draw_protocol_address()
                           : address_from_low64(kFirstBomb + random_.below(kBombs));
            case 0:
                return address_from_low64(0xdead0000 + random_.below(3));
            case 1:
                return adversarial_dead(block, random_.below(kDeadPerBlock));
            default:
                return draw_hot();
        }
    }

    void describe(const AdversarialStage& stage) {
        chain_.description = std::string{to_string(forks_.first)};
        const Revision last = stage.revision();
        if (last != forks_.first) chain_.description += " to " + std::string{to_string(last)};
        chain_.description += ", " + std::to_string(chain_.blocks.size()) + " blocks, " +
                              std::to_string(stage.added()) + " transactions (" +
                              std::to_string(stage.dropped()) + " dropped)" +
                              (chain_.is_signed ? ", signed" : "");
    }

    workload::Random random_;
    AdversarialCast cast_;
    AdversarialChain chain_;
    AdversarialForks forks_;
    std::array<std::uint32_t, kAdversarialKinds> weights_{};
    std::uint64_t withdrawal_index_ = 0;
    bool has_odd_times_ = false;
    bool has_steady_difficulty_ = false;
};

}  // namespace

AdversarialChain make_adversarial_chain(const AdversarialPlan& plan) {
    HEDDLE_ASSERT(plan.blocks > 0 && !(plan.is_signed && plan.with_flaws));
    return ChainBuilder{plan}.build();
}

}  // namespace heddle::test
