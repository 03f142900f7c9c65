// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A source whose values are proven, and what becomes of one that lies.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>

#include "forking/fork_source.hpp"
#include "formats/json_writer.hpp"
#include "hostile_server.hpp"
#include "rpc/queries/codec.hpp"
#include "temporary_folder.hpp"

namespace heddle::node::forking {
namespace {

using follow::test::PoliteServer;
using rpc::Call;
using testing::HasSubstr;
using namespace std::chrono_literals;

const Address kContract = address_from_low64(0xc0de);
const Address kNobody = address_from_low64(0x0b0d);

/// A chain of one block whose source gives proofs, after `lie` has had them.
class ProvingSource : public testing::Test {
protected:
    ProvingSource() {
        Genesis genesis;
        genesis.header.gas_limit = 30'000'000;
        for (std::uint64_t i = 0; i < 40; ++i)
            genesis.alloc.push_back(
                {address_from_low64(0xaaaa00 + i), i, Uint256{1'000 + i}, {}, {}});
        GenesisAccount contract{kContract, 1, Uint256{70}, code_, {}};
        for (std::uint64_t slot = 0; slot < 20; ++slot)
            contract.storage.emplace_back(slot, slot + 500);
        genesis.alloc.push_back(std::move(contract));
        ledger::DurableLedgerOptions options;
        options.directory = folder_ / "chain";
        options.memory_bytes = std::size_t{64} << 20;
        options.threads = 1;
        ledger_ = ledger::DurableLedger::create(std::move(options), genesis, {}).value();
        block_.header = ledger_->head().header;
        server_.on("eth_chainId",
                   [](const Call&, JsonWriter& out) { out.quantity(std::uint64_t{9}); });
        server_.on("eth_getBlockByNumber", [this](const Call&, JsonWriter& out) {
            rpc::write_block(block_, header_hash(block_.header), true, 600, out);
        });
        server_.on("eth_getBalance",
                   [](const Call&, JsonWriter& out) { out.quantity(std::uint64_t{1}); });
        server_.on("eth_getCode", [this](const Call&, JsonWriter& out) { out.hex(code_); });
        server_.on("eth_getProof",
                   [this](const Call& call, JsonWriter& out) { write_proof(call, out); });
        server_.start();
        ForkSourceOptions fork;
        fork.source.endpoint = server_.endpoint(false);
        fork.source.timeout = 10s;
        fork.proves = true;
        auto made = ForkSource::open(fork);
        EXPECT_TRUE(made.has_value()) << made.error();
        if (made.has_value()) fork_ = *std::move(made);
    }

    void write_proof(const Call& call, JsonWriter& out) {
        std::vector<Uint256> slots;
        const JsonView keys = call.params.at(1);
        for (std::size_t i = 0; i < keys.size(); ++i)
            slots.push_back(keys.element(i).uint256());
        auto proof = ledger_->prove(0, call.params.at(0).address(), slots).value();
        if (lie) lie(proof);
        const auto write_nodes = [&](std::string_view name, const std::vector<Bytes>& nodes) {
            out.key(name);
            out.begin_array();
            for (const Bytes& node : nodes)
                out.hex(node);
            out.end_array();
        };
        out.begin_object();
        write_nodes("accountProof", proof.nodes);
        out.key("storageProof");
        out.begin_array();
        for (const auto& slot : proof.slots) {
            out.begin_object();
            write_nodes("proof", slot.nodes);
            out.end_object();
        }
        out.end_array();
        out.end_object();
    }

    Bytes code_{0x60, 0x05};
    std::function<void(ledger::AccountProof&)> lie;
    const heddle::test::TemporaryFolder folder_;
    std::unique_ptr<ledger::DurableLedger> ledger_;
    Block block_;
    PoliteServer server_;
    std::unique_ptr<ForkSource> fork_;
};

TEST_F(ProvingSource, is_believed_what_it_proves) {
    ASSERT_NE(fork_, nullptr);
    const ReadScope scope;
    const auto account = fork_->state().account(kContract);
    ASSERT_TRUE(account.has_value()) << scope.failure();
    EXPECT_EQ(account->balance, Uint256{70});
    EXPECT_EQ(account->nonce, 1U);
    EXPECT_TRUE(equal(fork_->state().code(account->code_hash), code_));
    EXPECT_EQ(fork_->state().storage(kContract, 7), Uint256{507});
    EXPECT_EQ(fork_->state().storage(kContract, 77), Uint256{});
    EXPECT_FALSE(fork_->state().account(kNobody).has_value());
    EXPECT_TRUE(fork_->state().has_storage(kContract));
    EXPECT_FALSE(fork_->state().has_storage(kNobody));
    EXPECT_FALSE(scope.has_failed()) << scope.failure();
}

TEST_F(ProvingSource, is_not_believed_a_proof_with_any_byte_changed) {
    ASSERT_NE(fork_, nullptr);
    const auto honest = ledger_->prove(0, kContract, {Uint256{7}}).value();
    unsigned tried = 0;
    const auto expect_caught = [&] {
        const ReadScope scope;
        EXPECT_EQ(fork_->state().storage(kContract, 7), Uint256{});
        EXPECT_THAT(scope.failure(), HasSubstr("does not lead to the"));
        ++tried;
    };
    for (std::size_t node = 0; node < honest.nodes.size(); ++node)
        for (std::size_t byte = 0; byte < honest.nodes[node].size(); byte += 41) {
            lie = [=](ledger::AccountProof& proof) { proof.nodes[node][byte] ^= 0x10; };
            expect_caught();
        }
    for (std::size_t node = 0; node < honest.slots[0].nodes.size(); ++node)
        for (std::size_t byte = 0; byte < honest.slots[0].nodes[node].size(); byte += 41) {
            lie = [=](ledger::AccountProof& proof) { proof.slots[0].nodes[node][byte] ^= 0x10; };
            expect_caught();
        }
    EXPECT_GT(tried, 5U);
    // Nothing of it was kept.
    lie = nullptr;
    const ReadScope scope;
    EXPECT_EQ(fork_->state().storage(kContract, 7), Uint256{507});
    EXPECT_FALSE(scope.has_failed()) << scope.failure();
}

TEST_F(ProvingSource, is_not_believed_the_proof_of_something_else) {
    ASSERT_NE(fork_, nullptr);
    lie = [this](ledger::AccountProof& proof) { proof = ledger_->prove(0, kNobody, {}).value(); };
    {
        const ReadScope scope;
        EXPECT_FALSE(fork_->state().account(kContract).has_value());
        EXPECT_TRUE(scope.has_failed());
    }
    lie = [](ledger::AccountProof& proof) { proof.nodes.clear(); };
    const ReadScope scope;
    EXPECT_FALSE(fork_->state().account(kContract).has_value());
    EXPECT_TRUE(scope.has_failed());
}

TEST_F(ProvingSource, is_not_believed_code_that_is_not_what_is_proven) {
    ASSERT_NE(fork_, nullptr);
    code_ = {0x60, 0x06};
    const ReadScope scope;
    EXPECT_FALSE(fork_->state().account(kContract).has_value());
    EXPECT_THAT(scope.failure(), HasSubstr("the code of"));
}

}  // namespace
}  // namespace heddle::node::forking
