// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The folders of a network: complete, the same for the same seed, and never half of one.
#include "network/testnet.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/signing.hpp>

#include "cometbft/owned_validators.hpp"
#include "formats/chain_config_json.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "inputs/chain_input.hpp"
#include "network/testnet_parts.hpp"
#include "program.hpp"
#include "program/error.hpp"
#include "service/node_config.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

/// Path below the folder, content.
std::map<std::string, std::string> files_in(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            files[fs::relative(entry.path(), folder).string()] = test::read_text(entry.path());
    return files;
}

std::size_t entries_in(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

class TestnetTest : public ::testing::Test {
protected:
    [[nodiscard]] TestnetOptions options() const {
        TestnetOptions options;
        options.out = network().string();
        options.seed = 1;
        return options;
    }
    /// @return what was said.
    std::string refusal(const TestnetOptions& options) {
        try {
            write_testnet(options);
        } catch (const InputError& error) {
            return error.what();
        }
        return "nothing was wrong";
    }
    [[nodiscard]] fs::path network() const { return folder_.path() / "network"; }
    [[nodiscard]] const test::TemporaryFolder& folder() const { return folder_; }

private:
    test::TemporaryFolder folder_;
};

TEST_F(TestnetTest, each_validator_has_all_that_its_two_programs_need) {
    write_testnet(options());

    const auto files = files_in(network());
    EXPECT_EQ(files.size(), 2 + 4 * 7U);
    for (const char* validator : {"validator1", "validator2", "validator3", "validator4"})
        for (const char* file :
             {"heddle.toml", "beneficiary_key", "cometbft/config/config.toml",
              "cometbft/config/genesis.json", "cometbft/config/node_key.json",
              "cometbft/config/priv_validator_key.json", "cometbft/data/priv_validator_state.json"})
            EXPECT_TRUE(files.contains(fmt::format("{}/{}", validator, file)))
                << validator << ' ' << file;
}

TEST_F(TestnetTest, all_validators_begin_with_the_same_genesis) {
    const TestnetPlan plan = write_testnet(options());

    const auto files = files_in(network());
    const std::string& first = files.at("validator1/cometbft/config/genesis.json");
    for (const TestnetPeer& peer : plan.validators)
        EXPECT_EQ(files.at(peer.name + "/cometbft/config/genesis.json"), first);
    JsonParser parser;
    const Hash named = parser.parse(first, "genesis").at("app_state").at("genesis_hash").hash();
    EXPECT_EQ(named, compute_genesis_hash(load_genesis((network() / "genesis.json").string())));
    EXPECT_EQ(named, plan.genesis_hash);
}

TEST_F(TestnetTest, the_configuration_of_a_node_can_be_read) {
    write_testnet(options());

    NodeConfig config;
    read_config((network() / "validator3/heddle.toml").string(), config);

    EXPECT_EQ(config.consensus.engine, "cometbft");
    EXPECT_EQ(config.chain.datadir, (network() / "validator3/ledger").string());
    EXPECT_EQ(config.chain.genesis, (network() / "genesis.json").string());
    EXPECT_EQ(config.cometbft.abci, "tcp://127.0.0.3:26658");
    EXPECT_EQ(config.cometbft.rpc, "http://127.0.0.3:26657");
    EXPECT_EQ(config.rpc.address, "127.0.0.3");
    EXPECT_FALSE(config.cometbft.state_sync);
}

// A proposer without a wish follows whoever moves the gas limit, as far as that goes.
TEST_F(TestnetTest, whoever_may_propose_moves_the_gas_limit_back_to_that_of_the_genesis) {
    write_testnet(options());
    AddedNodeOptions added;
    added.out = network().string();
    (void)add_testnet_node(added);

    const Genesis genesis = load_genesis((network() / "genesis.json").string());
    for (const char* name : {"validator1", "validator4", "node5"}) {
        NodeConfig config;
        read_config((network() / name / "heddle.toml").string(), config);
        EXPECT_EQ(config.consensus.gas_limit, genesis.header.gas_limit) << name;
    }
}

TEST_F(TestnetTest, each_validator_has_a_beneficiary_with_its_key) {
    const TestnetPlan plan = write_testnet(options());

    std::set<std::string> seen;
    for (const TestnetPeer& peer : plan.validators) {
        const fs::path key = network() / peer.name / "beneficiary_key";
        const auto secret = hash_from_hex(test::read_text(key).substr(0, 66));
        ASSERT_TRUE(secret.has_value());
        EXPECT_EQ(address_from_secret(*secret), peer.beneficiary);
        NodeConfig config;
        read_config((network() / peer.name / "heddle.toml").string(), config);
        EXPECT_EQ(config.consensus.beneficiary, to_string(peer.beneficiary));
        EXPECT_TRUE(seen.insert(config.consensus.beneficiary).second);
        struct stat status{};
        ASSERT_EQ(::stat(key.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777U, 0600U);
    }
}

TEST_F(TestnetTest, validators_know_all_others_and_not_themselves) {
    const TestnetPlan plan = write_testnet(options());

    const std::string config =
        test::read_text(network() / "validator2/cometbft/config/config.toml");
    for (const TestnetPeer& peer : plan.validators)
        EXPECT_EQ(contains(config, peer.node_id + "@" + peer.address + ":26656"),
                  peer.name != "validator2");
}

TEST_F(TestnetTest, the_same_seed_gives_the_same_files) {
    write_testnet(options());
    const auto first = files_in(network());
    fs::remove_all(network());

    write_testnet(options());

    EXPECT_EQ(files_in(network()), first);
}

TEST_F(TestnetTest, without_a_seed_nobody_has_the_same_keys) {
    TestnetOptions options = this->options();
    options.seed.reset();
    const TestnetPlan first = write_testnet(options);
    fs::remove_all(network());

    const TestnetPlan second = write_testnet(options);

    EXPECT_NE(first.validators.front().node_id, second.validators.front().node_id);
    EXPECT_NE(first.validators.front().beneficiary, second.validators.front().beneficiary);
    EXPECT_EQ(first.genesis_hash, second.genesis_hash);
}

TEST_F(TestnetTest, a_chain_id_makes_another_chain) {
    TestnetOptions options = this->options();
    options.chain_id = 7;

    const TestnetPlan plan = write_testnet(options);

    EXPECT_EQ(plan.comet_chain_id, "heddle-7");
    EXPECT_EQ(load_genesis((network() / "genesis.json").string()).config.chain_id, 7U);
}

TEST_F(TestnetTest, the_genesis_file_has_the_rules_that_the_chain_was_made_with) {
    (void)write_testnet(options());

    EXPECT_EQ(load_genesis((network() / "genesis.json").string()).config,
              make_genesis(options()).config);
}

TEST_F(TestnetTest, equal_timestamps_of_a_genesis_file_stay_with_an_owner_in_it) {
    (void)write_testnet(options());
    std::string text = test::read_text(network() / "genesis.json");
    fs::remove_all(network());
    constexpr std::string_view kBegin = R"({"config":{)";
    ASSERT_TRUE(text.starts_with(kBegin));
    text.insert(kBegin.size(), R"("equalTimestamps":true,)");
    TestnetOptions options = this->options();
    options.genesis = folder().write("equal.json", text);
    options.owner = "0x00000000000000000000000000000000000a11ce";

    (void)write_testnet(options);

    EXPECT_TRUE(load_genesis((network() / "genesis.json").string()).config.equal_timestamps);
}

TEST_F(TestnetTest, a_genesis_file_is_taken_as_it_is) {
    const std::string file = folder().write(
        "mine.json",
        R"({"config":{"chainId":99,"homesteadBlock":0,"eip150Block":0,"eip155Block":0,
            "eip158Block":0,"byzantiumBlock":0,"constantinopleBlock":0,"petersburgBlock":0,
            "istanbulBlock":0,"berlinBlock":0,"londonBlock":0,"shanghaiTime":0,
            "terminalTotalDifficulty":0},"gasLimit":"0x1c9c380","difficulty":"0x0","alloc":{}})");
    TestnetOptions options = this->options();
    options.genesis = file;

    const TestnetPlan plan = write_testnet(options);

    EXPECT_EQ(plan.chain_id, 99U);
    EXPECT_EQ(test::read_text(network() / "genesis.json"), test::read_text(file));
}

/// @return the account at that address in the network's genesis file.
GenesisAccount account_in(const fs::path& network, const Address& address) {
    const Genesis genesis = load_genesis((network / "genesis.json").string());
    const auto found = std::ranges::find(genesis.alloc, address, &GenesisAccount::address);
    return found != genesis.alloc.end() ? *found : GenesisAccount{};
}

TEST_F(TestnetTest, an_owner_of_validators_gets_a_contract_that_knows_those_of_the_beginning) {
    TestnetOptions options = this->options();
    options.owner = "0x00000000000000000000000000000000000a11ce";
    options.epoch_blocks = 10;

    const TestnetPlan plan = write_testnet(options);

    const std::string file = (network() / "genesis.json").string();
    EXPECT_EQ(load_validator_contract(file),
              (ValidatorContractConfig{validator_contract_address(), 10}));
    EXPECT_EQ(compute_genesis_hash(load_genesis(file)), plan.genesis_hash);
    std::vector<consensus_adapter::cometbft::Validator> validators;
    for (const TestnetPeer& peer : plan.validators) {
        const NodeKeys keys = make_keys({options.seed, peer.name});
        validators.push_back(
            {Bytes(keys.validator.public_key.begin(), keys.validator.public_key.end()), 10});
    }
    EXPECT_EQ(account_in(network(), validator_contract_address()),
              owned_validators_account(validator_contract_address(),
                                       *address_from_hex(options.owner), validators));
}

TEST_F(TestnetTest, an_owner_is_added_to_a_genesis_file_that_has_none) {
    TestnetOptions first = this->options();
    first.chain_id = 9;
    write_testnet(first);
    const fs::path given = folder().path() / "given.json";
    fs::rename(network() / "genesis.json", given);
    fs::remove_all(network());
    TestnetOptions options = this->options();
    options.genesis = given.string();
    options.owner = "0x00000000000000000000000000000000000a11ce";

    const TestnetPlan plan = write_testnet(options);

    EXPECT_EQ(plan.chain_id, 9U);
    EXPECT_FALSE(account_in(network(), validator_contract_address()).code.empty());
    options.genesis = (network() / "genesis.json").string();
    options.out = (folder().path() / "other").string();
    EXPECT_TRUE(contains(refusal(options), "names a contract of validators already"));
}

TEST_F(TestnetTest, a_chain_with_proof_of_work_is_refused) {
    TestnetOptions options = this->options();
    options.genesis = folder().write(
        "old.json", R"({"config":{"chainId":99},"gasLimit":"0x1c9c380","difficulty":"0x20000",
                        "alloc":{}})");

    EXPECT_TRUE(contains(refusal(options), "terminalTotalDifficulty")) << refusal(options);
    EXPECT_FALSE(fs::exists(network()));
}

TEST_F(TestnetTest, only_a_loopback_address_is_shown_the_application) {
    TestnetOptions options = this->options();
    options.addresses = {"10.1.0.1", "10.1.0.2", "10.1.0.3", "10.1.0.4"};

    write_testnet(options);

    NodeConfig config;
    read_config((network() / "validator2/heddle.toml").string(), config);
    EXPECT_EQ(config.cometbft.abci, "tcp://127.0.0.1:26658");
    const std::string comet = test::read_text(network() / "validator2/cometbft/config/config.toml");
    EXPECT_TRUE(contains(comet, "proxy_app = \"tcp://127.0.0.1:26658\"")) << comet;
    EXPECT_TRUE(contains(comet, "external_address = \"10.1.0.2:26656\"")) << comet;
}

TEST_F(TestnetTest, wrong_options_are_refused_and_leave_nothing) {
    TestnetOptions none = options();
    none.validators = 0;
    TestnetOptions many = options();
    many.validators = kMaxTestnetValidators + 1;
    TestnetOptions few_addresses = options();
    few_addresses.addresses = {"127.0.0.1"};
    TestnetOptions twice = options();
    twice.addresses = {"127.0.0.1", "127.0.0.2", "127.0.0.1", "127.0.0.4"};
    TestnetOptions fast = options();
    fast.block_interval_ms = 1;
    TestnetOptions no_chain = options();
    no_chain.chain_id = 0;
    TestnetOptions no_file = options();
    no_file.genesis = (folder().path() / "nowhere.json").string();

    EXPECT_TRUE(contains(refusal(none), "--validators 0"));
    EXPECT_TRUE(contains(refusal(many), "--validators 65"));
    EXPECT_TRUE(contains(refusal(few_addresses), "1 address for 4 validators"));
    EXPECT_TRUE(contains(refusal(twice), "127.0.0.1 is there twice"));
    EXPECT_TRUE(contains(refusal(fast), "--block-interval 1ms"));
    EXPECT_TRUE(contains(refusal(no_chain), "--chain-id"));
    EXPECT_TRUE(contains(refusal(no_file), "nowhere.json"));
    EXPECT_EQ(entries_in(folder().path()), 0U);
}

TEST_F(TestnetTest, what_is_no_address_of_a_machine_is_refused) {
    for (const char* address : {"", "x", "1.2.3", "1.2.3.4.5", "::1", "0.0.0.0", "255.255.255.255",
                                "224.0.0.1", "127.0.0.1:80"}) {
        TestnetOptions options = this->options();
        options.validators = 1;
        options.addresses = {address};
        EXPECT_TRUE(contains(refusal(options), "address")) << address << ": " << refusal(options);
    }
}

TEST_F(TestnetTest, a_folder_that_is_not_empty_is_left_alone) {
    fs::create_directory(network());
    (void)folder().write("network/mine", "text");

    EXPECT_TRUE(contains(refusal(options()), "is not empty"));

    EXPECT_EQ(files_in(network()).size(), 1U);
    EXPECT_EQ(entries_in(folder().path()), 1U);
}

TEST_F(TestnetTest, an_empty_folder_is_filled) {
    fs::create_directory(network());

    write_testnet(options());

    EXPECT_TRUE(fs::exists(network() / "validator1/heddle.toml"));
    EXPECT_EQ(entries_in(folder().path()), 1U);
}

TEST_F(TestnetTest, an_added_node_follows_all_validators) {
    const TestnetPlan plan = write_testnet(options());
    AddedNodeOptions added;
    added.out = network().string();

    const TestnetPeer fifth = add_testnet_node(added);
    const TestnetPeer sixth = add_testnet_node(added);

    EXPECT_EQ(fifth.name, "node5");
    EXPECT_EQ(fifth.address, "127.0.0.5");
    EXPECT_EQ(sixth.name, "node6");
    EXPECT_EQ(sixth.address, "127.0.0.6");
    const std::string config = test::read_text(network() / "node5/cometbft/config/config.toml");
    for (const TestnetPeer& peer : plan.validators)
        EXPECT_TRUE(contains(config, peer.node_id + "@" + peer.address));
    EXPECT_EQ(test::read_text(network() / "node5/cometbft/config/genesis.json"),
              test::read_text(network() / "validator1/cometbft/config/genesis.json"));
    EXPECT_EQ(TestnetPlan::load(network()).nodes.size(), 2U);
}

TEST_F(TestnetTest, an_added_node_starts_from_what_it_is_told_to_trust) {
    write_testnet(options());
    AddedNodeOptions added;
    added.out = network().string();
    added.has_state_sync = true;
    added.trust_height = 12;
    added.trust_hash = std::string(64, 'A');

    (void)add_testnet_node(added);

    const std::string comet = test::read_text(network() / "node5/cometbft/config/config.toml");
    EXPECT_TRUE(contains(comet, "rpc_servers = \"http://127.0.0.1:26657,http://127.0.0.2:26657\""));
    EXPECT_TRUE(contains(comet, "trust_height = 12"));
    EXPECT_TRUE(contains(comet, added.trust_hash));
    NodeConfig config;
    read_config((network() / "node5/heddle.toml").string(), config);
    EXPECT_TRUE(config.cometbft.state_sync);
}

TEST_F(TestnetTest, a_node_that_cannot_be_added_leaves_nothing) {
    TestnetOptions options = this->options();
    // Where nobody listens.
    options.addresses = {"127.77.1.1", "127.77.1.2", "127.77.1.3", "127.77.1.4"};
    write_testnet(options);
    const auto before = files_in(network());
    AddedNodeOptions untrusting;
    untrusting.out = network().string();
    untrusting.has_state_sync = true;
    AddedNodeOptions taken;
    taken.out = network().string();
    taken.address = "127.77.1.2";
    AddedNodeOptions wrong_hash = untrusting;
    wrong_hash.trust_height = 1;
    wrong_hash.trust_hash = "AB";
    AddedNodeOptions nowhere;
    nowhere.out = (folder().path() / "nowhere").string();

    for (const AddedNodeOptions& added : {untrusting, taken, wrong_hash, nowhere})
        EXPECT_THROW((void)add_testnet_node(added), InputError);
    AddedNodeOptions elsewhere;
    elsewhere.out = folder().path().string();
    for (const AddedNodeOptions& added : {nowhere, elsewhere})
        EXPECT_THAT([&] { (void)add_testnet_node(added); },
                    testing::ThrowsMessage<InputError>(
                        testing::HasSubstr("--out names the folder of a network")));

    EXPECT_EQ(files_in(network()), before);
}

TEST_F(TestnetTest, the_command_says_where_each_validator_answers) {
    const test::ProgramResult result =
        test::run_program({"testnet", "--validators", "2", "--out", network().string(),
                           "--addresses", "127.0.7.1,127.0.7.2", "--block-interval", "500ms"});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_TRUE(contains(result.out, "http://127.0.7.2:8545")) << result.out;
    EXPECT_EQ(TestnetPlan::load(network()).block_interval_ms, 500U);
}

TEST_F(TestnetTest, options_that_do_not_go_together_are_bad_usage) {
    const std::string out = network().string();
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"testnet", "--out", out, "--add", "--validators", "3"},
          {"testnet", "--out", out, "--state-sync"},
          {"testnet", "--out", out, "--add", "--state-sync", "--trust-height", "3"},
          {"testnet", "--out", out, "--chain-id", "3", "--genesis", "file"},
          {"testnet", "--out", out, "--lanes", "2", "--snapshot-interval", "10"},
          {"testnet"},
          {"supervise"},
          {"supervise", "--home", folder().path().string()},
          {"supervise", "--home", out}})
        EXPECT_EQ(test::run_program(arguments).exit_code, 2) << arguments.back();
    EXPECT_EQ(entries_in(folder().path()), 0U);
}

// It was said that a member of a JSON object was missing.
TEST_F(TestnetTest, no_node_is_added_to_a_network_of_lanes) {
    const std::string out = network().string();
    ASSERT_EQ(test::run_program(
                  {"testnet", "--out", out, "--lanes", "1", "--validators", "1", "--nodes", "1"})
                  .exit_code,
              0);

    const test::ProgramResult result = test::run_program({"testnet", "--out", out, "--add"});

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(contains(result.error, "is a network of lanes")) << result.error;
}

// The 256th was said to be no address of the user's.
TEST(TestnetAddresses, are_as_many_as_a_network_has_machines) {
    const std::vector<std::string> addresses = checked_addresses({}, 1056, "nodes and validators");

    EXPECT_EQ(addresses.front(), "127.0.0.1");
    EXPECT_EQ(addresses[255], "127.0.1.0");
    EXPECT_EQ(addresses.back(), "127.0.4.32");
}

TEST_F(TestnetTest, a_missing_cometbft_is_said_with_how_to_get_it) {
    write_testnet(options());

    const test::ProgramResult result =
        test::run_program({"supervise", "--home", (network() / "validator1").string(), "--cometbft",
                           (folder().path() / "cometbft").string()});

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(contains(result.error, "go install")) << result.error;
}

}  // namespace
}  // namespace heddle::node
