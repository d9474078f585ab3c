"""The lab `signal` as a stock Panel application: the same mathematics, words and figures, Panel's own widgets.

`panel convert` carries this whole program to the browser, so it is written the way Panel's own guide writes one.
"""

import panel as pn
from bokeh.models import ColumnDataSource, DataTable, TableColumn

from pycore.control import Number
from web.labs import engine
from web.labs.drawing import draw
from web.labs.figure import words_of
from web.labs.signal.lab import CONTROLS, FIGURES

LAB, LANGUAGE = "signal", "en"
text = engine.words(LAB, LANGUAGE)


def slider(control: Number) -> pn.widgets.Widget:
    """Panel's own slider for a number."""
    kind = pn.widgets.IntSlider if control.integer else pn.widgets.FloatSlider
    label = text["controls"][control.name]["label"]
    return kind(name=label, start=control.low, end=control.high, step=control.step, value=control.default)


def readouts(shown: dict) -> str:
    """The readouts as Markdown."""
    labels = (entry["label"] for entry in text["readouts"].values())
    return "\n".join(f"- {label}: **{value}**" for label, value in zip(labels, shown["readouts"], strict=True))


def rows(shown: dict) -> dict[str, list[str]]:
    """The data table as columns of text."""
    return dict(zip(headers, map(list, zip(*shown["table"], strict=True)), strict=True))


sliders = {control.name: slider(control) for control in CONTROLS if isinstance(control, Number)}
headers = [column["header"] for column in text["table"]["columns"].values()]
first = engine.answer(LAB, LANGUAGE, "")
sources = {
    name: ColumnDataSource(data=dict(columns), name=f"source:{name}") for name, columns in first["sources"].items()
}
plots = {name: draw(figure, sources, words_of(text, name)) for name, figure in FIGURES.items()}
summary = pn.pane.Markdown(first["summary"])
values = pn.pane.Markdown(readouts(first), css_classes=["answer"])
table = ColumnDataSource(data=rows(first))
grid = DataTable(source=table, columns=[TableColumn(field=name, title=name) for name in headers], height=220)


def update(*_: object) -> None:
    """Recomputes the lab and feeds everything it shows."""
    shown = engine.respond(LAB, LANGUAGE, {name: widget.value for name, widget in sliders.items()})
    for name, columns in shown["sources"].items():
        sources[name].data = dict(columns)
    summary.object = shown["summary"]
    values.object = readouts(shown)
    table.data = rows(shown)


for widget in sliders.values():
    widget.param.watch(update, "value")

pn.Column(
    f"# {text['title']}",
    *(pn.pane.Bokeh(drawing.figure) for drawing in plots.values()),
    *sliders.values(),
    summary,
    values,
    grid,
).servable(title=text["title"])
