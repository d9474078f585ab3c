"""The dashboard's plots, the best answers, passports and the journal."""

# %% [native]
import numpy as np

from colab.cells.practicum.intro import SAY
from colab.cells.unpack import FOLDER
from colab.cells.practicum.rewards import first_run, folder, loaded
from colab.cells.practicum.training import held, records, runs
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
    panel.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
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
from typing import Any

from colab.passports import incomplete, passports
from colab.practice import Practice
from colab.start import software
from colab.trl_practice import TrlPractice
from pycore import journal
from pycore.passport import json_digest
from pycore.train import Record


def papers_of(run: Practice | TrlPractice, story: list[Record]) -> dict[str, dict[str, Any]]:
    """A run's passports, with what only the finished run knows."""
    start_shares = looks(story)[0].series["accuracy_by_prompt"]
    gaps = [record.metrics["generator_mismatch"] for record in story if "generator_mismatch" in record.metrics]
    # TRL does not tell; there it is what our own measurement of the same model found.
    gap = max(gaps) if gaps else run.policy.mismatch
    found = passports(
        run.plan,
        run.task,
        software=software(),
        precision=loaded.precision,
        rows=run.policy.rows.score,
        initial_success=tuple(float(share) for share in np.quantile(start_shares, [0, 0.25, 0.5, 0.75, 1])),
        mismatch=None if np.isnan(gap) else gap,
    )
    rollouts = [record.detail["passport"] for record in story if "passport" in record.detail]
    return found | ({"rollout": rollouts[-1]} if rollouts else {})


papers = {label: papers_of(held[label], story) for label, story in runs.items()}
for label, folder_of_papers in papers.items():
    print(label)
    for kind, paper in folder_of_papers.items():
        print(f"  {kind:9}{json_digest(paper)}")
    if "rollout" not in folder_of_papers:
        print(SAY["no_rollout"])
    for kind, lacking_entries in incomplete(folder_of_papers).items():
        print(SAY["missing"].format(kind, ", ".join(meaning for _, meaning in lacking_entries)))
    if not incomplete(folder_of_papers):
        print(SAY["complete"])
print(json.dumps(papers[first_run.header.title]["update"], ensure_ascii=False, indent=1, sort_keys=True))

# %% [markdown] ru
# ## Журнал
#
# Записи запуска с паспортами в первой строке; после сравнения файлов два. Откройте их на панели сайта, можно вместе.
# TRL держит в папке запуска ещё и свой `trainer_state.json`: панель понимает и его.

# %% [markdown] en
# ## Journal
#
# The run's records, with the passports in the first line; two files after a comparison. Open them on the site's
# dashboard, together if you like. TRL also keeps its `trainer_state.json` in the run's folder: the dashboard reads that too.

# %%
try:
    from google.colab import files as colab_files  # type: ignore[import-not-found]
except ImportError:
    colab_files = None
for number, (label, story) in enumerate(runs.items(), start=1):
    journal_file = folder / f"journal-with-passports{'' if number == 1 else f'-{number}'}.jsonl"
    header = changed_copy(held[label].header, passports=papers[label])
    journal_file.write_text(journal.write(header, story), encoding="utf-8")
    assert journal.read(journal_file.read_text(encoding="utf-8")).finished
    print(SAY["saved"].format(journal_file))
    if colab_files is not None:
        colab_files.download(str(journal_file))
