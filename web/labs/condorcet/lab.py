"""When one number is not enough: majorities that go in a circle, and the loss that no reward model removes (0.2)."""

from collections.abc import Mapping
from itertools import combinations, permutations
from typing import Any

import numpy as np

from pycore.control import Choice, Number
from pycore.domain import Array, DomainError
from pycore.majority import condorcet_winner, majority_graph, mixture_win_rate, pairwise_counts, shortest_cycle
from pycore.ranking import fit_scores, loss_floor
from pycore.rows import Column, Rows
from web.labs.contract import Predict
from web.labs.figure import Arrows, Axis, Figure, Labels, Points, Rules
from web.labs.frame import Frame

ORDER = 2
ANSWERS = "ABCD"
ORDERS = tuple("".join(order) for size in (3, 4) for order in permutations(ANSWERS[:size]))
CONTROLS = (
    Choice("source", ("pairs", "rankings"), "pairs"),
    Number("share", 0.7, low=0.5, high=0.99, step=0.01, symbol="p", role="signal"),
    Rows(
        "rankings",
        (Column("count", 1, 999, integer=True), Column("order", options=ORDERS)),
        default=((1, "ABC"), (1, "BCA"), (1, "CAB")),
        most=24,
    ),
)
WHEN = {"share": {"source": ("pairs",)}, "rankings": {"source": ("rankings",)}}
PRESETS = {
    "annotators": {"source": "rankings"},
    "agreement": {"source": "rankings", "rankings": ((3, "ABC"), (1, "BAC"))},
    "nearly": {"share": 0.55},
    "four": {"source": "rankings", "rankings": ((3, "DABC"), (2, "BCAD"), (2, "CABD"), (2, "DBCA"))},
    "surprise": {"source": "rankings", "rankings": ((3, "ABC"), (1, "BCA"), (1, "CAB"))},
}
PREDICT = Predict(("first", "second", "third", "nobody"), right="nobody", state={"source": "rankings"})
RIDGE = 0.01  # where some answer never lost, its best score is infinite; this holds it back
NODE = 0.2  # of a node's radius, so that arrows end at its rim

FIGURES = {
    "graph": Figure(
        (
            Arrows("straight", "ink", key="straight"),
            Arrows("circle", "negative", width=3, dash="dashed", key="circle"),
            Points("nodes", "x", "y", "wash", size=36, tip=False),
            Labels("nodes", "x", "y", bold=True, align="center"),
            Labels("scores", "x", "y", "signal", align="align", dy="dy"),
            Labels("shares", "x", "y", "muted", align="center"),
        ),
        x=Axis(-1.9, 1.9, shown=False),
        y=Axis(-1.35, 1.35, shown=False),
        height=300,
        equal=True,
    ),
    "pairs": Figure(
        (
            Rules("even", "line-strong", x="share"),
            Points("pairs", "observed", "row", "ink", size=11, key="observed"),
            Points("pairs", "promised", "row", "signal", "diamond", size=12, key="promised"),
            Labels("pairs", "edge", "row", "muted", dx=4),
        ),
        x=Axis(0, 1, form="percent"),
        y=Axis(shown=False, room=0.5),
        height=220,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The majority graph, the fitted scores and how far the best loss stays above the entropy of the labels."""
    share = controls["share"]
    if controls["source"] == "pairs":
        wins = np.array([[0, share, 1 - share], [1 - share, 0, share], [share, 1 - share, 0]])
    else:
        wins = _counted(controls["rankings"])
    size, floor = len(wins), loss_floor(wins)
    try:
        scores = fit_scores(wins).scores
    except DomainError:
        scores = fit_scores(wins, RIDGE).scores
    cycle, winner = shortest_cycle(wins), condorcet_winner(wins)
    angle = np.pi / 2 - 2 * np.pi * np.arange(size) / size
    place = np.column_stack([np.cos(angle), np.sin(angle)])
    round_about = set(zip(cycle, (*cycle[1:], *cycle[:1]), strict=True))

    # Each pair is named by its majority.
    first, second = np.array([(j, i) if wins[j, i] > wins[i, j] else (i, j) for i, j in combinations(range(size), 2)]).T
    observed = wins[first, second] / (wins + wins.T)[first, second]
    promised = 1 / (1 + np.exp(scores[second] - scores[first]))
    with np.errstate(divide="ignore"):
        wanted = np.log(observed) - np.log1p(-observed)
        around = [np.log(wins[i, j]) - np.log(wins[j, i]) for i, j in ((0, 1), (1, 2), (2, 0))]
    needed = float(np.sum(around)) if np.all(np.isfinite(around)) else np.nan
    edges = [(int(i), int(j)) for i, j in np.argwhere(majority_graph(wins))]
    names = [f"{ANSWERS[i]} > {ANSWERS[j]}" for i, j in zip(first, second, strict=True)]
    mixture = mixture_win_rate(wins)
    return Frame(
        sources={
            "straight": _arrows(place, [edge for edge in edges if edge not in round_about]),
            "circle": _arrows(place, sorted(round_about)),
            "nodes": {"x": place[:, 0], "y": place[:, 1], "name": list(ANSWERS[:size])},
            "scores": _scores(place, scores),
            "shares": _shares(place, edges, wins),
            "even": {"share": [0.5]},
            "pairs": {
                "row": -np.arange(len(names)),
                "edge": np.zeros(len(names)),
                "name": names,
                "observed": observed,
                "promised": promised,
                "wanted": wanted,
                "fitted": scores[first] - scores[second],
            },
        },
        values={
            "best": floor.best,
            "entropy": floor.entropy,
            "gap": floor.gap,
            "cycle": " → ".join(ANSWERS[i] for i in (*cycle, *cycle[:1])),
            "winner": ANSWERS[winner] if winner is not None else "",
            "needed": needed,
            "mixture": float(np.max(np.abs(mixture - 0.5)) + 0.5),
        },
        table="pairs",
        case="cycle" if cycle else "tie" if winner is None else "fits" if floor.gap < 5e-4 else "winner",
    )


def _counted(rankings: tuple[tuple[int, str], ...]) -> Array:
    """Comparison counts; an answer that a ranking does not name stands last in it."""
    size = max(len(order) for _, order in rankings)
    wins = np.zeros((size, size))
    for count, order in rankings:
        whole = order + "".join(sorted(set(ANSWERS[:size]) - set(order)))
        wins += count * pairwise_counts([[ANSWERS.index(name) for name in whole]])
    return wins


def _arrows(place: Array, edges: list[tuple[int, int]]) -> dict[str, Array]:
    ends = np.array(edges, int).reshape(-1, 2)
    begin, end = place[ends[:, 0]], place[ends[:, 1]]
    along = (end - begin) / np.linalg.norm(end - begin, axis=1, keepdims=True)
    begin, end = begin + NODE * along, end - NODE * along
    return {"x0": begin[:, 0], "y0": begin[:, 1], "x1": end[:, 0], "y1": end[:, 1]}


def _scores(place: Array, scores: Array) -> dict[str, Any]:
    """The scores beside their answers: above, below, or on the outer side."""
    side = ["center" if abs(x) < 0.1 else "left" if x > 0 else "right" for x in place[:, 0]]
    away = np.where(np.abs(place[:, 0]) < 0.1, 0, 0.16 * np.sign(place[:, 0]))
    return {
        "x": place[:, 0] + away,
        "y": place[:, 1],
        "score": scores,
        "align": side,
        "dy": np.where(np.abs(place[:, 0]) < 0.1, -28 * np.sign(place[:, 1]), 0),
    }


def _shares(place: Array, edges: list[tuple[int, int]], wins: Array) -> dict[str, Any]:
    """What stands beside each arrow, a little outside of its middle."""
    ends = np.array(edges, int).reshape(-1, 2)
    begin, end = place[ends[:, 0]], place[ends[:, 1]]
    aside = (end - begin)[:, ::-1] * np.array([-1, 1])
    middle = 0.4 * end + 0.6 * begin
    outward = np.sign(np.sum(aside * (middle + 1e-9), axis=1, keepdims=True))
    spot = middle + 0.17 * outward * aside / np.linalg.norm(aside, axis=1, keepdims=True)
    share = [wins[i, j] / (wins[i, j] + wins[j, i]) for i, j in edges]
    return {"x": spot[:, 0], "y": spot[:, 1], "share": share}
