// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What commands say about their options, and the parser that understands a command line. Wraps
// CLI11, whose headers take seconds to read: command_line.cpp alone includes them.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle::node {

/// What an option may set. Another type is one more line here and in command_line.cpp.
template <typename Value>
concept OptionValue =
    std::same_as<Value, std::string> || std::same_as<Value, std::vector<std::string>> ||
    std::same_as<Value, std::uint32_t> || std::same_as<Value, std::uint64_t> ||
    std::same_as<Value, long long> || std::same_as<Value, double> ||
    std::same_as<Value, std::optional<std::uint32_t>> ||
    std::same_as<Value, std::optional<std::uint64_t>>;

/// One option of a command; a handle that is copied freely and valid as long as its CommandLine.
/// Every call changes the option and returns it again, so that calls chain.
class Option {
public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    Option required();
    /// The help shows the variable's present value as the default.
    Option capture_default();
    /// The help shows this as the default.
    Option default_text(const std::string& text);
    /// The heading under which the help lists it.
    Option group(const std::string& name);
    /// What the help calls its value.
    Option type_name(const std::string& name);
    /// Words that it may be, as the help shows and shells offer them; what else may be is not
    /// refused. After type_name().
    Option offers(const std::vector<std::string>& texts);
    /// Several values in one argument, separated by this.
    Option delimiter(char separator);
    /// An empty text is a value like any other.
    Option may_be_empty();
    Option needs(Option other);
    Option excludes(Option other);

    /// Only values from `least` to `most`, both included.
    Option in_range(int least, int most);
    Option in_range(std::uint32_t least, std::uint32_t most);
    Option in_range(std::uint64_t least, std::uint64_t most);
    Option in_range(double least, double most);
    /// Only these texts.
    Option one_of(std::vector<std::string> texts);
    /// Only values for which `problem` returns an empty text; another is the error's.
    Option check(std::function<std::string(const std::string&)> problem);

private:
    CLI::Option* option_;
};

/// How an option with a few named values treats them.
struct Choice {
    std::string names;  // as the help shows them: {fast,plain}
    bool ignores_case = false;
};

/// The program itself or a command of it: what takes options. A handle, as Option is.
class Command {
public:
    explicit Command(CLI::App& app) : app_(&app) {}

    Command add_subcommand(const std::string& name, const std::string& description);
    void require_subcommand();
    /// Another name of this command.
    void alias(const std::string& name);
    /// Runs as soon as the command line has been understood and chose this command.
    void callback(std::function<void()> chosen);

    /// An option (`--name`, or `name` for one told by its position) that sets `value`, which must
    /// live until the command line has been parsed.
    template <OptionValue Value>
    Option add_option(const std::string& name, Value& value, const std::string& description);
    /// An option whose value is only checked.
    Option add_option(const std::string& name, const std::string& description);
    Option add_option_function(const std::string& name,
                               const std::function<void(const std::string&)>& set,
                               const std::string& description);
    /// An option that may be given several times; `set` gets all values at once.
    Option add_option_function(const std::string& name,
                               const std::function<void(const std::vector<std::string>&)>& set,
                               const std::string& description);
    /// A flag; `!--name` unsets.
    Option add_flag(const std::string& name, bool& value, const std::string& description);

    /// An option whose value is one of `values`, each with its name. `Target` is their type or an
    /// optional of it.
    template <typename Value, typename Target>
    Option add_choice(const std::string& name, Target& target, const std::string& description,
                      std::initializer_list<std::pair<const char*, Value>> values,
                      const Choice& choice) {
        static_assert(sizeof(Value) == 1);
        std::map<std::string, std::int64_t> numbers;
        for (const auto& [text, value] : values)
            numbers.emplace(text, static_cast<std::int64_t>(value));
        const auto set = [&target](std::int64_t number) { target = static_cast<Value>(number); };
        return add_number_choice({name, description}, set, numbers, choice);
    }

private:
    struct Text {
        std::string name;
        std::string description;
    };

    Option add_number_choice(const Text& text, std::function<void(std::int64_t)> set,
                             const std::map<std::string, std::int64_t>& numbers,
                             const Choice& choice);

    CLI::App* app_;
};

/// A command line that cannot be understood; what() says why.
class UsageError : public std::runtime_error {
public:
    UsageError(const std::string& text, std::string commands)
        : std::runtime_error(text), commands_(std::move(commands)) {}

    /// The commands that it did choose, each after a space.
    const std::string& commands() const { return commands_; }

private:
    std::string commands_;
};

/// The options of a whole program, and what understands its arguments.
struct OptionOutline {
    std::vector<std::string> names;  // `-h`, `--help`: as somebody may type it
    std::string description;
    bool takes_value = false;
    std::vector<std::string> choices;  // the values, where they are few and have names
};
/// A command as somebody may type it.
struct CommandOutline {
    std::string name;
    std::string description;
    std::vector<std::string> aliases;
    std::vector<OptionOutline> options;
    std::vector<CommandOutline> commands;
    bool takes_arguments = false;  // such as files, told by their position
};
[[nodiscard]] std::vector<std::string> names_of(const std::vector<CommandOutline>& commands);
/// All of them.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<OptionOutline>& options);

class CommandLine {
public:
    CommandLine(const std::string& description, const std::string& name);
    ~CommandLine();
    CommandLine(CommandLine&&) = delete;

    /// What the program itself takes.
    [[nodiscard]] Command program();
    /// Printed below the help of the program, and of each command that is added from then on.
    void set_footer(const std::string& text);
    /// Of that command, which is there, another one.
    void set_footer(const std::string& command, const std::string& text);
    /// Adds --version, which prints `text`.
    void set_version(const std::string& text);
    /// The program and everything that was added to it.
    [[nodiscard]] CommandOutline outline() const;

    /// Sets the values of all options and runs callback() of the chosen commands. Returns false
    /// when all that was asked for, help or the version, has been printed.
    /// Errors: throws UsageError.
    [[nodiscard]] bool parse(std::vector<std::string> arguments);

private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace heddle::node
