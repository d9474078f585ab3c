"""One GRPO step in order, with a fault let in: which check catches it (practicum, curriculum 5.4)."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pycore.advantages import group_advantages
from pycore.batch import Batch
from pycore.control import Choice, Number
from pycore.domain import Array
from pycore.objective import evaluate
from pycore.protocol import Protocol
from pycore.scenario import SEED
from web.labs.contract import Predict
from web.labs.figure import Axis, Cells, Figure, Labels, Points, Rules
from web.labs.frame import Frame, by_sign
from web.labs.process import Process
from web.labs.step.policy import LONGEST, TOKENS, gradient, sample, scores, success, table, verify

ORDER = 54
FAULTS = (
    "none",
    "greedy",
    "verifier",
    "axis",
    "engine",
    "shift",
    "dropout",
    "padding",
    "live_old",
    "mean",
    "unclipped",
)
CONTROLS = (
    Choice("fault", FAULTS, "none"),
    Number("G", 8, low=2, high=16, step=1, integer=True, symbol="G"),
    Number("rate", 1.0, low=0.1, high=5, step=0.1, symbol="η"),
    SEED,
)
PRESETS = {
    "dropout": {"fault": "dropout"},
    "padding": {"fault": "padding"},
    "engine": {"fault": "engine"},
    "greedy": {"fault": "greedy"},
    "surprise": {"fault": "shift"},
}
PREDICT = Predict(("nan", "ratio", "zero", "nothing"), right="zero", state={"fault": "live_old"})
PROCESS = Process(pace=1.5, autoplay=False)
STAGES = ("sample", "verify", "advantages", "old", "new", "loss", "step")
PLAIN = Protocol(aggregation="sequence_sum")
LARGEST_STEP = 1.0  # bound of the gradient's norm

KINDS = {"raised": ("positive", False), "lowered": ("negative", True), "silent": ("silent", False)}
FIGURES = {
    "grid": Figure(
        (
            *(
                Cells(f"cells_{kind}", "x", "y", "strength", role, hatch=hatch, key=kind, tip=False)
                for kind, (role, hatch) in KINDS.items()
            ),
            Labels("tokens", "x", "y", align="center"),
            Labels("rewards", "x", "y", "muted"),
        ),
        x=Axis(-0.7, LONGEST + 2.6, shown=False),
        y=Axis(shown=False, room=0.05),
        height=320,
    ),
    "ratios": Figure(
        (Rules("one", "line-strong", y="ratio"), Points("ratios", "place", "ratio", "current", key="ratio")),
        x=Axis(shown=False),
        y=Axis(0, 2.5),
        height=200,
    ),
}


def compute(controls: Mapping[str, Any]) -> Iterator[Frame]:
    """The seven steps, a Frame each: what there is by then, and the checks made so far."""
    fault, group = controls["fault"], controls["G"]
    rng = np.random.default_rng(controls["seed"])
    logits = table(rng)
    # 1. Sampling. Another engine keeps its logits in coarser numbers.
    sampler = np.round(logits * 4) / 4 if fault == "engine" else logits
    rollout = sample(sampler, group, rng, greedy=fault == "greedy")
    checks = [("distinct", float(len(np.unique(rollout.tokens, axis=0))), 2.0, "least")]
    made: dict[str, Any] = {"rollout": rollout}
    yield _frame("sample", made, checks, controls)

    # 2. Rewards. The broken parser finds no answer anywhere.
    made["rewards"] = rewards = verify(rollout) * (fault != "verifier")
    checks += [("differ", float(np.ptp(rewards)), 1.0, "least")]
    yield _frame("verify", made, checks, controls)

    # 3. Advantages. Along the wrong axis each response is its own group.
    shape = (-1, 1) if fault == "axis" else (1, -1)
    made["advantages"] = advantages = group_advantages(rewards.reshape(shape)).reshape(group)
    checks += [("spread", float(np.std(advantages)), 0.99, "least")]
    yield _frame("advantages", made, checks, controls)

    # 4. Log-probs of the old policy, by the trainer's own code.
    trained = logits * (rng.random(logits.shape) > 0.1) / 0.9 if fault == "dropout" else logits
    tokens = np.roll(rollout.tokens, -1, axis=1) if fault == "shift" else rollout.tokens
    old, active = scores(logits)[rollout.before, tokens], rollout.mask
    checks += [("sampler", float(np.max(np.abs(np.exp(old - rollout.logp) - 1)[active])), 1e-6, "most")]
    yield _frame("old", made, checks, controls)

    # 5. The current policy and the mask. Nothing has been updated: every ratio must be one.
    new = scores(trained)[rollout.before, tokens]
    made["ratio"] = np.exp(new - old)
    counted = np.ones_like(active) if fault == "padding" else active
    checks += [("ratio", float(np.max(np.abs(made["ratio"] - 1)[active])), 1e-6, "most")]
    checks += [("counted", float(np.count_nonzero(counted) - np.count_nonzero(active)), 0.0, "most")]
    yield _frame("new", made, checks, controls)

    # 6. The loss, and its gradient against a finite difference of the formula.
    protocol = Protocol(aggregation="response_mean") if fault == "mean" else PLAIN
    batch = Batch(new[None], old[None], counted[None], rewards[None], advantages=advantages[None])
    found = evaluate(protocol, batch)
    wanted = found.grad[0] * (fault != "live_old")
    made |= {"loss": found.loss, "push": -wanted}
    slope = gradient(trained, rollout, wanted)
    difference = _difference(logits, rollout, advantages)
    checks += [("gradient", float(np.linalg.norm(slope)), 1e-12, "least")]
    checks += [("formula", float(np.max(np.abs(slope - difference))), 1e-6, "most")]
    yield _frame("loss", made, checks, controls)

    # 7. The step, its length bounded.
    norm = float(np.linalg.norm(slope))
    bound = norm if fault == "unclipped" else LARGEST_STEP
    move = slope * min(1.0, bound / norm) * (20 if fault == "unclipped" else 1) if norm else slope
    made |= {"before": success(logits), "after": success(logits - controls["rate"] * move)}
    checks += [("norm", float(np.linalg.norm(move)), LARGEST_STEP + 1e-9, "most")]
    yield _frame("step", made, checks, controls)


def _difference(logits: Array, rollout: Any, advantages: Array) -> Array:
    """d/d logits of -1/G sum_i A_i log pi(o_i), by central differences: no formula for the gradient is used."""

    def loss(at: Array) -> float:
        logp = np.where(rollout.mask, scores(at)[rollout.before, rollout.tokens], 0)
        return -float(np.mean(advantages * logp.sum(axis=1)))

    made, width = np.zeros_like(logits), 1e-5
    for place in np.ndindex(logits.shape):
        nudge = np.zeros_like(logits)
        nudge[place] = width
        made[place] = (loss(logits + nudge) - loss(logits - nudge)) / (2 * width)
    return made


def _responses(rollout: Any, rewards: Array | None, advantages: Array | None) -> dict[str, str]:
    """Every response with what it earned, for those who read the grid instead of looking at it."""
    lines = []
    for row, mask in enumerate(rollout.mask):
        line = f"{row + 1:2d}. " + " ".join(TOKENS[token] for token in rollout.tokens[row, mask])
        line += "" if rewards is None else f"   r = {rewards[row]:.0f}"
        line += "" if advantages is None else f"   A = {advantages[row] + 0.0:.2f}"
        lines.append(line.replace("-", "−"))
    text = "\n".join(lines)
    return {"ru": "\n".join(line[:3] + line[3:].replace(".", ",") for line in lines), "en": text}


def _frame(stage: str, made: Mapping[str, Any], checks: list[Any], controls: Mapping[str, Any]) -> Frame:
    rollout = made["rollout"]
    group, length = rollout.mask.shape
    push = made.get("push", np.zeros((group, length)))
    row, place = np.nonzero(rollout.mask | (push != 0))
    largest = np.max(np.abs(push)) or 1.0
    cells = {"x": place, "y": -row, "push": push[row, place]}
    cells["strength"] = np.where(cells["push"] == 0, 0.15, 0.15 + 0.4 * np.abs(cells["push"]) / largest)
    rewards, advantages = made.get("rewards"), made.get("advantages")
    shown = np.arange(group) if rewards is not None else np.arange(0)
    passed = [value >= bound if kind == "least" else value <= bound for _, value, bound, kind in checks]
    failed = next((name for (name, *_), fine in zip(checks, passed, strict=True) if not fine), "")
    active = rollout.mask if "ratio" in made else np.zeros_like(rollout.mask)
    ratio = np.minimum(made.get("ratio", np.ones_like(push))[active], 2.5)
    lengths = rollout.mask.sum(axis=1)
    spelled = "".join(TOKENS[token] for token in rollout.tokens[0, : lengths[0]])
    logp = rollout.logp[0, : lengths[0]]
    end = stage == "step"
    return Frame(
        sources={
            **by_sign("cells", cells, "push"),
            "tokens": {"x": place, "y": -row, "token": [TOKENS[token] for token in rollout.tokens[row, place]]},
            "rewards": {
                "x": np.full(len(shown), LONGEST - 0.3),
                "y": -shown,
                "reward": np.zeros(0) if rewards is None else rewards,
                "advantage": np.full(len(shown), np.nan) if advantages is None else advantages,
            },
            "one": {"ratio": [1.0]},
            "ratios": {"place": np.arange(len(ratio)), "ratio": ratio},
        },
        values={
            "first": spelled,
            "total": float(logp.sum()),
            "mean": float(logp.mean()),
            "geometric": float(np.exp(logp.mean())),
            "right": float(np.sum(rewards)) if rewards is not None else np.nan,
            "widest": float(np.max(np.abs(made["ratio"] - 1)[rollout.mask])) if "ratio" in made else np.nan,
            "loss": made.get("loss", np.nan),
            "before": made.get("before", np.nan),
            "after": made.get("after", np.nan),
            "failed": failed,
            "passed": int(np.sum(passed)),
            "checks": len(checks),
        },
        table={
            "check": [name for name, *_ in checks],
            "value": [value for _, value, _, _ in checks],
            "sense": [kind for *_, kind in checks],
            "bound": [bound for _, _, bound, _ in checks],
            "verdict": ["passed" if fine else "failed" for fine in passed],
        },
        texts={"responses": _responses(rollout, rewards, advantages)},
        case=stage if not end else "healthy" if not failed else "empty" if controls["fault"] == "none" else "caught",
    )
