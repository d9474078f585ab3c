"""Oracle: TRL's contract for reward functions, as its documentation states it."""

import pytest

from pycore.domain import DomainError
from pycore.verify.reward import accuracy_reward, rlvr_reward
from pycore.verify.trainer import reward_function


def message(content):
    return [{"role": "system", "content": "#### 0"}, {"role": "assistant", "content": content}]


def test_one_float_comes_back_for_each_completion_in_order():
    reward = reward_function(rlvr_reward)
    completions = ["#### 1", "#### 2", "3", "#### 4"]
    assert reward(completions=completions, answer=["1", "3", "3", "4"]) == [1.1, 0.1, 0.0, 1.1]


def test_a_conversation_is_judged_by_its_last_message():
    reward = reward_function(rlvr_reward)
    assert reward(completions=[message("#### 5"), message("#### 6")], answer=["5", "5"]) == [1.1, 0.1]


def test_whatever_else_the_trainer_passes_is_ignored():
    reward = reward_function(accuracy_reward, column="solution")
    extra = {"prompts": ["?"], "completion_ids": [[1, 2]], "trainer_state": object(), "answer": ["7"]}
    assert reward(completions=["#### 5"], solution=["5"], **extra) == [1.0]


def test_the_log_shows_the_rewards_name():
    assert reward_function(rlvr_reward).__name__ == "rlvr_reward"
    assert reward_function(rlvr_reward, name="course").__name__ == "course"


def test_references_of_another_number_are_never_stretched():
    with pytest.raises(DomainError, match=r"len\(answer\) = 1: allowed is 2, the number of completions"):
        reward_function(rlvr_reward)(completions=["#### 5", "#### 5"], answer=["5"])


def test_a_missing_column_is_named():
    with pytest.raises(DomainError, match="column = 'answer'"):
        reward_function(rlvr_reward)(completions=["#### 5"], solution=["5"])


@pytest.mark.parametrize("completion", [[], None, [{"role": "assistant"}], [{"content": ["parts"]}], ["text"], 42])
def test_a_completion_of_another_form_is_refused(completion):
    with pytest.raises(DomainError, match="completion"):
        reward_function(rlvr_reward)(completions=[completion], answer=["5"])
