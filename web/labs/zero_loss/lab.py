"""Loss zero, gradient not: what a fresh group of responses gives at the very first step (curriculum 2.4)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.advantages import group_advantages
from pycore.aggregate import AGGREGATIONS
from pycore.control import Choice, Number
from pycore.objective import Batch, evaluate
from pycore.protocol import Protocol
from pycore.ratio import clipped_surrogate
from pycore.rows import Column, Rows
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, signed
from web.labs.frame import Frame, by_sign

ORDER = 24
KINDS = tuple(kind for kind in AGGREGATIONS if kind in ("response_mean", "token_mean", "constant"))
MOST = 12
CONTROLS = (
    Rows(
        "responses",
        (Column("reward", -10, 10), Column("length", 1, 200, integer=True)),
        default=((1, 3), (1, 6), (0, 3), (0, 6)),
        fewest=2,
        most=MOST,
    ),
    Number("drift", 0, low=0, high=0.5, step=0.01, symbol="δ", role="current"),
    Number("beta", 0, low=0, high=0.2, step=0.01, symbol="β", role="reference"),
    Number("gap", 0.3, low=0, high=1, step=0.05),
    Choice("aggregation", KINDS, "response_mean"),
)
WHEN = {"gap": {"beta": tuple(round(0.01 * step, 2) for step in range(1, 21))}}
PRESETS = {
    "long": {"responses": ((1, 3), (0, 60), (0, 3), (0, 6))},
    "tokens": {"aggregation": "token_mean", "responses": ((1, 3), (1, 30), (0, 3), (0, 6))},
    "flat": {"responses": ((1, 3), (1, 6), (1, 3), (1, 6))},
    "surprise": {"responses": ((1, 3), (1, 6), (1, 3), (1, 6)), "beta": 0.1},
}
PREDICT = Predict(("nothing", "learns", "depends"), right="learns")

LOGP = -2.0  # of every token under the old policy: only differences matter here
LARGEST = 200  # the constant L of Dr. GRPO

FIGURES = {
    "terms": Figure(
        (*signed("term", "row", "term"), Labels("rows", "row", "zero", "muted", align="center", dy=12)),
        x=Axis(shown=False),
        y=Axis(form="number", room=0.25),
        height=240,
        zero=True,
    ),
    "gradient": Figure(
        (
            *signed("slope", "row", "slope"),
            Labels("slopes", "row", "slope", bold=True, align="center", dy="dy"),
        ),
        x=Axis(shown=False),
        y=Axis(room=0.25),
        height=280,
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Each response's part of the loss, and what each of its tokens gets of the gradient."""
    rewards, lengths = np.asarray(controls["responses"], dtype=np.float64).T
    lengths = lengths.astype(int)
    mask = (np.arange(lengths.max()) < lengths[:, None])[None]
    protocol = Protocol(
        aggregation=controls["aggregation"],
        max_tokens=LARGEST,
        eps=0.0,
        kl="k3",
        kl_coefficient=controls["beta"],
    )
    advantage = group_advantages(rewards[None], eps=0.0)[0]
    old = np.full(mask.shape, LOGP)
    # What the first steps on this batch do: praised tokens become likelier, blamed ones rarer.
    now = old + controls["drift"] * np.sign(advantage)[:, None]
    batch = Batch(now, old, mask, rewards[None], logp_ref=old - controls["gap"])
    found = evaluate(protocol, batch)
    # Minus the surrogate, weighted, summed over the response's tokens: the shares of the policy's part of the loss.
    share = found.weights[0] * lengths
    surrogate = clipped_surrogate(controls["drift"] * np.sign(advantage), advantage).value
    term = 0.0 - share * surrogate
    # One step downhill changes a token's log-prob by minus this.
    slope = 0.0 - found.grad[0, :, 0]
    row = np.arange(1, rewards.size + 1)
    rising = slope >= 0
    columns = {"row": row, "term": term}
    slopes = {"row": row, "slope": slope, "dy": np.where(rising, -12.0, 14.0)}
    flat = bool(np.all(advantage == 0))
    return Frame(
        sources={
            **by_sign("term", columns, "term"),
            **by_sign("slope", slopes, "slope"),
            "slopes": slopes,
            "rows": {"row": row, "zero": np.full(row.size, min(0.0, float(term.min()))), "length": lengths},
        },
        values={
            "loss": found.loss if abs(found.loss) > 1e-15 else 0.0,
            "policy": found.policy_loss if abs(found.policy_loss) > 1e-15 else 0.0,
            "kl": found.kl_loss,
            "norm": float(np.linalg.norm(found.grad)),
            "first": float(slope[0]),
            "advantage": float(advantage[0]),
            "length": float(lengths[0]),
            "G": float(rewards.size),
        },
        table={
            "row": row,
            "reward": rewards,
            "length": lengths,
            "advantage": advantage,
            "term": term,
            "slope": slope,
        },
        case=_case(flat, bool(np.any(np.abs(slope) > 1e-12)), found.loss),
    )


def _case(flat: bool, moves: bool, loss: float) -> str:
    if flat:
        return "anchor" if moves else "still"
    if not moves:
        return "held"
    return "zero" if abs(loss) < 1e-12 else "moved"
