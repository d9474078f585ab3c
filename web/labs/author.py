"""A lab as its author sees it, recomputed natively: `panel serve web/labs/author.py --dev --args signal en`.

The site never loads this file; it shows the same controls, figures and words that the build serialises.
"""

import sys
from pathlib import Path
from typing import Any

import panel as pn
from bokeh.models import ColumnDataSource

sys.path.insert(0, str(Path(__file__).parents[2]))  # `panel serve` runs a file, not a module

from web import labs
from web.builder.site import colours
from web.controls import widget
from web.labs import engine
from web.labs.drawing import draw
from web.labs.figure import expanded, words_of


def app(name: str, language: str) -> pn.Row:
    """The lab `name` in one language, live."""
    lab, text = labs.load(name), engine.words(name, language)
    shown = engine.answer(name, language, "")
    sources = {key: ColumnDataSource(data=dict(columns)) for key, columns in shown["sources"].items()}
    words = engine.site_words(language)["controls"]
    widgets = {c.name: widget(c, text["controls"][c.name], words, language) for c in lab.controls}
    said = pn.pane.Str(shown["summary"])

    def update(*_: Any) -> None:
        answer = engine.respond(name, language, {key: control.value for key, control in widgets.items()})
        said.object = answer["fault"] or "\n".join([answer["summary"], *answer["readouts"]])
        for key, columns in answer.get("sources", {}).items():
            sources[key].data = dict(columns)

    for control in widgets.values():
        control.param.watch(update, "value")
    drawings = {key: draw(expanded(figure), sources, words_of(text, key)) for key, figure in lab.figures.items()}
    figures = [pn.pane.Bokeh(drawing.figure, width=700) for drawing in drawings.values()]
    return pn.Row(pn.Column(text["title"], *figures, said), pn.Column(*widgets.values(), width=320))


if __name__.startswith("bokeh_app"):
    pn.extension(raw_css=[colours()])
    name, language = sys.argv[1:] or ("signal", "en")
    app(name, language).servable()
