"""Runs with verl on its path: its own configuration, checks, advantages and losses answer questions from stdin.

ray, which it imports everywhere and which nothing here uses, is an empty stand-in.
"""

import json
import sys
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any


class _Absent(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return sys.modules.setdefault(f"{self.__name__}.{name}", _Absent(f"{self.__name__}.{name}"))

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        return arguments[0] if arguments and callable(arguments[0]) else self

    def __or__(self, other: object) -> Any:
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: object) -> tuple[()]:
        return ()


class _Finder:
    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self, is_package=True) if name.partition(".")[0] == "ray" else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Absent(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        module.__path__ = []


sys.meta_path.insert(0, _Finder())  # type: ignore[arg-type]

import torch  # noqa: E402
from hydra import compose, initialize_config_module  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from verl.trainer.ppo import core_algos  # noqa: E402
from verl.utils.config import omega_conf_to_dataclass, validate_config  # noqa: E402
from verl.workers.utils import losses  # noqa: E402

# Responses arrive padded already; verl's own packing is not what is asked about.
losses.no_padding_2_padding = lambda values, data: values
NEEDED = [
    "actor_rollout_ref.rollout.name=vllm",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
    "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=4",
]


@cache
def configuration(*overrides: str) -> Any:
    """verl's configuration after the overrides, composed and checked by verl: about a second, hence remembered."""
    with initialize_config_module("verl.trainer.config", version_base=None):
        found = compose("ppo_trainer", overrides=list(overrides))
    reference = found.actor_rollout_ref.actor.use_kl_loss or found.algorithm.use_kl_in_reward
    validate_config(found, use_reference_policy=bool(reference), use_critic=False)
    return found


def advantages(config: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """By verl's estimator, shape (responses, tokens), from rewards (prompts, group)."""
    mask, rewards = batch["mask"], batch["rewards"]
    last = mask.shape[1] - 1 - torch.argmax(mask.flip(1).to(torch.int8), dim=1)
    scores = torch.zeros(mask.shape, dtype=rewards.dtype)
    scores[torch.arange(len(scores)), last] = rewards.reshape(-1)
    if config.algorithm.use_kl_in_reward:
        kl = core_algos.kl_penalty(batch["logp_old"], batch["logp_ref"], config.algorithm.kl_penalty)
        scores = scores - config.algorithm.kl_ctrl.kl_coef * kl * mask
    algorithm = omega_conf_to_dataclass(config.algorithm)
    given = {"token_level_rewards": scores, "response_mask": mask.to(scores.dtype), "config": algorithm}
    if config.algorithm.adv_estimator != "reinforce_plus_plus":
        given["index"] = torch.arange(rewards.shape[0]).repeat_interleave(rewards.shape[1]).numpy()
    if config.algorithm.adv_estimator == "grpo":
        given["norm_adv_by_std_in_grpo"] = config.algorithm.norm_adv_by_std_in_grpo
    return core_algos.get_adv_estimator_fn(config.algorithm.adv_estimator)(**given)[0]


def loss(overrides: list[str], plain: dict[str, Any], parts: int) -> dict[str, Any]:
    """verl's loss and its gradients, the batch in `parts` micro-batches."""
    config = configuration(*NEEDED, *overrides)
    actor = omega_conf_to_dataclass(config.actor_rollout_ref.actor)
    batch = {name: torch.tensor(values) for name, values in plain.items()}
    shape = batch["mask"].shape
    per_token = {name: value.reshape(-1, shape[2]) for name, value in batch.items() if value.dim() == 3}
    advantage = advantages(config, {**per_token, "rewards": batch["rewards"]})
    leaves = [per_token[name].clone().requires_grad_() for name in ("logp", "entropy")]
    total = 0.0
    for rows in torch.arange(len(advantage)).chunk(parts):
        mask = per_token["mask"]
        data = TensorDict(
            {
                "response_mask": mask[rows],
                "old_log_probs": per_token["logp_old"][rows],
                "ref_log_prob": per_token["logp_ref"][rows],
                "advantages": advantage[rows],
            },
            batch_size=len(rows),
        )
        whole = {"dp_size": 1, "batch_num_tokens": mask.sum().item(), "global_batch_size": len(mask)}
        for name, value in whole.items():
            data.set_non_tensor(name, value)
        output = {"log_probs": leaves[0][rows], "entropy": leaves[1][rows]}
        found, _ = losses.ppo_loss(actor, output, data)
        found.backward()
        total += found.item()
    gradients = [leaf.grad if leaf.grad is not None else torch.zeros_like(leaf) for leaf in leaves]
    return {"loss": total, **{n: g.tolist() for n, g in zip(("logp", "entropy"), gradients, strict=True)}}


def answer(question: dict[str, Any]) -> Any:
    """The answer to one question; what verl refuses comes back as its message."""
    request = SimpleNamespace(**question)
    try:
        if request.kind == "check":
            configuration(*request.overrides)
            return {"ok": True}
        return loss(request.overrides, request.batch, request.parts)
    except Exception as error:  # whatever verl or Hydra raises is the answer
        return {"error": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    torch.set_num_threads(1)
    answers = [answer(question) for question in json.load(sys.stdin)]
    print("\n@" + json.dumps(answers))
