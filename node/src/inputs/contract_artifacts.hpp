// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What compilers of contracts leave behind (hardhat, foundry, solc): names of functions, events and
// errors, by which calls and logs can be read. Whoever wrote the files is not trusted: they are
// bounded, and what is no interface of a contract is left out and named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <types/hash.hpp>

#include "formats/json.hpp"
#include "formats/json_writer.hpp"

namespace heddle::node {

struct AbiParameter {
    std::string name;                      // an identifier, or empty
    std::string type;                      // e.g. `uint256`, `tuple[2][]`
    bool is_indexed = false;               // of an event
    std::vector<AbiParameter> components;  // of a tuple
};

struct AbiEntry {
    enum class Kind : std::uint8_t { function, event, error };
    Kind kind = Kind::function;
    std::string name;
    std::vector<AbiParameter> inputs;
    std::vector<AbiParameter> outputs;  // of a function
    bool is_anonymous = false;          // an event
    /// `transfer(address,uint256)`.
    [[nodiscard]] std::string signature() const;
    /// Of the signature: a topic, or a selector by its first four bytes.
    [[nodiscard]] Hash hash() const;
};

struct ContractArtifact {
    std::string name;
    std::string source;             // the file that it was compiled from; may be empty
    std::optional<Hash> code_hash;  // nullopt: unknown, or it differs from place to place
    std::vector<AbiEntry> entries;
};

struct ArtifactLimits {
    std::size_t files = 4'096;
    std::size_t file_bytes = std::size_t{16} << 20;
    std::size_t all_bytes = std::size_t{256} << 20;
    std::size_t contracts = 2'048;
    std::size_t entries = 32'768;  // of all contracts
    std::size_t told = 100;        // of what was left out
};

struct ContractArtifacts {
    std::vector<ContractArtifact> contracts;
    struct LeftOut {
        std::string file;
        std::string reason;
    };
    std::vector<LeftOut> left_out;   // at most ArtifactLimits::told
    std::size_t left_out_count = 0;  // all
};

/// Every `.json` below the folder; there need not be any.
/// Errors: InputError where there is no such folder.
[[nodiscard]] ContractArtifacts read_artifacts(const std::string& folder,
                                               const ArtifactLimits& limits = {});

/// One entry of an interface. nullopt: a constructor, or another kind that has no name.
/// Errors: InputError where it is none.
[[nodiscard]] std::optional<AbiEntry> parse_abi_entry(const JsonView& json);

void write_artifacts(const ContractArtifacts& artifacts, JsonWriter& out);

}  // namespace heddle::node
