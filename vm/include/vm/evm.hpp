// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The machine that executes transactions: reusable stacks, memory and journal of one worker, and
// the code cache that workers share. What it does is in transition.hpp and block.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include <types/address.hpp>

namespace heddle::vm {

/// Which precompiled contract (precompile_index()) runs at which address.
using PrecompileTable = std::unordered_map<Address, std::uint32_t, AddressHasher>;

struct AccessRecord;
struct KnownHash;
class Tracer;
class CodeCache;
class HashNotes;
class Machine;
class Supervisor;

/// Decoding what is executed once costs more than executing it plainly some times. With more or
/// fewer entries blocks that run for the first time take longer, with none a half; repeated ones
/// take the same with all of them (docs/adr/0021-code-is-decoded-where-it-is-entered.md).
inline constexpr std::uint32_t kDecodeAfterEntries = 4;

inline constexpr std::size_t kDefaultCodeCacheBytes = std::size_t{256} << 20;

/// Which interpreter runs the code. Both give identical results.
enum class Engine : unsigned char {
    fast,   // decoded instructions, basic-block gas, threaded dispatch
    plain,  // byte at a time: the oracle, and the one that can be traced
};

/// Mutual exclusion for a code cache that several threads share. vm itself knows no threads:
/// whoever has them supplies it.
class CodeCacheLock {
public:
    virtual ~CodeCacheLock() = default;
    virtual void lock() noexcept = 0;
    virtual void unlock() noexcept = 0;
};

/// Analysed code by code hash and revision, bounded by the memory it takes.
/// @param lock    Null: the cache is used by one thread at a time.
/// Thread safety: with a lock, concurrent use by any number of Evm objects.
[[nodiscard]] std::shared_ptr<CodeCache> make_code_cache(
    std::size_t max_bytes = kDefaultCodeCacheBytes, std::unique_ptr<CodeCacheLock> lock = nullptr);

struct EvmOptions {
    Engine engine = Engine::fast;
    /// Observer of every instruction; forces Engine::plain. Must outlive the Evm. May be null.
    Tracer* tracer = nullptr;
    /// Shared analysed code; null: a private cache.
    std::shared_ptr<CodeCache> code_cache{};
    /// How often control must have entered 64 bytes of code, or near, before the fast interpreter
    /// decodes what is entered there; until then the plain one runs it. 0: decoded at once. Cold
    /// code is the common case on a real chain, and most of it runs once.
    std::uint32_t decode_after_entries = 0;
    /// Whether outcomes tell what was accessed.
    bool record_accesses = false;
    /// Whether a fee to a beneficiary that the transaction did not touch is left to the caller, so
    /// that it depends on nothing and commutes with all others (Outcome::deferred_fee).
    bool defer_fees = false;
    /// Whether the bloom of a receipt is left to the caller, empty: several are made in much less
    /// time than one by one (BloomMaker).
    bool leave_blooms = false;
    /// Where a message has touched much code (as much as the cache holds; 8 MiB at least, 64 at
    /// most), what of it no frame runs is let go of, and fetched once more if it is asked for
    /// again. To come back to such code costs a hundred gas, however long it takes to have it, so
    /// what was fetched twice is kept: a block must keep what it has paid for. With this on that is
    /// let go of, too: for who pays nothing and has a deadline.
    bool lets_go_of_code = false;
};

/// Ownership: owns its buffers, shares the code cache.
/// Thread safety: one thread at a time; any number of Evm objects concurrently.
class Evm {
public:
    explicit Evm(EvmOptions options = {});
    ~Evm();
    Evm(Evm&&) noexcept;
    Evm& operator=(Evm&&) noexcept;
    Evm(const Evm&) = delete;
    Evm& operator=(const Evm&) = delete;

    /// Changes EvmOptions::record_accesses from the next transaction on.
    void record_accesses(bool on) noexcept;

    /// From the next transaction on, these precompiled contracts run in place of the revision's,
    /// which nevertheless are the ones that are warm from the start. For simulations.
    /// @param table  Must outlive its use. Null: the revision's own.
    void use_precompiles(const PrecompileTable* table) noexcept;

    /// From the next transaction or system call on, this one is asked whether executions go on.
    /// @param supervisor  Must outlive its use. Null: they run to their end.
    void supervise(Supervisor* supervisor) noexcept;

    /// What the execution under way has accessed up to now, as Outcome::accesses tells it at the
    /// end, without what was changed. From Supervisor::on_gas() only.
    /// @param record  Overwritten.
    void accesses_so_far(AccessRecord& record) const noexcept;

    /// Whether the transaction under way has made the machine keep so much code that others had
    /// better not do the same meanwhile: twice what EvmOptions::lets_go_of_code speaks of. From
    /// Supervisor::on_gas().
    [[nodiscard]] bool keeps_much_code() const noexcept;

    /// From here on, what contracts hash is noted (YP App. H.2, KECCAK256), 1 to 64 bytes each.
    /// @param notes  Must outlive its use. Null: it is not.
    void note_hashes(HashNotes* notes) noexcept;
    /// Contracts that hash these inputs get these hashes. Only some thousand are remembered, the
    /// newest ones.
    void remember(std::span<const KnownHash> hashes) noexcept;
    /// How many short inputs have been hashed because they were not remembered, up to now.
    [[nodiscard]] std::uint64_t hashes_made() const noexcept;
    /// hashes_made(), and those that remember() was told and that were not remembered before.
    [[nodiscard]] std::uint64_t hashes_missed() const noexcept;

    /// For the implementation of transition() and system_call() only.
    [[nodiscard]] Machine& machine() noexcept { return *machine_; }

private:
    std::unique_ptr<Machine> machine_;
};

}  // namespace heddle::vm
