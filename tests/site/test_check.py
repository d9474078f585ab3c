"""Oracle: the question's own data. The page's grader, under Node, takes every key and refuses the rest."""

import itertools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from web.builder import node
from web.builder.course import content
from web.builder.course.check import Check

GRADE = Path(__file__).parents[2] / "web/shell/grade.js"
SCRIPT = """
const { grade, readNumber } = await import(process.argv[1])
let text = ''
for await (const piece of process.stdin) text += piece
const asked = JSON.parse(text)
const answer = ([kind, ...rest]) => kind === 'read' ? String(readNumber(...rest)) : grade(kind, ...rest)
process.stdout.write(JSON.stringify(asked.map(answer)))
"""


def graded(asked: list[list[Any]]) -> list[Any]:
    """What grade.js says of each `[kind, key, answer, language]`, or reads of `["read", text, language]`."""
    command = [node.tool("node"), "--input-type=module", "-e", SCRIPT, GRADE.as_uri()]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


def answers(check: Check) -> tuple[Any, list[Any]]:
    """The right answer as the page sends it, and wrong ones: all near to it, for a long list a part of them."""
    key = check.key
    if check.kind in ("single", "fault"):
        return key["right"], [[place] for place in range(len(check.items)) if place not in key["right"]]
    if check.kind == "multiple":
        every = range(len(check.items))
        subsets = itertools.chain.from_iterable(
            itertools.combinations(every, n) for n in range(1, len(check.items) + 1)
        )
        return key["right"], [list(chosen) for chosen in subsets if list(chosen) != key["right"]]
    if check.kind == "numeric":
        step = key["tolerance"]
        return str(key["value"]), [
            str(wrong) for wrong in (*key["traps"], key["value"] + 3 * step, key["value"] - 3 * step)
        ]
    if check.kind == "ordering":
        orders = itertools.islice(itertools.permutations(key["order"]), 1, 30)
        return key["order"], [list(order) for order in orders]
    assert check.kind == "matching"
    wrong = []
    for place, right in enumerate(key["pairs"]):
        for choice in range(-1, len(check.choices)):
            if choice != right:
                wrong.append([*key["pairs"][:place], choice, *key["pairs"][place + 1 :]])
    return key["pairs"], wrong


def test_every_key_is_right_and_every_other_answer_is_wrong_for_a_reason() -> None:
    asked, wanted = [], []
    for step in content.read().asked:
        for check in step.checks:
            if check.kind == "open":
                continue
            right, wrong = answers(check)
            for answer, state in [(right, "right"), *((answer, "wrong") for answer in wrong)]:
                asked.append([check.kind, check.key, answer])
                wanted.append((f"{step.id}/{check.id}: {answer}", state))
    for (name, state), found in zip(wanted, graded(asked), strict=True):
        assert found["state"] == state, name
        assert found["whys"], name


def test_a_trap_gets_its_own_word_and_any_other_number_the_hint() -> None:
    key = {"value": 0.57, "tolerance": 0.01, "traps": [0.43]}
    found = graded([["numeric", key, text, "ru"] for text in ("0,57", "57 %", "0,43", "0,9", "что", "")])
    assert [one["whys"] for one in found] == [["all"], ["all"], ["0"], ["hint"], [], []]
    assert [one["state"] for one in found] == ["right", "right", "wrong", "wrong", "unread", "nothing"]


@pytest.mark.parametrize("language", ["ru", "en"])
def test_numbers_are_read_as_people_write_them(language: str) -> None:
    written = {
        "0.57": 0.57,
        "0,57": 0.57,
        "57\u00a0%": 0.57,
        "4/7": 4 / 7,
        "−3": -3.0,
        "1 234,5": 1234.5,
        "1,234.5": 1234.5,
        "1.234,5": 1234.5,
        ".5": 0.5,
        "1e-3": 0.001,
    }
    found = [float(text) for text in graded([["read", text, language] for text in written])]
    assert found == pytest.approx(list(written.values()))
    assert graded([["read", text, language] for text in ("", "x", "1/2/3", "1..2", "--1")]) == ["NaN"] * 5
    assert graded([["read", "1,234", language]]) == ["1.234" if language == "ru" else "1234"]
