"""`python -m colab SCENARIO [--language ru|en] [-o FILE]`: a scenario's notebook, from a query or a code.

The one place where this package meets the site: the command gathers the labs' files, which `colab.notebook` only takes.
"""

import argparse
import sys
from pathlib import Path

from colab.practicum.export import CATALOGUE
from pycore.domain import DomainError
from pycore.scenario import Scenario, ScenarioError
from web import labs
from web.builder.carry import sources_json
from web.labs.export import notebook, practicum
from web.labs.texts import LANGUAGES


def main(arguments: list[str] | None = None) -> None:
    """Writes the notebook, or says what is wrong with the scenario."""
    parser = argparse.ArgumentParser(prog="python -m colab", description="Writes the notebook of a scenario.")
    parser.add_argument("scenario", help="a query such as 'lab=signal&p=0.1&G=8' or 'lab=practicum&G=16', or a code")
    parser.add_argument("--language", choices=LANGUAGES, default="en")
    parser.add_argument("-o", "--output", type=Path, help="the file to write; by default LAB-LANGUAGE.ipynb")
    given = parser.parse_args(arguments)
    read = Scenario.from_query if "=" in given.scenario else Scenario.from_code
    try:
        scenario = read(given.scenario, catalogue=labs.catalogue() | CATALOGUE)
        make = practicum if scenario.lab in CATALOGUE else notebook
        text = make(scenario.lab, given.language, scenario.to_query(with_lab=False), sources_json())
    except ScenarioError as error:
        sys.exit(f"{error}\nThe nearest valid scenario is {error.nearest.to_query()}")
    except DomainError as error:
        sys.exit(str(error))
    target = given.output or Path(f"{scenario.lab}-{given.language}.ipynb")
    target.write_text(text, encoding="utf-8", newline="\n")
    print(target)


if __name__ == "__main__":
    main()
