"""Oracle: the recorded journals' own records. The board shows of every run what its journal says, whoever wrote it."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pycore import journal
from pycore.domain import DomainError
from pycore.train import PROFILES, UPDATE_METRICS
from web.dashboard import board, desk, opening, recipe
from web.dashboard.board import Run
from web.dashboard.panel import PANELS, source
from web.dashboard.words import told
from web.labs import engine
from web.labs.process import Run as Process
from web.labs.texts import LANGUAGES, Writer

RECORDED = Path(__file__).parents[2] / "web" / "recorded"
TRL = json.dumps(
    {"log_history": [{"step": 1, "reward": 0.25, "frac_reward_zero_std": 0.5}, {"step": 2, "reward": 0.5, "loss": 0.1}]}
)


def text(name: str) -> str:
    return (RECORDED / f"{name}-0.jsonl").read_text(encoding="utf-8")


@pytest.fixture
def own_desk(monkeypatch: pytest.MonkeyPatch) -> desk.Desk:
    fresh = desk.Desk(used=True)
    monkeypatch.setattr(desk, "DESK", fresh)
    monkeypatch.setattr("web.dashboard.training.DESK", fresh)
    return fresh


def recorded(name: str) -> Run:
    found = desk.recorded(f"{name}-0")
    assert found is not None
    return found


# ---- lines, tables


def test_every_line_is_the_journal_s_own_column() -> None:
    runs = [recorded("healthy"), recorded("collapse")]
    drawn = board.sources(runs)
    for panel in PANELS:
        for line in (one for one in panel.lines if not panel.series):
            found = drawn[source(panel, line)]
            for slot, x, y in zip(found["slot"], found["x"], found["y"], strict=True):
                run = runs["AB".index(slot)]
                kind, split = ("update", "") if line.source == "update" else ("evaluation", line.source)
                records = run.journal.of(kind, split)
                assert x.tolist() == [record.update for record in records]
                wanted = np.array([record.metrics[line.name] for record in records])
                np.testing.assert_array_equal(y, 1 - wanted if line.complement else wanted)


def test_empty_groups_are_the_rest_of_the_informative_ones_and_the_collapse_has_more_of_them() -> None:
    drawn = board.sources([recorded("healthy"), recorded("collapse")])["empty.informative_update"]
    healthy, collapse = (y[-10:].mean() for y in drawn["y"])
    assert 0 <= healthy < collapse <= 1


def test_all_four_groups_of_axes_have_their_panels() -> None:
    assert {panel.axis for panel in PANELS} == {"main", "data", "policy", "answers", "system"}
    wanted = {
        "reward",
        "informative",
        "entropy",
        "kl",
        "clipped_positive",
        "clipped_negative",
        "ratio_high",
        "rollout_age",
    }
    wanted |= {"repeats", "pass_1", "pass_4", "pass_16", "length_tail", "ended", "truncated", "unparsed", "distinct"}
    wanted |= {"tokens_per_effective_prompt", "form", "accuracy"}
    assert wanted <= {line.name for panel in PANELS for line in panel.lines}


def test_a_run_that_grows_is_drawn_like_one_read_at_once() -> None:
    whole = journal.read(text("collapse"))
    memo: dict[Any, Any] = {}
    for end in (1, 7, 40, len(whole.records)):
        part = journal.Journal(whole.header, whole.records[:end])
        grown = board.sources([Run("", part, "live", memo=memo)])
        fresh = board.sources([Run("", part, "live")])
        for name, columns in fresh.items():
            for key in ("x", "y"):
                for one, other in zip(grown[name][key], columns[key], strict=True):
                    np.testing.assert_array_equal(one, other)
        assert board.newest([Run("", part, "live", memo=memo)])[0][3] == board.newest([Run("", part, "live")])[0][3]


def test_a_long_journal_is_thinned_but_keeps_its_ends() -> None:
    records = [journal.Record("update", at, metrics={"reward": at / 5000}) for at in range(5001)]
    long = Run("", journal.Journal(journal.Header(), tuple(records)), "file")
    drawn = board.sources([long])["reward.reward_update"]
    assert len(drawn["x"][0]) <= board.MOST_POINTS
    assert (drawn["x"][0][0], drawn["x"][0][-1]) == (0, 5000)


def test_runs_that_lack_a_metric_have_no_line_there_and_their_letter_stays_with_the_others() -> None:
    runs = [Run("", opening.read(TRL).journal, "file"), recorded("healthy")]
    drawn = board.sources(runs)
    assert drawn["entropy.entropy_update"]["slot"] == ["B"]
    assert drawn["reward.reward_update"]["slot"] == ["A", "B"]
    assert drawn["empty.informative_update"]["y"][0].tolist() == [0.5]
    assert ("data", "reward", "update", [0.5, recorded("healthy").journal.of("update")[-1].metrics["reward"]]) in [
        tuple(row) for row in board.newest(runs)
    ]


# ---- words


@pytest.mark.parametrize("language", LANGUAGES)
def test_twenty_best_answers_and_tokens_shaded_by_advantage_times_change(language: str) -> None:
    run = recorded("healthy")
    samples = json.loads(told([run], Writer(language))["samples"][0]["text"])
    detail = run.journal.of("samples")[-1].detail
    assert len(samples["best"]) == 20
    for group, known in zip(samples["groups"], detail["groups"], strict=True):
        for answer, one in zip(group, known, strict=False):
            assert [token["text"] for token in answer["tokens"]] == one["response"]
            for token, logp, moved in zip(answer["tokens"], one["logp"], one["moved"], strict=False):
                change = math.exp(logp + moved) - math.exp(logp)
                assert token["shade"] == pytest.approx(min(1, math.sqrt(abs(one["advantage"] * change))), abs=2e-3)
                assert token["sign"] == np.sign(one["advantage"])
                assert token["moved"] in (0, np.sign(change))


def test_foreign_samples_of_any_shape_are_told_as_far_as_they_go() -> None:
    details: list[Any] = [{"best": 3, "groups": [1, [2, {"prompt": "<b>", "response": "x", "advantage": True}]]}, {}]
    details.append({"groups": [[{"response": ["a"] * 500, "logp": ["x"], "moved": [None], "advantage": 1e308}]]})
    for detail in details:
        records = (journal.Record("samples", 1, detail=detail),)
        run = Run("", journal.Journal(journal.Header(), records), "file")
        assert json.loads(told([run], Writer("en"))["samples"][0]["text"])["best"] == []


@pytest.mark.parametrize(
    ("reason", "ending"),
    [
        ("updates", {"how": "", "what": "updates"}),
        ("trl", {"how": "", "what": "trl"}),
        ("stopped", {"how": "stopped", "what": "stopped"}),
        ("train accuracy >= 0.46", {"how": "rule", "where": "train", "what": "accuracy ≥ 0,46"}),
        ("held_out kl <= -1e-05", {"how": "rule", "where": "held_out", "what": "kl ≤ −1e−5"}),
        ("train kl >= 1e999", {"how": "other", "what": "train kl >= 1e999"}),
        (None, {"how": "", "what": ""}),
        ("<b>train</b> accuracy >= x", {"how": "other", "what": "<b>train</b> accuracy >= x"}),
    ],
)
def test_the_end_of_a_run_is_told_in_the_language(reason: str | None, ending: dict[str, str]) -> None:
    run = Run("", journal.Journal(journal.Header(), (journal.Record("end", 1, detail={"reason": reason}),)), "file")
    assert told([run], Writer("ru"))["runs"][0]["ending"] == ending


def test_a_recorded_run_that_met_its_rule_says_which() -> None:
    rule = PROFILES["collapse"].stop[0]
    ending = told([recorded("collapse")], Writer("en"))["runs"][0]["ending"]
    assert (ending["how"], ending["where"]) == ("rule", rule.split)
    assert ending["what"] == f"{rule.metric} ≥ {rule.at_least}"


# ---- files


def test_our_journals_and_trl_s_are_told_apart() -> None:
    assert len(opening.read(text("collapse")).journal.of("update")) == 48
    assert opening.read(TRL).journal.of("update")[1].metrics["reward"] == 0.5
    assert len(opening.read(json.dumps(json.loads(TRL)["log_history"])).journal.records) == 2


def test_a_torn_last_line_is_dropped_and_told_but_a_wrong_one_is_refused() -> None:
    lines = text("collapse").splitlines()
    torn = opening.read("\n".join([*lines[:20], lines[20][:50]]))
    assert torn.cut
    assert len(torn.journal.records) == 19
    with pytest.raises(DomainError, match="line 21"):
        opening.read("\n".join([*lines[:20], '{"kind": "update", "update": "soon"}']))


@pytest.mark.parametrize(
    "bad", ["", "   ", "hello", "{}", "[]", "[" * 5000, '{"journal": "journal/9"}', "\0\1", "null\n" * 9]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_is_no_journal_gets_a_sentence_and_changes_nothing(
    own_desk: desk.Desk, bad: str, language: str
) -> None:
    answer = json.loads(desk.open_file("x.jsonl", bad, language))
    assert answer["fault"]
    assert own_desk.files == {}


def test_three_runs_have_their_sentence(own_desk: desk.Desk) -> None:
    desk.open_file("x", TRL, "en")
    shown = engine.answer("dashboard", "en", "")
    assert shown["summary"].startswith("Runs on the board: 3.")


def test_the_board_holds_four_runs_and_says_when_it_is_full(own_desk: desk.Desk) -> None:
    own_desk.beside([recorded("healthy"), recorded("collapse")])
    assert [list(json.loads(desk.open_file(f"{at}", TRL, "en"))) for at in range(3)] == [
        ["opened"],
        ["opened"],
        ["full"],
    ]
    assert len(own_desk.beside([recorded("healthy"), recorded("collapse")])) == 4
    key = next(iter(own_desk.files))
    desk.put_away(key)
    assert "opened" in json.loads(desk.open_file("again", TRL, "en"))


# ---- the live run


def short(**values: Any) -> dict[str, Any]:
    defaults = {control.name: control.default for control in engine.lab_of("train").controls}
    return {**defaults, "updates": 4, "batch": 2, "G": 4, "every": 2, "reference": "none", **values}


def test_the_presets_are_the_two_recorded_profiles() -> None:
    for name, preset in (("healthy", "healthy"), ("collapse", "surprise")):
        address = engine.query_of("train", engine.lab_of("train").presets[preset])
        values, problems, _ = engine.state_of("train", "en", address)
        made, wanted = recipe.recipe(values).to_dict(), PROFILES[name].to_dict()
        assert problems == []
        # Only the pieces in which evaluations are computed differ.
        made["evaluation"].pop("chunk"), wanted["evaluation"].pop("chunk")
        made["protocol"] = {**made["protocol"], "clip": wanted["protocol"]["clip"]}
        assert made == wanted


def test_the_lab_s_run_is_the_recipe_s_run_and_its_journal_can_be_downloaded(own_desk: desk.Desk) -> None:
    work = Process(engine.lab_of("train").compute(short()))  # type: ignore[arg-type]
    cases = []
    while not work.ended:
        work.advance(1)
        assert work.frame is not None
        cases.append(work.frame.case)
    assert set(cases) == {"ready", "running", "ended"}
    assert work.share == 1
    assert engine.show("train", "ru", work.frame, short())["summary"].startswith("Прогон закончен на обновлении 4.")  # type: ignore[arg-type]
    found = journal.read(desk.download("live"))
    assert found.finished
    assert [record.update for record in found.of("update")] == [1, 2, 3, 4]
    assert set(found.of("update")[0].metrics) == set(UPDATE_METRICS) - {"peak_memory"}
    assert recipe.recipe(short()).to_dict() == found.header.recipe


def test_leaving_and_returning_goes_on_with_the_very_same_run(own_desk: desk.Desk) -> None:
    whole = Process(engine.lab_of("train").compute(short()))  # type: ignore[arg-type]
    whole.advance(10**6)
    wanted = desk.download("live")

    own_desk.live = None
    first = Process(engine.lab_of("train").compute(short()))  # type: ignore[arg-type]
    while own_desk.live is None or own_desk.live.checkpoint_update < 2:
        first.advance(1)
    taken = json.loads(desk.take())
    kept, update = desk.checkpoint(), taken["checkpoint"]
    assert (taken["first"], taken["trained"], update) == (True, True, 2)

    fresh = desk.DESK = desk.Desk()
    import web.dashboard.training as training

    training.DESK = fresh
    assert json.loads(desk.bring("\n".join(taken["lines"]), kept, update, "en")) == {"update": 2}
    again = Process(engine.lab_of("train").compute(short()))  # type: ignore[arg-type]
    again.advance(1)
    assert len(fresh.live.journal.of("update")) == 2  # type: ignore[union-attr]
    again.advance(10**6)
    assert desk.download("live") == wanted


def test_a_damaged_kept_run_is_left_aside(own_desk: desk.Desk) -> None:
    assert "fault" in json.loads(desk.bring("not a journal", b"", 3, "ru"))
    assert own_desk.saved is None


def test_a_run_that_is_changed_midway_is_kept_for_comparison(own_desk: desk.Desk) -> None:
    first = Process(engine.lab_of("train").compute(short()))  # type: ignore[arg-type]
    first.advance(6)
    second = Process(engine.lab_of("train").compute(short(G=5)))  # type: ignore[arg-type]
    second.advance(1)
    assert [run.origin for run in own_desk.files.values()] == ["kept"]
    assert len(next(iter(own_desk.files.values())).journal.of("update")) >= 1


def test_a_run_that_is_stopped_says_so_in_its_journal(own_desk: desk.Desk) -> None:
    work = Process(engine.lab_of("train").compute(short(updates=500)))  # type: ignore[arg-type]
    work.advance(5)
    work.stop()
    work.advance(10)
    assert work.ended
    assert journal.read(desk.download("live")).of("end")[0].detail == {"reason": "stopped"}
