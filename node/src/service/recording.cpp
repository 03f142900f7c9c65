// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/recording.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "logging/log.hpp"
#include "program/durable_file.hpp"
#include "program/error.hpp"
#include "service/member_engine.hpp"
#include "service/node_options.hpp"
#include "service/node_pages.hpp"
#include "shim/file_log.hpp"
#include "shim/log_reader.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

/// Segments are as much smaller than the limit, so that most of it is there after one is removed.
constexpr std::uint64_t kSegmentsWithinLimit = 8;

bool are_same(const std::string& path, const std::string& other) {
    std::ifstream file{path, std::ios::binary};
    std::ifstream other_file{other, std::ios::binary};
    using Bytes = std::istreambuf_iterator<char>;
    return file && other_file && std::equal(Bytes{file}, Bytes{}, Bytes{other_file}, Bytes{});
}

/// Where nothing has been recorded yet, a genesis file can only be somebody's own, unless it is a
/// copy of the one that was given: a rerun would take it for this chain's. Errors: InputError.
void check_genesis(const NodeConfig& config) {
    const std::string there = recorded_genesis_path(config.record.folder);
    std::error_code error;
    if (!fs::exists(there, error)) return;
    if (!config.chain.genesis.empty() && are_same(there, config.chain.genesis)) return;
    fail_input(
        "record.folder: {} is there, and a rerun would take it for this chain's genesis "
        "file; name another folder",
        there);
}

/// Errors: InputError.
void check_folder(const NodeConfig& config, const Hash& genesis_hash) {
    const std::string& folder = config.record.folder;
    const auto found = find_segments(folder);
    if (!found.has_value()) fail_input("record.folder: {}", found.error());
    if (found->empty()) check_genesis(config);
    // The newest that has one.
    for (const SegmentFile& segment : *found | std::views::reverse) {
        const auto start = read_start(segment);
        if (!start.has_value())
            fail_input("record.folder: {}; name another folder, or run what is there with `rerun`",
                       start.error());
        if (!start->has_value()) continue;
        const Hash& recorded = (*start)->genesis_hash;
        if (recorded != genesis_hash)
            fail_input(
                "record.folder: {} is the recording of another chain, whose genesis block is {}",
                folder, to_string(recorded));
        return;
    }
}

/// A name that is wrong stays wrong; a disk may have room again when the node is started next.
/// Errors: InputError; StorageError where it is the disk.
void make_folder(const std::string& folder) {
    if (make_folder_durably(folder) && ::access(folder.c_str(), W_OK | X_OK) == 0) return;
    const int error = errno;
    if (is_of_disk(error))
        throw StorageError(fmt::format("the recording: {}: {}", folder, std::strerror(error)));
    fail_input("record.folder: {}: {}", folder, std::strerror(error));
}

/// So that whoever has the folder can begin where the chain does.
void copy_genesis(const NodeConfig& config) {
    const std::string copy = recorded_genesis_path(config.record.folder);
    std::error_code error;
    if (config.chain.genesis.empty() || fs::exists(copy, error)) return;
    if (!copy_durably(config.chain.genesis, copy))
        throw StorageError(fmt::format("the recording: {}: {}", copy, std::strerror(errno)));
}

RecorderOptions recorder_options(const NodeConfig& config, std::uint64_t limit_bytes) {
    RecorderOptions options;
    options.keeps_prepared = engine_of(config) == Engine::solo;
    if (limit_bytes != 0)
        options.segment_bytes = std::min(options.segment_bytes, limit_bytes / kSegmentsWithinLimit);
    return options;
}

}  // namespace

NodeRecording::NodeRecording(const NodeConfig& config, bool is_dev,
                             const ledger::DurableLedger& ledger, RecordedSettings settings) {
    constexpr std::uint64_t kMostMegabytes = std::uint64_t{1} << 40;
    const std::string& folder = config.record.folder;
    if (config.record.limit > kMostMegabytes)
        fail_input("record.limit: {}: expected at most {} MiB", config.record.limit,
                   kMostMegabytes);
    RecordedStart start;
    const ledger::StoredHeader head = ledger.head();
    start.program = client_version();
    start.chain = ledger.chain();
    start.genesis_hash = ledger.block_hash(0);
    start.head = {head.header.number, head.hash};
    start.head_timestamp = head.header.timestamp;
    start.state_root = head.header.state_root;
    start.settings = std::move(settings);
    if (is_dev && config.chain.genesis.empty())
        start.settings.emplace_back("genesis.dev", config.chain.fork);
    if (is_replicated(config))
        start.settings.emplace_back(kReplicationSetting, config.replication.mode);
    check_folder(config, start.genesis_hash);
    make_folder(folder);
    copy_genesis(config);
    const std::uint64_t limit_bytes = config.record.limit << 20;
    auto log = FileLog::open({.folder = folder, .limit_bytes = limit_bytes});
    if (!log.has_value()) throw StorageError("the recording: " + log.error());
    auto recorder =
        Recorder::begin(*std::move(log), std::move(start), recorder_options(config, limit_bytes));
    if (!recorder.has_value()) throw StorageError("the recording: " + recorder.error());
    recorder_ = *std::move(recorder);
    logger(Component::node)
        .info("recording in {}, from block {} on", folder, head.header.number + 1);
}

consensus_adapter::Application& NodeRecording::attach(const Chain& chain, const Mempool& mempool,
                                                      ChainApplication& application) {
    shimmed_ = std::make_unique<ShimmedApplication>(application, *recorder_);
    shimmed_->after_commit(
        [this, &chain, &mempool, &application](const consensus_adapter::BlockId& committed) {
            if (!recorder_->wants_segment()) return;
            // Whoever begins there knows neither what went before nor what was learned from it.
            application.begin_anew();
            go_on(committed, chain, mempool);
        });
    return *shimmed_;
}

std::function<void(const consensus_adapter::BlockId&)> NodeRecording::after_block(
    const Chain& chain, const Mempool& mempool) {
    return [this, &chain, &mempool](const consensus_adapter::BlockId& committed) {
        if (recorder_->wants_segment()) go_on(committed, chain, mempool);
    };
}

void NodeRecording::go_on(const consensus_adapter::BlockId& committed, const Chain& chain,
                          const Mempool& mempool) {
    const BlockHeader head = chain.kept_head().header;
    mempool.with_content([&](PoolContent pool) {
        recorder_->begin_segment(committed, head.timestamp, head.state_root, std::move(pool));
    });
}

void NodeRecording::watch_shown(Chain& chain) {
    shown_ = chain.heads().subscribe(
        [this](const SharedBlock& block) { recorder_->shown(block->block.header.number); });
}

void NodeRecording::detach() noexcept {
    shown_ = {};
    shimmed_.reset();
}

}  // namespace heddle::node
