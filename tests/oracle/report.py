"""Prints preset x oracle x largest absolute difference of loss and gradient: `python -m tests.oracle.report`."""

import tempfile
from collections.abc import Iterator

import numpy as np

from pycore.presets import LIBRARIES, PAPERS
from pycore.protocol import PRESETS
from tests.oracle.batches import random_batch
from tests.oracle.compare import paper_difference, slope_difference, trl_difference, verl_difference
from tests.oracle.trl_loss import VERSION, config

SEEDS, DRIFTS = range(10), (0.0, 0.1, 0.5, 2.0)
# The loss of a constant weight does not move with the weight: it has no slope to compare with.
WITHOUT_SLOPE = ("weight", "gamma")


def rows() -> Iterator[tuple[str, str, float, float | None, float]]:
    """Preset, oracle, differences of loss (None: not compared) and gradient, tolerance."""
    for name in PAPERS:
        pairs = [paper_difference(name, seed, drift) for seed in SEEDS for drift in DRIFTS]
        yield name, "torch autograd, paper's loss", *np.max(pairs, axis=0), 1e-9
    for name in LIBRARIES:
        library, loss = name.split("/")
        if library == f"trl-{VERSION}":
            with tempfile.TemporaryDirectory() as directory:
                settings = config(loss, directory)
                found = [
                    trl_difference(PRESETS[name], random_batch(np.random.default_rng(seed), drift=drift), settings)[:2]
                    for seed in SEEDS
                    for drift in DRIFTS
                ]
            yield name, f"TRL {VERSION}'s own loss code", *np.max(found, axis=0), 1e-5
        elif library.startswith("verl"):
            pairs = [verl_difference(loss, seed, drift) for seed in SEEDS for drift in DRIFTS]
            yield name, "torch autograd, second derivation", *np.max(pairs, axis=0), 1e-7
    for name in (*PAPERS, *LIBRARIES):
        if PRESETS[name].clip not in WITHOUT_SLOPE:
            batch = random_batch(np.random.default_rng(1), prompts=2, tokens=4, advantages=name == "ppo_clip")
            # A log-prob of zero cannot be moved up.
            batch = type(batch)(
                np.minimum(batch.logp, -1e-3), batch.logp_old, batch.mask, batch.rewards, batch.logp_ref,
                advantages=batch.advantages,
            )  # fmt: skip
            yield name, "central differences", None, slope_difference(PRESETS[name], batch), 1e-8


def main() -> None:
    print(f"{'preset':22} {'oracle':36} {'loss':>9} {'gradient':>9} {'allowed':>8}")
    exceeded = 0
    for name, oracle, loss, gradient, allowed in rows():
        shown, within = "" if loss is None else f"{loss:9.1e}", max(loss or 0.0, gradient) < allowed
        exceeded += not within
        print(f"{name:22} {oracle:36} {shown:>9} {gradient:9.1e} {allowed:8.0e}{'' if within else '  EXCEEDED'}")
    raise SystemExit(min(exceeded, 1))


if __name__ == "__main__":
    main()
