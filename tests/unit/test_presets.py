"""Oracle: the axes each paper or library is known for, as the lesson's table of variants states them."""

import pytest

from pycore.presets import DEFAULTS, LIBRARIES, PAPERS
from pycore.protocol import PRESETS


def test_every_name_of_the_course_is_there():
    names = "reinforce reinforce_baseline rloo grpo dr_grpo dapo gspo cispo gmpo sapo luspo maxrl gpg opo"
    assert {*names.split(), "reinforce_pp", "ppo_clip"} == set(PAPERS)
    losses = "grpo bnpo dr_grpo dapo cispo sapo vespo luspo"
    for version in ("1.9.2", "1.16.0"):
        assert {f"trl-{version}/{loss}" for loss in losses.split()} <= set(LIBRARIES)
    assert set(DEFAULTS) == {"trl-1.9.2", "trl-1.16.0", "verl-0.9.1"}


@pytest.mark.parametrize(
    ("name", "axes"),
    [
        ("grpo", {"baseline": "mean", "scale": "group_std", "aggregation": "response_mean", "kl": "k3"}),
        ("dr_grpo", {"scale": "none", "aggregation": "constant", "kl_coefficient": 0}),
        ("dapo", {"clip_low": 0.2, "clip_high": 0.28, "aggregation": "token_mean", "dynamic_sampling": True}),
        ("gspo", {"ratio": "sequence_mean", "clip_low": 3e-4, "clip_high": 4e-4}),
        ("rloo", {"baseline": "leave_one_out", "scale": "none", "clip": "none"}),
        ("trl-1.9.2", {"aggregation": "token_mean", "scale": "group_std", "ratio": "token", "kl_coefficient": 0}),
        ("trl-1.9.2/cispo", {"weight_ceiling": 0.2, "weight_floor": 0}),
        ("trl-1.16.0", {"kl_ratio": True, "eps": 1e-4, "ddof": 1}),
        ("verl-0.9.1", {"clip": "dual", "clip_cap": 3, "singleton": "reward", "eps": 1e-6, "ddof": 1}),
        ("verl-0.9.1/cispo", {"weight_floor": 0.8, "weight_ceiling": 1.2}),
    ],
)
def test_a_preset_has_the_axes_it_is_known_for(name, axes):
    assert {axis: getattr(PRESETS[name], axis) for axis in axes} == axes


def test_grpo_without_std_length_mean_and_kl_is_dr_grpo():
    differences = {d.axis for d in PRESETS["dr_grpo"].nearest(("grpo",)).differences}
    assert differences == {"scale", "aggregation", "kl_coefficient"}


def test_no_published_preset_repeats_another():
    canonical = [PRESETS[name].canonical() for name in PAPERS]
    assert len(set(canonical)) == len(canonical)
