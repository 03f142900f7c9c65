// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node without network that is recorded, and what runs its recordings again. The test is the
// consensus engine; whoever likes may send transactions beside it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <consensus_adapter/block_rules.hpp>
#include <ledger/snapshot.hpp>

#include "building/chain_application_fixture.hpp"
#include "building/recorded_settings.hpp"
#include "commands/rerun_run.hpp"
#include "formats/chain_config_json.hpp"
#include "inputs/ledger_flags.hpp"
#include "shim/file_log.hpp"
#include "shim/recorder.hpp"
#include "shim/shimmed_application.hpp"

namespace heddle::node {

inline std::unique_ptr<ledger::DurableLedger> open_test_ledger(const std::string& datadir,
                                                               const Genesis& genesis) {
    ledger::DurableLedgerOptions options;
    options.directory = datadir;
    options.sync.blocks = ledger::kArchive;
    options.memory_bytes = std::size_t{64} << 20;
    return ledger::DurableLedger::exists(datadir) ? open_ledger(std::move(options))
                                                  : create_ledger(std::move(options), genesis);
}

struct RecordedNodeOptions {
    std::uint64_t segment_bytes = std::uint64_t{64} << 20;
    std::uint64_t limit_bytes = 0;
    bool is_member = false;  // of a replicated chain
    MempoolOptions mempool;
    ChainApplicationOptions application;
};

inline std::unique_ptr<Recorder> begin_recording(const ledger::DurableLedger& ledger,
                                                 const std::string& folder,
                                                 const RecordedNodeOptions& options) {
    RecordedStart start;
    const ledger::StoredHeader head = ledger.head();
    start.program = "test";
    start.chain = ledger.chain();
    start.genesis_hash = ledger.block_hash(0);
    start.head = {head.header.number, head.hash};
    start.head_timestamp = head.header.timestamp;
    start.state_root = head.header.state_root;
    start.settings = settings_of(options.mempool, options.application);
    if (options.is_member) start.settings.emplace_back(kReplicationSetting, "sync");
    auto log = FileLog::open({.folder = folder, .limit_bytes = options.limit_bytes});
    EXPECT_TRUE(log.has_value());
    auto recorder = Recorder::begin(*std::move(log), std::move(start),
                                    {.segment_bytes = options.segment_bytes});
    EXPECT_TRUE(recorder.has_value());
    return *std::move(recorder);
}

/// Runs from its making to its end; another one on the same folder goes on.
class RecordedNode {
public:
    RecordedNode(const std::filesystem::path& folder, const Genesis& genesis,
                 const RecordedNodeOptions& options = {})
        : ledger_(open_test_ledger((folder / "data").string(), genesis)),
          chain_(*ledger_, stored_chain_config(*ledger_), sync()),
          recorder_(begin_recording(*ledger_, (folder / "recording").string(), options)),
          mempool_(options.mempool, chain_, *recorder_),
          application_(chain_, mempool_, options.application),
          shimmed_(application_, *recorder_) {
        shimmed_.after_commit([this](const consensus_adapter::BlockId& head) {
            if (!recorder_->wants_segment()) return;
            application_.begin_anew();
            const BlockHeader header = chain_.head().header;
            mempool_.with_content([&](PoolContent pool) {
                recorder_->begin_segment(head, header.timestamp, header.state_root,
                                         std::move(pool));
            });
        });
    }

    [[nodiscard]] Chain& chain() { return chain_; }
    [[nodiscard]] Mempool& mempool() { return mempool_; }
    [[nodiscard]] Recorder& recorder() { return *recorder_; }
    /// What the engine drives.
    [[nodiscard]] consensus_adapter::Application& engine() { return shimmed_; }

    [[nodiscard]] BlockPlan plan() const {
        const ledger::StoredHeader head = chain_.head();
        BlockPlan plan;
        plan.timestamp = head.header.timestamp + 1;
        plan.gas_limit = head.header.gas_limit;
        plan.beneficiary = address_from_low64(0xfee);
        plan.prev_randao = consensus_adapter::prev_randao_after({head.header.number, head.hash});
        return plan;
    }
    static OrderedBlock block_of(const BlockPlan& plan, Proposal proposal) {
        OrderedBlock block;
        block.start = consensus_adapter::block_start(plan);
        block.transactions = std::move(proposal.transactions);
        block.object_sets = std::move(proposal.object_sets);
        return block;
    }
    /// As Solo does.
    Hash seal() {
        const BlockPlan wanted = plan();
        auto proposal = engine().prepare(wanted);
        EXPECT_TRUE(proposal.has_value());
        const auto finalized =
            engine().finalize(block_of(wanted, *std::move(proposal)), Unexecutable::refused);
        EXPECT_TRUE(finalized.has_value()) << to_string(finalized.error());
        const auto committed = engine().commit();
        EXPECT_TRUE(committed.has_value());
        return committed->hash;
    }

private:
    static ledger::SyncPolicy sync() { return {.blocks = ledger::kArchive}; }

    std::unique_ptr<ledger::DurableLedger> ledger_;
    Chain chain_;
    std::unique_ptr<Recorder> recorder_;
    Mempool mempool_;
    ChainApplication application_;
    ShimmedApplication shimmed_;
};

struct RerunResult {
    RerunReport report;
    std::optional<RecordingEnd> end;
    std::size_t unfinished = 0;
};

/// From the genesis, or from the ledger in `datadir` where there is one.
inline RerunResult rerun_recording(const std::filesystem::path& recording,
                                   const std::filesystem::path& datadir, const Genesis& genesis,
                                   RerunOptions options = {}, std::uint64_t segment = 1) {
    const auto ledger = open_test_ledger(datadir.string(), genesis);
    auto log = LogReader::open(recording.string(), segment);
    EXPECT_TRUE(log.has_value());
    RerunResult result;
    {
        Rerun run(*log, *ledger, std::move(options));
        result.report = run.run();
    }
    EXPECT_TRUE(ledger->begin_snapshot().has_value());  // whoever wants the state has it
    result.end = log->end();
    result.unfinished = log->unfinished().size();
    return result;
}

/// Somebody who sends what comes to mind: what is good, what has gaps, what is known, what pays too
/// little or cannot be paid, and what is no transaction.
class Sender {
public:
    Sender(std::uint64_t seed, std::size_t account) : random_(seed), account_(account) {}

    void send(Mempool& mempool) {
        const Origin origin = static_cast<Origin>(random_() % 3);
        std::vector<Bytes> batch;
        for (std::uint64_t left = 1 + random_() % 6; left != 0; --left)
            batch.push_back(next());
        const std::vector<BytesView> views(batch.begin(), batch.end());
        (void)mempool.add_all(views, origin);
    }

private:
    Bytes next() {
        switch (random_() % 12) {
            case 0: {
                const std::size_t size = 1 + random_() % 40;
                return Bytes(size, static_cast<std::uint8_t>(random_()));
            }
            case 1:
                return last_;
            case 2: {
                const std::uint64_t nonce = nonce_ + 1 + random_() % 3;
                return make(nonce, 1 + random_() % 3);
            }
            case 3:
                return make(nonce_ - std::min<std::uint64_t>(nonce_, random_() % 3), 20);
            case 4:
                return make(nonce_, 1, Uint256{1} << 100);
            case 5:
                return make(nonce_ - std::min<std::uint64_t>(nonce_, random_() % 5), 1);
            default:
                return make(nonce_++, 1 + random_() % 4);
        }
    }
    Bytes make(std::uint64_t nonce, std::uint64_t tip, const Uint256& value = Uint256{1}) {
        Transaction tx = transfer(account_, nonce, random_() % 10);
        tx.max_priority_fee_per_gas = Uint256{tip * kGwei};
        tx.max_fee_per_gas = Uint256{(10 + tip) * kGwei};
        tx.value = value;
        if (random_() % 3 == 0) {
            tx.to = kCounterAddress;
            tx.value = {};
            tx.gas_limit = 60'000;
        }
        EXPECT_TRUE(sign_transaction(tx, dev_accounts()[account_].secret));
        last_.clear();
        encode_transaction(tx, last_);
        return last_;
    }

    std::mt19937_64 random_;
    const std::size_t account_;
    std::uint64_t nonce_ = 0;
    Bytes last_;
};

/// Sends from threads of its own until it goes.
class Crowd {
public:
    Crowd(Mempool& mempool, std::vector<Sender>& senders) {
        for (Sender& sender : senders)
            threads_.emplace_back([&] {
                while (!is_over_) {
                    sender.send(mempool);
                    std::this_thread::sleep_for(std::chrono::microseconds{300});
                }
            });
    }
    ~Crowd() {
        is_over_ = true;
        for (std::thread& thread : threads_)
            thread.join();
    }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

private:
    std::atomic<bool> is_over_{false};
    std::vector<std::thread> threads_;
};

}  // namespace heddle::node
