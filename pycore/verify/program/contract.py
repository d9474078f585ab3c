"""What a program is tested on and within which limits: data only."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import inf, isfinite
from typing import Any

from pycore.domain import DomainError
from pycore.verify.program.harness import plain, restored


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run.

    Attributes:
        wall_seconds: from start to answer, in (0, 600]; the one bound that holds in the browser too, by termination.
        cpu_seconds: processor time, whole seconds from 1 to 600; natively only.
        memory_bytes: address space natively, WebAssembly memory in the browser; from 32 MiB to 2 GiB.
        output_bytes: characters a program may print, and bytes of its answer, from 1 to 10 MiB.
        open_files: file descriptors, from 8 to 1024; natively only.
        runs: how many fresh interpreters must agree, from 1 to 10.

    Starting processes, opening files for writing and reaching the network are not limited but refused.
    """

    wall_seconds: float = 5.0
    cpu_seconds: int = 2
    memory_bytes: int = 256 * 2**20
    output_bytes: int = 2**16
    open_files: int = 32
    runs: int = 2

    def __post_init__(self) -> None:
        """Refuses bounds outside their ranges.

        Raises:
            DomainError: names the field, its value and the range.
        """
        for name, (kind, low, high) in _RANGES.items():
            value = getattr(self, name)
            fits = isinstance(value, int | float) if kind is float else type(value) is int
            if not fits or isinstance(value, bool) or not low <= value <= high:
                raise DomainError(name, value, f"{'a number' if kind is float else 'an integer'} from {low} to {high}")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Limits":
        """The limits that `to_dict` wrote; fields left out keep their defaults.

        >>> Limits.from_dict({"runs": 3}).runs
        3
        """
        return cls(**_known(cls, given))


_RANGES: dict[str, tuple[type, float, int]] = {
    "wall_seconds": (float, 0.01, 600),
    "cpu_seconds": (int, 1, 600),
    "memory_bytes": (int, 32 * 2**20, 2**31),
    "output_bytes": (int, 1, 10 * 2**20),
    "open_files": (int, 8, 1024),
    "runs": (int, 1, 10),
}


@dataclass(frozen=True, slots=True)
class ProgramTest:
    """One call and what it must return.

    Attributes:
        function: name of the function the program must define.
        arguments: positional arguments: None, booleans, numbers, text, and lists, dicts or sets of them.
        expected: the same kinds. 3 and 3.0 agree, True and 1 do not; NaN and infinity are refused.
        hidden: whether a verdict keeps the call and both values to itself.
        tolerance: largest |difference| of numbers when a float is on either side, relative beyond magnitude 1.
    """

    function: str
    arguments: tuple[Any, ...]
    expected: Any
    hidden: bool = False
    tolerance: float = 1e-9

    def __post_init__(self) -> None:
        """Refuses what could not be sent or compared.

        Raises:
            DomainError: names the field, its value and what is allowed.
        """
        if not isinstance(self.function, str) or not self.function.isidentifier():
            raise DomainError("function", self.function, "a Python name")
        if isinstance(self.arguments, str) or not isinstance(self.arguments, tuple | list):
            raise DomainError("arguments", self.arguments, "a list of arguments")
        object.__setattr__(self, "arguments", tuple(self.arguments))
        if not isinstance(self.hidden, bool):
            raise DomainError("hidden", self.hidden, "True or False")
        tolerance = self.tolerance
        if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < inf:
            raise DomainError("tolerance", tolerance, "a finite number >= 0")
        for name, value in (("arguments", list(self.arguments)), ("expected", self.expected)):
            try:
                coded = plain(value)
            except (TypeError, ValueError) as error:
                raise DomainError(name, value, f"plain Python values, not {error}") from None
            if name == "expected" and not _finite(coded):
                raise DomainError(name, value, "finite numbers: NaN equals nothing")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, arguments and result coded by type."""
        return {
            "function": self.function,
            "arguments": [plain(argument) for argument in self.arguments],
            "expected": plain(self.expected),
            "hidden": self.hidden,
            "tolerance": self.tolerance,
            "coded": True,
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "ProgramTest":
        """A test from JSON: plain values, or those that `to_dict` coded.

        >>> ProgramTest.from_dict({"function": "f", "arguments": [1], "expected": 2}).expected
        2
        """
        row = _known(cls, {name: value for name, value in given.items() if name != "coded"})
        for name in ("function", "arguments", "expected"):
            if name not in row:
                raise DomainError("test", sorted(row), f"a field {name}")
        if given.get("coded"):
            row["arguments"] = tuple(restored(argument) for argument in row["arguments"])
            row["expected"] = restored(row["expected"])
        return cls(**row)


def _known(cls: type, given: Mapping[str, Any]) -> dict[str, Any]:
    known = {item.name for item in fields(cls)}
    for name in given:
        if name not in known:
            raise DomainError(cls.__name__, name, "the fields " + ", ".join(sorted(known)))
    return dict(given)


def _finite(coded: Any) -> bool:
    if isinstance(coded, dict):
        (kind, content), *_ = coded.items()
        return isfinite(float(content)) if kind == "float" else all(_finite(one) for one in content)
    return all(_finite(one) for one in coded) if isinstance(coded, list) else True
