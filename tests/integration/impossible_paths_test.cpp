// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "program.hpp"
#include "running_node.hpp"

// Every option that names a file or a folder, given a path at which there can be none, whoever
// asks: exit code 2, and one line that says so. Paths that a user lacks the rights for are the same
// case, but the user of the tests may be one who has all.
namespace heddle::test {
namespace {

namespace fs = std::filesystem;

/// A command line in which `@` is the path. The folder that it runs in has what prepare() made.
constexpr std::string_view kCommands[] = {
    // What is read.
    "replay --genesis @ chain/chain.rlp",
    "replay --genesis chain/genesis.json @",
    "replay --genesis chain/genesis.json --sets @ chain/chain.rlp",
    "replay --genesis chain/genesis.json --access-lists @ chain/chain.rlp",
    "replay --genesis chain/genesis.json --scheduler early:mapping=@ chain/chain.rlp",
    "replay --witness @",
    "replay --lanes --genesis chain/genesis.json @",
    "replay --datadir @",
    "init --genesis @ --datadir new",
    "node --config @",
    "node --genesis @ --datadir new",
    "node --datadir @",
    "node --dev --rpc-port 0 --set rpc.jwt_secret=@",
    "node --genesis chain/genesis.json --datadir new --follow https://127.0.0.1:1 --source-ca @",
    "dev --rpc-port 0 --artifacts @",
    "rerun @",
    "rerun rec --snapshot @",
    "rerun rec --datadir @",
    "lane --home @",
    "supervise --home @",
    "supervise --home network/validator1 --cometbft @",
    "lanes merge --genesis chain/genesis.json @",
    "lanes merge --genesis @ chain/chain.rlp",
    "lanes split --genesis chain/genesis.json chain/chain.rlp --sets @ --lanes 2 --out new",
    "promote --rpc http://127.0.0.1:1 --jwt-secret @",
    "export --datadir @ new",
    "verify --datadir @",
    "db stats --datadir @",
    "db prune --keep 1 --datadir @",
    "db compact --datadir @",
    "db rollback --to 0 --datadir @",
    "snapshot create --datadir @ --out new",
    "snapshot verify @",
    "snapshot restore --datadir new @",
    "inspect --genesis chain/genesis.json --block 1 @",
    "inspect --genesis @ --block 1 chain/chain.rlp",
    "inspect --datadir @",
    "inspect --witness @",
    "inspect --sets @",
    "statetest @",
    "blocktest @",
    "load --rpc http://127.0.0.1:1 --requests @",
    "bench @",
    "bench --genesis @ chain/chain.rlp",
    "bench --datadir @",
    "bench compare @ @",
    "testnet --out new --genesis @",
    "testnet --add --out @",
    // What is made.
    "replay --genesis chain/genesis.json --datadir @ chain/chain.rlp",
    "init --genesis chain/genesis.json --datadir @",
    "node --genesis chain/genesis.json --datadir @ --rpc-port 0",
    "node --dev --rpc-port 0 --record @",
    "node --dev --rpc-port 0 --ipc-path @",
    "node --dev --rpc-port 0 --write-genesis @",
    "dev --rpc-port 0 --fork-url http://127.0.0.1:1 --fork-cache @",
    "rerun rec --work @",
    "rerun rec --dump-state @",
    "lanes merge --genesis chain/genesis.json logs/lane-0.log logs/lane-1.log --work @",
    "lanes split --genesis chain/genesis.json chain/chain.rlp --sets sets --lanes 2 --out @",
    "export --datadir data @",
    "export --datadir data new --access-lists @",
    "snapshot create --datadir data --out @",
    "snapshot restore --datadir @ snapshot",
    "inspect --genesis chain/genesis.json --block 1 chain/chain.rlp --out @",
    "generate --blocks 1 --out @",
    "generate --snapshot --out @",
    "bench --workload transfers --blocks 1 --txs 1 --no-model --repetitions 1 --html @",
    "bench --workload transfers --blocks 1 --txs 1 --no-model --repetitions 1 --json @",
    "bench --workload transfers --blocks 1 --txs 1 --no-model --repetitions 1 --csv @",
    "testnet --validators 1 --out @",
    "testnet --lanes 1 --validators 1 --out @",
};

std::vector<std::string> words_of(std::string_view command) {
    std::vector<std::string> words;
    std::istringstream stream{std::string{command}};
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

/// The commands run in one folder, to which their paths are relative.
class ImpossiblePaths : public testing::Test {
protected:
    /// Makes what the commands would go on to need, were the path one.
    static void SetUpTestSuite() {
        folder_ = std::make_unique<TemporaryFolder>();
        before_ = fs::current_path();
        fs::current_path(folder_->path());
        for (const char* const command :
             {"generate --blocks 1 --txs 3 --out chain",
              "replay --genesis chain/genesis.json --datadir data --record-sets sets "
              "chain/chain.rlp",
              "snapshot create --datadir data --out snapshot",
              "testnet --validators 1 --seed 1 --out network",
              "lanes split --genesis chain/genesis.json chain/chain.rlp --sets sets --lanes 2 "
              "--out "
              "logs"}) {
            const ProgramResult made = run_program(words_of(command));
            ASSERT_EQ(made.exit_code, 0) << command << ": " << made.error;
        }
        RunningNode node{{"--dev", "--record", "rec"}};
        ASSERT_EQ(node.program().end(SIGTERM), 0);
    }
    static void TearDownTestSuite() {
        fs::current_path(before_);
        folder_.reset();
    }

    static void expect_refused(const std::string& path) {
        for (const std::string_view command : kCommands) {
            SCOPED_TRACE(command);
            std::vector<std::string> words = words_of(command);
            for (std::size_t i = 1; i < words.size(); ++i) {
                std::string& word = words[i];
                if (const std::size_t at = word.find('@'); at != std::string::npos)
                    word.replace(at, 1, path);
                else if (fs::exists(folder_->path() / word))
                    word = (folder_->path() / word).native();
            }
            const ProgramResult result = run_program(words);
            EXPECT_EQ(result.exit_code, 2) << result.error;
            EXPECT_EQ(result.out, "") << "it has gone to work";
            // A node says first where it is.
            const std::size_t at = result.error.rfind("heddle: ");
            ASSERT_NE(at, std::string::npos) << result.error;
            EXPECT_EQ(result.error.find('\n', at), result.error.size() - 1) << result.error;
            EXPECT_EQ(result.error.find("unexpected error"), std::string::npos) << result.error;
        }
    }

private:
    static inline std::unique_ptr<TemporaryFolder> folder_;
    static inline fs::path before_;
};

// Before, a node that could not record, and a snapshot, ended as if a disk had failed, and `rerun
// --dump-state` ran all first.
TEST_F(ImpossiblePaths, lie_below_a_file) {
    ASSERT_TRUE(std::ofstream("file").is_open());
    expect_refused("file/path");
}

// Before, new folders of rerun and lanes were unexpected errors, a data directory was a disk that
// had failed, and `bench` measured all before it looked at its report's name.
TEST_F(ImpossiblePaths, are_links_in_a_circle) {
    fs::create_symlink("circle", "circle");
    expect_refused("circle");
}

TEST_F(ImpossiblePaths, are_too_long) {
    expect_refused(std::string(300, 'n'));
}

// Before, whatever was to be made there was an unexpected error.
TEST_F(ImpossiblePaths, are_in_a_working_folder_that_is_gone) {
    const fs::path before = fs::current_path();
    fs::create_directory("gone");
    fs::current_path("gone");
    fs::remove(before / "gone");
    expect_refused("path");
    fs::current_path(before);
}

}  // namespace
}  // namespace heddle::test
