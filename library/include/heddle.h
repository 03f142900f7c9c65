// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// libheddle: executes blocks and transactions of Ethereum-compatible chains, of every fork from
// Frontier to Amsterdam, on a state that the caller keeps. The library asks for what execution
// reads through callbacks and gives back what it changes; it opens no files, no sockets, and keeps
// nothing of the state from one call to the next but code, which is what its hash says. This is C99
// and C++11.
//
//     heddle_chain *chain;       the rules: from a genesis file, its `config`, or a fork's name
//     heddle_engine *engine;     the machines: threads and analysed code, kept warm between calls
//     heddle_state state;        the caller's callbacks
//     heddle_result *result;     receipts, gas, changes, the block's header and access list
//
// Rules that hold throughout:
//
// - Errors. A function that can fail returns a heddle_status and, where `error` is not null, fills
//   it in. Where it returns anything but HEDDLE_OK no result is made and `*out` is null. Nothing a
//   caller passes ends the process but pointers to memory that is not theirs, and memory running out
//   inside of an execution.
// - Ownership. What a function hands out as a pointer to an opaque type belongs to the caller until
//   the function of that type whose name ends with _free, which takes null as well. What is inside
//   of a struct that a function fills in belongs to the object it was asked of, and lives as long.
//   What the caller passes is borrowed for the duration of the call only, and copied where needed.
// - Versions. Structs begin with their size, which the caller sets to sizeof; HEDDLE_INIT does. So
//   later versions can add fields at their end: what the caller does not know is taken as zero,
//   and what this library does not know must be zero. Symbols and meanings stay within a soname.
// - Numbers. Bytes are most significant first in heddle_word; amounts are in wei, gas in units of
//   gas, times in seconds since 1970, sizes in bytes. What is reserved is left zero.
// - Threads. Chains are immutable: any number of threads may use one. An engine serves one call at
//   a time, and refuses a second one with HEDDLE_BUSY; use one engine a thread. Results are
//   immutable: any number of threads may read one. Callbacks run in the thread of the call if the
//   engine has one worker, and else in several threads of the library at once.
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Of this header: what the soname of the library ends with.
#define HEDDLE_INTERFACE 1

/// Begins a struct of this interface: `heddle_state state = HEDDLE_INIT(heddle_state);`. The fields
/// behind the size are zero.
#ifdef __cplusplus
#define HEDDLE_INIT(type)                 \
    ([] {                                 \
        type heddle_value = type();       \
        heddle_value.size = sizeof(type); \
        return heddle_value;              \
    }())
#else
#define HEDDLE_INIT(type) {.size = sizeof(type)}
#endif

#if defined(__GNUC__)
#define HEDDLE_API __attribute__((visibility("default")))
#else
#define HEDDLE_API
#endif

// --- Values --------------------------------------------------------------------------------------

typedef struct heddle_bytes {
    const uint8_t *data; ///< May be null where `size` is zero.
    size_t size;
} heddle_bytes;

typedef struct heddle_address {
    uint8_t bytes[20];
} heddle_address;

typedef struct heddle_hash {
    uint8_t bytes[32];
} heddle_hash;

/// An unsigned number of 256 bits, most significant byte first.
typedef struct heddle_word {
    uint8_t bytes[32];
} heddle_word;

// --- Errors --------------------------------------------------------------------------------------

typedef enum heddle_status {
    HEDDLE_OK = 0,
    HEDDLE_INVALID_ARGUMENT = 1, ///< null, a wrong size, an unknown flag, an index beyond the end
    HEDDLE_MALFORMED = 2,        ///< bytes that are no block or transaction, text that is no JSON
    HEDDLE_REJECTED = 3,         ///< the block or the transaction breaks a rule of the chain
    HEDDLE_CALLBACK_FAILED = 4,  ///< a callback returned something else than zero
    HEDDLE_BAD_STATE = 5,        ///< a callback's answer cannot be: code of another hash
    HEDDLE_LIMIT = 6,            ///< larger than the library takes
    HEDDLE_BUSY = 7,             ///< the engine is executing already, perhaps this very callback
    HEDDLE_OUT_OF_MEMORY = 8,
    HEDDLE_INTERNAL = 9          ///< a mistake in the library
} heddle_status;

/// Why a call failed. Left alone by a call that succeeds.
typedef struct heddle_error {
    size_t size;
    int32_t status;            ///< what the function returned
    int32_t callback_result;   ///< what the callback returned: HEDDLE_CALLBACK_FAILED only
    int64_t transaction_index; ///< in the block, from 0; -1: it is not about one of them
    /// Rejected: the rule, in a word for programs, as `nonce_too_low` or `invalid_gas_used`. Else
    /// empty.
    char rule[48];
    char text[464]; ///< a sentence for people, always terminated by a zero
} heddle_error;

/// The version of the library, as "1.2.3". Thread safety: any. Never null; lives for ever.
HEDDLE_API const char *heddle_version(void);

/// The name of a status, as "malformed". Never null; lives for ever.
HEDDLE_API const char *heddle_status_name(int32_t status);

// --- The rules of a chain ------------------------------------------------------------------------

typedef struct heddle_chain heddle_chain;

/// From a genesis file in geth's format, or from its object `config` alone: JSON of at most 64 MiB.
/// The accounts of a genesis file are not looked at.
/// Errors: malformed, limit.
HEDDLE_API heddle_status heddle_chain_from_json(const char *text, size_t text_size,
                                                heddle_chain **out, heddle_error *error);

/// By name: "mainnet", "sepolia", or a fork that holds from the first block on, as test suites name
/// them: "Frontier", ..., "Prague", "Osaka", "Amsterdam", or a transition of theirs such as
/// "ShanghaiToCancunAtTime15k".
/// Errors: invalid argument where there is no such name; the text then lists some.
HEDDLE_API heddle_status heddle_chain_by_name(const char *name, heddle_chain **out,
                                              heddle_error *error);

HEDDLE_API void heddle_chain_free(heddle_chain *chain);

// --- The caller's state --------------------------------------------------------------------------

typedef struct heddle_account {
    size_t size;         ///< set by the library
    uint64_t nonce;
    heddle_word balance; ///< wei
    /// Keccak-256 of the code. All zero is taken as the hash of no code.
    heddle_hash code_hash;
    uint8_t exists; ///< 0: there is no such account, and the other fields are ignored
    uint8_t reserved[7];
} heddle_account;

/// Takes the code that a callback gives.
typedef struct heddle_code_sink heddle_code_sink;

/// Hands over code, which is copied: at most 16 MiB, once in a call of the callback.
/// Errors: invalid argument, limit; then the execution fails whatever the callback returns.
HEDDLE_API heddle_status heddle_code_give(heddle_code_sink *sink, const uint8_t *code, size_t size);

typedef struct heddle_changes heddle_changes;

/// How the library reads the caller's state: the state before the block or the transaction. It must
/// not change during a call.
///
/// A callback returns 0, or whatever tells the caller what went wrong: the execution then ends,
/// the callbacks are not called any more, and the function returns HEDDLE_CALLBACK_FAILED with that
/// number. What they are to fill in is zero beforehand. They must not throw, must not jump, and
/// must return; they must not use the engine that called them.
///
/// Thread safety: with an engine of more than one worker callbacks are called by several threads at
/// once, each of them.
typedef struct heddle_state {
    size_t size;
    void *context; ///< passed to each callback
    /// The account at `address`. Needed.
    int (*account)(void *context, const heddle_address *address, heddle_account *account);
    /// The value of a slot; zero where there is none. Needed.
    int (*storage)(void *context, const heddle_address *address, const heddle_word *slot,
                   heddle_word *value);
    /// The code of this hash, which an account has named before: heddle_code_give(sink, ...). Code
    /// of another hash is HEDDLE_BAD_STATE. An engine keeps code, and does not ask for it each
    /// time. Needed where any account has code.
    int (*code)(void *context, const heddle_hash *code_hash, heddle_code_sink *sink);
    /// The hash of the block of this number, which is one of the 256 before (BLOCKHASH). Null: all
    /// of them are zero.
    int (*block_hash)(void *context, uint64_t number, heddle_hash *hash);
    /// Whether any slot of the account is not zero (EIP-7610): asked of accounts without code and
    /// nonce at whose address a contract is created. Null: none has.
    int (*has_storage)(void *context, const heddle_address *address, uint8_t *has_storage);
    /// The root of the state with these changes on top. Null: nobody knows it; then state roots are
    /// neither checked nor made. Called by one thread at a time, up to once a block; before
    /// Byzantium after each transaction.
    int (*state_root)(void *context, const heddle_changes *changes, heddle_hash *root);
} heddle_state;

// --- The engine ----------------------------------------------------------------------------------

typedef struct heddle_engine heddle_engine;

/// What is zero is left to the library.
typedef struct heddle_engine_options {
    size_t size;
    /// Threads that execute blocks, the caller's included: at most 256; 0: as many as there are
    /// processors. With 1 everything runs in the caller's thread.
    uint32_t workers;
    /// Or of HEDDLE_ENGINE_*.
    uint32_t flags;
    /// How blocks are put on threads: a name that `heddle bench` lists, as "dag". Null: chosen for
    /// each block. Changes no result.
    const char *scheduler;
    /// Memory for analysed code, in bytes; 0: 256 MiB.
    uint64_t code_cache_bytes;
    /// Blocks and transactions with a gas limit above this are refused: HEDDLE_LIMIT. 0: none are.
    uint64_t max_gas_limit;
} heddle_engine_options;

/// Access lists (EIP-7928) are made of blocks from Byzantium on, not only where the rules ask for
/// them.
#define HEDDLE_ENGINE_ACCESS_LISTS 1u

/// @param options  Null: those of zero.
/// Errors: invalid argument, out of memory.
HEDDLE_API heddle_status heddle_engine_new(const heddle_engine_options *options,
                                           heddle_engine **out, heddle_error *error);

/// Ends its threads. Not while it executes.
HEDDLE_API void heddle_engine_free(heddle_engine *engine);

// --- Execution -----------------------------------------------------------------------------------

typedef struct heddle_result heddle_result;

typedef struct heddle_withdrawal { ///< EIP-4895
    uint64_t index;
    uint64_t validator_index;
    heddle_address address;
    uint8_t reserved[4];
    uint64_t amount; ///< Gwei
} heddle_withdrawal;

/// A block's values as they are given by field.
typedef struct heddle_fields {
    size_t size;
    uint64_t number;
    uint64_t timestamp; ///< seconds
    uint64_t gas_limit;
    uint64_t excess_blob_gas; ///< from Cancun on
    uint64_t slot_number;     ///< from Amsterdam on (EIP-7843); a new block: 0 is the one that is due
    heddle_word base_fee_per_gas; ///< from London on; wei
    heddle_word difficulty;       ///< zero from Paris on
    heddle_hash prev_randao;      ///< before Paris the mix hash
    heddle_hash parent_hash;
    heddle_hash parent_beacon_block_root; ///< from Cancun on
    heddle_bytes extra_data;
    heddle_address beneficiary;
    uint8_t reserved[4];
} heddle_fields;

/// A block to be executed.
typedef struct heddle_block {
    size_t size;
    /// RLP of a whole block, to be verified. Empty: a block is to be made of the fields below.
    heddle_bytes rlp;

    /// RLP of the header before, then of those before that: up to seven matter where blocks have
    /// ommers, one suffices else. Each may also be a whole block, whose ommers are then known.
    ///
    /// A block to be verified that comes without is checked as far as that is possible: the roots
    /// of its transactions and withdrawals, gas, blob gas, receipts (from Byzantium on), bloom,
    /// requests, access list. With its parent everything is checked that its header claims, but
    /// for the seal of proof of work, and for the state root where there is no such callback. A
    /// block to be made needs its parent.
    const heddle_bytes *ancestors;
    size_t ancestor_count;
    /// Up to and including the parent. Null: unknown; a block of difficulty zero then counts as
    /// proof of stake.
    const heddle_word *parent_total_difficulty;

    /// Of a block to be made, in order: each a transaction as in heddle_execute_transaction().
    const heddle_bytes *transactions;
    size_t transaction_count;
    /// Of a block to be made: timestamp, gas limit, beneficiary, extra data, prev_randao, slot
    /// number and parent beacon block root; the rest follows, and is ignored.
    const heddle_fields *fields;
    const heddle_withdrawal *withdrawals; ///< of a block to be made, from Shanghai on
    size_t withdrawal_count;

    /// Who has signed the transactions, where the caller knows; trusted. Recovering a sender takes
    /// longer than executing a transfer. As many as transactions, or none.
    const heddle_address *senders;
    size_t sender_count;

    /// RLP of the access list that came with the block (EIP-7928); empty: none did. Checked where
    /// the header claims one; makes parallel execution faster.
    heddle_bytes access_list;
} heddle_block;

/// Executes a block on the state before it. Blocks, headers and lists are at most 1 GiB in all.
///
/// @param out  The result; the caller frees it.
/// Errors: invalid argument, malformed, rejected, callback failed, bad state, limit, busy.
/// Thread safety: one call at a time for each engine; `chain` may be shared.
/// Complexity: as the gas that it uses; of what is rejected up to its gas limit.
HEDDLE_API heddle_status heddle_execute_block(heddle_engine *engine, const heddle_chain *chain,
                                              const heddle_state *state, const heddle_block *block,
                                              heddle_result **out, heddle_error *error);

/// Executes one transaction, as if it were the only one of a block with these fields: nothing is
/// done before it and after it. In the caller's thread.
///
/// @param fields       Of the block; `extra_data` and the parent's hash and root have no meaning.
/// @param transaction  Canonical form: an RLP list, or type || payload (EIP-2718).
/// @param sender       Trusted where it is not null; else recovered from the signature.
/// Errors: as heddle_execute_block(); where the transaction may not be executed: rejected. One that
///         is executed and fails is none: see heddle_summary.success.
HEDDLE_API heddle_status heddle_execute_transaction(
    heddle_engine *engine, const heddle_chain *chain, const heddle_state *state,
    const heddle_fields *fields, heddle_bytes transaction, const heddle_address *sender,
    heddle_result **out, heddle_error *error);

// --- Results -------------------------------------------------------------------------------------

HEDDLE_API void heddle_result_free(heddle_result *result);

typedef struct heddle_summary {
    size_t size;
    uint64_t number;   ///< of the block
    uint64_t gas_used; ///< a block: as in its header; a transaction: what its sender pays
    /// What was taken of the block's gas, by dimension (EIP-8037). Before Amsterdam all of it is
    /// for execution.
    uint64_t execution_gas_used;
    uint64_t state_gas_used;
    uint64_t blob_gas_used;
    size_t receipt_count;
    heddle_hash block_hash; ///< of a block, where `is_header_complete`
    heddle_hash state_root; ///< where `has_state_root`
    uint8_t has_state_root; ///< the callback of this name has made it
    /// Of a block: `header` is that of a whole block. Not so of a block made without state root.
    uint8_t is_header_complete;
    uint8_t success; ///< of a transaction; of a block: 1
    uint8_t reserved[5];
    heddle_bytes header;      ///< of a block: RLP
    heddle_bytes access_list; ///< RLP of the access list (EIP-7928); empty: none was made
    heddle_bytes output;      ///< of a transaction: what it returned, or reverted with
    const char *ending;       ///< of a transaction: "success", "revert", "out of gas", ...
} heddle_summary;

/// @param out  Its size is set; the rest is filled in.
/// Errors: invalid argument.
HEDDLE_API heddle_status heddle_result_summary(const heddle_result *result, heddle_summary *out);

typedef struct heddle_receipt {
    size_t size;
    uint64_t gas_used; ///< what the sender pays
    uint64_t cumulative_gas_used;
    uint64_t blob_gas_used;
    heddle_word effective_gas_price; ///< wei
    heddle_hash post_state;          ///< before Byzantium, where there is a callback for roots
    heddle_address contract_address; ///< where `has_contract_address`
    uint8_t type;                    ///< of the transaction (EIP-2718); 0: legacy
    uint8_t success;
    uint8_t has_post_state;
    uint8_t has_contract_address;
    const uint8_t *bloom; ///< 256 bytes
    size_t log_count;
    heddle_bytes encoded; ///< canonical form, as it goes into the receipts root
} heddle_receipt;

typedef struct heddle_log {
    size_t size;
    heddle_address address;
    uint32_t topic_count; ///< at most 4
    heddle_hash topics[4];
    heddle_bytes data;
} heddle_log;

/// The `index`-th receipt, and its logs. Errors: invalid argument.
HEDDLE_API heddle_status heddle_result_receipt(const heddle_result *result, size_t index,
                                               heddle_receipt *out);
HEDDLE_API heddle_status heddle_result_log(const heddle_result *result, size_t receipt,
                                           size_t index, heddle_log *out);

/// What was changed. Never null where `result` is not; lives as long.
HEDDLE_API const heddle_changes *heddle_result_changes(const heddle_result *result);

/// An account after the change. To be applied in this order: where `storage_cleared` all slots that
/// were there are gone; the account is set or, where it does not exist, gone; slots are written.
typedef struct heddle_account_change {
    size_t size;
    heddle_address address;
    uint8_t exists;
    uint8_t storage_cleared;
    uint8_t reserved[2];
    uint64_t nonce;
    heddle_word balance;
    heddle_hash code_hash; ///< Keccak-256 of nothing where there is no code
    size_t slot_count;
} heddle_account_change;

typedef struct heddle_slot_change {
    heddle_word slot;
    heddle_word value; ///< zero: the slot is gone
} heddle_slot_change;

/// Accounts ascending by address, each once; slots ascending; code ascending by its hash. The same
/// for every number of workers. Values may be those that were there before.
HEDDLE_API size_t heddle_changes_account_count(const heddle_changes *changes);
HEDDLE_API size_t heddle_changes_code_count(const heddle_changes *changes);
/// Errors: invalid argument.
HEDDLE_API heddle_status heddle_changes_account(const heddle_changes *changes, size_t index,
                                                heddle_account_change *out);
HEDDLE_API heddle_status heddle_changes_slot(const heddle_changes *changes, size_t account,
                                             size_t index, heddle_slot_change *out);
/// Code that was deployed, with its hash.
HEDDLE_API heddle_status heddle_changes_code(const heddle_changes *changes, size_t index,
                                             heddle_hash *code_hash, heddle_bytes *code);

#ifdef __cplusplus
}
#endif

#endif // HEDDLE_H
