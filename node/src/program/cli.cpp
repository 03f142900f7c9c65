// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/cli.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "program/allocator.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/completion.hpp"
#include "program/examples.hpp"
#include "program/nearest_name.hpp"
#include "program/open_files.hpp"
#include "program/say.hpp"
#include "program/standard_streams.hpp"

namespace heddle::node {

namespace {

constexpr const char* kDescription =
    "Heddle executes blocks of smart-contract transactions, compatible with Ethereum.";
constexpr std::string_view kExitCodes =
    "Exit codes: 0 success; 1 a block or test is wrong; 2 bad usage or bad input; 3 the data "
    "directory failed; 4 it is in use by another process; 5 too little "
    "memory, or too few threads.";
constexpr const char* kCompletion = "completion";
/// Those of T8nFailure.
constexpr std::string_view kT8nExitCodes =
    "Exit codes: 0 success; 2 the block cannot be executed to its end, or bad usage; 3 no such "
    "fork, or an environment without what it needs; 4 a block hash that the environment does not "
    "have; 10 input that cannot be understood; 11 what cannot be read or written.";

/// Of a command, and of all below it.
void drop_options(CommandOutline& command) {
    command.options.clear();
    for (CommandOutline& below : command.commands)
        drop_options(below);
}

/// What is offered, and guessed: also the words that are translated. What follows `help` is what
/// follows the program's name, but for options; what follows `completion` is no file.
CommandOutline with_words(CommandOutline program) {
    for (CommandOutline& command : program.commands)
        if (command.name == kCompletion) {
            command.takes_arguments = false;
            for (const std::string_view shell : kShells)
                command.commands.push_back({std::string{shell}, "A shell", {}, {}, {}});
        }
    CommandOutline help{"help", "Show the options of a command", {}, {}, program.commands};
    for (CommandOutline& command : help.commands)
        drop_options(command);
    program.commands.push_back(std::move(help));
    program.commands.push_back({"version", "Show the version of the program", {}, {}, {}});
    return program;
}

void say_unknown(std::string_view text) {
    say("heddle: {}{} see `heddle --help`\n", text, text.ends_with('?') ? "" : ":");
}

/// Whether these words, up to the first option, choose a command. Where they do not, says so.
bool choose_command(std::span<const std::string> words, const CommandOutline& program) {
    const CommandOutline* place = &program;
    std::string chosen;
    for (const std::string& word : words) {
        if (word.starts_with('-')) break;
        const auto found = std::ranges::find_if(place->commands, [&](const CommandOutline& one) {
            return one.name == word || std::ranges::find(one.aliases, word) != one.aliases.end();
        });
        if (found == place->commands.end()) {
            say_unknown(with_guess(fmt::format("there is no command {}{}", chosen, word),
                                   nearest_name(word, names_of(place->commands))));
            return false;
        }
        place = &*found;
        chosen += word + " ";
    }
    return true;
}

/// `help [COMMAND]`, `version` and `-v` are other words for two options.
/// @return false: there is no such command, which was said.
bool translate_words(std::vector<std::string>& arguments, const CommandOutline& program) {
    if (arguments.empty()) return true;
    if (arguments.front() == "help") {
        arguments.erase(arguments.begin());
        // The two words are in the help of the program.
        if (arguments == std::vector<std::string>{"help"} ||
            arguments == std::vector<std::string>{"version"})
            arguments.clear();
        if (!choose_command(arguments, with_words(program))) return false;
        arguments.emplace_back("--help");
    } else if (arguments.front() == "version" || arguments.front() == "-v") {
        arguments.front() = "--version";
    }
    return true;
}

/// Whether the first word is a command or an option of the program. Where it is neither, says so.
bool is_known(const std::vector<std::string>& arguments, const CommandOutline& program) {
    if (arguments.empty()) return true;
    const std::string& word = arguments.front();
    if (word.empty()) {
        say("heddle: which command? see `heddle --help`\n");
        return false;
    }
    for (const CommandOutline& command : program.commands)
        if (command.name == word ||
            std::ranges::find(command.aliases, word) != command.aliases.end())
            return true;
    if (word.starts_with('-')) {
        const std::vector<std::string> options = names_of(program.options);
        if (std::ranges::find(options, word) != options.end()) return true;
        const std::string text = fmt::format("there is no option {} before a command", word);
        say_unknown(with_guess(text, nearest_option(word, options)));
        return false;
    }
    const std::string text = fmt::format("there is no command {}", word);
    say_unknown(with_guess(text, nearest_name(word, names_of(with_words(program).commands))));
    return false;
}

/// What is to go on, or to bring to its end what it has begun, though nobody reads any more what it
/// says. Other commands end with whoever reads what they print, as in `heddle export - | head`.
constexpr std::array<std::string_view, 10> kOutliveReaders{
    "node", "dev", "lane", "lanes", "load", "replay", "import", "rerun", "snapshot", "supervise"};

/// Below the help of the program (no `command`), or of one that has commands of its own.
std::string hint(std::string_view command) {
    return fmt::format("\n`heddle {}{}COMMAND --help` shows the options of a command.", command,
                       command.empty() ? "" : " ");
}

/// What stands below the options of each help: examples, exit codes, where there is more.
void set_footers(CommandLine& line) {
    line.set_footer(std::string{kExitCodes} + hint(""));
    const CommandOutline program = line.outline();
    for (const auto& [command, lines] : kExamples) {
        const auto outline = std::ranges::find(program.commands, command, &CommandOutline::name);
        const bool has_commands = outline != program.commands.end() && !outline->commands.empty();
        line.set_footer(std::string{command},
                        fmt::format("Examples:\n{}\n\n{}{}", lines,
                                    command == "t8n" ? kT8nExitCodes : kExitCodes,
                                    has_commands ? hint(command) : ""));
    }
}

void register_completion(CommandLine& line, Action& action) {
    Command command = line.program().add_subcommand(
        kCompletion, "Print a script by which a shell completes commands and options");
    const auto shell = std::make_shared<std::string>();
    command.add_option("shell", *shell, "`bash`, `zsh` or `fish`").required().type_name("SHELL");
    command.callback([shell, &line, &action] {
        action = [shell, &line] {
            fmt::print("{}", completion_script(with_words(line.outline()), *shell));
            return ExitCode::ok;
        };
    });
}

/// In the order of the help.
void register_commands(Command app, Action& action) {
    register_node(app, action);
    register_dev(app, action);
    register_init(app, action);
    register_replay(app, action);
    register_rerun(app, action);
    register_lane(app, action);
    register_lanes(app, action);
    register_promote(app, action);
    register_export(app, action);
    register_verify(app, action);
    register_db(app, action);
    register_snapshot(app, action);
    register_inspect(app, action);
    register_statetest(app, action);
    register_blocktest(app, action);
    register_t8n(app, action);
    register_generate(app, action);
    register_load(app, action);
    register_bench(app, action);
    register_testnet(app, action);
    register_supervise(app, action);
}

}  // namespace

ExitCode run_cli(std::vector<std::string> arguments) {
    hold_freed_memory(kToolsHoldMemory);
    // A data directory needs some hundreds, and a file that cannot be opened is a disk that failed.
    (void)raise_open_file_limit();
    CommandLine line(kDescription, "heddle");
    line.set_footer(std::string{kExitCodes});  // which commands below it take over
    line.set_version("heddle " HEDDLE_VERSION);
    Command app = line.program();
    app.require_subcommand();
    Action action;
    register_commands(app, action);
    register_completion(line, action);
    set_footers(line);
    const CommandOutline program = line.outline();
    if (!translate_words(arguments, program) || !is_known(arguments, program))
        return ExitCode::bad_input;

    const bool outlives_readers =
        !arguments.empty() &&
        std::ranges::find(kOutliveReaders, arguments.front()) != kOutliveReaders.end();
    try {
        if (!line.parse(std::move(arguments))) return ExitCode::ok;
    } catch (const UsageError& error) {
        const std::string_view text = error.what();
        say("heddle: {}{} see `heddle{} --help`\n", text, text.ends_with('?') ? "" : ":",
            error.commands());
        return ExitCode::bad_input;
    }
    if (outlives_readers) ignore_closed_pipes();  // its help does not
    try {
        return action();
    } catch (const InputError& error) {
        say("heddle: {}\n", error.what());
        return ExitCode::bad_input;
    } catch (const InUseError& error) {
        say("heddle: {}\n", error.what());
        return ExitCode::in_use;
    } catch (const StorageError& error) {
        say("heddle: {}\n", error.what());
        return ExitCode::storage_failed;
    }
}

}  // namespace heddle::node
