"""A learner's hands and eyes on one lab in a page, and the native engine as the judge of what they should see."""

import time
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import FrameLocator, Locator, Page

from web.labs import engine

# What the screen shows, and what the figures' sources and the controls hold, in one look.
LOOK = """() => {
  const find = selector => document.querySelector(selector)
  const text = node => node?.textContent ?? ''
  const doc = (window.Bokeh?.documents ?? []).find(one => one.roots().length)
  const labels = {}, controls = {}
  for (const model of doc?._all_models.values() ?? []) {
    if (model.name?.startsWith('source:') && model.data.text) labels[model.name.slice(7)] = [...model.data.text]
    if (model.name?.startsWith('control:')) controls[model.name.slice(8)] = model.data.value
  }
  return {
    summary: text(find('[data-summary]')),
    readouts: [...document.querySelectorAll('[data-readout]')].map(text),
    table: [...find('[data-table]').rows].map(row => [...row.cells].map(text)),
    labels, controls,
    problem: find('[data-problem]').hidden ? '' : text(find('[data-problem]')),
  }
}"""
SHOWN = ("summary", "readouts", "table", "labels")


def expected(lab: str, language: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """What the screen must show for these controls (the others at their defaults), computed natively."""
    defaults = {control.name: control.default for control in engine.lab_of(lab).controls}
    shown = engine.respond(lab, language, {**defaults, **values})
    assert not shown["fault"], shown["fault"]
    labels = {name: list(columns["text"]) for name, columns in shown["sources"].items() if "text" in columns}
    return {**{key: shown[key] for key in SHOWN if key != "labels"}, "labels": labels}


class Lab:
    """One lab in a page."""

    def __init__(self, page: Page, name: str, language: str = "ru") -> None:
        self.page, self.name, self.language = page, name, language

    def look(self) -> dict[str, Any]:
        """Everything that the lab shows now."""
        found: dict[str, Any] = self.page.evaluate(LOOK)
        return found

    def shows(self, **values: Any) -> dict[str, Any]:
        """Waits until the screen shows what Python computes natively for these controls; fails with the difference."""
        wanted = expected(self.name, self.language, values)
        deadline = time.monotonic() + 30
        while True:
            seen = self.look()
            wrong = [key for key in SHOWN if seen[key] != wanted[key]]
            if not wrong:
                return seen
            if time.monotonic() > deadline:
                raise AssertionError({key: {"seen": seen[key], "wanted": wanted[key]} for key in wrong})
            self.page.wait_for_timeout(30)

    def control(self, name: str, inside: str = "") -> Locator:
        """A control's slot, or an element inside its component."""
        return self.page.locator(f'[data-root="control:{name}"] {inside}'.strip())

    def slider(self, name: str) -> Locator:
        return self.control(name, "input[type=range]")

    def field(self, name: str) -> Locator:
        return self.control(name, "input.field")

    def message(self, name: str) -> Locator:
        return self.control(name, ".message")

    def type(self, name: str, text: str) -> None:
        """Replaces what the number field says and confirms it."""
        self.field(name).fill(text)
        self.field(name).press("Enter")

    def drag(self, name: str, share: float) -> None:
        """Moves a slider's thumb by mouse to a share of its track."""
        slider = self.slider(name)
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        assert box
        now, low, high = slider.evaluate("it => [it.valueAsNumber, Number(it.min), Number(it.max)]")

        def at(part: float) -> float:
            return float(box["x"] + 8 + part * (box["width"] - 16))

        middle = box["y"] + box["height"] / 2
        self.page.mouse.move(at((now - low) / (high - low)), middle)
        self.page.mouse.down()
        self.page.mouse.move(at(share), middle, steps=8)
        self.page.mouse.up()

    def action(self, name: str) -> Locator:
        return self.page.locator(f"button[data-action={name}]")


def inside(frame: FrameLocator) -> Locator:
    """The lab of an embedded page, once it computes."""
    return frame.locator("#lab[data-python=ready][data-figures=shown]:not([data-awaiting])")
