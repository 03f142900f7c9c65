// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/prestate_tracer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <types/sender_recovery.hpp>
#include <types/transaction.hpp>
#include <vm/opcode.hpp>

namespace heddle::node {
namespace {

/// What an account and a slot cost in JSON, roughly.
constexpr std::size_t kAccountBytes = 300;
constexpr std::size_t kSlotBytes = 138;

constexpr std::uint8_t kWanted[] = {
    vm::OP_SLOAD,        vm::OP_SSTORE, vm::OP_BALANCE,  vm::OP_EXTCODESIZE,  vm::OP_EXTCODECOPY,
    vm::OP_EXTCODEHASH,  vm::OP_CALL,   vm::OP_CALLCODE, vm::OP_DELEGATECALL, vm::OP_STATICCALL,
    vm::OP_SELFDESTRUCT, vm::OP_CREATE, vm::OP_CREATE2};

/// Where an account with this code delegates to (EIP-7702).
std::optional<Address> delegation_target(BytesView code) {
    constexpr std::uint8_t kPrefix[] = {0xef, 0x01, 0x00};
    if (code.size() != sizeof kPrefix + sizeof(Address)) return std::nullopt;
    if (!std::ranges::equal(code.first(sizeof kPrefix), kPrefix)) return std::nullopt;
    Address target;
    std::ranges::copy(code.subspan(sizeof kPrefix), target.bytes.begin());
    return target;
}

}  // namespace

const vm::OpcodeSet& PrestateTracer::wanted_steps() const noexcept {
    static const vm::OpcodeSet wanted = [] {
        vm::OpcodeSet set;
        for (const std::uint8_t opcode : kWanted)
            set.set(opcode);
        return set;
    }();
    return wanted;
}

void PrestateTracer::begin(const TraceSubject& subject) {
    subject_ = subject;
    before_.clear();
    after_.clear();
    created_.clear();
    destroyed_.clear();
    const Transaction& tx = *subject.tx;
    look_up(*tx.sender);
    if (tx.to.has_value()) look_up_recipient(*tx.to);
    look_up(subject.env->beneficiary);
    std::vector<Authorization> authorizations = tx.authorization_list;
    remember_authorities(authorizations);
    for (const Authorization& authorization : authorizations)
        if (const auto& authority = authorization.authority.value) look_up(*authority);
}

PrestateTracer::Before& PrestateTracer::look_up(const Address& address) {
    const auto [found, is_new] = before_.try_emplace(address);
    Before& before = found->second;
    if (!is_new) return before;
    if (const auto account = subject_.before->account(address)) {
        before.account = *account;
        if (options_.with_code && account->has_code()) {
            const BytesView code = subject_.before->code(account->code_hash);
            before.code.assign(code.begin(), code.end());
        }
    }
    budget().spend(kAccountBytes + 2 * before.code.size());
    return before;
}

void PrestateTracer::look_up_recipient(const Address& address) {
    const Account& recipient = look_up(address).account;
    if (subject_.env->revision < Revision::prague || !recipient.has_code()) return;
    const auto target = delegation_target(subject_.before->code(recipient.code_hash));
    if (target.has_value()) look_up(*target);
}

void PrestateTracer::look_up_slot(const Address& address, const Uint256& slot) {
    if (!options_.with_storage) return;
    Before& before = look_up(address);
    const auto [found, is_new] = before.slots.try_emplace(slot);
    if (!is_new) return;
    budget().spend(kSlotBytes);
    found->second = subject_.before->storage(address, slot);
}

void PrestateTracer::on_step(const vm::TraceStep& step, vm::Status failure) noexcept {
    // geth looks before it executes: what is found to fail only then counts.
    if (step.created.has_value()) {
        look_up(*step.created);
        created_.insert(*step.created);
        return;
    }
    const bool is_wanted = wanted_steps()[step.opcode] && failure == vm::Status::success;
    if (!is_wanted || step.stack.empty()) return;
    const Uint256& top = step.stack.back();
    switch (step.opcode) {
        case vm::OP_SLOAD:
        case vm::OP_SSTORE:
            return look_up_slot(step.address, top);
        case vm::OP_SELFDESTRUCT: {
            look_up(address_from_word(top));
            // EIP-6780.
            if (subject_.env->revision < Revision::cancun || created_.contains(step.address))
                destroyed_.insert(step.address);
            return;
        }
        case vm::OP_CREATE:
        case vm::OP_CREATE2:
            return;
        case vm::OP_CALL:
        case vm::OP_CALLCODE:
        case vm::OP_DELEGATECALL:
        case vm::OP_STATICCALL:
            if (step.stack.size() >= 2)
                look_up(address_from_word(step.stack[step.stack.size() - 2]));
            return;
        default:
            look_up(address_from_word(top));
    }
}

void PrestateTracer::on_enter(const vm::TraceCall& call) noexcept {
    using Kind = vm::TraceCall::Kind;
    // The transaction's own recipient counts as it was before any authorization: begin() saw to it.
    if (call.depth > 0 && call.delegate.has_value()) look_up(*call.delegate);
    if (call.kind != Kind::create && call.kind != Kind::create2) return;
    look_up(call.to);
    created_.insert(call.to);
}

void PrestateTracer::compare_slots(Before& before, const AccountChange& change,
                                   After& after) const {
    Slots written;
    for (const StorageChange& slot : change.storage)
        written.emplace(slot.slot, slot.value);
    for (auto slot = before.slots.begin(); slot != before.slots.end();) {
        const auto found = written.find(slot->first);
        const Uint256 now = found != written.end()   ? found->second
                            : change.storage_cleared ? Uint256{}
                                                     : slot->second;
        const bool is_same = now == slot->second;
        if (!is_same && !now.is_zero()) after.slots[slot->first] = now;
        // What did not change is left out, and what was zero.
        const bool is_left_out = is_same || slot->second.is_zero();
        slot = is_left_out ? before.slots.erase(slot) : std::next(slot);
    }
}

PrestateTracer::After PrestateTracer::after_absence(Before& before) {
    After after;
    // What is not there has no code, not even empty code: geth shows that as a hash of zero.
    after.code_hash = Hash{};
    if (!before.account.balance.is_zero()) after.balance = Uint256{};
    std::erase_if(before.slots, [](const auto& slot) { return slot.second.is_zero(); });
    return after;
}

std::optional<PrestateTracer::After> PrestateTracer::after(const Address& address, Before& before,
                                                           const AccountChange* changed,
                                                           const vm::Outcome& outcome) const {
    const std::optional<Account> left =
        changed != nullptr ? changed->account : subject_.before->account(address);
    if (!left.has_value()) return after_absence(before);
    if (changed == nullptr) return std::nullopt;
    const Account& now = *left;
    After after;
    bool is_changed = false;
    if (now.balance != before.account.balance) after.balance = now.balance;
    if (now.nonce != before.account.nonce) after.nonce = now.nonce;
    if (now.code_hash != before.account.code_hash) {
        after.code_hash = now.code_hash;
        const auto fresh = std::ranges::find(outcome.diff.codes, now.code_hash, &CodeChange::hash);
        if (fresh != outcome.diff.codes.end()) {
            after.code = fresh->code;
        } else if (now.has_code()) {
            const BytesView code = subject_.before->code(now.code_hash);
            after.code.assign(code.begin(), code.end());
        }
        is_changed = true;
    }
    compare_slots(before, *changed, after);
    is_changed =
        is_changed || after.balance || after.nonce || !after.slots.empty() || !before.slots.empty();
    if (!is_changed) return std::nullopt;
    return after;
}

void PrestateTracer::end(const vm::Outcome& outcome) {
    const auto is_empty = [](const auto& entry) { return entry.second.account.is_empty(); };
    if (options_.diff_mode) {
        const ChangesByAddress changes(outcome.diff);
        for (auto entry = before_.begin(); entry != before_.end();) {
            auto& [address, before] = *entry;
            // The destroyed were there before and are not afterwards.
            if (destroyed_.contains(address)) {
                ++entry;
                continue;
            }
            std::optional<After> changed = after(address, before, changes.find(address), outcome);
            if (changed) after_.emplace(address, *std::move(changed));
            entry = after_.contains(address) ? std::next(entry) : before_.erase(entry);
        }
    }
    if (!options_.include_empty) std::erase_if(before_, is_empty);
    for (const auto& [address, changed] : after_)
        budget().spend(kAccountBytes + 2 * changed.code.size() + kSlotBytes * changed.slots.size());
}

void PrestateTracer::write_slots(const Slots& slots, JsonWriter& out) const {
    if (slots.empty()) return;
    out.key("storage");
    out.begin_object();
    for (const auto& [slot, value] : slots) {
        out.key(to_string(to_hash(slot)));
        out.hash(to_hash(value));
    }
    out.end_object();
}

void PrestateTracer::write_before(JsonWriter& out) const {
    out.begin_object();
    for (const auto& [address, before] : before_) {
        out.key(to_string(address));
        out.begin_object();
        out.key("balance");
        out.quantity(before.account.balance);
        if (before.account.has_code()) {
            if (options_.with_code) {
                out.key("code");
                out.hex(before.code);
            }
            out.key("codeHash");
            out.hash(before.account.code_hash);
        }
        if (before.account.nonce != 0) {
            out.key("nonce");
            out.number(before.account.nonce);
        }
        write_slots(before.slots, out);
        out.end_object();
    }
    out.end_object();
}

void PrestateTracer::write_after(JsonWriter& out) const {
    out.begin_object();
    for (const auto& [address, after] : after_) {
        out.key(to_string(address));
        out.begin_object();
        if (after.balance) {
            out.key("balance");
            out.quantity(*after.balance);
        }
        if (after.code_hash) {
            if (options_.with_code && *after.code_hash != Hash{}) {
                out.key("code");
                out.hex(after.code);
            }
            out.key("codeHash");
            out.hash(*after.code_hash);
        }
        if (after.nonce && *after.nonce != 0) {
            out.key("nonce");
            out.number(*after.nonce);
        }
        write_slots(after.slots, out);
        out.end_object();
    }
    out.end_object();
}

void PrestateTracer::write(JsonWriter& out) {
    if (!options_.diff_mode) return write_before(out);
    out.begin_object();
    out.key("post");
    write_after(out);
    out.key("pre");
    write_before(out);
    out.end_object();
}

}  // namespace heddle::node
