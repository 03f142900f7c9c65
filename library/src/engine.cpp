// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <mutex>
#include <utility>

#include <types/expected.hpp>

namespace heddle::library {

namespace {

constexpr std::uint32_t kMaxWorkers = 256;
constexpr std::uint64_t kMaxCodeCacheBytes = std::uint64_t{1} << 40;
constexpr std::uint32_t kKnownFlags = HEDDLE_ENGINE_ACCESS_LISTS;

/// Workers and the machine for single transactions share one cache.
class CacheMutex final : public vm::CodeCacheLock {
public:
    void lock() noexcept override { mutex_.lock(); }
    void unlock() noexcept override { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

Result<heddle_engine_options> take_options(const heddle_engine_options* given) {
    heddle_engine_options options{};
    if (given != nullptr) {
        HEDDLE_TRY(options, take(given, "options"));
    }
    if (options.workers > kMaxWorkers)
        return fail(HEDDLE_INVALID_ARGUMENT, "options.workers is above 256");
    if ((options.flags & ~kKnownFlags) != 0)
        return fail(HEDDLE_INVALID_ARGUMENT, "options.flags has a flag that is not known");
    if (options.code_cache_bytes > kMaxCodeCacheBytes)
        return fail(HEDDLE_INVALID_ARGUMENT, "options.code_cache_bytes is above 2^40");
    return options;
}

Result<std::string> take_scheduler(const char* name) {
    std::string scheduler{name == nullptr ? executor::kDefaultScheduler : name};
    if (const auto known = executor::check_scheduler(scheduler); !known.has_value())
        return fail(HEDDLE_INVALID_ARGUMENT, "options.scheduler: " + known.error());
    return scheduler;
}

}  // namespace

}  // namespace heddle::library

using namespace heddle::library;

heddle_engine::heddle_engine(const heddle_engine_options& options, std::string scheduler)
    : options_(options), scheduler_(std::move(scheduler)) {
    renew();
}

void heddle_engine::renew() {
    executor_.reset();
    evm_.reset();
    code_cache_ = heddle::vm::make_code_cache(options_.code_cache_bytes != 0
                                                  ? options_.code_cache_bytes
                                                  : heddle::vm::kDefaultCodeCacheBytes,
                                              std::make_unique<CacheMutex>());
    evm_ = std::make_unique<heddle::vm::Evm>(heddle::vm::EvmOptions{
        .code_cache = code_cache_, .decode_after_entries = heddle::vm::kDecodeAfterEntries});
}

heddle::executor::Executor& heddle_engine::executor() {
    if (executor_ == nullptr) {
        heddle::executor::Options options;
        options.code_cache = code_cache_;
        options.make_access_lists = makes_access_lists();
        options.parallel.workers = options_.workers;
        executor_ = heddle::executor::make_executor(scheduler_, std::move(options));
    }
    return *executor_;
}

Result<void> heddle_engine::check_gas_limit(std::uint64_t gas_limit) const {
    if (options_.max_gas_limit == 0 || gas_limit <= options_.max_gas_limit) return {};
    return fail(HEDDLE_LIMIT, "the gas limit is " + std::to_string(gas_limit) +
                                  ", the engine takes up to " +
                                  std::to_string(options_.max_gas_limit));
}

extern "C" {

heddle_status heddle_engine_new(const heddle_engine_options* options, heddle_engine** out,
                                heddle_error* error) {
    return make_call(out, error, [&]() -> Result<void> {
        HEDDLE_TRY(const heddle_engine_options taken_options, take_options(options));
        HEDDLE_TRY(std::string scheduler, take_scheduler(taken_options.scheduler));
        *out = new heddle_engine(taken_options, std::move(scheduler));
        return {};
    });
}

void heddle_engine_free(heddle_engine* engine) {
    delete engine;
}

}  // extern "C"
