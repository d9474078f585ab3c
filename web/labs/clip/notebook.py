"""Figures of the lab `clip` in its notebook."""

# %% [native]
from colab.cells.answer import shown, words
from colab.cells.unpack import LANGUAGE

# %%
from collections.abc import Mapping

from web.labs.charts import COLOUR, HATCH, Sources, chart, key, label, zero
from web.labs.clip.lab import LARGEST


def draw_side(name: str, sources: Sources, text: Mapping[str, str]) -> None:
    axes = chart(text, LANGUAGE)
    curve, here, dead = (sources[name + end] for end in ("", "_here", "_dead"))
    for left, right in zip(dead["left"], dead["right"], strict=True):
        axes.axvspan(left, right, facecolor=COLOUR["wash"], edgecolor=COLOUR["line-strong"], hatch=HATCH, linewidth=0)
    axes.fill_between(
        [], [], facecolor=COLOUR["wash"], edgecolor=COLOUR["line-strong"], hatch=HATCH, label=text["dead"]
    )
    zero(axes)
    axes.plot(curve["ratio"], curve["free"], ":", color=COLOUR["silent"], label=text["free"])
    axes.plot(curve["ratio"], curve["gradient"], "--", color=COLOUR["current"], linewidth=2, label=text["gradient"])
    axes.plot(curve["ratio"], curve["value"], color=COLOUR[name], linewidth=2.5, label=text["value"])
    ratio, value, gradient = (here[column][0] for column in ("ratio", "value", "gradient"))
    axes.axvline(ratio, color=COLOUR["current"], linestyle=":")
    axes.plot(ratio, gradient, "D", color=COLOUR["current"], markersize=7)
    axes.plot(ratio, value, "o", color=COLOUR[name], markersize=10, markeredgecolor=COLOUR["paper"])
    side = {"dx": here["dx"][0], "dy": -12 if name == "positive" else 12, "ha": here["align"][0]}
    label(axes, ratio, value, here["text"][0], name, weight="bold", **side)
    axes.set_xlim(0, LARGEST)
    key(axes)


# %% [markdown]
# ### {{lab.figures.positive.title}}
#
# {{lab.figures.positive.alt}}.

# %%
draw_side("positive", shown["sources"], {**words["figures"]["both"], **words["figures"]["positive"]})

# %% [markdown]
# ### {{lab.figures.negative.title}}
#
# {{lab.figures.negative.alt}}.

# %%
draw_side("negative", shown["sources"], {**words["figures"]["both"], **words["figures"]["negative"]})
