"""Oracle: nbformat's own schema, and the address that Colab documents for notebooks of a public repository."""

import nbformat

from colab.practicum.controls import CONTROLS, PRESETS
from web.builder import notebooks
from web.labs.texts import LANGUAGES, load


def test_every_hosted_preset_is_a_valid_notebook_in_both_languages(tmp_path):
    notebooks.write(tmp_path)
    written = sorted(path.name for path in (tmp_path / notebooks.FOLDER).iterdir())
    assert written == sorted(f"practicum-{name}-{language}.ipynb" for name in PRESETS for language in LANGUAGES)
    for path in (tmp_path / notebooks.FOLDER).iterdir():
        nbformat.validate(nbformat.reads(path.read_text(encoding="utf-8"), as_version=4))


def test_colab_opens_the_file_of_the_repository_that_the_build_was_told():
    plain = notebooks.offered("ru", "")
    assert [entry["colab"] for entry in plain] == [""] * len(PRESETS)
    for entry in notebooks.offered("en", "someone/site@pages"):
        assert entry["colab"] == f"https://colab.research.google.com/github/someone/site/blob/pages/{entry['file']}"
    assert "/blob/gh-pages/" in notebooks.offered("en", "someone/site")[0]["colab"]


def test_every_field_and_preset_has_words_in_both_languages():
    folder = notebooks.SHELL.parents[1] / "colab" / "practicum"
    for language in LANGUAGES:
        fields = load(folder, language)["controls"]
        assert list(fields) == [control.name for control in CONTROLS]
        assert all(len(entry) == 2 and all(entry) for entry in fields.values())
        assert list(load(notebooks.SHELL, language)["practicum"]["presets"]) == list(PRESETS)
