"""The carried code: written to a folder, compared with what was exported, put on the path."""

# %% [markdown] ru
# ## Код
#
# Эти ячейки складывают в папку `rlvr_lab` файлы, которыми считает лаборатория. В них можно заглянуть, а можно и
# поправить: выполните изменённую ячейку, а за ней все следующие. Контрольные суммы SHA-256 покажут, какой файл уже не
# тот, что был при экспорте.

# %% [markdown] en
# ## Code
#
# These cells put the files that the lab computes with into the folder `rlvr_lab`. Read them, or change them: run the
# cell you changed and all that follow. The SHA-256 sums tell which file is no longer the one that was exported.

# %%
import hashlib
import importlib
import sys
from pathlib import Path

# %% [given]
LAB = "signal"
LANGUAGE = "en"
FOLDER = "rlvr_lab"
SHA256: dict[str, str] = {}

# %%
if sys.version_info < (3, 11):
    raise RuntimeError("Python 3.11+ is needed: " + sys.version)
for path in SHA256:
    Path(FOLDER, path).parent.mkdir(parents=True, exist_ok=True)

# %% [files]

# %% [markdown] ru
# #### Проверка файлов

# %% [markdown] en
# #### Checking the files

# %%
top = str(Path(FOLDER).resolve())
sys.path[:] = [top, *(entry for entry in sys.path if entry != top)]
# A file that was changed and written again within one second would be taken for its old bytecode.
sys.dont_write_bytecode = True
importlib.invalidate_caches()
for name in [name for name in sys.modules if name.partition(".")[0] in ("pycore", "web", "colab")]:
    del sys.modules[name]
for path, exported in SHA256.items():
    found = hashlib.sha256(Path(FOLDER, path).read_text(encoding="utf-8").encode()).hexdigest()
    print(found, path, "" if found == exported else f"≠ {exported}")
