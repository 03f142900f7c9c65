// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/eip712.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <types/counted.hpp>
#include <types/text_bytes.hpp>

namespace heddle::node::rpc {
namespace {

constexpr std::string_view kDomain = "EIP712Domain";
constexpr std::size_t kWord = 32;
constexpr std::size_t kMaxTypes = 256;
/// Of the types' texts, as often as they are written or gone through. A type's text names all that
/// it depends on, and each struct goes through that of its own type, however short the struct is:
/// without a bound, a short text would stand for any amount of work.
constexpr std::size_t kMaxTypeBytes = std::size_t{64} << 20;
/// What a member costs beside the bytes of its name and type.
constexpr std::size_t kMemberBytes = 16;
/// Beyond this a JSON number is rounded.
constexpr double kExactReal = 9007199254740992.0;

struct Field {
    std::string_view name;
    std::string_view type;
};

/// `T` of `T[2][]`.
std::string_view innermost(std::string_view type) {
    return type.substr(0, type.find('['));
}

/// What follows `prefix`; nullopt where it is no number without sign and leading zeros.
std::optional<unsigned> parse_size(std::string_view digits) {
    if (digits.empty() || digits.front() == '0') return std::nullopt;
    unsigned size = 0;
    const auto* end = digits.data() + digits.size();
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
    const auto [stop, error] = std::from_chars(digits.data(), end, size);
    return error == std::errc{} && stop == end ? std::optional{size} : std::nullopt;
}

/// Bits of `uint…` or `int…`; nullopt: it is no such type.
std::optional<unsigned> integer_bits(std::string_view type, std::string_view prefix) {
    if (!type.starts_with(prefix)) return std::nullopt;
    if (type == prefix) return 256;
    const auto bits = parse_size(type.substr(prefix.size()));
    return bits && *bits <= 256 && *bits % 8 == 0 ? bits : std::nullopt;
}

/// Bytes of `bytes1` to `bytes32`.
std::optional<unsigned> fixed_bytes(std::string_view type) {
    constexpr std::string_view kPrefix = "bytes";
    if (!type.starts_with(kPrefix)) return std::nullopt;
    const auto size = parse_size(type.substr(kPrefix.size()));
    return size && *size <= kWord ? size : std::nullopt;
}

/// A number with its sign, as text or as a JSON number.
struct Integer {
    Uint256 magnitude;
    bool is_negative = false;
};

Integer parse_integer(const JsonView& value) {
    if (value.is_string() && value.string().starts_with('-')) {
        const auto magnitude = uint256_from_string(value.string().substr(1));
        if (!magnitude.has_value()) value.fail("expected a number");
        return {*magnitude, !magnitude->is_zero()};
    }
    if (value.is_number() && value.real() < 0) {
        const double magnitude = -value.real();
        const auto whole = static_cast<std::uint64_t>(std::min(magnitude, kExactReal));
        if (magnitude > kExactReal || static_cast<double>(whole) != magnitude)
            value.fail("expected a whole number; write large ones as text");
        return {whole, true};
    }
    return {value.uint256(), false};
}

/// In two's complement.
Uint256 to_word(const JsonView& value, unsigned bits, bool is_signed) {
    const Integer integer = parse_integer(value);
    const unsigned magnitude_bits = is_signed ? bits - 1 : bits;
    // -2^n needs a bit more than 2^n - 1 and has one in its complement.
    const Uint256 largest = integer.is_negative ? integer.magnitude - 1 : integer.magnitude;
    if ((integer.is_negative && !is_signed) || bit_width(largest) > magnitude_bits)
        value.fail(fmt::format("does not fit into {}int{}", is_signed ? "" : "u", bits));
    return integer.is_negative ? -integer.magnitude : integer.magnitude;
}

void append(const Hash& hash, Bytes& out) {
    out.insert(out.end(), hash.bytes.begin(), hash.bytes.end());
}

class TypedData {
public:
    explicit TypedData(const JsonView& json);

    [[nodiscard]] Hash digest();

private:
    using Fields = std::vector<Field>;

    /// Errors: InputError beyond kMaxTypeBytes.
    void note_work(std::size_t bytes);
    void read_types(const JsonView& types);
    [[nodiscard]] static Fields domain_fields(const JsonView& domain);
    [[nodiscard]] bool is_struct(std::string_view type) const { return types_.contains(type); }
    [[nodiscard]] std::string describe(std::string_view type) const;
    [[nodiscard]] const Hash& type_hash(std::string_view type);
    [[nodiscard]] Hash hash_struct(std::string_view type, const JsonView& value);
    void encode(std::string_view type, const JsonView& value, Bytes& out);
    void encode_array(std::string_view type, const JsonView& value, Bytes& out);
    static void encode_atom(std::string_view type, const JsonView& value, Bytes& out);

    JsonView json_;
    std::map<std::string_view, Fields> types_;
    std::map<std::string_view, Hash> type_hashes_;  // as far as they were asked for
    std::size_t type_bytes_ = 0;                    // see kMaxTypeBytes
};

TypedData::TypedData(const JsonView& json) : json_(json) {
    read_types(json.at("types"));
    if (!is_struct(kDomain)) types_.emplace(kDomain, domain_fields(json.at("domain")));
}

void TypedData::read_types(const JsonView& types) {
    if (!types.is_object()) types.fail("expected an object of types");
    if (types.size() > kMaxTypes) types.fail(fmt::format("more than {} types", kMaxTypes));
    for (std::size_t i = 0; i < types.size(); ++i) {
        const auto [name, list] = types.member(i);
        if (!list.is_array()) list.fail("expected an array of members");
        Fields fields;
        for (std::size_t j = 0; j < list.size(); ++j) {
            const JsonView field = list.element(j);
            fields.push_back({field.at("name").string(), field.at("type").string()});
        }
        if (!types_.emplace(name, std::move(fields)).second) types.fail("a type is there twice");
    }
}

TypedData::Fields TypedData::domain_fields(const JsonView& domain) {
    constexpr Field kKnown[] = {{"name", "string"},
                                {"version", "string"},
                                {"chainId", "uint256"},
                                {"verifyingContract", "address"},
                                {"salt", "bytes32"}};
    Fields fields;
    for (const Field& field : kKnown)
        if (domain.find_exact(field.name).has_value()) fields.push_back(field);
    return fields;
}

/// encodeType of the specification: the type, then those that it mentions, by name.
std::string TypedData::describe(std::string_view type) const {
    std::set<std::string_view> mentioned;
    std::vector<std::string_view> to_visit{type};
    while (!to_visit.empty()) {
        const std::string_view visited = to_visit.back();
        to_visit.pop_back();
        for (const Field& field : types_.at(visited)) {
            const std::string_view inner = innermost(field.type);
            if (inner != type && is_struct(inner) && mentioned.insert(inner).second)
                to_visit.push_back(inner);
        }
    }
    std::string text;
    const auto append_one = [&](std::string_view name) {
        text += name;
        text += '(';
        const Fields& fields = types_.at(name);
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (i != 0) text += ',';
            text += fields[i].type;
            text += ' ';
            text += fields[i].name;
        }
        text += ')';
    };
    append_one(type);
    for (const std::string_view name : mentioned)
        append_one(name);
    return text;
}

const Hash& TypedData::type_hash(std::string_view type) {
    const auto [place, is_new] = type_hashes_.try_emplace(type);
    if (is_new) {
        const std::string text = describe(type);
        note_work(text.size());
        place->second = keccak256(bytes_of(text));
    }
    return place->second;
}

void TypedData::note_work(std::size_t bytes) {
    type_bytes_ += bytes;
    if (type_bytes_ > kMaxTypeBytes) json_.fail("too many structs of too large types");
}

// Each level of it is a level of the JSON text, whose depth is bounded.
Hash TypedData::hash_struct(std::string_view type, const JsonView& value) {
    if (!value.is_object()) value.fail(fmt::format("expected {}", type));
    Bytes encoded;
    note_work(type.size());
    append(type_hash(type), encoded);
    for (const Field& field : types_.at(type)) {
        note_work(field.name.size() + field.type.size() + kMemberBytes);
        const auto member = value.find_exact(field.name);
        if (member.has_value())
            encode(field.type, *member, encoded);
        else if (is_struct(field.type))
            encoded.resize(encoded.size() + kWord);
        else
            value.fail(fmt::format("`{}` is missing", field.name));
    }
    return keccak256(encoded);
}

void TypedData::encode(std::string_view type, const JsonView& value, Bytes& out) {
    if (type.ends_with(']'))
        encode_array(type, value, out);
    else if (is_struct(type))
        append(hash_struct(type, value), out);
    else
        encode_atom(type, value, out);
}

void TypedData::encode_array(std::string_view type, const JsonView& value, Bytes& out) {
    const std::size_t bracket = type.rfind('[');
    if (bracket == std::string_view::npos || bracket == 0)
        value.fail(fmt::format("unknown type `{}`", type));
    const std::string_view length = type.substr(bracket + 1, type.size() - bracket - 2);
    if (!value.is_array()) value.fail(fmt::format("expected {}", type));
    if (!length.empty() && parse_size(length) != value.size() &&
        !(length == "0" && value.size() == 0))
        value.fail(fmt::format("expected {}, not {}", type, counted(value.size(), "element")));
    Bytes elements;
    for (std::size_t i = 0; i < value.size(); ++i)
        encode(type.substr(0, bracket), value.element(i), elements);
    append(keccak256(elements), out);
}

void TypedData::encode_atom(std::string_view type, const JsonView& value, Bytes& out) {
    if (type == "string") return append(keccak256(bytes_of(value.string())), out);
    if (type == "bytes") return append(keccak256(value.bytes()), out);
    const std::size_t begin = out.size();
    out.resize(begin + kWord);
    if (type == "bool") {
        out.back() = value.boolean() ? 1 : 0;
    } else if (type == "address") {
        const Address address = value.address();
        std::ranges::copy(address.bytes,
                          out.end() - static_cast<std::ptrdiff_t>(address.bytes.size()));
    } else if (const auto size = fixed_bytes(type)) {
        const Bytes bytes = value.bytes();
        if (bytes.size() != *size) value.fail(fmt::format("expected {}", counted(*size, "byte")));
        std::ranges::copy(bytes, out.begin() + static_cast<std::ptrdiff_t>(begin));
    } else if (const auto unsigned_bits = integer_bits(type, "uint")) {
        store_be(to_word(value, *unsigned_bits, false), out.data() + begin);
    } else if (const auto bits = integer_bits(type, "int")) {
        store_be(to_word(value, *bits, true), out.data() + begin);
    } else {
        value.fail(fmt::format("unknown type `{}`", type));
    }
}

Hash TypedData::digest() {
    const JsonView primary = json_.at("primaryType");
    if (!is_struct(primary.string()))
        primary.fail(fmt::format("there is no type `{}`", primary.string()));
    Bytes encoded{0x19, 0x01};
    append(hash_struct(kDomain, json_.at("domain")), encoded);
    // The domain alone may be what is signed.
    if (primary.string() != kDomain)
        append(hash_struct(primary.string(), json_.at("message")), encoded);
    return keccak256(encoded);
}

}  // namespace

Hash typed_data_hash(const JsonView& typed_data) {
    return TypedData{typed_data}.digest();
}

}  // namespace heddle::node::rpc
