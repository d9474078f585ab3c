"""Oracle: the round trip through each of the three written forms, and faults worked out by hand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.control import Choice, Number, Numbers, Switch
from pycore.scenario import LONGEST_QUERY, SEED, Scenario, ScenarioError

CATALOGUE = {
    "signal": (
        Number("p", 0.1, low=0, high=1, step=0.01),
        Number("G", 8, low=2, high=64, step=1, integer=True),
        Choice("scale", ("group_std", "none"), "group_std"),
        Switch("dual"),
        Numbers("rewards", (1, 0), low=-10, high=10, fewest=1, most=4),
        SEED,
    ),
    "clip": (Number("low", 0.2, low=0, high=1, step=0.01),),
}

scenarios = st.builds(
    Scenario,
    st.just("signal"),
    st.fixed_dictionaries(
        {
            "p": st.floats(0, 1),
            "G": st.integers(2, 64),
            "scale": st.sampled_from(["group_std", "none"]),
            "dual": st.booleans(),
            "rewards": st.lists(st.floats(-10, 10), min_size=1, max_size=4).map(tuple),
        }
    ),
    st.integers(0, 2**31 - 1),
)


@given(scenarios)
def test_every_written_form_reads_back_as_the_same_scenario(scenario):
    assert Scenario.from_query("?" + scenario.to_query(), catalogue=CATALOGUE) == scenario
    assert Scenario.from_code(scenario.to_code(), catalogue=CATALOGUE) == scenario
    assert Scenario.from_json(scenario.to_json(), catalogue=CATALOGUE) == scenario


def test_the_default_scenario_needs_no_catalogue():
    assert Scenario.from_query(Scenario.default().to_query()) == Scenario.default()
    assert Scenario.default(CATALOGUE).controls["G"] == 8


def test_without_a_catalogue_values_keep_their_kind():
    scenario = Scenario.from_query("lab=clip&low=0.2&dual=true&rewards=1,0,0&scale=none&n=3&seed=5")
    assert scenario.controls == {"low": 0.2, "dual": True, "rewards": (1.0, 0.0, 0.0), "scale": "none", "n": 3}
    assert (scenario.lab, scenario.seed) == ("clip", 5)


def test_the_query_reads_like_a_sentence():
    assert (
        Scenario("signal", {"p": 0.1, "rewards": (1.0, 0.5)}, 7).to_query() == "lab=signal&p=0.1&rewards=1,0.5&seed=7"
    )


def test_every_fault_is_named_and_the_rest_is_kept():
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_query("p=7&G=16&scale=median&colour=red&G=3&seed=-1", catalogue=CATALOGUE, lab="signal")
    kinds = [(p.kind, p.field, p.value) for p in caught.value.problems]
    assert kinds == [
        ("repeated", "G", "3"),
        ("out_of_range", "p", "7"),
        ("out_of_range", "scale", "median"),
        ("unknown_control", "colour", "red"),
        ("out_of_range", "seed", "-1"),
    ]
    assert caught.value.problems[1].allowed == "0..1"
    nearest = caught.value.nearest
    assert nearest.controls["p"] == 1
    assert nearest.controls["G"] == 16
    assert nearest.controls["scale"] == "group_std"
    assert Scenario.from_query(nearest.to_query(), catalogue=CATALOGUE) == nearest


def test_the_page_of_a_lab_refuses_the_query_of_another():
    with pytest.raises(ScenarioError, match="unknown_lab: lab = clip, allowed is signal"):
        Scenario.from_query("lab=clip", catalogue=CATALOGUE, lab="signal")


def test_an_unknown_lab_opens_the_first_one():
    with pytest.raises(ScenarioError, match="allowed is signal, clip") as caught:
        Scenario.from_query("lab=nowhere&p=0.5", catalogue=CATALOGUE)
    assert caught.value.nearest == Scenario.default(CATALOGUE)


def test_a_newer_version_is_said_not_guessed():
    with pytest.raises(ScenarioError, match="newer_version"):
        Scenario.from_query("v=2&p=0.5", catalogue=CATALOGUE)


def test_a_cut_or_mistyped_code_is_refused():
    code = Scenario("signal", {"p": 0.25}).to_code()
    for wrong in (code[:-1], code[1:], code.replace(".", ""), "", "é", code[:5] + "A" + code[6:], "x" * 10**6):
        with pytest.raises(ScenarioError, match="malformed: code"):
            Scenario.from_code(wrong)


HOSTILE = (
    *("", "{", "[]", "1", "[" * 100_000, '{"controls": 3}', '{"lab": ["signal"]}', '{"seed": "now"}', '{"version": 9}'),
    *('{"controls": {"p": {"a": 1}}}', '{"controls": {"rewards": [1, [2]]}}', '{"controls": {"p": NaN}}'),
    *('{"controls": {"p": 1e999}}', '{"controls": {"p": [Infinity]}}', '{"controls": {"p": ' + "9" * 4000 + "}}"),
)


@pytest.mark.parametrize("text", HOSTILE)
def test_json_from_elsewhere_never_escapes_the_form(text):
    for catalogue in (None, CATALOGUE):
        with pytest.raises(ScenarioError) as caught:
            Scenario.from_json(text, catalogue=catalogue)
        assert json.loads(caught.value.nearest.to_json())["lab"] == "signal"


@given(st.text(max_size=200))
def test_any_query_at_all_leads_to_a_valid_scenario(query):
    try:
        found = Scenario.from_query(query, catalogue=CATALOGUE)
    except ScenarioError as error:
        found = error.nearest
    assert Scenario.from_query(found.to_query(), catalogue=CATALOGUE) == found


def test_a_query_beyond_all_measure_is_cut_short():
    with pytest.raises(ScenarioError, match="too_long"):
        Scenario.from_query("p=" + "9" * LONGEST_QUERY, catalogue=CATALOGUE)
    with pytest.raises(ScenarioError, match="unknown_control"):
        Scenario.from_query("&".join(f"a{i}=1" for i in range(500)))


def test_a_bad_code_leads_to_a_lab_that_the_catalogue_has():
    with pytest.raises(ScenarioError) as refused:
        Scenario.from_code("nonsense", catalogue={"other": CATALOGUE["signal"]})
    assert refused.value.nearest.lab == "other"
