"""A lab's Bokeh document, made at build time: its controls, its figures and the sources that the page will feed."""

import json
from dataclasses import replace
from typing import Any, NamedTuple

from bokeh.core.json_encoder import serialize_json
from bokeh.document import Document
from bokeh.embed.util import standalone_docs_json_and_render_items
from bokeh.models import ColumnDataSource
from panel.models.esm import ReactiveESM

from web import labs
from web.controls import STYLE, widget
from web.labs import engine
from web.labs.drawing import Drawing, draw
from web.labs.figure import expanded, words_of


class Prerendered(NamedTuple):
    """A lab as the page needs it before any Python runs.

    Attributes:
        document: JSON that BokehJS reads, with the names of its roots in order.
        drawings: the figures by name, for their keys.
        shown: summary, readouts, table and control values at the defaults.
    """

    document: str
    drawings: dict[str, Drawing]
    shown: dict[str, Any]


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
    return Prerendered(_serialise(roots), drawings, shown)


def _serialise(roots: dict[str, Any]) -> str:
    document = Document()
    # Bokeh walks through all models after each root otherwise.
    with document.models.freeze():
        for root in roots.values():
            for model in root.references() if isinstance(root, ReactiveESM) else ():
                model.js_property_callbacks, model.js_event_callbacks = {}, {}
            document.add_root(root)
    (content,) = standalone_docs_json_and_render_items(list(roots.values()), suppress_callback_warning=True)[0].values()
    return json.dumps(
        {"roots": list(roots), "document": json.loads(serialize_json(content))},
        ensure_ascii=False,
        separators=(",", ":"),
    )
