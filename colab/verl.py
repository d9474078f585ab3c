"""A Protocol as overrides of verl 0.9.1's configuration, each axis exactly or refused; nothing is imported from verl.

verl bounds log-ratios to [-20, 20] (GSPO: at most 10): no clip bound beyond e^20 is ever met, so `NEVER` stands for
"no bound". Its dual clip is always on; with `NEVER` it does nothing. For A < 0 a cap above 1 + clip_high cuts `delta`
and `dual` alike. Micro-batches are added under denominators of the whole mini-batch.
"""

from typing import Any

from colab.mapping import UnmappedError
from pycore.protocol import Protocol

LIBRARY = "verl 0.9.1"
NEVER = 1e9
AGGREGATIONS = {
    "response_mean": "seq-mean-token-mean",
    "token_mean": "token-mean",
    "constant": "seq-mean-token-sum-norm",
    "sequence_sum": "seq-mean-token-sum",
    "token_sum": "token-sum",
}
ESTIMATORS = {"k1": "kl", "k2": "mse", "k3": "low_var_kl"}
BASELINES = {
    ("mean", "group_std"): "grpo",
    ("mean", "none"): "grpo",
    ("leave_one_out", "none"): "rloo",
    ("length_weighted", "none"): "opo",
    ("batch_token", "batch_token_std"): "reinforce_plus_plus",
}
ACTOR, REFERENCE = "actor_rollout_ref.actor", "actor_rollout_ref.ref"


def fixed(protocol: Protocol) -> dict[str, Any]:
    """What verl computes in one way only, for `colab.mapping.adopt`.

    >>> fixed(Protocol())["eps"]
    1e-06
    """
    whitened = protocol.scale == "batch_token_std"
    known = _accumulations(protocol)
    return {
        "ddof": 1,
        "eps": 1e-8 if whitened else 1e-6,
        "singleton": "reward",
        "accumulation": protocol.accumulation if protocol.accumulation in known else known[0],
        "kl_ratio": False,
        "entropy_aggregation": "loss",
        "truncation": "keep",
    }


def overrides(protocol: Protocol, *, group: int, response_tokens: int, whole: bool = False) -> dict[str, Any]:
    """Keys of verl's configuration and their values, for the axes of a protocol.

    Args:
        protocol: how an update is computed.
        group: responses a prompt.
        response_tokens: length limit of a response.
        whole: whether every device takes its share of the batch in one backward pass.

    Raises:
        UnmappedError: names every axis that verl cannot follow, and why.

    >>> overrides(Protocol(scale="none"), group=8, response_tokens=512)["algorithm.norm_adv_by_std_in_grpo"]
    False
    """
    canonical = protocol.canonical()
    refused: dict[str, str] = {}
    values = {
        **_advantages(canonical, group, refused),
        **_loss(canonical, whole, refused),
        **_kl(canonical, refused),
        **_sampling(canonical, response_tokens, refused),
    }
    apart = canonical.entropy_aggregation != "loss" and canonical.aggregation != "token_mean"
    if canonical.entropy_coefficient and apart:
        refused["entropy_aggregation"] = "verl averages the entropy with the weights of the loss ('loss')"
    values[f"{ACTOR}.entropy_coeff"] = canonical.entropy_coefficient
    values[f"{ACTOR}.ppo_epochs"] = canonical.iterations
    if refused:
        raise UnmappedError(LIBRARY, protocol, refused)
    return values


def _accumulations(protocol: Protocol) -> tuple[str, ...]:
    """The rules that give what verl gives: with equal micro-batches, those for means over responses are one."""
    known = {"token_sum": ("sum", "global"), "token_mean": ("global",)}
    return known.get(protocol.aggregation, ("global", "mean"))


def _advantages(protocol: Protocol, group: int, refused: dict[str, str]) -> dict[str, Any]:
    pair = (protocol.baseline, protocol.scale)
    estimator = BASELINES.get(pair)
    if estimator is None:
        known = ", ".join(f"{baseline} with {scale}" for baseline, scale in BASELINES)
        refused["baseline"] = f"with scale = {protocol.scale!r} verl has no estimator; it has {known}"
        return {}
    if protocol.scale != "none":
        eps = 1e-6 if estimator == "grpo" else 1e-8
        if protocol.ddof != 1:
            refused["ddof"] = "verl divides by the sample standard deviation (1)"
        if protocol.eps != eps:
            refused["eps"] = f"verl adds {eps:g}, which no setting changes"
    if group == 1 and estimator != "reinforce_plus_plus" and protocol.singleton != "reward":
        refused["singleton"] = "with one response a prompt verl takes the reward itself for the advantage ('reward')"
    return {
        "algorithm.adv_estimator": estimator,
        "algorithm.norm_adv_by_std_in_grpo": protocol.scale != "none",
        "algorithm.gamma": 1.0,
    }


def _loss(protocol: Protocol, whole: bool, refused: dict[str, str]) -> dict[str, Any]:
    low, high, cap = protocol.clip_low, protocol.clip_high, NEVER
    mode = {"token": "vanilla", "sequence_mean": "gspo", "none": "gpg"}.get(protocol.ratio, "")
    if protocol.clip in ("dual", "delta"):
        cap = float(protocol.clip_cap or 0)
        if protocol.ratio != "token":
            refused["clip"] = "verl has a cap for A < 0 beside the token ratio only"
    elif protocol.clip == "none":
        low, high = 1.0, NEVER
    elif protocol.clip == "weight":
        mode, low, high = "cispo", 1 - protocol.weight_floor, min(protocol.weight_ceiling, NEVER) - 1
        if high < 0:
            refused["weight_ceiling"] = "verl's bound is 1 + clip_ratio_high, at least 1"
    elif protocol.clip == "soft":
        mode = "sapo"
        if protocol.ratio != "token":
            refused["ratio"] = "verl's SAPO takes the token ratio"
        if protocol.aggregation != "response_mean":
            refused["aggregation"] = "verl's SAPO always takes means over responses ('response_mean')"
    elif protocol.clip == "geometric":
        mode = "geo_mean"
        if protocol.aggregation != "response_mean":
            refused["aggregation"] = "verl's GMPO always takes means over responses ('response_mean')"
        if not whole:
            refused["clip"] = "verl's GMPO averages each micro-batch by itself: the whole batch must be one pass"
    elif protocol.clip == "gamma":
        refused["clip"] = "verl has no VESPO"
    if not mode:
        refused["ratio"] = "verl has the ratios of tokens and their geometric mean over a response"
    if not whole and protocol.accumulation not in _accumulations(protocol):
        refused["accumulation"] = "verl adds micro-batches under the denominator of the whole batch ('global')"
    return {
        f"{ACTOR}.policy_loss.loss_mode": mode,
        f"{ACTOR}.clip_ratio": low,
        f"{ACTOR}.clip_ratio_low": low,
        f"{ACTOR}.clip_ratio_high": min(high, NEVER),
        f"{ACTOR}.clip_ratio_c": cap,
        f"{ACTOR}.tau_pos": protocol.tau_positive,
        f"{ACTOR}.tau_neg": protocol.tau_negative,
        f"{ACTOR}.loss_agg_mode": AGGREGATIONS[protocol.aggregation],
        f"{ACTOR}.loss_scale_factor": protocol.max_tokens if protocol.aggregation == "constant" else None,
    }


def _kl(protocol: Protocol, refused: dict[str, str]) -> dict[str, Any]:
    beta, placed = protocol.kl_coefficient, protocol.kl_placement
    if not beta:
        return {f"{ACTOR}.use_kl_loss": False, "algorithm.use_kl_in_reward": False}
    if protocol.kl not in ESTIMATORS:
        refused["kl"] = "verl's losses know k1, k2 and k3; the exact divergence is not implemented there"
        return {}
    if protocol.kl_ratio:
        refused["kl_ratio"] = "verl never multiplies the estimator by the ratio"
    name = ESTIMATORS[protocol.kl]
    if placed == "reward":
        if protocol.baseline == "batch_token":
            refused["kl_placement"] = "verl's REINFORCE++ charges each token for the KL that follows it"
        return {
            f"{ACTOR}.use_kl_loss": False,
            "algorithm.use_kl_in_reward": True,
            "algorithm.kl_penalty": name,
            "algorithm.kl_ctrl.type": "fixed",
            "algorithm.kl_ctrl.kl_coef": beta,
        }
    plus = "+" if protocol.kl_gradient == "k2" and protocol.kl != "k2" else ""
    return {
        f"{ACTOR}.use_kl_loss": True,
        f"{ACTOR}.kl_loss_coef": beta,
        f"{ACTOR}.kl_loss_type": name + plus,
        "algorithm.use_kl_in_reward": False,
    }


def _sampling(protocol: Protocol, response_tokens: int, refused: dict[str, str]) -> dict[str, Any]:
    """What decides which responses are trained on, and their length penalty."""
    if protocol.truncation != "keep":
        refused["truncation"] = "verl trains on truncated responses like on any other ('keep')"
    values: dict[str, Any] = {"algorithm.filter_groups.enable": protocol.dynamic_sampling}
    if protocol.dynamic_sampling:
        values["algorithm.filter_groups.metric"] = "reward"
    values["reward.reward_manager.name"] = "dapo" if protocol.overlong_cache else "naive"
    if protocol.overlong_cache:
        if protocol.max_tokens != response_tokens:
            refused["max_tokens"] = f"verl measures the length penalty from its length limit, {response_tokens}"
        buffer = "+reward.reward_kwargs.overlong_buffer_cfg"
        values |= {
            "+reward.reward_kwargs.max_resp_len": response_tokens,
            f"{buffer}.enable": True,
            f"{buffer}.len": protocol.overlong_cache,
            f"{buffer}.penalty_factor": 1.0,
            f"{buffer}.log": True,
        }
    # The protocol has no axis for a mismatch of generator and trainer: verl's correction, off by default, stays off.
    values["algorithm.rollout_correction.rollout_is"] = None
    values["algorithm.rollout_correction.rollout_rs"] = None
    values["algorithm.rollout_correction.bypass_mode"] = False
    return values
