// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "adversarial_wild.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <types/assert.hpp>
#include <types/signing.hpp>
#include <vm/system_contracts.hpp>
#include <vm/validate.hpp>

#include "precompile_inputs.hpp"
#include "wild_programs.hpp"

namespace heddle::test {
namespace {

using Stage = AdversarialStage;

/// Whom programs name: everybody's favourites, the contracts of the protocol, and what the rich
/// senders have created or are about to.
std::vector<Address> neighbourhood(Stage& stage) {
    std::vector<Address> accounts = stage.cast().hot;
    accounts.insert(accounts.end(), stage.cast().idle.begin(), stage.cast().idle.end());
    for (const vm::SystemContract& contract : vm::kSystemContracts)
        accounts.push_back(contract.address);
    accounts.push_back(stage.once_fresh());
    for (std::size_t i = 0; i < kRichSenders; ++i) {
        const Address& sender = stage.cast().senders[i];
        const std::uint64_t nonce = stage.nonce(sender);
        for (std::uint64_t back = 0; back <= 4 && back <= nonce; ++back)
            accounts.push_back(create_address(sender, nonce - back));
    }
    return accounts;
}

const Address& pick(Stage& stage, const std::vector<Address>& accounts) {
    return accounts[stage.below(static_cast<std::uint32_t>(accounts.size()))];
}

AccessList draw_list(Stage& stage, const std::vector<Address>& accounts) {
    AccessList list;
    for (std::uint32_t count = stage.below(4); count > 0; --count) {
        AccessListEntry& entry = list.emplace_back();
        entry.address = pick(stage, accounts);
        if (stage.one_in(6)) entry.address = stage.maker().env().beneficiary;
        if (stage.one_in(6)) entry.address = address_from_low64(1 + stage.below(0x12));
        for (std::uint32_t keys = stage.below(3); keys > 0; --keys)
            entry.storage_keys.push_back(to_hash(Uint256{stage.below(4)}));
    }
    return list;
}

/// Sometimes with a list; with gas for what it does, or not quite.
void finish(Stage& stage, Transaction tx, const std::vector<Address>& accounts) {
    if (tx.chain_id && stage.revision() >= Revision::berlin && stage.one_in(3)) {
        if (tx.type == TransactionType::legacy) tx.type = TransactionType::access_list;
        tx.access_list = draw_list(stage, accounts);
    }
    const std::uint64_t least = vm::intrinsic_gas(tx, stage.revision()).gas;
    static constexpr std::uint32_t kMore[] = {40'000, 300'000, 1'000'000, 3'000'000};
    tx.gas_limit = least + stage.below(kMore[stage.below(4)]);
    if (stage.revision() >= Revision::amsterdam && stage.one_in(5))
        tx.gas_limit = (1 << 24) + stage.below(6'000'000);
    stage.add(std::move(tx));
}

}  // namespace

void adversarial_wild_creation(Stage& stage) {
    const std::vector<Address> accounts = neighbourhood(stage);
    WildPrograms programs{stage.random(), accounts, stage.revision()};
    Transaction tx = stage.draft(stage.rich());
    tx.to.reset();
    tx.data = stage.one_in(4) ? programs.init_code()
                              : vm::test::deploy(vm::test::Bytecode{programs.program(8)}).bytes();
    if (stage.one_in(2)) tx.value = stage.below(1'000);
    finish(stage, std::move(tx), accounts);
}

void adversarial_wild_call(Stage& stage) {
    const std::vector<Address> accounts = neighbourhood(stage);
    for (std::uint32_t count = 1 + stage.below(3); count > 0; --count) {
        Transaction tx = stage.draft(stage.one_in(6) ? stage.poor() : stage.rich());
        // The last ones are what was created.
        const std::size_t behind = stage.below(20);
        tx.to = stage.one_in(3) ? pick(stage, accounts) : accounts[accounts.size() - 1 - behind];
        if (stage.one_in(6)) {
            PrecompileInput input = draw_precompile_input(stage.random());
            tx.to = input.contract;
            tx.data = std::move(input.data);
        } else {
            for (std::uint32_t words = stage.below(3); words > 0; --words) {
                const Bytes word = call_words({stage.below(1'000)});
                tx.data.insert(tx.data.end(), word.begin(), word.end());
            }
        }
        if (stage.one_in(3)) tx.value = stage.below(4);
        finish(stage, std::move(tx), accounts);
    }
}

void adversarial_wild_authorization(Stage& stage) {
    const std::vector<Address> accounts = neighbourhood(stage);
    const AdversarialCast& cast = stage.cast();
    const std::uint64_t chain_id = stage.maker().env().chain_id;
    Transaction tx = stage.call(pick(stage, accounts), {});
    tx.type = TransactionType::set_code;
    tx.chain_id = chain_id;
    for (std::uint32_t count = 1 + stage.below(4); count > 0; --count) {
        const bool is_idle = stage.one_in(2);
        const std::size_t who = stage.below(is_idle ? kIdle : kSenders);
        const Address& signer = is_idle ? cast.idle[who] : cast.senders[who];
        Authorization authorization;
        authorization.chain_id = stage.one_in(4) ? stage.below(3) : chain_id;
        authorization.address = pick(stage, accounts);
        if (stage.one_in(5)) authorization.address = Address{};
        if (stage.one_in(5)) authorization.address = signer;
        if (stage.one_in(8)) authorization.address = address_from_low64(1 + stage.below(0x12));
        authorization.nonce = stage.nonce(signer) + (signer == *tx.sender ? 1 : 0);
        if (stage.one_in(4)) authorization.nonce += stage.below(3);
        if (stage.one_in(16)) authorization.nonce = ~std::uint64_t{stage.below(2)};
        const Hash& secret = is_idle ? cast.idle_secrets[who] : cast.secrets[who];
        HEDDLE_ASSERT(sign_authorization(authorization, secret));
        // Nobody signed that, or somebody whom nobody knows.
        if (stage.one_in(12)) authorization.y_parity = Uint256{stage.below(30)};
        if (stage.one_in(16)) authorization.s = Uint256::max() - authorization.s;
        if (stage.one_in(16)) authorization.r = Uint256{stage.below(2)};
        tx.authorization_list.push_back(authorization);
        if (stage.one_in(3)) tx.to = signer;
    }
    finish(stage, std::move(tx), accounts);
}

}  // namespace heddle::test
