"""Problems with numeric answers from JSON lines, as GSM8K and MATH write them: read, split, and accounted for."""

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pycore.domain import DomainError, option
from pycore.passport import DataPassport
from pycore.untrusted import read_json
from pycore.verify import BOXED_ONLY, COURSE, MARKER_ONLY, NumericContract, canonical_reference
from pycore.verify.extract import extract
from pycore.verify.verdict import Refusal

MOST_CHARACTERS, MOST_ROWS, LONGEST_LINE = 200_000_000, 1_000_000, 200_000
# By form: where the question stands, where the reference, and how it is read out of that text; None: as it is.
FORMS: dict[str, tuple[str, str, NumericContract | None]] = {
    "gsm8k": ("question", "answer", MARKER_ONLY),
    "math": ("problem", "solution", BOXED_ONLY),
    "plain": ("question", "answer", None),
}


@dataclass(frozen=True)
class Row:
    """A problem: `id` is the start of the question's hash, `answer` a number that the verifier reads."""

    id: str
    question: str
    answer: str


@dataclass(frozen=True)
class Rejected:
    """A line left out, by number; the reason is bad_line, no_question, no_answer, not_a_number or repeated."""

    line: int
    reason: str


@dataclass(frozen=True)
class Source:
    """What a data passport must know of a file.

    Attributes:
        name: of the data set.
        license: of prompts and references; there is no default.
        origin: where it comes from.
        form: one of `FORMS`.

    Raises:
        DomainError: a licence left empty, an unknown form.
    """

    name: str
    license: str
    origin: str
    form: str = "plain"

    def __post_init__(self) -> None:
        for field in ("name", "license", "origin"):
            value = getattr(self, field)
            if not isinstance(value, str) or not 0 < len(value.strip()) <= 500:
                raise DomainError(field, value, "text of 1 to 500 characters")
        option("form", self.form, FORMS)


def read_rows(text: str, form: str) -> tuple[list[Row], list[Rejected]]:
    """Rows of a file, and the lines that are left out.

    Args:
        text: JSON lines, one problem each; empty lines are skipped.
        form: one of `FORMS`.

    Raises:
        DomainError: an unknown form, a file too large, or one in which no line is a problem.

    >>> read_rows('{"question": "2 + 2?", "answer": "It is 4.\\\\n#### 4"}', "gsm8k")[0][0].answer
    '4'
    """
    field, source, contract = FORMS[option("form", form, FORMS)]
    if len(text) > MOST_CHARACTERS:
        raise DomainError("data", f"{len(text)} characters", f"at most {MOST_CHARACTERS}")
    lines = text.removeprefix("\ufeff").split("\n")
    if len(lines) > MOST_ROWS:
        raise DomainError("data", f"{len(lines)} lines", f"at most {MOST_ROWS}")
    rows: dict[str, Row] = {}
    rejected: list[Rejected] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            found = _row(line, field, source, contract)
            if isinstance(found, Row) and found.id not in rows:
                rows[found.id] = found
            else:
                rejected.append(Rejected(number, "repeated" if isinstance(found, Row) else found))
    if not rows:
        first = f"line {rejected[0].line}: {rejected[0].reason}" if rejected else "empty"
        raise DomainError("data", first, f"JSON lines with {field} and {source}, the answer a number")
    return list(rows.values()), rejected


def _row(line: str, field: str, source: str, contract: NumericContract | None) -> Row | str:
    try:
        value = read_json("line", line, longest=LONGEST_LINE, deepest=20)
    except DomainError:
        return "bad_line"
    if not isinstance(value, dict):
        return "bad_line"
    question, answer = value.get(field), value.get(source)
    if not isinstance(question, str) or not question.strip():
        return "no_question"
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        answer = str(answer)
    if not isinstance(answer, str) or not answer.strip():
        return "no_answer"
    if contract is not None:
        span = extract(answer, contract)
        if isinstance(span, Refusal):
            return "no_answer"
        answer = span.text
    if isinstance(canonical_reference(answer, COURSE), Refusal):
        return "not_a_number"
    return Row(_digest(question), question.strip(), answer.strip())


def _digest(question: str) -> str:
    """Equal for questions that differ in case, spaces or the form of characters only."""
    plain = " ".join(unicodedata.normalize("NFKC", question).casefold().split())
    return hashlib.sha256(plain.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def split(rows: Sequence[Row], held_out: int, seed: int) -> tuple[list[Row], list[Row]]:
    """Training and held-out rows: whichever have the smallest hash of seed and question are held out.

    A row keeps its side when others are added or left out in between, as far as the number allows.

    Raises:
        DomainError: fewer than one row on a side.
    """
    if not 1 <= held_out < len(rows):
        raise DomainError("held_out", held_out, f"1 to {len(rows) - 1}, for there are {len(rows)} problems")
    ordered = sorted(rows, key=lambda row: hashlib.sha256(f"{seed}:{row.id}".encode()).hexdigest())
    kept = {row.id for row in ordered[:held_out]}
    return [row for row in rows if row.id not in kept], [row for row in rows if row.id in kept]


def apart(rows: Iterable[Row], held_out: Iterable[Row]) -> tuple[list[Row], int]:
    """Training rows whose question is not among the held-out ones, and how many were taken away."""
    known, given = {row.id for row in held_out}, list(rows)
    kept = [row for row in given if row.id not in known]
    return kept, len(given) - len(kept)


def arithmetic(train: int = 512, held_out: int = 128, seed: int = 0) -> tuple[list[Row], list[Row]]:
    """Sums of two-digit numbers, each unordered pair asked once: something to start with, and no stranger's data."""
    pairs = [(a, b) for a in range(10, 100) for b in range(a, 100)]
    pairs.sort(key=lambda pair: hashlib.sha256(f"{seed}:{pair}".encode()).hexdigest())
    rows = [
        Row(_digest(question), question, str(a + b))
        for a, b in pairs[: train + held_out]
        for question in [f"What is {a} + {b}?"]
    ]
    return rows[held_out:], rows[:held_out]


ARITHMETIC = Source("two-digit sums", "none needed: facts of arithmetic", "unordered pairs of numbers from 10 to 99")


def passport(
    source: Source, train: Sequence[Row], held_out: Sequence[Row], *, seed: int | None, rejected: int, **sizes: Any
) -> DataPassport:
    """The data passport of a split; `missing()` of it says what only a run can tell.

    Args:
        source: name, licence, origin, form.
        train: training rows.
        held_out: rows of evaluation.
        seed: of the split; None when the file of held-out problems was given.
        rejected: lines that were left out.
        **sizes: `max_prompt_tokens`, `max_response_tokens`.
    """
    given = "held-out problems come from a file of their own; their questions were taken out of the training set"
    return DataPassport(
        name=source.name,
        origin=source.origin,
        license=source.license,
        reference_origin="the file's own answers" if source != ARITHMETIC else "integer addition",
        split_rule=given if seed is None else "by the smallest SHA-256 of seed and question; equal questions are one",
        split_seed=seed,
        training_prompts=len(train),
        held_out_prompts=len(held_out),
        answer_format="a line that ends in #### and a number",
        chat_template="the model's own",
        stop_reasons=("end", "limit"),
        ambiguous_items=f"{rejected} lines left out: unreadable, repeated, or with an answer that is no number",
        rejected_log="data/rejected.jsonl",
        **sizes,
    )


def write(rows: Iterable[Row | Rejected]) -> str:
    """JSON lines, which `read_rows(..., "plain")` reads back."""
    return "".join(json.dumps(asdict(row), ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
