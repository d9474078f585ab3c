"""How the notebook draws a lab's figures: from the same description as the page."""

# %% [native]
from colab.cells.answer import shown, words
from colab.cells.unpack import LAB, LANGUAGE

# %% [markdown] ru
# ## Рисунки

# %% [markdown] en
# ## Figures

# %%
from web.labs import engine
from web.labs.charts import draw
from web.labs.figure import expanded, words_of


def draw_figure(name: str) -> None:
    figure = expanded(engine.lab_of(LAB).figures[name])
    draw(figure, shown["sources"], words_of(words, name), LANGUAGE)
