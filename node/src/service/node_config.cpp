// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/node_config.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <types/assert.hpp>

#include "formats/utf8.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "program/nearest_name.hpp"
#include "service/node_settings.hpp"

namespace heddle::node {
namespace {

/// Of the lines of a printed text, in bytes.
constexpr std::size_t kPrintedWidth = 98;

class Reader {
public:
    /// @param text  That `root` was parsed out of; empty: none.
    Reader(const toml::table& root, std::string source, std::string_view text)
        : root_(root), source_(std::move(source)), text_(text) {}

    void section(std::string_view name, std::string_view /*text*/) {
        section_ = name;
        sections_.emplace(name);
        const toml::node* const node = root_.get(name);
        table_ = node == nullptr ? nullptr : node->as_table();
        if (node != nullptr && table_ == nullptr) fail(*node, name, "is a section, not a value");
    }

    template <typename Value>
    void option(std::string_view name, Value& value, std::string_view /*text*/) {
        known_.emplace(fmt::format("{}.{}", section_, name));
        if (const toml::node* node = table_ == nullptr ? nullptr : table_->get(name))
            read(*node, fmt::format("{}.{}", section_, name), value);
    }

    [[nodiscard]] bool has(std::string_view section, std::string_view name) const {
        return static_cast<bool>(root_[section][name]);
    }

    /// After all options: what is left over was never one.
    void check_unknown() const {
        for (const auto& [section, node] : root_) {
            if (!sections_.contains(section.str()) && !node.is_table())
                fail_without_section(node, section.str());
            if (!sections_.contains(section.str()))
                fail_unknown(node, section.str(), "there is no such section", sections_);
            for (const auto& [name, value] : *node.as_table()) {
                const std::string path = fmt::format("{}.{}", section.str(), name.str());
                if (!known_.contains(path))
                    fail_unknown(value, path, "there is no such option", known_);
            }
        }
    }

private:
    void read(const toml::node& node, std::string_view path, std::string& value) const {
        const auto text = node.value_exact<std::string>();
        if (!text) fail(node, path, "expected text in quotes");
        value = *text;
    }
    void read(const toml::node& node, std::string_view path, bool& value) const {
        const auto flag = node.value_exact<bool>();
        if (!flag) fail(node, path, "expected true or false");
        value = *flag;
    }
    void read(const toml::node& node, std::string_view path, std::uint64_t& value) const {
        const auto number = node.value_exact<std::int64_t>();
        if (!number && has_zeros_before(node))
            fail(node, path, "expected a number without zeros before it");
        if (!number || *number < 0) fail(node, path, "expected a number that is not negative");
        if (begins_with_sign(node)) fail(node, path, "expected a number without a sign");
        if (source_.empty() && node.as_integer()->flags() != toml::value_flags::none)
            fail(node, path, "expected a decimal number");  // as no file, it is no TOML
        value = static_cast<std::uint64_t>(*number);
    }
    void read(const toml::node& node, std::string_view path,
              std::vector<std::string>& value) const {
        const toml::array* const array = node.as_array();
        if (array == nullptr) fail(node, path, "expected a list of texts");
        value.clear();
        for (const toml::node& element : *array)
            read(element, path, value.emplace_back());
    }
    void read(const toml::node& node, std::string_view path,
              std::map<std::string, std::string>& value) const {
        const toml::table* const table = node.as_table();
        if (table == nullptr) fail(node, path, "expected a table of texts");
        for (const auto& [name, element] : *table)
            read(element, path, value[std::string{name.str()}]);
    }

    using Names = std::set<std::string, std::less<>>;

    /// What is no number of TOML for that, and so is taken for a text.
    static bool has_zeros_before(const toml::node& node) {
        const auto text = node.value_exact<std::string>();
        return text && text->starts_with('0') &&
               text->find_first_not_of("0123456789") == std::string::npos;
    }
    /// TOML's numbers may have one, which the parsed value does not tell.
    [[nodiscard]] bool begins_with_sign(const toml::node& node) const {
        const toml::source_position begin = node.source().begin;
        std::size_t line = 0;
        for (toml::source_index i = 1; i < begin.line; ++i)
            line = std::min(text_.find('\n', line), text_.size()) + 1;
        const std::size_t place = line + begin.column - 1;
        return begin.column != 0 && place < text_.size() && text_[place] == '+';
    }

    [[noreturn]] void fail_unknown(const toml::node& node, std::string_view path,
                                   std::string problem, const Names& known) const {
        const std::vector<std::string> names{known.begin(), known.end()};
        fail(node, path, with_guess(std::move(problem), nearest_name(path, names)));
    }

    /// An option that stands above all sections, or no option.
    [[noreturn]] void fail_without_section(const toml::node& node, std::string_view name) const {
        const auto found = std::ranges::find_if(
            known_, [&](std::string_view path) { return path.substr(path.find('.') + 1) == name; });
        if (found == known_.end()) fail(node, name, "is in no section");
        fail(node, name,
             fmt::format("is in no section; did you mean it below [{}]?",
                         found->substr(0, found->find('.'))));
    }

    [[noreturn]] void fail(const toml::node& node, std::string_view path,
                           std::string_view problem) const {
        const auto line = node.source().begin.line;
        if (source_.empty()) fail_input("{}", problem);  // who asks says of what
        fail_input("{}: line {}: {}: {}{} see `heddle node --print-config`", source_, line, path,
                   problem, problem.ends_with('?') ? "" : ";");
    }

    const toml::table& root_;
    const std::string source_;  // a file; empty: the command line
    const std::string_view text_;
    std::string_view section_;
    const toml::table* table_ = nullptr;
    Names sections_;
    Names known_;
};

class Printer {
public:
    void section(std::string_view name, std::string_view text) {
        if (!out_.empty()) out_ += '\n';
        comment(text);
        out_ += fmt::format("[{}]\n", name);
    }
    template <typename Value>
    void option(std::string_view name, const Value& value, std::string_view text) {
        comment(text);
        out_ += fmt::format("{} = {}\n", name, format(value));
    }
    [[nodiscard]] std::string take() { return std::move(out_); }

    static std::string format(std::uint64_t value) { return fmt::format("{}", value); }
    static std::string format(bool value) { return value ? "true" : "false"; }
    static std::string format(const std::string& value) {
        if (to_utf8(value) != value)
            fail_input("{}: is no UTF-8, which a file of the configuration has to be", value);
        std::ostringstream stream;
        stream << toml::default_formatter{toml::value<std::string>{value}};
        return stream.str();
    }
    static std::string format(const std::vector<std::string>& value) {
        std::string text = "[";
        for (const std::string& element : value)
            text += (text.size() > 1 ? ", " : "") + format(element);
        return text + "]";
    }
    static std::string format(const std::map<std::string, std::string>& value) {
        std::string text;
        for (const auto& [name, element] : value)
            text += fmt::format("{} {} = {}", text.empty() ? "" : ",", name, format(element));
        return text.empty() ? "{}" : "{" + text + " }";
    }

private:
    void comment(std::string_view text) {
        while (text.size() > kPrintedWidth) {
            std::size_t end = text.rfind(' ', kPrintedWidth);
            if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
            out_ += fmt::format("# {}\n", text.substr(0, end));
            text.remove_prefix(std::min(text.size(), end + 1));
        }
        out_ += fmt::format("# {}\n", text);
    }

    std::string out_;
};

/// Finds what one option is.
class Finder {
public:
    explicit Finder(std::string_view name) : name_(name) {}

    void section(std::string_view name, std::string_view /*text*/) { section_ = name; }
    template <typename Value>
    void option(std::string_view name, const Value& value, std::string_view /*text*/) {
        if (name_ == fmt::format("{}.{}", section_, name)) found_ = describe(value);
    }
    [[nodiscard]] std::string take() {
        HEDDLE_ASSERT(found_.has_value());
        return *std::move(found_);
    }

private:
    static std::string describe(std::uint64_t value) { return fmt::format("{}", value); }
    static std::string describe(bool value) { return value ? "true" : ""; }
    static std::string describe(const std::string& value) { return value; }
    template <typename Container>
    static std::string describe(const Container& /*value*/) {
        return {};
    }

    const std::string_view name_;
    std::string_view section_;
    std::optional<std::string> found_;
};

std::string without_blanks_around(std::string_view text) {
    constexpr std::string_view kBlanks = " \t";
    const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
    return std::string{text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin)};
}

void apply(const toml::table& table, std::string source, std::string_view text,
           NodeConfig& config) {
    Reader reader{table, std::move(source), text};
    settings::visit_all(config, reader);
    reader.check_unknown();
    config.ledger.is_history_given |= reader.has("ledger", "history");
}

/// Whether the parser gave up within a value without quotes, which it took for a number, true or
/// false by its first letter.
bool is_of_bare_value(std::string_view description) {
    constexpr std::string_view kBefore = "Error while parsing ";
    if (!description.starts_with(kBefore)) return false;
    description.remove_prefix(kBefore.size());
    // A number that begins with 0, or is too large, is one that is wrong.
    if (description.starts_with("decimal") && description.find(", saw '") == std::string_view::npos)
        return false;
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"value", "floating-point", "boolean", "decimal"},
        [&](std::string_view kind) { return description.starts_with(kind); });
}

}  // namespace

void read_config(const std::string& path, NodeConfig& config) {
    std::string text;
    read_file(path, std::size_t{1} << 20, text);
    try {
        apply(toml::parse(text, path), path, text, config);
    } catch (const toml::parse_error& error) {
        fail_input("{}: line {}: {}{}", path, error.source().begin.line, error.description(),
                   is_of_bare_value(error.description()) ? "; a text stands in quotes" : "");
    }
}

void set_option(const std::string& assignment, NodeConfig& config) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || assignment.find('.') > equals)
        fail_input("--set {}: expected section.option=value", assignment);
    const std::size_t dot = assignment.find('.');
    const std::string name = without_blanks_around(assignment.substr(dot + 1, equals - dot - 1));
    std::string value = assignment.substr(equals + 1);
    // `name = text`, as in a file, where `name= text` is a text that begins with a blank.
    if (equals > 0 && assignment[equals - 1] == ' ') value = without_blanks_around(value);
    const auto apply_table = [&](const toml::table& table, std::string_view text) {
        NodeConfig changed = config;
        apply(table, "", text, changed);
        config = std::move(changed);
    };
    std::string problem;
    try {
        return apply_table(toml::parse(assignment), assignment);
    } catch (const toml::parse_error&) {
        problem.clear();  // text without its quotes: what is wrong with that is said below
    } catch (const InputError& error) {
        problem = error.what();
    }
    // Not by way of TOML: the name of a file may be no UTF-8.
    toml::table section;
    section.insert(name, value);
    toml::table table;
    table.insert(without_blanks_around(assignment.substr(0, dot)), std::move(section));
    try {
        apply_table(table, "");
    } catch (const std::exception& error) {
        fail_input("{}: {}", assignment, problem.empty() ? error.what() : problem);
    }
}

std::string describe_option(std::string_view name, const NodeConfig& config) {
    Finder finder{name};
    settings::visit_all(config, finder);
    return finder.take();
}

std::string print_config(const NodeConfig& config) {
    Printer printer;
    settings::visit_all(config, printer);
    return printer.take();
}

std::uint64_t parse_milliseconds(const std::string& text, std::string_view option) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const std::string_view unit{rest, static_cast<std::size_t>(end - rest)};
    const std::uint64_t factor = unit == "ms" ? 1 : unit == "s" ? 1'000 : unit == "m" ? 60'000 : 0;
    constexpr std::uint64_t kLongest = 86'400'000;  // a day
    if (error != std::errc{} || factor == 0 || number > kLongest / factor)
        fail_input("{}: {}: expected a time up to a day, e.g. 250ms, 12s or 5m", option, text);
    return number * factor;
}

}  // namespace heddle::node
