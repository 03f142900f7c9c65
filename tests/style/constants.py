#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""constants.py [ROOT]: no constant arrays that g++ 12 compiles zeros into.

It keeps an array of equal elements as one range, shortens the range in place when a constant
expression writes one of them, and shares it with everything else that is made by the same
initialiser: there the elements that were cut off are zeros, whatever the defaults of their members
are (docs/testing.md). So a constexpr function or lambda that declares an array of elements whose
defaults are not zero, or an object with such a member, calls fill() on it or assigns every element
from the first one on.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import tree

CLASS = re.compile(r"\b(?:struct|class)\s+(\w+)(?:\s+final)?(?:\s*:[^{;()]*)?\s*\{")
ENUM = re.compile(r"\benum(?:\s+class)?\s+(\w+)(?:\s*:[^{;]*)?\s*"
                  r"\{\s*(\w+)\s*(?:=\s*0\s*)?[,}]")
FIELD = re.compile(r"^\s*(?!(?:static|using|return|friend|constexpr)\b)(?:const |mutable )?"
                   r"(?P<type>[\w:]+(?:<[^;=]*>)?)\s+(?P<name>\w+)(?P<bound>\[[^\]]*\])?"
                   r"\s*(?:=\s*(?P<value>[^;]+)|\{(?P<braced>[^;{}]*)\})?;", re.MULTILINE)
# A function with its parameters, or the lambda that a constant is made by.
CONSTANT = re.compile(r"\bconst(?:expr|eval|init)\b(?:[^;{}=]*\([^;{}]*\)[^;{}]*"
                      r"|[^;{}=()]*=\s*\[[^\]]*\][^;{}]*)\{")
LOCAL = re.compile(r"^\s*(?P<type>[\w:]+(?:<[^;=()]*>)?)\s+(?P<name>\w+)(?P<bound>\[[^\]]*\])?"
                   r"\s*(?:=\s*)?(?:\{\s*\})?;", re.MULTILINE)
ARRAY = re.compile(r"\barray<\s*(.+)")
DEEPEST = 4  # members of members
ZEROS = re.compile(r"(?:0[uUlL]*|0\.0|nullptr|false|\{\s*\}|\w+\{\s*\}|)$")


def block(code: str, begin: int) -> str:
    """From behind a brace to the one that closes it."""
    depth = 1
    for match in re.finditer(r"[{}]", code[begin:]):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return code[begin:begin + match.start()]
    return code[begin:]


def shallow(body: str) -> str:
    """A class without what its functions and the classes inside it say."""
    parts, end = [], 0
    for match in re.finditer(r"\{", body):
        inside = block(body, match.end())
        if match.start() >= end and ";" in inside:
            parts.append(body[end:match.end()])
            end = match.end() + len(inside)
    return "".join(parts) + body[end:]


def element(kind: str, bound: str | None) -> str | None:
    """The type of the elements that an array is made of in the end; None: it is no array."""
    found = ARRAY.search(kind)
    if found is None:
        return kind if bound else None
    return element(found.group(1), bound) or found.group(1)


class Defaults:
    """Which classes have members whose defaults are not zero. They are known by their names, those
    of a source file to that file alone."""

    def __init__(self, sources: dict[Path, str]) -> None:
        self.fields: dict[tuple[Path | None, str], list[re.Match]] = {}
        self.zeros: set[str] = set()
        for path, code in sources.items():
            self.zeros |= {f"{enum}::{first}" for enum, first in ENUM.findall(code)}
            for match in CLASS.finditer(code):
                place = (path if path.suffix == ".cpp" else None, match[1])
                body = shallow(block(code, match.end()))
                self.fields.setdefault(place, []).extend(FIELD.finditer(body))
        self.not_zero: set[tuple[Path | None, str]] = set()
        more = True
        while more:
            found = {place for place, fields in self.fields.items()
                     if any(self.says_more(place[0], field) for field in fields)}
            more = found != self.not_zero
            self.not_zero = found

    def place_of(self, path: Path | None, kind: str) -> tuple[Path | None, str]:
        """Of the class that the text of a type names."""
        name = re.match(r"[\w:]*", kind.strip()).group().split("::")[-1]
        return (path, name) if (path, name) in self.fields else (None, name)

    def says_more(self, path: Path | None, field: re.Match) -> bool:
        value = (field["value"] or field["braced"] or "").strip()
        if ZEROS.match(value):
            inside = element(field["type"], field["bound"]) or field["type"]
            return self.place_of(path, inside) in self.not_zero
        return not any(value.endswith(zero) for zero in self.zeros)

    def arrays(self, path: Path, kind: str, bound: str | None, name: str) -> Iterator[str]:
        """What of an object holds elements that are not zero, itself among it."""
        inside = element(kind, bound)
        if inside is not None:
            if self.place_of(path, inside) in self.not_zero:
                yield name
        elif name.count(".") < DEEPEST:  # several classes may have a name
            for field in self.fields.get(self.place_of(path, kind), []):
                yield from self.arrays(path, field["type"], field["bound"],
                                       f"{name}.{field['name']}")


def is_filled(name: str, body: str) -> bool:
    name = re.escape(name)
    in_order = rf"for \([\w:]+ (\w+) = 0; \1 < [^;]+; \+\+\1\)\s*\{{?\s*{name}\[\1\] = "
    return re.search(rf"\b{name}\.fill\(|\b{in_order}", body) is not None


def main() -> int:
    top = tree.root()
    report = tree.Report()
    sources = {path: tree.code_only(tree.read(top / path))
               for path in tree.files(top, {".cpp", ".hpp"})}
    defaults = Defaults(sources)
    for path, code in sources.items():
        for constant in CONSTANT.finditer(code):
            body = block(code, constant.end())
            for local in LOCAL.finditer(body):
                for name in defaults.arrays(path, local["type"], local["bound"],
                                                local["name"]):
                    if not is_filled(name, body):
                        line = code.count("\n", 0, constant.end() + local.start("type")) + 1
                        report.add(path, line,
                                   f"g++ 12 compiles zeros into {name}: fill() it first")
    return report.finish("constants")


if __name__ == "__main__":
    sys.exit(main())
