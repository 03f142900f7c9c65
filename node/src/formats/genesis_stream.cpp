// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "formats/genesis_stream.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "formats/chain_config_names.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "formats/json_writer.hpp"
#include "program/error.hpp"

namespace heddle::node {

namespace {

constexpr std::size_t kMaxRestBytes = std::size_t{16} << 20;
/// Of an object, so many are looked at for one that is there twice: more than any genesis file has.
constexpr std::size_t kMostNames = 4'096;

enum class Member : std::uint8_t { nonce, balance, code, storage, unknown };
constexpr std::array<std::string_view, 4> kMembers = {"nonce", "balance", "code", "storage"};

constexpr const char* kNumberExpected = "expected a number, hexadecimal with 0x or decimal";

/// Writes what is not the allocation down again, as text, and hands on the allocation.
class GenesisEvents final : public JsonEvents {
public:
    GenesisEvents(const std::string& name, AllocSink& sink) : name_(name), sink_(sink) {}

    /// The document with an empty allocation.
    [[nodiscard]] const std::string& rest() const noexcept { return rest_; }

    void begin_object() override {
        if (place_ != Place::outside) return begin(/*is_object=*/true);
        const bool is_alloc = is_alloc_;
        open([this] { writer_.begin_object(); });
        if (is_alloc) place_ = Place::alloc;
    }
    void end_object() override {
        // The allocation stays an empty object.
        if (place_ == Place::alloc) place_ = Place::outside;
        if (place_ != Place::outside) return end();
        close([this] { writer_.end_object(); });
    }
    void begin_array() override {
        if (place_ != Place::outside) return begin(/*is_object=*/false);
        open([this] { writer_.begin_array(); });
    }
    void end_array() override {
        if (place_ != Place::outside) return end();
        close([this] { writer_.end_array(); });
    }

    void key(std::string_view name) override {
        switch (place_) {
            case Place::outside:
                outer_key(name);
                return;
            case Place::alloc:
                address_text_ = name;
                address_ = take_address();
                return;
            case Place::account:
                account_key(name);
                return;
            case Place::storage:
                slot_text_ = name;
                return;
            case Place::skipped:
                return;
        }
    }

    void string(std::string_view text) override {
        if (place_ == Place::outside)
            write([&] { writer_.string(text); });
        else
            scalar({Scalar::Kind::string, text});
    }
    void number(std::string_view text) override {
        if (place_ == Place::outside)
            write([&] { writer_.raw(text); });
        else
            scalar({Scalar::Kind::number, text});
    }
    void boolean(bool value) override {
        if (place_ == Place::outside)
            write([&] { writer_.boolean(value); });
        else
            scalar({Scalar::Kind::boolean, {}});
    }
    void null() override {
        if (place_ == Place::outside)
            write([&] { writer_.null(); });
        else
            scalar({Scalar::Kind::null, {}});
    }

private:
    /// Where the next value or name stands.
    enum class Place : std::uint8_t { outside, alloc, account, storage, skipped };
    struct Scalar {
        enum class Kind : std::uint8_t { string, number, boolean, null };
        Kind kind;
        std::string_view text;
    };

    [[noreturn]] void fail(const std::string& path, std::string_view problem) const {
        fail_input("{}: {}: {}", name_, path, problem);
    }
    [[nodiscard]] std::string account_path() const { return "$.alloc." + address_text_; }
    [[noreturn]] void fail_at_value(std::string_view problem) const {
        std::string path = account_path();
        if (place_ != Place::alloc) path += "." + member_text_;
        if (place_ == Place::storage && !is_storage_array_) path += "." + slot_text_;
        fail(path, problem);
    }

    template <typename Write>
    void write(const Write& writing) {
        writing();
        is_alloc_ = false;
        if (rest_.size() > kMaxRestBytes)
            fail_input("{}: has more than {} bytes besides the accounts of \"alloc\"", name_,
                       kMaxRestBytes);
    }
    template <typename Write>
    void open(const Write& writing) {
        write(writing);
        ++depth_;
        names_.emplace_back();
    }
    template <typename Write>
    void close(const Write& writing) {
        --depth_;
        names_.pop_back();
        write(writing);
    }

    void outer_key(std::string_view name) {
        if (depth_ == 1) {
            name = canonical_genesis_name(name);
            is_config_ = name == "config";
        } else if (depth_ == 2 && is_config_) {
            name = canonical_config_name(name);
        }
        write([&] { writer_.key(name); });
        // Which of them counts is another question for every program.
        std::set<std::string>& names = names_.back();
        const bool is_alloc = depth_ == 1 && name == "alloc";
        const bool is_second =
            (is_alloc && has_alloc_) || (names.size() < kMostNames && !names.emplace(name).second);
        if (is_second) fail("$", fmt::format("\"{}\" occurs twice", name));
        is_alloc_ = is_alloc;
        has_alloc_ = has_alloc_ || is_alloc;
    }

    void account_key(std::string_view name) {
        member_text_ = name;
        const auto index = static_cast<std::size_t>(
            std::ranges::find(kMembers, canonical_account_name(name)) - kMembers.begin());
        member_ = static_cast<Member>(index);
        if (member_ == Member::unknown) return;
        if (has_member_[index]) fail(account_path(), fmt::format("\"{}\" occurs twice", name));
        has_member_[index] = true;
    }

    [[nodiscard]] Address take_address() const {
        const auto address = address_from_hex(address_text_);
        if (!address)
            fail("$.alloc",
                 fmt::format("\"{}\" is not an address of 40 hexadecimal digits", address_text_));
        return *address;
    }

    /// An object or array within the allocation.
    void begin(bool is_object) {
        switch (place_) {
            case Place::outside:
                return;
            case Place::alloc:
                if (!is_object) fail_at_value("expected an object");
                begin_account();
                return;
            case Place::account:
                begin_in_account(is_object);
                return;
            case Place::storage:
                fail_at_value(is_storage_array_ ? "expected an object" : kNumberExpected);
            case Place::skipped:
                ++skipped_depth_;
                return;
        }
    }

    void begin_account() {
        place_ = Place::account;
        nonce_ = 0;
        balance_ = {};
        code_.clear();
        has_member_ = {};
        sink_.begin_account(address_);
    }

    void begin_in_account(bool is_object) {
        switch (member_) {
            case Member::storage:
                // An empty list says as much as an empty object; some tools write one.
                place_ = Place::storage;
                is_storage_array_ = !is_object;
                return;
            case Member::code:
                fail_at_value("expected a string");
            case Member::nonce:
            case Member::balance:
                fail_at_value(kNumberExpected);
            case Member::unknown:
                place_ = Place::skipped;
                skipped_depth_ = 1;
                return;
        }
    }

    /// The end of an object or array within the allocation.
    void end() {
        switch (place_) {
            case Place::outside:
            case Place::alloc:
                return;
            case Place::account:
                sink_.end_account(nonce_, balance_, code_);
                place_ = Place::alloc;
                return;
            case Place::storage:
                place_ = Place::account;
                return;
            case Place::skipped:
                if (--skipped_depth_ == 0) place_ = Place::account;
                return;
        }
    }

    void scalar(const Scalar& value) {
        switch (place_) {
            case Place::outside:
            case Place::skipped:
                return;
            case Place::alloc:
                fail_at_value("expected an object");
            case Place::account:
                account_member(value);
                return;
            case Place::storage: {
                if (is_storage_array_) fail_at_value("expected an object");
                const auto slot = storage_word_from_text(slot_text_);
                if (!slot)
                    fail(account_path() + ".storage",
                         fmt::format("\"{}\" is not a number below 2^256", slot_text_));
                sink_.slot(*slot, to_storage_word(value));
                return;
            }
        }
    }

    void account_member(const Scalar& value) {
        if (member_ == Member::unknown || value.kind == Scalar::Kind::null) return;
        switch (member_) {
            case Member::nonce: {
                const Uint256 nonce = to_uint256(value);
                if (!nonce.fits_uint64()) fail_at_value("expected a number below 2^64");
                nonce_ = nonce.low64();
                return;
            }
            case Member::balance:
                balance_ = to_uint256(value);
                return;
            case Member::code: {
                if (value.kind != Scalar::Kind::string) fail_at_value("expected a string");
                auto code = from_hex(value.text);
                if (!code) fail_at_value("expected an even number of hexadecimal digits");
                code_ = *std::move(code);
                return;
            }
            case Member::storage:
                fail_at_value("expected an object or an array");
            case Member::unknown:
                return;
        }
    }

    [[nodiscard]] Uint256 to_storage_word(const Scalar& value) const {
        if (value.kind != Scalar::Kind::string) return to_uint256(value);
        const auto result = storage_word_from_text(value.text);
        if (!result) fail_at_value(kStorageWordExpected);
        return *result;
    }

    [[nodiscard]] Uint256 to_uint256(const Scalar& value) const {
        if (value.kind == Scalar::Kind::number) return number_to_uint256(value.text);
        if (value.kind != Scalar::Kind::string) fail_at_value(kNumberExpected);
        const auto result = quantity_from_text(value.text);
        if (!result) fail_at_value("expected a number below 2^256, hexadecimal with 0x or decimal");
        return *result;
    }

    [[nodiscard]] Uint256 number_to_uint256(std::string_view text) const {
        if (text.find_first_not_of("0123456789") == std::string_view::npos) {
            const auto result = quantity_from_text(text);
            if (!result)
                fail_at_value("expected a number below 2^256, hexadecimal with 0x or decimal");
            return *result;
        }
        if (text == "-0") return {};
        if (text.starts_with('-') &&
            text.find_first_not_of("0123456789", 1) == std::string_view::npos)
            fail_at_value("expected a number that is not negative");
        double real = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
        const auto whole = error == std::errc{} ? integer_from_real(real) : std::nullopt;
        if (!whole) fail_at_value("expected an integer");
        return *whole;
    }

    const std::string& name_;
    AllocSink& sink_;
    std::string rest_;
    JsonWriter writer_{rest_, JsonWriter::Style::compact};
    Place place_ = Place::outside;
    std::size_t depth_ = 0;                     // of what is written down again
    std::vector<std::set<std::string>> names_;  // in each object that is open there
    bool is_config_ = false;                    // the member that is open is "config"
    bool is_alloc_ = false;                     // the next value is that of the document's "alloc"
    bool has_alloc_ = false;
    std::size_t skipped_depth_ = 0;

    Address address_;
    std::string address_text_;
    std::string member_text_;
    std::string slot_text_;
    Member member_ = Member::unknown;
    std::array<bool, kMembers.size()> has_member_{};
    bool is_storage_array_ = false;
    std::uint64_t nonce_ = 0;
    Uint256 balance_;
    Bytes code_;
};

}  // namespace

GenesisRest stream_genesis(const NextPiece& next, const std::string& name, AllocSink& sink) {
    GenesisEvents events(name, sink);
    stream_json(next, name, events);
    JsonParser parser;
    const JsonView json = parser.parse(events.rest(), name);
    GenesisRest rest;
    rest.genesis = parse_genesis(json);
    rest.validators = parse_validator_contract(json.at("config"));
    return rest;
}

GenesisRest stream_genesis_file(const std::string& path, AllocSink& sink,
                                const FileProgress& on_read) {
    return stream_genesis(pieces_of_file(path, on_read), path, sink);
}

std::optional<Uint256> storage_word_from_text(std::string_view text) {
    const bool is_bare = !text.empty() && !text.starts_with("0x") && !text.starts_with("0X");
    return is_bare ? quantity_from_text("0x" + std::string{text}) : quantity_from_text(text);
}

}  // namespace heddle::node
