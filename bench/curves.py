#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""curves.py [--only KEY,KEY] [--rounds N] [--draw-only] ...

The curves of the papers, with every scheduler: runs `heddle bench` for each figure, writes what it
measured as DIR/KEY.json, draws it as DIR/KEY.svg and prints a table of it for docs/benchmarks.md.
--draw-only draws what was measured before. Needs nothing but Python and the program.
"""

import argparse
import html
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

PANEL_WIDTH, PANEL_HEIGHT = 230, 190
LEFT, TOP, GAP, BOTTOM = 46, 46, 44, 48
LEGEND_WIDTH = 190
COLOURS = ["#555555", "#0b6e4f", "#c1272d", "#e08e0b", "#1f5fa8", "#7b4fa3", "#2aa5a0", "#a35b2b",
           "#d25f9a", "#8a8f00"]

ALL = {"serial": "serial", "dag": "dag", "values": "values", "early": "early:by=key",
       "late": "late", "aria": "aria", "optimistic": "optimistic"}
# How threads of classes meet (Early Scheduling §2.4, 4.1, 4.2), and what classes are compared with.
THREADS = {"serial": "serial", "early, barrier": "stealing=none,waiting=barrier",
           "early, busy-wait": "stealing=none", "conservative": "stealing=conservative",
           "moderate": "stealing=moderate", "aggressive": "stealing=aggressive",
           "optimistic stealing": "stealing=optimistic", "late, coarse": "late:lock=coarse",
           "late, lock-free": "late", "dag": "dag"}


def with_shards(shards: int) -> dict[str, str]:
    return {name: f"early:by=key,shards={shards},{spec}" if "stealing" in spec else spec
            for name, spec in THREADS.items()}


Cell = dict
Subject = dict


@dataclass
class Panel:
    title: str
    x_label: str
    points: list[tuple[str, str]]  # what stands at the x axis, and the workload
    schedulers: dict[str, str]  # name in the legend: what heddle bench is asked for
    txs: int = 1000  # a block


@dataclass
class Figure:
    key: str
    title: str
    panels: list[Panel]
    blocks: int = 5
    repetitions: int = 5  # a round
    loads: list[float] = field(default_factory=list)
    views: list[str] = field(default_factory=lambda: ["times"])
    source: str = ""  # measured for that figure


def sweep(values: list[str], workload: str) -> list[tuple[str, str]]:
    return [(value, workload.replace("{}", value)) for value in values]


TABLE = "ycsb:records=50000,native=1"
LISTS = "linked-list:global={g},writes={w},length={l},shards={s},skew={k}"


def lists(writes: str, length: int, shards: str = "1", skew: str = "0",
          glob: str = "0") -> str:
    return (LISTS.replace("{g}", glob).replace("{w}", writes).replace("{l}", str(length))
            .replace("{s}", shards).replace("{k}", skew))


def shard_panels() -> list[Panel]:
    panels = []
    for shards in (2, 4, 8):
        panels.append(Panel(f"{shards} shards, balanced", "writes", [
            (w, lists(w, 100, str(shards), "0", "0.01")) for w in ("0.01", "0.05", "0.1", "0.5")],
            with_shards(shards), 400))
    panels.append(Panel("8 shards, skewed", "writes", [
        (w, lists(w, 100, "8", "1", "0.01")) for w in ("0.01", "0.05", "0.1", "0.5")],
        with_shards(8), 400))
    return panels


FIGURES = [
    Figure("doradd-2", "DORADD 2: contention and stragglers", [Panel("read, hash, write", "", [
        ("none", f"{TABLE},reads=0,length=50"),
        ("groups of 100", f"{TABLE},reads=0,length=50,group=100"),
        ("stragglers", f"{TABLE},reads=0,length=50,stragglers=0.001")], ALL)]),
    Figure("doradd-6", "DORADD 6: latency over load", [
        Panel(title, "load", sweep([workload], "{}"), {
            "serial": "serial", "dag": "dag", "values": "values", "late": "late", "aria": "aria",
            "optimistic": "optimistic"}, txs=20)
        for title, workload in (
            ("YCSB, no contention", TABLE), ("YCSB, 7 of 10 hot", f"{TABLE},reads=0,hot-keys=7"),
            ("TPCC-NP, 23 warehouses", "tpcc:native=1,warehouses=23"),
            ("TPCC-NP, 1 warehouse", "tpcc:native=1,warehouses=1"),
            ("the same, split", "tpcc:native=1,warehouses=1,split=1"))],
        blocks=200, repetitions=2, loads=[0.3, 0.6, 0.9, 1.2], views=["p99"]),
    Figure("doradd-7", "DORADD 7: throughput over skew", [
        Panel(f"{length} hashes", "Zipf exponent", sweep(
            ["0", "0.5", "0.9", "0.99", "1.2"], f"{TABLE},reads=0,length={length},skew={{}}"), ALL,
              txs) for length, txs in ((25, 400), (500, 100))], views=["times", "model"]),
    Figure("early-2", "Early Scheduling 2 to 4: one shard", [
        Panel(f"lists of {length}", "writes", [
            (w, lists(w, length)) for w in ("0.01", "0.05", "0.1", "0.5")], with_shards(1),
            txs) for length, txs in ((10, 1000), (100, 400), (1000, 100))]),
    Figure("early-6", "Early Scheduling 6: waiting in meetings", [], views=["waited"],
           source="early-2"),
    Figure("early-5", "Early Scheduling 5: shards", shard_panels()),
    Figure("early-7", "Early Scheduling 7: requests that were stolen", [], views=["stolen"],
           source="early-5"),
    Figure("early-9", "Early Scheduling 9: a store of keys and values", [Panel(
        "8 shards", "reads", sweep(["0.99", "0.95", "0.9", "0.5"], f"{TABLE},keys=1,reads={{}}"),
        with_shards(8))]),
    Figure("aria-9", "Aria 9, 10: YCSB; batches; stragglers", [
        Panel("all schedulers", "reads", sweep(["0.8", "0.5", "0"], f"{TABLE},reads={{}}"), ALL),
        Panel("batch sizes", "Zipf exponent", sweep(["0", "0.8", "0.99"], f"{TABLE},skew={{}}"), {
            "serial": "serial",
            **{f"aria, {size}": f"aria:batch={size}" for size in (16, 64, 256, 1000)},
            "aria, adaptive": "aria"}),
        Panel("stragglers", "share", sweep(
            ["0", "0.001", "0.01"], f"{TABLE},length=10,straggler-length=2000,stragglers={{}}"),
            ALL)]),
    Figure("aria-11", "Aria 11: throughput over skew", [Panel(
        "YCSB, 80 % reads", "Zipf exponent",
        sweep(["0", "0.6", "0.8", "0.9", "0.99", "0.999"], f"{TABLE},skew={{}}"), ALL)],
        views=["times", "aborted", "model"]),
    Figure("aria-12", "Aria 12: TPC-C", [Panel("New-Order and Payment", "warehouses", sweep(
        ["1", "2", "4", "8", "16", "60", "180"], "tpcc:native=1,warehouses={}"), ALL, 600)],
        views=["times", "aborted", "model"]),
]
MODELLED_CORES = (2, 8, 16)

# --- Measuring -----------------------------------------------------------------------------------


def run_panel(figure: Figure, panel: Panel, heddle: str, path: Path, has_model: bool) -> dict:
    command = [heddle, "bench", "--workload", ",".join(w for _, w in panel.points),
               "--schedulers", ",".join(panel.schedulers.values()),
               "--txs", str(panel.txs), "--blocks", str(figure.blocks),
               "--repetitions", str(figure.repetitions), "--json", str(path)]
    if figure.loads:
        command += ["--load", ",".join(map(str, figure.loads))]
    if not has_model:
        command += ["--no-model"]
    print(" ".join(command), file=sys.stderr)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads(path.read_text(encoding="utf-8"))


def measure(figure: Figure, heddle: str, folder: Path, rounds: int) -> None:
    """A report for each panel and round, in one file. In rounds, so that half a minute in which the
    machine was slow spoils one sample of many points, and not all samples of one."""
    reports: list[list[dict]] = [[] for _ in figure.panels]
    for number in range(rounds):
        for panel, of_panel in zip(figure.panels, reports, strict=True):
            has_model = number == 0 and "model" in figure.views
            of_panel.append(run_panel(figure, panel, heddle, folder / "panel.json", has_model))
    (folder / f"{figure.key}.json").write_text(json.dumps(reports), encoding="utf-8")


# --- Reading -------------------------------------------------------------------------------------


def counters(cell: Cell) -> dict[str, float]:
    return dict(cell.get("counters") or {})


def closed(subject: Subject) -> list[Cell]:
    return [cell for cell in subject["cells"]
            if not cell["twin"] and not cell["offered_tps"]]


def cell_of(subject: Subject, spec: str) -> Cell:
    return next(cell for cell in closed(subject) if cell["scheduler"] == spec)


def times(subject: Subject, spec: str) -> float:
    return median(closed(subject)[0]["samples_ms"]) / median(cell_of(subject, spec)["samples_ms"])


def per_transaction(name: str, divisor: float) -> Callable[[Subject, str], float]:
    return lambda subject, spec: (counters(cell_of(subject, spec)).get(name, 0)
                                  / subject["transactions"] / divisor)


@dataclass
class View:
    label: str
    value: Callable[[Subject, str], float]
    wants: Callable[[str], bool] = lambda spec: True
    decimals: int = 2


VIEWS = {
    "times": View("times serial", times),
    "waited": View("µs waited a request", per_transaction("ns waited in them", 1e3),
                   lambda spec: spec.startswith("early")),
    "stolen": View("share stolen", per_transaction("stolen", 1),
                   lambda spec: "stealing" in spec and "none" not in spec),
    "aborted": View("share aborted", per_transaction("aborted", 1), lambda spec: spec == "aria"),
}


@dataclass
class Curves:
    """What one coordinate system shows."""
    title: str
    x_label: str
    y_label: str
    marks: list[str]
    lines: dict[str, list[float]]
    decimals: int = 2
    noise: list[float] = field(default_factory=list)
    is_modelled: bool = False


def p99_ms(subject: Subject, spec: str, load: float) -> float:
    return next(cell["transaction_latency_us"]["p99"] / 1e3 for cell in subject["cells"]
                if cell["scheduler"] == spec and cell["load_share"] == load and not cell["twin"])


def curves_of(panel: Panel, rounds: list[dict], name: str) -> Curves:
    """Each value is the median of all rounds."""
    marks = [mark for mark, _ in panel.points]
    # By point, then round.
    points = list(zip(*(report["subjects"] for report in rounds), strict=True))
    noise = [100 * median(subject["noise"] for subject in point) for point in points]
    if name == "model":
        lines = {f"DAG, {cores} cores": [
            next(p["stream_order"] for p in point[0]["modelled"]["speed_up"]
                 if p["cores"] == cores) for point in points] for cores in MODELLED_CORES}
        return Curves(f"MODELLED: {panel.title}", panel.x_label, "times one core", marks, lines,
                      is_modelled=True)
    if name == "p99":
        loads = sorted({cell["load_share"] for cell in points[0][0]["cells"] if cell["load_share"]})
        lines = {label: [median(p99_ms(subject, spec, load) for subject in points[0])
                         for load in loads] for label, spec in panel.schedulers.items()}
        return Curves(panel.title, panel.x_label, "p99, ms", [f"{load:g}" for load in loads],
                      lines, 1, noise)
    view = VIEWS[name]
    lines = {label: [median(view.value(subject, spec) for subject in point) for point in points]
             for label, spec in panel.schedulers.items()
             if view.wants(spec) and (name != "times" or spec != "serial")}
    return Curves(panel.title, panel.x_label, view.label, marks, lines, view.decimals, noise)


# --- Drawing -------------------------------------------------------------------------------------


def text(x: float, y: float, content: str, anchor: str = "start", size: int = 11,
         weight: str = "normal") -> str:
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'font-weight="{weight}">{html.escape(content)}</text>')


def round_step(most: float) -> float:
    step = 1e-6
    while True:
        for factor in (1, 2, 5):
            if most / (step * factor) <= 5:
                return step * factor
        step *= 10


def draw_panel(curves: Curves, left: float, colours: dict[str, str]) -> list[str]:
    most = max((v for line in curves.lines.values() for v in line), default=1) or 1
    step = round_step(most * 1.05)
    top = step * max(1, -(-most * 1.02 // step))
    bottom = TOP + PANEL_HEIGHT

    def x_of(index: int) -> float:
        return left + PANEL_WIDTH * (index + 0.5) / len(curves.marks)

    def y_of(value: float) -> float:
        return bottom - PANEL_HEIGHT * value / top

    parts = [text(left, TOP - 10, curves.title, size=12, weight="bold")]
    for i in range(round(top / step) + 1):
        y = y_of(i * step)
        parts += [f'<line x1="{left}" x2="{left + PANEL_WIDTH}" y1="{y:.1f}" y2="{y:.1f}" '
                  'stroke="#ddd"/>', text(left - 5, y + 4, f"{i * step:g}", "end", 10)]
    for i, mark in enumerate(curves.marks):
        parts.append(text(x_of(i), bottom + 15, mark, "middle", 10))
    parts.append(text(left + PANEL_WIDTH / 2, bottom + 32,
                      f"{curves.x_label}; up: {curves.y_label}".lstrip("; "), "middle", 10))
    dash = ' stroke-dasharray="5 3"' if curves.is_modelled else ""
    for label, line in curves.lines.items():
        points = " ".join(f"{x_of(i):.1f},{y_of(v):.1f}" for i, v in enumerate(line))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colours[label]}" '
                     f'stroke-width="1.6"{dash}/>')
        parts += [f'<circle cx="{x_of(i):.1f}" cy="{y_of(v):.1f}" r="2.2" '
                  f'fill="{colours[label]}"/>' for i, v in enumerate(line)]
    return parts


def draw(title: str, panels: list[Curves]) -> str:
    labels: list[str] = []
    for curves in panels:
        labels += [label for label in curves.lines if label not in labels]
    colours = {label: COLOURS[i % len(COLOURS)] for i, label in enumerate(labels)}
    width = LEFT + len(panels) * (PANEL_WIDTH + GAP) + LEGEND_WIDTH
    height = max(TOP + PANEL_HEIGHT + BOTTOM, TOP + 16 * len(labels) + 10)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}" font-family="sans-serif">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>',
             text(LEFT, 18, title, size=14, weight="bold")]
    for i, curves in enumerate(panels):
        parts += draw_panel(curves, LEFT + i * (PANEL_WIDTH + GAP), colours)
    left = LEFT + len(panels) * (PANEL_WIDTH + GAP) - 10
    for i, label in enumerate(labels):
        y = TOP + 8 + 16 * i
        parts += [f'<line x1="{left}" x2="{left + 18}" y1="{y}" y2="{y}" '
                  f'stroke="{colours[label]}" stroke-width="2"/>', text(left + 24, y + 4, label)]
    return "\n".join(parts) + "\n</svg>\n"


def table(curves: Curves) -> str:
    rows = [f"{curves.title}: {curves.y_label}, by {curves.x_label}", "",
            "| | " + " | ".join(curves.marks) + " |", "|---" * (len(curves.marks) + 1) + "|"]
    for label, line in curves.lines.items():
        rows.append(f"| {label} | " + " | ".join(f"{v:.{curves.decimals}f}" for v in line) + " |")
    if len(curves.noise) == len(curves.marks):
        rows.append("| noise, % | " + " | ".join(f"{v:.0f}" for v in curves.noise) + " |")
    return "\n".join(rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="build/release/heddle")
    parser.add_argument("--json", type=Path, default=Path("build/curves"))
    parser.add_argument("--plots", type=Path, default=Path("docs/plots"))
    parser.add_argument("--only", default="", help="keys of figures, apart by commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--draw-only", action="store_true")
    arguments = parser.parse_args()
    keys = arguments.only.split(",") if arguments.only else [f.key for f in FIGURES]
    by_key = {figure.key: figure for figure in FIGURES}
    if unknown := [key for key in keys if key not in by_key]:
        sys.exit(f"curves.py: no figure {unknown[0]}: there are {', '.join(by_key)}")
    arguments.json.mkdir(parents=True, exist_ok=True)
    arguments.plots.mkdir(parents=True, exist_ok=True)
    for key in keys:
        figure = by_key[key]
        measured = by_key[figure.source or key]
        if not figure.source and not arguments.draw_only:
            measure(figure, arguments.heddle, arguments.json, arguments.rounds)
        path = arguments.json / f"{measured.key}.json"
        if not path.exists():
            sys.exit(f"curves.py: {path} is not there: measure {measured.key} first")
        reports = json.loads(path.read_text(encoding="utf-8"))
        panels = [curves_of(panel, rounds, view) for view in figure.views
                  for panel, rounds in zip(measured.panels, reports, strict=True)]
        (arguments.plots / f"{key}.svg").write_text(draw(figure.title, panels), encoding="utf-8")
        print(f"**{figure.title}**\n")
        for curves in panels:
            print(table(curves))


if __name__ == "__main__":
    main()
