"""The telling batch: responses as runs of tokens with one ratio, and the update that a named protocol makes of them."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pycore.batch import Batch
from pycore.control import Value
from pycore.domain import Array
from pycore.objective import evaluate
from pycore.protocol import PRESETS as PROTOCOLS
from pycore.rows import Row
from web.labs.composer.axes import state
from web.labs.contract import State

LOGP, VALUE = -4.0, 0.5  # log-prob of every token now; what a critic expects of every response


class Tokens(NamedTuple):
    """The batch, and for each of its tokens, in order, the place in the arrays and the response it belongs to."""

    batch: Batch
    place: tuple[NDArray[np.int64], ...]
    response: NDArray[np.int64]


@lru_cache(maxsize=8)
def tokens(runs: tuple[Row, ...], gap: float) -> Tokens:
    """The batch of these runs.

    Args:
        runs: (group, response, reward, tokens, ratio) each; a response's reward is that of its first run.
        gap: log-prob of every token under the reference policy, less that of now.
    """
    answers: dict[tuple[int, int], list[Row]] = {}
    for run in sorted(runs, key=lambda run: run[:2]):
        answers.setdefault((int(run[0]), int(run[1])), []).append(run)
    groups = sorted({group for group, _ in answers})
    members = [[key for key in answers if key[0] == group] for group in groups]
    ratios = {key: np.repeat([one[4] for one in own], [int(one[3]) for one in own]) for key, own in answers.items()}
    shape = (len(groups), max(map(len, members)), max(ratio.size for ratio in ratios.values()))
    ratio, mask, rewards = np.ones(shape), np.zeros(shape, bool), np.full(shape[:2], np.nan)
    for i, keys in enumerate(members):
        for j, key in enumerate(keys):
            mask[i, j, : ratios[key].size], ratio[i, j, : ratios[key].size] = True, ratios[key]
            rewards[i, j] = answers[key][0][2]
    now = np.full(shape, LOGP)
    made = Batch(now, now - np.log(ratio), mask, rewards, logp_ref=now + gap)
    place = np.nonzero(mask)
    return Tokens(made, place, np.unique(place[0] * shape[1] + place[1], return_inverse=True)[1])


def ratios(made: Tokens) -> Array:
    """The importance ratio of every token."""
    return np.asarray(np.exp(made.batch.logp - made.batch.logp_old)[made.place])


def pulls(name: str, runs: tuple[Row, ...], gap: float) -> Array:
    """How hard a named protocol pulls each token; 1 is a fresh token with A = 1 in a mean over all tokens."""
    return _pulls(name, runs, gap if PROTOCOLS[name].kl_coefficient else 0.0)  # the others do not see the reference


@lru_cache(maxsize=256)
def _pulls(name: str, runs: tuple[Row, ...], gap: float) -> Array:
    made, place, _ = tokens(runs, gap)
    protocol = PROTOCOLS[name]
    if protocol.aggregation == "constant":  # L belongs to a run, not to a method: here it is the longest response
        protocol = replace(protocol, max_tokens=made.shape[2])
    if protocol.baseline == "critic":
        made = replace(made, advantages=np.nan_to_num(np.asarray(made.rewards) - VALUE))
    return np.asarray(0.0 - evaluate(protocol, made).grad[place] * len(place[0]), float)


def composed(name: str, runs: tuple[Row, ...]) -> State:
    """What the composer opens: the protocol, and the batch where it can be written there, with one ratio a response."""
    opened: dict[str, Value] = {"start": name, **state(name)}
    if PROTOCOLS[name].aggregation == "constant":
        opened["max_tokens"] = max(int(size) for *_, size, _ in runs)
    if len({run[:2] for run in runs}) == len(runs):
        opened["responses"] = tuple((group, reward, size, ratio, 0) for group, _, reward, size, ratio in runs)
    return opened
