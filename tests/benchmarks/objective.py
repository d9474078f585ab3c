"""`evaluate` against the same preset in eager torch, forward and backward: `python -m tests.benchmarks.objective`.

64 prompts x 16 responses x 1,024 tokens in float32, torch on two threads. Both sides run alternately in one process and
are compared by the ratio of their medians, so that a busy machine slows both. Torch checks nothing, so `evaluate` is
compared by itself; what it comes to with a `Batch` built and checked for it is told beside it. Memory is the peak that
NumPy allocates while the batch is built, checked and evaluated, in units of the log-prob array.
"""

import json
import os
import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

# Torch's second thread would go on spinning after its work, on the processor that the other side is timed on. Its own
# times stay as they were. Read when torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import torch
from torch import Tensor

from pycore.objective import Batch, evaluate
from pycore.protocol import PRESETS

PROMPTS, GROUP, TOKENS = 64, 16, 1024
REPEATS = 15

LIMITS = {
    "time relative to torch": 1.0,
    "memory relative to log-probs": 6.0,
    "time per token, longest to shortest": 1.5,
}


def batch_of(tokens: int, *, reference: bool) -> dict[str, np.ndarray]:
    """Float32 arrays with ragged lengths and a little drift; the reference policy's only where they are used."""
    rng, shape = np.random.default_rng(0), (PROMPTS, GROUP, tokens)
    logp_old = -rng.exponential(1.0, shape).astype(np.float32)
    drifted = [np.minimum(logp_old + rng.normal(0, 0.1, shape).astype(np.float32), 0) for _ in range(2)]
    mask = np.arange(tokens) < rng.integers(tokens // 2, tokens + 1, shape[:2])[..., None]
    rewards = rng.integers(0, 2, shape[:2]).astype(np.float64)
    arrays = {"logp": drifted[0], "logp_old": logp_old, "mask": mask, "rewards": rewards}
    return arrays | ({"logp_ref": drifted[1]} if reference else {})


def _advantage(b: dict[str, Tensor], ddof: int, eps: float) -> Tensor:
    rewards = b["rewards"]
    return (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True, correction=ddof) + eps)


def _clip(ratio: Tensor, advantage: Tensor, low: float, high: float) -> Tensor:
    return torch.min(ratio * advantage, torch.clamp(ratio, 1 - low, 1 + high) * advantage)


def grpo(b: dict[str, Tensor]) -> Tensor:
    ratio, log_r = torch.exp(b["logp"] - b["logp_old"]), b["logp_ref"] - b["logp"]
    terms = _clip(ratio, _advantage(b, 0, 1e-6)[..., None], 0.2, 0.2) - 0.04 * (torch.exp(log_r) - log_r - 1)
    return -((terms * b["mask"]).sum(-1) / b["mask"].sum(-1).clamp(min=1)).mean()


def dapo(b: dict[str, Tensor]) -> Tensor:
    ratio = torch.exp(b["logp"] - b["logp_old"])
    terms = _clip(ratio, _advantage(b, 1, 1e-4)[..., None], 0.2, 0.2)
    return -(terms * b["mask"]).sum() / b["mask"].sum()


def gspo(b: dict[str, Tensor]) -> Tensor:
    mean = ((b["logp"] - b["logp_old"]) * b["mask"]).sum(-1) / b["mask"].sum(-1).clamp(min=1)
    return -_clip(torch.exp(mean), _advantage(b, 0, 1e-6), 3e-4, 4e-4).mean()


def cispo(b: dict[str, Tensor]) -> Tensor:
    weight = torch.clamp(torch.exp(b["logp"] - b["logp_old"]), max=5.0).detach()
    terms = weight * _advantage(b, 0, 1e-6)[..., None] * b["logp"]
    return -(terms * b["mask"]).sum() / b["mask"].sum()


PAIRS: dict[str, Callable[[dict[str, Tensor]], Tensor]] = {
    "grpo": grpo,
    "trl-1.16.0/dapo": dapo,
    "gspo": gspo,
    "cispo": cispo,
}


def timed(call: Callable[[], object]) -> float:

    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def against_torch(name: str) -> dict[str, float]:
    """Medians in milliseconds, their ratio, peak memory and the largest difference of the gradients."""
    protocol = PRESETS[name]
    arrays = batch_of(TOKENS, reference=protocol.kl_coefficient > 0)
    tensors = {key: torch.from_numpy(value) for key, value in arrays.items()}
    tensors["rewards"] = tensors["rewards"].float()
    tensors["logp"].requires_grad_()

    def theirs() -> None:
        tensors["logp"].grad = None
        PAIRS[name](tensors).backward()

    batch = Batch(**arrays)

    def ours() -> None:
        evaluate(protocol, batch)

    def checked() -> None:
        evaluate(protocol, Batch(**arrays))

    for warm_up in (ours, checked, theirs):
        warm_up()
    rounds = [(timed(ours), timed(theirs), timed(checked), timed(theirs)) for _ in range(REPEATS)]
    mine, other, whole, again = (statistics.median(side) * 1e3 for side in zip(*rounds, strict=True))
    tracemalloc.start()
    checked()
    peak = tracemalloc.get_traced_memory()[1] / arrays["logp"].nbytes
    tracemalloc.stop()
    gradient = tensors["logp"].grad
    assert gradient is not None
    difference = np.max(np.abs(evaluate(protocol, Batch(**arrays)).grad - gradient.numpy()))
    return {
        "evaluate ms": round(mine, 2),
        "torch ms": round(other, 2),
        "time relative to torch": round(mine / other, 3),
        "the same with the batch built and checked": round(whole / again, 3),
        "memory relative to log-probs": round(peak, 2),
        "largest gradient": float(np.max(np.abs(gradient.numpy()))),
        "largest difference": float(difference),
    }


def linearity(name: str) -> dict[str, float]:
    """Processor time per token for growing lengths, and its ratio between the longest and the shortest."""
    found, protocol = {}, PRESETS[name]
    lengths = (256, 512, 1024, 2048)
    batches = {tokens: Batch(**batch_of(tokens, reference=True)) for tokens in lengths}
    seconds: dict[int, list[float]] = {tokens: [] for tokens in lengths}
    for _ in range(REPEATS):
        for tokens, batch in batches.items():
            start = time.process_time()
            evaluate(protocol, batch)
            seconds[tokens].append(time.process_time() - start)
    for tokens in lengths:
        found[f"ns per token at {tokens}"] = statistics.median(seconds[tokens]) * 1e9 / (PROMPTS * GROUP * tokens)
    found["time per token, longest to shortest"] = found["ns per token at 2048"] / found["ns per token at 256"]
    return {key: round(value, 3) for key, value in found.items()}


def main() -> None:
    torch.set_num_threads(2)
    found = {name: against_torch(name) for name in PAIRS}
    found["grpo"] |= linearity("grpo")
    print(json.dumps(found, indent=2))
    missed = [
        f"{name}: {key} = {values[key]}, at most {limit}"
        for name, values in found.items()
        for key, limit in LIMITS.items()
        if values.get(key, 0) > limit
    ]
    if missed:
        raise SystemExit("\n".join(missed))


if __name__ == "__main__":
    main()
