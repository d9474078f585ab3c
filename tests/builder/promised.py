"""What a lab, a scenario or a learner may do with the library: run natively and in the browser, with one answer."""

import asyncio
import base64
import collections
import csv
import dataclasses
import datetime
import decimal
import difflib
import enum
import fractions
import hashlib
import html
import importlib
import importlib.metadata
import importlib.resources
import inspect
import io
import itertools
import json
import pickle
import pprint
import random
import statistics
import string
import textwrap
import tomllib
import traceback
import typing
import unicodedata
import urllib.parse
import zipfile

import numpy as np


class Side(enum.Enum):
    LEFT = "left"


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    side: Side = Side.LEFT


class Pair(typing.NamedTuple):
    first: int
    second: str = "two"


def library() -> dict[str, object]:
    """One value from each corner of the standard library that does more than import."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("имя.txt", "text")
    with zipfile.ZipFile(packed) as archive:
        names = archive.namelist()
    try:
        raise KeyError("missing")
    except KeyError:
        trace = traceback.format_exc().splitlines()[-1]
    table = io.StringIO()
    csv.writer(table).writerow(["a,b", 1])
    return {
        "zip": names,
        "trace": trace,
        "csv": table.getvalue(),
        "base64": base64.b64encode(b"rlvr").decode(),
        "counter": collections.Counter("abca").most_common(1),
        "dataclass": repr(dataclasses.replace(Point(1), x=2)),
        "pair": Pair(1)._asdict(),
        "enum": Side("left").name,
        "date": datetime.datetime.strptime("2024-02-29 10:00", "%Y-%m-%d %H:%M").isoformat(),
        "decimal": str(decimal.Decimal(1) / 3),
        "diff": list(difflib.unified_diff(["a\n"], ["b\n"])),
        "fraction": str(fractions.Fraction("0.125")),
        "hashes": [hashlib.new(name, b"x").hexdigest() for name in ("md5", "sha1", "sha256", "sha3_256", "blake2b")],
        "html": html.escape("<&>") + html.unescape("&alpha;"),
        "signature": str(inspect.signature(answer)),
        "combinations": len(list(itertools.combinations(range(6), 3))),
        "pickle": pickle.loads(pickle.dumps({"a": [1, (2,)]}))["a"][0],
        "pprint": pprint.pformat({"b": 1, "a": [2]}),
        "random": random.Random(1).random(),
        "statistics": [statistics.median([1, 5, 2]), statistics.NormalDist().inv_cdf(0.975)],
        "template": string.Template("$a").substitute(a="б"),
        "text": textwrap.dedent("  a\n  b"),
        "toml": tomllib.loads('a = 1979-05-27\nb = ["x"]')["b"],
        "unicode": unicodedata.name("я"),
        "idna": "пример.рф".encode("idna").decode(),
        "url": urllib.parse.parse_qs(urllib.parse.urlencode({"p": "0.1", "имя": "ж"})),
        "queue": asyncio.Queue(2).maxsize,
        "resources": importlib.resources.files(np).joinpath("linalg").is_dir(),
    }


def arrays() -> dict[str, object]:
    """NumPy from several sides; rounded, as the two builds sum in different orders."""
    generator = np.random.default_rng(5)
    matrix = generator.normal(size=(4, 4))
    nodes, weights = np.polynomial.legendre.leggauss(5)
    saved = io.BytesIO()
    np.savez(saved, matrix=matrix)
    saved.seek(0)
    return {
        "draws": generator.integers(0, 100, 5).tolist() + generator.beta(2, 3, 2).round(12).tolist(),
        "old draws": np.random.RandomState(1).rand(2).round(12).tolist(),
        "choice": generator.choice(5, 3, replace=False, p=[0.1, 0.2, 0.3, 0.2, 0.2]).tolist(),
        "solve": np.linalg.solve(matrix, np.ones(4)).round(10).tolist(),
        "svd": np.linalg.svd(matrix)[1].round(10).tolist(),
        "fft": np.abs(np.fft.rfft(np.arange(8.0))).round(10).tolist(),
        "quadrature": float((weights * nodes**4).sum().round(12)),
        "einsum": np.einsum("ij,kj->ik", matrix, matrix).round(10).tolist(),
        "polyfit": np.polyfit([0, 1, 2], [1, 3, 5], 1).round(10).tolist(),
        "percentile": np.nanpercentile([1, np.nan, 3, 4], 50),
        "text": np.loadtxt(io.StringIO("1 2\n3 4")).tolist(),
        "saved": bool((np.load(saved)["matrix"] == matrix).all()),
        "print": np.array2string(np.linspace(0, 1, 3), precision=2),
        "unique": np.unique([3, 1, 3], return_counts=True)[1].tolist(),
        "lexsort": np.lexsort(([1, 0], [2, 2])).tolist(),
        "pad": np.pad([1], 1).tolist(),
        "strings": np.char.upper(["a"]).tolist(),
        "sliding": np.lib.stride_tricks.sliding_window_view(np.arange(4), 2).tolist(),
        "histogram": np.histogram([0.1, 0.9], 2)[0].tolist(),
        "interp": float(np.interp(0.5, [0, 1], [0, 2])),
        "half": np.float16(0.1).item(),
    }


def answer(promised: list[str]) -> str:
    """Imports every promised module, does all of the above, and returns it as JSON."""
    for name in promised:
        importlib.import_module(name)
    return json.dumps(library() | arrays(), ensure_ascii=False)
