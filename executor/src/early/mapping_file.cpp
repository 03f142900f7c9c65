// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/mapping_file.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <ranges>
#include <vector>

#include <fmt/format.h>

#include <types/bytes.hpp>
#include <types/expected.hpp>

namespace heddle::executor {
namespace {

using Words = std::vector<std::string_view>;
using Result = std::expected<void, std::string>;

Words words_of(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r";
    line = line.substr(0, line.find('#'));
    Words words;
    while (true) {
        const std::size_t begin = line.find_first_not_of(kBlanks);
        if (begin == std::string_view::npos) return words;
        line.remove_prefix(begin);
        const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

std::expected<unsigned, std::string> to_number(std::string_view word, unsigned least,
                                               unsigned most) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_number = error == std::errc{} && end == word.data() + word.size();
    if (!is_number || number < least || number > most)
        return std::unexpected(
            fmt::format("\"{}\": expected a number from {} to {}", word, least, most));
    return number;
}

std::expected<Address, std::string> to_address(std::string_view word) {
    if (const auto address = address_from_hex(word)) return *address;
    return std::unexpected(fmt::format("\"{}\": expected an address", word));
}

/// Up to 64 digits, with or without 0x.
std::expected<Uint256, std::string> to_slot(std::string_view word) {
    std::string_view digits = word.starts_with("0x") ? word.substr(2) : word;
    const std::string padded = std::string(64 - std::min<std::size_t>(digits.size(), 64), '0');
    const auto bytes = from_hex(padded + std::string(digits));
    if (digits.empty() || !bytes.has_value() || bytes->size() != 32)
        return std::unexpected(fmt::format("\"{}\": expected a slot", word));
    Hash hash;
    std::ranges::copy(*bytes, hash.bytes.begin());
    return to_word(hash);
}

class Parser {
public:
    [[nodiscard]] Result take(const Words& words) {
        if (words[0] == "shards") return take_shards(words);
        if (words[0] == "threads") return take_threads(words);
        if (words[0] == "by") return take_key(words);
        if (words[0] == "shard") return take_pin(words);
        if (words[0] == "class") return take_class(words);
        return std::unexpected(
            fmt::format("\"{}\": expected shards, threads, by, shard or class", words[0]));
    }
    [[nodiscard]] std::expected<MappingFile, std::string> finish() {
        if (!has_shards_) return std::unexpected("it does not say how many shards there are");
        if (!has_threads_) return std::unexpected("it does not say how many threads there are");
        if (places_.empty()) return std::move(file_);
        const RequestClasses classes(file_.shards.shards);
        ClassMapping mapping{file_.threads, {}};
        for (ClassId id = 0; id < classes.count(); ++id) {
            if (!places_[id].has_value())
                return std::unexpected(
                    fmt::format("{} is missing: name every class or none", classes.name(id)));
            mapping.places.push_back(*places_[id]);
        }
        if (const auto violation = find_violation(classes, mapping))
            return std::unexpected(to_string(*violation, classes));
        file_.mapping = std::move(mapping);
        return std::move(file_);
    }

private:
    [[nodiscard]] Result take_shards(const Words& words) {
        if (has_shards_ || words.size() != 2)
            return std::unexpected("expected \"shards\" and a number, once");
        HEDDLE_TRY(file_.shards.shards, to_number(words[1], 1, RequestClasses::kMaxShards));
        has_shards_ = true;
        return {};
    }
    [[nodiscard]] Result take_threads(const Words& words) {
        if (has_threads_ || words.size() != 2)
            return std::unexpected("expected \"threads\" and a number, once");
        HEDDLE_TRY(file_.threads, to_number(words[1], 1, kMaxThreads));
        has_threads_ = true;
        return {};
    }
    [[nodiscard]] Result take_key(const Words& words) {
        if (words.size() != 2 || (words[1] != "contract" && words[1] != "key"))
            return std::unexpected("expected \"by contract\" or \"by key\"");
        file_.shards.by = words[1] == "key" ? ShardKey::key : ShardKey::contract;
        return {};
    }
    [[nodiscard]] Result take_pin(const Words& words) {
        if (!has_shards_) return std::unexpected("say first how many shards there are");
        if (words.size() != 3 && words.size() != 5)
            return std::unexpected("expected a shard, an address and, of a range, two slots");
        ShardPin pin;
        HEDDLE_TRY(pin.shard, to_number(words[1], 0, file_.shards.shards - 1));
        HEDDLE_TRY(pin.address, to_address(words[2]));
        if (words.size() == 5) {
            pin.is_range = true;
            HEDDLE_TRY(pin.first_slot, to_slot(words[3]));
            HEDDLE_TRY(pin.last_slot, to_slot(words[4]));
            if (pin.last_slot < pin.first_slot)
                return std::unexpected("the last slot is before the first one");
        }
        file_.shards.pins.push_back(pin);
        return {};
    }
    [[nodiscard]] Result take_class(const Words& words) {
        if (!has_shards_ || !has_threads_)
            return std::unexpected("say first how many shards and threads there are");
        if (words.size() < 3 || (words[2] != "sequential" && words[2] != "concurrent"))
            return std::unexpected("expected a class, sequential or concurrent, and its threads");
        const RequestClasses classes(file_.shards.shards);
        const auto id = classes.find(words[1]);
        if (!id.has_value())
            return std::unexpected(fmt::format(
                "there is no class \"{}\": expected read-N, write-N, moves, read-global or "
                "write-global",
                words[1]));
        places_.resize(classes.count());
        if (places_[*id].has_value())
            return std::unexpected(fmt::format("{} is named twice", words[1]));
        ClassPlace place{words[2] == "sequential", 0};
        for (const std::string_view word : words | std::views::drop(3)) {
            HEDDLE_TRY(const unsigned thread, to_number(word, 0, file_.threads - 1));
            place.threads |= ThreadSet{1} << thread;
        }
        places_[*id] = place;
        return {};
    }

    MappingFile file_;
    bool has_shards_ = false;
    bool has_threads_ = false;
    std::vector<std::optional<ClassPlace>> places_;  // by class, as soon as one is named
};

}  // namespace

std::expected<MappingFile, std::string> parse_mapping(std::string_view text) {
    Parser parser;
    std::size_t number = 0;
    for (const auto part : std::views::split(text, '\n')) {
        ++number;
        const Words words = words_of(std::string_view(part.begin(), part.end()));
        if (words.empty()) continue;
        if (const auto result = parser.take(words); !result.has_value())
            return std::unexpected(fmt::format("line {}: {}", number, result.error()));
    }
    return parser.finish();
}

std::expected<MappingFile, std::string> read_mapping_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string text(kMaxMappingFileBytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    // A file that is shorter ends early; one that cannot be opened or is a folder gives nothing.
    if (stream.gcount() == 0 && !stream.eof())
        return std::unexpected(fmt::format("{} cannot be read", path));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kMaxMappingFileBytes)
        return std::unexpected(
            fmt::format("{} is longer than {} bytes", path, kMaxMappingFileBytes));
    auto file = parse_mapping(text);
    if (!file.has_value()) return std::unexpected(fmt::format("{}: {}", path, file.error()));
    return file;
}

}  // namespace heddle::executor
