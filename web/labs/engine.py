"""From a scenario to everything a page shows: the same call fills the prerendered page and answers every change."""

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any
from urllib.parse import unquote

import numpy as np

from pycore.control import Value
from pycore.domain import DomainError
from pycore.scenario import Problem, Scenario, ScenarioError
from web import labs
from web.labs import refusal
from web.labs.contract import Lab, State
from web.labs.figure import ends
from web.labs.frame import Frame
from web.labs.texts import Writer, load

MOST_TOLD = 5  # remarks on one address


@cache
def words(lab: str, language: str) -> dict[str, Any]:
    """The lab's words in one language, those of its component among them."""
    text = load(labs.HERE / lab, language)
    component = lab_of(lab).component
    if not component:
        return text
    shared = load(labs.HERE.parent / component, language)
    return {**shared, **text, "names": shared.get("names", {}) | text.get("names", {})}


@cache
def site_words(language: str) -> dict[str, Any]:
    """The words that all labs share."""
    return load(labs.HERE, language)


def lab_of(name: str) -> Lab:
    """The lab by its name."""
    return labs.load(name)


def frame(lab: str, **values: Value) -> Frame:
    """The lab's Frame at its defaults but for these controls: what a test asks.

    Raises:
        DomainError: a control that the lab does not have, or a value out of its bounds.
    """
    defaults = {control.name: control.default for control in lab_of(lab).controls}
    for name in values:
        if name not in defaults:
            raise DomainError("control", name, ", ".join(defaults))
    return lab_of(lab).frame(values_of(scenario_of(lab, {**defaults, **values}), lab))


def files(lab: str) -> list[str]:
    """Files of the repository that the lab reads."""
    return list(lab_of(lab).files)


def answer(lab: str, language: str, query: str) -> dict[str, Any]:
    """Opens a lab from an address: the nearest valid state, and what was wrong with the address if anything.

    Returns:
        what `respond` returns, plus `problems` (sentences, empty when all is well) and `teacher`: what `hide` and
        `lock` of the address name, as the page must go on writing it into every link.
    """
    state, problems, teacher = state_of(lab, language, query)
    return {**respond(lab, language, state), "problems": problems, "teacher": teacher}


def state_of(lab: str, language: str, query: str) -> tuple[dict[str, Value], list[str], dict[str, list[str]]]:
    """The control values of an address or the nearest valid ones, sentences on what was wrong, the teacher's wishes."""
    controls = lab_of(lab).controls
    query, teacher, strange = _teacher(query, [control.name for control in controls])
    try:
        scenario, problems = Scenario.from_query(query, catalogue={lab: controls}, lab=lab), strange
    except ScenarioError as error:
        scenario, problems = error.nearest, (*error.problems, *strange)
    templates = site_words(language)["problems"]
    # A broken address may hold thousands of faults, and the same one many times: nobody reads that on a phone.
    told = list(dict.fromkeys(problems))
    said = [
        templates[p.kind].format(
            field=_label(lab, language, p.field), value=p.value, allowed=refusal.said(p.allowed, language)
        )
        for p in told[:MOST_TOLD]
    ]
    said += [templates["several"].format(count=len(told) - MOST_TOLD)] if len(told) > MOST_TOLD else []
    return values_of(scenario, lab), said, teacher


def _teacher(query: str, known: Sequence[str]) -> tuple[str, dict[str, list[str]], tuple[Problem, ...]]:
    """Parts a query into the state, the names under `hide` and `lock`, and what is wrong with those."""
    found: dict[str, list[str]] = {"hide": [], "lock": []}
    strange, kept = [], []
    for pair in query.lstrip("?").split("&"):
        key, _, value = pair.partition("=")
        key = unquote(key)
        if key not in found:
            kept.append(pair)
            continue
        for name in unquote(value).split(",")[: len(known) + 1]:
            if name in known and name not in found[key]:
                found[key].append(name)
            elif name not in known:
                strange.append(Problem("unknown_control", f"{key}={name[:40]}", name[:40], ", ".join(known)))
    return "&".join(kept), found, tuple(strange)


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


def query_of(lab: str, state: State) -> str:
    """The query of a preset: only what differs from the defaults, a seed among it."""
    pairs = {control.name: state[control.name] for control in lab_of(lab).controls if control.name in state}
    return Scenario(lab, pairs).to_query(with_lab=False, with_seed=False)


def respond(lab: str, language: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Computes a lab and writes out everything a page shows of it.

    Returns:
        `sources` (columns as arrays or lists of text), `summary`, `substituted`, `readouts`, `table` (rows of text),
        `texts`, `controls`, `query` (the permalink) and `fault` (a sentence when the lab could not be computed, else
        empty), with `field`, the control to blame.
    """
    try:
        scenario = scenario_of(lab, values)
        state = values_of(scenario, lab)
        shown = show(lab, language, lab_of(lab).frame(state), state)
    except DomainError as error:
        return {"fault": fault(lab, language, error), "field": error.argument}
    query = scenario.to_query(with_lab=False, with_seed="seed" in state)
    return {**shown, "controls": state, "query": query, "fault": ""}


def fault(lab: str, language: str, error: DomainError) -> str:
    """The sentence that names a wrong value, its entry where it stands in a learner's own data, and what is allowed."""
    return refusal.sentence(error, language, _label(lab, language, error.argument))


def show(lab: str, language: str, frame: Frame, state: State) -> dict[str, Any]:
    """A frame in words and columns: numbers in the language's spelling, labels filled into their sources."""
    text = words(lab, language)
    writer = Writer(language, text.get("names", {}))
    values = quotable(frame, state)
    sources = {
        name: {key: _column(column) for key, column in columns.items()} for name, columns in frame.sources.items()
    }
    for name, template in text.get("labels", {}).items():
        columns = frame.sources[name]
        rows = zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True)
        sources[name]["text"] = [
            writer.format(template, **{**values, **dict(zip(columns, row, strict=True))}) for row in rows
        ]
    for name, figure in lab_of(lab).figures.items():
        sources |= ends(name, figure, sources, text)
    columns = text["table"]["columns"]
    rows = zip(*(np.asarray(frame.rows[key]).tolist() for key in columns), strict=True)
    cells = [column["cell"] for column in columns.values()]
    extra = {"extra": json.dumps(frame.extra(writer), ensure_ascii=False)} if frame.extra else {}
    return extra | {
        "sources": sources,
        "summary": writer.format(text["summary"][frame.case], **values),
        "substituted": writer.format(text["substituted"], **values),
        "readouts": [writer.format(readout["value"], **values) for readout in text["readouts"].values()],
        "table": [[_cell(lab, language, cell, value) for cell, value in zip(cells, row, strict=True)] for row in rows],
        "texts": [
            content if isinstance(content := frame.texts[name], str) else content[language]
            for name in text.get("texts", {})
        ],
        "onward": {
            name: Scenario(name, dict(state)).to_query(with_lab=False, with_seed=False)
            for name, state in frame.onward.items()
        },
    }


@lru_cache(maxsize=8192)
def _cell(lab: str, language: str, template: str, value: Any) -> str:
    """A cell's text; most cells of a table stay as they were from one frame of a process to the next."""
    return Writer(language, words(lab, language).get("names", {})).format(template, value)


def quotable(frame: Frame, state: State) -> dict[str, Any]:
    """What a template may quote: the controls' values and the frame's own."""
    return {**{name: value for name, value in state.items() if not isinstance(value, tuple)}, **frame.values}


def reveal(lab: str, language: str) -> str:
    """The answer to the lab's question, with the numbers of the state that shows it."""
    text, defaults = words(lab, language), {control.name: control.default for control in lab_of(lab).controls}
    state = values_of(scenario_of(lab, {**defaults, **lab_of(lab).predict.state}), lab)
    writer = Writer(language, text.get("names", {}))
    return writer.format(text["predict"]["reveal"], **quotable(lab_of(lab).frame(state), state))


def _column(column: Any) -> Any:
    if isinstance(column, list) and column and isinstance(column[0], np.ndarray):
        return [np.ascontiguousarray(line, dtype=np.float64) for line in column]
    array = np.asarray(column)
    if array.dtype.kind in "US":
        return array.tolist()
    return np.ascontiguousarray(array, dtype=np.float64)


def _label(lab: str, language: str, field: str) -> str:
    control = words(lab, language)["controls"].get(field)
    template: str = site_words(language)["problems"]["label"]
    return template.format(label=control["label"], field=field) if control else refusal.said(field, language, "place")
