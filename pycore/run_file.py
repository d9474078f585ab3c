"""Opens what a run left behind, whichever program wrote it; the file tells its kind by its content, not by its name."""

from collections.abc import Iterable
from dataclasses import dataclass

from pycore import journal, trainer_log
from pycore.domain import DomainError
from pycore.journal import LONGEST_LINE, MOST_CHARACTERS, Journal
from pycore.untrusted import read_json

KINDS = f"a journal ({journal.VERSION}), TRL's trainer_state.json, or a list of its log entries"
MOST_FILES = 12


@dataclass(frozen=True)
class Opened:
    """Several files opened at once.

    Attributes:
        journals: by name, in the order given; of two files of one name the second is called `name (2)`.
        refused: the others by the same names, each with what is wrong with it.
    """

    journals: dict[str, Journal]
    refused: dict[str, DomainError]


def kind_of(text: str) -> str:
    """`journal`, `trainer_state` or `log_history`: what a text claims to be; whether it is sound, reading tells.

    Raises:
        DomainError: none of the three.

    >>> [kind_of('{"journal": "journal/1"}'), kind_of('{"log_history": []}'), kind_of("[]")]
    ['journal', 'trainer_state', 'log_history']
    """
    if not isinstance(text, str):
        raise DomainError("file", type(text).__name__, "text")
    begun = text[: LONGEST_LINE + 1].removeprefix("\ufeff").lstrip()
    if begun.startswith("["):
        return "log_history"
    if not begun.startswith("{"):
        raise DomainError("file", begun[:60], KINDS)
    first = begun.partition("\n")[0]
    try:
        head = read_json("file", first, longest=LONGEST_LINE)
    except DomainError:
        # An object over many lines, or one cut in its first line: which of the two words comes first decides.
        places = {kind: begun.find(f'"{word}"') for kind, word in _WORDS.items()}
        named = {kind: place for kind, place in places.items() if place >= 0}
        if not named:
            raise DomainError("file", begun[:60], KINDS) from None
        return min(named, key=lambda kind: named[kind])
    for kind, word in _WORDS.items():
        if word in head:
            return kind
    raise DomainError("file", begun[:60], KINDS)


_WORDS = {"journal": "journal", "trainer_state": "log_history"}


def read_any(text: str) -> Journal:
    """The journal in a file of any of the three kinds.

    Raises:
        DomainError: a file of another kind, or what is wrong with it and where.

    >>> read_any('[{"step": 3, "reward": 0.5}]').of("update")[0].update
    3
    """
    return journal.read(text) if kind_of(text) == "journal" else trainer_log.read(text)


def read_all(files: Iterable[tuple[str, str]]) -> Opened:
    """Several files, of which a bad one does not spoil the others.

    Args:
        files: pairs of a name and a text, at most 12, of at most 64,000,000 characters together.

    Raises:
        DomainError: too many files, or too large ones.

    >>> opened = read_all([("a", '[{"step": 1, "loss": 0.5}]'), ("a", "[")])
    >>> list(opened.journals), list(opened.refused)
    (['a'], ['a (2)'])
    """
    given = list(files)
    if len(given) > MOST_FILES:
        raise DomainError("files", len(given), f"at most {MOST_FILES}")
    total = sum(len(text) for _, text in given)
    if total > MOST_CHARACTERS:
        raise DomainError("files", f"{total} characters", f"at most {MOST_CHARACTERS} together")
    opened = Opened({}, {})
    for name, text in given:
        label = _free(name, {*opened.journals, *opened.refused})
        try:
            opened.journals[label] = read_any(text)
        except DomainError as error:
            opened.refused[label] = error
    return opened


def _free(name: str, taken: set[str]) -> str:
    count = 2
    label = name
    while label in taken:
        label, count = f"{name} ({count})", count + 1
    return label
