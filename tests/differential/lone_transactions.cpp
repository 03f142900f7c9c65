// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lone_transactions.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <types/assert.hpp>
#include <types/hash.hpp>
#include <types/signing.hpp>
#include <vm/evm.hpp>
#include <vm/opcode.hpp>
#include <vm/system_contracts.hpp>
#include <vm/tracer.hpp>
#include <vm/transition.hpp>
#include <vm/validate.hpp>

#include "adversarial_contracts.hpp"
#include "adversarial_forks.hpp"
#include "adversarial_maker.hpp"
#include "precompile_inputs.hpp"
#include "state_test_world.hpp"

namespace heddle::test {
namespace {

using namespace vm;  // opcodes

constexpr std::uint64_t kBlockGas = 60'000'000;
constexpr std::uint64_t kMostExecuted = 1 << 24;  // EIP-7825; the rest is the reservoir
constexpr std::size_t kMostSteps = 20'000;

/// Where gas may run out: at an instruction, which costs so much without growth of the state.
struct Step {
    std::uint32_t depth = 1;
    std::uint8_t opcode = 0;
    std::int64_t gas_left = 0;
    std::int64_t gas_cost = 0;
};

class StepTracer final : public Tracer {
public:
    void on_step(const TraceStep& step, Status) noexcept override {
        if (steps.size() < kMostSteps)
            steps.push_back({step.depth, step.opcode, step.gas_left, step.gas_cost});
    }
    std::vector<Step> steps;
};

class UnknownHashes final : public BlockHashes {
public:
    [[nodiscard]] Hash block_hash(std::uint64_t) const noexcept override { return {}; }
};

constexpr bool is_call(std::uint8_t opcode) {
    return opcode == OP_CALL || opcode == OP_CALLCODE || opcode == OP_DELEGATECALL ||
           opcode == OP_STATICCALL;
}
constexpr bool may_grow_the_state(std::uint8_t opcode) {
    return opcode == OP_SSTORE || opcode == OP_CREATE || opcode == OP_CREATE2 ||
           opcode == OP_SELFDESTRUCT;
}

class Builder {
public:
    explicit Builder(std::uint64_t seed) : world_(seed, Revision::amsterdam) {
        world_.make(false);
        chain_.plan.seed = seed;
        chain_.plan.revision = Revision::amsterdam;
        chain_.plan.is_signed = true;
        chain_.is_signed = true;
        AdversarialForks forks;
        forks.first = Revision::amsterdam;
        Genesis& genesis = chain_.genesis;
        genesis.config = make_adversarial_config(forks, random_);
        BlockHeader& header = genesis.header;
        header.timestamp = kAdversarialGenesisTime;
        header.gas_limit = kBlockGas;
        header.base_fee_per_gas = 7;
        header.withdrawals_root = kEmptyTrieRoot;
        header.blob_gas_used = header.excess_blob_gas = 0;
        header.parent_beacon_block_root = Hash{};
        header.requests_hash = kEmptyRequestsHash;
        header.block_access_list_hash = kEmptyListHash;
        header.slot_number = 0;
        // With the contracts that blocks call themselves.
        genesis.alloc = make_adversarial_alloc(make_adversarial_cast(), forks.first, random_);
        for (const GenesisAccount& account : world_.pre())
            add(account);
        add({world_.sender(), 0, Uint256{1} << 200, {}, {}});
        // See adversarial_chain.cpp.
        std::erase_if(genesis.alloc, [](const GenesisAccount& account) {
            return account.code.empty() && account.nonce == 0 && !account.storage.empty();
        });
    }

    AdversarialChain build(std::uint32_t blocks) {
        maker_.emplace(chain_.genesis);
        chain_.genesis.header = maker_->headers().front();
        std::size_t transactions = 0;
        for (std::uint32_t i = 0; i < blocks; ++i) {
            open_block();
            if (!world_.one_in(16)) add_transaction();
            transactions += maker_->transactions().size();
            chain_.blocks.push_back(maker_->seal());
        }
        chain_.description = "lone transactions: " + std::to_string(transactions);
        return std::move(chain_);
    }

private:
    void add(const GenesisAccount& account) {
        std::vector<GenesisAccount>& alloc = chain_.genesis.alloc;
        std::erase_if(
            alloc, [&](const GenesisAccount& other) { return other.address == account.address; });
        alloc.push_back(account);
    }
    void open_block() {
        const BlockHeader& parent = maker_->headers().back();
        AdversarialBlockPlan plan;
        plan.timestamp = parent.timestamp + kAdversarialBlockTime;
        plan.gas_limit = kBlockGas;
        plan.beneficiary = draw_account();
        plan.randomness = to_hash(Uint256{random_.next()});
        plan.slot_number = parent.slot_number.value_or(0) + 1 + random_.below(3);
        if (world_.one_in(4)) {
            for (std::uint32_t count = 1 + random_.below(3); count > 0; --count) {
                const std::uint64_t amount = random_.below(3);
                plan.withdrawals.push_back({withdrawal_index_, 1, draw_account(), amount});
                ++withdrawal_index_;
            }
        }
        maker_->open(std::move(plan));
    }
    Address draw_account() {
        switch (random_.below(8)) {
            case 0:
                return address_from_low64(1 + random_.below(0x12));
            case 1:
                return world_.sender();
            case 2:
                return kSystemContracts[random_.below(kSystemContracts.size())].address;
            case 3:
                if (!created_.empty())
                    return created_[random_.below(static_cast<std::uint32_t>(created_.size()))];
                return world_.any_neighbour();
            case 4:
                return world_.any_neighbour();
            default:
                return world_.any_account();
        }
    }

    void add_transaction() {
        Transaction tx;
        tx.type = TransactionType::dynamic_fee;
        tx.chain_id = chain_.genesis.config.chain_id;
        tx.nonce = nonce_of(world_.sender());
        tx.max_fee_per_gas = Uint256{1} << 40;
        tx.max_priority_fee_per_gas = random_.below(3);
        tx.sender = world_.sender();
        if (world_.one_in(3)) tx.value = 1 + random_.below(3);
        if (!world_.one_in(3)) tx.to = draw_account();
        if (!tx.to) {
            tx.data = world_.draw_init_program();
        } else if (world_.one_in(6)) {
            PrecompileInput input = draw_precompile_input(random_);
            tx.to = input.contract;
            tx.data = std::move(input.data);
        } else {
            tx.data.resize(32 * random_.below(3));
            for (std::uint8_t& byte : tx.data)
                byte = world_.one_in(3) ? static_cast<std::uint8_t>(random_.below(4)) : 0;
        }
        if (tx.to && world_.one_in(4)) add_authorizations(tx);
        if (world_.one_in(5)) add_access_list(tx);
        tx.gas_limit = draw_gas(tx);
        sign(tx);
        const std::optional<Address> created =
            tx.to ? std::nullopt : std::optional{create_address(world_.sender(), tx.nonce)};
        if (!maker_->add(std::move(tx)).has_value()) return;
        if (created) created_.push_back(*created);
    }
    [[nodiscard]] std::uint64_t nonce_of(const Address& address) const {
        const std::optional<Account> account = maker_->state().account(address);
        return account ? account->nonce : 0;
    }
    void add_access_list(Transaction& tx) {
        for (std::uint32_t count = 1 + random_.below(3); count > 0; --count) {
            AccessListEntry entry;
            entry.address = draw_account();
            for (std::uint32_t keys = random_.below(3); keys > 0; --keys)
                entry.storage_keys.push_back(to_hash(Uint256{random_.below(4)}));
            tx.access_list.push_back(std::move(entry));
        }
    }
    void add_authorizations(Transaction& tx) {
        tx.type = TransactionType::set_code;
        for (std::uint32_t count = 1 + random_.below(3); count > 0; --count) {
            const std::uint32_t who = random_.below(kAuthorities + 1);  // the sender among them
            const Hash secret = secret_number(1 + who);
            const Address signer = address_from_secret(secret).value();
            Authorization authorization;
            authorization.chain_id = random_.below(8) == 0 ? 77 : *tx.chain_id;
            if (!world_.one_in(4)) authorization.address = draw_account();
            authorization.nonce = nonce_of(signer) + (who == 0 ? 1 : 0);
            if (world_.one_in(8)) authorization.nonce += 1;
            HEDDLE_ASSERT(sign_authorization(authorization, secret));
            if (world_.one_in(12)) authorization.y_parity = Uint256{random_.below(30)};
            if (world_.one_in(4)) tx.to = signer;
            tx.authorization_list.push_back(authorization);
        }
    }
    static void sign(Transaction& tx) { HEDDLE_ASSERT(sign_transaction(tx, secret_number(1))); }

    // --- Gas -------------------------------------------------------------------------------------

    [[nodiscard]] std::uint64_t draw_gas(const Transaction& tx) {
        const IntrinsicGas intrinsic = intrinsic_gas(tx, Revision::amsterdam);
        const std::uint64_t least = std::max(intrinsic.gas, intrinsic.floor);
        const std::uint64_t ample =
            world_.one_in(3) ? kMostExecuted + draw_sum(kGrowth) : least + 3'000'000;
        switch (random_.below(6)) {
            case 0:
                return ample;
            case 1: {  // before the message
                const std::uint64_t charged = draw_sum(kBeforeMessage);
                return least + charged + random_.below(3) - 1;
            }
            default:
                return std::max(least, approach(tx, ample));
        }
    }
    static constexpr std::int64_t kGrowth[] = {97'920, 97'920, 183'600, 1'530, 48'960, 35'190};
    static constexpr std::int64_t kBeforeMessage[] = {0, 100, 3'000, 9'000, 35'190, 183'600};
    static constexpr std::int64_t kCallParts[] = {0, 100, 100, 3'000, 3'000, 11'300, 183'600};

    template <std::size_t N>
    std::uint64_t draw_sum(const std::int64_t (&parts)[N]) {
        std::int64_t sum = 0;
        for (std::uint32_t count = 1 + random_.below(3); count > 0; --count)
            sum += world_.pick(parts);
        return static_cast<std::uint64_t>(sum);
    }
    std::vector<Step> trace(Transaction tx, std::uint64_t gas_limit) {
        tx.gas_limit = gas_limit;
        sign(tx);
        const BlockEnv& env = maker_->env();
        const auto valid = validate(tx, maker_->state(), env, BlockGas::whole(env));
        if (!valid) return {};
        StepTracer tracer;
        Evm traced{EvmOptions{.engine = Engine::plain, .tracer = &tracer}};
        Outcome outcome;
        transition(maker_->state(), UnknownHashes{}, env, *valid, traced, outcome);
        return std::move(tracer.steps);
    }
    /// What the step needs, or something that it may need to come so far and no farther.
    std::int64_t draw_need(const Step& step) {
        std::int64_t need = step.gas_cost;
        if (is_call(step.opcode)) {
            need = static_cast<std::int64_t>(draw_sum(kCallParts));
            need += 3 * random_.below(3);
        } else if (may_grow_the_state(step.opcode) && world_.one_in(2)) {
            need += world_.one_in(2) ? 97'920 : 183'600;
        }
        if (step.opcode == OP_SSTORE && world_.one_in(4)) need = 2'300;
        return need + random_.below(3) - 1;
    }
    /// A limit with which one of the steps has just so much. Deep ones get 63 parts of 64 of what
    /// is added, for each call, if that changes nothing before them; so it is looked at again.
    std::uint64_t approach(const Transaction& tx, std::uint64_t ample) {
        const std::vector<Step> steps = trace(tx, ample);
        if (steps.empty()) return ample;
        // The dear ones more often than what is everywhere.
        std::vector<std::size_t> dear;
        for (std::size_t i = 0; i < steps.size(); ++i)
            if (steps[i].gas_cost >= 100) dear.push_back(i);
        const auto count = static_cast<std::uint32_t>(steps.size());
        std::size_t at = random_.below(count);
        if (!dear.empty() && !world_.one_in(5))
            at = dear[random_.below(static_cast<std::uint32_t>(dear.size()))];
        const std::int64_t need = draw_need(steps[at]);
        auto limit = static_cast<std::int64_t>(std::min(ample, kMostExecuted));
        std::int64_t left = steps[at].gas_left;
        constexpr int kTries = 6;
        for (int i = 0; i < kTries && left != need; ++i) {
            std::int64_t more = need - left;
            for (std::uint32_t depth = 1; depth < steps[at].depth && depth < 40; ++depth)
                more += more / 63;
            limit += more != 0 ? more : need - left;
            if (limit <= 0) return 0;
            const std::vector<Step> again = trace(tx, static_cast<std::uint64_t>(limit));
            if (again.size() <= at) break;  // it does not come so far any more
            left = again[at].gas_left;
        }
        return static_cast<std::uint64_t>(limit);
    }

    StateTestWorld world_;
    workload::Random& random_ = world_.random();
    AdversarialChain chain_;
    std::optional<AdversarialMaker> maker_;
    std::vector<Address> created_;
    std::uint64_t withdrawal_index_ = 0;
};

}  // namespace

AdversarialChain make_lone_transactions(std::uint64_t seed, std::uint32_t blocks) {
    return Builder{seed}.build(blocks);
}

}  // namespace heddle::test
