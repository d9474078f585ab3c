"""From a scenario to everything a page shows: the same call fills the prerendered page and answers every change."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from pycore.control import Value
from pycore.domain import DomainError
from pycore.scenario import Scenario, ScenarioError
from web import labs
from web.labs.frame import Frame
from web.labs.texts import Writer, load


@cache
def words(lab: str, language: str) -> dict[str, Any]:
    """The lab's words in one language."""
    return load(labs.HERE / lab, language)


@cache
def site_words(language: str) -> dict[str, Any]:
    """The words that all labs share."""
    return load(labs.HERE, language)


@cache
def lab_of(name: str) -> labs.Lab:
    """The lab by its name."""
    return labs.load(name)


def answer(lab: str, language: str, query: str) -> dict[str, Any]:
    """Opens a lab from an address: the nearest valid state, and what was wrong with the address if anything.

    Returns:
        what `respond` returns, plus `controls` (name to value) and `problems` (sentences, empty when all is well).
    """
    state, problems = state_of(lab, language, query)
    return {**respond(lab, language, state), "problems": problems}


def state_of(lab: str, language: str, query: str) -> tuple[dict[str, Value], list[str]]:
    """The control values of an address or the nearest valid ones, and sentences about what was wrong."""
    catalogue = {lab: lab_of(lab).controls}
    problems: list[str] = []
    try:
        scenario = Scenario.from_query(query, catalogue=catalogue, lab=lab)
    except ScenarioError as error:
        scenario = error.nearest
        templates = site_words(language)["problems"]
        problems = [
            templates[p.kind].format(field=_label(lab, language, p.field), value=p.value, allowed=p.allowed)
            for p in error.problems
        ]
    return values_of(scenario, lab), problems


def values_of(scenario: Scenario, lab: str) -> dict[str, Value]:
    """Every control's value; the seed counts as one where the lab shows it."""
    complete: dict[str, Value] = {**scenario.complete({lab: lab_of(lab).controls}).controls, "seed": scenario.seed}
    return {control.name: complete[control.name] for control in lab_of(lab).controls}


def scenario_of(lab: str, values: Mapping[str, Any]) -> Scenario:
    """The scenario of a set of control values; each is checked against its bounds.

    Raises:
        DomainError: names the control, the value and what is allowed.
    """
    checked = {control.name: control.check(values[control.name]) for control in lab_of(lab).controls}
    seed = checked.pop("seed", 0)
    return Scenario(lab, checked, int(seed))  # type: ignore[arg-type]


def respond(lab: str, language: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Computes a lab and writes out everything a page shows of it.

    Returns:
        `sources` (columns as arrays or lists of text), `summary`, `readouts`, `table` (rows of text), `controls`,
        `query` (the permalink) and `fault` (a sentence when the lab could not be computed, else empty).
    """
    try:
        scenario = scenario_of(lab, values)
        state = values_of(scenario, lab)
        shown = show(lab, language, lab_of(lab).frame(state))
    except DomainError as error:
        return {"fault": fault(lab, language, error)}
    query = scenario.to_query(with_lab=False, with_seed="seed" in state)
    return {**shown, "controls": state, "query": query, "fault": ""}


def fault(lab: str, language: str, error: DomainError) -> str:
    """The sentence that names a wrong value and what is allowed."""
    template: str = site_words(language)["problems"]["out_of_range"]
    return template.format(
        field=_label(lab, language, error.argument), value=str(error.value)[:60], allowed=error.allowed
    )


def show(lab: str, language: str, frame: Frame) -> dict[str, Any]:
    """A frame in words and columns: numbers in the language's spelling, labels filled into their sources."""
    text = words(lab, language)
    writer = Writer(language, text.get("names", {}))
    values = dict(frame.values)
    sources = {
        name: {key: _column(column) for key, column in columns.items()} for name, columns in frame.sources.items()
    }
    for name, template in text.get("labels", {}).items():
        columns = frame.sources[name]
        rows = zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True)
        sources[name]["text"] = [
            writer.format(template, **{**values, **dict(zip(columns, row, strict=True))}) for row in rows
        ]
    columns = text["table"]["columns"]
    rows = zip(*(np.asarray(frame.table[key]).tolist() for key in columns), strict=True)
    cells = [column["cell"] for column in columns.values()]
    return {
        "sources": sources,
        "summary": writer.format(text["summary"][frame.case], **values),
        "readouts": [writer.format(readout["value"], **values) for readout in text["readouts"].values()],
        "table": [[writer.format(cell, value) for cell, value in zip(cells, row, strict=True)] for row in rows],
    }


def _column(column: Any) -> Any:
    array = np.asarray(column)
    if array.dtype.kind in "US":
        return array.tolist()
    return np.ascontiguousarray(array, dtype=np.float64)


def _label(lab: str, language: str, field: str) -> str:
    control = words(lab, language)["controls"].get(field)
    return f"«{control['label']}» ({field})" if control else field
