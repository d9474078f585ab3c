"""Oracle: the protocol's own numbers, which must appear, and the balance of LaTeX's brackets."""

from dataclasses import replace

import pytest

from pycore.domain import DomainError
from pycore.protocol import PRESETS, Protocol


@pytest.mark.parametrize("name", PRESETS)
def test_the_formula_is_balanced_latex_without_delimiters(name):
    text = PRESETS[name].formula("latex")
    assert text.count("{") == text.count("}")
    assert text.count(r"\Big[") == text.count(r"\Big]")
    assert text.count(r"\big(") == text.count(r"\big)")
    assert text.startswith(r"\begin{aligned}")
    assert text.endswith(r"\end{aligned}")
    assert "$" not in text
    assert "None" not in text


def test_grpo_is_written_as_in_its_paper():
    text = PRESETS["grpo"].formula()
    assert r"\frac{1}{|o_i|}\sum_{t=1}^{|o_i|}" in text
    assert r"\min\big(\rho_{i,t} A_i,\,\operatorname{clip}(\rho_{i,t},0.8,1.2)\,A_i\big)-0.04\,K_{i,t}" in text
    assert r"A_i=\frac{r_i-\operatorname{mean}(r)}{\operatorname{std}(r)+10^{-6}}" in text
    assert r"K_{i,t}=u_{i,t}-\log u_{i,t}-1" in text


def test_different_computations_have_different_formulas():
    papers = [PRESETS[name].formula() for name in ("grpo", "dr_grpo", "dapo", "gspo", "cispo", "gmpo", "sapo", "rloo")]
    assert len(set(papers)) == len(papers)


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ({"clip": "dual", "clip_cap": 3.0}, "3A_i"),
        ({"clip": "delta", "clip_cap": 1.5}, r"\min(\rho_{i,t},1.5)"),
        ({"clip": "asymmetric", "clip_high": float("inf")}, r"\infty"),
        ({"aggregation": "constant", "max_tokens": 77}, "77"),
        ({"kl_coefficient": 0.5, "kl_ratio": True}, r"-0.5\,\rho_{i,t}K_{i,t}"),
        ({"kl_coefficient": 0.5, "kl_gradient": "k2"}, r"\nabla K_{i,t}"),
        ({"kl_coefficient": 0.5, "kl_placement": "reward"}, r"r_i\leftarrow r_i-0.5\sum_t K"),
        ({"entropy_coefficient": 0.01}, r"+0.01\,\operatorname{mean}_{i,t}H_{i,t}"),
        ({"clip_low": 3e-4, "clip_high": 3e-4}, "0.9997,1.0003"),
        ({"dynamic_sampling": True}, r"\max_i r_i>\min_i r_i"),
        ({"overlong_cache": 24}, r"\tfrac{1000-|o_i|}{24}"),
        ({"ddof": 1}, r"\operatorname{std}^{\mathrm{ddof}=1}(r)"),
        ({"eps": 0}, r"{\operatorname{std}(r)}"),
    ],
)
def test_each_axis_shows_in_the_formula(axes, expected):
    assert expected in replace(Protocol(), **axes).formula()


def test_an_unknown_dialect_is_refused():
    with pytest.raises(DomainError, match="one of latex"):
        Protocol().formula("mathml")


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("changes", [{}, {"kl_coefficient": 0.1}, {"kl_coefficient": 0.1, "kl_placement": "reward"}])
def test_every_symbol_of_a_formula_is_defined_in_it(name, changes):
    written = replace(PRESETS[name], **changes).formula()
    for symbol in (r"\rho_{i,t}", "s_i", "w_i", r"\tau_i", "K_{i,t}", "u_{i,t}"):
        assert symbol not in written or symbol + "=" in written, symbol
