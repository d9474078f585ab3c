"""The practicum's notebook from a scenario of its own or of the lab `train`; pure Python, the same bytes everywhere."""

import tomllib
from collections.abc import Mapping
from typing import Any

from colab.notebook import Form, build, span, to_json
from colab.practicum.controls import CONTROLS, LAB, PRESETS, adopted
from pycore.control import write
from pycore.domain import option
from pycore.scenario import SEED, Scenario

CELLS = (
    "practicum/intro",
    "practicum/preflight",
    "unpack",
    "practicum/scenario",
    "practicum/rewards",
    "practicum/training",
    "practicum/after",
)
CATALOGUE = {LAB: CONTROLS}


def scenario_of(query: str) -> Scenario:
    """The practicum's scenario behind a query; one of the lab `train` brings along what both know.

    Raises:
        ScenarioError: a query that is no state of either.

    >>> found = scenario_of("lab=train&G=4&prompts=48&seed=2")
    >>> found.lab, found.controls["G"], found.seed
    ('practicum', 4, 2)
    """
    given = Scenario.from_query(query) if query else Scenario(LAB)
    if given.lab != LAB:
        given = adopted(given)[0]
    return Scenario.from_query(given.to_query(), catalogue=CATALOGUE)


def preset_query(name: str) -> str:
    """The query of a hosted preset.

    >>> preset_query("groups")
    'lab=practicum&compare=group&G=16&seed=0'
    """
    return Scenario(LAB, PRESETS[str(option("preset", name, PRESETS))]).to_query()


def notebook(language: str, query: str, sources: Mapping[str, str]) -> str:
    """The text of the notebook file.

    Args:
        language: `ru` or `en`.
        query: of the practicum or of the lab `train`; empty for the practicum as it opens.
        sources: path to text of everything that a notebook may carry.

    Raises:
        ScenarioError: a query that is no state of either.
        DomainError: an unknown language.
    """
    words = tomllib.loads(sources[f"colab/practicum/{option('language', language, ('ru', 'en'))}.toml"])
    scenario = scenario_of(query)
    complete = {**scenario.complete(CATALOGUE).controls, SEED.name: scenario.seed}
    text = {
        "scenario": {
            "address": span(f"?{scenario.to_query()}"),
            "table": _table(words, complete),
        }
    }
    made = build(
        scenario,
        language=language,
        cells=[sources[f"colab/cells/{name}.py"] for name in CELLS],
        sources=sources,
        controls=CONTROLS,
        form=Form(words["form"], {name: label for name, (label, _) in words["controls"].items()}, words["code"]),
        text=text,
        data=["web/shell/palette.toml", *(path for path in sources if path.startswith("pycore/verify/suites/"))],
        gpu="T4",
    )
    return to_json(made)


def _table(words: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """What the notebook was saved with, a row for each field."""
    lines = [f"| {words['label']} | {words['name']} | {words['value']} | {words['help']} |", "|---|---|---|---|"]
    for control in CONTROLS:
        label, meaning = words["controls"][control.name]
        lines.append(f"| {label} | {span(control.name)} | {span(write(values[control.name]))} | {meaning} |")
    return "\n".join(lines)
