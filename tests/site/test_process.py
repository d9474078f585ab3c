"""Oracle: the list of frames that a generator yields, taken by hand. A process shows them whatever the slices are."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from pycore.domain import DomainError
from web import labs
from web.labs import engine, stream
from web.labs.frame import Frame
from web.labs.process import Process, Run, Stopped, still

RATIOS = (0.5, 1.0, 1.5, 2.0)
CLIP = labs.load("clip")


def frames(controls: Mapping[str, Any]) -> Iterator[Frame | float]:
    """The lab `clip` with its ratio moving, and word of its progress before each frame."""
    if controls["low"] > 0.9:
        raise DomainError("low", controls["low"], "0..0.9")
    for done, ratio in enumerate(RATIOS):
        yield done / len(RATIOS)
        yield CLIP.frame({**controls, "ratio": ratio})


@pytest.fixture(autouse=True)
def process(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = replace(CLIP, compute=frames, process=Process(still=3))
    monkeypatch.setattr(engine, "lab_of", lambda name: lab)


def ratio(frame: Frame | None) -> Any:
    assert frame is not None
    return frame.values["ratio"]


def begun() -> Run:
    return Run(frames({control.name: control.default for control in CLIP.controls}))


@pytest.mark.parametrize("slices", [[1, 1, 1, 1], [4], [3, 9], [1, 2, 1]])
def test_however_it_is_cut_a_process_comes_to_the_same_end(slices: list[int]) -> None:
    run = begun()
    for part in slices:
        run.advance(part)
    assert (run.frames, ratio(run.frame)) == (4, 2.0)
    run.advance(1)
    assert run.ended


def test_a_slice_ends_when_its_time_is_over() -> None:
    run = begun()
    run.advance(100, 1.0, clock=map(float, count()).__next__)
    assert (run.frames, run.share) == (0, 0.0)
    run.advance(100, 2.0, clock=map(float, count()).__next__)
    assert (run.frames, run.share) == (1, 0.25)


def test_nothing_runs_at_build_time_beyond_the_frame_that_tells_most() -> None:
    values = {control.name: control.default for control in CLIP.controls}
    assert ratio(engine.lab_of("clip").frame(values)) == 1.5
    assert ratio(engine.lab_of("clip").frame(values, end=True)) == 2.0
    assert ratio(still(Process(), frames(values))) == 2.0
    written = engine.respond("clip", "en", values)
    assert "1.5" in written["summary"]


def test_a_process_without_a_frame_says_so() -> None:
    with pytest.raises(DomainError, match="at least one frame"):
        still(Process(), iter([0.5]))


def test_a_share_outside_of_the_whole_is_refused() -> None:
    with pytest.raises(DomainError, match="share"):
        Run(iter([1.5])).advance(1)


def test_a_process_that_is_stopped_may_still_say_how_it_ended() -> None:
    def stoppable() -> Iterator[Frame | float]:
        try:
            yield from frames({control.name: control.default for control in CLIP.controls})
        except Stopped:
            yield CLIP.frame({control.name: control.default for control in CLIP.controls} | {"ratio": 0.25})

    run = Run(stoppable())
    run.advance(2)
    run.stop()
    assert (ratio(run.frame), run.ended) == (0.25, False)
    run.advance(1)
    assert run.ended
    plain = begun()
    plain.advance(2)
    plain.stop()
    assert (ratio(plain.frame), plain.ended) == (1.0, True)


def test_the_worker_gets_the_state_at_once_and_the_words_with_each_frame() -> None:
    made = stream.opened("clip", "en", "size=2&nonsense=1")
    assert made.reply["controls"]["size"] == 2
    assert "size=2" in made.reply["query"]
    assert len(made.reply["problems"]) == 1
    assert made.shown() is None
    assert made.still == 3
    told = made.advance(2, 1e9)
    assert told == {"frames": 2, "share": 0.25, "ended": False, "fault": ""}
    by_hand = engine.show("clip", "en", CLIP.frame({**made.reply["controls"], "ratio": 1.0}), made.state)
    assert made.shown()["summary"] == by_hand["summary"]  # type: ignore[index]


def test_a_value_that_is_refused_on_the_way_ends_the_process_with_a_sentence() -> None:
    values = {control.name: control.default for control in CLIP.controls}
    made = stream.started("clip", "en", {**values, "low": 0.95})
    assert made.reply["fault"] == ""
    told = made.advance(1, 1e9)
    assert told["ended"]
    assert "0..0.9" in told["fault"]
    assert math.isnan(told["share"])


def test_a_wrong_control_starts_nothing() -> None:
    values = {control.name: control.default for control in CLIP.controls}
    made = stream.started("clip", "en", {**values, "low": 7})
    assert set(made.reply) == {"fault", "field"}
    assert made.advance(1, 1e9)["ended"]


def test_a_lab_that_yields_says_that_it_is_a_process() -> None:
    for name in labs.names():
        lab = labs.load(name)
        values = {control.name: control.default for control in lab.controls}
        assert (lab.process is None) == isinstance(lab.compute(values), Frame), name
