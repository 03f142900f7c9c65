// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "inputs/known_genesis.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "program/error.hpp"
#include "program/file.hpp"
#include "program/input_file.hpp"
#include "program/sha256.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPartBytes = std::size_t{1} << 20;
/// Three hashes with 0x before them, each on a line.
constexpr std::size_t kFactsBytes = 3 * (2 + 2 * sizeof(Hash) + 1);

Hash digest_of(BytesView bytes) {
    Sha256 digest;
    digest.add(bytes);
    return digest.finish();
}

std::optional<Hash> digest_of_file(const std::string& path) {
    std::error_code error;
    const fs::file_status found = fs::status(path, error);
    if (fs::exists(found) && !fs::is_regular_file(found) && !fs::is_directory(found))
        return std::nullopt;
    InputFile file{path};
    Sha256 digest;
    std::vector<char> part(kPartBytes);
    while (const std::size_t size = file.read(part))
        digest.add(BytesView{reinterpret_cast<const std::uint8_t*>(part.data()), size});
    return digest.finish();
}

}  // namespace

KnownGenesis::KnownGenesis(const std::string& datadir, const std::string& genesis_file)
    : path_((fs::path{datadir} / "genesis.known").string()), file_(digest_of_file(genesis_file)) {
    known_ = read();
    if (known_ && known_->file != file_) known_.reset();
}

bool KnownGenesis::is_block(const Hash& hash) const noexcept {
    return known_ && known_->block == hash;
}

bool KnownGenesis::is_chain(const Hash& hash, BytesView rules) const {
    return is_block(hash) && known_->rules == digest_of(rules);
}

void KnownGenesis::remember_block(const Hash& hash) {
    if (!is_block(hash)) write(hash, {});
}

void KnownGenesis::remember_chain(const Hash& hash, BytesView rules) {
    if (!is_chain(hash, rules)) write(hash, digest_of(rules));
}

std::optional<KnownGenesis::Facts> KnownGenesis::read() const {
    std::error_code error;
    if (!fs::is_regular_file(path_, error)) return std::nullopt;  // a pipe would never answer
    std::string text;
    try {
        read_file(path_, kFactsBytes, text);
    } catch (const InputError&) {
        return std::nullopt;
    }
    std::istringstream file{std::move(text)};
    const auto next = [&]() -> std::optional<Hash> {
        std::string line;
        if (!std::getline(file, line)) return std::nullopt;
        return hash_from_hex(line);
    };
    const auto of_file = next();
    const auto block = next();
    const auto rules = next();
    if (!of_file || !block || !rules) return std::nullopt;
    return Facts{*of_file, *block, *rules};
}

void KnownGenesis::write(const Hash& block, const Hash& rules) {
    if (!file_) return;
    known_ = Facts{*file_, block, rules};
    const std::string next = path_ + ".new";
    std::error_code error;
    fs::remove(next, error);
    std::ofstream file{next, std::ios::trunc};
    file << fmt::format("{}\n{}\n{}\n", to_string(*file_), to_string(block), to_string(rules));
    file.close();
    // It only saves time: where it cannot be kept, nothing stays.
    if (!file || std::rename(next.c_str(), path_.c_str()) != 0) std::remove(next.c_str());
}

void remember_created(const ChainInput& input, const std::string& datadir,
                      const ledger::DurableLedger& made) {
    KnownGenesis known{datadir, input.genesis};
    if (input.chain.empty())
        known.remember_chain(made.block_hash(0), made.chain());
    else
        known.remember_block(made.block_hash(0));
}

}  // namespace heddle::node
