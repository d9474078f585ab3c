"""Practicum A's update step against the same model in torch, and in wasm: `python -m tests.benchmarks.policy`.

One step is: sample 32 groups of 16 responses, verify them, four iterations of loss, backward pass, clipping and Adam.
torch runs eagerly on one thread with `torch.nn.GRU`; it reads each prompt once for a whole group, as a careful author
would write it. Both sides run alternately in one process and are compared by the ratio of their medians, so that a busy
machine slows both. The wasm figure is the same file inside Pyodide under Node, run right after the native one.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pycore import arithmetic
from pycore.gru_policy import GruPolicy
from pycore.train import HEALTHY, Recipe, run, sums
from pycore.train.sweep import train_base
from tests.benchmarks._policy_step import ITERATIONS, measure
from web.builder import node, runtime

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
REPEATS = 25
RECIPE = replace(HEALTHY, protocol=replace(HEALTHY.protocol, iterations=ITERATIONS))
LIMITS = {
    "torch float64 time relative to ours": (2.0, "at least"),
    "torch float32 time relative to ours": (2.0, "at least"),
    "wasm time relative to native": (8.0, "at most"),
    "healthy run, seconds natively": (5.0, "at most"),
}


class Network(torch.nn.Module):
    """Embedding, GRU and language head."""

    def __init__(self, policy: GruPolicy, dtype: torch.dtype) -> None:
        super().__init__()
        size, w = policy.size, policy.weights
        self.embedding = torch.nn.Embedding(size.vocabulary, size.embedding)
        self.gru = torch.nn.GRU(size.embedding, size.hidden, batch_first=True)
        self.head = torch.nn.Linear(size.hidden, size.vocabulary)
        self.to(dtype)
        bias = np.concatenate([np.zeros(2 * size.hidden), w.candidate_bias])
        pairs = [
            (self.embedding.weight, w.embedding),
            (self.gru.weight_ih_l0, w.input.T),
            (self.gru.bias_ih_l0, w.input_bias),
            (self.gru.weight_hh_l0, w.recurrent.T),
            (self.gru.bias_hh_l0, bias),
            (self.head.weight, w.head.T),
            (self.head.bias, w.head_bias),
        ]
        with torch.no_grad():
            for parameter, values in pairs:
                parameter.copy_(torch.from_numpy(np.ascontiguousarray(values)))


class TorchStep:
    """The same step as a careful author writes it in torch."""

    def __init__(self, recipe: Recipe, base: bytes, dtype: torch.dtype) -> None:
        policy = GruPolicy.load(base, arithmetic.grammar())
        self.recipe, self.task = recipe, sums(recipe)
        self.network = Network(policy, dtype)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=recipe.learning_rate)
        self.allowed = torch.from_numpy(policy.grammar.allowed)
        self.generator = torch.Generator().manual_seed(0)
        self.random = np.random.default_rng(0)

    def log_probs(self, output: Tensor, position: int | slice) -> Tensor:
        return torch.log_softmax(self.network.head(output).masked_fill(~self.allowed[position], -1e30), dim=-1)

    def encode(self, prompts: Tensor) -> tuple[Tensor, Tensor]:
        """Output and state after each prompt, repeated for its group."""
        output, state = self.network.gru(self.network.embedding(prompts))
        group = self.recipe.group
        return output[:, -1:].repeat_interleave(group, 0), state.repeat_interleave(group, 1)

    @torch.no_grad()
    def sample(self, prompts: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        output, state = self.encode(prompts)
        rows, length = len(output), len(self.allowed)
        tokens = torch.full((rows, length), arithmetic.PAD)
        logp = torch.zeros((rows, length), dtype=output.dtype)
        mask = torch.zeros((rows, length), dtype=torch.bool)
        alive = torch.ones(rows, dtype=torch.bool)
        for position in range(length):
            if position:
                output, state = self.network.gru(self.network.embedding(tokens[:, position - 1 : position]), state)
            scores = self.log_probs(output[:, 0], position)
            chosen = torch.multinomial(scores.exp(), 1, generator=self.generator)
            tokens[:, position] = torch.where(alive, chosen[:, 0], arithmetic.PAD)
            logp[:, position] = torch.gather(scores, 1, chosen)[:, 0]
            mask[:, position] = alive & (position < length - 1)
            alive = alive & (chosen[:, 0] != arithmetic.END)
        return tokens, logp, mask

    def __call__(self) -> None:
        recipe = self.recipe
        chosen = self.random.choice(self.task.sizes["train"], recipe.batch, replace=False)
        prompts = torch.from_numpy(self.task.prompts("train", chosen))
        tokens, old, mask = self.sample(prompts)
        groups = tokens.numpy().reshape(recipe.batch, recipe.group, -1)
        verdict = arithmetic.judge(self.task.split.train[chosen], groups)
        reward = torch.from_numpy(verdict.reward).to(old.dtype)
        centred = reward - reward.mean(1, keepdim=True)
        advantage = (centred / (reward.std(1, keepdim=True, correction=0) + 1e-4)).reshape(-1, 1)
        for _ in range(recipe.protocol.iterations):
            first, state = self.encode(prompts)
            rest, _ = self.network.gru(self.network.embedding(tokens[:, :-2]), state)
            scores = self.log_probs(torch.cat([first, rest], 1), slice(0, -1))
            logp = torch.gather(scores, 2, tokens[:, :-1, None])[..., 0]
            active = mask[:, :-1]
            ratio = torch.exp(torch.where(active, logp - old[:, :-1], 0.0))
            gain = torch.min(ratio * advantage, torch.clamp(ratio, 0.8, 1.2) * advantage)
            loss = -(gain * active).sum() / active.sum()
            self.optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), recipe.max_norm)
            self.optimiser.step()


class OurStep:
    """Our step, driven through the same generator that the page drives."""

    def __init__(self, recipe: Recipe, base: bytes) -> None:
        quiet = replace(recipe.evaluation, every=10**6, prompts=2, samples=1)
        forever = replace(recipe, updates=10**6, evaluation=quiet, show_every=10**6, checkpoint_every=10**6)
        self.steps = run(forever, base=base)

    def __call__(self) -> None:
        while getattr(next(self.steps), "kind", "") != "update":
            pass


def alternate(sides: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Median seconds of each side, measured in turns."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(REPEATS + 3):
        for name, side in sides.items():
            start = time.perf_counter()
            side()
            if turn >= 3:
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def in_wasm(base: Path) -> dict[str, float]:
    """What `_policy_step` measures inside Pyodide."""
    with tempfile.TemporaryDirectory() as folder:
        runtime.build(Path(folder) / "runtime", cache=ROOT / ".cache", say=lambda _: None)
        command = [node.tool("node"), str(HERE / "_policy_wasm.mjs"), f"{folder}/runtime", str(ROOT), str(base)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return dict(json.loads(output.rpartition("@")[2]))


def main() -> int:
    """Prints the figures and whether each keeps its limit."""
    torch.set_num_threads(1)
    print("warm start", flush=True)
    base = train_base(HEALTHY)
    times = alternate(
        {
            "ours": OurStep(RECIPE, base),
            "float64": TorchStep(RECIPE, base, torch.float64),
            "float32": TorchStep(RECIPE, base, torch.float32),
        }
    )
    start = time.perf_counter()
    for _ in run(HEALTHY, base=base):
        pass
    healthy = time.perf_counter() - start
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(base)
    native = measure(base)
    wasm = in_wasm(Path(file.name))
    Path(file.name).unlink()
    print("milliseconds a step:", {name: round(1e3 * seconds, 2) for name, seconds in times.items()})
    print("native:", {name: round(value, 2) for name, value in native.items()})
    print("wasm:  ", {name: round(value, 2) for name, value in wasm.items()})
    found: dict[str, Any] = {
        "torch float64 time relative to ours": times["float64"] / times["ours"],
        "torch float32 time relative to ours": times["float32"] / times["ours"],
        "wasm time relative to native": wasm["update_ms"] / native["update_ms"],
        "healthy run, seconds natively": healthy,
    }
    good = True
    for name, value in found.items():
        limit, side = LIMITS[name]
        kept = value >= limit if side == "at least" else value <= limit
        good &= kept
        print(f"{'ok  ' if kept else 'MISS'} {name}: {value:.2f}, {side} {limit}")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
