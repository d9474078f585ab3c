"""Oracle: the recorded sweep. Every cell of the map quotes its medians and opens the very recipe that was run."""

import json
from pathlib import Path

import pytest

from pycore.train import Recipe
from pycore.train.sweep import cells
from web.builder import transfer
from web.dashboard import recipe
from web.labs import engine
from web.labs.texts import LANGUAGES

PATH = engine.lab_of("train").sweep
SWEEP = json.loads((Path(__file__).parents[2] / PATH).read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cell_opens_what_was_run_and_says_what_came_of_it(language: str) -> None:
    runs = {
        _key(dict(cell.point)): cell.recipe for cell in cells(Recipe.from_dict(SWEEP["recipe"]), SWEEP["grid"], [0])
    }
    found = {_key(row["point"]): row["after"] for row in SWEEP["map"]}
    seen = 0
    for one in transfer.maps("train", PATH, language):
        for row in one["rows"]:
            for cell in row["cells"]:
                values, problems, _ = engine.state_of("train", language, cell["query"])
                assert problems == []
                made = recipe.recipe(values)
                point = (made.sizes.prompts, made.learning_rate, made.protocol.iterations, made.group)
                wanted = runs[point]
                assert (made.batch, made.updates, made.protocol) == (wanted.batch, wanted.updates, wanted.protocol)
                median = found[point]["held_out accuracy"]["median"]
                assert float(cell["accuracy"].replace(",", ".")) == pytest.approx(median, abs=0.0051)
                assert cell["trend"] in ("up", "same", "down")
                seen += 1
    assert seen == len(SWEEP["map"]) == 48


def _key(point: dict[str, float]) -> tuple[float, ...]:
    return tuple(point[name] for name in ("prompts", "learning_rate", "iterations", "group"))


def test_the_healthy_cell_generalises_and_the_map_s_far_corner_does_not() -> None:
    large = transfer.maps("train", PATH, "en")[-1]
    healthy = next(row for row in large["rows"] if (row["learning_rate"], row["iterations"]) == ("0.002", "2"))
    assert healthy["cells"][-1]["trend"] == "up"
    assert large["rows"][-1]["cells"][0]["trend"] == "down"
