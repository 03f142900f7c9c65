// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "findings.hpp"

#include <filesystem>
#include <fstream>

#include "chain_files.hpp"

namespace heddle::test {
namespace {

std::filesystem::path make_folder(const std::string& name) {
    const std::filesystem::path folder = std::filesystem::path{HEDDLE_FINDINGS} / name;
    std::filesystem::create_directories(folder);
    return folder;
}

void write(const std::filesystem::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
}

}  // namespace

std::string keep_chain(const AdversarialChain& chain, const std::string& what) {
    const auto folder = make_folder("chain-" + std::to_string(chain.plan.seed));
    const Bytes blocks = chain_rlp(chain.blocks);
    write(folder / "genesis.json", genesis_json(chain.genesis));
    write(folder / "chain.rlp", std::string(blocks.begin(), blocks.end()));
    write(folder / "what.txt", chain.description + "\n" + what + "\n");
    return folder.native();
}

std::string keep_state_tests(const std::string& name, const std::string& json,
                             const std::string& what) {
    const auto folder = make_folder(name);
    write(folder / "statetest.json", json);
    write(folder / "what.txt", what + "\n");
    return folder.native();
}

}  // namespace heddle::test
