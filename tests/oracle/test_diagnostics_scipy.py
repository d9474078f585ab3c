"""Oracle: scipy for Wilson's interval and the hypergeometric law, torch for the entropy of logits."""

import numpy as np
import pytest
import torch
from scipy.stats import binomtest, hypergeom

from pycore.diagnostics import token_entropy
from pycore.interval import wilson
from pycore.pass_at_k import pass_at_k


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (99, 256), (256, 256)])
def test_wilson_is_scipys(successes, trials):
    found, theirs = wilson(successes, trials, 0.9), binomtest(successes, trials).proportion_ci(0.9, "wilson")
    assert (float(found.low), float(found.high)) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_pass_at_k_is_a_hypergeometric_survival():
    correct = np.arange(129)
    expected = hypergeom.sf(0, 128, correct, 32)
    np.testing.assert_allclose(pass_at_k(np.full(129, 128), correct, 32), expected, rtol=1e-9)


def test_token_entropy_is_torchs():
    logits = np.random.default_rng(0).normal(0, 4, (50, 300))
    expected = torch.distributions.Categorical(logits=torch.tensor(logits)).entropy()
    np.testing.assert_allclose(token_entropy(logits), expected, rtol=1e-10)
