// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "witness_folder.hpp"

#include <algorithm>
#include <string>

#include "formats/json.hpp"

namespace heddle::bench {

std::vector<node::Witness> load_witnesses(const std::filesystem::path& folder) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    std::ranges::sort(files);
    node::JsonParser parser;
    std::vector<node::Witness> witnesses;
    witnesses.reserve(files.size());
    for (const std::string& file : files)
        witnesses.push_back(node::load_witness(parser, file));
    return witnesses;
}

}  // namespace heddle::bench
