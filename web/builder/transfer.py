"""The recorded sweep as a map: what became of held-out accuracy in every cell, and the address that runs it again."""

import json
from pathlib import Path
from typing import Any

from web.labs import engine
from web.labs.texts import Writer

TOP = Path(__file__).parents[2]
METRICS = ("accuracy", "pass_4")
# What the sweep calls an axis, and what the lab calls it.
CONTROLS = {"prompts": "prompts", "group": "G", "iterations": "iterations", "learning_rate": "learning_rate"}


def maps(lab: str, path: str, language: str) -> list[dict[str, Any]]:
    """One map for each group size.

    Args:
        lab: opens the cells.
        path: of the sweep, from the repository's top.
        language: `ru` or `en`.

    Returns:
        `group`, `columns` (numbers of prompts) and `rows` (learning rate, iterations, cells); a cell has the texts of
        `accuracy` and `pass_4`, their `range` over seeds, a `shade` in [0, 1], the `trend` against the base and the
        `query` that opens it.
    """
    sweep = json.loads((TOP / path).read_text(encoding="utf-8"))
    writer = Writer(language)
    best = max(row["after"]["held_out accuracy"]["median"] for row in sweep["map"])
    before = _before(sweep["runs"])
    cells = {tuple(sorted(row["point"].items())): _cell(lab, row, best, before, writer) for row in sweep["map"]}
    grid = sweep["grid"]
    return [
        {
            "group": writer.format("{0:.0f}", group),
            "columns": [writer.format("{0:,.0f}", prompts) for prompts in grid["prompts"]],
            "rows": [
                {
                    "learning_rate": writer.format("{0:g}", rate),
                    "iterations": writer.format("{0:.0f}", iterations),
                    "cells": [cells[_point(prompts, rate, iterations, group)] for prompts in grid["prompts"]],
                }
                for rate in grid["learning_rate"]
                for iterations in grid["iterations"]
            ],
        }
        for group in grid["group"]
    ]


def _before(runs: list[dict[str, Any]]) -> float:
    """Held-out accuracy of the base, mean over the runs."""
    found = [change[2] for run in runs for change in run["changes"] if change[:2] == ["held_out", "accuracy"]]
    return float(sum(found) / len(found))


def _point(prompts: float, rate: float, iterations: float, group: float) -> tuple[tuple[str, float], ...]:
    point = {"prompts": prompts, "learning_rate": rate, "iterations": iterations, "group": group}
    return tuple(sorted(point.items()))


def _cell(lab: str, row: dict[str, Any], best: float, before: float, writer: Writer) -> dict[str, Any]:
    found = {metric: row["after"][f"held_out {metric}"] for metric in METRICS}
    low, high = found["accuracy"]["low"], found["accuracy"]["high"]
    state = {CONTROLS[name]: value for name, value in row["point"].items()}
    return {
        **{metric: writer.format("{0:.2f}", found[metric]["median"]) for metric in METRICS},
        "range": [writer.format("{low:.2f}–{high:.2f}", **found[metric]) for metric in METRICS],
        "seeds": len(row["seeds"]),
        "shade": round(found["accuracy"]["median"] / best, 3),
        "trend": "up" if low > before else "down" if high < before else "same",
        "query": engine.query_of(lab, state),
    }
