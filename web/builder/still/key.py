"""The signs of a figure's key, drawn as the marks themselves are: by shape and dash as well as by colour."""

from markupsafe import Markup

from web.builder.still.mark import CROSS, SHAPES
from web.builder.still.paper import DASH

HIGH = 14  # CSS pixels; a line is twice as wide, everything else as wide as high


def sign(mark: str, role: str) -> Markup:
    """One entry's sign as an SVG element; the word beside it is its name.

    Args:
        mark: as in `web.labs.drawing.Key`.
        role: of the palette.
    """
    wide = 2 * HIGH if mark in DASH or mark in ("arrow", "band") else HIGH
    middle = HIGH // 2
    if mark in DASH:
        dashes = f' stroke-dasharray="{DASH[mark]}"' if DASH[mark] else ""
        inside = f'<path class="still-line" d="M0 {middle}H{wide}" stroke-width="2.5"{dashes}/>'
    elif mark == "arrow":
        inside = f'<path class="still-line" d="M0 {middle}H{wide - 9}" stroke-width="2"/>'
        inside += f'<path class="still-fill" d="M{wide} {middle}l-10-5v10z"/>'
    elif mark == "band":
        box = f'x=".5" y="1.5" width="{wide - 1}" height="{HIGH - 3}"'
        inside = (
            f'<rect class="still-fill" {box} fill-opacity=".18"/><rect class="still-line" {box} stroke-width=".5"/>'
        )
    elif mark == "hatch":
        inside = '<rect class="still-line" x="1" y="1" width="12" height="12"/>'
        inside += '<path class="still-line" d="M1 5L5 1M1 9L9 1M1 13L13 1M5 13L13 5M9 13L13 9"/>'
    elif mark == "bar":
        inside = '<rect class="still-fill" x="2" width="10" height="14"/>'
    elif mark == "circle":
        inside = '<circle class="still-fill" cx="7" cy="7" r="4.5"/>'
    elif mark == "cross":
        inside = f'<path class="still-line" transform="translate(7 7) scale(5.5)" stroke-width=".4" d="{CROSS}"/>'
    else:
        inside = f'<path class="still-fill" transform="translate(7 7) scale(4.5)" d="{SHAPES[mark]}"/>'
    size = f'viewBox="0 0 {wide} {HIGH}" width="{wide}" height="{HIGH}"'
    return Markup(
        f'<svg class="mark mark-{mark} role-{role}" {size} aria-hidden="true" focusable="false">{inside}</svg>'
    )
