// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Genesis files, read whole and as a stream: both ways take the same and refuse the same.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "formats/chain_config_names.hpp"
#include "formats/genesis_json.hpp"
#include "formats/genesis_stream.hpp"
#include "formats/json.hpp"
#include "program/error.hpp"
#include "targets.hpp"

namespace heddle::fuzz {
namespace {

constexpr std::string_view kName = "genesis.json";

class Keeper final : public node::AllocSink {
public:
    void begin_account(const Address& address) override {
        if (!seen_.insert(address).second) node::fail_input("{}: an address twice", kName);
        slots_.clear();
        accounts_.emplace_back().address = address;
    }
    void slot(const Uint256& slot, const Uint256& value) override {
        if (!slots_.insert(slot).second) node::fail_input("{}: a slot twice", kName);
        accounts_.back().storage.emplace_back(slot, value);
    }
    void end_account(std::uint64_t nonce, const Uint256& balance, BytesView code) override {
        accounts_.back().nonce = nonce;
        accounts_.back().balance = balance;
        accounts_.back().code.assign(code.begin(), code.end());
    }
    [[nodiscard]] std::vector<GenesisAccount> take() noexcept { return std::move(accounts_); }

private:
    std::vector<GenesisAccount> accounts_;
    std::set<Address> seen_;
    std::set<Uint256> slots_;  // of the last account
};

/// nullopt: it is refused, for `why`.
std::optional<Genesis> stream(std::string_view text, std::string& why) {
    Keeper keeper;
    const std::size_t piece = 1 + text.size() % 37;
    const auto next = [&] {
        const std::string_view part = text.substr(0, piece);
        text.remove_prefix(part.size());
        return part;
    };
    try {
        Genesis genesis = node::stream_genesis(next, std::string(kName), keeper).genesis;
        genesis.alloc = keeper.take();
        return genesis;
    } catch (const node::InputError& error) {
        why = error.what();
        return std::nullopt;
    }
}

using Canonical = std::string_view (*)(std::string_view) noexcept;

bool is_spelt_right(const node::JsonView& object, Canonical canonical) {
    if (!object.is_object()) return true;
    for (std::size_t i = 0; i < object.size(); ++i)
        if (const auto name = object.member(i).first; canonical(name) != name) return false;
    return true;
}

/// Whether all names are as this program spells them: a stream knows them in any case.
bool is_spelt_right(const node::JsonView& document) {
    if (!is_spelt_right(document, node::canonical_genesis_name)) return false;
    const auto config = document.find("config");
    if (config && !is_spelt_right(*config, node::canonical_config_name)) return false;
    const auto alloc = document.find("alloc");
    if (!alloc || !alloc->is_object()) return true;
    for (std::size_t i = 0; i < alloc->size(); ++i)
        if (!is_spelt_right(alloc->member(i).second, node::canonical_account_name)) return false;
    return true;
}

/// Whether a name on the way to what is wrong stands twice in the text: a tree has the last one of
/// those, while a stream has looked at the first.
bool stands_twice(std::string_view why, std::string_view text) {
    const std::size_t begin = why.find("$.");
    if (begin == std::string_view::npos) return false;
    std::string_view path = why.substr(begin + 2);
    path = path.substr(0, path.find(": "));
    while (!path.empty()) {
        const std::size_t end = std::min(path.find_first_of(".["), path.size());
        const std::string name = '"' + std::string(path.substr(0, end)) + '"';
        if (text.find(name) != text.rfind(name)) return true;
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return false;
}

}  // namespace

void genesis(BytesView input) {
    static node::JsonParser parser;
    // Text is bytes; there is no other way from one to the other.
    const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
    std::string why;
    const auto streamed = stream(text, why);
    require(why.empty() || why.starts_with(kName), "an error that does not name its document");
    try {
        const node::JsonView json = parser.parse(text, std::string(kName));
        if (json.is_object() && !is_spelt_right(json)) return;
        const Genesis whole = node::parse_genesis(json);
        // A stream sees more members twice, and a tree holds no contract of validators.
        if (!streamed.has_value())
            return require(
                why.contains("twice") || why.contains("validators") || stands_twice(why, text),
                why);
        require(*streamed == whole, "a genesis file that is another one as a stream");
    } catch (const node::InputError& error) {
        require(std::string_view(error.what()).starts_with(kName),
                "an error that does not name its document");
        require(!streamed.has_value(), error.what());
    }
}

}  // namespace heddle::fuzz
