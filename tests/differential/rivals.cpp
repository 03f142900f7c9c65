// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rivals.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "chain_files.hpp"
#include "program.hpp"

namespace heddle::test {
namespace {

constexpr std::size_t kShownBytes = 2'000;

std::optional<std::string> find_program(const char* variable, const char* name) {
    const char* const chosen = std::getenv(variable);
    std::string path = chosen != nullptr ? chosen : std::string{HEDDLE_RIVALS "/"} + name;
    if (::access(path.c_str(), X_OK) != 0) return std::nullopt;
    return path;
}

std::string end_of(const std::string& text) {
    return text.size() <= kShownBytes ? text : text.substr(text.size() - kShownBytes);
}

/// Without what geth's database says of itself when it is closed.
std::string without_statistics(const std::string& log) {
    static constexpr std::string_view kWanted[] = {"INFO [", "WARN [", "ERROR[", "Fatal",
                                                   "invalid"};
    std::string text;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
        if (std::ranges::any_of(kWanted, [&](std::string_view word) {
                return line.find(word) != std::string::npos;
            }))
            text += line + "\n";
    return text;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

}  // namespace

std::optional<std::string> find_geth() {
    return find_program("HEDDLE_GETH", "geth");
}

std::optional<std::string> find_evm() {
    return find_program("HEDDLE_EVM", "evm");
}

std::string judge_by_geth(const std::string& geth, const AdversarialChain& chain) {
    const TemporaryFolder folder;
    const Bytes blocks = chain_rlp(chain.blocks);
    const std::string genesis_file = folder.write("genesis.json", genesis_json(chain.genesis));
    const std::string chain_file =
        folder.write("chain.rlp", std::string(blocks.begin(), blocks.end()));
    const std::string data = (folder.path() / "data").native();
    auto result = run_program_at(geth, {"--datadir", data, "init", genesis_file});
    if (result.exit_code == 0)
        result = run_program_at(
            geth, {"--datadir", data, "--cache", "128", "--snapshot=false", "import", chain_file});
    const std::string text = without_statistics(result.error + result.out);
    if (result.exit_code != 0)
        return fmt::format("geth ends with code {}: {}", result.exit_code, end_of(text));
    // geth shortens hashes to the first and last three bytes.
    const std::string head = to_string(header_hash(chain.blocks.back().header)).substr(2);
    const std::string line = fmt::format("number={} hash={}..{}", chain.blocks.size(),
                                         head.substr(0, 6), head.substr(58));
    if (text.find(line) == std::string::npos)
        return fmt::format("geth does not come to {}: {}", line, end_of(text));
    return {};
}

std::string judge_by_evm(const std::string& evm, const std::string& file, std::size_t cases) {
    const ProgramResult result = run_program_at(evm, {"statetest", file});
    const std::string& text = result.out;
    const std::size_t passed = count_of(text, "\"pass\": true");
    const auto failure = text.find("\"pass\": false");
    if (failure != std::string::npos)
        return fmt::format("evm: {}", text.substr(failure > 200 ? failure - 200 : 0, kShownBytes));
    if (result.exit_code != 0)
        return fmt::format("evm ends with code {}: {}", result.exit_code, end_of(result.error));
    if (passed != cases) return fmt::format("evm ran {} cases of {}", passed, cases);
    return {};
}

}  // namespace heddle::test
