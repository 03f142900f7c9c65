// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The accounts and contracts of adversarial chains: programs whose results depend on the order of
// the transactions before them in as many ways as there are. Arguments are words of call data.
#pragma once

#include <cstdint>
#include <vector>

#include <types/address.hpp>
#include <types/genesis.hpp>
#include <types/hash.hpp>
#include <types/revision.hpp>
#include <workload/random.hpp>

namespace heddle::test {

/// (slot, amount, revert): adds to a slot of its own, then reverts where the third is not zero.
inline constexpr Address kCounter = address_from_low64(0xc001);
/// (amount, least, pay): swaps on two reserves, credits the caller's slot, logs, may pay ether.
inline constexpr Address kPool = address_from_low64(0xc002);
/// (step): which slots, balances and contracts it touches depends on what slot 0 holds.
inline constexpr Address kMaze = address_from_low64(0xc003);
/// (to, amount): pays out and counts whether it could; amount 0: half of what it has.
inline constexpr Address kPayer = address_from_low64(0xc004);
/// (account, store): logs and maybe stores balance, code size, code hash of it and the beneficiary.
inline constexpr Address kWatcher = address_from_low64(0xc005);
/// (code, salt, value, heir, itself): bits of `code`: 1 create, 2 call, 4 destroy, 8 create again,
/// 32 call again, 16 revert it all.
inline constexpr Address kFactory = address_from_low64(0xc006);
/// (depth, pattern): a binary tree of calls, some of which fail.
inline constexpr Address kTree = address_from_low64(0xc007);
/// (to): sends all that it has.
inline constexpr Address kSweeper = address_from_low64(0xc008);
/// (number, timestamp): stores BLOCKHASH and what the contracts of EIP-4788 and EIP-2935 say.
inline constexpr Address kClock = address_from_low64(0xc009);
/// (gas): writes and loops until less than so much gas is left; 0: until it has run out.
inline constexpr Address kBurner = address_from_low64(0xc00a);
/// (account, what): logs 0: the hash of its code, 1: what a call with one wei costs, which is
/// whether it is there (EIP-161) and nothing else about it, 2: its balance.
inline constexpr Address kProber = address_from_low64(0xc00b);
/// (count, end, (slot, value)...): writes those slots, then ends as an AdversarialEnd says.
inline constexpr Address kScribe = address_from_low64(0xc00c);
/// (to, value, gas, end, data...): calls with the data behind; gas 0: all. Logs what it says.
inline constexpr Address kRelay = address_from_low64(0xc00d);
/// (init code, its length, value, salt, end): creates from one word of code, with CREATE where the
/// salt is 0; logs the address.
inline constexpr Address kMaker = address_from_low64(0xc00e);
/// Logs its call data as the deposit contract does (EIP-6110).
inline constexpr Address kDepositBox = address_from_low64(0xc00f);
/// (heir, itself): SELFDESTRUCT, several of the same code.
inline constexpr std::uint64_t kFirstBomb = 0xb0b0;
inline constexpr std::uint64_t kBombs = 4;
/// Programs that each chain makes up anew.
inline constexpr std::uint64_t kFirstProgram = 0xd000;
inline constexpr std::uint64_t kPrograms = 6;
/// Code that looks like a delegation (EIP-7702) to the counter and to the payer. Before Prague it
/// is undefined instructions.
inline constexpr std::uint64_t kFirstDelegation = 0xde1e;
inline constexpr std::uint64_t kDelegations = 2;
/// How a contract ends that is told; `again` does what it did once more, kMaker by paying one wei
/// to what it made.
enum class AdversarialEnd : std::uint8_t { stop, revert, halt, again };
/// Plain accounts of the neighbourhood that several contracts look at and pay to.
inline constexpr std::uint64_t kFirstNeighbour = 0xa000;
inline constexpr std::uint64_t kNeighbours = 8;

/// Lives, and nobody but COINBASE names it: where fees go that no contract is to look for.
inline constexpr Address kTill = address_from_low64(0x7111);
/// Accounts that are there and empty. Those of a block's share come to life by its withdrawals,
/// its reward and the transactions of its time.
inline constexpr std::uint64_t kFirstDead = 0xdead00;
inline constexpr std::uint64_t kDead = 96;
inline constexpr std::uint64_t kDeadPerBlock = 4;

inline constexpr std::uint64_t kIdle = 6;
inline constexpr std::uint64_t kRichSenders = 4;
inline constexpr std::uint64_t kSenders = 8;

/// Who is there. The first kRichSenders senders can pay for anything, the others barely anything.
struct AdversarialCast {
    std::vector<Hash> secrets;  // of the senders
    std::vector<Address> senders;
    /// Accounts that are there and empty and never send, but sign authorizations (EIP-7702).
    std::vector<Hash> idle_secrets;
    std::vector<Address> idle;
    /// Accounts that many look at, pay to and destroy: senders, contracts, neighbours.
    std::vector<Address> hot;

    [[nodiscard]] bool is_sender(const Address& address) const;
};

[[nodiscard]] AdversarialCast make_adversarial_cast();

/// Genesis accounts. Programs use what the revision has, and little of what it has not.
[[nodiscard]] std::vector<GenesisAccount> make_adversarial_alloc(const AdversarialCast& cast,
                                                                 Revision revision,
                                                                 workload::Random& random);

/// Replaces one of the contracts that blocks call themselves: by one that delegates to where its
/// code now is (EIP-7702), or by other code with a balance; those called at the begin may also be
/// missing or fail.
void vary_system_contract(std::vector<GenesisAccount>& alloc, workload::Random& random);

/// The i-th of the accounts of this block's share; counting goes on into the next blocks'.
[[nodiscard]] Address adversarial_dead(std::uint64_t block, std::uint64_t i) noexcept;
/// One of those that live whatever happens: contracts that stay, senders that have sent.
[[nodiscard]] Address adversarial_living(const AdversarialCast& cast, std::uint64_t i) noexcept;
/// Address of the child that the factory makes with this salt, from Constantinople on.
[[nodiscard]] Address adversarial_child(std::uint64_t salt);
/// Init code of the factory's children; also for creation transactions.
[[nodiscard]] Bytes adversarial_child_init_code();
/// Call data of those words.
[[nodiscard]] Bytes call_words(const std::vector<Uint256>& words);

}  // namespace heddle::test
