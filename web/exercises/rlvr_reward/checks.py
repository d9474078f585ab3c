"""Oracle: pycore.verify.reward.rlvr_reward and pycore.advantages.flat_groups."""

from typing import Any

import numpy as np

from pycore.advantages import flat_groups
from pycore.verify import reward
from web.exercises.folder import Check


def rlvr_reward(text: str, answer: int) -> float:
    """The course's reward."""
    return reward.rlvr_reward(text, answer)


def empty_share(rewards: Any) -> float:
    """Share of groups without signal."""
    return float(np.mean(flat_groups(rewards)))


ORACLES = {"rlvr_reward": rlvr_reward, "empty_share": empty_share}
tenths = np.array([[1.1, 1.1, 1.1], [0.1, 1.1, 0.1], [0.1, 0.1, 0.1], [0.0, 0.0, 0.0], [1.1, 0.0, 0.1]])
CHECKS = [
    Check("right", [("6 * 7 = 42 #### 42", 42), ("####42", 42)]),
    Check("wrong", [("#### 7", 42), ("#### 41", 42)]),
    Check("unmarked", [("42", 42), ("The answer is 42 ####", 42), ("#### forty-two", 42)]),
    Check("two_markers", [("#### 41 #### 42", 42), ("#### 42 #### 41", 42)]),
    Check("share", [(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),)], function="empty_share"),
    Check("listing", [("1 2 3 41 42 43 #### 0", 42), ("42 42 42", 42)], hidden=True),
    Check("spelling", [("#### 1,000", 1000), ("#### -3", -3), ("#### 5.0", 5)], hidden=True),
    Check("tenths", [(tenths,), (np.array([[0.1, 0.1, 0.1]]),)], function="empty_share", hidden=True),
]
