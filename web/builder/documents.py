"""A lab's Bokeh document, made at build time: its controls, its figures and the sources that the page will feed."""

import hashlib
import importlib.metadata
import json
import os
import pickle
import re
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from bokeh.core.json_encoder import serialize_json
from bokeh.document import Document
from bokeh.embed.util import standalone_docs_json_and_render_items
from bokeh.models import ColumnDataSource
from panel.models.esm import ReactiveESM

from web import labs
from web.builder import carry
from web.controls import STYLE, widget
from web.labs import engine
from web.labs.drawing import Key, draw
from web.labs.figure import expanded, words_of

WEB = Path(__file__).parents[1]
IDENTITY = re.compile(r'"id":"p(\d+)"')
State = tuple[str, str, str]  # a lab, a language, a query


class Drawn(NamedTuple):
    """What the page says of a figure before that is drawn: its key, its group among small figures, its height in px."""

    key: tuple[Key, ...]
    group: str
    height: int


class Prerendered(NamedTuple):
    """A lab as the page needs it before any Python runs.

    Attributes:
        document: JSON that BokehJS reads, with the names of its roots in order.
        drawings: the figures by name, for their keys.
        shown: summary, readouts, table and control values at the defaults.
    """

    document: str
    drawings: dict[str, Drawn]
    shown: dict[str, Any]


def prepare(states: Iterable[State], kept: Path) -> dict[State, Prerendered]:
    """Prerenders many states, on all cores; what has been made of the same sources before is taken from `kept`.

    Args:
        states: which; what occurs twice is made once.
        kept: folder that outlives the build.
    """
    kept.mkdir(parents=True, exist_ok=True)
    files = {state: kept / f"{_digest(state)}.pickle" for state in dict.fromkeys(states)}
    missing = [state for state, file in files.items() if not file.exists()]
    if missing:
        with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
            for state, made in zip(missing, pool.map(_apply, missing), strict=True):
                fresh = files[state].with_suffix(f".{os.getpid()}")
                fresh.write_bytes(pickle.dumps(made))
                os.replace(fresh, files[state])
    return {state: pickle.loads(file.read_bytes()) for state, file in files.items()}


def _apply(state: State) -> Prerendered:
    return prerender(*state)


def _digest(state: State) -> str:
    """Tells apart whatever may make a state's document another one."""
    name = state[0]
    inputs = hashlib.sha256("\n".join([*state, _common()]).encode())
    for path, text in carry.application()[f"labs/{name}"].items():
        inputs.update(f"{path}\n{text}".encode())
    for path in labs.load(name).files:
        inputs.update((WEB.parent / path).read_bytes())
    return inputs.hexdigest()[:32]


@cache
def _common() -> str:
    """The same for what every document is made with."""
    inputs = hashlib.sha256()
    drawing = [WEB / "labs" / f"{name}.py" for name in ("drawing", "figure")]
    for path in [Path(__file__), *drawing, *sorted((WEB / "controls").glob("*.*")), WEB / "shell" / "palette.toml"]:
        inputs.update(path.read_bytes())
    for text in carry.application()["app"].values():
        inputs.update(text.encode())
    versions = [importlib.metadata.version(name) for name in ("bokeh", "panel", "numpy")]
    return " ".join([inputs.hexdigest(), *versions])


def prerender(name: str, language: str, query: str = "") -> Prerendered:
    """Evaluates a lab in a state, by default as it opens, and serialises what it shows."""
    lab, text = labs.load(name), engine.words(name, language)
    shown = engine.answer(name, language, query)
    sources = {
        key: ColumnDataSource(data=dict(columns), name=f"source:{key}") for key, columns in shown["sources"].items()
    }
    drawings = {key: draw(expanded(figure), sources, words_of(text, key)) for key, figure in lab.figures.items()}
    words = engine.site_words(language)["controls"]
    roots: dict[str, Any] = {}
    for control in lab.controls:
        control = replace(control, default=shown["controls"][control.name])  # type: ignore[type-var]
        root = widget(control, text["controls"][control.name], words, language).get_root()
        # Panel adds its own theme sheets, which the page neither needs nor could load offline.
        root.stylesheets = [STYLE]
        root.name = f"control:{control.name}"
        roots[root.name] = root
    for key, drawing in drawings.items():
        drawing.figure.name = f"figure:{key}"
        roots[drawing.figure.name] = drawing.figure
    drawn = {key: Drawn(drawing.key, drawing.group, drawing.figure.height) for key, drawing in drawings.items()}
    return Prerendered(_serialise(roots), drawn, shown)


def _serialise(roots: dict[str, Any]) -> str:
    document = Document()
    # Bokeh walks through all models after each root otherwise.
    with document.models.freeze():
        for root in roots.values():
            for model in root.references() if isinstance(root, ReactiveESM) else ():
                model.js_property_callbacks, model.js_event_callbacks = {}, {}
            document.add_root(root)
    (content,) = standalone_docs_json_and_render_items(list(roots.values()), suppress_callback_warning=True)[0].values()
    text = json.dumps(
        {"roots": list(roots), "document": json.loads(serialize_json(content))},
        ensure_ascii=False,
        separators=(",", ":"),
    )
    # Bokeh numbers the models of a process; from one on in each document, the same lab makes the same bytes.
    numbers: dict[str, int] = {}
    return IDENTITY.sub(lambda found: f'"id":"p{numbers.setdefault(found[1], len(numbers))}"', text)
