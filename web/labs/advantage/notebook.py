"""Figures of the lab `advantage` in its notebook."""

# %% [native]
from colab.cells.answer import shown, words
from colab.cells.unpack import LANGUAGE

# %% [markdown]
# ### {{lab.figures.bars.title}}
#
# {{lab.figures.bars.alt}}.

# %%
from collections.abc import Mapping

from web.labs.charts import COLOUR, HATCH, Sources, chart, key, label, zero


def draw_bars(sources: Sources, text: Mapping[str, str]) -> None:
    axes = chart(text, LANGUAGE)
    zero(axes)
    raised, lowered, silent, rewards, groups = (
        sources[name] for name in ("raised", "lowered", "silent", "rewards", "groups")
    )
    axes.bar(raised["x"], raised["y"], color=COLOUR["positive"], label=text["raised"])
    mark = axes.bar(lowered["x"], lowered["y"], color=COLOUR["negative"], edgecolor=COLOUR["paper"], hatch=HATCH)
    mark.set_label(text["lowered"])
    axes.plot(silent["x"], silent["y"], "s", color=COLOUR["silent"], label=text["silent"])
    for x, y, dy, reward in zip(*(rewards[name] for name in ("x", "y", "dy", "text")), strict=True):
        label(axes, x, y, reward, "muted", dy=-0.6 * dy, ha="center")
    for x, y, name in zip(groups["x"], groups["y"], groups["text"], strict=True):
        label(axes, x, y, name, "ink", dy=8, ha="center", weight="bold")
    axes.scatter(groups["x"], groups["y"], s=0)  # words do not count when the range is chosen
    axes.margins(y=0.15)
    axes.set_xticks([])
    key(axes)


draw_bars(shown["sources"], words["figures"]["bars"])

# %% [markdown]
# ### {{lab.figures.shares.title}}
#
# {{lab.figures.shares.alt}}.


# %%
def draw_shares(sources: Sources, text: Mapping[str, str]) -> None:
    axes = chart(text, LANGUAGE, height=3.2, x=".0%")
    zero(axes)
    for name, role, style in (("success", "positive", "o-"), ("failure", "negative", "s--")):
        points = sources[name]
        axes.plot(points["share"], points["advantage"], style, color=COLOUR[role], label=text[name])
    axes.set_xlim(0, 1)
    axes.margins(y=0.15)
    key(axes)


draw_shares(shown["sources"], words["figures"]["shares"])
