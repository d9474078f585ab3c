"""The shape of a decoder-only language model, and what follows from it: parameters, adapters, working memory."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from pycore.argument import whole
from pycore.domain import option

MATRICES = ("q", "k", "v", "o", "gate", "up", "down")


@dataclass(frozen=True)
class Transformer:
    """A decoder with grouped-query attention, a gated MLP and RMS norms, without biases.

    Attributes:
        layers: blocks.
        hidden: width of the residual stream.
        heads: query heads.
        kv_heads: key and value heads.
        head_size: width of one head.
        intermediate: width inside the MLP.
        vocabulary: tokens.
        tied: whether the output matrix is the embedding itself.
        head_norm: whether queries and keys have a norm of their own.
    """

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    intermediate: int
    vocabulary: int
    tied: bool = True
    head_norm: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name not in ("tied", "head_norm"):
                whole(field.name, getattr(self, field.name), 1)
        whole("kv_heads", self.kv_heads, 1, self.heads)

    def matrix_shapes(self) -> dict[str, tuple[int, int]]:
        """Input and output width of each matrix of one block, by the names in `MATRICES`."""
        query, value = self.heads * self.head_size, self.kv_heads * self.head_size
        return {
            "q": (self.hidden, query),
            "k": (self.hidden, value),
            "v": (self.hidden, value),
            "o": (query, self.hidden),
            "gate": (self.hidden, self.intermediate),
            "up": (self.hidden, self.intermediate),
            "down": (self.intermediate, self.hidden),
        }

    @property
    def parameters(self) -> int:
        """Number of parameters, norms included."""
        norms = 2 * self.hidden + (2 * self.head_size if self.head_norm else 0)
        block = sum(inner * outer for inner, outer in self.matrix_shapes().values()) + norms
        return self.layers * block + self.hidden + self.vocabulary * self.hidden * (1 if self.tied else 2)


QWEN3_06B = Transformer(
    layers=28,
    hidden=1024,
    heads=16,
    kv_heads=8,
    head_size=128,
    intermediate=3072,
    vocabulary=151_936,
    head_norm=True,
)


def lora_parameters(model: Transformer, rank: int, matrices: Iterable[str] = ("q", "k", "v", "o")) -> int:
    """Trained parameters of low-rank adapters in every block.

    Args:
        model: shape of the frozen model.
        rank: of each adapter, >= 1.
        matrices: which matrices are adapted, names from `MATRICES`.

    Returns:
        layers * sum of rank (inner + outer).

    Raises:
        DomainError: rank < 1 or an unknown matrix.

    >>> lora_parameters(QWEN3_06B, rank=8)
    2293760

    Source: LoRA (2021).
    """
    size, shapes = whole("rank", rank, 1), model.matrix_shapes()
    return model.layers * sum(size * sum(shapes[option("matrices", name, MATRICES)]) for name in set(matrices))


def kv_cache_bytes(model: Transformer, sequences: int, tokens: int, bytes_per_value: int = 2) -> int:
    """Memory of the keys and values kept while responses are generated.

    Args:
        model: shape.
        sequences: responses generated at once, >= 1.
        tokens: prompt and response together, >= 1.
        bytes_per_value: 2 for half precision.

    Returns:
        2 * layers * kv_heads * head_size * tokens * sequences * bytes_per_value.

    Raises:
        DomainError: a count below 1.

    >>> kv_cache_bytes(QWEN3_06B, sequences=8, tokens=1024)
    939524096

    Source: counting; prefixes shared by a group are counted for each response.
    """
    per_token = 2 * model.layers * model.kv_heads * model.head_size * whole("bytes_per_value", bytes_per_value, 1)
    return per_token * whole("sequences", sequences, 1) * whole("tokens", tokens, 1)


def logit_bytes(model: Transformer, sequences: int, tokens: int, copies: int = 2, bytes_per_value: int = 4) -> int:
    """Memory of the logits of one training step, often the largest single array.

    Args:
        model: shape.
        sequences: responses per step, >= 1.
        tokens: positions that are scored, >= 1.
        copies: arrays alive at once: logits and their gradient are 2.
        bytes_per_value: 4 for float32.

    Returns:
        sequences * tokens * vocabulary * copies * bytes_per_value.

    Raises:
        DomainError: a count below 1.

    >>> logit_bytes(QWEN3_06B, sequences=8, tokens=512) / 1e9
    4.978638848

    Source: counting; a fused or chunked loss avoids it.
    """
    size = whole("sequences", sequences, 1) * whole("tokens", tokens, 1) * model.vocabulary
    return size * whole("copies", copies, 1) * whole("bytes_per_value", bytes_per_value, 1)


def activation_bytes(model: Transformer, sequences: int, tokens: int, checkpointing: bool = False) -> int:
    """Estimate of the activations kept for the backward pass in half precision.

    Args:
        model: shape.
        sequences: responses per step, >= 1.
        tokens: prompt and response together, >= 1.
        checkpointing: keep only each block's input and recompute the rest, one block at a time.

    Returns:
        About 34 bytes per token, block and unit of width, or 2 with checkpointing plus one block in full. The
        attention matrix is left out: fused kernels never store it. Within a factor of two, not more exact.

    Raises:
        DomainError: a count below 1.

    >>> activation_bytes(QWEN3_06B, 8, 512), activation_bytes(QWEN3_06B, 8, 512, checkpointing=True)
    (3992977408, 377487360)

    Source: Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models (2022).
    """
    unit = whole("sequences", sequences, 1) * whole("tokens", tokens, 1) * model.hidden
    return unit * (2 * model.layers + 34) if checkpointing else unit * 34 * model.layers
