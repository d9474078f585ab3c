"""Oracle: the native sandbox, whose reasons tests/native works out. A program runs in a worker of its own."""

import pytest

from tests.browser.conftest import Open

TESTS = [
    {"function": "double", "arguments": [2], "expected": 4},
    {"function": "double", "arguments": [-3], "expected": -6, "hidden": True},
]
PROGRAMS = {
    "correct": "def double(x):\n    return 2 * x",
    "wrong": "def double(x):\n    return 4",
    "syntax": "def double(x)\n    return x",
    "exception": "def double(x):\n    return x / 0",
    "timeout": "def double(x):\n    while True: pass",
    "missing": "def triple(x):\n    return 3 * x",
}
VERIFY = """async ([programs, tests]) => {
  const [{ createProgramRunner }, { programParts }] = await Promise.all([
    import(new URL('assets/program.js', base())), import(new URL('assets/python.js', base()))])
  function base() { return new URL(document.documentElement.dataset.root, location.href) }
  const runner = createProgramRunner(programParts())
  const verdicts = {}
  // The clock covers loading the program as well; only the endless one should meet it.
  for (const [name, source] of Object.entries(programs))
    verdicts[name] = await runner.verify(source, tests, { wall_seconds: name === 'timeout' ? 3 : 60, runs: 1 })
  runner.close()
  return verdicts
}"""


@pytest.fixture
def verdicts(open_page: Open) -> dict[str, dict[str, object]]:
    page = open_page("en/labs/clip/")
    page.set_default_timeout(300_000)
    found: dict[str, dict[str, object]] = page.evaluate(VERIFY, [PROGRAMS, TESTS])
    # The page has gone on answering: its own Python was never where the programs ran.
    assert page.locator("[data-python=ready]").count() == 1
    return found


def test_each_program_gets_its_reason_and_the_page_lives_on(verdicts: dict[str, dict[str, object]]) -> None:
    assert {name: verdict["reason"] for name, verdict in verdicts.items()} == {name: name for name in PROGRAMS}
    assert verdicts["correct"]["reward"] == 1
    assert verdicts["wrong"]["visible"] == [1, 1]
    assert verdicts["wrong"]["hidden"] == [0, 1]
