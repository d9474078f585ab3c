import re
import numpy as np


def rlvr_reward(text, answer):
    ...


def empty_share(rewards):
    ...


print(rlvr_reward("6 * 7 = 42 #### 42", 42))
print(empty_share(np.array([[1.1, 0.1], [0.1, 0.1]])))
