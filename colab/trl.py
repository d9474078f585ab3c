"""A Protocol as arguments of TRL 1.16.0's GRPOConfig, each axis exactly or refused; nothing is imported from TRL.

TRL clips, weights and averages in `GRPOTrainer._compute_loss`; its loss type chooses the denominator. Micro-batches of
equal size leave means over responses as they are; means over tokens are `bnpo` (each micro-batch its own) or `dapo`
(the whole batch's). One difference no argument removes: rewards pass through float32, so a group whose rewards differ
by rounding alone is flat for us and not for TRL. Rewards that binary fractions write exactly, such as 0.25, avoid it.
"""

from typing import Any

from colab.mapping import UnmappedError
from pycore.protocol import Protocol

LIBRARY = "TRL 1.16.0"
NEVER = 1e9  # a bound that no ratio meets
BY_ROWS = {"response_mean": "grpo", "constant": "dr_grpo", "sequence_sum": "luspo"}
SCALES = {"group_std": "group", "batch_std": "batch", "none": "none"}
LEVELS = {"token": "token", "sequence_mean": "sequence"}


def fixed(protocol: Protocol) -> dict[str, Any]:
    """What TRL computes in one way only, for `colab.mapping.adopt`.

    >>> fixed(Protocol())["eps"]
    0.0001
    """
    return {
        "ddof": 1,
        "eps": 1e-4,
        "count_empty": True,
        "kl_gradient": "own",
        "kl_placement": "loss",
        "entropy_aggregation": "token_mean",
    }


def arguments(protocol: Protocol, *, group: int, response_tokens: int, whole: bool = False) -> dict[str, Any]:
    """Arguments of GRPOConfig for the axes of a protocol.

    Args:
        protocol: how an update is computed.
        group: responses a prompt.
        response_tokens: length limit of a response.
        whole: whether an update is one backward pass on one device, without micro-batches.

    Raises:
        UnmappedError: names every axis that TRL cannot follow, and why.

    >>> from dataclasses import replace
    >>> found = arguments(replace(Protocol(), ddof=1, eps=1e-4), group=8, response_tokens=512)
    >>> found["loss_type"], found["epsilon"]
    ('grpo', 0.2)
    """
    canonical = protocol.canonical()
    refused: dict[str, str] = {}
    values = {
        **_advantages(canonical, group, refused),
        **_surrogate(canonical, refused),
        "loss_type": _loss_type(canonical, whole, refused),
        **_kl(canonical, refused),
        **_entropy(canonical, whole, refused),
        **_sampling(canonical, response_tokens, refused),
    }
    if refused:
        raise UnmappedError(LIBRARY, protocol, refused)
    return values


def _advantages(protocol: Protocol, group: int, refused: dict[str, str]) -> dict[str, Any]:
    if protocol.baseline == "leave_one_out":
        refused["baseline"] = "TRL's GRPO subtracts the group's mean; leaving one out is n/(n-1) times that"
    elif protocol.baseline != "mean":
        refused["baseline"] = "TRL's GRPO subtracts the group's mean ('mean')"
    if protocol.scale not in SCALES:
        refused["scale"] = "TRL divides by the std of the group or of the batch, or not at all"
    elif protocol.scale != "none":
        if protocol.ddof != 1:
            refused["ddof"] = "TRL divides by the sample standard deviation (1)"
        if protocol.eps != 1e-4:
            refused["eps"] = "TRL adds 0.0001, which no argument changes"
    if group < 2 and "baseline" not in refused:
        refused["singleton"] = "TRL wants at least two responses a prompt"
    return {"scale_rewards": SCALES.get(protocol.scale, ""), "num_generations": group}


def _surrogate(protocol: Protocol, refused: dict[str, str]) -> dict[str, Any]:
    """Ratio level and bounds."""
    level = {"importance_sampling_level": LEVELS.get(protocol.ratio, "token")}
    if protocol.ratio == "none":
        if protocol.iterations > 1:
            refused["ratio"] = (
                "TRL always weighs by a ratio; it is 1, and A log pi its surrogate, in the first iteration only"
            )
        # CISPO with the weight bounded to 1: in the first iteration A log pi exactly.
        return {**level, "epsilon_high": 1.0}
    if protocol.ratio not in LEVELS:
        refused["ratio"] = "TRL has the ratios of tokens and their geometric mean over a response"
    bounds = {"epsilon": protocol.clip_low, "epsilon_high": protocol.clip_high}
    if protocol.clip in ("symmetric", "asymmetric"):
        return {**level, **bounds}
    if protocol.clip in ("dual", "delta"):
        # For A < 0 a cap above the upper bound cuts both alike, and for A > 0 the bound comes first.
        if protocol.clip == "dual" and float(protocol.clip_cap or 0) <= 1 + protocol.clip_high:
            refused["clip_cap"] = "TRL's delta does the same only above 1 + clip_high"
        return {**level, **bounds, "delta": protocol.clip_cap}
    if protocol.clip == "none":
        return {**level, "epsilon": 1.0, "epsilon_high": NEVER}
    if protocol.clip == "weight":
        if protocol.weight_floor != 0:
            refused["weight_floor"] = "TRL's CISPO bounds the weight from above only (0)"
        return {**level, "epsilon_high": min(protocol.weight_ceiling, NEVER)}
    if protocol.clip == "soft":
        return {**level, "sapo_temperature_pos": protocol.tau_positive, "sapo_temperature_neg": protocol.tau_negative}
    if protocol.clip == "geometric":
        refused["clip"] = "TRL has no GMPO"
    return level


def _loss_type(protocol: Protocol, whole: bool, refused: dict[str, str]) -> str:
    """TRL's loss type: it chooses the denominator, and for three of them the surrogate as well."""
    named = {"weight": "cispo", "soft": "sapo", "gamma": "vespo"}.get(protocol.clip, "")
    if protocol.ratio == "none":
        named = "cispo"
    tokens = protocol.aggregation == "token_mean"
    if named == "sapo":
        if protocol.aggregation != "response_mean":
            refused["aggregation"] = "TRL's SAPO takes means over responses ('response_mean')"
    elif named:
        if not tokens:
            refused["aggregation"] = f"TRL's {named} takes the mean over tokens ('token_mean')"
            if protocol.ratio == "none":
                refused["aggregation"] = "without a ratio TRL has the mean over tokens only ('token_mean')"
        elif protocol.accumulation != "global" and not whole:
            refused["accumulation"] = f"TRL's {named} has the denominator of the whole batch ('global')"
    elif tokens:
        named = "bnpo" if protocol.accumulation == "mean" else "dapo"
        if protocol.accumulation == "sum" and not whole:
            refused["accumulation"] = "TRL averages micro-batches ('mean') or divides by the whole batch ('global')"
    elif protocol.aggregation not in BY_ROWS:
        refused["aggregation"] = "TRL has no plain sum over tokens"
    else:
        named = BY_ROWS[protocol.aggregation]
    if not tokens:
        if protocol.accumulation == "sum" and not whole:
            refused["accumulation"] = "TRL averages micro-batches ('mean')"
        if not protocol.count_empty and protocol.truncation != "keep":
            refused["count_empty"] = "TRL counts a response without active tokens (True)"
    return named


def _kl(protocol: Protocol, refused: dict[str, str]) -> dict[str, Any]:
    if protocol.kl_coefficient == 0:
        return {"beta": 0.0}
    if protocol.kl != "k3":
        refused["kl"] = "TRL estimates by k3"
    if protocol.kl_placement != "loss":
        refused["kl_placement"] = "TRL adds the KL to the loss ('loss')"
    if protocol.kl_gradient != "own":
        refused["kl_gradient"] = "TRL differentiates the estimator itself ('own')"
    return {"beta": protocol.kl_coefficient, "use_bias_correction_kl": protocol.kl_ratio}


def _entropy(protocol: Protocol, whole: bool, refused: dict[str, str]) -> dict[str, Any]:
    if protocol.entropy_coefficient:
        if protocol.entropy_aggregation != "token_mean" and protocol.aggregation != "token_mean":
            refused["entropy_aggregation"] = "TRL averages the entropy over tokens ('token_mean')"
        elif protocol.accumulation != "mean" and not whole:
            refused["entropy_coefficient"] = "TRL averages the entropy of each micro-batch by itself"
    return {"entropy_coef": protocol.entropy_coefficient}


def _sampling(protocol: Protocol, response_tokens: int, refused: dict[str, str]) -> dict[str, Any]:
    if protocol.aggregation == "constant" and protocol.max_tokens != response_tokens:
        refused["max_tokens"] = f"TRL's constant is the length limit of a response ({response_tokens})"
    if protocol.overlong_cache:
        refused["overlong_cache"] = "in TRL the length penalty is a reward function of its own"
    if protocol.truncation not in ("keep", "mask"):
        refused["truncation"] = "TRL keeps truncated responses or masks their tokens ('keep', 'mask')"
    if protocol.dynamic_sampling:
        refused["dynamic_sampling"] = "TRL does not draw again for flat groups"
    return {
        "max_completion_length": response_tokens,
        "mask_truncated_completions": protocol.truncation == "mask",
        "num_iterations": protocol.iterations,
    }
