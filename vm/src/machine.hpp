// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Carries out message calls and creations (YP 7, 8: Θ and Λ) with explicit frames: an interpreter
// runs one frame until it ends or asks for a call, and native recursion never grows with call
// depth.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <types/state_view.hpp>

#include <vm/evm.hpp>
#include <vm/status.hpp>

#include "code_cache.hpp"
#include "frame.hpp"
#include "transaction_state.hpp"

namespace heddle::vm {

struct CallResult {
    Status status = Status::success;
    std::int64_t gas_left = 0;
    /// Valid until the next call at the same depth.
    BytesView output;
    AccountEntry* created = nullptr;  // creations that succeeded
    /// Frontier: what was created is left without the code that could not be paid.
    bool is_code_unpaid = false;
};

/// Code that a machine pins, decoded passages included, beyond which it decodes no more, and
/// forgets all when the transaction ends.
inline constexpr std::size_t kPinnedCodeBytes = std::size_t{64} << 20;
/// Of a machine whose cache is small: beyond this it lets go of code that no frame runs, with a
/// larger cache beyond as much as that holds, and kPinnedCodeBytes at most.
inline constexpr std::size_t kLeastPinnedCodeBytes = std::size_t{8} << 20;
/// What a precompiled contract returned, of the frames before: in bytes.
inline constexpr std::size_t kKeptOutput = std::size_t{64} << 10;

/// Thread safety: one thread at a time.
class Machine {
public:
    explicit Machine(EvmOptions options);

    [[nodiscard]] TransactionState& state() noexcept { return state_; }
    [[nodiscard]] KeccakCache& hashes() noexcept { return hashes_; }
    [[nodiscard]] bool records_accesses() const noexcept { return record_accesses_; }
    void record_accesses(bool on) noexcept { record_accesses_ = on; }
    void use_precompiles(const PrecompileTable* table) noexcept { precompiles_ = table; }
    [[nodiscard]] Oversight& oversight() noexcept { return oversight_; }
    [[nodiscard]] bool defers_fees() const noexcept { return defer_fees_; }
    [[nodiscard]] bool leaves_blooms() const noexcept { return leave_blooms_; }
    /// For find_authorities().
    [[nodiscard]] std::vector<std::optional<Address>>& authorities() noexcept {
        return authorities_;
    }

    /// Starts a transaction: `env` and what it points to must outlive it.
    /// @return false: it is to be stopped at once.
    [[nodiscard]] bool begin(const StateView& view, const TransactionEnv& env) noexcept;

    /// Executes an outermost message (depth 0) and everything it calls. The caller's nonce has been
    /// incremented, its gas has been bought.
    [[nodiscard]] CallResult execute(const Message& message) noexcept;
    /// An outermost message that is not executed: what comes before it could not be paid, or with
    /// it. The state has been reverted; its gas is gone, what was paid for state comes back.
    [[nodiscard]] CallResult fail(const Message& message, Status status) noexcept;

    /// Code of the account, which has some. It is kept while a frame runs it. Else it may go back
    /// to the cache where there is much of it; when it has been fetched a second time, it is kept
    /// as long as the transaction, unless EvmOptions::lets_go_of_code says otherwise.
    [[nodiscard]] CodeInUse& code_of(AccountEntry& account) noexcept;

    /// Memory that frames hold, in use or kept for later. For tests.
    [[nodiscard]] std::size_t frame_bytes() const noexcept;
    /// Memory of the code that it has in use, in bytes.
    [[nodiscard]] std::size_t code_bytes() const noexcept { return codes_bytes_; }
    /// See Evm.
    [[nodiscard]] bool keeps_much_code() const noexcept {
        return codes_bytes_ > 2 * pinned_code_bytes_;
    }

private:
    /// Starts a call or creation. @return its result if it ended at once, otherwise its frame waits
    /// at `message.depth`.
    [[nodiscard]] std::optional<CallResult> start(const Message& message) noexcept;
    [[nodiscard]] std::optional<CallResult> start_call(const Message& message) noexcept;
    [[nodiscard]] std::optional<CallResult> start_creation(const Message& message) noexcept;
    void push_frame(const Message& message, const Checkpoint& checkpoint) noexcept;
    /// The number of the precompiled contract that runs at `address`, or 0.
    [[nodiscard]] std::uint32_t precompile_at(const Address& address) const noexcept;
    /// Gas that the callers of a frame at this depth have kept.
    [[nodiscard]] std::int64_t gas_outside(std::uint32_t depth) const noexcept;
    [[nodiscard]] CallResult run_precompile(std::uint32_t index, const Message& message,
                                            const Checkpoint& checkpoint) noexcept;
    /// execute() but for the last question to the supervisor.
    [[nodiscard]] CallResult run_message(const Message& message) noexcept;
    [[nodiscard]] CallResult finish(Frame& frame) noexcept;
    /// Whether a frame that ended so takes all others with it.
    [[nodiscard]] static bool ends_transaction(Status status) noexcept {
        return status == Status::undeclared_access || is_unfinished(status);
    }
    /// Nothing is under way: frames keep what calls of the usual depth need. Else each of a
    /// thousand depths would for ever hold what some transaction has once needed there. The same of
    /// their stacks: pages of them that were touched are in memory.
    void give_back_frames() noexcept;
    /// The same of code: whoever is idle next would hold for as long what one transaction touched,
    /// and what the cache has dropped since.
    void give_back_codes() noexcept;
    /// Ends every frame from this one outwards, as this one has ended.
    [[nodiscard]] CallResult abort(const Frame& innermost) noexcept;
    /// EIP-170, 7954.
    [[nodiscard]] bool is_too_large(BytesView code) const noexcept;
    void finish_creation(Frame& frame) noexcept;
    /// The same from Amsterdam on (EIP-7954, 8037).
    void deploy(Frame& frame, BytesView code) noexcept;
    /// Code that has been paid for becomes the account's: it is copied and hashed.
    void leave_code(Frame& frame, BytesView code) noexcept;
    /// What becomes of a frame's state gas as it ends (EIP-8037).
    void leave_state_gas(const Frame& frame, CallResult& result) noexcept;
    /// EIP-7708; told to the tracer.
    void log_transfer(const Address& from, const Address& to, const Uint256& value) noexcept;
    /// Hands a call's result to the frame that asked for it.
    void deliver(Frame& frame, const CallResult& result) noexcept;
    void run(Frame& frame) noexcept;
    void run_native(Frame& frame) noexcept;

    void set_code(Frame& frame, AccountEntry& owner) noexcept;
    [[nodiscard]] static bool is_dropped(const CodeInUse& use) noexcept;
    void count_codes() noexcept;
    /// Has the account's code ready in `use`, which has none.
    void fetch_code(CodeInUse& use, const AccountEntry& account) noexcept;
    /// Lets go of code that no frame runs: one transaction can touch more than there is memory.
    void release_idle_codes() noexcept;
    void set_init_code(Frame& frame, BytesView bytes) noexcept;
    /// Chooses the interpreter for a frame that has its code.
    void begin_code(Frame& frame) noexcept;
    /// Code grows as it is decoded.
    void note_growth(CodeInUse& use) noexcept;
    [[nodiscard]] Frame& frame_at(std::uint32_t depth);

    void trace_exit(const CallResult& result, std::int64_t gas) noexcept;

    // Immutable after construction.
    Engine engine_;
    Tracer* tracer_;
    std::shared_ptr<CodeCache> code_cache_;
    std::uint32_t decode_after_entries_;
    bool record_accesses_;
    bool defer_fees_;
    bool leave_blooms_;
    bool lets_go_of_code_;
    std::size_t pinned_code_bytes_;  // see kLeastPinnedCodeBytes
    /// Of code that the cache may have dropped, that it keeps from transaction to transaction.
    std::size_t kept_code_bytes_;

    const PrecompileTable* precompiles_ = nullptr;  // null: the revision's own

    // One transaction's.
    TransactionState state_;
    Oversight oversight_{state_.state_gas()};
    const GasSchedule* schedule_ = nullptr;
    const TransactionEnv* env_ = nullptr;
    BlockHashMemo block_hashes_;

    // Kept from transaction to transaction.
    KeccakCache hashes_;
    std::vector<std::optional<Address>> authorities_;
    ModulusCache moduli_;
    struct FreeDeleter {
        void operator()(Uint256* words) const noexcept { std::free(words); }
    };
    using Stack = std::unique_ptr<Uint256, FreeDeleter>;
    /// All frames' stacks, one behind the other.
    [[nodiscard]] static Stack make_stack() noexcept;
    Stack stack_;
    std::ptrdiff_t highest_stack_ = 0;  // words before the one that has begun highest in it
    std::ptrdiff_t touched_stack_ = 0;  // the same of earlier messages, where it is much
    unsigned low_messages_ = 0;         // since then
    std::vector<std::unique_ptr<Frame>> frames_;  // by depth
    std::uint32_t deepest_ = 0;                   // of the message that is executed
    /// Code in use, so that the shared cache is asked once and eviction cannot hurt a running
    /// frame.
    std::array<std::unordered_map<Hash, CodeInUse, HashHasher>, kRevisionCount> codes_;
    std::size_t codes_bytes_ = 0;          // entries included
    std::vector<CodeInUse*> may_go_;       // of `codes_`, with code that may be let go of
    bool has_let_go_ = false;              // of code, in this transaction
    std::size_t release_codes_above_ = 0;  // bytes
    std::size_t give_back_above_ = 0;      // bytes, at the end of a transaction
};

}  // namespace heddle::vm
