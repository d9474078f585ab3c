"""The README of an exported folder, in both languages, from the Markdown files beside this one."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from colab.export.cluster import MODELS, Cluster
from pycore.ledger import GIGABYTE, Ledger
from pycore.protocol import Protocol
from pycore.scenario import Scenario
from pycore.transformer import kv_cache_bytes

NAMES = {"en": "README.md", "ru": "README.ru.md"}
NOTHING = {
    "en": "Nothing: the engine computes the protocol as it stands.",
    "ru": "Ничего: движок считает протокол как есть.",
}
HEADS = {"en": "| axis | scenario | engine |", "ru": "| ось | сценарий | движок |"}


def readme(
    engine: str,
    scenario: Scenario,
    protocol: Protocol,
    cluster: Cluster,
    changed: Mapping[str, tuple[Any, Any]],
    ledger: Ledger,
    sources: Mapping[str, str],
) -> dict[str, str]:
    """Both READMEs, file name to text.

    Args:
        engine: `trl` or `verl`.
        scenario: the state that was exported.
        protocol: what the engine computes.
        cluster: sizes.
        changed: axes that the engine changed, from `colab.mapping.adopt`.
        ledger: memory of weights, gradients and optimiser.
        sources: holds the Markdown files.
    """
    # verl shares all states among the cards; TRL under plain data parallelism keeps them on every one.
    share = cluster.cards if engine == "verl" else 1
    generator = MODELS[cluster.model].parameters * 2
    cache = kv_cache_bytes(MODELS[cluster.model], cluster.group, cluster.prompt_tokens + cluster.response_tokens)
    made = {}
    for language, name in NAMES.items():
        axes = [f"| `{axis}` | `{value}` |" for axis, value in asdict(protocol.canonical()).items()]
        rows = [f"| `{axis}` | `{wished}` | `{fixed}` |" for axis, (wished, fixed) in changed.items()]
        table = "\n".join([HEADS[language], "|---|---|---|", *rows]) if rows else NOTHING[language]
        words = {
            "query": "?" + scenario.to_query(),
            "model": cluster.model,
            "cards": str(cluster.cards),
            "all_cards": str(cluster.cards + (engine == "trl")),
            "prompts": str(cluster.prompts),
            "group": str(cluster.group),
            "responses": str(cluster.responses),
            "updates": str(cluster.updates),
            "states": _gigabytes(ledger.bytes / share, language),
            "generator": _gigabytes(generator, language),
            "cache": _gigabytes(cache, language),
            "changed": table,
            "axes": "\n".join(axes),
        }
        text = sources[f"colab/export/files/{engine}.{language}.md"]
        for key, value in words.items():
            text = text.replace("{{" + key + "}}", value)
        made[name] = text
    return made


def _gigabytes(value: float, language: str) -> str:
    text = f"{value / GIGABYTE:.1f}"
    return text.replace(".", ",") if language == "ru" else text
