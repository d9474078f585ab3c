"""Oracle: the table of step 2.5, 16 and 2 bytes a parameter times the models that each method keeps."""

import pytest

from web.labs.engine import frame


def test_the_four_bills_of_a_model_of_seven_billion() -> None:
    assert list(frame("memory").rows["gigabytes"]) == pytest.approx([252, 140, 126, 112])


def test_the_parts_add_up_to_the_totals() -> None:
    for values in ({}, {"lora": True}, {"size": 0.6, "optimiser": "eight_bit", "frozen": "four_bit"}):
        shown = frame("memory", **values)
        for row, total in enumerate(shown.rows["gigabytes"]):
            ends = [
                end
                for part in ("policy", "critic", "base", "judge")
                for place, end in zip(
                    shown.sources[f"part_{part}"]["row"], shown.sources[f"part_{part}"]["end"], strict=True
                )
                if place == row
            ]
            assert max(ends) == pytest.approx(total)


def test_the_largest_model_fills_the_card() -> None:
    largest = frame("memory").values["fits_grpo_free"]
    assert largest == pytest.approx(1.0)
    assert frame("memory", size=largest).values["grpo_free"] == pytest.approx(16)


def test_a_group_costs_its_size_in_tokens() -> None:
    values = frame("memory", G=64, tokens=8000).values
    assert values["grpo_tokens"] == 64 * 64 * 8000 == 64 * values["ppo_tokens"]
