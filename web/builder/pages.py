"""Every page of the site in both languages, from templates, a lab's words and its prerendered state."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from web import labs
from web.builder import documents, maths, reference, words
from web.labs import engine
from web.labs.process import Process
from web.labs.texts import LANGUAGES, load

SHELL = Path(__file__).parents[1] / "shell"

# Scripts and wasm from the site alone. `blob:` is for Panel's components, whose modules are imported from one, and for
# the worker of a sandboxed frame. Bokeh writes style elements into its shadow roots, KaTeX style attributes.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval' blob:",
        "worker-src 'self' blob:",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)


class Templates(Environment):
    """`a.copy` in a template means the word `copy`, not the method that every dictionary has."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """What `obj.attribute` stands for: a dictionary's own entry first."""
        return obj[attribute] if isinstance(obj, dict) and attribute in obj else super().getattr(obj, attribute)


@dataclass(frozen=True)
class LabPage:
    """What the templates need of one lab in one language."""

    name: str
    text: dict[str, Any]
    controls: list[dict[str, str]]
    drawings: dict[str, Any]
    shown: dict[str, Any]
    formula: str
    document: str
    process: Process | None


def write(dist: Path, cache: Path, runtime: list[dict[str, Any]]) -> None:
    """Writes the pages and the labs' documents.

    Args:
        dist: the site's folder.
        cache: folder that outlives the build.
        runtime: what the worker loads, each `{"url", "bytes"}`, so that a page can tell how much is still to come.
    """
    for folder in words.folders():
        words.check(folder)
    environment = Templates(
        loader=FileSystemLoader(SHELL / "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sites = {language: load(SHELL, language) for language in LANGUAGES}
    shared = {"policy": POLICY, "title": sites["en"]["name"], "languages": sites, "runtime_files": _json(runtime)}
    for name, template in (("index.html", "root.html"), ("404.html", "missing.html")):
        (dist / name).write_text(environment.get_template(template).render(shared), encoding="utf-8")
    (dist / "assets" / "labs").mkdir(parents=True)
    modules = reference.modules()
    for language, site in sites.items():
        entries = _labs(language, cache)
        pages = {
            "": ("front.html", entries[0]),
            "labs/": ("labs.html", None),
            "reference/": ("reference.html", None),
        }
        presets = reference.presets(language)
        formulas = maths.typeset([preset.formula for preset in presets], cache)
        for lab in entries:
            pages[f"labs/{lab.name}/"] = ("lab-page.html", lab)
            pages[f"embed/{lab.name}/"] = ("embed.html", lab)
            (dist / "assets" / "labs" / f"{lab.name}.{language}.json").write_text(lab.document, encoding="utf-8")
        for path, (template, shown) in pages.items():
            root = "../" * (path.count("/") + 1)
            context = shared | {
                "site": site,
                "language": language,
                "other": next(code for code in LANGUAGES if code != language),
                "root": root,
                "alternates": {code: f"{root}{code}/{path}" for code in LANGUAGES},
                "scripts": ("latin", "cyrillic") if language == "ru" else ("latin",),
                "lab_words": _json(site["lab"]),
                "lab": shown,
                "labs": entries,
                "modules": modules,
                "presets": [
                    {"name": preset.name, "axes": preset.axes, "html": Markup(html)}
                    for preset, html in zip(presets, formulas, strict=True)
                ],
                "formulas": template not in ("labs.html",),
                "embedded": template == "embed.html",
            }
            target = dist / language / path / "index.html"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(environment.get_template(template).render(context), encoding="utf-8")


def _labs(language: str, cache: Path) -> list[LabPage]:
    texts = {name: engine.words(name, language) for name in labs.names()}
    formulas = maths.typeset([text["formula"] for text in texts.values()], cache)
    made = []
    for (name, text), formula in zip(texts.items(), formulas, strict=True):
        ready = documents.prerender(name, language)
        lab = labs.load(name)
        controls = [{"name": c.name, "kind": type(c).__name__.lower()} for c in lab.controls]
        made.append(
            LabPage(name, text, controls, ready.drawings, ready.shown, Markup(formula), ready.document, lab.process)
        )
    return made


def _json(value: object) -> Markup:
    """JSON for a data block: no `<` survives, so that no text can end the element."""
    return Markup(json.dumps(value, ensure_ascii=False).replace("<", "\\u003c"))
