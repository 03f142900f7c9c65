// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/completion.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "program/error.hpp"

namespace heddle::node {
namespace {

using Outlines = std::vector<CommandOutline>;

std::string words(const Outlines& commands) {
    std::string text;
    for (const CommandOutline& command : commands)
        text += (text.empty() ? "" : " ") + command.name;
    return text;
}

std::string words(const std::vector<OptionOutline>& options) {
    std::string text;
    for (const OptionOutline& option : options)
        text += (text.empty() ? "" : " ") + option.name;
    return text;
}

/// In single quotes, as a shell reads it.
std::string shell_quoted(std::string_view text) {
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return result + "'";
}

/// Files, but where a word begins with a dash or a command has commands of its own.
std::string bash_script(const CommandOutline& program) {
    std::string cases;
    for (const CommandOutline& command : program.commands) {
        cases += fmt::format("        {}) words='{} {}' ;;\n", command.name,
                             words(command.commands), words(command.options));
        for (const CommandOutline& inner : command.commands)
            cases += fmt::format("        '{} {}') words='{}' ;;\n", command.name, inner.name,
                                 words(inner.options));
    }
    return fmt::format(
        R"(# bash completion of {0}
_{0}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} chosen=${{COMP_WORDS[1]}} words='{1} {2}'
    if ((COMP_CWORD > 2)) && [[ ${{COMP_WORDS[2]}} != -* ]]; then
        case $chosen in {3}) chosen="$chosen ${{COMP_WORDS[2]}}" ;; esac
    fi
    if ((COMP_CWORD > 1)); then
        case $chosen in
{4}        *) words= ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _{0} {0}
)",
        program.name, words(program.commands), words(program.options),
        [&] {
            std::string names;
            for (const CommandOutline& command : program.commands)
                if (!command.commands.empty()) names += (names.empty() ? "" : "|") + command.name;
            return names.empty() ? std::string{"''"} : names;
        }(),
        cases);
}

std::string zsh_items(const Outlines& commands) {
    std::string items;
    for (const CommandOutline& command : commands)
        items += " " + shell_quoted(command.name + ":" + command.description);
    return items;
}

std::string zsh_script(const CommandOutline& program) {
    std::string cases;
    for (const CommandOutline& command : program.commands) {
        cases += fmt::format("        {})\n", command.name);
        if (!command.commands.empty())
            cases +=
                fmt::format("            commands=({})\n            _describe command commands\n",
                            zsh_items(command.commands));
        cases += fmt::format("            compadd -- {}\n            _files ;;\n",
                             words(command.options));
    }
    return fmt::format(R"(#compdef {0}
_{0}() {{
    local -a commands
    if ((CURRENT == 2)); then
        commands=({1})
        _describe command commands
        return
    fi
    case $words[2] in
{2}    esac
}}
compdef _{0} {0}
)",
                       program.name, zsh_items(program.commands), cases);
}

std::string fish_script(const CommandOutline& program) {
    std::string text = fmt::format("# fish completion of {}\n", program.name);
    for (const CommandOutline& command : program.commands) {
        text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", program.name,
                            command.name, shell_quoted(command.description));
        const std::string seen =
            shell_quoted(fmt::format("__fish_seen_subcommand_from {}", command.name));
        for (const CommandOutline& inner : command.commands)
            text += fmt::format("complete -c {} -n {} -a {} -d {}\n", program.name, seen,
                                inner.name, shell_quoted(inner.description));
        for (const OptionOutline& option : command.options)
            if (option.name.starts_with("--"))
                text += fmt::format("complete -c {} -n {} -l {} -d {}\n", program.name, seen,
                                    option.name.substr(2), shell_quoted(option.description));
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
