"""Verifier suites, the model, a dry run of the rewards without updates, and the measurement before training."""

# %% [native]
from pathlib import Path

from colab.cells.practicum.intro import KEEP_ON_DRIVE, SAY
from colab.cells.practicum.scenario import first_plan, values

# %% [markdown] ru
# ## Проверяющая система
#
# Сначала испытания самой проверки: верные ответы во всех дозволенных видах, правдоподобные неверные, атаки. Ошибка здесь
# станет стратегией модели.

# %% [markdown] en
# ## The verifier
#
# First the verifier's own trials: right answers in every allowed form, plausible wrong ones, attacks. A mistake here
# becomes the model's strategy.

# %%
from pycore.verify.suite import run_suite, suite

for tally in run_suite(suite()).tallies:
    print(SAY["suite"].format(tally.kind, tally.cases, tally.false_positives, tally.false_negatives))

# %% [markdown] ru
# ## Модель и сухой прогон наград
#
# Несколько групп без единого обновления: что модель пишет, что за это платят, есть ли группам чему учить. Шаблон чата
# берётся у самой модели, режим размышлений выключен.

# %% [markdown] en
# ## The model, and a dry run of the rewards
#
# A few groups without a single update: what the model writes, what it is paid, whether the groups have anything to
# teach. The chat template is the model's own, its thinking mode is off.

# %%
import os
import warnings

warnings.filterwarnings("ignore", category=FutureWarning)
warnings.filterwarnings("ignore", message="IProgress not found")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
# These two ask no hub for anything.
if first_plan.model in ("tiny", "smollm2"):
    os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np

from colab.mapping import UnmappedError
from colab.model import load
from colab.policy import Rows
from colab.practicum.controls import ROWS
from colab.start import begin
from colab.trl import arguments
from pycore.advantages import flat_groups

folder = Path("runs")
if KEEP_ON_DRIVE:
    from google.colab import drive  # type: ignore[import-not-found]

    drive.mount("/content/drive")
    folder = Path("/content/drive/MyDrive/rlvr_lab")
chosen_trainer = str(values["trainer"])
if chosen_trainer == "trl":
    try:
        arguments(first_plan.protocol, group=first_plan.group, response_tokens=first_plan.max_tokens)
    except UnmappedError as refusal:
        chosen_trainer = "loop"
        print(SAY["refused"].format(refusal))
loaded = load(first_plan.model, rank=first_plan.rank, alpha=first_plan.alpha, seed=first_plan.seed)
first_run = begin(first_plan, loaded, trainer=chosen_trainer, folder=folder, rows=Rows(score=ROWS))
policy, task = first_run.policy, first_run.task
print(SAY["resumes"].format(first_run.folder))

some = np.arange(min(4, first_plan.problems.train))
dry = policy.sample(task.prompts("train", some), first_plan.group, np.random.default_rng(0))
graded = task.grade("train", some, dry)
print(loaded.tokenizer.decode(dry.prompts[0][dry.prompts[0] != loaded.pad]), end="\n\n")
for member in range(first_plan.group):
    print(f"{graded.reward[0, member]:.2f}  {task.text(dry.tokens[0, member])!r}")
informative = ~flat_groups(graded.reward)
print(SAY["groups"].format(informative.sum(), len(some), graded.correct.mean(), graded.components["form"].mean()))
if not informative.any():
    print(SAY["no_signal"])

# %% [markdown] ru
# ## Замер до обучения
#
# Отложенные вопросы, которых обучение не увидит; несколько случайных ответов на каждый и один жадный.

# %% [markdown] en
# ## The measurement before training
#
# Held-out questions that training never sees; several sampled answers to each, and one greedy answer.

# %%
import time

began = time.perf_counter()
before_training = first_run.baseline()
print(SAY["took"].format(time.perf_counter() - began))
