// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The ledger on disk: a chain of committed blocks with the state after each, which survives crashes
// and loss of power. How it is kept is described in docs/storage.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <types/ancestor.hpp>
#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/block_sink.hpp>
#include <types/genesis.hpp>
#include <types/hash.hpp>
#include <types/object.hpp>
#include <types/receipt.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

#include <ledger/ledger_error.hpp>

namespace heddle::ledger {

/// When written blocks are forced to the disk, and thereby become durable. Whatever it says, after
/// the process is killed nothing is lost that was written; after a loss of power at most this many
/// blocks, or as many as were committed in this time.
struct SyncPolicy {
    std::uint64_t blocks = 1;
    std::chrono::milliseconds interval{1000};
    /// How long a block may wait to be written together with later ones, while nobody waits for it.
    std::chrono::milliseconds linger{0};
};

/// For DurableLedgerOptions::history_blocks: history is never pruned.
inline constexpr std::uint64_t kArchive = std::numeric_limits<std::uint64_t>::max();

/// What becomes of a ledger's mark that it keeps all history, so that nobody drops it by oversight.
enum class ArchiveMark : std::uint8_t {
    ignored,  // neither read nor written: for readers and tools
    heeded,   // a ledger that has it is not opened
    set,
    cleared,
};

struct DurableLedgerOptions {
    std::string directory;
    SyncPolicy sync;
    /// For all caches, tries and buffers together.
    std::size_t memory_bytes = std::size_t{1} << 30;
    /// Blocks below the head whose state stays readable and that can be rolled back.
    std::uint64_t history_blocks = 90'000;
    ArchiveMark archive_mark = ArchiveMark::ignored;
    /// Blocks whose access lists are kept, the head's first; kArchive: all. EIP-7928 asks for those
    /// of 3,533 epochs.
    std::uint64_t access_list_blocks = std::uint64_t{3'533} * 32;
    /// Blocks between checkpoints: at most about as many are brought forward after a crash.
    std::uint64_t checkpoint_blocks = 64;
    /// Threads that bring tries up to date; 0: one per processor.
    unsigned threads = 0;
    /// Whether a wrong state root is computed again from all leaves, to say whose fault it is.
    /// Takes time with the size of the state.
    bool explains_mismatches = true;
    /// Called from any thread: blocks up to this one would survive a loss of power.
    /// Must not wait for the ledger.
    std::function<void(std::uint64_t number)> on_durable;
    /// Called from any thread: nothing more is written, commit() fails from now on.
    std::function<void(const LedgerError&)> on_failure;
    /// Called from any thread when the state cannot be read, which execution has no way to
    /// report. Must not return; where there is none, the process is aborted.
    std::function<void(const LedgerError&)> on_read_failure;
};

/// What opening found and did.
struct OpenReport {
    std::uint64_t head = 0;
    /// The state on disk was that of this block; it was brought forward to the head.
    std::uint64_t state_block = 0;
};

/// What was done since the ledger was opened. Times are wall-clock times in nanoseconds.
struct LedgerStats {
    // On the committing thread:
    std::uint64_t root_ns = 0;  // moving the tries, and handing their nodes to the writing thread
    std::uint64_t flat_ns = 0;  // finding what changed and moving the flat state
    std::uint64_t wait_ns = 0;  // for the writing thread
    // On the writing thread, beside it:
    std::uint64_t write_ns = 0;

    std::uint64_t roots_foreseen = 0;    // computed before the block was there
    std::uint64_t roots_taken_back = 0;  // of these, because something else came
    std::uint64_t accounts_changed = 0;  // summed over blocks
    std::uint64_t slots_changed = 0;     // summed over blocks
    std::uint64_t bytes_written = 0;     // to files and logs
    std::uint64_t database_reads = 0;  // values looked up, cursors placed or moved, by all threads
};

/// What the ledger takes at the moment, in bytes, but for what a block in work needs.
struct LedgerMemory {
    std::size_t values = 0;         // of accounts and slots, cached or not in the tables yet; about
    std::size_t codes = 0;          // read or deployed lately
    std::size_t tries = 0;          // nodes, and room for others
    std::size_t changes = 0;        // of blocks since the last checkpoint
    std::size_t block_cache = 0;    // RocksDB's: blocks of files, indices and filters
    std::size_t write_buffers = 0;  // RocksDB's, of all tables
    std::size_t table_readers = 0;  // RocksDB's, beside the cache; about
    std::size_t waiting_blocks = 0;  // committed and not in the database yet: a number
    std::size_t waiting_bytes = 0;   // these, with trie nodes that go with them
};

/// How far below the head the tries that blocks are committed with can be moved back, and forward
/// again, for proofs and state roots.
inline constexpr std::uint64_t kProofBlocks = 128;

class SnapshotWriter;

/// One block of the chain as the ledger holds it.
struct StoredBlock {
    Block block;  // with senders
    Hash hash;
    Uint256 total_difficulty;
    std::vector<Receipt> receipts;  // complete
};
using SharedStoredBlock = std::shared_ptr<const StoredBlock>;

struct StoredHeader {
    BlockHeader header;
    Hash hash;
    Uint256 total_difficulty;
};

/// Which transaction of which block.
struct TransactionLocation {
    std::uint64_t number = 0;
    std::uint32_t index = 0;
};

/// A proof of an account and of some of its slots, or of their absence (EIP-1186).
struct AccountProof {
    std::optional<Account> account;
    Hash storage_root = kEmptyTrieRoot;
    std::vector<Bytes> nodes;  // RLP, from the root on
    struct Slot {
        Uint256 slot;
        Uint256 value;
        std::vector<Bytes> nodes;
    };
    std::vector<Slot> slots;
};

/// A key of the trie of accounts, or of the storage trie of one of them.
struct TrieKey {
    std::optional<Address> owner;  // of the storage trie; nullopt: the trie of accounts
    Hash key;
};

/// An account by the hash of its address.
struct AccountKey {
    Hash hash;
    /// nullopt: the account is not there any more, and its address is not kept.
    std::optional<Address> address;
};
struct VisitedAccount {
    AccountKey key;
    std::optional<Account> account;  // nullopt: it was not there
    Hash storage_root;
};
struct VisitedSlot {
    Hash hash;  // of its number
    /// nullopt: it is zero by now, and its number is not kept.
    std::optional<Uint256> slot;
    Uint256 value;  // zero: it was not there
};

/// The state after some committed block, whatever the head does meanwhile. Must not outlive its
/// ledger.
/// Thread safety: reads from any thread, also while it is moved.
class PastState : public StateView {
public:
    /// To the state after another block, not below the one it was made for and not above the head
    /// of that time.
    virtual void move_to(std::uint64_t number) noexcept = 0;

    // In the order of the tries, from a hash on, until `visit` returns false. What was not there
    // but was known earlier or later is visited, too, for it takes the same time: whoever has a
    // deadline can look at the clock.
    using VisitAccount = std::function<bool(const VisitedAccount&)>;
    using VisitSlot = std::function<bool(const VisitedSlot&)>;
    /// Errors: unavailable, where the kind of state has no order; of the database.
    [[nodiscard]] virtual std::expected<void, LedgerError> visit_accounts(
        const Hash& from, const VisitAccount& visit) const;
    [[nodiscard]] virtual std::expected<void, LedgerError> visit_slots(
        const AccountKey& account, const Hash& from, const VisitSlot& visit) const;
};

/// Asked now and then by what may take long: whether to go on.
using GoOn = std::function<bool()>;

/// The tries after some committed block, whatever the head does meanwhile: made again for whoever
/// asks, from the newest ones on the disk and from what has changed between. Must not outlive its
/// ledger.
/// Thread safety: none. After an error only destruction makes sense. All may take long and ask
/// whether to go on. Errors: unavailable where that is denied or where more memory would be needed
/// than an eighth of the ledger's, of at least 32 MiB; of the database.
class PastTries {
public:
    PastTries() = default;
    PastTries(const PastTries&) = delete;
    PastTries& operator=(const PastTries&) = delete;
    virtual ~PastTries() = default;

    [[nodiscard]] virtual std::expected<AccountProof, LedgerError> prove(
        const Address& address, std::span<const Uint256> slots) = 0;
    /// As DurableLedger::trie_nodes().
    [[nodiscard]] virtual std::expected<std::set<Bytes>, LedgerError> nodes(
        std::span<const TrieKey> keys) = 0;
    /// The state root with `diff`, made on the state after that block, on top; nothing is kept.
    [[nodiscard]] virtual std::expected<Hash, LedgerError> root_with(const StateDiff& diff) = 0;
};

/// Thread safety: commit(), stage(), publish(), unstage(), foresee(), rewind(), state_root_with(),
/// prove(), trie_nodes(), is_near(), visit_state(), begin_snapshot() and close() by one caller at a
/// time; everything else from any thread, also meanwhile. Invariants: 1. the head's state root is
/// that of state(); 2. what readers see is committed; 3. what is on disk is a prefix of what is
/// committed.
class DurableLedger final : public BlockSink, public BlockHashes {
public:
    /// Makes a ledger that holds the genesis block only, and opens it. One whose making was
    /// interrupted is made anew.
    /// @param chain  Kept as it is, for whoever opens it without a genesis file.
    /// Errors: already_exists, not_a_ledger, locked, no_space, io_error.
    [[nodiscard]] static std::expected<std::unique_ptr<DurableLedger>, LedgerError> create(
        DurableLedgerOptions options, const Genesis& genesis, BytesView chain);
    /// Opens at the last block that is there and verifies its root.
    /// Errors: archive, as the options say; those of the database.
    [[nodiscard]] static std::expected<std::unique_ptr<DurableLedger>, LedgerError> open(
        DurableLedgerOptions options);
    /// Whether there is a finished ledger in the folder.
    [[nodiscard]] static bool exists(const std::string& directory);

    DurableLedger(const DurableLedger&) = delete;
    DurableLedger& operator=(const DurableLedger&) = delete;
    /// As close(), without its error.
    ~DurableLedger() override;

    /// Writes everything, so that opening has nothing to bring forward. Nothing may follow.
    [[nodiscard]] std::expected<void, LedgerError> close();

    /// As BlockSink. The block is committed in memory when this returns, and durable later.
    /// @return also BlockErrorCode::unknown_parent, invalid_number, or storage_failed where an
    /// earlier block could not be written.
    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override;
    /// commit() in two steps, for consensus that decides in between (ABCI FinalizeBlock and
    /// Commit). Computes and checks the state root and holds the block; readers see nothing of it.
    /// One that was held before is dropped. Errors: as commit(); nothing is held then.
    [[nodiscard]] std::expected<Hash, BlockError> stage(FinishedBlock block);
    /// Makes the block that is held the head. There is one.
    void publish();
    /// Drops the block that is held, if there is one.
    void unstage();
    /// As BlockSink: the tries go ahead of everything else, and back again if something else comes.
    /// Nothing is done while a block is held.
    void foresee(const Hash& parent, const StateDiff& diff) override;
    /// Takes the blocks above `number` back while the ledger is open, so that this one is the head:
    /// for development chains, whose blocks nobody else relies on. What is held is dropped.
    /// States handed out before stay what they are. Written when this returns, not yet durable.
    /// Complexity: linear in what these blocks hold and have changed, whatever else there is.
    /// Errors: invalid above the head; unavailable where the changes are not kept any more, nothing
    /// is taken back then; io_error, after which nothing more can be committed.
    [[nodiscard]] std::expected<void, LedgerError> rewind(std::uint64_t number);
    /// As BlockSink.
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override;

    /// Committed state after the head, as it moves. Good as long as the ledger.
    [[nodiscard]] const StateView& state() const noexcept;
    /// The state after block `number`. Errors: unavailable.
    [[nodiscard]] std::expected<std::unique_ptr<PastState>, LedgerError> state_at(
        std::uint64_t number) const;
    /// Where `diff`, made on `before`, does not change what block `number` changed: a sentence that
    /// names the first account or slot. nullopt: it is the same.
    [[nodiscard]] std::expected<std::optional<std::string>, LedgerError> difference(
        std::uint64_t number, const StateDiff& diff, const StateView& before) const;

    [[nodiscard]] StoredHeader head() const;
    /// Blocks up to this one survive a loss of power.
    [[nodiscard]] std::uint64_t durable() const;
    /// Waits until block `number` survives a loss of power; rewind() waits for whoever waits. Not
    /// from within on_durable or on_failure. Errors: invalid above the head; that of the write that
    /// failed.
    [[nodiscard]] std::expected<void, LedgerError> wait_durable(std::uint64_t number);
    /// Waits until block `number` is written: the end of the process cannot take it back, a loss of
    /// power can until it is durable. Errors: as wait_durable().
    [[nodiscard]] std::expected<void, LedgerError> wait_written(std::uint64_t number);
    /// Block `number`, then those before it, for an executor that goes on from there. Bodies are
    /// read of those only that have ommers.
    [[nodiscard]] std::expected<std::vector<Ancestor>, LedgerError> ancestors(
        std::uint64_t number) const;
    /// As BlockHashes; a block that is not there is fatal.
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override;
    /// block_hash() where blocks may be taken back meanwhile. nullopt: above the head, not kept.
    [[nodiscard]] std::optional<Hash> find_block_hash(std::uint64_t number) const noexcept;

    /// nullopt: no such block or transaction.
    template <typename T>
    using Found = std::expected<std::optional<T>, LedgerError>;
    [[nodiscard]] Found<StoredHeader> header(std::uint64_t number) const;
    [[nodiscard]] Found<std::uint64_t> block_number(const Hash& hash) const;
    [[nodiscard]] Found<StoredBlock> block(std::uint64_t number) const;
    /// block(), not copied where it is the head or not written yet. Null: no such block.
    [[nodiscard]] std::expected<SharedStoredBlock, LedgerError> shared_block(
        std::uint64_t number) const;
    [[nodiscard]] Found<std::vector<ObjectSet>> object_sets(std::uint64_t number) const;
    /// object_sets() as encode_object_sets() makes them, and as they are stored: for other nodes.
    [[nodiscard]] Found<Bytes> encoded_object_sets(std::uint64_t number) const;
    /// RLP of a block's access list (EIP-7928), where its header claims none the one that was made
    /// for execution. nullopt: no such block, it has none, or the list is not kept any more.
    [[nodiscard]] Found<Bytes> access_list(std::uint64_t number) const;
    [[nodiscard]] Found<TransactionLocation> find_transaction(const Hash& hash) const;

    /// The tries after block `number`, apart from those that blocks are committed with: takes as
    /// long as what has changed between it and the last checkpoint, and nobody waits. From any
    /// thread. Errors: unavailable where state_at() is, and as PastTries.
    [[nodiscard]] std::expected<std::unique_ptr<PastTries>, LedgerError> tries_at(
        std::uint64_t number, GoOn go_on) const;
    /// Whether moving the tries to block `number` and back is a matter of milliseconds: whether
    /// few values have changed since, `values` more of the question's own included.
    [[nodiscard]] bool is_near(std::uint64_t number, std::size_t values = 0) const;

    // With the tries that blocks are committed with, which are moved there and back meanwhile: for
    // what is_near().
    /// Against the state root of block `number`.
    /// Errors: unavailable where it is more than kProofBlocks below the head.
    [[nodiscard]] std::expected<AccountProof, LedgerError> prove(std::uint64_t number,
                                                                 const Address& address,
                                                                 const std::vector<Uint256>& slots);
    /// RLP of the nodes on the way to these keys in the tries of block `number`, as proofs have
    /// them, each once, ascending. Errors: as prove().
    [[nodiscard]] std::expected<std::set<Bytes>, LedgerError> trie_nodes(
        std::uint64_t number, std::span<const TrieKey> keys);
    /// The state root of block `number` with `diff`, made on the state after it, on top; nothing is
    /// kept. Errors: as prove().
    [[nodiscard]] std::expected<Hash, LedgerError> state_root_with(std::uint64_t number,
                                                                   const StateDiff& diff);

    /// Who is told of a whole state, account by account. Each returns whether to go on.
    struct StateVisitor {
        std::function<bool(const Address&, const Account&)> on_account;
        /// Of the account told of last, none of them zero.
        std::function<bool(const Uint256& slot, const Uint256& value)> on_slot;
    };
    /// Visits the state after the head, in no order that means anything. Called as commit() is, not
    /// while a block is held. Errors: no_space, io_error, corrupt.
    [[nodiscard]] std::expected<void, LedgerError> visit_state(const StateVisitor& visitor);

    /// The state after the head, for a snapshot that is written while blocks go on being committed;
    /// called as commit() is, not while one is held. Waits until the tables show that state. Must
    /// not outlive the ledger, and the files that it reads stay on the disk until it is gone.
    [[nodiscard]] std::expected<std::unique_ptr<SnapshotWriter>, LedgerError> begin_snapshot();

    /// The number of the first block kept: 0, or that of the snapshot that was restored.
    [[nodiscard]] std::uint64_t first_block() const noexcept;
    /// State can be read, and rolled back to, from this block on.
    [[nodiscard]] std::uint64_t first_state() const;
    /// From now on the states after this block and all later ones are kept, however few are asked
    /// for: it is the one that is shown as the last. Thread safety: any.
    void hold_states_from(std::uint64_t number) noexcept;
    /// What create() or replace_chain() was given.
    [[nodiscard]] const Bytes& chain() const noexcept;
    /// Keeps something else from now on; durable when this returns. As commit(), while nobody else
    /// asks for it. Errors: no_space, io_error: nothing has changed.
    [[nodiscard]] std::expected<void, LedgerError> replace_chain(BytesView chain);
    [[nodiscard]] const OpenReport& open_report() const noexcept;
    /// Thread safety: as commit().
    [[nodiscard]] LedgerStats stats() const noexcept;
    /// Not while it is closed. Complexity: looks at every table and at every block since the last
    /// checkpoint.
    [[nodiscard]] LedgerMemory memory() const;

private:
    friend class GenesisLoader;
    struct Impl;
    explicit DurableLedger(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::ledger
