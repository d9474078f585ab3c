"""The prompts of a stream and the informative share of their groups: by a law, or the learner's own."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from pycore.argument import Index
from pycore.domain import Array
from pycore.groups import (
    Share,
    informative_probability,
    mixture_informative_probability,
    simulated_informative_share,
)

GRID = np.linspace(0, 1, 101)
PROBES = np.linspace(0.05, 0.95, 10)
SIZES = np.array([2, 4, 8, 16, 32, 64])


class Prompts(NamedTuple):
    """Prompts by their success rate: each rate that occurs, how many prompts have it, how often their groups signal."""

    rate: Array
    shared: Index
    informative: Array


class Stream(NamedTuple):
    """What is known of the prompts: their mean success, and the informative share of their groups.

    Attributes:
        p: mean success of the stream.
        informative: share of groups of the chosen size.
        by_size: the same at every one of SIZES.
        counted: the share among simulated groups.
        curve: the share along GRID: of a stream with that mean or, where the stream is given, of one prompt.
        probes: means with a simulation of their own, and what it counted.
        prompts: the learner's own, by rate; none where the stream is a law.
    """

    p: float
    informative: float
    by_size: Array
    counted: Share
    curve: Array
    probes: tuple[Array, list[Share]]
    prompts: Prompts


NONE = Prompts(np.empty(0), np.empty(0, dtype=int), np.empty(0))


def modelled(controls: Mapping[str, Any]) -> Stream:
    """Prompts of one rate, or of a Beta law with this mean: every mean on the curve has its own."""
    p, size, spread, correlation = (controls[name] for name in ("p", "G", "spread", "correlation"))
    here, sizes, rng = np.array([p]), np.array([size]), np.random.default_rng(controls["seed"])
    simulated = [simulate(one, size, spread, correlation, controls["groups"], rng) for one in (p, *PROBES)]
    return Stream(
        p=p,
        informative=share(here, sizes, spread, correlation)[0],
        by_size=share(here, SIZES, spread, correlation),
        counted=simulated[0],
        curve=share(GRID, sizes, spread, correlation),
        probes=(PROBES, simulated[1:]),
        prompts=NONE,
    )


def own(controls: Mapping[str, Any]) -> Stream:
    """The learner's own prompts, each as likely as any other to come next."""
    size, correlation = controls["G"], controls["correlation"]
    rates = np.asarray(controls["own"], dtype=np.float64).ravel()
    rate, shared = np.unique(rates, return_counts=True)
    # Size by size: the work of tied responses grows with the largest size asked at once.
    at_size = [informative_probability(rate, one, correlation) for one in (*SIZES, size)]
    by_size = np.array(at_size) @ shared / rates.size
    rng = np.random.default_rng(controls["seed"])
    counted = simulated_informative_share(rng.choice(rates, controls["groups"]), size, rng, correlation)
    mean = float(rates.mean())
    return Stream(
        p=mean,
        informative=by_size[-1],
        by_size=by_size[:-1],
        counted=counted,
        curve=informative_probability(GRID, size, correlation),
        probes=(np.array([mean]), [counted]),
        prompts=Prompts(rate, shared, at_size[-1]),
    )


def share(p: Array, size: Array, spread: float, correlation: float) -> Array:
    """Informative share of a stream of prompts with mean success `p`, shapes (n,) or (1,).

    `spread` says how far prompts differ: the correlation that the mixture alone gives two responses to one prompt.
    """
    if spread == 0:
        return informative_probability(p, size, correlation)
    p, size = np.broadcast_arrays(p, size)
    inner = (p > 0) & (p < 1)  # at 0 and 1 all prompts are alike, whatever the spread
    alpha, beta = _beta(p[inner], spread)
    result = np.zeros(p.shape)
    result[inner] = mixture_informative_probability(alpha, beta, size[inner], correlation)
    return result


def simulate(p: float, size: int, spread: float, correlation: float, groups: int, rng: np.random.Generator) -> Share:
    """Really draws `groups` prompts and one group of responses to each."""
    prompts = rng.beta(*_beta(p, spread), groups) if spread > 0 and 0 < p < 1 else np.full(groups, p)
    return simulated_informative_share(prompts, size, rng, correlation)


def _beta(p: Any, spread: float) -> tuple[Any, Any]:
    strength = 1 / spread - 1
    return p * strength, (1 - p) * strength
