// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A caller of libheddle: our states behind its callbacks, its results as our values. Everything
// goes through heddle.h and nothing else of the library.
#pragma once

#include <heddle.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <types/bytes.hpp>
#include <types/chain_config.hpp>
#include <types/fork.hpp>
#include <types/receipt.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>

namespace heddle::test {

struct Free {
    void operator()(heddle_chain* chain) const { heddle_chain_free(chain); }
    void operator()(heddle_engine* engine) const { heddle_engine_free(engine); }
    void operator()(heddle_result* result) const { heddle_result_free(result); }
};
using ChainPtr = std::unique_ptr<heddle_chain, Free>;
using EnginePtr = std::unique_ptr<heddle_engine, Free>;
using ResultPtr = std::unique_ptr<heddle_result, Free>;

/// A state behind callbacks.
class Callbacks {
public:
    using BlockHash = std::function<Hash(std::uint64_t number)>;
    using StateRoot = std::function<Hash(const StateDiff& diff)>;
    /// @param root  Empty: there is no callback for roots.
    explicit Callbacks(const StateView& state, BlockHash block_hash = {}, StateRoot root = {});

    [[nodiscard]] const heddle_state* get() const noexcept { return &state_; }
    [[nodiscard]] heddle_state& change() noexcept { return state_; }

    /// The `count`-th call from now on and all behind it return `result`.
    void fail_from(std::uint64_t count, int result) {
        calls_ = 0;
        fail_from_ = count;
        failure_ = result;
    }
    [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
    /// Code is handed over as `code` turns it.
    std::function<Bytes(Bytes)> twist_code{};
    /// Called in each callback; may be empty.
    std::function<void()> in_callback{};

private:
    /// @return what the callback is to return.
    int enter();

    const StateView& view_;
    const BlockHash block_hash_;
    const StateRoot root_;
    heddle_state state_;
    std::atomic<std::uint64_t> calls_ = 0;
    std::uint64_t fail_from_ = ~std::uint64_t{0};
    int failure_ = 0;
};

[[nodiscard]] EnginePtr make_engine(std::uint32_t workers, std::uint32_t flags = 0);
/// Through JSON in geth's format.
/// @param times  Of forks that change nothing but blob parameters, which `config` does not name.
[[nodiscard]] ChainPtr make_chain(const ChainConfig& config, const BlobForkTimes& times);

/// What a call has given.
struct Executed {
    heddle_status status = HEDDLE_INTERNAL;
    heddle_error error = HEDDLE_INIT(heddle_error);
    ResultPtr result;
};
[[nodiscard]] Executed execute(heddle_engine* engine, const heddle_chain* chain,
                               const Callbacks& state, const heddle_block& block);

[[nodiscard]] inline heddle_bytes bytes_of(const Bytes& bytes) {
    return {bytes.data(), bytes.size()};
}
[[nodiscard]] heddle_summary summary_of(const heddle_result* result);
[[nodiscard]] std::vector<Receipt> receipts_of(const heddle_result* result);
[[nodiscard]] StateDiff diff_of(const heddle_changes* changes);
/// Ascending, as the library gives them.
[[nodiscard]] StateDiff in_order(StateDiff diff);

}  // namespace heddle::test
