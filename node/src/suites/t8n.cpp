// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "suites/t8n.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include <ledger/state_root.hpp>
#include <vm/block.hpp>
#include <vm/block_execution.hpp>
#include <vm/evm.hpp>
#include <vm/limits.hpp>
#include <vm/transition.hpp>
#include <vm/validate.hpp>

#include "chain/overlay_state.hpp"
#include "formats/json.hpp"
#include "formats/json_writer.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/file.hpp"
#include "program/say.hpp"
#include "simulation/call_error.hpp"
#include "tracing/trace_config.hpp"

namespace heddle::node {

namespace {

/// Hashes that the environment gives. One that it lacks makes the whole result worthless, so it is
/// remembered.
class GivenHashes final : public BlockHashes {
public:
    explicit GivenHashes(const std::map<std::uint64_t, Hash>& hashes) : hashes_(hashes) {}
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        const auto known = hashes_.find(number);
        if (known != hashes_.end()) return known->second;
        missing_ = number;
        return {};
    }
    [[nodiscard]] std::optional<std::uint64_t> missing() const noexcept { return missing_; }

private:
    const std::map<std::uint64_t, Hash>& hashes_;
    mutable std::optional<std::uint64_t> missing_;  // block_hash() is const
};

using OpcodeCounts = std::array<std::uint64_t, 256>;

/// Counts instructions, and passes everything on to the tracer, where there is one.
class OpcodeCounter final : public vm::Tracer {
public:
    OpcodeCounter(OpcodeCounts& counts, vm::Tracer* next) : counts_(counts), next_(next) {}

    [[nodiscard]] bool wants_abort() const noexcept override {
        return next_ != nullptr && next_->wants_abort();
    }
    [[nodiscard]] const vm::OpcodeSet& steps_with_memory() const noexcept override {
        return next_ != nullptr ? next_->steps_with_memory() : Tracer::steps_with_memory();
    }
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override {
        ++counts_[step.opcode];
        if (next_ == nullptr) return;
        if (failure != vm::Status::success || next_->wanted_steps()[step.opcode])
            next_->on_step(step, failure);
    }
    void on_enter(const vm::TraceCall& call) noexcept override {
        if (next_ != nullptr) next_->on_enter(call);
    }
    void on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept override {
        if (next_ != nullptr) next_->on_exit(status, gas_used, output);
    }
    void on_log(const Log& log, std::size_t index) noexcept override {
        if (next_ != nullptr) next_->on_log(log, index);
    }

private:
    OpcodeCounts& counts_;
    vm::Tracer* const next_;
};

/// The tracer of --trace.tracer, with what it lives by. There is one or none.
class NamedTracer {
public:
    /// Errors: T8nError for a tracer that is not there, and for options that it does not have.
    explicit NamedTracer(const T8nOptions& options) {
        if (options.tracer_name.empty() && options.tracer_config.empty()) return;
        failing_as(T8nFailure::configuration, [&] {
            if (options.tracer_name.empty())
                fail_input("t8n: --trace.jsonconfig goes with --trace.tracer");
            TraceConfig config;
            config.tracer = options.tracer_name;
            if (!options.tracer_config.empty())
                config.tracer_config = parser_.parse(options.tracer_config, "--trace.jsonconfig");
            tracer_ = make_tracer(config, budget_);
        });
    }
    [[nodiscard]] TransactionTracer* get() const noexcept { return tracer_.get(); }

private:
    JsonParser parser_;
    TraceBudget budget_{std::numeric_limits<std::size_t>::max(),
                        TraceBudget::Clock::time_point::max()};
    std::unique_ptr<TransactionTracer> tracer_;
};

class Transition {
public:
    Transition(const T8nOptions& options, T8nInput& input)
        : options_(options),
          input_(input),
          hashes_(input.block_hashes),
          tracer_(options.tracer),
          named_tracer_(options),
          counter_(result_.opcode_counts, chosen_tracer()),
          quiet_counter_(result_.opcode_counts, nullptr),
          evm_({.tracer = counts() ? &counter_ : chosen_tracer()}),
          quiet_evm_({.tracer = counts() ? &quiet_counter_ : nullptr}),
          overlay_(input.state),
          env_(vm::make_block_env(input.header, input.config, input.is_merged)) {}

    T8nResult run() {
        check(execution_.begin({.header = input_.header,
                                .env = env_,
                                .config = input_.config,
                                .block_hashes = hashes_,
                                // As geth: one that is not named is zero.
                                .has_parent_hash = input_.has_block_hashes,
                                .state_root = [this] { return state_root(); }},
                               overlay_, quiet_evm_));
        for (std::size_t i = 0; i < input_.transactions.size(); ++i)
            execute(i);
        check(execution_.end(
            {.reward = input_.reward, .ommers = input_.ommers, .withdrawals = input_.withdrawals},
            quiet_evm_));
        if (input_.touches_beneficiary) touch_beneficiary();
        result_.state_root = state_root();
        if (const auto missing = hashes_.missing())
            throw T8nError(
                T8nFailure::missing_block_hash,
                fmt::format("t8n: BLOCKHASH asked for block {}, but blockHashes does not have it",
                            *missing));
        result_.blob_base_fee = env_.blob_base_fee;
        result_.block = execution_.take_result();
        return std::move(result_);
    }

private:
    [[nodiscard]] bool counts() const noexcept { return !options_.opcode_count.empty(); }

    /// Null: none.
    [[nodiscard]] vm::Tracer* chosen_tracer() noexcept {
        if (named_tracer_.get() != nullptr) return named_tracer_.get();
        return options_.trace ? &tracer_ : nullptr;
    }

    void reject(std::size_t index, std::string error) {
        result_.rejected.push_back({index, std::move(error)});
    }

    /// As geth says it, with the figures.
    [[nodiscard]] std::string text_of(TransactionError error, const Transaction& tx) const {
        if (error != TransactionError::blob_gas_above_block)
            return simulation::rejection_text(error, tx, overlay_, env_);
        return fmt::format(
            "blob gas ({}) would exceed maximum allowance {}",
            execution_.result().blob_gas_used + tx.blob_versioned_hashes.size() * vm::kGasPerBlob,
            env_.max_blob_gas_per_block);
    }

    /// As a reward of nothing does, but not as a step of the block: its list would show that.
    void touch_beneficiary() {
        const std::optional<Account> account = overlay_.account(env_.beneficiary);
        if (!account || !account->is_empty()) return;
        StateDiff diff;
        diff.accounts.push_back({env_.beneficiary, std::nullopt, true, {}});
        overlay_.apply(diff);
    }

    void execute(std::size_t index) {
        T8nTransaction& item = input_.transactions[index];
        if (!item.error.empty()) return reject(index, item.error);
        if (item.tx.type == TransactionType::blob && !input_.header.excess_blob_gas)
            return reject(index, "blob tx used but field env.ExcessBlobGas missing");
        if (!item.tx.sender) item.tx.sender = recover_sender(item.tx);
        TransactionTracer* const named = named_tracer_.get();
        if (named != nullptr) {
            TraceSubject subject;
            subject.tx = &item.tx;
            subject.env = &env_;
            subject.before = &overlay_;
            named->begin(subject);
        }
        if (const auto done = execution_.run(item.tx, evm_, outcome_); !done) {
            note_rejected(item.tx, done.error());
            return reject(index, text_of(first_reason(done.error(), item.tx), item.tx));
        }
        result_.included.push_back(item.tx);
        result_.included_indexes.push_back(index);
        if (named != nullptr)
            write_result_of(*named, item.tx);
        else if (options_.trace)
            write_lines(item.tx);
        execution_.keep(outcome_);
    }

    /// Moves what has changed into the state and hashes that.
    Hash state_root() {
        input_.state.apply(overlay_.take_diff());
        return ledger::compute_state_root(input_.state);
    }

    static void check(const std::expected<void, BlockError>& done) {
        if (!done)
            throw T8nError(T8nFailure::execution, fmt::format("t8n: {}", to_string(done.error())));
    }

    /// What geth finds before it looks at the sender's account: whether a transaction has a sender
    /// and a place for its blobs.
    static bool is_found_early(TransactionError error) noexcept {
        return error == TransactionError::type_not_supported ||
               error == TransactionError::invalid_signature ||
               error == TransactionError::chain_id_mismatch ||
               error == TransactionError::blob_gas_above_block;
    }

    /// What geth finds once it knows that the block has room.
    static bool is_found_late(TransactionError error) noexcept {
        return error == TransactionError::insufficient_funds ||
               error == TransactionError::gas_price_overflow ||
               error == TransactionError::intrinsic_gas_too_low ||
               error == TransactionError::gas_below_floor ||
               error == TransactionError::intrinsic_gas_too_high;
    }

    using Validated = std::expected<vm::ValidTransaction, TransactionError>;
    /// In a block that has room for it. By value: for a limit beyond what gas is counted in there
    /// is none, so that it is lowered.
    [[nodiscard]] Validated validate_alone(Transaction tx) const {
        constexpr auto kAny = std::numeric_limits<std::uint64_t>::max();
        tx.gas_limit = std::min(tx.gas_limit, kAny / 2);
        return vm::validate(tx, overlay_, env_, {.gas = kAny, .state_gas = kAny, .blob_gas = kAny});
    }

    /// Whether the sender is a contract (EIP-3607): what is said of a transaction in which nothing
    /// else comes before.
    [[nodiscard]] bool is_sent_by_contract(const Transaction& tx) const {
        Transaction plain;
        plain.sender = tx.sender;
        plain.nonce = tx.nonce;
        plain.to = Address{};
        plain.max_fee_per_gas = env_.base_fee_per_gas;
        plain.max_priority_fee_per_gas = env_.base_fee_per_gas;
        const Validated validated = validate_alone(plain);
        return !validated && validated.error() == TransactionError::sender_not_eoa;
    }

    /// Of several the one that geth names: its nonce comes before all that is found later.
    [[nodiscard]] TransactionError first_reason(TransactionError error,
                                                const Transaction& tx) const {
        if (is_found_early(error) || !tx.sender) return error;
        const std::uint64_t nonce = overlay_.account(*tx.sender).value_or(Account{}).nonce;
        if (tx.nonce != nonce)
            return tx.nonce < nonce ? TransactionError::nonce_too_low
                                    : TransactionError::nonce_too_high;
        if (tx.gas_limit > vm::limits(env_.revision).max_transaction_gas)
            return TransactionError::gas_limit_above_maximum;
        if (is_sent_by_contract(tx)) return TransactionError::sender_not_eoa;
        if (error != TransactionError::gas_limit_above_block) return error;
        // What the block has left comes before what it costs, and behind all else.
        const Validated alone = validate_alone(tx);
        return alone || is_found_late(alone.error()) ? error : alone.error();
    }

    /// As geth, whose tracers are told of a transaction from then on: it is counted among the
    /// traced ones, and has an empty file of lines.
    void note_rejected(const Transaction& tx, TransactionError error) {
        if (is_found_early(error)) return;
        if (named_tracer_.get() != nullptr)
            ++traced_;
        else if (options_.trace)
            write_lines(tx);
    }

    void write_lines(const Transaction& tx) {
        write_trace(tx, "jsonl", tracer_.text());
        tracer_.text().clear();
    }

    void write_result_of(TransactionTracer& tracer, const Transaction& tx) {
        tracer.end(outcome_);
        std::string text;
        JsonWriter out{text, JsonWriter::Style::compact};
        tracer.write(out);
        write_trace(tx, "json", text + '\n');
    }

    void write_trace(const Transaction& tx, std::string_view suffix, const std::string& text) {
        const std::filesystem::path folder(options_.output_dir);
        const std::string name =
            fmt::format("trace-{}-{}.{}", traced_++, to_string(transaction_hash(tx)), suffix);
        failing_as(T8nFailure::files, [&] { write_file((folder / name).native(), text); });
    }

    const T8nOptions& options_;
    T8nInput& input_;
    const GivenHashes hashes_;
    T8nResult result_;
    std::size_t traced_ = 0;  // transactions
    JsonTracer tracer_;
    const NamedTracer named_tracer_;
    OpcodeCounter counter_;
    OpcodeCounter quiet_counter_;
    vm::Evm evm_;
    vm::Evm quiet_evm_;  // for system calls, which traces leave out and counts do not
    OverlayState overlay_;
    vm::BlockExecution execution_;
    const BlockEnv env_;
    vm::Outcome outcome_;
};

void add_input_options(Command command, T8nOptions& options) {
    command.add_option("--input.alloc", options.input_alloc, "Pre-state: file or stdin")
        .capture_default();
    command.add_option("--input.env", options.input_env, "Environment: file or stdin")
        .capture_default();
    command
        .add_option("--input.txs", options.input_txs,
                    "Transactions: file or stdin; a JSON array, or a JSON string with the RLP list")
        .capture_default();
    command.add_option("--state.fork", options.fork, "Rules to use").capture_default();
    command.add_option("--state.chainid", options.chain_id, "Chain id").capture_default();
    command
        .add_option("--state.reward", options.reward,
                    "Block reward in wei, before Paris; -1 for none")
        .capture_default();
}

void add_output_options(Command command, T8nOptions& options) {
    // Empty: as if it were left out, or not written, as in geth.
    command
        .add_option("--output.basedir", options.output_dir,
                    "Folder for output files; made if it does not exist")
        .may_be_empty();
    command
        .add_option("--output.alloc", options.output_alloc,
                    "Post-state: stdout, stderr or a file name")
        .may_be_empty()
        .capture_default();
    command
        .add_option("--output.result", options.output_result,
                    "Result: stdout, stderr or a file name")
        .may_be_empty()
        .capture_default();
    command
        .add_option("--output.body", options.output_body,
                    "RLP of the transactions: stdout, stderr or a file name")
        .may_be_empty();
    command.add_flag("--trace", options.trace,
                     "Write trace-INDEX-HASH.jsonl for each transaction (EIP-3155)");
    command.add_flag("--trace.memory", options.tracer.with_memory, "Put memory into traces");
    command.add_flag("!--trace.nostack", options.tracer.with_stack,
                     "Leave the stack out of traces");
    command.add_flag("--trace.returndata", options.tracer.with_return_data,
                     "Put return data into traces");
    command.add_flag("--trace.callframes", options.tracer.with_call_frames,
                     "Put a line for the start of each call into traces");
    command
        .add_option("--trace.tracer", options.tracer_name,
                    "Write trace-INDEX-HASH.json for each transaction: what this tracer of "
                    "debug_traceTransaction, such as callTracer, says of it")
        .may_be_empty();
    command
        .add_option("--trace.jsonconfig", options.tracer_config,
                    "Options of that tracer, as a JSON object")
        .may_be_empty();
    command
        .add_option("--opcode.count", options.opcode_count,
                    "Write how often each instruction was executed to this file")
        .may_be_empty();
}

void make_output_folder(const std::string& path) {
    if (path.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error)
        throw T8nError(T8nFailure::files,
                       fmt::format("{}: cannot make the folder: {}", path, error.message()));
}

ExitCode run(const T8nOptions& options) {
    try {
        T8nInput input = read_t8n_input(options);
        make_output_folder(options.output_dir);
        const T8nResult result = Transition(options, input).run();
        write_t8n_output(options, input, result);
        return ExitCode::ok;
    } catch (const T8nError& error) {
        say("heddle: {}\n", error.what());
        return error.exit_code();
    }
}

}  // namespace

void register_t8n(Command app, Action& action) {
    Command command = app.add_subcommand(
        "t8n",
        "State transition tool, as geth's `evm t8n` (`evm transition`), with its exit codes");
    command.alias("transition");
    const auto options = std::make_shared<T8nOptions>();
    add_input_options(command, *options);
    add_output_options(command, *options);
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace heddle::node
