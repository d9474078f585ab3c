"""What a method must hold in memory and how many tokens it must compute, counted model by model.

Left out of the memory: activations, logits, the key-value cache, fragmentation and the runtime itself, often as much
again; `pycore.transformer` estimates the first three.
"""

from dataclasses import dataclass

import numpy as np

from pycore.argument import scalar, whole
from pycore.domain import option

GIGABYTE = 1e9


@dataclass(frozen=True)
class Bytes:
    """Bytes that one trained parameter costs.

    Attributes:
        weight: the copy that computes.
        gradient: its gradient.
        master: a full-precision copy that is stepped, 0 when there is none.
        moments: running averages of the optimiser.
    """

    weight: float
    gradient: float
    master: float
    moments: float

    @property
    def total(self) -> float:
        """Bytes per trained parameter."""
        return self.weight + self.gradient + self.master + self.moments


OPTIMISERS = {
    "adamw mixed": Bytes(weight=2, gradient=2, master=4, moments=8),
    "adamw float32": Bytes(weight=4, gradient=4, master=0, moments=8),
    "adamw 8-bit": Bytes(weight=2, gradient=2, master=4, moments=2),
    "adamw half": Bytes(weight=2, gradient=2, master=0, moments=4),
    "sgd mixed": Bytes(weight=2, gradient=2, master=4, moments=0),
}

# Four bits and one float32 scale for every 64 weights.
PRECISIONS = {"float32": 4.0, "half": 2.0, "8-bit": 1.0, "4-bit": 0.5 + 4 / 64}

# The models of each method: True for those that are trained.
METHODS: dict[str, dict[str, bool]] = {
    "ppo": {"policy": True, "critic": True, "reference": False, "reward model": False},
    "grpo, reward model": {"policy": True, "reference": False, "reward model": False},
    "grpo, rules": {"policy": True, "reference": False},
    "grpo, rules, beta 0": {"policy": True},
}


@dataclass(frozen=True)
class Line:
    """One entry of the ledger.

    Attributes:
        role: what the parameters are for.
        parameters: how many.
        bytes_per_parameter: at what price.
    """

    role: str
    parameters: float
    bytes_per_parameter: float

    @property
    def bytes(self) -> float:
        """Parameters times price."""
        return self.parameters * self.bytes_per_parameter


@dataclass(frozen=True)
class Ledger:
    """Memory of one training setup, without working memory.

    Attributes:
        lines: one for each model or adapter.
    """

    lines: tuple[Line, ...]

    @property
    def bytes(self) -> float:
        """Sum of the lines."""
        return sum(line.bytes for line in self.lines)

    @property
    def gigabytes(self) -> float:
        """Sum of the lines in units of 10^9 bytes."""
        return self.bytes / GIGABYTE


@dataclass(frozen=True)
class TokenCost:
    """Tokens of one update and the arithmetic they cost.

    Attributes:
        generated: tokens sampled one after another.
        scored: tokens that pass forward once through some model, counted for each model.
        trained: tokens that pass forward and backward, counted for each trained model and epoch.
        flops: 2 per parameter and token forward, 6 forward and backward.
    """

    generated: int
    scored: int
    trained: int
    flops: float


def memory(
    parameters: float,
    method: str,
    optimiser: str = "adamw mixed",
    frozen: str = "half",
    adapter: float | None = None,
    adapter_optimiser: str = "adamw float32",
) -> Ledger:
    """Memory for weights, gradients and optimiser, every model of the same size.

    Args:
        parameters: of the model, >= 1.
        method: one of `METHODS`.
        optimiser: one of `OPTIMISERS`, for fully trained models.
        frozen: one of `PRECISIONS`, for models that are not trained and for the base under an adapter.
        adapter: trained parameters of a LoRA adapter (`pycore.transformer.lora_parameters`); None trains everything.
            The policy without its adapter is then the reference, which costs nothing; a critic is counted as a second
            base with its own adapter.
        adapter_optimiser: one of `OPTIMISERS`, for the adapters.

    Returns:
        `Ledger`.

    Raises:
        DomainError: an unknown name, parameters < 1, an adapter that is not smaller than the model.

    >>> [memory(7e9, method).gigabytes for method in METHODS]
    [252.0, 140.0, 126.0, 112.0]

    Source: 16 bytes a trained and 2 bytes a frozen parameter, as in mixed-precision AdamW.
    """
    size = scalar("parameters", parameters, 1, np.inf, open_high=True)
    roles = METHODS[option("method", method, METHODS)]
    trained = OPTIMISERS[option("optimiser", optimiser, OPTIMISERS)].total
    resting = PRECISIONS[option("frozen", frozen, PRECISIONS)]
    adapted = OPTIMISERS[option("adapter_optimiser", adapter_optimiser, OPTIMISERS)].total
    if adapter is None:
        return Ledger(tuple(Line(role, size, trained if learns else resting) for role, learns in roles.items()))
    extra = scalar("adapter", adapter, 1, size, open_high=True)
    lines: list[Line] = []
    for role, learns in roles.items():
        if role != "reference":
            lines.append(Line(f"{role} base" if learns else role, size, resting))
        if learns:
            lines.append(Line(f"{role} adapter", extra, adapted))
    return Ledger(tuple(lines))


def largest_model(
    capacity: float,
    method: str,
    optimiser: str = "adamw mixed",
    frozen: str = "half",
    adapter_share: float | None = None,
) -> float:
    """Parameters of the largest model whose ledger fills a device completely.

    Args:
        capacity: bytes that are left for the ledger after working memory, > 0; a T4 has 16e9 in all.
        method: one of `METHODS`.
        optimiser: one of `OPTIMISERS`.
        frozen: one of `PRECISIONS`.
        adapter_share: LoRA parameters as a share of the model, in (0, 1); None trains everything.

    Returns:
        Number of parameters, an upper bound.

    Raises:
        DomainError: an unknown name, capacity <= 0, a share outside (0, 1).

    >>> largest_model(16e9, "grpo, rules, beta 0") / 1e9
    1.0

    Source: `memory` is proportional to the parameters.
    """
    room = scalar("capacity", capacity, 0, np.inf, open_low=True, open_high=True)
    unit = 1e9
    if adapter_share is None:
        per_unit = memory(unit, method, optimiser, frozen)
    else:
        share = scalar("adapter_share", adapter_share, 0, 1, open_low=True, open_high=True)
        per_unit = memory(unit, method, optimiser, frozen, adapter=unit * share)
    return unit * room / per_unit.bytes


def token_cost(
    parameters: float,
    method: str,
    prompts: int,
    group: int,
    prompt_tokens: int,
    response_tokens: int,
    epochs: int = 1,
) -> TokenCost:
    """Tokens and arithmetic of one update.

    Args:
        parameters: of every model, >= 1.
        method: one of `METHODS`.
        prompts: per update, >= 1.
        group: responses per prompt, >= 1; PPO usually takes 1.
        prompt_tokens: mean length of a prompt, >= 1.
        response_tokens: mean length of a response, >= 1.
        epochs: passes over the batch, >= 1.

    Returns:
        `TokenCost`. Prompts are prefilled once for every response; old log-probs are scored in a pass of their own.
        Attention's own arithmetic, which grows with the square of the length, is left out.

    Raises:
        DomainError: an unknown method, a count below 1.

    >>> token_cost(7e9, "ppo", 64, 1, 100, 400).generated, token_cost(7e9, "grpo, rules", 64, 8, 100, 400).generated
    (25600, 204800)

    Source: 2 and 6 operations per parameter and token (Kaplan et al. 2020).
    """
    size = scalar("parameters", parameters, 1, np.inf, open_high=True)
    roles = METHODS[option("method", method, METHODS)]
    answers = whole("prompts", prompts, 1) * whole("group", group, 1)
    generated = answers * whole("response_tokens", response_tokens, 1)
    read = generated + answers * whole("prompt_tokens", prompt_tokens, 1)
    scored, trained = read * len(roles), read * sum(roles.values()) * whole("epochs", epochs, 1)
    return TokenCost(generated, scored, trained, size * (2 * (read + scored) + 6 * trained))
