"""What the course amounts to, in figures: printed by the build."""

import re
from collections.abc import Mapping

from web.builder.course.content import STATUSES, Course
from web.labs.texts import LANGUAGES

# Blocks of data and formulas are not words; neither are the marks around links and terms.
UNREAD = re.compile(r"^(:{3,}) *(?:formula|diagram)\b.*?^\1\s*$|\{=.*?=\}|\$[^$\n]*\$", re.MULTILINE | re.DOTALL)
MARKS = re.compile(r"\]\([^)]*\)|\[\[[a-z0-9-]+\||\[@[a-z0-9-]+\]|\{#[a-z0-9-]+\}|^:+.*$", re.MULTILINE)


def words(markdown: str) -> int:
    """Words that a reader reads.

    >>> words("# One two\\n\\n[three](claim:x) $p$ {= 1; d =} [[term|four]]\\n:::note\\nfive-six\\n:::")
    5
    """
    return len(re.findall(r"\w[\w'’-]*", MARKS.sub(" ", UNREAD.sub(" ", markdown))))


def figures(course: Course, pages: int) -> Mapping[str, str]:
    """Lines to print, by what they count."""
    steps, asked = course.steps, course.asked
    planned = len(steps) + len(course.coming_steps)
    checks = sum(len(step.checks) for step in asked)
    exercises = {name for step in steps for name in step.exercises}
    claims = list(course.claims.values())
    statuses = ", ".join(f"{status} {sum(one.status == status for one in claims)}" for status in STATUSES)
    texts = {language: sum(words(step.text[language]) for step in asked) for language in LANGUAGES}
    coming = sorted(course.labs.coming - course.labs.names), sorted(course.coming_exercises - course.exercises)
    return {
        "pages": str(pages),
        "steps": f"{len(steps)} of {planned}",
        "checks": str(checks),
        "exercises": f"{len(course.exercises)}, of which steps name {len(exercises & course.exercises)}",
        "claims": f"{len(claims)}: {statuses}",
        "words": ", ".join(f"{count:,} in {language}" for language, count in texts.items()),
        "coming": f"{len(coming[0])} labs, {len(coming[1])} exercises",
    }
