"""Oracle: the run's own journal, read back from the executed notebook's folder; and the format's own schema."""

import json
import re

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from colab.__main__ import main as notebook_of
from colab.execute import main as execute
from colab.practicum import export
from colab.practicum.controls import CONTROLS, LAB, MODELS, PRESETS, adopted, contrast, plan, small
from pycore import journal, run_file
from pycore.domain import DomainError
from pycore.passport import read_passport
from pycore.scenario import Scenario, ScenarioError

from .conftest import printed

DEFAULTS = {control.name: control.default for control in CONTROLS}


def defaults():
    return {name: value for name, value in DEFAULTS.items() if name != "seed"}


BOTH = "lab=practicum&trainer=trl&compare=trainer&protocol=dapo&seed=1"
TAKEN = [
    ("en", BOTH),
    *(
        pytest.param(language, export.preset_query(name), marks=pytest.mark.full)
        for name in PRESETS
        for language in ("ru", "en")
    ),
]


@pytest.fixture
def sources(files):
    return json.loads(files)


def made(language, query, sources):
    book = nbformat.reads(export.notebook(language, query, sources), as_version=4)
    nbformat.validate(book)
    return book


@pytest.mark.parametrize(("language", "query"), TAKEN)
def test_every_cell_runs_offline_and_the_journal_comes_out_whole(language, query, sources, run, tmp_path):
    done = run(made(language, query, sources), packages=("pycore", "colab"), timeout=900)
    told = printed(done)
    (file,) = tmp_path.rglob("journal-with-passports.jsonl")
    found = journal.read(file.read_text(encoding="utf-8"))
    assert found.finished
    assert [record.update for record in found.of("update")] == [1, 2, 3]
    for split in ("train", "held_out"):
        assert [record.update for record in found.of("evaluation", split)] == [0, 3]
    for kind in ("data", "verifier", "update"):
        assert read_passport(found.header.passports[kind]).missing() == ()
    # The three losses of the parity cell agree to what float32 leaves.
    losses = [float(number) for number in re.findall(r"^ {2,}\S.*?  (-?\d\.\d{9})$", told, flags=re.M)]
    assert max(losses[:3]) - min(losses[:3]) < 1e-6
    assert losses[4] < 1e-6
    assert losses[5] > 0.02
    passported = list(tmp_path.rglob("journal-with-passports*.jsonl"))
    kept = list(tmp_path.rglob("journal.jsonl"))
    assert len(passported) == len(kept)
    opened = run_file.read_all((file.name, file.read_text(encoding="utf-8")) for file in passported)
    assert (len(opened.journals), opened.refused) == (len(kept), {})
    assert len(kept) == (1 if contrast({**DEFAULTS, **Scenario.from_query(query).controls}) is None else 2)
    for other in kept:
        assert journal.read(other.read_text(encoding="utf-8")).finished


@pytest.mark.parametrize("language", ["ru", "en"])
def test_the_book_is_valid_safe_by_default_and_offers_a_t4(language, sources):
    book = made(language, "", sources)
    assert book.metadata["accelerator"] == "GPU"
    assert book.metadata["colab"]["gpuType"] == "T4"
    assert "widgets" not in book.metadata
    code = "\n".join(cell.source for cell in book.cells if cell.cell_type == "code")
    assert 'RUN_REAL_MODEL = False  # @param {type:"boolean"}' in code
    assert 'SMOKE_MODE = True  # @param {type:"boolean"}' in code
    assert 'scenario_code = ""  #@param {type:"string"}' in code
    for control in CONTROLS:
        assert re.search(rf"^{control.name} = .*#@param", code, flags=re.M), control.name


def test_the_steps_stand_in_their_order(sources):
    titles = [
        cell.source.splitlines()[0]
        for cell in made("en", "", sources).cells
        if cell.cell_type == "markdown" and cell.source.startswith("## ")
    ]
    wanted = ["machine", "Libraries", "Code", "Scenario", "small model", "verifier", "dry run", "before", "Training"]
    wanted += ["after", "three losses", "Comparison", "Dashboard", "twenty", "Passports", "Journal"]
    assert len(titles) == len(wanted)
    assert all(word in title for word, title in zip(wanted, titles, strict=True)), titles


@pytest.mark.full
def test_after_a_disconnect_the_same_notebook_goes_on_and_its_journal_has_no_gap(sources, run, tmp_path):
    # Three updates, a checkpoint after each; the break comes before the third one's.
    fall = """
told = first_run.say
def say(line):
    told(line)
    if line.startswith("   3  reward"):
        raise KeyboardInterrupt
first_run.say = say
records = first_run.train()"""
    broken = made("ru", BOTH, sources)
    (cell,) = [one for one in broken.cells if one.cell_type == "code" and "records = first_run.train()" in one.source]
    cell.source = cell.source.replace("records = first_run.train()", fall)
    with pytest.raises(CellExecutionError):
        run(broken, packages=("pycore", "colab"), timeout=900)
    done = run(made("ru", BOTH, sources), packages=("pycore", "colab"), timeout=900, again=True)
    assert "Going on from checkpoint-2." in printed(done)
    (file,) = tmp_path.rglob("journal-with-passports.jsonl")
    found = journal.read(file.read_text(encoding="utf-8"))
    assert found.finished
    assert [record.update for record in found.of("update")] == [1, 2, 3]
    assert [record.update for record in found.of("evaluation", "held_out")] == [0, 3]


def test_a_notebooks_boxes_are_set_as_a_learner_sets_them_and_a_failure_is_told_in_a_sentence(tmp_path):
    # No card here: the real model is refused before anything is installed.
    file = tmp_path / "book.ipynb"
    notebook_of(["lab=practicum", "-o", str(file)])
    with pytest.raises(SystemExit, match="There is no card"):
        execute(["--switch", "RUN_REAL_MODEL", "--switch", "SMOKE_MODE=off", str(file)])
    book = nbformat.read(file, as_version=4)
    assert "RUN_REAL_MODEL = True  # @param" in book.cells[1].source
    assert "SMOKE_MODE = False  # @param" in book.cells[1].source
    with pytest.raises(SystemExit, match="switch = 'GPU'"):
        execute(["--switch", "GPU", str(file)])


def test_a_scenario_of_the_lab_train_brings_along_what_both_know():
    scenario, left = adopted(Scenario("train", {"G": 16, "kl": 0.1, "prompts": 48, "learning_rate": 0.002}, seed=9))
    assert (scenario.lab, scenario.controls, scenario.seed) == (LAB, {"G": 16, "kl": 0.1}, 9)
    assert left == ("prompts", "learning_rate")
    assert export.scenario_of("lab=train&G=16&prompts=48").controls == {**defaults(), "G": 16}
    with pytest.raises((ScenarioError, DomainError)):
        export.scenario_of("lab=practicum&G=99")


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(("real", "smoke"), [(False, True), (False, False), (True, True), (True, False)])
def test_every_preset_and_its_contrast_has_a_plan(name, real, smoke):
    values = {**DEFAULTS, **PRESETS[name]}
    first = plan(values, real=real, smoke=smoke)
    assert (first.model in MODELS) == real
    assert (first.updates == 3) == smoke
    small(values, smoke=smoke)
    other = contrast(values)
    if other is None:
        return
    second = plan(other, real=real, smoke=smoke).to_dict()
    differing = {field for field, value in first.to_dict().items() if second[field] != value}
    assert differing <= {"reward", "protocol", "group"}
    assert len(differing) == 1


@pytest.mark.parametrize("smoke", [True, False])
def test_two_group_sizes_are_two_in_a_trial_run_as_well(smoke):
    for size in range(2, 33):
        values = {**DEFAULTS, "G": size, "compare": "group"}
        first, second = (plan(one, real=False, smoke=smoke) for one in (values, contrast(values)))
        assert first.group != second.group


def test_operands_without_enough_questions_are_named():
    with pytest.raises(DomainError, match="largest"):
        plan({**DEFAULTS, "smallest": 20, "largest": 20}, real=True, smoke=False)
    with pytest.raises(DomainError, match="largest"):
        plan({**DEFAULTS, "smallest": 9, "largest": 12}, real=True, smoke=False)
