"""The dashboard's plots, the best answers, passports and the journal."""

# %% [native]
import numpy as np

from colab.cells.practicum.intro import SAY
from colab.cells.unpack import FOLDER
from colab.cells.practicum.rewards import first_run, folder, loaded
from colab.cells.practicum.scenario import first_plan
from colab.cells.practicum.training import records, runs
from colab.outcome import looks

# %% [markdown] ru
# ## Панель
#
# Несколько осей, а не одна средняя награда. Полностью журнал открывается на панели сайта.

# %% [markdown] en
# ## Dashboard
#
# Several axes, not one mean reward. The dashboard on the site opens the whole journal.

# %%
import tomllib
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

colours = tomllib.loads(Path(FOLDER, "web/shell/palette.toml").read_text(encoding="utf-8"))["light"]
LINES = (("reward",), ("accuracy", "form"), ("informative",), ("length",), ("entropy",), ("loss",))
DASHES = ("-", "--")
figure, panels = plt.subplots(2, 3, figsize=(11, 6), layout="constrained")
for panel, title, lines in zip(panels.flat, SAY["titles"].split("|"), LINES, strict=True):
    for (label, story), hue, dash in zip(runs.items(), ("run-a", "run-b"), DASHES, strict=False):
        updates_seen = [record for record in story if record.kind == "update"]
        steps = [record.update for record in updates_seen]
        for line, width in zip(lines, (2, 1), strict=False):
            heights = [record.metrics.get(line, float("nan")) for record in updates_seen]
            panel.plot(steps, heights, dash, color=colours[hue], linewidth=width, label=label)
    panel.set_title(title, loc="left", fontsize=10)
    panel.set_xlabel(SAY["step"], fontsize=9)
    panel.spines[["top", "right"]].set_visible(False)
    panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    panel.yaxis.set_major_locator(MaxNLocator(5))
    panel.yaxis.set_major_formatter(StrMethodFormatter("{x:.2f}"))
    if set(lines) & {"accuracy", "informative"}:
        panel.set_ylim(-0.03, 1.03)
shown_lines, shown_names = panels.flat[0].get_legend_handles_labels()
figure.legend(shown_lines, shown_names, loc="outside lower left", frameon=False, fontsize=9, ncols=1)
plt.show()
seen = [record.metrics for record in records if record.kind == "update"]
edge = max(1, len(seen) // 5)
ends = [
    np.mean([metrics[name] for metrics in part])
    for name in ("informative", "length")
    for part in (seen[:edge], seen[-edge:])
]
print(SAY["empty"].format(1 - ends[0], 1 - ends[1], ends[2], ends[3]))

# %% [markdown] ru
# ## Двадцать ответов с наибольшей наградой
#
# Читайте их глазами: здесь видно, за что модель на самом деле получает плату.

# %% [markdown] en
# ## The twenty answers with the highest reward
#
# Read them: here it shows what the model is really paid for.

# %%
from colab.outcome import best_answers

for answer in best_answers(records):
    print(f"{answer['reward']:.2f}  {answer['prompt']}  {''.join(answer['response'])!r}")

# %% [markdown] ru
# ## Паспорта
#
# Данные, проверяющая система, обновление и один ответ целиком: что нужно знать, чтобы повторить запуск или оспорить его.

# %% [markdown] en
# ## Passports
#
# Data, verifier, update, and one answer in full: what one has to know to redo the run, or to dispute it.

# %%
import json
from dataclasses import replace as changed_copy

from colab.passports import incomplete, passports
from colab.start import software
from pycore import journal
from pycore.passport import json_digest

start_shares = looks(records)[0].series["accuracy_by_prompt"]
quantiles = tuple(float(share) for share in np.quantile(start_shares, [0, 0.25, 0.5, 0.75, 1]))
gap = [metrics["generator_mismatch"] for metrics in seen if "generator_mismatch" in metrics]
papers = passports(
    first_plan,
    first_run.task,
    software=software(),
    precision=loaded.precision,
    rows=first_run.policy.rows.score,
    initial_success=quantiles,
    mismatch=max(gap) if gap else 0.0,
)
samples_seen = [record.detail["passport"] for record in records if "passport" in record.detail]
papers |= {"rollout": samples_seen[-1]} if samples_seen else {}
for kind, paper in papers.items():
    print(kind, json_digest(paper))
for kind, gaps in incomplete(papers).items():
    print(SAY["missing"].format(kind, ", ".join(meaning for _, meaning in gaps)))
if not incomplete(papers):
    print(SAY["complete"])
print(json.dumps(papers["update"], ensure_ascii=False, indent=1, sort_keys=True))

# %% [markdown] ru
# ## Журнал
#
# Записи запуска с паспортами в первой строке. Откройте файл на панели сайта, можно сразу несколько.

# %% [markdown] en
# ## Journal
#
# The run's records, with the passports in the first line. Open the file on the site's dashboard, several at once if you
# like.

# %%
header = changed_copy(first_run.header, passports=papers)
journal_file = folder / "journal-with-passports.jsonl"
journal_file.write_text(journal.write(header, records), encoding="utf-8")
assert journal.read(journal_file.read_text(encoding="utf-8")).finished
print(SAY["saved"].format(journal_file))
try:
    from google.colab import files as colab_files  # type: ignore[import-not-found]
except ImportError:
    pass
else:
    colab_files.download(str(journal_file))
