"""Figures of the lab `signal` in its notebook."""

# %% [native]
from colab.cells.answer import shown, words
from colab.cells.unpack import LANGUAGE

# %% [markdown]
# ### {{lab.figures.curve.title}}
#
# {{lab.figures.curve.alt}}.

# %%
from collections.abc import Mapping

from web.labs.charts import COLOUR, Sources, chart, key, label


def draw_curve(sources: Sources, text: Mapping[str, str]) -> None:
    axes = chart(text, LANGUAGE, y=".0%")
    curve, alike, points, here = (sources[name] for name in ("curve", "alike", "simulated", "here"))
    axes.plot(alike["p"], alike["informative"], "--", color=COLOUR["silent"], label=text["alike"])
    axes.plot(curve["p"], curve["informative"], color=COLOUR["signal"], linewidth=2.5, label=text["line"])
    axes.vlines(points["p"], points["low"], points["high"], color=COLOUR["ink"], linewidth=1)
    axes.plot(points["p"], points["informative"], "o", color=COLOUR["ink"], markersize=3.5, label=text["points"])
    p, informative = here["p"][0], here["informative"][0]
    axes.axvline(p, color=COLOUR["signal"], linestyle=":")
    axes.plot(p, informative, "o", color=COLOUR["signal"], markersize=10, markeredgecolor=COLOUR["paper"])
    side = {"dx": here["dx"][0], "ha": here["align"][0]}
    label(axes, p, informative, here["text"][0], "signal", dy=-12, weight="bold", **side)
    axes.set(xlim=(0, 1), ylim=(0, 1.08))
    key(axes)


draw_curve(shown["sources"], words["figures"]["curve"])

# %% [markdown]
# ### {{lab.figures.sizes.title}}
#
# {{lab.figures.sizes.alt}}.


# %%
def draw_sizes(sources: Sources, text: Mapping[str, str]) -> None:
    sizes = sources["sizes"]
    axes = chart(text, LANGUAGE, height=2.8, x=",.0f")
    axes.barh(sizes["row"], sizes["length"], height=0.6, color=COLOUR["signal"])
    for row, length, written in zip(sizes["row"], sizes["length"], sizes["text"], strict=True):
        label(axes, length, row, written, "ink", dx=5)
    axes.set_yticks(sizes["row"], [cells[0] for cells in shown["table"]])
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.grid(visible=False)


draw_sizes(shown["sources"], words["figures"]["sizes"])
