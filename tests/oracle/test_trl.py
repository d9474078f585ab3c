"""Oracle: the loss code of the installed TRL itself, on the same tensors (`tests/oracle/trl_loss.py`).

The presets of the installed version are tested; 1.16.0 is what the test command installs, and under 1.9.2 the same
file tests that version's presets.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from pycore.micro_batch import micro_batches
from pycore.objective import Batch, evaluate
from pycore.protocol import PRESETS, Protocol
from tests.oracle.batches import random_batch, tensors
from tests.oracle.trl_loss import LOSS_TYPES, VERSION, config, trl_loss

TOLERANCE = 1e-5


def preset(loss_type: str, **axes: object) -> Protocol:
    return replace(PRESETS[f"trl-{VERSION}/{loss_type}"], **axes)  # type: ignore[arg-type]


def flat(batch: Batch) -> dict[str, torch.Tensor]:
    """Tensors of shape (responses, tokens), leaves of autograd."""
    found = {
        name: value.detach().reshape(-1, batch.shape[2]) for name, value in tensors(batch).items() if value.dim() == 3
    }
    for name in ("logp", "entropy"):
        found[name].requires_grad_()
    return found


def advantages_by_trl(rewards: np.ndarray) -> torch.Tensor:
    """TRL's lines for num_generations = group and scale_rewards = "group"."""
    grouped = torch.from_numpy(rewards)
    centred = grouped - grouped.mean(dim=1, keepdim=True)
    return (centred / (grouped.std(dim=1, keepdim=True) + 1e-4)).reshape(-1)


def compare(protocol: Protocol, batch: Batch, settings: object) -> tuple[float, float, float]:
    """Largest absolute difference of loss, gradient and entropy gradient."""
    found, wanted = evaluate(protocol, batch), flat(batch)
    loss = trl_loss(settings, wanted, advantages_by_trl(np.asarray(batch.rewards)))
    loss.backward()
    mask = wanted["mask"]
    gradient = torch.where(mask, wanted["logp"].grad, 0.0).numpy().reshape(batch.shape)
    entropy = np.zeros(batch.shape)
    if wanted["entropy"].grad is not None:
        entropy = torch.where(mask, wanted["entropy"].grad, 0.0).numpy().reshape(batch.shape)
    mine = np.where(batch.mask, found.grad_entropy[..., None], 0.0)
    return (
        abs(found.loss - loss.item()),
        float(np.max(np.abs(found.grad - gradient))),
        float(np.max(np.abs(mine - entropy))),
    )


@pytest.mark.parametrize("loss_type", LOSS_TYPES)
def test_the_preset_holds_the_installed_versions_defaults(loss_type, tmp_path):
    settings, protocol = config(loss_type, str(tmp_path)), preset(loss_type)
    assert protocol.max_tokens == settings.max_completion_length
    assert protocol.kl_coefficient == settings.beta
    assert protocol.kl_ratio == settings.use_bias_correction_kl
    assert protocol.entropy_coefficient == settings.entropy_coef
    assert protocol.iterations == settings.num_iterations
    assert (protocol.truncation == "mask") == settings.mask_truncated_completions
    assert settings.scale_rewards == "group"
    assert settings.delta is None
    high = settings.epsilon if settings.epsilon_high is None else settings.epsilon_high
    if protocol.clip == "symmetric":
        assert (protocol.clip_low, protocol.clip_high) == (settings.epsilon, high)
    if protocol.clip == "weight":
        assert (protocol.weight_floor, protocol.weight_ceiling) == (0.0, high)
    if protocol.clip == "soft":
        assert (protocol.tau_positive, protocol.tau_negative) == (
            settings.sapo_temperature_pos,
            settings.sapo_temperature_neg,
        )


def test_the_default_loss_type_is_the_presets(tmp_path):
    assert PRESETS[f"trl-{VERSION}"] is PRESETS[f"trl-{VERSION}/{config('dapo', str(tmp_path)).loss_type}"]
    assert type(config("dapo", str(tmp_path))).__dataclass_fields__["loss_type"].default == "dapo"


@pytest.mark.parametrize("drift", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("loss_type", LOSS_TYPES)
def test_loss_and_gradient_are_trls_own(loss_type, drift, tmp_path):
    settings = config(loss_type, str(tmp_path))
    for seed in range(5):
        batch = random_batch(np.random.default_rng(seed), drift=drift)
        assert max(compare(preset(loss_type), batch, settings)) < TOLERANCE


def with_kl(loss_type: str) -> bool:
    # TRL 1.9.2 multiplies a (responses, tokens) term by the length for LUSPO with a KL term: see the test below.
    return not (VERSION == "1.9.2" and loss_type == "luspo")


@pytest.mark.parametrize("bias_corrected", [False, True])
@pytest.mark.parametrize("loss_type", [loss for loss in LOSS_TYPES if with_kl(loss)])
def test_the_kl_term_with_and_without_the_differentiable_ratio_is_trls_own(loss_type, bias_corrected, tmp_path):
    settings = config(loss_type, str(tmp_path), beta=0.3, use_bias_correction_kl=bias_corrected)
    protocol = preset(loss_type, kl_coefficient=0.3, kl_ratio=bias_corrected)
    for seed in range(5):
        assert max(compare(protocol, random_batch(np.random.default_rng(seed)), settings)) < TOLERANCE


@pytest.mark.parametrize("loss_type", LOSS_TYPES)
def test_the_entropy_bonus_is_trls_own(loss_type, tmp_path):
    settings = config(loss_type, str(tmp_path), entropy_coef=0.2)
    protocol = preset(loss_type, entropy_coefficient=0.2)
    assert max(compare(protocol, random_batch(np.random.default_rng(0)), settings)) < TOLERANCE


@pytest.mark.parametrize("loss_type", ["grpo", "dapo", "dr_grpo"])
def test_asymmetric_bounds_and_the_delta_cap_are_trls_own(loss_type, tmp_path):
    settings = config(loss_type, str(tmp_path), epsilon=0.1, epsilon_high=0.28, delta=1.6)
    protocol = preset(loss_type, clip="delta", clip_low=0.1, clip_high=0.28, clip_cap=1.6)
    for seed in range(5):
        assert max(compare(protocol, random_batch(np.random.default_rng(seed)), settings)) < TOLERANCE


def test_the_sequence_level_of_grpo_is_trls_own(tmp_path):
    settings = config("grpo", str(tmp_path), importance_sampling_level="sequence", epsilon=3e-4, epsilon_high=4e-4)
    protocol = preset("grpo", ratio="sequence_mean", clip="asymmetric", clip_low=3e-4, clip_high=4e-4)
    for seed in range(5):
        batch = random_batch(np.random.default_rng(seed), drift=1e-3)
        assert max(compare(protocol, batch, settings)) < TOLERANCE


def test_a_ceiling_of_five_in_cispo_is_trls_epsilon_high_of_five(tmp_path):
    settings = config("cispo", str(tmp_path), epsilon_high=5.0)
    batch = random_batch(np.random.default_rng(0))
    assert max(compare(preset("cispo", weight_ceiling=5.0), batch, settings)) < TOLERANCE


def test_deliberate_difference_trl_divides_a_group_equal_up_to_float32_rounding_by_eps_we_give_it_zero():
    rewards = np.array([[1.2, 1.2000000476837158, 1.2, 1.2000000476837158]])
    batch = replace_rewards(random_batch(np.random.default_rng(0), prompts=1, empty_row=False), rewards)
    assert np.all(evaluate(preset("dapo"), batch).grad == 0)
    assert 1e-5 < advantages_by_trl(rewards).abs().max() < 1e-3


@pytest.mark.skipif(VERSION != "1.9.2", reason="the length factor was replaced by a masked sum in a later version")
def test_deliberate_difference_trl_1_9_2_multiplies_the_kl_of_luspo_by_the_length_we_sum_it(tmp_path):
    settings = config("luspo", str(tmp_path), beta=0.3)
    protocol = preset("luspo", kl_coefficient=0.3)
    assert max(compare(protocol, random_batch(np.random.default_rng(0)), settings)) > 1e-2


@pytest.mark.parametrize("parts", [2, 4])
@pytest.mark.parametrize("loss_type", LOSS_TYPES)
def test_micro_batches_add_up_as_trl_adds_them(loss_type, parts, tmp_path):
    settings, protocol = config(loss_type, str(tmp_path)), preset(loss_type)
    batch = random_batch(np.random.default_rng(1), prompts=4, empty_row=False)
    advantages = advantages_by_trl(np.asarray(batch.rewards)).chunk(parts)
    for part, advantage in zip(micro_batches(protocol, batch, parts), advantages, strict=True):
        wanted = flat(part)
        loss = trl_loss(settings, wanted, advantage, accumulation_steps=parts, tokens_in_batch=int(np.sum(batch.mask)))
        loss.backward()
        found = evaluate(protocol, part)
        gradient = torch.where(wanted["mask"], wanted["logp"].grad, 0.0).numpy().reshape(part.shape)
        assert found.loss == pytest.approx(loss.item(), abs=TOLERANCE)
        assert np.max(np.abs(found.grad - gradient)) < TOLERANCE


def replace_rewards(batch: Batch, rewards: np.ndarray) -> Batch:
    return replace(batch, rewards=rewards)
