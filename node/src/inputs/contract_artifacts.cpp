// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "inputs/contract_artifacts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <types/bytes.hpp>
#include <types/text_bytes.hpp>

#include "program/error.hpp"
#include "program/file.hpp"

namespace heddle::node {
namespace {

constexpr std::size_t kMostParameters = 64;
constexpr std::size_t kDeepestTuple = 8;
constexpr std::size_t kLongestName = 128;
constexpr std::size_t kLongestType = 64;
constexpr std::size_t kMostDimensions = 8;

bool is_identifier(std::string_view text) noexcept {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
    };
    return !text.empty() && text.size() <= kLongestName && is_letter(text.front()) &&
           std::ranges::all_of(text,
                               [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// A number without leading zeros, of at most nine digits. nullopt: it is none.
std::optional<unsigned> to_number(std::string_view text) noexcept {
    constexpr std::size_t kMostDigits = 9;
    if (text.empty() || text.size() > kMostDigits || text.starts_with('0')) return std::nullopt;
    unsigned number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        number = 10 * number + static_cast<unsigned>(c - '0');
    }
    return number;
}

bool is_elementary(std::string_view type) noexcept {
    constexpr std::array<std::string_view, 5> kPlain{"address", "bool", "string", "bytes",
                                                     "function"};
    if (std::ranges::find(kPlain, type) != kPlain.end()) return true;
    for (const std::string_view prefix : {"uint", "int"}) {
        if (!type.starts_with(prefix)) continue;
        const auto bits = to_number(type.substr(prefix.size()));
        return bits.has_value() && *bits <= 256 && *bits % 8 == 0;
    }
    if (!type.starts_with("bytes")) return false;
    const auto bytes = to_number(type.substr(5));
    return bytes.has_value() && *bytes <= 32;
}

/// `[2][]` behind the name of a type.
bool is_dimensions(std::string_view text) noexcept {
    std::size_t count = 0;
    while (!text.empty()) {
        const std::size_t end = text.find(']');
        if (text.front() != '[' || end == std::string_view::npos) return false;
        if (end > 1 && !to_number(text.substr(1, end - 1)).has_value()) return false;
        if (++count > kMostDimensions) return false;
        text.remove_prefix(end + 1);
    }
    return true;
}

/// The name of a file may be any bytes; a message in JSON may not.
std::string printable(std::string text) {
    std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

std::vector<AbiParameter> parse_parameters(const JsonView& list, std::size_t depth);

AbiParameter parse_parameter(const JsonView& json, std::size_t depth) {
    AbiParameter parameter;
    parameter.type = json.at("type").string();
    if (parameter.type.size() > kLongestType) json.fail("a type is too long");
    if (const auto name = json.find("name")) parameter.name = name->string();
    if (!parameter.name.empty() && !is_identifier(parameter.name))
        json.fail("a parameter's name is no identifier");
    if (const auto indexed = json.find("indexed")) parameter.is_indexed = indexed->boolean();
    const std::string_view type = parameter.type;
    const std::string_view base = type.substr(0, type.find('['));
    if (!is_dimensions(type.substr(base.size()))) json.fail("a type has malformed dimensions");
    if (base == "tuple")
        parameter.components = parse_parameters(json.at("components"), depth + 1);
    else if (!is_elementary(base))
        json.fail("there is no such type");
    return parameter;
}

std::vector<AbiParameter> parse_parameters(const JsonView& list, std::size_t depth) {
    if (!list.is_array()) list.fail("expected a list of parameters");
    if (depth > kDeepestTuple) list.fail("tuples are nested too deeply");
    const std::size_t count = list.size();
    if (count > kMostParameters) list.fail("too many parameters");
    std::vector<AbiParameter> parameters;
    parameters.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        parameters.push_back(parse_parameter(list.element(i), depth));
    return parameters;
}

void append_types(std::span<const AbiParameter> parameters, std::string& out) {
    out += '(';
    for (const AbiParameter& parameter : parameters) {
        if (out.back() != '(') out += ',';
        const std::string_view type = parameter.type;
        if (!type.starts_with("tuple")) {
            out += type;
            continue;
        }
        append_types(parameter.components, out);
        out += type.substr(std::string_view{"tuple"}.size());
    }
    out += ')';
}

/// The hash of the code that a chain has of it; nullopt where parts are filled in later.
std::optional<Hash> code_hash_of(const JsonView& contract) {
    std::optional<JsonView> code = contract.find("deployedBytecode");
    if (!code.has_value())
        if (const auto evm = contract.find("evm")) code = evm->find("deployedBytecode");
    if (!code.has_value()) return std::nullopt;
    for (const JsonView& holder : {contract, *code}) {
        if (!holder.is_object()) continue;
        const auto immutables = holder.find("immutableReferences");
        if (immutables.has_value() && immutables->is_object() && immutables->size() != 0)
            return std::nullopt;
    }
    if (code->is_object()) code = code->find("object");
    if (!code.has_value() || !code->is_string()) return std::nullopt;
    const auto bytes = from_hex(code->string());  // fails where libraries are linked in later
    if (!bytes.has_value() || bytes->empty()) return std::nullopt;
    return keccak256(*bytes);
}

/// Reads files into one result, within the limits of all of them.
class ArtifactReader {
public:
    explicit ArtifactReader(const ArtifactLimits& limits) : limits_(limits) {}

    void read(const std::string& path) {
        try {
            const std::size_t left = limits_.all_bytes - bytes_;
            read_file(path, std::min(limits_.file_bytes, left), text_);
            bytes_ += text_.size();
            const JsonView json = parser_.parse(text_, path);
            if (json.is_object()) visit(path, json);
        } catch (const std::exception& problem) {
            leave_out(path, problem.what());
        }
    }
    void leave_out(std::string file, std::string reason) {
        ++result_.left_out_count;
        if (result_.left_out.size() < limits_.told)
            result_.left_out.push_back({printable(std::move(file)), printable(std::move(reason))});
    }
    [[nodiscard]] ContractArtifacts take() { return std::move(result_); }

private:
    void visit(const std::string& path, const JsonView& json) {
        if (const auto abi = json.find("abi"); abi.has_value() && abi->is_array()) {
            const std::size_t slash = path.rfind('/') + 1;
            const std::string_view stem =
                std::string_view{path}.substr(slash, path.size() - slash - 5);
            const auto name = json.find("contractName");
            const auto source = json.find("sourceName");
            add(path, std::string{name && name->is_string() ? name->string() : stem},
                std::string{source && source->is_string() ? source->string() : ""}, json);
            return;
        }
        std::optional<JsonView> contracts = json.find("contracts");
        if (const auto output = json.find("output"); output.has_value() && output->is_object())
            contracts = output->find("contracts");
        if (contracts.has_value() && contracts->is_object()) visit_contracts(path, *contracts);
    }

    /// solc's: by file and name, or by `file:name`.
    void visit_contracts(const std::string& path, const JsonView& contracts) {
        for (std::size_t i = 0; i < contracts.size(); ++i) {
            const auto [key, value] = contracts.member(i);
            if (!value.is_object()) continue;
            if (value.find("abi").has_value()) {
                const std::size_t colon = key.rfind(':');
                const bool has_both = colon != std::string_view::npos;
                add(path, std::string{has_both ? key.substr(colon + 1) : key},
                    std::string{has_both ? key.substr(0, colon) : ""}, value);
                continue;
            }
            for (std::size_t j = 0; j < value.size(); ++j) {
                const auto [name, contract] = value.member(j);
                if (contract.is_object()) add(path, std::string{name}, std::string{key}, contract);
            }
        }
    }

    void add(const std::string& path, std::string name, std::string source,
             const JsonView& contract) {
        const auto abi = contract.find("abi");
        if (!abi.has_value() || !abi->is_array()) return;
        if (!is_identifier(name)) return leave_out(path, "the contract's name is no identifier");
        if (result_.contracts.size() >= limits_.contracts)
            return leave_out(path, "there are too many contracts");
        ContractArtifact artifact{std::move(name), std::move(source), {}, {}};
        try {
            artifact.code_hash = code_hash_of(contract);
            for (std::size_t i = 0; i < abi->size(); ++i) {
                if (entries_ >= limits_.entries) {
                    leave_out(path, "there are too many functions, events and errors");
                    break;
                }
                auto entry = parse_abi_entry(abi->element(i));
                if (!entry.has_value()) continue;
                artifact.entries.push_back(*std::move(entry));
                ++entries_;
            }
        } catch (const InputError& problem) {
            leave_out(path, problem.what());
        }
        if (!artifact.entries.empty()) result_.contracts.push_back(std::move(artifact));
    }

    const ArtifactLimits limits_;
    JsonParser parser_;
    std::string text_;
    std::size_t bytes_ = 0;
    std::size_t entries_ = 0;
    ContractArtifacts result_;
};

/// None where nothing has been compiled yet.
std::vector<std::string> files_in(const std::string& folder) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
        fail_input("{}: there is no such folder", folder);
    return files_below(folder, ".json");
}

void write_parameters(std::span<const AbiParameter> parameters, JsonWriter& out) {
    out.begin_array();
    for (const AbiParameter& parameter : parameters) {
        out.begin_object();
        out.key("name");
        out.string(parameter.name);
        out.key("type");
        out.string(parameter.type);
        if (parameter.is_indexed) {
            out.key("indexed");
            out.boolean(true);
        }
        if (!parameter.components.empty()) {
            out.key("components");
            write_parameters(parameter.components, out);
        }
        out.end_object();
    }
    out.end_array();
}

void write_entry(const AbiEntry& entry, JsonWriter& out) {
    const Hash hash = entry.hash();
    out.begin_object();
    out.key("kind");
    out.string(entry.kind == AbiEntry::Kind::function ? "function"
               : entry.kind == AbiEntry::Kind::event  ? "event"
                                                      : "error");
    out.key("name");
    out.string(entry.name);
    if (entry.kind == AbiEntry::Kind::event) {
        out.key("topic");
        out.hash(hash);
        out.key("anonymous");
        out.boolean(entry.is_anonymous);
    } else {
        out.key("selector");
        out.hex(BytesView{hash.bytes}.first(4));
    }
    out.key("inputs");
    write_parameters(entry.inputs, out);
    if (entry.kind == AbiEntry::Kind::function) {
        out.key("outputs");
        write_parameters(entry.outputs, out);
    }
    out.end_object();
}

}  // namespace

std::string AbiEntry::signature() const {
    std::string text = name;
    append_types(inputs, text);
    return text;
}

Hash AbiEntry::hash() const {
    const std::string text = signature();
    return keccak256(bytes_of(text));
}

std::optional<AbiEntry> parse_abi_entry(const JsonView& json) {
    if (!json.is_object()) json.fail("expected an object");
    AbiEntry entry;
    const auto type = json.find("type");
    const std::string_view kind = type.has_value() ? type->string() : "function";
    if (kind == "constructor" || kind == "fallback" || kind == "receive") return std::nullopt;
    if (kind == "event")
        entry.kind = AbiEntry::Kind::event;
    else if (kind == "error")
        entry.kind = AbiEntry::Kind::error;
    else if (kind != "function")
        json.fail("there is no such kind of entry");
    entry.name = json.at("name").string();
    if (!is_identifier(entry.name)) json.fail("the name is no identifier");
    if (const auto inputs = json.find("inputs")) entry.inputs = parse_parameters(*inputs, 0);
    if (const auto outputs = json.find("outputs")) entry.outputs = parse_parameters(*outputs, 0);
    if (const auto anonymous = json.find("anonymous")) entry.is_anonymous = anonymous->boolean();
    return entry;
}

ContractArtifacts read_artifacts(const std::string& folder, const ArtifactLimits& limits) {
    ArtifactReader reader(limits);
    const std::vector<std::string> files = files_in(folder);
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (i < limits.files)
            reader.read(files[i]);
        else
            reader.leave_out(files[i], "there are too many files");
    }
    return reader.take();
}

void write_artifacts(const ContractArtifacts& artifacts, JsonWriter& out) {
    out.begin_object();
    out.key("contracts");
    out.begin_array();
    for (const ContractArtifact& contract : artifacts.contracts) {
        out.begin_object();
        out.key("name");
        out.string(contract.name);
        out.key("source");
        out.string(contract.source);
        out.key("codeHash");
        if (contract.code_hash.has_value())
            out.hash(*contract.code_hash);
        else
            out.null();
        out.key("entries");
        out.begin_array();
        for (const AbiEntry& entry : contract.entries)
            write_entry(entry, out);
        out.end_array();
        out.end_object();
    }
    out.end_array();
    out.key("leftOut");
    out.begin_array();
    for (const ContractArtifacts::LeftOut& one : artifacts.left_out) {
        out.begin_object();
        out.key("file");
        out.string(one.file);
        out.key("reason");
        out.string(one.reason);
        out.end_object();
    }
    out.end_array();
    out.key("leftOutCount");
    out.number(artifacts.left_out_count);
    out.end_object();
}

}  // namespace heddle::node
