"""Oracles: step 6.5's table of pulls, worked there on the objective itself; the presets' known axes; plane geometry."""

import json

import numpy as np
import pytest

from pycore.presets import LIBRARIES, PAPERS
from pycore.protocol import PRESETS as PROTOCOLS
from web.labs import engine
from web.labs.engine import frame, lab_of
from web.labs.variants.batch import pulls
from web.labs.variants.lab import FRESH, LENGTHS, RUNAWAY

PRESETS = lab_of("variants").presets


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("grpo", [0, 0.8, 1.1, 0.9]),
        ("dapo", [0, 0.8, 1.1, 0.9]),
        ("cispo", [3, 0.8, 1.1, 0.9]),
        ("gspo", [0, 0, 0, 0]),
        ("sapo", [1.26, 0.79, 1.10, 0.90]),
    ],
)
def test_step_6_5_one_token_of_a_good_response_has_run_off(name: str, wanted: list[float]) -> None:
    assert pulls(name, RUNAWAY, 0.0)[:4] == pytest.approx(wanted, abs=0.005)


def test_eight_axes_of_dapo_change_nothing_here_and_four_of_cispo_do() -> None:
    dapo, cispo = frame("variants", chosen="dapo"), frame("variants")
    assert (dapo.values["axes"], dapo.case) == (8, "words")
    assert dapo.values["turn"] == pytest.approx(0, abs=1e-6)
    assert (cispo.values["axes"], cispo.case) == (4, "turned")
    before, after = np.array([0, 0.8, 1.1, 0.9, *[-1] * 4]), np.array([3, 0.8, 1.1, 0.9, *[-1] * 4])
    cosine = before @ after / np.linalg.norm(before) / np.linalg.norm(after)
    assert cispo.values["turn"] == pytest.approx(np.degrees(np.arccos(cosine)), abs=1e-3)
    assert "49" in engine.reveal("variants", "en")


def test_step_2_4_a_token_of_the_longer_response_is_pulled_half_as_hard_by_grpo_only() -> None:
    grpo, dr_grpo = (pulls(name, LENGTHS, 0.0) for name in ("grpo", "dr_grpo"))
    assert grpo[[0, 3]] / 18 == pytest.approx([0.0833, 0.0417], abs=5e-5)
    assert dr_grpo[0] == pytest.approx(dr_grpo[3])


def test_trls_cispo_cuts_fresh_tokens_to_a_fifth_and_its_deviation_takes_the_root_of_two() -> None:
    shown = frame("variants", **PRESETS["surprise"])
    assert shown.case == "scaled"
    assert shown.values["strength"] == pytest.approx(0.2 / 2**0.5, rel=1e-3)
    assert pulls("verl-0.9.1/cispo", RUNAWAY, 0.0)[0] == pytest.approx(1.2 / 2**0.5, rel=1e-3)


def test_every_name_is_on_the_map_of_its_library_and_its_axes_are_counted() -> None:
    seen = set()
    for library in ("none", "trl-1.16.0", "trl-1.9.2", "verl-0.9.1"):
        rows = frame("variants", library=library).rows
        seen |= set(rows["name"])
        for name, axes in zip(rows["name"], rows["axes"], strict=True):
            assert axes == len(PROTOCOLS[name].nearest(("grpo",)).differences)
    assert seen == {*PAPERS, *LIBRARIES}


def test_a_name_of_a_library_that_is_not_shown_is_drawn_when_it_is_chosen() -> None:
    shown = frame("variants", chosen="verl-0.9.1/cispo")
    assert np.asarray(shown.sources["chosen"]["name"]).tolist() == ["verl-0.9.1/cispo"]


def test_the_papers_lie_where_they_lie_whatever_is_shown_beside_them() -> None:
    alone, crowded = (frame("variants", library=one).sources["papers"] for one in ("none", "verl-0.9.1"))
    assert np.asarray(alone["x"]).tolist() == np.asarray(crowded["x"]).tolist()


def test_the_nearest_name_is_the_protocols_own_word() -> None:
    shown = frame("variants", chosen="luspo")
    assert shown.values["nearest"] == "gspo"
    assert "sum of each response" in shown.texts["nearest"]["en"]  # type: ignore[index]


def test_the_differences_are_data() -> None:
    changed = json.loads(str(frame("variants", chosen="dr_grpo").texts["data"]))
    assert set(changed) == {"scale", "aggregation", "kl_coefficient"}
    assert changed["scale"] == {"grpo": "group_std", "dr_grpo": "none"}


def test_the_text_of_tokens_says_what_the_bars_show() -> None:
    shown = frame("variants")
    lines = [line.split() for line in str(shown.texts["tokens"]).splitlines()]
    assert lines[0] == ["response", "ratio", "grpo", "cispo"]
    assert [float(line[3]) for line in lines[1:]] == pytest.approx(pulls("cispo", RUNAWAY, 0.0).tolist(), abs=5e-5)
    assert [float(line[2]) for line in lines[1:]] == pytest.approx(
        np.asarray(shown.sources["before"]["pull"]).tolist(), abs=5e-5
    )


def test_the_reference_matters_only_to_who_pays_for_kl() -> None:
    far, near = (frame("variants", chosen="sapo", gap=gap, runs=FRESH) for gap in (-0.5, 0.0))
    assert far.values["turn"] != near.values["turn"]
    assert far.values["pull"] == near.values["pull"]


@pytest.mark.parametrize("name", ["dr_grpo", "trl-1.16.0/cispo", "ppo_clip"])
def test_the_composer_opens_with_the_same_protocol_and_the_same_pulls(name: str) -> None:
    query = engine.respond("variants", "en", {**_defaults(), "chosen": name, "runs": LENGTHS})["onward"]["composer"]
    state, problems, _ = engine.state_of("composer", "en", query)
    assert problems == []
    shown = lab_of("composer").frame(state)
    pushed = np.asarray(shown.rows["token"]) * 18
    first = [0, 3, 9, 12]
    assert pushed == pytest.approx(pulls(name, LENGTHS, 0.0)[first], abs=2e-3)


def _defaults() -> dict[str, object]:
    return {control.name: control.default for control in lab_of("variants").controls}
