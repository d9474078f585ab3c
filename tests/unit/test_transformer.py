"""Oracle: parameters and arrays of a tiny model counted by listing every tensor, and one published total."""

import math

import pytest

from pycore.domain import DomainError
from pycore.transformer import (
    QWEN3_06B,
    Transformer,
    activation_bytes,
    kv_cache_bytes,
    logit_bytes,
    lora_parameters,
)

TINY = Transformer(
    layers=2, hidden=8, heads=4, kv_heads=2, head_size=3, intermediate=20, vocabulary=50, tied=False, head_norm=True
)


def test_parameters_are_the_sum_of_all_tensors():
    block = [(8, 12), (8, 6), (8, 6), (12, 8), (8, 20), (8, 20), (20, 8), (8,), (8,), (3,), (3,)]
    tensors = 2 * block + [(50, 8), (8, 50), (8,)]
    assert TINY.parameters == sum(map(math.prod, tensors))


def test_the_06b_model_has_596_million_parameters():
    assert QWEN3_06B.parameters == 596_049_920


def test_an_adapter_is_two_thin_matrices_for_each_matrix():
    assert lora_parameters(TINY, 2, ["q", "down"]) == 2 * (2 * 8 + 2 * 12 + 2 * 20 + 2 * 8)
    assert lora_parameters(TINY, 2, ["q", "q"]) == lora_parameters(TINY, 2, ["q"])
    assert lora_parameters(QWEN3_06B, 8) / QWEN3_06B.parameters < 0.005


def test_the_cache_holds_one_key_and_one_value_per_head_layer_and_token():
    assert kv_cache_bytes(TINY, sequences=5, tokens=7) == 5 * 7 * 2 * (2 * 3 + 2 * 3) * 2


def test_logits_are_larger_than_the_activations_of_a_checkpointed_small_model():
    assert logit_bytes(TINY, 2, 3) == 2 * 3 * 50 * 2 * 4
    assert logit_bytes(QWEN3_06B, 8, 512) > 10 * activation_bytes(QWEN3_06B, 8, 512, checkpointing=True)


def test_checkpointing_keeps_two_bytes_a_block_and_one_block_in_full():
    assert activation_bytes(TINY, 2, 3) == 2 * 3 * 8 * 34 * 2
    assert activation_bytes(TINY, 2, 3, checkpointing=True) == 2 * 3 * 8 * (2 * 2 + 34)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Transformer(0, 8, 4, 2, 3, 20, 50), "layers = 0.0"),
        (lambda: Transformer(2, 8, 4, 5, 3, 20, 50), "kv_heads = 5.0: allowed is an integer from 1 to 4"),
        (lambda: lora_parameters(TINY, 0), "rank = 0.0"),
        (lambda: lora_parameters(TINY, 2, ["head"]), "one of q, k, v, o"),
        (lambda: kv_cache_bytes(TINY, 0, 1), "sequences = 0.0"),
        (lambda: logit_bytes(TINY, 1, 0), "tokens = 0.0"),
        (lambda: activation_bytes(TINY, 1.5, 1), "sequences = 1.5"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
