"""A lab's state as a notebook: gathers the lab's words and files for `colab.notebook`. Loaded only when asked for."""

import json
import re
from typing import Any

from colab.export import folder
from colab.export.cluster import CATALOGUE, LAB, adopted
from colab.export.folder import archive
from colab.notebook import Form, build, span, to_json
from colab.practicum.export import notebook as model_notebook
from pycore.control import Control, Value, write
from pycore.domain import option
from pycore.scenario import Scenario
from web.labs import engine
from web.labs.texts import LANGUAGES

CELLS = ("intro", "unpack", "answer", "figures")
FIGURE = """
# %% [markdown]
# ### {{{{lab.figures.{name}.title}}}}
#
# {{{{lab.figures.{name}.alt}}}}.

# %%
draw_figure("{name}")
"""
CLASS = re.compile(r"\\htmlClass\{[^{}]*\}")


def notebook(lab: str, language: str, query: str, sources: str) -> str:
    """The text of the notebook file.

    Args:
        lab: name of the lab.
        language: `ru` or `en`.
        query: the permalink's query, as `Scenario.to_query` writes it.
        sources: JSON of path to text: everything that a notebook may carry.

    Raises:
        DomainError: an unknown lab or language.
        ScenarioError: a query that is not a state of this lab.
    """
    option("language", language, LANGUAGES)
    controls = engine.lab_of(lab).controls
    scenario = Scenario.from_query(query, catalogue={lab: controls}, lab=lab)
    files: dict[str, str] = json.loads(sources)
    words, shared = engine.words(lab, language), engine.site_words(language)["notebook"]
    values = engine.values_of(scenario, lab)
    labels = {control.name: _label(words, control) for control in controls}
    component = engine.lab_of(lab).component
    # A binary file stays behind: what a lab reads only to be quicker.
    parts = [path for path in engine.lab_of(lab).files if path in files]
    parts += [f"web/{component}/{language}.toml"] if component else []
    address = "?" + scenario.to_query(with_lab=False, with_seed="seed" in values)
    text = {
        "lab": words | {"formula": CLASS.sub("", words["formula"])},
        "scenario": {
            "address": span(f"labs/{lab}/{address}"),
            "table": _table(words, controls, values, shared),
            "tries": "\n".join(
                f"- {words['presets'][name]['text']} {span(engine.query_of(lab, state))}"
                for name, state in engine.lab_of(lab).presets.items()
            ),
        },
    }
    made = build(
        scenario,
        language=language,
        cells=[
            *(files[f"colab/cells/{name}.py"] for name in CELLS),
            *(FIGURE.format(name=name) for name in engine.lab_of(lab).figures),
            files["colab/cells/onward.py"],
        ],
        sources=files,
        controls=controls,
        form=Form(shared["form"], labels, shared["code"]),
        text=text,
        roots=[f"web.labs.{lab}.lab"],
        data=[*parts, f"web/labs/{lab}/{language}.toml", f"web/labs/{language}.toml", "web/shell/palette.toml"],
    )
    return to_json(made)


def practicum(lab: str, language: str, query: str, sources: str) -> str:
    """The practicum's notebook for a scenario: the path to a language model, with what the lab's state says of it.

    Args:
        lab: `train`, or `practicum` for a state of the notebook's own fields.
        language: `ru` or `en`.
        query: the permalink's query.
        sources: JSON of path to text: everything that a notebook may carry.

    Raises:
        DomainError: an unknown language.
        ScenarioError: a query that is not a state of either.
    """
    return model_notebook(language, f"lab={lab}&{query.lstrip('?')}", json.loads(sources))


def cluster(engine: str, query: str, sources: str) -> bytes:
    """A zip of the folder that runs a scenario on several cards; what the engine has fixed is taken over and listed.

    Args:
        engine: `trl` or `verl`.
        query: a state of `colab.export.cluster.CONTROLS` or, with `lab=train` in it, of that lab, as
            `Scenario.to_query` writes it; empty for the defaults.
        sources: JSON of path to text: everything that may travel.

    Raises:
        DomainError: an unknown engine, or sizes that do not divide.
        ScenarioError: a query that is not a state of it.
        UnmappedError: a protocol that the engine cannot compute.
    """
    given = Scenario.from_query(query) if "lab=train" in query.split("&") else None
    scenario = adopted(given) if given else Scenario.from_query(query, catalogue=CATALOGUE, lab=LAB)
    return archive(folder.build(engine, scenario, json.loads(sources), adopted=True), f"rlvr-{engine}")


def _label(words: dict[str, Any], control: Control) -> str:
    symbol = getattr(control, "symbol", "")
    label = str(words["controls"][control.name]["label"])
    return f"{label} {symbol}" if symbol else label


def _table(
    words: dict[str, Any], controls: tuple[Control, ...], values: dict[str, Value], shared: dict[str, str]
) -> str:
    """The state as a Markdown table: label, name in code, value, what the control means."""
    lines = [f"| {shared['control']} | {shared['name']} | {shared['value']} | {shared['help']} |", "|---|---|---|---|"]
    for control in controls:
        text, value = words["controls"][control.name], write(values[control.name])
        option = text.get("options", {}).get(value)
        shown = f"{option} ({span(value)})" if option else span(value)
        lines.append(
            f"| {_label(words, control)} | {span(control.name)} | {shown} | {text['help']} |".replace("|A|", r"\|A\|")
        )
    return "\n".join(lines)
