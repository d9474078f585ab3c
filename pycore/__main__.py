"""The command line of the practicum: `python -m pycore train | evaluate | compare | sweep`.

This file and `pycore.pool` are the only ones in the core that touch files, clocks and processes; nothing imports them.
"""

import argparse
import json
import platform
import resource
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pycore import journal, snapshot
from pycore.domain import DomainError
from pycore.pool import spread_out
from pycore.train import PROFILES, Checkpoint, Part, Progress, Recipe, Record, measure, run
from pycore.train.outcome import before_after, kept, summary
from pycore.train.passports import passports
from pycore.train.sweep import Cell, base_key, cells, changes_of, train_base, train_cell, transfer_map
from pycore.untrusted import read_json

# What a progress stage is called in a timing record.
STAGES = {"warm_start": "warm_start", "generate": "generate", "update": "update", "evaluate": "evaluate"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(given)
    options.given = given
    try:
        status: int = options.command(options)
    except (DomainError, OSError) as error:
        print(f"pycore: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("pycore: stopped; what was written stays", file=sys.stderr)
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pycore", description="Practicum A on this machine.")
    commands = parser.add_subparsers(required=True, metavar="train | evaluate | compare | sweep")
    train = commands.add_parser("train", help="run a recipe and write its journal")
    _recipe_options(train)
    train.add_argument("--seed", type=int, help="the same as --set seed=")
    train.add_argument("--out", type=Path, help="journal to write; standard output when left out")
    train.add_argument("--checkpoint", type=Path, help="file that always holds the newest checkpoint")
    train.add_argument("--resume", type=Path, help="checkpoint to go on from")
    train.add_argument("--base", type=Path, help="warm policy to begin from; made and written where there is none")
    train.set_defaults(command=_train)
    evaluate = commands.add_parser("evaluate", help="measure a checkpoint on fresh generations")
    evaluate.add_argument("checkpoint", type=Path)
    evaluate.add_argument("--samples", type=int, default=64, help="responses a prompt")
    evaluate.add_argument("--seed", type=int, default=1, help="of the generations")
    evaluate.set_defaults(command=_evaluate)
    compare = commands.add_parser("compare", help="before and after of journals, side by side")
    compare.add_argument("journals", type=Path, nargs="+")
    compare.set_defaults(command=_compare)
    sweep = commands.add_parser("sweep", help="many recipes over seeds, on all cores or on a cluster")
    _recipe_options(sweep)
    sweep.add_argument("--grid", action="append", default=[], metavar="FIELD=V,V", help="values of one field; repeat")
    sweep.add_argument("--seeds", default="0-4", help="as 0-4 or 0,2,7")
    sweep.add_argument("--out", type=Path, required=True, help="file of the result; unfinished work waits beside it")
    sweep.add_argument("--workers", type=int, default=-1, help="processes; -1 for all cores")
    sweep.add_argument("--cluster", default="", help="tcp://host:port of Dask or ray://host:port of Ray")
    sweep.set_defaults(command=_sweep)
    return parser


def _recipe_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--profile", choices=PROFILES, default="healthy")
    parser.add_argument("--recipe", type=Path, help="JSON file of a recipe, in place of a profile")
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE", help="change one field; repeat")


def _recipe(options: argparse.Namespace) -> Recipe:
    recipe = PROFILES[options.profile]
    if options.recipe:
        recipe = Recipe.from_dict(read_json("recipe", options.recipe.read_text(encoding="utf-8")))
    plain = recipe.to_dict()
    if getattr(options, "seed", None) is not None:
        plain["seed"] = options.seed
    for change in options.set:
        path, _, text = change.partition("=")
        place: Any = plain
        *parents, last = path.split(".")
        for name in parents:
            place = place.get(name) if isinstance(place, dict) else None
        if not isinstance(place, dict) or last not in place:
            raise DomainError("set", change, "FIELD=VALUE with a field of the recipe, such as protocol.iterations=4")
        try:
            place[last] = json.loads(text)
        except ValueError:
            place[last] = text
    return Recipe.from_dict(plain)


def _software() -> dict[str, str]:
    return {"python": platform.python_version(), "numpy": np.__version__, "system": platform.system()}


def _train(options: argparse.Namespace) -> int:
    recipe = _recipe(options)
    header = journal.Header(
        options.profile if not options.recipe else "", recipe.to_dict(), passports(recipe), _software()
    )
    data = options.resume.read_bytes() if options.resume else None
    base = _base(recipe, options.base) if options.base and data is None else None
    seconds = dict.fromkeys(STAGES.values(), 0.0)
    records: list[Record] = []
    out = options.out.open("w", encoding="utf-8") if options.out else sys.stdout
    begin = last = time.perf_counter()
    try:
        print(journal.header_line(header), file=out, flush=True)
        for step in run(recipe, checkpoint=data, base=base):
            if isinstance(step, Part):
                continue  # its time belongs to what follows
            now = time.perf_counter()
            if isinstance(step, Progress):
                seconds[STAGES[step.stage]] += now - last
                if step.stage == "warm_start" and step.done % 50 == 0:
                    _say(f"warm start {step.done}: accuracy {step.value:.3f}")
            elif isinstance(step, Checkpoint):
                if options.checkpoint:
                    _replace(options.checkpoint, step.data)
            else:
                records.append(step)
                if step.kind == "end":
                    # Kilobytes on Linux, bytes on macOS.
                    unit = 1 if sys.platform == "darwin" else 1024
                    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
                    timing = {**seconds, "total": now - begin, "peak_memory": float(peak)}
                    print(journal.record_line(Record("timing", step.update, metrics=timing)), file=out)
                print(journal.record_line(step), file=out, flush=True)
                if step.kind == "evaluation":
                    _say(_line(step, recipe.updates))
            last = now
    finally:
        if out is not sys.stdout:
            out.close()
    _say(_table(before_after(records)))
    return 0


def _base(recipe: Recipe, path: Path) -> bytes:
    """The warm policy of a file, or a new one that is written there."""
    if not path.exists():
        _replace(path, train_base(recipe))
    return path.read_bytes()


def _evaluate(options: argparse.Namespace) -> int:
    data = options.checkpoint.read_bytes()
    facts, _ = snapshot.unpack(data)
    plain = Recipe.from_dict(facts.get("recipe", {})).to_dict()
    plain["evaluation"]["samples"] = options.samples
    work = measure(Recipe.from_dict(plain), data, options.seed)
    while True:
        try:
            step = next(work)
            if isinstance(step, Progress):
                _say(f"{step.done} of {step.total} prompts")
        except StopIteration as done:
            for record in done.value:
                print(journal.record_line(record))
            return 0


def _compare(options: argparse.Namespace) -> int:
    for path in options.journals:
        found = journal.read(path.read_text(encoding="utf-8"))
        state = "" if found.finished else " (cut off)"
        print(f"{path.name}{state}: {found.header.title}")
        print(_table(before_after(found.records)))
    return 0


def _sweep(options: argparse.Namespace) -> int:
    recipe = _recipe(options)
    grid = dict(_axis(text) for text in options.grid)
    work = cells(recipe, grid, _seeds(options.seeds))
    waiting = options.out.with_name(options.out.name + ".part")
    results = _finished(waiting, recipe)
    left = [cell for cell in work if cell.name not in results]
    _say(f"{len(work)} runs, {len(left)} to do")
    bases = _bases(left, options)
    begin = time.perf_counter()
    with waiting.open("a", encoding="utf-8") as part:
        if part.tell() == 0:
            print(json.dumps(recipe.to_dict(), sort_keys=True), file=part, flush=True)
        jobs = [(cell, bases[base_key(cell.recipe)]) for cell in left]
        for count, (number, result) in enumerate(
            spread_out(train_cell, jobs, workers=options.workers, cluster=options.cluster), start=1
        ):
            results[left[number].name] = result
            print(json.dumps(result), file=part, flush=True)
            rest = (time.perf_counter() - begin) / count * (len(left) - count)
            _say(f"{count} of {len(left)}, about {rest:.0f} s left: {result['name']}")
    ordered = [results[cell.name] for cell in work]
    _replace(options.out, (json.dumps(_recorded(options, recipe, grid, ordered), sort_keys=True) + "\n").encode())
    waiting.unlink()
    return 0


def _recorded(
    options: argparse.Namespace, recipe: Recipe, grid: dict[str, list[float]], results: list[dict[str, Any]]
) -> dict[str, Any]:
    """What a page shows of a sweep: the recipe, every run, and medians with ranges."""
    record: dict[str, Any] = {
        "version": "sweep/1",
        "command": shlex.join(["python", "-m", "pycore", *options.given]),
        "recipe": recipe.to_dict(),
        "grid": grid,
        "runs": results,
        "software": _software(),
    }
    record["map"] = transfer_map(results)
    if not grid and not options.recipe and not options.set:
        record["profile"] = options.profile
        record["table"] = summary([changes_of(result) for result in results])
        record["kept"] = {str(result["seed"]): kept(options.profile, changes_of(result)) for result in results}
    return record


def _bases(work: Sequence[Cell], options: argparse.Namespace) -> dict[str, bytes]:
    """Every base that the cells start from, each trained once."""
    needed = {base_key(cell.recipe): cell.recipe for cell in work}
    jobs = [(recipe,) for recipe in needed.values()]
    keys = list(needed)
    done = spread_out(train_base, jobs, workers=options.workers, cluster=options.cluster)
    bases = {}
    for number, data in done:
        bases[keys[number]] = data
        _say(f"base {len(bases)} of {len(keys)}")
    return bases


def _finished(path: Path, recipe: Recipe) -> dict[str, dict[str, Any]]:
    """Results of an interrupted sweep; a last line cut off is dropped with its run."""
    if not path.exists() or path.stat().st_size == 0:
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    whole = []
    for line in lines:
        try:
            whole.append(json.loads(line))
        except ValueError:
            break
    if not whole or whole[0] != recipe.to_dict():
        raise DomainError("out", str(path), "no unfinished sweep of another recipe: delete it, or choose another file")
    path.write_text("".join(json.dumps(line, sort_keys=True) + "\n" for line in whole), encoding="utf-8")
    return {result["name"]: result for result in whole[1:]}


def _axis(text: str) -> tuple[str, list[float]]:
    name, _, values = text.partition("=")
    try:
        return name, [float(value) for value in values.split(",")]
    except ValueError:
        raise DomainError("grid", text, "FIELD=NUMBER,NUMBER") from None


def _seeds(text: str) -> list[int]:
    try:
        parts = [part.split("-") for part in text.split(",")]
        return [seed for part in parts for seed in range(int(part[0]), int(part[-1]) + 1)]
    except ValueError:
        raise DomainError("seeds", text, "0-4 or 0,2,7") from None


def _replace(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_bytes(data)
    fresh.replace(path)


def _line(record: Record, updates: int) -> str:
    shown = ("accuracy", "pass_4", "entropy", "kl")
    values = ", ".join(f"{name} {record.metrics[name]:.3f}" for name in shown if name in record.metrics)
    return f"update {record.update} of {updates}, {record.split.replace('_', '-')}: {values}"


def _table(changes: Sequence[Any]) -> str:
    rows = [f"{'':10} {'split':9} {'before':>8} {'after':>8} {'change':>8}"]
    rows += [f"{c.metric:10} {c.split:9} {c.before:8.3f} {c.after:8.3f} {c.difference:+8.3f}" for c in changes]
    return "\n".join(rows)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
