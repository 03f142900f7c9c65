// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// geth's erc7562Tracer: calls as callTracer has them, and of each what bundlers of user operations
// judge by (ERC-4337, 7562): slots, instructions, and whose code was looked at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tracing/call_tracer.hpp"

namespace heddle::node {

struct Erc7562TracerOptions {
    vm::OpcodeSet ignored_opcodes = default_ignored();  // not counted
    bool with_log = false;

    /// What moves words of the stack, and plain arithmetic.
    [[nodiscard]] static vm::OpcodeSet default_ignored() noexcept;
};

class Erc7562Tracer final : public TransactionTracer {
public:
    Erc7562Tracer(TraceBudget& budget, const Erc7562TracerOptions& options)
        : TransactionTracer(budget), options_(options) {}

    void begin(const TraceSubject& subject) override;
    void end(const vm::Outcome& outcome) override;
    void write(JsonWriter& out) override;

    [[nodiscard]] const vm::OpcodeSet& steps_with_memory() const noexcept override;
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override;
    void on_enter(const vm::TraceCall& call) noexcept override;
    void on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept override;
    void on_log(const Log& log, std::size_t index) noexcept override;

private:
    struct ContractSize {
        std::optional<std::size_t> bytes;  // found out at the end where it is missing
        std::uint8_t opcode = 0;           // that looked first
    };
    /// What a call did beside what all tracers of calls tell.
    struct Findings {
        std::map<Hash, Hash> reads;  // of slots that it had not written, with their values
        std::map<Hash, std::uint64_t> writes;
        std::map<Hash, std::uint64_t> transient_reads;
        std::map<Hash, std::uint64_t> transient_writes;
        std::vector<Address> code_accesses;
        std::map<std::uint8_t, std::uint64_t> used_opcodes;
        std::map<Address, ContractSize> contract_sizes;
    };
    /// The instruction before, of whatever call.
    struct LastStep {
        std::uint8_t opcode = 0;
        std::optional<Address> top;  // of the stack, where there was something
    };

    void note_code_access(std::uint8_t opcode, Findings& findings);
    void note_contract_size(const vm::TraceStep& step, Findings& findings);
    void note_use(std::uint8_t opcode, Findings& findings);
    void note_slot(const vm::TraceStep& step, Findings& findings);
    void count(std::map<Hash, std::uint64_t>& counts, const Hash& slot);
    [[nodiscard]] std::size_t code_size_of(const Address& address,
                                           const AccountChange* changed) const;
    void write_call(std::size_t index, bool is_undone, JsonWriter& out) const;
    void write_findings(const Findings& findings, JsonWriter& out) const;

    const Erc7562TracerOptions options_;
    TraceSubject subject_;
    CallRecorder recorder_;
    std::vector<Findings> findings_;  // as recorder_.calls()
    std::vector<std::size_t> open_;   // calls that have not ended, the outermost first
    std::optional<LastStep> last_;
    std::set<Bytes> preimages_;
    /// Contracts that are there by now, in the order in which they were made, how many there were
    /// when each of the open calls began, and how much code each has.
    std::vector<Address> created_;
    std::vector<std::size_t> created_before_;
    std::map<Address, std::size_t> code_sizes_;
    std::set<Address> ever_created_;
};

}  // namespace heddle::node
