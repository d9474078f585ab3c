"""`python -m colab.export --engine trl|verl [SCENARIO] [-o FOLDER]`: a scenario for several cards, a folder or a zip.

The command gathers the files that travel, which `colab.export.folder` only takes.
"""

import argparse
import sys
from pathlib import Path

from colab.export.cluster import CATALOGUE, LAB
from colab.export.folder import FIXED, archive, build
from colab.mapping import UnmappedError
from pycore.domain import DomainError
from pycore.scenario import Scenario, ScenarioError
from web.builder.carry import sources


def main(arguments: list[str] | None = None) -> None:
    """Writes the folder, or says what stands in the way."""
    parser = argparse.ArgumentParser(prog="python -m colab.export", description="Exports a run for several cards.")
    parser.add_argument("scenario", nargs="?", default="", help="a query such as 'preset=dr_grpo&group=16', or a code")
    parser.add_argument("--engine", choices=tuple(FIXED), required=True)
    parser.add_argument("--adopt", action="store_true", help="take over what the engine has fixed, and list it")
    parser.add_argument("-o", "--output", type=Path, help="a new folder, or a file that ends in .zip")
    given = parser.parse_args(arguments)
    target: Path = given.output or Path(f"rlvr-{given.engine}")
    try:
        if "=" in given.scenario or not given.scenario:
            scenario = Scenario.from_query(given.scenario, catalogue=CATALOGUE, lab=LAB)
        else:
            scenario = Scenario.from_code(given.scenario, catalogue=CATALOGUE)
        files = build(given.engine, scenario, sources(), adopted=given.adopt)
        if target.suffix == ".zip":
            target.write_bytes(archive(files, target.stem))
        else:
            target.mkdir()
            for path, text in files.items():
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                (target / path).write_text(text, encoding="utf-8", newline="\n")
            (target / "run.sh").chmod(0o755)
    except ScenarioError as error:
        sys.exit(f"{error}\nThe nearest valid scenario is {error.nearest.to_query()}")
    except UnmappedError as error:
        sys.exit(f"{error}\nAnother preset may do, or --adopt, which takes over what the engine has fixed.")
    except (DomainError, OSError) as error:
        sys.exit(str(error))
    print(target)


if __name__ == "__main__":
    main()
