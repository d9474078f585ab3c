"""What a lab declares, and what is checked of it before anything is shown."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pycore.control import Control, Value
from pycore.domain import DomainError
from web.labs.figure import Figure
from web.labs.frame import Frame
from web.labs.process import Process, Yielded, still

State = Mapping[str, Value]
SURPRISE = "surprise"  # the preset that every lab has: a state in which intuition fails, and its text says why
RESERVED = ("hide", "lock", "lab", "v")  # what an address says beside the controls


@dataclass(frozen=True)
class Predict:
    """A question whose answer waits until the learner has committed to one.

    Attributes:
        options: names of the answers; their words stand in `[predict.options]`.
        right: the one that holds.
        state: what the lab then shows, as control values that differ from the defaults; `reveal` quotes its values.
    """

    options: tuple[str, ...]
    right: str
    state: State = field(default_factory=dict)


@dataclass(frozen=True)
class Lab:
    """A lab's `lab.py`, read: the constants that it declares by these names in capitals, and its `compute`.

    Attributes:
        name: its folder.
        order: its place in the course: ten times the part plus the step, 15 for 1.5.
        controls: what may be set, in the order of the page.
        compute: from the values of all controls to the Frame, or to the Frames of a process one after another.
        figures: what is drawn, by name.
        presets: two to five states worth seeing, one of them `surprise`; control values that differ from the defaults.
        predict: what the learner is asked first.
        groups: controls under a heading of their own, by the heading's name; the words stand in `[groups]`.
        when: controls that matter in some states only: control -> the other controls' values that it needs.
        fill: a choice that fills in others: its name -> each option's state. Choosing an option sets every control that
            any of the options names, those that this one leaves out to their defaults.
        process: how it is run, if `compute` yields Frames.
        folded: groups that stay folded away until somebody wants them.
        component: a folder of `web` with further parts of the page, and words that several labs share.
        files: of the repository that `compute` reads where they lie; fetched before the lab computes in the browser.
        sweep: a recorded sweep (`python -m pycore sweep`) whose cells open here.
    """

    name: str
    order: int
    controls: tuple[Control, ...]
    compute: Callable[[Mapping[str, Any]], Frame | Iterator[Yielded]]
    figures: Mapping[str, Figure]
    presets: Mapping[str, State]
    predict: Predict
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    when: Mapping[str, Mapping[str, tuple[Value, ...]]] = field(default_factory=dict)
    fill: Mapping[str, Mapping[str, State]] = field(default_factory=dict)
    process: Process | None = None
    folded: tuple[str, ...] = ()
    component: str = ""
    files: tuple[str, ...] = ()
    sweep: str = ""

    def frame(self, values: Mapping[str, Any], *, end: bool = False) -> Frame:
        """What the lab shows at these values; of a process its telling frame, or the last one."""
        found = self.compute(values)
        return found if isinstance(found, Frame) else still(self.process or Process(), iter(found), end=end)

    def __post_init__(self) -> None:
        known = {control.name: control for control in self.controls}
        for name in (*self.when, *(name for group in self.groups.values() for name in group)):
            _among("control", name, known)
        for rule in self.when.values():
            for name, values in rule.items():
                _among("control", name, known)
                for value in values:
                    known[name].check(value)
        filled = [state for options in self.fill.values() for state in options.values()]
        for state in (*self.presets.values(), self.predict.state, *filled):
            for name, value in state.items():
                _among("control", name, known)
                known[name].check(value)
        for name in self.folded:
            _among("group", name, self.groups)
        for name in RESERVED:
            if name in known:
                raise DomainError("control", name, f"a name other than {', '.join(RESERVED)}")
        if SURPRISE not in self.presets or not 2 <= len(self.presets) <= 5:
            raise DomainError(f"{self.name}.PRESETS", tuple(self.presets), f"two to five, {SURPRISE} among them")
        _among("right", self.predict.right, self.predict.options)


def read(name: str) -> Lab:
    """The lab in the folder `name`.

    Raises:
        DomainError: a declaration that does not hold together.
    """
    module = importlib.import_module(f"web.labs.{name}.lab")
    return Lab(
        name=name,
        order=module.ORDER,
        controls=module.CONTROLS,
        compute=module.compute,
        figures=module.FIGURES,
        presets=module.PRESETS,
        predict=module.PREDICT,
        groups=getattr(module, "GROUPS", {}),
        when=getattr(module, "WHEN", {}),
        fill=getattr(module, "FILL", {}),
        process=getattr(module, "PROCESS", None),
        folded=getattr(module, "FOLDED", ()),
        component=getattr(module, "COMPONENT", ""),
        files=getattr(module, "FILES", ()),
        sweep=getattr(module, "SWEEP", ""),
    )


def _among(argument: str, value: str, allowed: Any) -> None:
    if value not in allowed:
        raise DomainError(argument, value, ", ".join(allowed))
