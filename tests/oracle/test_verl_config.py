"""Oracle: verl 0.9.1 itself, its configuration composed and checked by it, its losses run on the same tensors."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from colab.export.cluster import LAB
from colab.export.folder import PLACE, build
from colab.mapping import UnmappedError, adopt
from colab.verl import fixed, overrides
from pycore.objective import evaluate
from pycore.protocol import PRESETS, Protocol
from pycore.scenario import Scenario
from tests.oracle.batches import random_batch
from tests.oracle.verl_place import ask
from web.builder.carry import sources

GROUP, TOKENS = 4, 9
BASE = PRESETS["verl-0.9.1/vanilla"]
# On every axis what differs from the presets.
VARIANTS: dict[str, Protocol] = {
    "symmetric": replace(BASE, clip="symmetric", clip_cap=None),
    "delta": replace(BASE, clip="delta", clip_low=0.1, clip_high=0.28, clip_cap=1.6),
    "no clip": replace(BASE, clip="none", clip_cap=None),
    "no clip, sequences": replace(BASE, clip="none", clip_cap=None, ratio="sequence_mean"),
    "constant": replace(BASE, aggregation="constant", max_tokens=TOKENS),
    "sequence sum": replace(BASE, aggregation="sequence_sum"),
    "token sum": replace(BASE, aggregation="token_sum", accumulation="sum"),
    "responses": replace(BASE, aggregation="response_mean", accumulation="mean"),
    "k1": replace(BASE, kl="k1", kl_coefficient=0.3),
    "k2": replace(BASE, kl="k2", kl_coefficient=0.3),
    "k3": replace(BASE, kl="k3", kl_coefficient=0.3),
    "k3, gradient of k2": replace(BASE, kl="k3", kl_coefficient=0.3, kl_gradient="k2"),
    "kl in the reward": replace(BASE, kl="k1", kl_coefficient=0.3, kl_placement="reward"),
    "entropy": replace(BASE, entropy_coefficient=0.2),
    "entropy by responses": replace(BASE, entropy_coefficient=0.2, aggregation="response_mean"),
    "ceiling 5": replace(PRESETS["verl-0.9.1/cispo"], weight_floor=0.0, weight_ceiling=5.0),
    "all at once": replace(
        BASE,
        clip="delta",
        clip_low=0.1,
        clip_high=0.28,
        clip_cap=1.6,
        aggregation="response_mean",
        kl_coefficient=0.3,
        kl_gradient="k2",
        entropy_coefficient=0.2,
        entropy_aggregation="loss",
    ),
    "no std": replace(BASE, scale="none"),
}
PAPERS = (
    "reinforce_baseline",
    "rloo",
    "opo",
    "dr_grpo",
    "gspo",
    "sapo",
    "luspo",
    "cispo",
    "grpo",
    "dapo",
    "reinforce_pp",
)


def adopted(protocol: Protocol) -> Protocol:
    return adopt(protocol, fixed(protocol))[0]


def written(values: dict[str, Any]) -> list[str]:
    return [f"{name}={'null' if value is None else value}" for name, value in values.items()]


def batch_of(seed: int) -> Any:
    # What verl never meets: responses without tokens.
    return random_batch(np.random.default_rng(seed), group=GROUP, tokens=TOKENS, drift=0.4, empty_row=False)


def plain(batch: Any) -> dict[str, Any]:
    names = ("logp", "logp_old", "logp_ref", "entropy")
    filled = {name: np.where(batch.mask, getattr(batch, name), -1.0).tolist() for name in names}
    return {**filled, "mask": batch.mask.tolist(), "rewards": batch.rewards.tolist()}


REPRESENTATIVE = ("verl-0.9.1/gspo", "rloo", "dr_grpo", "no clip", "kl in the reward", "all at once")


def cases() -> dict[str, Protocol]:
    presets = {name: PRESETS[name] for name in PRESETS if name.startswith("verl-0.9.1/") and "geo" not in name}
    return {**presets, **{name: adopted(PRESETS[name]) for name in PAPERS}, **VARIANTS}


def exported() -> list[str]:
    """The overrides of an exported folder, length penalty and dynamic sampling among them."""
    files = build("verl", Scenario(LAB, {"preset": "dapo"}), sources(), adopted=True)
    return files["overrides.txt"].replace(PLACE, "/some where/else").splitlines()


@pytest.mark.parametrize(
    "names", [REPRESENTATIVE, pytest.param(tuple(cases()), marks=pytest.mark.full, id="every one")]
)
def test_a_mapped_protocol_gives_verls_own_loss_and_gradients_in_any_number_of_micro_batches(names):
    asked = [(name, cases()[name], parts) for name in names for parts in (1, 5)]
    asked.append(("one pass", PRESETS["verl-0.9.1/geo_mean"], 1))
    wrong = ["algorithm.nonsense=1", "actor_rollout_ref.actor.loss_agg_mode=nonsense"]
    batch = batch_of(3)
    answers = ask(
        [
            {
                "kind": "loss",
                "overrides": written(
                    overrides(
                        protocol,
                        group=GROUP,
                        response_tokens=protocol.max_tokens,
                        whole=protocol.clip == "geometric",
                    )
                ),
                "batch": plain(batch),
                "parts": parts,
            }
            for _, protocol, parts in asked
        ]
        + [{"kind": "check", "overrides": exported()}]
        + [{"kind": "check", "overrides": [one]} for one in wrong]
    )
    # It would not have passed over a key or a value that verl does not know.
    assert all("error" in answers.pop() for _ in wrong)
    assert answers.pop() == {"ok": True}
    for (name, protocol, parts), found in zip(asked, answers, strict=True):
        assert "error" not in found, (name, found)
        # The length penalty is the reward manager's and the choice of groups the sampler's: neither is in the loss.
        mine = evaluate(replace(protocol, overlong_cache=0, dynamic_sampling=False), batch)
        assert found["loss"] == pytest.approx(mine.loss, abs=1e-6), (name, parts)
        for theirs, ours in (("logp", mine.grad), ("entropy", mine.grad_entropy[..., None])):
            gradient = np.where(batch.mask, np.reshape(found[theirs], batch.shape), 0.0)
            assert np.max(np.abs(gradient - np.where(batch.mask, ours, 0.0))) < 1e-6, (name, parts, theirs)


@pytest.mark.parametrize(
    ("protocol", "axes"),
    [
        (PRESETS["grpo"], {"ddof"}),
        (PRESETS["trl-1.16.0/grpo"], {"eps"}),
        (PRESETS["maxrl"], {"baseline"}),
        (PRESETS["gpg"], {"baseline"}),
        (PRESETS["ppo_clip"], {"baseline"}),
        (replace(BASE, baseline="none", scale="none"), {"baseline"}),
        (replace(BASE, ratio="sequence_product", clip="none", clip_cap=None), {"ratio"}),
        (replace(BASE, ratio="sequence_mean"), {"clip"}),
        (PRESETS["trl-1.16.0/vespo"], {"eps", "clip"}),
        (replace(BASE, accumulation="mean"), {"accumulation"}),
        (replace(PRESETS["verl-0.9.1/sapo"], aggregation="token_mean"), {"aggregation"}),
        (PRESETS["verl-0.9.1/geo_mean"], {"clip"}),
        (replace(PRESETS["verl-0.9.1/cispo"], weight_floor=0.0, weight_ceiling=0.5), {"weight_ceiling"}),
        (replace(BASE, kl="exact", kl_coefficient=0.1), {"kl"}),
        (replace(BASE, kl_ratio=True, kl_coefficient=0.1), {"kl_ratio"}),
        (replace(PRESETS["reinforce_pp"], kl_coefficient=0.1), {"kl_placement"}),
        (
            replace(BASE, aggregation="constant", entropy_coefficient=0.1, entropy_aggregation="token_mean"),
            {"entropy_aggregation"},
        ),
        (replace(BASE, truncation="mask"), {"truncation"}),
        (replace(BASE, overlong_cache=100, max_tokens=200), {"max_tokens"}),
    ],
)
def test_what_verl_cannot_compute_is_refused_axis_by_axis(protocol, axes):
    with pytest.raises(UnmappedError) as refused:
        overrides(protocol, group=8, response_tokens=512)
    assert set(refused.value.reasons) == axes
    assert all(f"{axis} = " in str(refused.value) for axis in axes)


def test_a_single_response_a_prompt_needs_verls_rule_for_it():
    assert overrides(BASE, group=1, response_tokens=512)
    with pytest.raises(UnmappedError, match="singleton = 'zero'"):
        overrides(replace(BASE, singleton="zero"), group=1, response_tokens=512)
