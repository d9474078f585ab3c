"""The controls of every lab: Panel components around native inputs, so that keyboards and screen readers know them.

Each component is one ES module, appended to `parts.js` (label, help, reset, message), which all of them share. They are
serialised with the lab's document at build time and need no Python afterwards.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from pycore.control import Choice, Control, Number, Numbers, Switch, Text
from pycore.rows import Rows

HERE = Path(__file__).parent
STYLE = (HERE / "control.css").read_text(encoding="utf-8")


def _module(name: str) -> str:
    return "\n".join((HERE / f"{part}.js").read_text(encoding="utf-8") for part in ("parts", name))


class Labelled(JSComponent):
    """What all controls have: a label, the value to return to, help, and the words of the interface."""

    label = param.String()
    help = param.String()
    words = param.Dict()
    language = param.String()
    role = param.String()
    locked = param.Boolean(doc="a teacher's address keeps the value where it is")
    problem = param.String(doc="what Python has against the value")

    _stylesheets: ClassVar[list[str]] = [STYLE]
    __abstract = True


class NumberControl(Labelled):
    """A slider and a field for one number."""

    value = param.Number()
    initial = param.Number()
    low = param.Number()
    high = param.Number()
    step = param.Number()
    integer = param.Boolean()
    logarithmic = param.Boolean()
    slider = param.Boolean()
    symbol = param.String()
    unit = param.String()

    _esm = _module("number")


class ChoiceControl(Labelled):
    """A list of named options."""

    value = param.String()
    initial = param.String()
    options = param.Dict()

    _esm = _module("choice")


class SwitchControl(Labelled):
    """On or off."""

    value = param.Boolean()
    initial = param.Boolean()

    _esm = _module("switch")


class NumbersControl(Labelled):
    """A short list of numbers: one field each, add and remove, paste a list."""

    value = param.List()
    initial = param.List()
    low = param.Number()
    high = param.Number()
    fewest = param.Integer()
    most = param.Integer()

    _esm = _module("numbers")


class RowsControl(Labelled):
    """The learner's own data, JSON or CSV in a text area; it goes to Python as text and comes back as rows."""

    value = param.Parameter()
    initial = param.List()
    columns = param.List()
    fewest = param.Integer()
    most = param.Integer()

    _esm = _module("rows")


class TextControl(Labelled):
    """A short text of the learner's own."""

    value = param.String()
    initial = param.String()
    longest = param.Integer()

    _esm = _module("text")


def widget(control: Control, text: Mapping[str, Any], words: Mapping[str, str], language: str) -> Labelled:
    """The component for a control.

    Args:
        control: from a lab's CONTROLS.
        text: the lab's words for it: `label`, `help`, and `options` for a choice.
        words: the interface's own words, the same in all labs.
        language: `ru` or `en`.
    """
    shared: dict[str, Any] = {
        "label": text["label"],
        "help": text["help"],
        "words": dict(words),
        "language": language,
        "role": getattr(control, "role", ""),
    }
    if isinstance(control, Number):
        return NumberControl(
            value=control.default,
            initial=control.default,
            low=control.low,
            high=control.high,
            step=control.step,
            integer=control.integer,
            logarithmic=control.logarithmic,
            slider=control.slider,
            symbol=control.symbol,
            unit=text.get("unit", control.unit),
            **shared,
        )
    if isinstance(control, Choice):
        options = {option: text["options"][option] for option in control.options}
        return ChoiceControl(value=control.default, initial=control.default, options=options, **shared)
    if isinstance(control, Switch):
        return SwitchControl(value=control.default, initial=control.default, **shared)
    if isinstance(control, Numbers):
        values = list(control.default)
        bounds = {"low": control.low, "high": control.high, "fewest": control.fewest, "most": control.most}
        return NumbersControl(value=values, initial=values, **bounds, **shared)
    if isinstance(control, Rows):
        rows = [list(row) for row in control.default]
        names = [column.name for column in control.columns]
        return RowsControl(value=rows, initial=rows, columns=names, fewest=control.fewest, most=control.most, **shared)
    if isinstance(control, Text):
        return TextControl(value=control.default, initial=control.default, longest=control.longest, **shared)
    raise TypeError(f"no component for {type(control).__name__}")
