"""A whole plan as arguments of TRL's GRPOConfig: the protocol's axes, and everything else that the plan says."""

from math import inf
from typing import Any

from colab.plan import Plan
from colab.trl import arguments
from pycore.domain import DomainError


def config(plan: Plan, *, rows: int, precision: str = "float32", cpu: bool = True) -> dict[str, Any]:
    """Arguments of GRPOConfig for a whole run: the protocol's axes and everything else that the plan says.

    Args:
        plan: the run.
        rows: responses in one backward pass; divides `plan.batch * plan.group`.
        precision: of the frozen weights; half precision is trained under TRL's own autocast.
        cpu: whether there is no card.

    Raises:
        UnmappedError: an axis that TRL cannot follow.
        DomainError: rows that do not divide the batch.
    """
    total = plan.batch * plan.group
    if rows < 1 or total % rows:
        raise DomainError("rows", rows, f"a divisor of batch x G = {total}")
    decoding = plan.decoding
    axes = arguments(plan.protocol, group=plan.group, response_tokens=plan.max_tokens, whole=rows == total)
    return {
        **axes,
        "per_device_train_batch_size": rows,
        "gradient_accumulation_steps": total // rows,
        "max_steps": plan.updates * plan.protocol.iterations,
        "learning_rate": plan.learning_rate,
        "lr_scheduler_type": "constant",
        "optim": "adamw_torch",
        "weight_decay": 0.0,
        "max_grad_norm": 0.0 if plan.max_norm == inf else plan.max_norm,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "top_k": decoding.top_k or 0,
        "seed": plan.seed,
        "disable_dropout": True,
        # It is on by default, and recomputes every layer to save memory that adapters on a small model do not need.
        "gradient_checkpointing": False,
        "fp16": precision == "float16",
        "bf16": precision == "bfloat16",
        "use_cpu": cpu,
        "dataloader_pin_memory": not cpu,
        # In the middle of a rollout's iterations TRL could not go on: it would sample anew.
        "logging_steps": plan.protocol.iterations,
        "save_steps": plan.checkpoint_every * plan.protocol.iterations,
        "save_total_limit": 1,
        "report_to": "none",
        "disable_tqdm": True,
    }
