// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/completion.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "program/error.hpp"

namespace heddle::node {
namespace {

using Texts = std::vector<std::string>;

/// A command with the words that choose it. Those of the program itself are none.
struct Place {
    Texts words;
    const CommandOutline* command;
};

/// The program, and all commands below it in the order of the help.
void add_places(const Place& place, std::vector<Place>& places) {
    places.push_back(place);
    for (const CommandOutline& command : place.command->commands) {
        Place below{place.words, &command};
        below.words.push_back(command.name);
        add_places(below, places);
    }
}

std::vector<Place> places_of(const CommandOutline& program) {
    std::vector<Place> places;
    add_places({{}, &program}, places);
    return places;
}

Texts names_and_aliases(const CommandOutline& command) {
    Texts names{command.name};
    names.insert(names.end(), command.aliases.begin(), command.aliases.end());
    return names;
}

/// With the other names of each, as many as there are.
Texts all_names_of(const std::vector<CommandOutline>& commands) {
    Texts names;
    for (const CommandOutline& command : commands)
        std::ranges::copy(names_and_aliases(command), std::back_inserter(names));
    return names;
}

/// All texts by which a command is chosen.
Texts spellings_of(const Place& place) {
    if (place.words.empty()) return {""};
    Texts spellings;
    for (const std::string& name : names_and_aliases(*place.command)) {
        Texts words = place.words;
        words.back() = name;
        spellings.push_back(fmt::format("{}", fmt::join(words, " ")));
    }
    return spellings;
}

/// What a shell has room for in a row: the first of the parts that are said of an option.
std::string summary_of(const OptionOutline& option) {
    return option.description.substr(0, option.description.find(';'));
}

/// `escape` before each of these letters.
std::string escaped(std::string_view text, std::string_view letters, std::string_view escape) {
    std::string result;
    for (const char c : text) {
        if (letters.contains(c)) result += escape;
        result += c;
    }
    return result;
}

/// In single quotes, as bash and zsh read it.
std::string shell_quoted(std::string_view text) {
    return "'" + escaped(text, "'", R"('\')") + "'";
}

/// In single quotes, in which fish knows two escapes.
std::string fish_quoted(std::string_view text) {
    return "'" + escaped(text, R"(\')", R"(\)") + "'";
}

/// Words of a command, of its options, or of an option's values; files, where there are none.
std::string bash_script(const CommandOutline& program) {
    Texts known;
    std::string words;
    std::string values;
    for (const Place& place : places_of(program))
        for (const std::string& spelling : spellings_of(place)) {
            if (!spelling.empty()) known.push_back(shell_quoted(spelling));
            words += fmt::format("        '{}') commands='{}' options='{}' ;;\n", spelling,
                                 fmt::join(all_names_of(place.command->commands), " "),
                                 fmt::join(names_of(place.command->options), " "));
            for (const OptionOutline& option : place.command->options)
                if (option.takes_value)
                    for (const std::string& name : option.names)
                        values += fmt::format("        '{}:{}') values='{}' ;;\n", spelling, name,
                                              fmt::join(option.choices, " "));
        }
    return fmt::format(R"(# bash completion of {0}
_{0}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
    local known=({1})
    local path='' word commands='' options='' values='none' i next
    for ((i = 1; i < COMP_CWORD; i++)); do
        next="${{path:+$path }}${{COMP_WORDS[i]}}"
        for word in "${{known[@]}}"; do
            [[ $word == "$next" ]] && path=$next && break
        done
    done
    case "$path:$previous" in
{2}    esac
    if [[ $values != none ]]; then
        [[ -n $values ]] && mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
        return
    fi
    case "$path" in
{3}    esac
    [[ $current == -* ]] && commands=$options
    [[ -z $commands ]] || mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
}}
complete -o default -F _{0} {0}
)",
                       program.name, fmt::join(known, " "), values, words);
}

std::string zsh_function_of(const CommandOutline& program, const Texts& words) {
    return fmt::format("_{}{}{}", program.name, words.empty() ? "" : "_", fmt::join(words, "_"));
}

/// The specifications of `_arguments`.
std::string zsh_options(const CommandOutline& command) {
    std::string lines;
    for (const OptionOutline& option : command.options) {
        std::string value;
        if (option.takes_value)
            value = option.choices.empty()
                        ? ":value:_files"
                        : fmt::format(":value:({})", fmt::join(option.choices, " "));
        const std::string text = escaped(summary_of(option), R"([]\)", R"(\)");
        for (const std::string& name : option.names)
            lines +=
                "        " + shell_quoted(fmt::format("*{}[{}]{}", name, text, value)) + " \\\n";
    }
    return lines;
}

std::string zsh_function(const CommandOutline& program, const Place& place) {
    const CommandOutline& command = *place.command;
    const std::string head = zsh_function_of(program, place.words) + "() {\n";
    if (command.commands.empty())
        return head + "    _arguments \\\n" + zsh_options(command) + "        '*:file:_files'\n}\n";
    const std::string files = command.takes_arguments ? "; _files" : "";
    std::string items;
    std::string calls;
    for (const CommandOutline& below : command.commands) {
        for (const std::string& name : names_and_aliases(below))
            items += "        " + shell_quoted(name + ":" + below.description) + "\n";
        Texts words = place.words;
        words.push_back(below.name);
        calls += fmt::format("            {}) {} ;;\n", fmt::join(names_and_aliases(below), "|"),
                             zsh_function_of(program, words));
    }
    return head + fmt::format(R"(    local context state line
    local -a commands=(
{}    )
    _arguments -C \
{}        '1:command:->command' '*::argument:->argument'
    case $state in
        command) _describe command commands{} ;;
        argument) case $line[1] in
{}            *) :{} ;;
        esac ;;
    esac
}}
)",
                              items, zsh_options(command), files, calls, files);
}

std::string zsh_script(const CommandOutline& program) {
    std::string text = fmt::format("#compdef {}\n", program.name);
    for (const Place& place : places_of(program))
        text += zsh_function(program, place);
    // Where it lies in a folder of $fpath, zsh reads the file when it first calls the function.
    return text + fmt::format(R"(if [[ ${{funcstack[1]}} == _{0} ]]; then
    _{0} "$@"
else
    compdef _{0} {0}
fi
)",
                              program.name);
}

/// Whether the words so far choose this command, and none below it.
std::string fish_condition(const CommandOutline& program, const Place& place,
                           const std::string& spelling) {
    if (spelling.empty()) return "__fish_use_subcommand";
    std::string condition = fmt::format("__{}_is {}", program.name, spelling);
    if (!place.command->commands.empty())
        condition += fmt::format("; and not __fish_seen_subcommand_from {}",
                                 fmt::join(all_names_of(place.command->commands), " "));
    return condition;
}

std::string fish_option(const OptionOutline& option) {
    std::string text;
    for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.choices.empty())
        text += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    else if (option.takes_value)
        text += " -r";
    return text + " -d " + fish_quoted(summary_of(option));
}

std::string fish_script(const CommandOutline& program) {
    std::string text = fmt::format(R"(# fish completion of {0}
function __{0}_is
    set -l words (commandline -opc)
    set -l last (math (count $argv) + 1)
    test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"
end
)",
                                   program.name);
    for (const Place& place : places_of(program))
        for (const std::string& spelling : spellings_of(place)) {
            const std::string begin =
                fmt::format("complete -c {} -n {}", program.name,
                            fish_quoted(fish_condition(program, place, spelling)));
            for (const CommandOutline& below : place.command->commands)
                for (const std::string& name : names_and_aliases(below))
                    text += fmt::format("{}{} -a {} -d {}\n", begin,
                                        place.command->takes_arguments ? "" : " -f", name,
                                        fish_quoted(below.description));
            for (const OptionOutline& option : place.command->options)
                text += begin + fish_option(option) + "\n";
        }
    return text;
}

}  // namespace

std::string completion_script(const CommandOutline& program, std::string_view shell) {
    if (shell == "bash") return bash_script(program);
    if (shell == "zsh") return zsh_script(program);
    if (shell == "fish") return fish_script(program);
    fail_input("completion: {}: expected bash, zsh or fish", shell);
}

}  // namespace heddle::node
