"""A name does not replace a specification: every axis of a group update by hand, and what it is called (3.5)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pycore.batch import Batch
from pycore.control import Choice
from pycore.domain import DomainError
from pycore.objective import evaluate
from pycore.protocol import Protocol
from pycore.rows import Column, Rows
from web.labs.composer.axes import GROUPS as GROUPS
from web.labs.composer.axes import KINDS, STARTS, control, protocol, state
from web.labs.composer.axes import WHEN as WHEN
from web.labs.composer.words import excluded_words, nearest_words, trl_words, verl_words
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, signed
from web.labs.frame import Frame, by_sign

ORDER = 35
CONTROLS = (
    Choice("start", STARTS, "grpo"),
    Rows(
        "responses",
        (
            Column("group", 1, 4, integer=True),
            Column("reward", -10, 10),
            Column("length", 1, 16, integer=True),
            Column("ratio", 0.05, 4),
            Column("truncated", 0, 1, integer=True),
        ),
        default=((1, 1, 3, 1, 0), (1, 1, 6, 1, 0), (1, 0, 3, 1, 0), (1, 0, 6, 1, 0)),
        fewest=1,
        most=24,
    ),
    *(control(axis) for axes in GROUPS.values() for axis in axes),
)
FILL = {"start": {name: state(name) for name in STARTS}}
PRESETS = {
    "dr_grpo": {"start": "dr_grpo", **state("dr_grpo"), "max_tokens": 8},
    "dapo": {"start": "dapo", **state("dapo")},
    "gspo": {"start": "gspo", **state("gspo")},
    "own": {"scale": "none", "aggregation": "token_mean", "clip": "asymmetric", "clip_high": 0.28},
    "surprise": {"start": "trl-1.16.0/dapo", **state("trl-1.16.0/dapo")},
}
PREDICT = Predict(("paper", "dr_grpo", "dapo"), right="dapo", state=PRESETS["surprise"])
# What the sample batch says of every token beside its ratio.
LOGP, REFERENCE, EXACT_KL, ENTROPY, VALUE = -4.0, -4.2, 0.02, 1.0, 0.5
GAP = 1.2  # empty places between two responses

FIGURES = {
    "tokens": Figure(
        (*signed("tokens", "x", "y", width=0.9), Labels("rewards", "x", "y", "muted", align="center", dy=-14)),
        x=Axis(shown=False),
        y=Axis(form="number", room=0.2),
        height=300,
        zero=True,
    ),
    "responses": Figure(
        signed("sums", "push", "row", across=True, width=0.6),
        x=Axis(room=0.15),
        y=Axis(form="number", room=0.05),
        height=230,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The composed protocol on the sample batch: which token is pushed where, and what others call it."""
    made, excluded = protocol(controls)
    batch, places = _batch(controls["responses"], made)
    try:
        found = evaluate(made, batch)
    except DomainError as error:  # dividing by the mean wants rewards that are not negative
        excluded[error.argument if error.argument in KINDS else "scale"] = made.scale
        made = replace(made, scale="none")
        found = evaluate(made, batch)
    push = np.where(batch.mask, -found.grad, 0)
    group, member, token = (axis[np.lexsort((places[2], places[1], places[0]))] for axis in places)
    row = np.concatenate([[0], np.cumsum((np.diff(group) != 0) | (np.diff(member) != 0))])
    shown = push[group, member, token]
    count = row[-1] + 1
    first = np.searchsorted(row, np.arange(count))
    sums = np.bincount(row, shown, count)
    x = np.arange(len(row)) + GAP * row
    middle = (np.bincount(row, x, count)) / np.bincount(row, minlength=count)
    nearest = made.nearest()
    advantages = found.advantages if found.advantages.ndim == 2 else found.advantages[:, :, 0]
    rows = {
        "row": np.arange(1, count + 1),
        "group": group[first] + 1,
        "reward": np.asarray(batch.rewards)[group[first], member[first]],
        "length": np.bincount(row, minlength=count),
        "advantage": advantages[group[first], member[first]],
        "token": shown[first],
        "push": sums,
    }
    length = int(max(size for _, _, size, _, _ in controls["responses"]))
    return Frame(
        sources={
            **by_sign("tokens", {"x": x, "y": shown}, "y"),
            "rewards": {"x": middle, "y": np.maximum(shown[first], 0), "reward": rows["reward"]},
            **by_sign("sums", {"push": sums, "row": rows["row"]}, "push"),
            "rows": rows,
        },
        values={
            "loss": found.loss,
            "policy": found.policy_loss,
            "kl_part": found.kl_loss,
            "entropy_part": found.entropy_loss,
            "informative": found.informative_share,
            "held": float(np.nanmax([found.clip_share_positive, found.clip_share_negative, 0])),
            "nearest": nearest.name,
            "differences": len(nearest.differences),
            "excluded": len(excluded),
            "largest": float(np.max(np.abs(shown))),
        },
        table="rows",
        case="excluded" if excluded else "differs" if nearest.differences else "exact",
        texts={
            "nearest": nearest_words(nearest),
            "excluded": excluded_words(made, excluded),
            "trl": trl_words(made, batch.shape[1], length),
            "verl": verl_words(made, batch.shape[1], length),
            "formula": made.formula().replace("\\\\", "\\\\\n"),
            "protocol": made.to_json().replace(", ", ",\n "),
        },
    )


def _batch(rows: tuple[tuple[float, ...], ...], made: Protocol) -> tuple[Batch, tuple[Any, ...]]:
    """The rows as arrays, and the places (group, member, token) of their tokens."""
    numbers = sorted({int(row[0]) for row in rows})
    members = {number: [row for row in rows if row[0] == number] for number in numbers}
    shape = (len(numbers), max(map(len, members.values())), int(max(row[2] for row in rows)))
    logp_old, mask = np.full(shape, LOGP), np.zeros(shape, bool)
    rewards, truncated = np.full(shape[:2], np.nan), np.zeros(shape[:2], bool)
    for at, number in enumerate(numbers):
        for index, (_, reward, length, ratio, cut) in enumerate(members[number]):
            mask[at, index, : int(length)] = True
            logp_old[at, index] = LOGP - np.log(ratio)
            rewards[at, index], truncated[at, index] = reward, bool(cut)
    batch = Batch(
        logp=np.full(shape, LOGP),
        logp_old=logp_old,
        mask=mask,
        rewards=rewards,
        logp_ref=np.full(shape, REFERENCE),
        kl=np.full(shape, EXACT_KL),
        entropy=np.full(shape, ENTROPY),
        truncated=truncated,
        advantages=np.nan_to_num(rewards - VALUE) if made.baseline == "critic" else None,
    )
    return batch, np.nonzero(mask)
