#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""command_pages.py PROGRAM FOLDER: the manual page and the completions of `heddle`.

Asks PROGRAM, and each of its commands, for --help, and writes into FOLDER what that says as
heddle.1, and what `PROGRAM completion` prints as heddle.bash, _heddle (zsh) and heddle.fish. There
is no other list of commands and options: what is installed is what the program says of itself.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HEAD = ["Heddle: a smart-contract execution engine.", "Copyright 2026 The heddle Authors",
        "SPDX-License-Identifier: Apache-2.0"]
EXIT_CODES = re.compile(r"^Exit codes: (.*)$", re.MULTILINE)
# Words behind an option's name that are no value of it.
MARKS = re.compile(r"\s+(REQUIRED|(?:Excludes|Needs|Env):.*|\(Env:.*)$")


@dataclass
class Entry:
    """A line of the help: an option, a positional or a command."""
    names: list[str]
    value: str  # as the help shows it; empty: a flag
    text: str
    heading: str


@dataclass
class Command:
    path: list[str]  # without the program
    text: str
    usage: str
    options: list[Entry] = field(default_factory=list)
    positionals: list[Entry] = field(default_factory=list)
    children: list["Command"] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)
    exit_codes: str = ""

    def all(self):
        yield self
        for child in self.children:
            yield from child.all()


def said_by(program: str, *words: str) -> str:
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def split_head(head: str, is_command: bool) -> tuple[list[str], str]:
    """Names and value of what stands in the left column."""
    if is_command:
        return [name.strip() for name in head.split(",")], ""
    head = MARKS.sub("", head)
    names, _, value = head.partition(" ")
    # A flag that unsets has the value that it gives behind its name: `--nostack{false}`.
    return re.sub(r"\{[^}]*\}", "", names).split(","), value.strip()


def entries(section: list[str], heading: str) -> list[Entry]:
    """Lines that begin in the third column, with what is indented further behind them."""
    found: list[Entry] = []
    for line in section:
        if re.match(r"  \S", line):
            head, _, text = line[2:].partition("  ")
            names, value = split_head(head.strip(), heading == "Subcommands")
            found.append(Entry(names, value, text.strip(), heading))
        elif line.strip() and found:
            found[-1].text = f"{found[-1].text} {line.strip()}".strip()
    return found


def sections(text: str) -> list[tuple[str, list[str]]]:
    """Headings with the lines below them. The first has none."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        heading = re.match(r"([A-Z][\w ]*):$", line)
        if heading:
            parts.append((heading.group(1), []))
        elif line and not line.startswith(" ") and parts[-1][0]:
            parts.append(("", [line]))  # behind the list
        else:
            parts[-1][1].append(line)
    return parts


def read_command(program: str, path: list[str], aliases: list[str]) -> Command:
    text = said_by(program, *path, "--help")
    first, *rest = text.splitlines()
    usage = next((line for line in rest if line.startswith("Usage: ")), "")
    codes = EXIT_CODES.search(text)
    command = Command(path, first, usage.removeprefix("Usage: "), aliases=aliases,
                      exit_codes=codes.group(1) if codes else "")
    for heading, lines in sections(text):
        if heading == "Subcommands":
            for entry in entries(lines, heading):
                child = read_command(program, path + entry.names[:1], entry.names[1:])
                command.children.append(child)
        elif heading == "Positionals":
            command.positionals = entries(lines, heading)
        elif heading == "Examples":
            command.examples = [line[2:] for line in lines if line.strip()]
        elif heading:
            command.options += [entry for entry in entries(lines, heading)
                                if entry.names[0].startswith("-")]
    return command


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    return "\\&" + text if text.startswith((".", "'")) else text


def manual_entry(entry: Entry) -> list[str]:
    value = f" \\fI{roff(entry.value)}\\fR" if entry.value else ""
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in entry.names)
    return [".TP", names + value, roff(entry.text) or "\\&"]


def manual(root: Command, version: str) -> str:
    out = [f'.\\" {line}' for line in HEAD]
    out += [f'.TH HEDDLE 1 "" "Heddle {version}" "User Commands"', ".SH NAME",
            "heddle \\- " + roff(root.text.removeprefix("Heddle ").rstrip(".")), ".SH SYNOPSIS",
            ".B heddle", ".RI [ OPTIONS ]", ".I COMMAND", ".RI [ ARGUMENTS ]", ".SH DESCRIPTION",
            roff(root.text), ".SH OPTIONS"]
    for entry in root.options:
        out += manual_entry(entry)
    out.append(".SH COMMANDS")
    for command in list(root.all())[1:]:
        out += [f".SS heddle {roff(' '.join(command.path))}", roff(command.text)]
        if command.aliases:
            out += [".PP", "Also called " +
                    ", ".join(f"\\fB{roff(name)}\\fR" for name in command.aliases) + "."]
        out += [".PP", f"\\fB{roff(command.usage)}\\fR"]
        for entry in command.positionals:
            out += manual_entry(entry)
        heading = "Options"
        for entry in command.options:
            if entry.names[0] in ("-h", "--help"):
                continue
            if entry.heading != heading:
                heading = entry.heading
                out += [".PP", f"\\fI{roff(heading)}\\fR"]
            out += manual_entry(entry)
        if command.examples:
            out += [".PP", ".EX", *[roff(line) for line in command.examples], ".EE"]
        if command.exit_codes != root.exit_codes:
            out += [".PP", roff(f"Exit codes: {command.exit_codes}")]
    out += [".SH EXIT STATUS"]
    for code, meaning in re.findall(r"(\d+) ([^;.]+)", root.exit_codes):
        out += [".TP", f".B {code}", roff(meaning)]
    out += [".SH SEE ALSO", ".BR heddle.h (3)"]
    return "\n".join(out) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    program, folder = given.program, given.folder
    root = read_command(program, [], [])
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"heddle.1": manual(root, said_by(program, "--version").split()[-1])}
    for shell, name in (("bash", "heddle.bash"), ("zsh", "_heddle"), ("fish", "heddle.fish")):
        pages[name] = said_by(program, "completion", shell)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
