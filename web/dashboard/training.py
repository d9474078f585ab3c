"""A training run as a process of frames: the run of `pycore.train`, its journal on the desk, the board as it grows."""

from collections.abc import Iterator

from pycore.journal import Header
from pycore.train import Checkpoint, Part, Progress, Recipe, Record, run
from pycore.train.passports import passports
from web.dashboard.board import Run
from web.dashboard.desk import DESK, RECORDED, Live, recorded
from web.dashboard.show import frame
from web.labs.frame import Frame
from web.labs.process import Stopped, Yielded

# The base of this seed comes with the course: others are warmed up first.
BASES = {0: RECORDED / "base-0.bin"}
SHARE_OF_WARMTH = 0.25


def training(recipe: Recipe, reference: str, title: str) -> Iterator[Yielded]:
    """Trains; a frame after every update and evaluation, made only when somebody looks.

    Args:
        recipe: of the run.
        reference: the recorded run to compare with, "" for none.
        title: of the journal.

    Yields:
        A frame before anything is trained, then shares done and frames.
    """
    live = DESK.begin(recipe, Header(title, recipe.to_dict(), passports(recipe), {}))
    state = {"case": "ready"}

    def look() -> Frame:
        return _frame(live, reference, state["case"])

    if live.journal.finished:
        state["case"] = "ended"
        yield look
        return
    yield look
    state["case"] = "running"
    try:
        yield from _train(recipe, live, look)
        state["case"] = "ended"
    except Stopped:
        live.records.append(Record("end", _update(live), detail={"reason": "stopped"}))
        state["case"] = "ended"
    yield look


def _train(recipe: Recipe, live: Live, look: Yielded) -> Iterator[Yielded]:
    path = BASES.get(recipe.seed)
    base = path.read_bytes() if path is not None and _fits(recipe) and path.exists() else None
    warm = SHARE_OF_WARMTH if base is None and not live.checkpoint else 0.0
    done = 0.0
    for step in run(recipe, checkpoint=live.checkpoint or None, base=base):
        if isinstance(step, Record):
            live.records.append(step)
            yield look
        elif isinstance(step, Checkpoint):
            live.checkpoint, live.checkpoint_update = step.data, step.update
        elif isinstance(step, Part):
            yield done
        elif isinstance(step, Progress):
            begun = step.stage == "warm_start"
            trained = _update(live) / max(recipe.updates, 1)
            done = min(1.0, step.done / step.total * warm if begun else warm + (1 - warm) * trained)
            yield done


def _fits(recipe: Recipe) -> bool:
    """Whether the recorded base is this recipe's: everything that shapes it stands at its default."""
    plain = Recipe(seed=recipe.seed)
    return (recipe.network, recipe.warm_start) == (plain.network, plain.warm_start)


def _update(live: Live) -> int:
    return live.records[-1].update if live.records else 0


def _frame(live: Live, reference: str, case: str) -> Frame:
    mine = Run(live.header.title, live.journal, "live", memo=live.memo)
    other = recorded(reference) if reference else None
    updates = live.journal.of("update")
    values = {
        "update": float(_update(live)),
        "updates": float(live.recipe.updates),
        "reward": updates[-1].metrics["reward"] if updates else float("nan"),
        "empty": 1 - updates[-1].metrics["informative"] if updates else float("nan"),
    }
    return frame(DESK.beside([mine, *([other] if other is not None else [])]), case=case, values=values)
