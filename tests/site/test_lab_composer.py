"""Oracles: the curriculum's numbers (2.4, 3.5), worked by hand there, and the published protocols themselves."""

import numpy as np
import pytest

from pycore.protocol import PRESETS
from web.labs import engine
from web.labs.composer.axes import STARTS, protocol
from web.labs.composer.lab import FILL

DEFAULTS = {control.name: control.default for control in engine.lab_of("composer").controls}


@pytest.mark.parametrize("name", STARTS)
def test_choosing_a_name_composes_exactly_that_protocol(name: str) -> None:
    made, excluded = protocol({**DEFAULTS, **FILL["start"][name]})
    assert excluded == {}
    assert made.canonical() == PRESETS[name].canonical()


def test_step_2_4_the_loss_is_zero_and_the_gradient_is_not() -> None:
    shown = engine.frame("composer")
    assert shown.values["loss"] == pytest.approx(0, abs=1e-12)
    assert shown.rows["token"] == pytest.approx([0.0833, 0.0417, -0.0833, -0.0417], abs=5e-5)


def test_step_3_5_the_default_of_a_library_called_grpo_is_not_the_papers() -> None:
    shown = engine.frame("composer", **engine.lab_of("composer").presets["surprise"])  # type: ignore[arg-type]
    assert shown.values["nearest"] == "trl-1.16.0/dapo"
    assert np.ptp(np.abs(shown.rows["token"])) == pytest.approx(0, abs=1e-9)
    assert "loss_type='dapo'" in shown.texts["trl"]["en"]


def test_axes_that_exclude_each_other_are_mended_and_named() -> None:
    shown = engine.frame("composer", clip="weight", ratio="sequence_mean", baseline="critic")
    assert shown.case == "excluded"
    assert shown.values["excluded"] == 2
    assert "ratio level: response, geometric mean" in shown.texts["excluded"]["en"]
