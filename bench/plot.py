#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""plot.py latency.csv OUT.svg: draws the curves of macro/latency_bench.

One panel per contention: 99th percentile of latency, logarithmic, against the load offered, a line
per system. Needs nothing but Python.
"""

import argparse
import csv
import html
import math
import sys
from collections import defaultdict
from pathlib import Path

PANEL_WIDTH, PANEL_HEIGHT = 320, 300
LEFT, TOP, GAP, BOTTOM = 70, 40, 40, 90
LEGEND_WIDTH = 130
COLOURS = ["#0b6e4f", "#c1272d", "#e08e0b", "#7b4fa3", "#1f5fa8", "#555555"]


def read(path: Path) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """contention -> system -> (offered thousand transactions per second, p99 in microseconds)."""
    panels: dict = defaultdict(lambda: defaultdict(list))
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            point = (float(row["offered_ktps"]), max(float(row["p99_us"]), 0.1))
            panels[row["contention"]][row["system"]].append(point)
    return panels


class Panel:
    """One coordinate system, its x linear and its y logarithmic."""

    def __init__(self, left: float, x_max: float, y_decades: tuple[int, int]) -> None:
        self.left = left
        self.x_max = x_max
        self.low, self.high = y_decades

    def x(self, value: float) -> float:
        return self.left + PANEL_WIDTH * value / self.x_max

    def y(self, value: float) -> float:
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return TOP + PANEL_HEIGHT * (1 - part)

    def frame(self, title: str, has_labels: bool) -> list[str]:
        right, bottom = self.left + PANEL_WIDTH, TOP + PANEL_HEIGHT
        parts = [
            f'<rect x="{self.left}" y="{TOP}" width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}" '
            'fill="none" stroke="#333"/>',
            text(self.left + PANEL_WIDTH / 2, TOP - 12, title, "middle", bold=True),
        ]
        for decade in range(self.low, self.high + 1):
            y = self.y(10.0**decade)
            parts.append(f'<line x1="{self.left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" '
                         'stroke="#ddd"/>')
            if has_labels:
                parts.append(text(self.left - 8, y + 4, microseconds(decade), "end"))
        step = nice_step(self.x_max)
        for i in range(int(self.x_max / step + 1e-9) + 1):
            x = self.x(i * step)
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 5}" '
                         'stroke="#333"/>')
            parts.append(text(x, bottom + 20, f"{i * step:g}", "middle"))
        parts.append(text(self.left + PANEL_WIDTH / 2, bottom + 40,
                          "offered load, thousand transactions per second", "middle"))
        return parts

    def line(self, points: list[tuple[float, float]], colour: str) -> list[str]:
        ordered = [(self.x(x), self.y(y)) for x, y in sorted(points)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in ordered)
        parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>']
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in ordered]
        return parts


def text(x: float, y: float, what: str, anchor: str, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>'
            f"{html.escape(what)}</text>")


def microseconds(decade: int) -> str:
    if decade >= 6:
        return f"{10 ** (decade - 6)} s"
    if decade >= 3:
        return f"{10 ** (decade - 3)} ms"
    return f"{10.0 ** decade:g} µs"


def nice_step(most: float) -> float:
    """So that there are four to ten ticks."""
    power = 10.0 ** math.floor(math.log10(most))
    for factor in (0.1, 0.2, 0.25, 0.5, 1.0):
        if most / (power * factor) <= 8:
            return power * factor
    return power


def draw(panels: dict) -> str:
    points = [p for systems in panels.values() for line in systems.values() for p in line]
    x_max = max(x for x, _ in points) * 1.05
    decades = (math.floor(math.log10(min(y for _, y in points))),
               math.ceil(math.log10(max(y for _, y in points))))
    systems = list(dict.fromkeys(name for panel in panels.values() for name in panel))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(systems)}
    width = LEFT + max(len(panels) * (PANEL_WIDTH + GAP), len(systems) * LEGEND_WIDTH)
    height = TOP + PANEL_HEIGHT + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text transform="translate(16 {TOP + PANEL_HEIGHT / 2}) rotate(-90)" '
        'text-anchor="middle">99th percentile of latency</text>',
    ]
    for i, (contention, lines) in enumerate(panels.items()):
        panel = Panel(LEFT + i * (PANEL_WIDTH + GAP), x_max, decades)
        parts += panel.frame(f"{contention} contention", i == 0)
        for name, line in lines.items():
            parts += panel.line(line, colours[name])
    for i, name in enumerate(systems):
        x, y = LEFT + i * LEGEND_WIDTH, height - 16
        parts.append(f'<line x1="{x}" x2="{x + 24}" y1="{y - 4}" y2="{y - 4}" '
                     f'stroke="{colours[name]}" stroke-width="3"/>')
        parts.append(text(x + 30, y, name, "start"))
    return "\n".join(parts + ["</svg>", ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("latency", type=Path, help="the CSV file that latency_bench has written")
    parser.add_argument("picture", type=Path, help="SVG file to write")
    arguments = parser.parse_args()
    try:
        panels = read(arguments.latency)
    except (OSError, KeyError, ValueError) as error:
        parser.error(f"{arguments.latency}: no latencies can be read: {error!r}")
    if not panels:
        parser.error(f"{arguments.latency}: no rows")
    arguments.picture.write_text(draw(panels), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
