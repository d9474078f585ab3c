"""Builds the static site: fetches and verifies the browser runtime, prerenders the labs, serves the result.

`python -m web.builder build` and `python -m web.builder serve`; `build.py` at the top sets up what they need.
"""


class BuildError(Exception):
    """The site cannot be built; the message says what is wrong and where."""
