"""Published algorithms and library configurations as data: the axes in which each differs from the default Protocol.

Papers first. `grpo` is DeepSeekMath's; where a paper leaves an axis open (MaxRL, OPO and GPG say how advantages are
made) the plain policy gradient A log pi, summed over the response, is taken. Library presets are the libraries'
*defaults* at the named version, one per loss type.
"""

from typing import Any

Axes = dict[str, Any]

_POLICY_GRADIENT: Axes = {"scale": "none", "ratio": "none", "clip": "none", "aggregation": "sequence_sum"}
_SEQUENCE: Axes = {"ratio": "sequence_mean", "clip": "asymmetric", "clip_low": 3e-4, "clip_high": 4e-4}

PAPERS: dict[str, Axes] = {
    "reinforce": {**_POLICY_GRADIENT, "baseline": "none"},
    "reinforce_baseline": _POLICY_GRADIENT,
    "rloo": {**_POLICY_GRADIENT, "baseline": "leave_one_out"},
    "grpo": {"kl_coefficient": 0.04},
    "dr_grpo": {"scale": "none", "aggregation": "constant"},
    "dapo": {
        "clip": "asymmetric",
        "clip_high": 0.28,
        "aggregation": "token_mean",
        "accumulation": "global",
        "dynamic_sampling": True,
        "max_tokens": 20480,
        "overlong_cache": 4096,
    },
    "gspo": _SEQUENCE,
    "cispo": {"clip": "weight", "weight_ceiling": 5.0, "aggregation": "token_mean", "accumulation": "global"},
    "gmpo": {"ratio": "sequence_mean", "clip": "geometric", "clip_low": 0.4, "clip_high": 0.4},
    "sapo": {"clip": "soft"},
    "luspo": {**_SEQUENCE, "aggregation": "sequence_sum"},
    "maxrl": {**_POLICY_GRADIENT, "scale": "mean"},
    "gpg": {**_POLICY_GRADIENT, "scale": "informative_share", "aggregation": "token_mean", "accumulation": "global"},
    "opo": {**_POLICY_GRADIENT, "baseline": "length_weighted"},
    "reinforce_pp": {
        "baseline": "batch_token",
        "scale": "batch_token_std",
        "ddof": 1,
        "eps": 1e-8,
        "aggregation": "token_mean",
        "accumulation": "global",
        "kl": "k1",
        "kl_placement": "reward",
    },
    "ppo_clip": {"baseline": "critic", "scale": "none", "aggregation": "token_mean", "accumulation": "global"},
}

_TRL_LOSSES: dict[str, Axes] = {
    "grpo": {},
    "bnpo": {"aggregation": "token_mean"},
    "dr_grpo": {"aggregation": "constant"},
    "dapo": {"aggregation": "token_mean", "accumulation": "global"},
    # The default epsilon_high = 0.2 is the ceiling itself here: every weight is at most 0.2.
    "cispo": {"clip": "weight", "weight_ceiling": 0.2, "aggregation": "token_mean", "accumulation": "global"},
    "sapo": {"clip": "soft"},
    "vespo": {"clip": "gamma", "aggregation": "token_mean", "accumulation": "global"},
    # LUSPO is refused by TRL unless the ratio level is set to "sequence".
    "luspo": {"ratio": "sequence_mean", "aggregation": "sequence_sum"},
}
_TRL: Axes = {"ddof": 1, "eps": 1e-4}
_VERL: Axes = {"ddof": 1, "eps": 1e-6, "singleton": "reward", "accumulation": "global", "count_empty": False}
_VERL |= {"entropy_aggregation": "loss", "max_tokens": 512}
_VERL_LOSSES: dict[str, Axes] = {
    "vanilla": {"clip": "dual", "clip_cap": 3.0, "aggregation": "token_mean"},
    # verl recommends seq-mean-token-mean for GSPO; its default configuration passes token-mean.
    "gspo": {"ratio": "sequence_mean", "aggregation": "token_mean"},
    "sapo": {"clip": "soft"},
    "gpg": {"ratio": "none", "clip": "none", "aggregation": "token_mean"},
    "geo_mean": {"ratio": "sequence_mean", "clip": "geometric", "count_empty": True, "accumulation": "mean"},
    "cispo": {"clip": "weight", "weight_floor": 0.8, "weight_ceiling": 1.2, "aggregation": "token_mean"},
}

LIBRARIES: dict[str, Axes] = {
    **{
        f"trl-1.16.0/{loss}": {**_TRL, "max_tokens": 512, "kl_ratio": True, **axes}
        for loss, axes in _TRL_LOSSES.items()
    },
    **{f"trl-1.9.2/{loss}": {**_TRL, "max_tokens": 256, **axes} for loss, axes in _TRL_LOSSES.items()},
    **{f"verl-0.9.1/{loss}": {**_VERL, **axes} for loss, axes in _VERL_LOSSES.items()},
}

# What a library does when no loss type is named.
DEFAULTS: dict[str, str] = {
    "trl-1.16.0": "trl-1.16.0/dapo",
    "trl-1.9.2": "trl-1.9.2/dapo",
    "verl-0.9.1": "verl-0.9.1/vanilla",
}
