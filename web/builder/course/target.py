"""What the course may point at outside itself: labs with their states, coding exercises, and what is still to come."""

from dataclasses import dataclass

from web import labs
from web.builder.course import CourseError
from web.labs import engine


@dataclass(frozen=True)
class Labs:
    """The labs that exist and those that are being written.

    Attributes:
        names: with a folder.
        coming: named in course.toml; a state of one of these is not looked at yet.
    """

    names: frozenset[str]
    coming: frozenset[str]

    def exists(self, name: str) -> bool:
        """Whether the lab can be opened."""
        return name in self.names

    def check(self, name: str, query: str, place: str) -> None:
        """A lab and a state of it.

        Raises:
            CourseError: an unknown lab, or a state that the lab itself would mend.
        """
        if name in self.coming:
            return
        if name not in self.names:
            raise CourseError(f"{place}: unknown lab `{name}`; there are {', '.join(sorted(self.names | self.coming))}")
        if problems := engine.answer(name, "en", query)["problems"]:
            raise CourseError(f"{place}: the state `{name}?{query}` is not a state of this lab: {' '.join(problems)}")


def known(coming: frozenset[str]) -> Labs:
    """The labs as they are now."""
    return Labs(frozenset(labs.names()), coming)
