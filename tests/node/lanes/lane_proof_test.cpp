// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// With keys made here; that CometBFT's own headers and votes pass is seen over running lanes
// (tests/network/running_lanes_test.cpp).
#include "lanes/lane_proof.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <consensus_adapter/lanes/lane_application.hpp>

#include "network/comet_home.hpp"
#include "program/error.hpp"
#include "temporary_folder.hpp"
#include "test_comet.hpp"

namespace heddle::node::lanes {
namespace {

namespace cometbft = consensus_adapter::cometbft;
using consensus_adapter::lanes::LaneBlock;
using test::bytes_of;
using testing::HasSubstr;

class LaneProofTest : public testing::Test {
protected:
    LaneProofTest() {
        trusted_.chain_id = "lane";
        for (int i = 0; i < 4; ++i) {
            keys_.push_back(make_ed25519_key(derived_secret("validator " + std::to_string(i))));
            trusted_.validators.push_back({keys_.back().public_key, 10});
        }
        block_.height = 7;
        block_.time_ms = 1'700'000'000'123;
        block_.cut = consensus_adapter::lanes::Cut{{7, 3}, {}};
        block_.items = {Bytes(5, 1), Bytes(90, 2)};
        log_before_.bytes[0] = 9;
    }
    /// The header of block_, as these validators have signed it.
    [[nodiscard]] cometbft::SignedHeader signed_by(const std::vector<std::size_t>& signers) const {
        cometbft::SignedHeader result;
        cometbft::CometHeader& header = result.header;
        header.block_version = 11;
        header.chain_id = "lane";
        header.height = 7;
        header.time = {1'700'000'000, 123'456'789};
        const Bytes cut = consensus_adapter::lanes::encode_cut(*block_.cut);
        const std::vector<BytesView> items{cut, block_.items[0], block_.items[1]};
        header.data_hash = bytes_of(cometbft::data_hash(items));
        header.validators_hash = header.next_validators_hash =
            bytes_of(cometbft::validators_hash(trusted_));
        header.app_hash = bytes_of(log_before_);
        return sign(std::move(result), signers);
    }
    [[nodiscard]] cometbft::SignedHeader sign(cometbft::SignedHeader result,
                                              const std::vector<std::size_t>& signers) const {
        std::vector<Ed25519Key> keys;
        for (const std::size_t signer : signers)
            keys.push_back(keys_[signer]);
        return test::sign(std::move(result), keys);
    }
    [[nodiscard]] std::string verdict(const cometbft::SignedHeader& header) const {
        const auto checked = check_signed(trusted_, lane_, header, block_, log_before_);
        return checked.has_value() ? "" : checked.error();
    }

    std::vector<Ed25519Key> keys_;
    cometbft::TrustedValidators trusted_;
    consensus_adapter::lanes::LaneLogHead lane_{0, 2, 0};
    LaneBlock block_;
    Hash log_before_;
};

TEST_F(LaneProofTest, takes_a_block_that_more_than_two_thirds_have_signed) {
    EXPECT_EQ(verdict(signed_by({0, 1, 2, 3})), "");
    EXPECT_EQ(verdict(signed_by({3, 0, 2})), "");
    EXPECT_THAT(verdict(signed_by({0, 1})), HasSubstr("with 20 of a power of 40"));
    EXPECT_THAT(verdict(signed_by({})), HasSubstr("with 0 of"));
    trusted_.validators.resize(3);
    EXPECT_THAT(verdict(signed_by({0, 1})), HasSubstr("with 20 of a power of 30"))
        << "two thirds are not more than two thirds";
}

TEST_F(LaneProofTest, counts_no_validator_twice_and_no_vote_that_it_has_not_signed) {
    EXPECT_THAT(verdict(signed_by({0, 0, 0, 1})), HasSubstr("with 20 of"));
    cometbft::SignedHeader forged = signed_by({0, 1, 2});
    forged.votes[2].signature[10] ^= 1;
    EXPECT_THAT(verdict(forged), HasSubstr("with 20 of"));
    forged.votes[2].signature.clear();
    EXPECT_THAT(verdict(forged), HasSubstr("with 20 of"));
    forged = signed_by({0, 1, 2});
    forged.votes[2].time.nanos += 1;  // not what was signed
    EXPECT_THAT(verdict(forged), HasSubstr("with 20 of"));
    forged = signed_by({0, 1, 2});
    forged.votes[2].is_for_block = false;
    EXPECT_THAT(verdict(forged), HasSubstr("with 20 of"));
    forged = signed_by({0, 1, 2});
    forged.round = 1;
    EXPECT_THAT(verdict(forged), HasSubstr("with 0 of"));
}

TEST_F(LaneProofTest, takes_no_block_but_the_one_that_was_signed) {
    const cometbft::SignedHeader header = signed_by({0, 1, 2, 3});
    block_.items[1][3] ^= 1;
    EXPECT_THAT(verdict(header), HasSubstr("other items"));
    block_.items[1][3] ^= 1;
    block_.cut->heights[1] += 1;
    EXPECT_THAT(verdict(header), HasSubstr("other items"));
    block_.cut->heights[1] -= 1;
    block_.time_ms += 1;
    EXPECT_THAT(verdict(header), HasSubstr("another time"));
    block_.time_ms -= 1;
    log_before_.bytes[31] ^= 1;
    EXPECT_THAT(verdict(header), HasSubstr("another log before it"));
    log_before_.bytes[31] ^= 1;
    block_.height = 8;
    EXPECT_THAT(verdict(header), HasSubstr("that of height 7"));
}

/// Trigger: a validator gives the newest block of its log with the cut among the items. What was
/// signed of it are the items alone, so it was kept, and merged without its cut.
TEST_F(LaneProofTest, takes_no_other_block_of_the_items_that_were_signed) {
    const cometbft::SignedHeader header = signed_by({0, 1, 2, 3});
    const LaneBlock good = block_;
    block_.items.insert(block_.items.begin(), consensus_adapter::lanes::encode_cut(*block_.cut));
    block_.cut.reset();
    EXPECT_THAT(verdict(header), HasSubstr("another block of the same items"));
    block_ = good;
    lane_.leading = 1;
    EXPECT_THAT(verdict(header), HasSubstr("another block of the same items"));
    lane_.leading = 0;
    block_.lane = 1;
    EXPECT_THAT(verdict(header), HasSubstr("another block of the same items"));
    block_ = good;
    EXPECT_EQ(verdict(header), "");
}

TEST_F(LaneProofTest, takes_no_header_of_another_network_or_of_other_validators) {
    cometbft::SignedHeader header = signed_by({0, 1, 2, 3});
    header.header.app_hash[0] ^= 1;
    EXPECT_THAT(verdict(header), HasSubstr("votes are for another header"));
    header = signed_by({0, 1, 2, 3});
    header.header.chain_id = "other";
    EXPECT_THAT(verdict(sign(header, {0, 1, 2, 3})), HasSubstr("another network"));
    header = signed_by({0, 1, 2, 3});
    header.header.validators_hash[0] ^= 1;
    EXPECT_THAT(verdict(sign(header, {0, 1, 2, 3})), HasSubstr("other validators"));
}

TEST_F(LaneProofTest, reads_the_validators_of_the_genesis_file_that_cometbft_has) {
    const heddle::test::TemporaryFolder folder;
    CometGenesis genesis{"lane", 1'700'000'000, {}, {}};
    for (const Ed25519Key& key : keys_)
        genesis.validators.push_back({"name", key.public_key, key.address()});
    const std::string path = folder / "genesis.json";
    std::ofstream{path} << print_comet_genesis(genesis);
    const auto read = load_lane_validators(path);
    EXPECT_EQ(read.chain_id, "lane");
    EXPECT_EQ(cometbft::validators_hash(read), cometbft::validators_hash(trusted_));
    genesis.validators[1] = genesis.validators[0];
    std::ofstream{path} << print_comet_genesis(genesis);
    EXPECT_THROW((void)load_lane_validators(path), InputError);
}

}  // namespace
}  // namespace heddle::node::lanes
