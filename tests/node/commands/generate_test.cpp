// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Generated chains: the same on every machine, valid, and made of what was asked for.
#include "commands/generate.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <types/block.hpp>
#include <types/transaction.hpp>
#include <workload/generator.hpp>
#include <workload/random.hpp>
#include <workload/world.hpp>

#include "chain/dev_chain.hpp"
#include "formats/genesis_json.hpp"
#include "program/cli.hpp"
#include "program/error.hpp"
#include "temporary_folder.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using heddle::test::TemporaryFolder;
using workload::Workload;

constexpr Uint256 kBaseFee{1'000'000'000};

std::string read(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

GenerateOptions small(Workload kind, const std::string& out) {
    GenerateOptions options;
    options.workload.seed = 5;
    options.workload.accounts = 30;
    options.workload.workload = kind;
    options.blocks = 3;
    options.txs = 40;
    options.out = out;
    return options;
}

std::vector<Block> read_blocks(const std::string& path) {
    const std::string text = read(path);
    const Bytes bytes(text.begin(), text.end());
    std::vector<Block> blocks;
    rlp::Reader reader(bytes);
    while (!reader.at_end()) {
        const auto item = reader.read_raw();
        EXPECT_TRUE(item.has_value());
        if (!item) break;
        auto block = decode_block(*item);
        EXPECT_TRUE(block.has_value()) << (block ? "" : to_string(block.error()));
        if (!block) break;
        blocks.push_back(*std::move(block));
    }
    return blocks;
}

TEST(Random, stream_is_xoshiro256_starstar_seeded_by_splitmix64) {
    workload::Random random(42);

    // From the published algorithms, computed apart from this code.
    EXPECT_EQ(random.next(), 0x15780b2e0c2ec716u);
    EXPECT_EQ(random.next(), 0x6104d9866d113a7eu);
    EXPECT_EQ(random.next(), 0xae17533239e499a1u);
}

TEST(Generator, same_seed_gives_the_same_signed_transactions) {
    workload::Options options;
    options.accounts = 20;
    workload::Generator first(options);
    workload::Generator second(options);
    options.seed = 2;
    workload::Generator other(options);

    int differing = 0;
    for (int i = 0; i < 200; ++i) {
        const Transaction tx = first.next(kBaseFee, 9);
        EXPECT_EQ(tx, second.next(kBaseFee, 9));
        EXPECT_EQ(recover_sender(tx), tx.sender);
        differing += tx == other.next(kBaseFee, 9) ? 0 : 1;
    }
    EXPECT_EQ(differing, 200);
}

TEST(Generator, nonces_of_each_sender_are_consecutive) {
    workload::Options options;
    options.accounts = 5;
    workload::Generator generator(options);

    std::vector<std::uint64_t> next_nonce(options.accounts);
    for (int i = 0; i < 500; ++i) {
        const Transaction tx = generator.next(kBaseFee, 9);
        const auto& accounts = generator.world().accounts;
        const auto sender = std::ranges::find(accounts, tx.sender, &workload::Key::address);
        ASSERT_NE(sender, accounts.end());
        EXPECT_EQ(tx.nonce, next_nonce[static_cast<std::size_t>(sender - accounts.begin())]++);
    }
}

TEST(Generator, contention_is_the_share_that_goes_to_the_hot_recipient) {
    for (const std::uint32_t ppm : {0u, 250'000u, 1'000'000u}) {
        workload::Options options;
        options.workload = Workload::transfers;
        options.accounts = 50;
        options.contention_ppm = ppm;
        workload::Generator generator(options);

        int hot = 0;
        for (int i = 0; i < 1'000; ++i)
            hot += generator.next(kBaseFee, 0).to == generator.world().hot_recipient ? 1 : 0;

        const int expected = static_cast<int>(ppm / 1'000);
        EXPECT_NEAR(hot, expected, ppm % 1'000'000 == 0 ? 0 : 60) << ppm;
    }
}

TEST(Generator, blobs_never_exceed_what_the_block_still_takes) {
    workload::Options options;
    options.accounts = 10;
    workload::Generator generator(options);

    int with_blobs = 0;
    for (int i = 0; i < 4'000; ++i) {
        const std::uint64_t left = static_cast<std::uint64_t>(i) % 3;
        const Transaction tx = generator.next(kBaseFee, left);
        EXPECT_LE(tx.blob_versioned_hashes.size(), left);
        with_blobs += tx.type == TransactionType::blob ? 1 : 0;
    }
    EXPECT_GT(with_blobs, 0);
}

TEST(Generator, delegations_are_left_out_where_the_block_does_not_take_them) {
    workload::Options options;
    options.accounts = 10;
    options.revision = Revision::prague;
    workload::Generator generator(options);
    const auto delegations = [&](bool takes_delegations) {
        int count = 0;
        for (int i = 0; i < 2'000; ++i)
            count +=
                generator.next(kBaseFee, 0, takes_delegations).type == TransactionType::set_code
                    ? 1
                    : 0;
        return count;
    };
    EXPECT_EQ(delegations(false), 0);
    EXPECT_GT(delegations(true), 0);
}

TEST(WorkloadGenesis, json_reads_back_as_the_same_genesis) {
    for (const Revision revision :
         {Revision::cancun, Revision::prague, Revision::osaka, Revision::amsterdam}) {
        workload::Options options;
        options.accounts = 4;
        options.revision = revision;
        const Genesis genesis =
            workload::make_genesis(workload::make_world(options).alloc, options, 60'000'000);
        const TemporaryFolder folder;
        std::ofstream file(folder / "genesis.json");
        workload::write_genesis_json(genesis, file);
        file.close();

        const Genesis read_back = load_genesis(folder / "genesis.json");

        EXPECT_EQ(read_back.config, genesis.config) << to_string(revision);
        EXPECT_EQ(read_back.header, genesis.header) << to_string(revision);
        EXPECT_EQ(read_back.alloc, genesis.alloc) << to_string(revision);
    }
}

TEST(WorkloadGenesis, of_a_development_chain_says_that_its_blocks_may_have_one_timestamp) {
    const Genesis genesis = dev_genesis();
    ASSERT_TRUE(genesis.config.equal_timestamps);
    const TemporaryFolder folder;
    std::ofstream file(folder / "genesis.json");
    workload::write_genesis_json(genesis, file);
    file.close();

    EXPECT_EQ(load_genesis(folder / "genesis.json").config, genesis.config);
}

TEST(WorkloadGenesis, of_a_chain_that_forks_is_one_of_the_fork_before) {
    for (const Revision revision : {Revision::prague, Revision::osaka, Revision::amsterdam}) {
        workload::Options options;
        options.accounts = 4;
        options.revision = revision;
        options.fork_time = workload::kGenesisTimestamp + 36;
        const Genesis genesis =
            workload::make_genesis(workload::make_world(options).alloc, options, 60'000'000);
        const auto revision_at = [&](std::uint64_t timestamp) {
            return genesis.config.revision(1, timestamp, true);
        };
        EXPECT_LT(revision_at(options.fork_time - 1), revision);
        EXPECT_EQ(revision_at(options.fork_time), revision);
        EXPECT_EQ(genesis.header.requests_hash.has_value(), revision > Revision::prague);
        EXPECT_FALSE(genesis.header.slot_number.has_value());
    }
}

class GenerateChain : public testing::TestWithParam<Workload> {};

TEST_P(GenerateChain, is_accepted_by_replay_and_holds_what_was_asked_for) {
    const TemporaryFolder folder;
    GenerateOptions options = small(GetParam(), folder / "chain");
    options.workload.contention_ppm = 200'000;

    const GenerateSummary summary = generate_chain(options, {});

    const std::vector<Block> blocks = read_blocks(folder / "chain/chain.rlp");
    ASSERT_EQ(blocks.size(), options.blocks);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        EXPECT_EQ(blocks[i].transactions.size(), options.txs);
        EXPECT_EQ(blocks[i].header.number, i + 1);
        if (i > 0) {
            EXPECT_EQ(blocks[i].header.parent_hash, header_hash(blocks[i - 1].header));
        }
    }
    EXPECT_EQ(summary.head_hash, header_hash(blocks.back().header));
    EXPECT_EQ(summary.transactions, options.blocks * options.txs);
    // Only swaps with an impossible minimum revert, one in 64.
    EXPECT_LE(summary.reverted, summary.transactions / 16);
    EXPECT_EQ(
        run_cli({"replay", "--genesis", folder / "chain/genesis.json", folder / "chain/chain.rlp"}),
        ExitCode::ok);
}

TEST(GenerateState, is_the_state_that_the_chain_of_the_same_options_begins_with) {
    const TemporaryFolder folder;
    GenerateOptions options = small(Workload::mixed, folder / "chain");
    options.workload.idle_accounts = 3'000;
    const GenerateSummary chain = generate_chain(options, {});
    options.out = folder / "state";

    const GenerateSummary state = generate_state(options);

    EXPECT_EQ(read_blocks(folder / "chain/chain.rlp").front().header.parent_hash, state.head_hash);
    EXPECT_FALSE(fs::exists(folder / "state.building"));
    ASSERT_EQ(run_cli({"snapshot", "verify", folder / "state"}), ExitCode::ok);
    ASSERT_EQ(run_cli({"snapshot", "restore", "--datadir", folder / "data", folder / "state"}),
              ExitCode::ok);
    EXPECT_EQ(run_cli({"replay", "--datadir", folder / "data", folder / "chain/chain.rlp", "--to",
                       std::to_string(chain.blocks)}),
              ExitCode::ok);
    EXPECT_THROW((void)generate_state(options), InputError) << "it exists already";
}

TEST(GenerateState, options_of_states_are_refused_for_chains) {
    const TemporaryFolder folder;
    EXPECT_EQ(run_cli({"generate", "--idle-slots", "4", "--out", folder / "a"}),
              ExitCode::bad_input);
    EXPECT_EQ(run_cli({"generate", "--idle-accounts", "12000001", "--out", folder / "a"}),
              ExitCode::bad_input);
    EXPECT_FALSE(fs::exists(folder / "a"));
}

INSTANTIATE_TEST_SUITE_P(each_workload, GenerateChain,
                         testing::Values(Workload::transfers, Workload::erc20, Workload::swaps,
                                         Workload::storage, Workload::creations, Workload::mixed),
                         [](const auto& tested) {
                             return std::string(workload::to_string(tested.param));
                         });

TEST(GenerateChain, gives_the_bytes_that_its_seed_means_everywhere) {
    const TemporaryFolder folder;

    const GenerateSummary first = generate_chain(small(Workload::mixed, folder / "first"), {});
    const GenerateSummary second = generate_chain(small(Workload::mixed, folder / "second"), {});

    EXPECT_EQ(read(folder / "first/chain.rlp"), read(folder / "second/chain.rlp"));
    EXPECT_EQ(read(folder / "first/genesis.json"), read(folder / "second/genesis.json"));
    EXPECT_EQ(first.head_hash, second.head_hash);
    // Pinned: a change here changes every chain anybody made from a seed. The chain was accepted by
    // go-ethereum 1.17.8.
    EXPECT_EQ(to_string(first.head_hash),
              "0x2d740da341d1024d9478f5e40e731ed59b7cc4a7687aac7d98cbaf4fa61a2990");
}

TEST(GenerateChain, other_forks_are_replayed_too) {
    for (const Revision revision : {Revision::cancun, Revision::prague, Revision::amsterdam}) {
        const TemporaryFolder folder;
        GenerateOptions options = small(Workload::mixed, folder / "chain");
        options.workload.revision = revision;

        const GenerateSummary summary = generate_chain(options, {});

        EXPECT_LE(summary.reverted, summary.transactions / 16) << to_string(revision);
        EXPECT_EQ(run_cli({"replay", "--genesis", folder / "chain/genesis.json",
                           folder / "chain/chain.rlp"}),
                  ExitCode::ok)
            << to_string(revision);
    }
}

TEST(GenerateChain, gas_per_block_is_reached_but_hardly_exceeded) {
    const TemporaryFolder folder;
    GenerateOptions options = small(Workload::erc20, folder / "chain");
    options.gas_per_block = 5'000'000;

    generate_chain(options, {});

    const auto blocks = read_blocks(folder / "chain/chain.rlp");
    EXPECT_EQ(blocks.size(), options.blocks);
    for (const Block& block : blocks) {
        EXPECT_GE(block.header.gas_used, options.gas_per_block);
        EXPECT_LT(block.header.gas_used, options.gas_per_block + workload::kMaxGasLimit);
    }
}

TEST(GenerateChain, a_folder_that_is_not_empty_is_kept_unless_forced) {
    const TemporaryFolder folder;
    std::ofstream(folder / "precious") << "mine";
    GenerateOptions options = small(Workload::transfers, folder / "");

    EXPECT_THROW(generate_chain(options, {}), InputError);
    EXPECT_FALSE(fs::exists(folder / "chain.rlp"));

    options.overwrite = true;
    generate_chain(options, {});

    EXPECT_EQ(read(folder / "precious"), "mine");
    EXPECT_EQ(read_blocks(folder / "chain.rlp").size(), options.blocks);
    EXPECT_FALSE(fs::exists(folder / "chain.rlp.partial"));
}

/// Trigger: Ctrl-C, or `kill -9`. Sequence: the same command again. Symptom: its folder was
/// refused, for it was not empty.
TEST(GenerateChain, what_an_attempt_that_was_killed_has_left_is_in_nobodys_way) {
    const TemporaryFolder folder;
    std::ofstream(folder / "genesis.json.partial") << "{";
    std::ofstream(folder / "chain.rlp.partial") << "cut off";
    const GenerateOptions options = small(Workload::transfers, folder / "");

    generate_chain(options, {});

    EXPECT_EQ(read_blocks(folder / "chain.rlp").size(), options.blocks);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / ""), fs::directory_iterator{}), 2);
}

TEST(GenerateChain, what_only_has_the_name_of_a_file_that_was_left_is_kept_unless_forced) {
    const TemporaryFolder folder;
    fs::create_symlink(folder / "precious", folder / "chain.rlp.partial");

    EXPECT_THROW(generate_chain(small(Workload::transfers, folder / ""), {}), InputError);

    EXPECT_FALSE(fs::exists(folder / "precious"));
}

/// Before, the genesis file stayed, and the folder was refused when there was room again.
TEST(GenerateChain, a_disk_that_is_full_leaves_what_was_there) {
    const TemporaryFolder folder;
    std::ofstream(folder / "genesis.json") << "before";
    fs::create_symlink("/dev/full", folder / "chain.rlp.partial");
    GenerateOptions options = small(Workload::transfers, folder / "");
    options.overwrite = true;

    EXPECT_THROW(generate_chain(options, {}), InputError);

    EXPECT_EQ(read(folder / "genesis.json"), "before");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / ""), fs::directory_iterator{}), 1);
}

TEST(GenerateChain, a_file_in_place_of_the_folder_is_an_error) {
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "mine";

    EXPECT_THROW(generate_chain(small(Workload::transfers, folder / "file"), {}), InputError);
}

TEST(GenerateCommand, bad_parameters_are_bad_input) {
    const TemporaryFolder folder;
    const std::string out = folder / "chain";
    const std::vector<std::vector<std::string>> cases{
        {"generate"},
        {"generate", "--out", out, "--blocks", "0"},
        {"generate", "--out", out, "--blocks", "-1"},
        {"generate", "--out", out, "--accounts", "1"},
        {"generate", "--out", out, "--workload", "poems"},
        {"generate", "--out", out, "--contention", "1.5"},
        {"generate", "--out", out, "--contention", "nan"},
        {"generate", "--out", out, "--fork", "london"},
        {"generate", "--out", out, "--txs", "5", "--gas-per-block", "1000000"},
    };

    for (const auto& arguments : cases)
        EXPECT_EQ(run_cli(arguments), ExitCode::bad_input) << arguments.back();
    EXPECT_FALSE(fs::exists(out));
}

TEST(GenerateCommand, a_chain_that_goes_over_to_prague_has_delegations_from_then_on) {
    const TemporaryFolder folder;
    EXPECT_EQ(run_cli({"generate", "--out", folder / "chain", "--seed", "9", "--blocks", "14",
                       "--txs", "40", "--accounts", "30", "--fork", "prague", "--fork-at", "6"}),
              ExitCode::ok);
}

TEST(GenerateCommand, a_fork_behind_the_last_block_is_said) {
    const TemporaryFolder folder;

    testing::internal::CaptureStderr();
    const ExitCode behind = run_cli({"generate", "--out", folder / "behind", "--blocks", "1",
                                     "--txs", "1", "--fork", "amsterdam", "--fork-at", "2"});
    const std::string said = testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();
    const ExitCode within = run_cli({"generate", "--out", folder / "within", "--blocks", "1",
                                     "--txs", "1", "--fork", "amsterdam", "--fork-at", "1"});
    const std::string silent = testing::internal::GetCapturedStderr();

    EXPECT_EQ(behind, ExitCode::ok);
    EXPECT_EQ(said,
              "heddle: --fork-at 2: the chain ends at block 1, before the rules of amsterdam "
              "begin\n");
    EXPECT_EQ(within, ExitCode::ok);
    EXPECT_EQ(silent, "");
}

}  // namespace
}  // namespace heddle::node
