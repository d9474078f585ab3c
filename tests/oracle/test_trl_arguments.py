"""Oracle: TRL's own loss code under the arguments that `colab.trl` derived, on the same tensors."""

import random
import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
import torch

from colab.mapping import UnmappedError, adopt
from colab.trl import arguments, fixed
from pycore.objective import Batch, evaluate
from pycore.protocol import OPTIONS, PRESETS, Protocol
from tests.oracle.batches import random_batch
from tests.oracle.compare import flattened
from tests.oracle.trl_loss import GRPOConfig, trl_loss

GROUP, TOKENS = 4, 9


def parsed(found, directory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GRPOConfig(
            output_dir=str(directory),
            use_cpu=True,
            bf16=False,
            report_to="none",
            per_device_train_batch_size=GROUP,
            **found,
        )


def advantages(rewards, scale):
    """TRL's lines for the three values of scale_rewards, with the sample std and 1e-4."""
    grouped = torch.from_numpy(rewards)
    centred = grouped - grouped.mean(dim=1, keepdim=True)
    spread = {"group": grouped.std(dim=1, keepdim=True), "batch": grouped.std(), "none": None}[scale]
    return (centred if spread is None else centred / (spread + 1e-4)).reshape(-1)


def difference(protocol: Protocol, settings, batch: Batch) -> float:
    """Largest difference in loss and gradient; a truncated response is masked where TRL would mask it."""
    wanted = flattened(batch)
    if settings.mask_truncated_completions:
        wanted["mask"] = wanted["mask"] & ~torch.from_numpy(batch.truncated).reshape(-1, 1)
    if protocol.ratio == "none":  # the first iteration: TRL takes the current log-probs for the old ones
        wanted["logp_old"] = wanted["logp"].detach().clone()
        batch = replace(batch, logp_old=batch.logp)
    loss = trl_loss(settings, wanted, advantages(np.asarray(batch.rewards), settings.scale_rewards))
    loss.backward()
    found = evaluate(protocol, batch)
    gradient = torch.where(wanted["mask"], wanted["logp"].grad, 0.0).numpy().reshape(batch.shape)
    entropy = 0.0
    if protocol.entropy_coefficient:
        theirs = torch.where(wanted["mask"], wanted["entropy"].grad, 0.0).numpy().reshape(batch.shape)
        mine = np.where(wanted["mask"].numpy().reshape(batch.shape), found.grad_entropy[..., None], 0.0)
        entropy = float(np.max(np.abs(mine - theirs)))
    return max(abs(found.loss - loss.item()), float(np.max(np.abs(found.grad - gradient))), entropy)


def batch(seed: int) -> Batch:
    generator = np.random.default_rng(seed)
    made = random_batch(generator, group=GROUP, tokens=TOKENS, empty_row=False)
    return replace(made, truncated=generator.random(made.shape[:2]) < 0.3)


def wanderers(count: int) -> list[Protocol]:
    """Protocols drawn axis by axis, adopted to what TRL has fixed; combinations that do not exist are drawn again."""
    chooser, found = random.Random(0), []
    ranges = {
        "clip_low": (0.1, 0.2),
        "clip_high": (0.2, 0.28),
        "clip_cap": (None, 2.0, 3.0),
        "weight_ceiling": (1.5, 5.0),
        "kl_coefficient": (0.0, 0.1),
        "entropy_coefficient": (0.0, 0.05),
        "max_tokens": (TOKENS,),
        "iterations": (1, 2),
    }
    while len(found) < count:
        axes = {
            field.name: chooser.choice(OPTIONS.get(field.name, ranges.get(field.name, (field.default,))))
            for field in fields(Protocol)
        }
        axes |= {"kl_ratio": chooser.random() < 0.5, "baseline": "mean"}
        for name in ("kl", "kl_placement", "truncation", "scale", "aggregation", "kl_gradient", "ratio"):
            if chooser.random() < 0.6:  # most of the options of these TRL refuses
                axes[name] = {"truncation": chooser.choice(("keep", "mask")), "scale": "group_std"}.get(
                    name, getattr(Protocol(), name)
                )
        try:
            protocol = Protocol(**axes)
            found.append(adopt(protocol, fixed(protocol))[0])
        except ValueError:
            continue
    return found


def test_whatever_is_accepted_trl_computes_exactly_and_every_axis_is_accepted_or_refused_by_name(tmp_path):
    accepted, types, reasons = 0, set(), set()
    for number, protocol in enumerate(wanderers(500)):
        try:
            found = arguments(protocol, group=GROUP, response_tokens=TOKENS, whole=True)
        except UnmappedError as error:
            reasons |= set(error.reasons)
            continue
        accepted += 1
        types.add(found["loss_type"])
        if accepted <= 100:
            assert difference(protocol, parsed(found, tmp_path), batch(number)) < 1e-5, protocol
    assert accepted > 60
    assert types == {"grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "vespo", "luspo"}
    assert {"kl", "truncation", "scale", "aggregation", "clip", "ratio"} <= reasons


@pytest.mark.parametrize("loss_type", ["grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "vespo", "luspo"])
def test_trls_own_presets_map_onto_their_own_loss_type(loss_type, tmp_path):
    protocol = PRESETS[f"trl-1.16.0/{loss_type}"]
    found = arguments(protocol, group=GROUP, response_tokens=512)
    assert found["loss_type"] == loss_type
    # What is not said stays TRL's default: written out, the arguments change nothing.
    settings, untouched = parsed(found, tmp_path), parsed({"loss_type": loss_type, "num_generations": GROUP}, tmp_path)
    used = {"vespo": (), "sapo": (), "cispo": ("epsilon_high",)}.get(loss_type, ("epsilon",))
    for name in (*used, "beta", "scale_rewards", "max_completion_length", "num_iterations", "entropy_coef"):
        mine, theirs = getattr(settings, name), getattr(untouched, name)
        assert mine == (untouched.epsilon if name == "epsilon_high" and theirs is None else theirs), name


@pytest.mark.parametrize(
    ("axes", "axis"),
    [
        ({"baseline": "leave_one_out", "scale": "none"}, "baseline"),
        ({"ddof": 0}, "ddof"),
        ({"eps": 1e-6}, "eps"),
        ({"ratio": "sequence_product"}, "ratio"),
        ({"ratio": "sequence_mean", "clip": "geometric"}, "clip"),
        ({"clip": "dual", "clip_cap": 1.1}, "clip_cap"),
        ({"kl_coefficient": 0.1, "kl": "k1"}, "kl"),
        ({"kl_coefficient": 0.1, "kl_placement": "reward"}, "kl_placement"),
        ({"aggregation": "token_sum"}, "aggregation"),
        ({"aggregation": "constant", "max_tokens": 99}, "max_tokens"),
        ({"truncation": "drop"}, "truncation"),
        ({"overlong_cache": 4}, "overlong_cache"),
        ({"dynamic_sampling": True}, "dynamic_sampling"),
        ({"clip": "weight", "weight_floor": 0.5, "aggregation": "token_mean"}, "weight_floor"),
        ({"ratio": "none", "clip": "none", "aggregation": "token_mean", "iterations": 2}, "ratio"),
    ],
)
def test_what_trl_cannot_compute_is_refused_by_its_axis(axes, axis):
    protocol = Protocol(**{"ddof": 1, "eps": 1e-4, **axes})
    with pytest.raises(UnmappedError) as refused:
        arguments(protocol, group=GROUP, response_tokens=TOKENS, whole=True)
    assert axis in refused.value.reasons


def test_means_over_tokens_need_to_say_how_micro_batches_are_added():
    mean = Protocol(ddof=1, eps=1e-4, aggregation="token_mean")
    assert arguments(mean, group=GROUP, response_tokens=TOKENS)["loss_type"] == "bnpo"
    whole = replace(mean, accumulation="global")
    assert arguments(whole, group=GROUP, response_tokens=TOKENS)["loss_type"] == "dapo"
    with pytest.raises(UnmappedError):
        arguments(replace(whole, entropy_coefficient=0.1), group=GROUP, response_tokens=TOKENS)
