// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "adversarial_transactions.hpp"

#include <algorithm>
#include <utility>

#include <types/assert.hpp>
#include <types/signing.hpp>

#include "adversarial_growth.hpp"
#include "adversarial_wild.hpp"

namespace heddle::test {

Address AdversarialStage::fresh() noexcept {
    fresh_.push_back(address_from_low64(next_fresh_++));
    return fresh_.back();
}

Address AdversarialStage::once_fresh() noexcept {
    if (fresh_.empty()) return hot();
    return fresh_[below(static_cast<std::uint32_t>(fresh_.size()))];
}

Uint256 AdversarialStage::balance(const Address& address) const {
    return maker_.state().account(address).value_or(Account{}).balance;
}

std::uint64_t AdversarialStage::nonce(const Address& address) const {
    return maker_.state().account(address).value_or(Account{}).nonce;
}

Transaction AdversarialStage::draft(const Address& sender) {
    const Uint256& base_fee = maker_.env().base_fee_per_gas;
    Transaction tx;
    tx.sender = sender;
    tx.nonce = nonce(sender);
    tx.to = hot();
    tx.gas_limit = 21'000;
    // As long as real ones; nobody recovers the sender from them.
    tx.r = Uint256{1 + tx.nonce, 2, 3, 4};
    tx.s = Uint256{5, 6, 7, 8};
    const Uint256 tips[] = {0, 1, 1'000'000'000, 12'345};
    const Uint256& tip = tips[below(4)];
    tx.max_fee_per_gas = base_fee + tip;
    tx.max_priority_fee_per_gas = tx.max_fee_per_gas;
    const auto kind = below(4);
    if (revision() >= Revision::spurious_dragon && kind != 0) tx.chain_id = maker_.env().chain_id;
    if (revision() >= Revision::london && kind >= 2) {
        tx.type = TransactionType::dynamic_fee;
        tx.max_priority_fee_per_gas = tip;
        tx.max_fee_per_gas += Uint256{below(1'000)};
    }
    return tx;
}

Transaction AdversarialStage::call(const Address& to, const std::vector<Uint256>& words) {
    Transaction tx = draft(one_in(8) ? poor() : rich());
    tx.to = to;
    tx.data = call_words(words);
    tx.gas_limit = 250'000 + below(300'000);
    return tx;
}

bool AdversarialStage::add(Transaction tx) {
    if (signs_) {
        const auto sender = std::ranges::find(cast_.senders, *tx.sender) - cast_.senders.begin();
        HEDDLE_ASSERT(sign_transaction(tx, cast_.secrets[static_cast<std::size_t>(sender)]));
    }
    const bool is_valid = maker_.add(std::move(tx)).has_value();
    ++(is_valid ? added_ : dropped_);
    return is_valid;
}

namespace {

using Stage = AdversarialStage;

/// Read-modify-write on few slots: lost updates, and a chain of versions of one slot.
void hot_slot(Stage& stage) {
    const Uint256 slot = stage.below(3);
    for (std::uint32_t i = 0, count = 1 + stage.below(4); i < count; ++i)
        stage.add(stage.call(kCounter, {slot, 1 + stage.below(9), stage.one_in(7) ? 1U : 0U}));
}

/// Several hot slots at once, each result depending on the one before; some fail for their price.
void swap(Stage& stage) {
    const Uint256 least = stage.one_in(3) ? 2'000 : 0;
    const Uint256 pay = stage.one_in(3) ? 1 + stage.below(50) : 0;
    stage.add(stage.call(kPool, {1 + stage.below(5'000), least, pay}));
}

/// The set of slots, balances and contracts touched changes with the order: sets go stale.
void conditional_path(Stage& stage) {
    stage.add(stage.call(kMaze, {stage.below(100)}));
}

/// Programs made up by the chain: what nobody thought of.
void made_up_program(Stage& stage) {
    const Address program = address_from_low64(kFirstProgram + stage.below(kPrograms));
    Transaction tx = stage.call(program, {stage.below(16), stage.below(16)});
    if (stage.one_in(4)) tx.value = stage.below(5);
    stage.add(std::move(tx));
}

/// Several transactions of one sender whose balance covers them all: may overlap, nonces may not
/// get mixed up.
void nonce_chain(Stage& stage) {
    const Address sender = stage.rich();
    for (std::uint32_t i = 0, count = 2 + stage.below(6); i < count; ++i) {
        Transaction tx = stage.draft(sender);
        tx.value = stage.below(100);
        if (stage.one_in(3)) {
            tx.to = kCounter;
            tx.data = call_words({i, 1});
            tx.gas_limit = 100'000;
        }
        stage.add(std::move(tx));
    }
}

/// Cover to the last wei, and only thanks to a transfer earlier in the block: debits that a bound
/// taken too early refuses or, worse, grants.
void barely_covered_chain(Stage& stage) {
    const Address sender = stage.poor();
    const std::uint32_t count = 1 + stage.below(4);
    const Uint256 value = stage.below(1'000);
    const Transaction model = stage.draft(sender);
    const Uint256 cost =
        (Uint256{model.gas_limit} * model.max_fee_per_gas + value) * Uint256{count};
    const Uint256 has = stage.balance(sender);
    if (has < cost) {
        Transaction funding = stage.draft(stage.rich());
        funding.to = sender;
        funding.value = cost - has;
        if (!stage.add(std::move(funding))) return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        Transaction tx = model;
        tx.nonce += i;
        tx.value = value;
        tx.to = stage.one_in(2) ? stage.fresh() : stage.hot();
        // A contract's code does not run on this little gas, but the attempt is to be charged.
        stage.add(std::move(tx));
    }
}

/// The sender gives away all but a few wei, then acts again on what others send it.
void emptied_sender(Stage& stage) {
    const Address sender = stage.poor();
    Transaction tx = stage.draft(sender);
    const Uint256 cost = Uint256{tx.gas_limit} * tx.max_fee_per_gas;
    const Uint256 has = stage.balance(sender);
    if (has < cost) return;
    tx.value = has - cost;
    tx.to = stage.one_in(3) ? sender : stage.once_fresh();
    stage.add(std::move(tx));
}

/// Creating an account is a write, paying into one that is there is not: who came first?
void transfer_to_fresh(Stage& stage) {
    const Address to = stage.one_in(2) ? stage.fresh() : stage.once_fresh();
    for (std::uint32_t i = 0, count = 1 + stage.below(3); i < count; ++i) {
        Transaction tx = stage.draft(stage.rich());
        tx.to = to;
        tx.value = stage.one_in(4) ? 0 : 1 + stage.below(1'000);
        stage.add(std::move(tx));
    }
}

/// The balance that fees go to, as receiver and as observed account.
void transfer_to_beneficiary(Stage& stage) {
    Transaction tx = stage.draft(stage.rich());
    tx.to = stage.maker().env().beneficiary;
    tx.value = stage.below(3);
    tx.gas_limit = 100'000;
    stage.add(std::move(tx));
}

/// Credits of contracts that run nothing for it, or something, or refuse.
void transfer_to_hot(Stage& stage) {
    Transaction tx = stage.draft(stage.one_in(3) ? stage.poor() : stage.rich());
    tx.value = stage.below(5'000);
    tx.gas_limit = stage.one_in(4) ? 21'000 : 120'000;
    stage.add(std::move(tx));
}

/// Debit and credit of one balance.
void transfer_to_self(Stage& stage) {
    const Address sender = stage.one_in(3) ? stage.poor() : stage.rich();
    Transaction tx = stage.draft(sender);
    tx.to = sender;
    tx.value = stage.one_in(3) ? stage.balance(sender) / Uint256{2} : 1;
    tx.gas_limit = 60'000;
    stage.add(std::move(tx));
}

/// Touching without changing: empty accounts that stay or go, depending on the fork.
void transfer_of_nothing(Stage& stage) {
    Transaction tx = stage.draft(stage.rich());
    tx.to = stage.one_in(2) ? stage.once_fresh() : stage.hot();
    tx.gas_limit = 100'000;
    stage.add(std::move(tx));
}

/// Debits of a contract, sometimes beyond what it has: whether it is covered depends on the order.
void contract_pays(Stage& stage) {
    const Uint256 amount = stage.one_in(4) ? 0 : 1 + stage.below(3'000);
    const Address to = stage.one_in(3) ? stage.once_fresh() : stage.hot();
    Transaction tx = stage.call(kPayer, {to_word(to), amount});
    if (stage.one_in(3)) tx.value = stage.below(4'000);
    stage.add(std::move(tx));
}

/// All that a contract has, to somebody who may be just as hot.
void contract_sweeps(Stage& stage) {
    Transaction tx = stage.call(kSweeper, {to_word(stage.hot())});
    if (stage.one_in(2)) tx.value = stage.below(9'000);
    stage.add(std::move(tx));
}

/// Reads of balance, code size and code hash of hot accounts: deltas have to be materialised.
void watch_hot(Stage& stage) {
    const Address whom = stage.one_in(4) ? stage.once_fresh() : stage.hot();
    stage.add(stage.call(kWatcher, {to_word(whom), stage.below(2)}));
}

/// Reads of the balance that every transaction before it has paid a fee to.
void watch_beneficiary(Stage& stage) {
    stage.add(stage.call(kWatcher, {to_word(stage.maker().env().beneficiary), stage.below(2)}));
}

/// Destruction, with the heir being anybody, itself, or the beneficiary; calls and payments before
/// and after.
void destroy(Stage& stage) {
    const Address bomb = address_from_low64(kFirstBomb + stage.below(kBombs));
    const Address living = stage.one_in(4) ? stage.fresh() : stage.hot();
    const Address heir = stage.one_in(3) ? stage.maker().env().beneficiary : living;
    if (stage.one_in(2)) stage.add(stage.call(bomb, {}));
    Transaction tx = stage.call(bomb, {to_word(heir), stage.one_in(4) ? 1U : 0U});
    tx.value = stage.below(10);
    stage.add(std::move(tx));
    if (stage.one_in(2)) stage.add(stage.call(bomb, {}));
    if (stage.one_in(2)) stage.add(stage.call(kWatcher, {to_word(bomb), 1}));
}

/// Created, called, destroyed and created again at one address, within and across transactions:
/// which incarnation do slots belong to?
void factory(Stage& stage) {
    static constexpr std::uint32_t kOrders[] = {1,  2,  3,  4,  6,  5,  7, 12,
                                                14, 46, 15, 47, 63, 17, 20};
    const std::uint32_t salt = stage.below(3);
    for (std::uint32_t i = 0, count = 1 + stage.below(4); i < count; ++i) {
        const std::uint32_t order = kOrders[stage.below(std::size(kOrders))];
        const Uint256 value = stage.one_in(3) ? stage.below(20) : 0;
        const Address heir = stage.one_in(4) ? stage.fresh() : stage.hot();
        const std::uint32_t is_own_heir = stage.one_in(3) ? 1 : 0;
        Transaction tx = stage.call(kFactory, {order, salt, value, to_word(heir), is_own_heir});
        tx.gas_limit = 900'000;
        stage.add(std::move(tx));
    }
}

/// Contracts from creation transactions, at addresses that somebody may have paid to before.
void creation(Stage& stage) {
    const Address sender = stage.rich();
    if (stage.one_in(2)) {
        Transaction early = stage.draft(stage.rich());
        early.to = create_address(sender, stage.nonce(sender) + (*early.sender == sender ? 1 : 0));
        early.value = 7;
        stage.add(std::move(early));
    }
    Transaction tx = stage.draft(sender);
    const Address created = create_address(sender, tx.nonce);
    tx.to.reset();
    tx.data = stage.one_in(5) ? Bytes{0xfe} : adversarial_child_init_code();
    tx.value = stage.below(3);
    tx.gas_limit = stage.one_in(5) ? 100'000 : 500'000;
    if (!stage.add(std::move(tx))) return;
    stage.add(stage.call(created, {}));
    if (stage.one_in(2)) stage.add(stage.call(created, {to_word(stage.hot())}));
}

/// Deep trees of calls, some of which fail: what failed calls read still counts.
void call_tree(Stage& stage) {
    Transaction tx = stage.call(kTree, {stage.below(5), stage.below(100'000)});
    tx.gas_limit = 200'000 + stage.below(1'000'000);
    stage.add(std::move(tx));
}

/// Out of gas after writes, sometimes in the middle of an inner call: nothing but the fee stays.
void out_of_gas(Stage& stage) {
    Transaction tx = stage.one_in(2) ? stage.call(kBurner, {0}) : stage.call(kMaze, {1});
    tx.gas_limit = 22'000 + stage.below(60'000);
    stage.add(std::move(tx));
}

/// Long transactions in front of short ones, and blocks filled to the brim.
void long_loop(Stage& stage) {
    Transaction tx = stage.call(kBurner, {100'000});
    tx.gas_limit = 500'000 + stage.below(1'500'000);
    stage.add(std::move(tx));
}

/// Hashes of blocks just committed, and what the system calls of this very block wrote.
void block_values(Stage& stage) {
    const BlockEnv& env = stage.maker().env();
    const std::uint32_t back = stage.below(6);
    const auto& headers = stage.maker().headers();
    // Of this block, one before, and one whose place another has taken (EIP-4788).
    std::uint64_t time = env.timestamp;
    if (stage.one_in(2)) time = headers[headers.size() - 1 - back % headers.size()].timestamp;
    if (stage.one_in(8)) time -= std::uint64_t{8'191} * stage.below(2), time -= stage.below(2);
    stage.add(stage.call(kClock,
                         {env.number - std::min<std::uint64_t>(env.number, back), Uint256{time}}));
}

/// EIP-2930 lists: right, wrong, of other accounts; warm is not the same as accessed.
void access_list(Stage& stage) {
    const Uint256 slot = stage.below(3);
    Transaction tx = stage.call(kCounter, {slot, 1});
    if (tx.type == TransactionType::legacy) tx.type = TransactionType::access_list;
    tx.chain_id = stage.maker().env().chain_id;
    if (!stage.one_in(3)) tx.access_list.push_back({kCounter, {to_hash(slot)}});
    if (stage.one_in(2)) tx.access_list.push_back({stage.hot(), {to_hash(slot), to_hash(slot)}});
    if (stage.one_in(3)) tx.access_list.push_back({stage.maker().env().beneficiary, {}});
    stage.add(std::move(tx));
}

/// Fees for blobs are burned: a debit without a credit.
void blobs(Stage& stage) {
    Transaction tx = stage.call(kPayer, {to_word(stage.hot()), 1});
    tx.type = TransactionType::blob;
    tx.chain_id = stage.maker().env().chain_id;
    tx.max_priority_fee_per_gas = stage.below(5);
    tx.max_fee_per_gas = stage.maker().env().base_fee_per_gas + Uint256{10};
    tx.max_fee_per_blob_gas = stage.maker().env().blob_base_fee + Uint256{stage.below(100)};
    const std::uint32_t count = 1 + (stage.one_in(5) ? stage.below(9) : stage.below(2));
    for (std::uint32_t i = 0; i < count; ++i)
        tx.blob_versioned_hashes.push_back(
            to_hash((Uint256{1} << 248) + Uint256{stage.below(1'000)}));
    stage.add(std::move(tx));
}

/// EIP-7702: code of accounts that also send, set, changed, reset; by themselves or by others, with
/// right and wrong nonces. Then somebody calls them, and their balance moves without their nonce.
void delegation(Stage& stage) {
    static constexpr Address kTargets[] = {kCounter, kPayer, kWatcher, kMaze, kSweeper, Address{}};
    const auto& cast = stage.cast();
    Transaction tx = stage.call(kCounter, {0, 1});
    tx.type = TransactionType::set_code;
    tx.chain_id = stage.maker().env().chain_id;
    tx.max_priority_fee_per_gas = stage.below(3);
    tx.max_fee_per_gas = stage.maker().env().base_fee_per_gas + Uint256{10};
    std::size_t last = 0;
    for (std::uint32_t i = 0, count = 1 + stage.below(3); i < count; ++i) {
        last = stage.below(kSenders);
        Authorization authorization;
        authorization.chain_id = stage.one_in(3) ? 0 : stage.maker().env().chain_id;
        authorization.address = kTargets[stage.below(std::size(kTargets))];
        authorization.nonce = stage.nonce(cast.senders[last]);
        // The sender's own nonce counts up before its authorizations are looked at.
        if (cast.senders[last] == *tx.sender) ++authorization.nonce;
        if (stage.one_in(6)) authorization.nonce += stage.below(2);
        HEDDLE_ASSERT(sign_authorization(authorization, cast.secrets[last]));
        tx.authorization_list.push_back(authorization);
    }
    if (stage.one_in(2)) tx.to = cast.senders[last];
    stage.add(std::move(tx));
    for (std::uint32_t i = 0, count = stage.below(3); i < count; ++i) {
        const Address& whom = cast.senders[stage.one_in(2) ? last : stage.below(kSenders)];
        Transaction use = stage.call(whom, {to_word(stage.hot()), 1 + stage.below(2'000)});
        use.value = stage.below(3);
        stage.add(std::move(use));
    }
    if (stage.one_in(2)) stage.add(stage.draft(cast.senders[last]));
}

/// The shortest transaction there is: a creation of nothing with a signature that is nearly all
/// zeros. Shorter than a hash, it stands in the tries of lists as it is (YP App. D).
void tiny(Stage& stage) {
    Transaction tx = stage.draft(stage.rich());
    tx.type = TransactionType::legacy;
    tx.max_priority_fee_per_gas = tx.max_fee_per_gas;
    tx.to.reset();
    tx.gas_limit = 53'000;
    tx.chain_id.reset();
    tx.r = tx.s = Uint256{1};
    stage.add(std::move(tx));
}

/// Whether an empty account is there: asked of those that the end of the block before has brought
/// to life, of those that this block's will, and of those that transactions do.
void probe_dead(Stage& stage) {
    const std::uint64_t before = stage.maker().env().number - 1;
    for (std::uint32_t i = 0, count = 1 + stage.below(6); i < count; ++i) {
        const Address dead = adversarial_dead(before, stage.below(2 * kDeadPerBlock));
        stage.add(stage.call(kProber, {to_word(dead), stage.one_in(4) ? 1U : 0U}));
    }
}

/// Balances that withdrawals and rewards are added to.
void watch_living(Stage& stage) {
    for (std::uint32_t i = 0, count = 1 + stage.below(4); i < count; ++i)
        stage.add(
            stage.call(kProber, {to_word(adversarial_living(stage.cast(), stage.below(12))), 2}));
}

/// EIP-7702: authorizations of accounts that nobody has used, which are there and empty, or no
/// longer there since somebody touched them. What it costs depends on which; probed before and
/// after.
void delegate_idle(Stage& stage) {
    const auto& cast = stage.cast();
    const std::size_t who = stage.below(kIdle);
    const auto probe = [&] {
        if (!stage.one_in(2)) return;
        stage.add(stage.call(kProber, {to_word(cast.idle[who]), stage.below(3)}));
    };
    if (stage.one_in(3)) {
        Transaction touch = stage.draft(stage.rich());
        touch.to = cast.idle[who];
        touch.value = stage.below(2);
        stage.add(std::move(touch));
    }
    probe();
    Transaction tx = stage.call(stage.one_in(2) ? kCounter : cast.idle[who], {0, 1});
    tx.type = TransactionType::set_code;
    tx.chain_id = stage.maker().env().chain_id;
    tx.max_priority_fee_per_gas = stage.below(3);
    tx.max_fee_per_gas = stage.maker().env().base_fee_per_gas + Uint256{10};
    for (std::uint32_t i = 0, count = 1 + stage.below(2); i < count; ++i) {
        Authorization authorization;
        authorization.chain_id = stage.maker().env().chain_id;
        authorization.address = stage.one_in(3) ? Address{} : kCounter;
        // The second finds what the first has done.
        authorization.nonce = stage.nonce(cast.idle[who]) + (stage.one_in(5) ? 0 : i);
        HEDDLE_ASSERT(sign_authorization(authorization, cast.idle_secrets[who]));
        tx.authorization_list.push_back(authorization);
    }
    stage.add(std::move(tx));
    probe();
}

/// Brings an empty account to life, or makes an end of it.
void revive_dead(Stage& stage) {
    Transaction tx = stage.draft(stage.rich());
    tx.to = adversarial_dead(stage.maker().env().number, stage.below(kDeadPerBlock));
    tx.value = stage.below(2);
    stage.add(std::move(tx));
}

}  // namespace

const std::array<AdversarialKind, kAdversarialKinds> kAdversarialKindTable{{
    {"hot_slot", 12, Revision::frontier, hot_slot},
    {"swap", 10, Revision::frontier, swap},
    {"conditional_path", 10, Revision::frontier, conditional_path},
    {"made_up_program", 14, Revision::frontier, made_up_program},
    {"nonce_chain", 6, Revision::frontier, nonce_chain},
    {"barely_covered_chain", 8, Revision::frontier, barely_covered_chain},
    {"emptied_sender", 4, Revision::frontier, emptied_sender},
    {"transfer_to_fresh", 8, Revision::frontier, transfer_to_fresh},
    {"transfer_to_beneficiary", 5, Revision::frontier, transfer_to_beneficiary},
    {"transfer_to_hot", 10, Revision::frontier, transfer_to_hot},
    {"transfer_to_self", 3, Revision::frontier, transfer_to_self},
    {"transfer_of_nothing", 5, Revision::frontier, transfer_of_nothing},
    {"contract_pays", 10, Revision::frontier, contract_pays},
    {"contract_sweeps", 4, Revision::frontier, contract_sweeps},
    {"watch_hot", 8, Revision::frontier, watch_hot},
    {"watch_beneficiary", 4, Revision::frontier, watch_beneficiary},
    {"destroy", 6, Revision::frontier, destroy},
    {"factory", 8, Revision::frontier, factory},
    {"creation", 4, Revision::frontier, creation},
    {"call_tree", 6, Revision::frontier, call_tree},
    {"out_of_gas", 6, Revision::frontier, out_of_gas},
    {"long_loop", 2, Revision::frontier, long_loop},
    {"block_values", 4, Revision::frontier, block_values},
    {"access_list", 5, Revision::berlin, access_list},
    {"blobs", 3, Revision::cancun, blobs},
    {"delegation", 8, Revision::prague, delegation},
    {"request", 4, Revision::prague, adversarial_request},
    {"tiny", 2, Revision::frontier, tiny},
    {"probe_dead", 8, Revision::frontier, probe_dead},
    {"revive_dead", 3, Revision::frontier, revive_dead},
    {"watch_living", 6, Revision::frontier, watch_living},
    {"delegate_idle", 5, Revision::prague, delegate_idle},
    {"scribble", 6, Revision::frontier, adversarial_scribble},
    {"relay", 8, Revision::frontier, adversarial_relay},
    {"make", 5, Revision::frontier, adversarial_make},
    {"deploy", 3, Revision::frontier, adversarial_deploy},
    {"deposit", 2, Revision::prague, adversarial_deposit},
    {"wild_creation", 6, Revision::frontier, adversarial_wild_creation},
    {"wild_call", 14, Revision::frontier, adversarial_wild_call},
    {"wild_authorization", 4, Revision::prague, adversarial_wild_authorization},
}};

}  // namespace heddle::test
