"""Oracle: transformers' own logits processors for temperature, top-k and top-p."""

import numpy as np
import pytest
import torch
from transformers.generation.logits_process import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from pycore.decoding import Decoding, behaviour_log_probs


@pytest.mark.parametrize("temperature", [0.6, 1.0, 1.7])
@pytest.mark.parametrize("top_k", [None, 1, 20])
@pytest.mark.parametrize("top_p", [0.3, 0.95, 1.0])
def test_the_behaviour_policy_is_the_one_transformers_samples_from(temperature, top_k, top_p):
    logits = np.random.default_rng(0).normal(0, 3, (40, 200))
    scores = TemperatureLogitsWarper(temperature)(None, torch.tensor(logits))
    if top_k is not None:
        scores = TopKLogitsWarper(top_k)(None, scores)
    if top_p < 1:
        scores = TopPLogitsWarper(top_p)(None, scores)
    ours = behaviour_log_probs(logits, Decoding(temperature, top_k, top_p))
    np.testing.assert_allclose(ours, torch.log_softmax(scores, dim=-1), atol=1e-9)


def test_ties_at_the_kth_place_are_kept_as_in_transformers():
    logits = [[1.0, 0.0, 0.0, -1.0]]
    theirs = TopKLogitsWarper(2)(None, torch.tensor(logits)).isfinite()
    assert np.isfinite(behaviour_log_probs(logits, Decoding(top_k=2))).tolist() == theirs.tolist()
