"""A running process as the browser's worker holds it: advanced a slice at a time, each frame written out in words."""

import math
from collections.abc import Mapping
from typing import Any

from pycore.control import Value
from pycore.domain import DomainError
from web.labs import engine
from web.labs.process import Process, Run


class Stream:
    """A process at some state of the controls.

    Attributes:
        reply: what the page learns at once: `controls`, `query`, `problems`, `fault`.
        fault: a sentence once the process broke down, else empty; the frames before stay valid.
    """

    def __init__(self, lab: str, language: str, state: Mapping[str, Value] | None, reply: Mapping[str, Any]) -> None:
        self.lab, self.language, self.reply = lab, language, dict(reply)
        self.state = state or {}
        self.fault = ""
        self.process = engine.lab_of(lab).process or Process()
        self.run = Run(iter(engine.lab_of(lab).compute(state))) if state is not None else None  # type: ignore[arg-type]

    @property
    def still(self) -> int:
        """Frames to the state that is shown where nothing runs."""
        return self.process.still or 2**31 - 1

    def advance(self, frames: int, seconds: float) -> dict[str, Any]:
        """Works for so long at most, and says how far it got; `shown` has the newest frame's words."""
        return self._do(lambda run: run.advance(int(frames), seconds))

    def stop(self) -> dict[str, Any]:
        """Asks the process to end."""
        return self._do(lambda run: run.stop())

    def shown(self) -> dict[str, Any] | None:
        """The newest frame in words and columns."""
        frame = None if self.run is None else self.run.frame
        return None if frame is None else engine.show(self.lab, self.language, frame, self.state)

    def _do(self, work: Any) -> dict[str, Any]:
        if self.run is None:
            return {"frames": 0, "share": math.nan, "ended": True, "fault": self.fault}
        try:
            work(self.run)
        except DomainError as error:
            self.fault = engine.fault(self.lab, self.language, error)
        return {"frames": self.run.frames, "share": self.run.share, "ended": self.run.ended, "fault": self.fault}


def is_process(lab: str) -> bool:
    """Whether the lab goes on by itself."""
    return engine.lab_of(lab).process is not None


def opened(lab: str, language: str, query: str) -> Stream:
    """The process of an address, not yet begun; the nearest valid one where the address is wrong."""
    state, problems, _ = engine.state_of(lab, language, query)
    return started(lab, language, state, problems)


def started(lab: str, language: str, values: Mapping[str, Any], problems: list[str] | None = None) -> Stream:
    """The process of these control values, not yet begun; without one when a value is wrong."""
    try:
        scenario = engine.scenario_of(lab, values)
    except DomainError as error:
        return Stream(lab, language, None, {"fault": engine.fault(lab, language, error), "field": error.argument})
    state = engine.values_of(scenario, lab)
    query = scenario.to_query(with_lab=False, with_seed="seed" in state)
    return Stream(lab, language, state, {"controls": state, "query": query, "problems": problems or [], "fault": ""})
