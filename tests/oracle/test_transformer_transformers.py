"""Oracle: the transformers library's own modules, built on the meta device and counted."""

import pytest
import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

from pycore.transformer import QWEN3_06B, Transformer, lora_parameters

SMALL = Transformer(3, 32, 4, 2, 16, 80, 100, tied=False, head_norm=True)


def build(shape: Transformer) -> torch.nn.Module:
    config = Qwen3Config(
        num_hidden_layers=shape.layers,
        hidden_size=shape.hidden,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_size,
        intermediate_size=shape.intermediate,
        vocab_size=shape.vocabulary,
        tie_word_embeddings=shape.tied,
    )
    with torch.device("meta"):
        return Qwen3ForCausalLM(config)


@pytest.mark.parametrize("shape", [QWEN3_06B, SMALL])
def test_the_model_has_as_many_parameters_as_transformers_builds(shape):
    model = build(shape)
    assert sum(weight.numel() for weight in model.parameters()) == shape.parameters


def test_adapters_add_a_row_and_a_column_of_rank_to_every_matrix():
    names = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "o_proj", "gate": "gate_proj", "down": "down_proj"}
    model = build(SMALL)
    for short, name in names.items():
        modules = [module for path, module in model.named_modules() if path.endswith(name)]
        expected = sum(4 * (module.in_features + module.out_features) for module in modules)
        assert lora_parameters(SMALL, 4, [short]) == expected
