"""Training, the measurement after, and the three ways to one loss."""

# %% [native]
import time

import numpy as np

from colab.cells.practicum.intro import SAY
from colab.cells.practicum.rewards import chosen_trainer, first_run, folder, loaded, policy, task
from colab.cells.practicum.scenario import first_plan, values
from colab.practicum.controls import plan
from colab.cells.practicum.intro import RUN_REAL_MODEL, SMOKE_MODE
from colab.model import load
from colab.policy import Rows
from colab.practicum.controls import ROWS
from colab.start import begin

# %% [markdown] ru
# ## Обучение
#
# Наш цикл: ответы записываются номерами токенов и больше не разбиваются на токены заново; знаменатель отношения посчитан
# тем же проходом, что и числитель, поэтому первое отношение равно 1 в точности; целевую функцию и её градиент даёт
# `pycore.objective`, дальше градиент несёт autograd. Опорная модель — та же самая с выключенной LoRA. Если памяти не
# хватит, проход делится пополам, и об этом сказано фразой; знаменатели от этого не меняются.
#
# Если в поле `trainer` стоит `trl`, учит `GRPOTrainer`: ответы, потери и шаг — его, награды, замеры и журнал — наши.
# При нехватке памяти и он продолжает с меньшими проходами, от последнего сохранения. Опорная модель у него — копия LoRA,
# снятая до первого шага.

# %% [markdown] en
# ## Training
#
# Our loop: answers are kept as token numbers and never tokenised again; the ratio's denominator comes from the same pass
# as its numerator, so the first ratio is exactly 1; `pycore.objective` gives the objective and its gradient, autograd
# carries it on. The reference is the same model with LoRA switched off. Where memory does not suffice a pass is halved,
# and a sentence says so; no denominator changes by that.
#
# With `trl` in the field `trainer`, `GRPOTrainer` teaches: answers, loss and step are its own, rewards, measurements and
# journal ours. Where memory does not suffice it too goes on with smaller passes, from its last checkpoint. Its reference is
# a copy of LoRA taken before the first step.

# %%
began = time.perf_counter()
records = first_run.train()
print(SAY["took"].format(time.perf_counter() - began))

# %% [markdown] ru
# ## Замер после обучения
#
# Те же вопросы, те же настройки генерации. Интервал говорит о других вопросах того же рода, а не о других запусках: для
# этого нужны другие зёрна. Если случайные ответы стали намного лучше, а жадный почти нет, модель стала *увереннее*, а не
# умнее.

# %% [markdown] en
# ## The measurement after training
#
# The same questions, the same decoding. The interval speaks of other questions of the same kind, not of other runs: that
# takes other seeds. Where sampled answers improved a lot and the greedy one hardly, the model became *surer*, not wiser.

# %%
from colab.outcome import looks, paired

for found in paired(records):
    print(
        SAY["paired"].format(SAY["of_" + found.name], found.before, found.after, found.low, found.high, found.prompts)
    )
for record in looks(records):
    print(
        record.update,
        {name: round(record.metrics[name], 3) for name in ("accuracy", "greedy", "form", "entropy", "kl")},
    )

# %% [markdown] ru
# ## Один пакет, три потери
#
# Тот же набор ответов: (а) наш цикл с autograd, (б) код потерь самой TRL со своим проходом модели, (в) формула в нескольких
# строках NumPy. Политика сначала сдвинута тремя шагами, чтобы отношения не равнялись 1 и клип работал; потом веса
# возвращены.

# %% [markdown] en
# ## One batch, three losses
#
# The same answers: (a) our loop with autograd, (b) TRL's own loss code with its own forward pass, (c) the formula in a few
# lines of NumPy. The policy is first moved by three steps, so that the ratios are not 1 and the clip is at work; then the
# weights are put back.

# %%
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from colab.parity import parity, plain
from colab.plan import DEFAULT
from colab.trl_practice import TrlPractice

shared_protocol = plain(first_plan.protocol)
if shared_protocol is None:
    print(SAY["other_protocol"])
parity_plan = replace(first_plan, protocol=shared_protocol or plain(DEFAULT) or DEFAULT, batch=2)
kept_weights = policy.save()
pair = np.arange(2)
answers = policy.sample(task.prompts("train", pair), first_plan.group, np.random.default_rng(1))
paid = replace(task.grade("train", pair, answers), reward=np.random.default_rng(2).random(answers.shape[:2]))
for _ in range(3):
    policy.logp(answers)
    policy.backward(np.where(answers.mask, -0.05, 0.0))
    policy.step(2e-2 if first_plan.model == "tiny" else 1e-3, 1.0)
by_trl = TrlPractice(parity_plan, loaded, policy, task, first_run.header, Path(mkdtemp()))
three = parity(by_trl, answers, paid)
policy.restore(kept_weights)
measured = (three.loop, three.trl, three.numpy, three.worst, three.gradient, three.clipped)
for label, number in zip(SAY["parity_rows"].split("|"), measured, strict=True):
    print(SAY["parity"].format(label, number))

# %% [markdown] ru
# ## Сравнение
#
# Второй запуск, в котором отличается что-то одно: награда (полная или только за рамку), протокол, размер группы или тренер.

# %% [markdown] en
# ## Comparison
#
# A second run in which one thing differs: the reward (full, or for the box alone), the protocol, the group's size, or the trainer.

# %%
from colab.practicum.controls import contrast

runs = {str(first_run.header.title): records}
held = {str(first_run.header.title): first_run}
second_values = contrast(values)
if second_values is None:
    print(SAY["no_compare"])
else:
    second_plan = plan(second_values, real=RUN_REAL_MODEL, smoke=SMOKE_MODE)
    # Adapters of its own on the same base, and the same seed: the first questions are the same as well.
    del policy, by_trl
    loaded = load(second_plan.model, rank=second_plan.rank, alpha=second_plan.alpha, seed=second_plan.seed)
    # What TRL refused in the first run it refuses in the second.
    second_trainer = str(second_values["trainer"]) if chosen_trainer == values["trainer"] else "loop"
    second_run = begin(second_plan, loaded, trainer=second_trainer, folder=folder, rows=Rows(score=ROWS))
    second_label = f"{second_run.header.title} {second_plan.protocol.nearest().name}"
    runs[second_label], held[second_label] = second_run.train(), second_run
    for label, story in runs.items():
        first_look, last_look = (looks(story)[place].metrics for place in (0, -1))
        groups = [record.metrics["informative"] for record in story if record.kind == "update"]
        numbers = [look[name] for name in ("accuracy", "form") for look in (first_look, last_look)]
        print(SAY["compared"].format(label, *numbers, 1 - np.mean(groups[-10:])))
