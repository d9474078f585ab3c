"""Oracle: the course's own sums (curriculum, "Rewards for RLVR"), worked out by hand."""

import pytest

from pycore.domain import DomainError
from pycore.verify import NumericContract
from pycore.verify.reward import accuracy_reward, compose, format_reward, reward_parts, rlvr_reward


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("6 * 7 = 42\n#### 42", 1.1),
        ("#### 7", 0.1),  # pay for form alone
        ("42", 0.0),  # right, but without the marker
        ("#### 41\n#### 42", 1.0),  # right, but two markers
        ("#### forty-two", 0.0),
        ("####", 0.0),
        ("#### 42 43", 0.0),
        ("#### " + " ".join(map(str, range(1, 101))), 0.0),  # the number is in there somewhere
        ("<think>#### 42</think>", 0.0),
        ("<think>#### 41</think>#### 42", 1.1),
    ],
)
def test_the_course_reward_pays_the_number_and_the_form(text, reward):
    assert rlvr_reward(text, 42) == reward


def test_the_components_are_reported_apart():
    reward = reward_parts("#### 7", 42, accuracy=1.0, format=0.25)
    assert reward.raw() == {"accuracy": 0.0, "format": 1.0}
    assert [component.value for component in reward.components] == [0.0, 0.25]
    assert reward.total == 0.25


def test_another_contract_can_pay_a_box():
    contract = NumericContract(sources=("boxed",))
    assert accuracy_reward("\\boxed{42}", 42, contract=contract) == 1.0
    assert rlvr_reward("\\boxed{42}", 42, contract=contract) == 1.0  # no marker, no pay for form


def test_the_marker_is_the_contracts():
    contract = NumericContract(sources=("marker",), marker="Ответ:")
    assert format_reward("Ответ: 7", contract=contract) == 1.0
    assert format_reward("#### 7", contract=contract) == 0.0


@pytest.mark.parametrize("text", [None, 42, b"#### 42"])
def test_what_is_not_text_earns_nothing(text):
    assert rlvr_reward(text, 42) == 0.0


def test_a_gate_withholds_a_component_until_another_is_positive():
    weights, gates = {"accuracy": 1.0, "short": 0.5}, {"short": "accuracy"}
    assert compose({"accuracy": 0.0, "short": 1.0}, weights, gates).total == 0.0
    paid = compose({"accuracy": 1.0, "short": 1.0}, weights, gates)
    assert paid.total == 1.5
    assert paid.raw()["short"] == 1.0


def test_a_closed_gate_still_reports_what_it_withheld():
    reward = compose({"accuracy": 0.0, "short": 1.0}, {"accuracy": 1.0, "short": 0.5}, {"short": "accuracy"})
    assert reward.raw() == {"accuracy": 0.0, "short": 1.0}


def test_the_order_of_components_does_not_change_the_total():
    parts = {"a": 0.1, "b": 0.2, "c": 0.3, "d": -0.6}
    ones = dict.fromkeys(parts, 1.0)
    backwards = dict(reversed(parts.items()))
    assert compose(parts, ones).total == compose(backwards, ones).total


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_component_that_is_not_finite_is_refused_by_name(bad):
    with pytest.raises(DomainError, match=r"raw\['format'\] = (nan|inf): allowed is a finite number"):
        compose({"format": bad}, {"format": 1.0})
    with pytest.raises(DomainError, match=r"weights\['format'\]"):
        compose({"format": 1.0}, {"format": bad})


def test_every_component_needs_its_weight_and_every_gate_its_component():
    with pytest.raises(DomainError, match="one weight for each of accuracy, format"):
        compose({"accuracy": 1.0, "format": 1.0}, {"accuracy": 1.0})
    with pytest.raises(DomainError, match="gates"):
        compose({"accuracy": 1.0}, {"accuracy": 1.0}, {"accuracy": "correct"})
