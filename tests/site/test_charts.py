"""Oracle: the Frame's own columns, read back from what matplotlib drew. The notebook's stills of every lab."""

from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest

from web import labs
from web.labs import engine
from web.labs.figure import Line, expanded, words_of

matplotlib.use("Agg")

from matplotlib import pyplot

from web.labs import charts


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pyplot.close("all")


@pytest.mark.parametrize("name", labs.names())
def test_every_figure_is_drawn_with_the_frames_own_curves(name: str) -> None:
    shown, text = engine.answer(name, "ru", ""), engine.words(name, "ru")
    for key, figure in engine.lab_of(name).figures.items():
        axes = charts.draw(expanded(figure), shown["sources"], words_of(text, key), "ru")
        axes.figure.canvas.draw()
        curves = [mark for mark in figure.marks if isinstance(mark, Line)]
        drawn = [np.asarray(line.get_ydata(), float) for line in axes.lines]
        for mark in curves:
            wanted = np.asarray(shown["sources"][mark.source][mark.y], float)
            assert any(one.shape == wanted.shape and np.array_equal(one, wanted) for one in drawn), (key, mark)
