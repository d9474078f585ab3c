"""One exercise as its folder holds it, read, completed with what the build computes, and checked.

ru.md en.md        the task            ru.toml en.toml   title, summary, hints, what each check and mistake says
starter.py         what a learner begins with            solution.py       one good answer
wrong/NAME.py      known wrong answers                   checks.py         calls, and the oracle for their results
"""

import contextlib
import importlib.util
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from web.builder import BuildError
from web.exercises import judge, observe
from web.exercises.values import coded
from web.labs.texts import LANGUAGES, load

HERE = Path(__file__).parent
FEWEST_MISTAKES = 3
WORDS = {"title", "summary", "hints", "checks", "wrong"}

# In the order of the course; what a step needs comes before it.
ORDER = (
    *("bradley_terry_loss", "gae", "dpo_loss"),
    *("verify_numeric", "rlvr_reward", "p_info"),
    *("group_advantages", "rloo_advantages", "kl_k3", "clipped_surrogate", "sequence_logprob", "grpo_loss"),
    *("dr_grpo_loss", "dapo_loss", "overlong_penalty", "gspo_ratio"),
    *("token_entropy", "pass_at_k"),
    *("kimi_length_reward", "training_step"),
)


class ExerciseError(BuildError):
    """A folder lacks something, or its parts do not fit together."""


@dataclass(frozen=True)
class Check:
    """Calls that prove one thing.

    Attributes:
        name: of the words that say what is proved, in both languages.
        cases: arguments of each call.
        function: the function called; the exercise's only one when None.
        hidden: whether the learner sees neither arguments nor results.
        tolerance: absolute and relative.
    """

    name: str
    cases: Sequence[tuple[Any, ...]]
    function: str | None = None
    hidden: bool = False
    tolerance: float = 1e-6


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    Attributes:
        name: of the folder.
        starter: program text.
        solution: program text.
        wrong: known wrong programs by the name of their mistake.
        task: calls with right results and the mistakes' results, as `judge.verdict` wants them.
        oracles: what the results are computed by, and the numbers of the text as well.
    """

    name: str
    starter: str
    solution: str
    wrong: Mapping[str, str]
    task: dict[str, Any]
    oracles: Mapping[str, Callable[..., Any]]


def names() -> list[str]:
    """Every exercise, in the order of the course.

    Raises:
        ExerciseError: a folder that `ORDER` does not know, or the other way round.
    """
    found = {path.name for path in HERE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    if found != set(ORDER):
        raise ExerciseError(f"ORDER and the folders differ by {', '.join(sorted(found ^ set(ORDER)))}")
    return list(ORDER)


def read(folder: Path) -> Exercise:
    """Reads an exercise and computes its task.

    Raises:
        ExerciseError: something is missing, in one language perhaps, or a solution does not do what it should.
    """
    for name in (
        "starter.py",
        "solution.py",
        "checks.py",
        *(f"{one}.{end}" for one in LANGUAGES for end in ("md", "toml")),
    ):
        if not (folder / name).is_file():
            raise ExerciseError(f"{folder.name} lacks {name}")
    wrong = {path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / "wrong").glob("*.py"))}
    if len(wrong) < FEWEST_MISTAKES:
        raise ExerciseError(f"{folder.name}/wrong has {len(wrong)} solutions, at least {FEWEST_MISTAKES} are wanted")
    module = _checks(folder)
    oracles: dict[str, Callable[..., Any]] = module.ORACLES
    checks: Sequence[Check] = module.CHECKS
    for language in LANGUAGES:
        _words(folder, language, [check.name for check in checks], list(wrong))
    task: dict[str, Any] = {"checks": [_coded(check, oracles) for check in checks], "mistakes": []}
    starter, solution = ((folder / f"{name}.py").read_text(encoding="utf-8") for name in ("starter", "solution"))
    if not passes(play(solution, task)):
        raise ExerciseError(f"{folder.name}/solution.py does not pass: {_failed(play(solution, task))}")
    for name, source in wrong.items():
        if passes(report := play(source, task)):
            raise ExerciseError(f"{folder.name}/wrong/{name}.py passes every check")
        if report["error"]:
            raise ExerciseError(f"{folder.name}/wrong/{name}.py does not load: {report['error']['text']}")
        with contextlib.redirect_stderr(io.StringIO()):  # a mistake may well warn
            _, results = observe.played(source, observe.Plots(), list(judge.calls(task)))
        task["mistakes"].append({"name": name, "results": results})
    return Exercise(folder.name, starter, solution, wrong, task, oracles)


def as_text(task: Mapping[str, Any]) -> str:
    """A task on its way to the worker: JSON that only Python reads, for it may hold NaN."""
    return json.dumps(task)


def play(source: str, task: Mapping[str, Any]) -> dict[str, Any]:
    """What the learner's worker would report of a program."""
    report: dict[str, Any] = json.loads(observe.observe(json.dumps({"source": source, "task": as_text(task)})))
    return report


def passes(report: Mapping[str, Any]) -> bool:
    """Whether a report has every check passed."""
    return all(check["passed"] for check in report["verdict"]["checks"])


def _failed(report: Mapping[str, Any]) -> str:
    failed = next(check for check in report["verdict"]["checks"] if not check["passed"])
    return json.dumps(report["error"] or failed, ensure_ascii=False)


def _checks(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"web.exercises.{folder.name}.checks", folder / "checks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _coded(check: Check, oracles: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    function = check.function or next(iter(oracles))
    made = [
        {"function": function, "arguments": coded(list(case)), "expected": coded(oracles[function](*case))}
        for case in check.cases
    ]
    return {"name": check.name, "hidden": check.hidden, "tolerance": check.tolerance, "calls": made}


def _words(folder: Path, language: str, checks: Sequence[str], wrong: Sequence[str]) -> None:
    text = load(folder, language)
    place = f"{folder.name}/{language}.toml"
    if set(text) != WORDS:
        raise ExerciseError(
            f"{place} should have {', '.join(sorted(WORDS))}, and differs by {sorted(set(text) ^ WORDS)}"
        )
    for table, wanted in (("checks", checks), ("wrong", wrong)):
        if set(text[table]) != set(wanted):
            raise ExerciseError(f"{place}: [{table}] and the code differ by {sorted(set(text[table]) ^ set(wanted))}")
    entries = [text["title"], text["summary"], *text["hints"], *text["checks"].values(), *text["wrong"].values()]
    if not all(isinstance(entry, str) and entry.strip() for entry in entries):
        raise ExerciseError(f"{place} has an empty text")
    others = [len(load(folder, other)["hints"]) for other in LANGUAGES]
    if len(set(others)) > 1 or not others[0]:
        raise ExerciseError(f"{place}: the languages have {others} hints")
