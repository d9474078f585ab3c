"""Settings of a lab to play: its opening, its presets, every control at its bounds, and random ones."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from pycore.control import Choice, Control, Number, Numbers, Switch, Text
from pycore.rows import Column, Rows
from web.labs.contract import Lab

Setting = dict[str, Any]


def defaults(lab: Lab) -> Setting:
    """The lab as it opens."""
    return {control.name: control.default for control in lab.controls}


def telling(lab: Lab) -> Iterator[Setting]:
    """The opening, the presets, the question's state, and each control at each of its bounds or options."""
    opening = defaults(lab)
    yield opening
    for state in (*lab.presets.values(), lab.predict.state):
        yield {**opening, **state}
    for control in lab.controls:
        for value in bounds(control):
            yield {**opening, **needed(lab, control.name), control.name: value}


def needed(lab: Lab, name: str) -> Setting:
    """What the other controls must be for this one to matter."""
    return {other: values[0] for other, values in lab.when.get(name, {}).items()}


def bounds(control: Control) -> tuple[Any, ...]:
    """The values at which a control is most likely to break something."""
    if isinstance(control, Number):
        ends = (control.low, control.high)
        return tuple(map(int, ends)) if control.integer else tuple(map(float, ends))
    if isinstance(control, Choice):
        return control.options
    if isinstance(control, Switch):
        return (False, True)
    if isinstance(control, Numbers):
        sizes, values = (control.fewest, control.most), {float(control.low), float(control.high)}
        return tuple((value,) * size for size in sizes for value in values)
    if isinstance(control, Text):
        return ("", "x" * control.longest)
    assert isinstance(control, Rows)
    ends = [[cells(column)[end] for column in control.columns] for end in (0, -1)]
    sizes = (control.fewest, min(control.most, 12))
    return tuple((tuple(row),) * size for row in ends for size in sizes)


def cells(column: Column) -> tuple[Any, ...]:
    if column.options:
        return column.options
    low, high = max(column.low, -1e6), min(column.high, 1e6)
    return (int(low), int(high)) if column.integer else (float(low), float(high))


def drawn(control: Control, rng: np.random.Generator) -> Any:
    """A random allowed value, the ends among them."""
    if isinstance(control, Number):
        if rng.random() < 0.3:
            return control.check([control.low, control.high, control.default][rng.integers(3)])
        value = rng.uniform(control.low, control.high)
        if control.logarithmic:
            value = float(np.exp(rng.uniform(np.log(control.low), np.log(control.high))))
        return int(value) if control.integer else float(value)
    if isinstance(control, Choice):
        return str(rng.choice(control.options))
    if isinstance(control, Switch):
        return bool(rng.integers(2))
    if isinstance(control, Numbers):
        size, kind = int(rng.integers(control.fewest, control.most + 1)), rng.integers(3)
        if kind == 0:
            return tuple([float(np.clip(rng.integers(-1, 2), control.low, control.high))] * size)
        ends = rng.choice([max(control.low, 0), min(control.high, 1)], size)
        return tuple(map(float, ends if kind == 1 else rng.uniform(control.low, control.high, size)))
    if isinstance(control, Text):
        words = ("", control.default, "\\boxed{7", "1e999", "½ & <b>", "x = 42 км", "\u202e24")
        return words[rng.integers(len(words))][: control.longest]
    assert isinstance(control, Rows)
    size = int(rng.integers(control.fewest, min(control.most, 12) + 1))
    rows = [[cell(column, rng) for column in control.columns] for _ in range(size)]
    if control.group:  # groups of one size: pairs where that goes, else a single group
        place = [column.name for column in control.columns].index(control.group)
        for index, row in enumerate(rows):
            row[place] = 1 + index // (2 if size % 2 == 0 else size)
    return tuple(map(tuple, rows))


def cell(column: Column, rng: np.random.Generator) -> Any:
    choices = cells(column)
    if column.options or rng.random() < 0.3:
        return choices[rng.integers(len(choices))]
    value = rng.uniform(*choices)
    return int(value) if column.integer else float(value)


def settings(lab: Lab, count: int, seed: int) -> Iterator[Setting]:
    """`telling` ones and then `count` random ones."""
    rng = np.random.default_rng(seed)
    yield from telling(lab)
    for _ in range(count):
        yield {control.name: drawn(control, rng) for control in lab.controls}
