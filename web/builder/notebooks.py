"""The practicum's hosted notebooks: files of the site, and where Colab opens them."""

import os
from pathlib import Path
from typing import Any

from colab.practicum.controls import PRESETS
from colab.practicum.export import notebook, preset_query
from web.builder import carry
from web.labs.texts import LANGUAGES, load

FOLDER = "notebooks"
SHELL = Path(__file__).parents[1] / "shell"
# Colab opens a notebook from a public repository only. `OWNER/NAME`, or `OWNER/NAME@BRANCH`, is where the built site is
# published; without it the pages offer the files alone.
REPOSITORY = "RLVR_REPOSITORY"
BRANCH = "gh-pages"
COLAB = "https://colab.research.google.com/github"


def write(dist: Path) -> None:
    """Writes every preset in both languages."""
    (dist / FOLDER).mkdir()
    sources = carry.sources()
    for language in LANGUAGES:
        for name in PRESETS:
            text = notebook(language, preset_query(name), sources)
            (dist / FOLDER / _file(name, language)).write_text(text, encoding="utf-8", newline="\n")


def offered(language: str, repository: str | None = None) -> list[dict[str, Any]]:
    """What a page offers: label, file, and the address in Colab where a repository is known.

    Args:
        language: `ru` or `en`.
        repository: `OWNER/NAME` or `OWNER/NAME@BRANCH`; from the environment when None.
    """
    found = os.environ.get(REPOSITORY, "") if repository is None else repository
    name, _, branch = found.partition("@")
    labels = load(SHELL, language)["practicum"]["presets"]
    return [
        {
            "label": labels[preset],
            "file": f"{FOLDER}/{_file(preset, language)}",
            "colab": f"{COLAB}/{name}/blob/{branch or BRANCH}/{FOLDER}/{_file(preset, language)}" if name else "",
        }
        for preset in PRESETS
    ]


def _file(preset: str, language: str) -> str:
    return f"practicum-{preset}-{language}.ipynb"
