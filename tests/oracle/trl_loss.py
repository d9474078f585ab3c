"""TRL's own loss code on given tensors: `GRPOTrainer._compute_loss` with a stand-in for the trainer around it.

The method is TRL's, unchanged; the stand-in only answers the questions it asks. Its settings come from a real
`GRPOConfig`, so that a preset is compared with the library's defaults and not with our idea of them.
"""

import importlib.metadata
import warnings
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import torch

with warnings.catch_warnings():  # other people's deprecations, raised while importing
    warnings.simplefilter("ignore")
    from trl import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

VERSION = importlib.metadata.version("trl")
LOSS_TYPES = ("grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "vespo", "luspo")


def config(loss_type: str, directory: str, **settings: Any) -> GRPOConfig:
    """TRL's configuration with its defaults; LUSPO with the ratio level that TRL demands for it."""
    if loss_type == "luspo":
        settings.setdefault("importance_sampling_level", "sequence")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GRPOConfig(
            output_dir=directory, loss_type=loss_type, use_cpu=True, bf16=False, report_to="none", **settings
        )


def trl_loss(
    settings: GRPOConfig,
    tensors: dict[str, torch.Tensor],
    advantages: torch.Tensor,
    *,
    accumulation_steps: int = 1,
    tokens_in_batch: int | None = None,
) -> torch.Tensor:
    """TRL's loss of responses.

    Args:
        settings: from `config`.
        tensors: `logp`, `logp_old`, `logp_ref`, `entropy`, `mask`, each of shape (responses, tokens).
        advantages: shape (responses,).
        accumulation_steps: micro-batches of one update.
        tokens_in_batch: active tokens of the whole generation batch; of these tensors when None.
    """
    mask = tensors["mask"].to(tensors["logp"].dtype)
    trainer = SimpleNamespace(
        args=settings,
        loss_type=settings.loss_type,
        beta=settings.beta,
        epsilon_low=settings.epsilon,
        epsilon_high=settings.epsilon if settings.epsilon_high is None else settings.epsilon_high,
        importance_sampling_level=settings.importance_sampling_level,
        max_completion_length=settings.max_completion_length,
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        use_vllm=False,
        use_liger_kernel=False,
        vllm_importance_sampling_correction=False,
        aux_loss_enabled=False,
        use_adaptive_entropy=False,
        entropy_coef=settings.entropy_coef,
        _entropy_bonus_enabled=settings.entropy_coef != 0.0,
        current_gradient_accumulation_steps=accumulation_steps,
        model=SimpleNamespace(training=True),
        accelerator=SimpleNamespace(
            num_processes=1,
            sync_gradients=False,
            gather=lambda value: value,
            reduce=lambda value, reduction: value,
        ),
        _metrics={"train": defaultdict(list)},
        get_gamma_weights=GRPOTrainer.get_gamma_weights,
        _get_per_token_logps_and_entropies=lambda *_, **__: (tensors["logp"], tensors["entropy"], None),
    )
    # With steps_per_generation equal to the accumulation steps a generation batch is one update.
    settings.steps_per_generation = accumulation_steps
    tokens = mask.sum() if tokens_in_batch is None else torch.tensor(float(tokens_in_batch))
    ids = torch.zeros(mask.shape, dtype=torch.long)
    inputs = {
        "prompt_ids": ids[:, :1],
        "prompt_mask": torch.ones_like(ids[:, :1]),
        "completion_ids": ids,
        "completion_mask": mask,
        "advantages": advantages,
        "old_per_token_logps": tensors["logp_old"],
        "ref_per_token_logps": tensors["logp_ref"],
        "num_items_in_batch": tokens,
    }
    loss: torch.Tensor = GRPOTrainer._compute_loss(trainer, None, inputs)
    return loss
