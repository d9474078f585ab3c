"""Data for the run: `python prepare.py` takes what lies in data/; with --source it reads your JSON lines first.

    python prepare.py --source train.jsonl --form gsm8k --name GSM8K --license MIT --origin "where it was downloaded"
    python prepare.py --source all.jsonl --held-out 500 --name mine --license "CC BY 4.0" --origin "our own"

--held-out is the number of problems to hold out, or a second file with problems for evaluation only. The licence is
asked for and never guessed; name, licence, split and what was left out go to passports/data.json.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from colab.export import dataset
from pycore.domain import DomainError

SETTINGS = json.loads((HERE / "settings.json").read_text(encoding="utf-8"))


def conversation(question: str) -> list[dict[str, str]]:
    """What the model is shown."""
    return [{"role": "system", "content": SETTINGS["system"]}, {"role": "user", "content": question}]


def take(options: argparse.Namespace) -> None:
    """Reads the given files, splits them, and writes data and passport."""
    source = dataset.Source(options.name or "", options.license or "", options.origin or "", options.form)
    rows, rejected = dataset.read_rows(options.source.read_text(encoding="utf-8"), source.form)
    seed: int | None = int(SETTINGS["seed"])
    if options.held_out.isdecimal():
        train, held_out = dataset.split(rows, int(options.held_out), int(SETTINGS["seed"]))
    else:
        held_out, _ = dataset.read_rows(Path(options.held_out).read_text(encoding="utf-8"), source.form)
        train, common = dataset.apart(rows, held_out)
        seed = None
        print(f"{common} training problems stand among the held-out ones: left out")
    sizes = {"max_prompt_tokens": SETTINGS["prompt_tokens"], "max_response_tokens": SETTINGS["response_tokens"]}
    passport = dataset.passport(source, train, held_out, seed=seed, rejected=len(rejected), **sizes)
    for name, part in (("train", train), ("held_out", held_out), ("rejected", rejected)):
        (HERE / "data" / f"{name}.jsonl").write_text(dataset.write(part), encoding="utf-8")
    (HERE / "passports" / "data.json").write_text(passport.to_json() + "\n", encoding="utf-8")
    print(f"{len(train)} to train on, {len(held_out)} held out, {len(rejected)} lines left out (data/rejected.jsonl)")


def parquet() -> None:
    """data/*.parquet in the form that verl reads."""
    import pyarrow
    import pyarrow.parquet

    for name in ("train", "held_out"):
        rows, _ = dataset.read_rows((HERE / "data" / f"{name}.jsonl").read_text(encoding="utf-8"), "plain")
        table: list[dict[str, Any]] = [
            {
                "data_source": "rlvr_lab",
                "prompt": conversation(row.question),
                "ability": "math",
                "reward_model": {"style": "rule", "ground_truth": row.answer},
                "extra_info": {"index": index, "id": row.id, "split": name},
            }
            for index, row in enumerate(rows)
        ]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(table), HERE / "data" / f"{name}.parquet")
        print(f"data/{name}.parquet: {len(table)} rows")


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, help="JSON lines of your own")
    parser.add_argument("--held-out", default="256", help="a number, or a file")
    parser.add_argument("--form", choices=tuple(dataset.FORMS), default="plain")
    for name in ("name", "license", "origin"):
        parser.add_argument(f"--{name}")
    options = parser.parse_args()
    try:
        if options.source:
            take(options)
        if SETTINGS["engine"] == "verl":
            parquet()
    except (DomainError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
