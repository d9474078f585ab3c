"""The scenario as a form, the plan that follows, and the small policy under the same protocol."""

# %% [native]
from colab.cells.practicum.intro import RUN_REAL_MODEL, SAY, SMOKE_MODE
from colab.cells.unpack import SHA256

# %% [markdown] ru
# ## Сценарий
#
# {{scenario.table}}
#
# В полях ниже стоят те же значения; менять можно любое. В последнее поле вставляется код сценария или часть адреса после
# вопросительного знака: этой страницы или лаборатории `train`.

# %% [markdown] en
# ## Scenario
#
# {{scenario.table}}
#
# The fields below hold the same values; change any of them. The last one takes a scenario code, or the part of an address
# after the question mark: of this page or of the lab `train`.

# %% [form]
scenario_code = ""
values: dict[str, object] = {}

# %%
import hashlib

from colab.practicum.controls import CONTROLS, LAB as PRACTICUM
from colab.practicum.controls import adopted, plan, small
from pycore.scenario import SEED, Scenario

print(SAY["carried"].format(hashlib.sha256("".join(SHA256.values()).encode()).hexdigest()))
catalogue = {PRACTICUM: CONTROLS}
entered = scenario_code.strip()
if entered:
    read_scenario = Scenario.from_query if "=" in entered else Scenario.from_code
    scenario = read_scenario(entered.rpartition("?")[2].partition("#")[0])
    if scenario.lab != PRACTICUM:
        scenario, left_out = adopted(scenario)
        if left_out:
            print(SAY["left"].format(", ".join(left_out)))
    scenario = Scenario.from_query(scenario.to_query(), catalogue=catalogue)
    values = {**scenario.complete(catalogue).controls, SEED.name: scenario.seed}
else:
    values = {control.name: control.check(values[control.name]) for control in CONTROLS}
    scenario = Scenario(PRACTICUM, {name: values[name] for name in values if name != SEED.name}, int(values[SEED.name]))  # type: ignore[call-overload, misc]
first_plan = plan(values, real=RUN_REAL_MODEL, smoke=SMOKE_MODE)
print(SAY["plan"].format(**{name: getattr(first_plan, name) for name in ("model", "updates", "batch", "group")}))
near = first_plan.protocol.nearest()
print(
    SAY["nearest"].format(
        near.name, ", ".join(f"{found.axis} {found.value} ({found.preset_value})" for found in near.differences) or "="
    )
)
print(f"?{scenario.to_query()}\n{scenario.to_code()}")

# %% [markdown] ru
# ## Тот же протокол на маленькой модели
#
# Уровень А: рекуррентная сеть складывает двузначные числа на процессоре. Языковой модели это ничего не обещает, но
# показывает, учит ли протокол вообще, — до загрузок и до видеокарты. В пробном режиме проверяются лишь 64 примера: разница
# в несколько сотых ещё ничего не значит.

# %% [markdown] en
# ## The same protocol on the small model
#
# Level A: a recurrent network adds two-digit numbers on the processor. It promises a language model nothing, but it shows
# whether the protocol teaches at all, before any download and without a card. In smoke mode only 64 problems are looked at:
# a difference of a few hundredths means nothing yet.

# %%
from pycore import train as small_training

small_records = [
    step for step in small_training.run(small(values, smoke=SMOKE_MODE)) if isinstance(step, small_training.Record)
]
small_looks = [record.metrics for record in small_records if record.kind == "evaluation" and record.split == "held_out"]
shown_numbers = [look[name] for name in ("accuracy", "pass_4") for look in (small_looks[0], small_looks[-1])]
print(SAY["small"].format(small_records[-1].update, *shown_numbers))
