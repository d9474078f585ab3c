"""The dashboard on recorded runs and on journals from files: several axes, not one mean reward (curriculum 4.5)."""

from collections.abc import Mapping
from typing import Any

from pycore.control import Switch
from web.dashboard import desk
from web.dashboard.panel import FIGURES
from web.dashboard.show import frame
from web.labs.contract import Predict, State
from web.labs.frame import Frame

ORDER = 45
RECORDED = ("healthy", "collapse", "smollm2", "smollm2_format")
FILES = tuple(f"web/recorded/{name}-0.jsonl" for name in RECORDED)
COMPONENT = "dashboard"
CONTROLS = tuple(Switch(name, name in ("healthy", "collapse")) for name in RECORDED)
LANGUAGE_MODEL: State = {"healthy": False, "collapse": False, "smollm2": True, "smollm2_format": True}
PRESETS: dict[str, State] = {
    "healthy": {"collapse": False},
    "language_model": LANGUAGE_MODEL,
    "surprise": {"healthy": False},
}
PREDICT = Predict(("up", "same", "down"), "down")
__all__ = ["FIGURES"]


def compute(controls: Mapping[str, Any]) -> Frame:
    """The chosen recorded runs, and beside them what lies on the desk."""
    wanted = (desk.recorded(f"{control.name}-0") for control in CONTROLS if controls[control.name])
    return frame(desk.DESK.beside(run for run in wanted if run is not None))
