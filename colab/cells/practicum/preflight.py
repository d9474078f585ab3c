"""The machine in plain sentences; libraries at the versions that were tested together."""

# %% [native]
from colab.cells.practicum.intro import ON_PROCESSOR, RUN_REAL_MODEL, SAY

# %% [markdown] ru
# ## Проверка машины
#
# Если настоящей модели здесь не место, ячейка скажет об этом сразу, до установки и загрузок. Половинная точность
# выбирается по вычислительной способности: у T4 она 7.5, а bfloat16 начинается с 8.0.

# %% [markdown] en
# ## Checking the machine
#
# Where a real model has no place the cell says so at once, before anything is installed or fetched. Half precision goes
# by compute capability: a T4 has 7.5, and bfloat16 begins at 8.0.

# %%
import os
import platform
import shutil
import subprocess
import sys

if sys.version_info < (3, 11):
    raise RuntimeError("Python 3.11+ is needed: " + sys.version)
GIB = 2**30
print(SAY["python"].format(platform.python_version()))
free_disk = shutil.disk_usage(".").free / GIB
print(SAY["memory"].format(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB, free_disk))
card = ""
if shutil.which("nvidia-smi"):
    question = ["nvidia-smi", "--query-gpu=name,memory.total,compute_cap", "--format=csv,noheader,nounits"]
    card = subprocess.run(question, capture_output=True, text=True, check=False).stdout.partition("\n")[0]
if card.count(",") == 2:
    card_name, card_memory, capability = (part.strip() for part in card.split(","))
    half_precision = "bfloat16" if float(capability) >= 8 else "float16"
    print(SAY["card"].format(card_name, float(card_memory) / 1024, capability, half_precision))
    if RUN_REAL_MODEL and float(card_memory) < 6 * 1024:
        raise RuntimeError(SAY["small_card"])
elif RUN_REAL_MODEL and ON_PROCESSOR:
    print(SAY["slow"])
elif RUN_REAL_MODEL:
    raise RuntimeError(SAY["no_card"])
else:
    print(SAY["without"])
if RUN_REAL_MODEL and free_disk < 6:
    raise RuntimeError(SAY["small_disk"])

# %% [markdown] ru
# ## Библиотеки
#
# Эти версии проверены вместе 30 ноября 2026 года. torch и NumPy остаются те, что стоят: их замена ломает Colab.

# %% [markdown] en
# ## Libraries
#
# These versions were tested together on 30 November 2026. torch and NumPy stay as they are: replacing them breaks Colab.

# %%
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

PINS = {"transformers": "5.24.0", "trl": "1.16.0", "peft": "0.21.2", "accelerate": "1.15.0", "datasets": "5.2.0"}
KEPT = ("torch", "numpy")


def version_of(library: str) -> str:
    try:
        return installed_version(library)
    except PackageNotFoundError:
        return "—"


lacking = {library: pin for library, pin in PINS.items() if version_of(library) != pin}
for library, pin in lacking.items():
    print(SAY["library"].format(library, version_of(library), pin))
if lacking:
    stay = {library: version_of(library) for library in KEPT}
    print(SAY["installing"].format(", ".join(lacking), stay["torch"], stay["numpy"]))
    constraints = [f"{library}=={found}" for library, found in stay.items() if found != "—"]
    Path("constraints.txt").write_text("\n".join(constraints), encoding="utf-8")
    wanted = [f"{library}=={pin}" for library, pin in lacking.items()]
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "-c", "constraints.txt", *wanted], check=True)
    changed_numpy = version_of("numpy") != stay["numpy"]
    if changed_numpy or any(library in sys.modules for library in lacking):
        raise RuntimeError(SAY["restart"])
else:
    print(SAY["ready"])
