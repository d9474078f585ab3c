"""The scenario as a form, and what the lab answers: sentence, readouts, table."""

# %% [native]
from colab.cells.unpack import LAB, LANGUAGE

# %% [markdown] ru
# ## Сценарий
#
# Состояние, с которым сохранён блокнот (адрес на сайте: {{scenario.address}}):
#
# {{scenario.table}}
#
# Ниже те же значения стоят в полях. Измените любое и выполните эту ячейку и все, что под ней (в Colab Ctrl+F10).
# Значение за пределами допустимого даст ошибку, в которой названы поле, значение и границы.

# %% [markdown] en
# ## Scenario
#
# The state in which the notebook was saved (its address on the site: {{scenario.address}}):
#
# {{scenario.table}}
#
# The same values stand in the fields below. Change any of them and run this cell and everything under it (Ctrl+F10 in
# Colab). A value out of bounds gives an error that names the field, the value and the bounds.

# %% [form]
scenario_code = ""
values: dict[str, object] = {}

# %% [markdown] ru
# ## Расчёт
#
# Та же функция `compute`, что отвечала на странице.

# %% [markdown] en
# ## Result
#
# The same function `compute` that answered on the page.

# %%
from pycore.scenario import Scenario
from web.labs import engine

catalogue = {LAB: engine.lab_of(LAB).controls}
entered = scenario_code.strip()
if "=" in entered:
    scenario = Scenario.from_query(entered.rpartition("?")[2].partition("#")[0], catalogue=catalogue, lab=LAB)
elif entered:
    scenario = Scenario.from_code(entered, catalogue=catalogue)
else:
    scenario = engine.scenario_of(LAB, values)
words = engine.words(LAB, LANGUAGE)
state = engine.values_of(scenario, LAB)
# A process runs to its end here.
frame = engine.lab_of(LAB).frame(state, end=True)
shown = engine.show(LAB, LANGUAGE, frame, state)

print(shown["summary"], shown["substituted"], sep="\n\n", end="\n\n")
for readout, value in zip(words["readouts"].values(), shown["readouts"], strict=True):
    print(f"{readout['label']}: {value}")
print(f"\n?{scenario.to_query()}\n{scenario.to_code()}")

# %% [markdown] ru
# ### Таблица
#
# {{lab.table.caption}}.

# %% [markdown] en
# ### Table
#
# {{lab.table.caption}}.

# %%
rows = [[column["header"] for column in words["table"]["columns"].values()], *shown["table"]]
widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
for row in rows:
    print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))

# %%
for written, content in zip(words.get("texts", {}).values(), shown["texts"], strict=True):
    print(f"{written['label']}\n\n{content}\n")
