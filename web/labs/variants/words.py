"""The chosen protocol in words and as data: what changed, and what each token gets."""

import json

from pycore.domain import Array
from pycore.nearest import Difference
from pycore.protocol_words import describe
from web.labs.variants.batch import Tokens, ratios


def changes(changed: tuple[Difference, ...], origin: str, language: str) -> str:
    """One changed axis a line, the origin's value in brackets."""
    theirs = {"ru": "(у пресета: ", "en": "(preset: "}[language]
    same = {"ru": "Ничего: это то же вычисление.", "en": "Nothing: this is the same computation."}[language]
    return "\n".join(describe(one, language).replace(theirs, f"({origin}: ") for one in changed) or same


def told(made: Tokens, before: Array, after: Array, origin: str, chosen: str) -> str:
    """The tokens as lines to copy: response, ratio, both pulls."""
    rows = zip(made.response + 1, ratios(made), before, after, strict=True)
    wide = max(len(origin), len(chosen), 8) + 2
    lines = [f"{response:>8}{r:>8.3g}{one:>{wide}.4f}{two:>{wide}.4f}" for response, r, one, two in rows]
    return "\n".join([f"{'response':>8}{'ratio':>8}{origin:>{wide}}{chosen:>{wide}}", *lines])


def data(changed: tuple[Difference, ...], origin: str, chosen: str) -> str:
    """The differences as JSON, an axis a line."""
    lines = [f'  "{one.axis}": {json.dumps({origin: one.preset_value, chosen: one.value})}' for one in changed]
    return "\n".join(["{", ",\n".join(lines), "}"]) if lines else "{}"
