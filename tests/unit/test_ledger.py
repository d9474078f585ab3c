"""Oracle: the ledger of a 7B model added up by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.ledger import METHODS, OPTIMISERS, PRECISIONS, largest_model, memory, token_cost

methods = st.sampled_from(sorted(METHODS))


@pytest.mark.parametrize(
    ("method", "gigabytes"),
    [
        ("ppo", 7 * (16 + 16 + 2 + 2)),
        ("grpo, reward model", 7 * (16 + 2 + 2)),
        ("grpo, rules", 7 * (16 + 2)),
        ("grpo, rules, beta 0", 7 * 16),
    ],
)
def test_a_7b_model_needs_252_140_126_and_112_gigabytes(method, gigabytes):
    assert memory(7e9, method).gigabytes == gigabytes
    assert gigabytes in (252, 140, 126, 112)


def test_a_trained_parameter_costs_16_bytes_under_mixed_adamw():
    assert OPTIMISERS["adamw mixed"].total == OPTIMISERS["adamw float32"].total == 16
    assert OPTIMISERS["adamw 8-bit"].total == 10
    assert PRECISIONS["4-bit"] == 0.5625


def test_an_adapter_needs_no_copy_for_the_reference():
    with_kl, without = (memory(7e9, name, adapter=1e7) for name in ("grpo, rules", "grpo, rules, beta 0"))
    assert with_kl == without
    assert [(line.role, line.bytes) for line in with_kl.lines] == [("policy base", 14e9), ("policy adapter", 16e7)]
    assert len(memory(7e9, "ppo", adapter=1e7).lines) == 5


@given(
    methods, st.sampled_from(sorted(OPTIMISERS)), st.sampled_from(sorted(PRECISIONS)), st.none() | st.floats(1e-4, 0.1)
)
def test_the_largest_model_fills_the_device(method, optimiser, frozen, share):
    size = largest_model(16e9, method, optimiser, frozen, share)
    ledger = memory(size, method, optimiser, frozen, None if share is None else share * size)
    assert ledger.bytes == pytest.approx(16e9)


def test_what_fits_a_t4():
    assert memory(0.6e9, "grpo, rules, beta 0").gigabytes < 16 < memory(1.5e9, "grpo, rules, beta 0").gigabytes
    assert memory(7e9, "grpo, rules", adapter=1e7).gigabytes < 16 < memory(8e9, "grpo, rules", adapter=1e7).gigabytes
    assert memory(8e9, "grpo, rules", frozen="4-bit", adapter=1e7).gigabytes < 5


def test_a_group_of_g_generates_g_times_more():
    one, eight = (token_cost(7e9, "grpo, rules", 64, group, 100, 400) for group in (1, 8))
    assert eight.generated == 8 * one.generated == 8 * 64 * 400
    assert eight.flops == 8 * one.flops


def test_tokens_by_hand():
    cost = token_cost(10, "ppo", prompts=2, group=3, prompt_tokens=4, response_tokens=5, epochs=2)
    read = 6 * 9
    assert (cost.generated, cost.scored, cost.trained) == (30, 4 * read, 2 * 2 * read)
    assert cost.flops == 10 * (2 * 5 * read + 6 * 4 * read)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: memory(7e9, "dpo"), "method = 'dpo': allowed is one of ppo"),
        (lambda: memory(0, "ppo"), "parameters = 0.0"),
        (lambda: memory(7e9, "ppo", optimiser="lion"), "optimiser = 'lion'"),
        (lambda: memory(7e9, "ppo", frozen="2-bit"), "frozen = '2-bit'"),
        (lambda: memory(7e9, "ppo", adapter=7e9), "adapter = 7"),
        (lambda: largest_model(0, "ppo"), "capacity = 0.0"),
        (lambda: largest_model(1e9, "ppo", adapter_share=1), "adapter_share = 1.0"),
        (lambda: token_cost(7e9, "ppo", 0, 1, 1, 1), "prompts = 0.0"),
        (lambda: token_cost(7e9, "ppo", 1, 1, 1, 1, epochs=0), "epochs = 0.0"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
