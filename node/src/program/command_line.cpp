// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "program/nearest_name.hpp"
#include "program/terminal.hpp"

namespace heddle::node {

namespace {

/// As CLI11's, but with two spaces at least between an option and what is said of it: by these
/// whoever reads a help tells where the one ends (scripts/command_pages.py).
class HelpFormatter final : public CLI::Formatter {
    std::string make_option_opts(const CLI::Option* option) const override {
        constexpr std::size_t kIndent = 2;
        std::string text = CLI::Formatter::make_option_opts(option);
        const std::string name = make_option_name(option, option->get_positional());
        if (kIndent + name.size() + text.size() + 1 == get_column_width()) text += ' ';
        return text;
    }
};

template <typename Number>
void check_range(CLI::Option& option, Number least, Number most) {
    // Not CLI11's own check, only its words in the help: it does not say what is no number.
    option.check(CLI::Validator(
        [least, most](const std::string& text) -> std::string {
            Number value{};
            if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most)
                return {};
            return fmt::format("must be a number from {} to {}: {}", least, most, text);
        },
        CLI::Range(least, most).get_description()));
}

template <typename Value>
constexpr bool kIsUnsigned = std::unsigned_integral<Value>;
template <typename Value>
constexpr bool kIsUnsigned<std::optional<Value>> = std::unsigned_integral<Value>;

/// CLI11 takes +5 and ` 5` for 5.
bool begins_oddly(const std::string& text) {
    return text.find_first_of("+ \t\n\v\f\r") == 0;
}

/// CLI11 takes -1, and whatever is too large, for 2^64 - 1, 010 for 8, and 0x10 for 16.
std::string check_unsigned(const std::string& text) {
    if (begins_oddly(text)) return "is no number: " + text;
    if (text.contains('-')) return "must not be negative: " + text;
    if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9')
        return "must not begin with 0: " + text;
    if (text.size() > 1 && text[0] == '0') return "must be decimal: " + text;
    errno = 0;
    static_cast<void>(std::strtoull(text.c_str(), nullptr, 0));
    return errno == ERANGE ? "is too large: " + text : "";
}

std::string check_signed(const std::string& text) {
    return check_unsigned(text.starts_with('-') ? text.substr(1) : text);
}

/// CLI11 takes 0x1p3 for 8; and what is no number is neither below nor above another.
std::string check_real(const std::string& text) {
    const bool is_decimal = !begins_oddly(text) && text.find_first_of("xX") == std::string::npos &&
                            !std::isnan(std::strtod(text.c_str(), nullptr));
    return is_decimal ? "" : "is no number: " + text;
}

/// The name of the check that follows, by which it is found again.
constexpr const char* kNotEmpty = "not empty";

/// Of a variable of the shell that is not set: without the option something else would be done,
/// such as to keep a chain in a folder that goes away. CLI11 takes it for the number 0: a rollback
/// to a block that nobody named would be one to the first.
std::string check_text(const std::string& text) {
    return text.empty() ? "must not be empty: leave the option out, or say what it is" : "";
}

/// `TEXT:{fast,plain}`, as a help shows a value, has these.
std::vector<std::string> choices_in(const std::string& value) {
    const std::size_t begin = value.find('{');
    const std::size_t end = value.find('}');
    if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
    return CLI::detail::split(value.substr(begin + 1, end - begin - 1), ',');
}

/// What is said of a value that is no choice.
std::string is_none_of(const std::string& value, const std::vector<std::string>& choices) {
    return fmt::format("'{}' is none of {}", value, fmt::join(choices, ", "));
}

OptionOutline outline_of(const CLI::Option& option) {
    OptionOutline outline{{}, option.get_description(), option.get_type_size() != 0, {}};
    for (const std::string& name : option.get_snames())
        outline.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        outline.names.push_back("--" + name);
    if (outline.takes_value) outline.choices = choices_in(option.get_type_name());
    return outline;
}

CommandOutline outline_of(const CLI::App& app) {
    CommandOutline outline{app.get_name(), app.get_description(), app.get_aliases(), {}, {}};
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional())
            outline.takes_arguments = true;
        else
            outline.options.push_back(outline_of(*option));
    }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        outline.commands.push_back(outline_of(*command));
    return outline;
}

bool is_option(const std::string& word) {
    return word.size() > 1 && word.starts_with('-');
}

/// What to say of words that no option has taken.
std::string text_of_rest(const std::vector<std::string>& rest, const CommandOutline& chosen) {
    for (const std::string& word : rest) {
        if (!is_option(word)) continue;
        const std::string name = word.substr(0, word.find('='));
        return with_guess("there is no option " + name,
                          nearest_option(name, names_of(chosen.options)));
    }
    std::string words;
    for (const std::string& word : rest)
        words += " " + word;
    return "too many arguments:" + words;
}

/// What to say of a command that was not named, or of an option that is missing.
std::string text_of_missing(const CLI::RequiredError& error, const std::vector<std::string>& rest,
                            const CLI::App& chosen) {
    if (chosen.get_require_subcommand_min() != 0) {
        std::string known;
        if (chosen.get_parent() != nullptr)
            for (const std::string& name : names_of(outline_of(chosen).commands))
                known += (known.empty() ? ": " : ", ") + name;
        return "which command" + known + "?";
    }
    if (std::ranges::any_of(rest, is_option)) return text_of_rest(rest, outline_of(chosen));
    std::string text = error.what();
    if (rest.size() != 1 || !text.starts_with("--")) return text;
    return with_guess(text, text.substr(0, text.find(' ')) + " " + rest.front());
}

std::string text_of(const CLI::ParseError& error, const CLI::App& program, const CLI::App& chosen) {
    std::vector<std::string> rest = program.remaining(true);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
        return text_of_rest(rest, outline_of(chosen));
    if (const auto* missing = dynamic_cast<const CLI::RequiredError*>(&error))
        return text_of_missing(*missing, rest, chosen);
    std::string text = error.what();
    // `--datadir: 1 required VALUE missing`
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && text.starts_with("--") &&
        text.ends_with(" missing"))
        return text.substr(0, text.find(':')) + ": its value is missing";
    // `--datadir: At Most 1 required but received 2`
    constexpr std::string_view kTwice = ": At Most 1 required but received ";
    if (const std::size_t name = text.find(kTwice); name != std::string::npos)
        return fmt::format("{}: is given {} times, and has one value", text.substr(0, name),
                           text.substr(name + kTwice.size()));
    // `Could not convert: --seed = x`
    constexpr std::string_view kNoNumber = "Could not convert: ";
    if (const std::size_t value = text.find(" = ");
        text.starts_with(kNoNumber) && value != std::string::npos)
        return text.substr(kNoNumber.size(), value - kNoNumber.size()) +
               ": is no number: " + text.substr(value + 3);
    return text;
}

}  // namespace

std::vector<std::string> names_of(const std::vector<CommandOutline>& commands) {
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const CommandOutline& command : commands)
        names.push_back(command.name);
    return names;
}

std::vector<std::string> names_of(const std::vector<OptionOutline>& options) {
    std::vector<std::string> names;
    for (const OptionOutline& option : options)
        names.insert(names.end(), option.names.begin(), option.names.end());
    return names;
}

Option Option::required() {
    option_->required();
    return *this;
}

Option Option::capture_default() {
    option_->capture_default_str();
    return *this;
}

Option Option::default_text(const std::string& text) {
    option_->default_str(text);
    return *this;
}

Option Option::group(const std::string& name) {
    option_->group(name);
    return *this;
}

Option Option::type_name(const std::string& name) {
    option_->type_name(name);
    return *this;
}

Option Option::offers(const std::vector<std::string>& texts) {
    return type_name(fmt::format("{}:{{{}}}", option_->get_type_name(), fmt::join(texts, ",")));
}

Option Option::delimiter(char separator) {
    option_->delimiter(separator);
    return *this;
}

Option Option::may_be_empty() {
    option_->get_validator(kNotEmpty)->active(false);
    return *this;
}

Option Option::needs(Option other) {
    option_->needs(other.option_);
    return *this;
}

Option Option::excludes(Option other) {
    option_->excludes(other.option_);
    return *this;
}

Option Option::in_range(int least, int most) {
    check_range(*option_, least, most);
    return *this;
}

Option Option::in_range(std::uint32_t least, std::uint32_t most) {
    check_range(*option_, least, most);
    return *this;
}

Option Option::in_range(std::uint64_t least, std::uint64_t most) {
    check_range(*option_, least, most);
    return *this;
}

Option Option::in_range(double least, double most) {
    check_range(*option_, least, most);
    return *this;
}

Option Option::one_of(std::vector<std::string> texts) {
    const std::string shown = fmt::format("{{{}}}", fmt::join(texts, ","));
    option_->check(CLI::Validator(
        [texts = std::move(texts)](const std::string& text) {
            return std::ranges::find(texts, text) == texts.end() ? is_none_of(text, texts) : "";
        },
        shown));
    return *this;
}

Option Option::check(std::function<std::string(const std::string&)> problem) {
    option_->check(std::move(problem));
    return *this;
}

Command Command::add_subcommand(const std::string& name, const std::string& description) {
    return Command(*app_->add_subcommand(name, description));
}

void Command::require_subcommand() {
    app_->require_subcommand(1);
}

void Command::alias(const std::string& name) {
    app_->alias(name);
}

void Command::callback(std::function<void()> chosen) {
    app_->callback(std::move(chosen));
}

template <OptionValue Value>
Option Command::add_option(const std::string& name, Value& value, const std::string& description) {
    CLI::Option* const option = app_->add_option(name, value, description);
    option->check(check_text, "", kNotEmpty);
    if constexpr (kIsUnsigned<Value>) option->check(check_unsigned);
    if constexpr (std::same_as<Value, long long>) option->check(check_signed);
    if constexpr (std::same_as<Value, double>) option->check(check_real);
    return Option(*option);
}

template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::uint32_t&, const std::string&);
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::add_option(const std::string&, long long&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::uint32_t>&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&,
                                    const std::string&);

Option Command::add_option(const std::string& name, const std::string& description) {
    return Option(*app_->add_option(name, description));
}

Option Command::add_option_function(const std::string& name,
                                    const std::function<void(const std::string&)>& set,
                                    const std::string& description) {
    return Option(
        *app_->add_option_function(name, set, description)->check(check_text, "", kNotEmpty));
}

Option Command::add_option_function(const std::string& name,
                                    const std::function<void(const std::vector<std::string>&)>& set,
                                    const std::string& description) {
    return Option(
        *app_->add_option_function(name, set, description)->check(check_text, "", kNotEmpty));
}

Option Command::add_flag(const std::string& name, bool& value, const std::string& description) {
    return Option(*app_->add_flag(name, value, description));
}

Option Command::add_number_choice(const Text& text, std::function<void(std::int64_t)> set,
                                  const std::map<std::string, std::int64_t>& numbers,
                                  const Choice& choice) {
    const std::function<void(const std::int64_t&)> apply = std::move(set);
    CLI::Option* const option =
        app_->add_option_function<std::int64_t>(text.name, apply, text.description);
    // Not CLI11's own transformer, whose errors show the numbers.
    CLI::Validator names(
        [numbers, choice](std::string& value) -> std::string {
            for (const auto& [name, number] : numbers) {
                const bool is_same = choice.ignores_case ? CLI::detail::to_lower(name) ==
                                                               CLI::detail::to_lower(value)
                                                         : name == value;
                if (!is_same) continue;
                value = std::to_string(number);
                return {};
            }
            return is_none_of(value, choices_in(choice.names));
        },
        choice.names);
    option->transform(names)->type_name("TEXT");
    return Option(*option);
}

CommandLine::CommandLine(const std::string& description, const std::string& name)
    : app_(std::make_unique<CLI::App>(description, name)) {
    app_->formatter(std::make_shared<HelpFormatter>());  // that of all its commands
}

CommandLine::~CommandLine() = default;

Command CommandLine::program() {
    return Command(*app_);
}

void CommandLine::set_footer(const std::string& text) {
    app_->footer(text);
}

void CommandLine::set_version(const std::string& text) {
    app_->set_version_flag("--version", text);
}

void CommandLine::set_footer(const std::string& command, const std::string& text) {
    app_->get_subcommand(command)->footer(text);
}

CommandOutline CommandLine::outline() const {
    return outline_of(*app_);
}

namespace {

/// Where a command line has come to.
struct LastCommand {
    const CLI::App* app = nullptr;
    std::string words;  // that name it, each behind a space
};

LastCommand last_command(const CLI::App& program) {
    LastCommand last{&program, {}};
    while (!last.app->get_subcommands().empty()) {
        last.app = last.app->get_subcommands().front();
        last.words += " " + last.app->get_name();
    }
    return last;
}

/// Where one of its commands has to follow, and something else does.
void check_command(const LastCommand& last) {
    const std::vector<std::string> unknown = last.app->remaining();
    if (last.app->get_require_subcommand_min() == 0 || unknown.empty() ||
        unknown.front().starts_with('-'))
        return;
    throw UsageError(
        with_guess("there is no command" + last.words + " " + unknown.front(),
                   nearest_name(unknown.front(), names_of(outline_of(*last.app).commands))),
        last.words);
}

}  // namespace

bool CommandLine::parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    try {
        app_->parse(std::move(arguments));
        return true;
    } catch (const CLI::Success& request) {
        check_command(last_command(*app_));  // whose help this is not
        std::ostringstream text;             // help or version
        app_->exit(request, text);
        fmt::print("{}", folded_help(text.str(), output_columns()));
        return false;
    } catch (const CLI::ParseError& error) {
        const LastCommand last = last_command(*app_);  // its help has what is wrong here
        check_command(last);
        throw UsageError(text_of(error, *app_, *last.app), last.words);
    }
}

}  // namespace heddle::node
