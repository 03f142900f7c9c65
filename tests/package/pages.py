#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""pages.py PROGRAM: the manual page and the completions name all that the program has.

What the program has is read off its help in another way than scripts/command_pages.py reads it:
words that look like options, in every command that can be reached. Shells that are installed check
their files; bash and fish are asked for completions.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MAKER = Path(__file__).resolve().parents[2] / "scripts" / "command_pages.py"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9.-]*")


def help_of(program: str, path: tuple[str, ...]) -> str:
    return subprocess.run([program, *path, "--help"], check=True, capture_output=True,
                          text=True).stdout


def commands_below(program: str, path: tuple[str, ...] = ()):
    """Yields every command with its own options."""
    text = help_of(program, path)
    options = set()
    for line in text.splitlines():
        if re.match(r"  -", line):
            options |= set(OPTION.findall(re.split(r"\s", line.strip())[0]))
    yield path, options
    _, _, listed = text.partition("\nSubcommands:\n")
    for line in listed.partition("\n\n")[0].splitlines():
        if found := re.match(r"  ([a-z][\w-]*)", line):
            yield from commands_below(program, path + (found.group(1),))


def completions(script: Path, *words: str) -> list[str]:
    """What bash offers behind these words, the last of which is begun."""
    command = (f"source '{script}'; COMP_WORDS=(heddle {' '.join(map(repr, words))}); "
               f"COMP_CWORD={len(words)}; _heddle; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    result = subprocess.run(["bash", "--norc", "-c", command], capture_output=True, text=True,
                            check=True)
    return sorted(result.stdout.split())


def lines_of_fish(text: str, path: tuple[str, ...]) -> str:
    """The lines of one command."""
    condition = f"__heddle_is {' '.join(path)}" if path else "__fish_use_subcommand"
    return "\n".join(line for line in text.splitlines()
                     if re.search(rf"-n '{condition}['; ]*(and|-)", line))


def fish_completions(script: Path, line: str) -> list[str]:
    """What fish offers behind this line."""
    command = f"source '{script}'; complete -C '{line}'"
    result = subprocess.run(["fish", "--no-config", "-c", command], capture_output=True, text=True,
                            check=True)
    return sorted(offer.split("\t")[0] for offer in result.stdout.splitlines())


def missing_in(folder: Path, path: tuple[str, ...], options: set[str]) -> list[str]:
    manual = (folder / "heddle.1").read_text(encoding="utf-8").replace("\\-", "-")
    zsh = (folder / "_heddle").read_text(encoding="utf-8")
    fish = lines_of_fish((folder / "heddle.fish").read_text(encoding="utf-8"), path)
    _, _, manual_part = manual.partition(f".SS heddle {' '.join(path)}\n" if path
                                         else ".SH OPTIONS\n")
    manual_part = re.split(r"\n\.S[SH] ", manual_part)[0]
    name = "_heddle" + "".join("_" + re.sub(r"\W", "_", part) for part in path)
    zsh_part = zsh.partition(f"\n{name}() {{\n")[2].partition("\n}\n")[0]
    offered = completions(folder / "heddle.bash", *path, "--")
    missing = []
    for option in sorted(options):
        places = {"bash": option in offered, "zsh": f"'*{option}[" in zsh_part,
                  "fish": re.search(rf"-l {option[2:]}\b", fish) is not None,
                  "the manual page": f"\\fB{option}\\fR" in manual_part or option == "--help"}
        missing += [f"{place}: heddle {' '.join(path)} {option}"
                    for place, is_there in places.items() if not is_there]
    return missing


def run_together(program: str, path: tuple[str, ...]) -> list[str]:
    """Options that no two spaces part from what is said of them, by which the pages are made."""
    lines = help_of(program, path).splitlines() + [""]
    column = 30  # in which it begins, where the option does not take more
    return [f"the help of heddle {' '.join(path)}: {line}"
            for line, following in zip(lines, lines[1:])
            if line.startswith("  -") and len(line) > column and
            not following.startswith(" " * column) and line[column - 2:column] != "  "]


def check_shells(folder: Path) -> list[str]:
    problems = []
    for shell, file in (("bash", "heddle.bash"), ("zsh", "_heddle"), ("fish", "heddle.fish")):
        if not shutil.which(shell):
            print(f"no {shell} here: {file} was not parsed by it")
            continue
        result = subprocess.run([shell, "-n", str(folder / file)], capture_output=True, text=True,
                                check=False)
        if result.returncode != 0:
            problems.append(f"{shell}: {result.stderr.strip()}")
    if shutil.which("man"):
        result = subprocess.run(["man", "--warnings", "-l", str(folder / "heddle.1")],
                                capture_output=True, text=True, check=False)
        if result.returncode != 0 or result.stderr:
            problems.append(f"man: {result.stderr.strip()}")
    else:
        print("no man here: heddle.1 was not rendered")
    return problems


def main() -> int:
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        subprocess.run([sys.executable, "-B", str(MAKER), program, scratch], check=True)
        known = list(commands_below(program))
        findings = [finding for path, options in known
                    for finding in missing_in(folder, path, options)]
        findings += [finding for path, _ in known for finding in run_together(program, path)]
        script = folder / "heddle.bash"
        top = [path[0] for path, _ in known if len(path) == 1]
        findings += [f"bash: heddle {name}" for name in top if name not in completions(script, "")]
        expected = {("db", "ro"): ["rollback"], ("init", "--chain", ""): ["mainnet", "sepolia"],
                    ("replay", "--genesis", "x"): [], ("no-such", "--ver"): ["--version"]}
        findings += [f"bash: {' '.join(words)}: {found}, expected {wanted}"
                     for words, wanted in expected.items()
                     if (found := completions(script, *words)) != wanted]
        if shutil.which("fish"):
            findings += [f"fish: {line}: {found}, expected {wanted}"
                         for line, wanted in (("heddle snapshot verify --", ["--help"]),
                                              ("heddle db ro", ["rollback"]),
                                              ("heddle help db ro", ["rollback"]),
                                              ("heddle vers", ["version"]),
                                              ("heddle import --sch", ["--scheduler"]))
                         if (found := fish_completions(folder / "heddle.fish", line)) != wanted]
        findings += check_shells(folder)
    if len(known) < 15 or sum(len(options) for _, options in known) < 100:
        findings.append("hardly any commands and options were found in the help")
    print("\n".join(findings))
    print(f"{len(known)} commands, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
