"""Draws the rooms of the package and the way data takes through them: docs/pictures/rooms.svg (see docs/make.py)."""

from __future__ import annotations

from verimv.show.pictures.svg import COLOURS, STYLE, element, text

#: From the top: the floor (level), its rooms, and what each does with the data.
FLOORS = (
    ("10", ("cli", "one module per command")),
    (
        "9",
        ("show", "pictures, report"),
        ("paper", "experiments, benchmarks"),
        ("testing", "assertions for your tests"),
    ),
    (
        "8",
        ("questions", "equal? range? valid? bounds?"),
        ("approximation", "short, within an error"),
        ("promises", "verimv.toml"),
    ),
    ("7", ("certificate", "writes the lines of a proof")),
    ("6", ("extraction", "Steps 1, 2, 3: network → formula"), ("simplification", "shorter equivalent formulas")),
    ("5", ("bounding", "proven ranges: guess, prove, search")),
    ("4", ("solvers", "z3, cvc5, obligations"), ("pieces", "linear regions")),
    (
        "3",
        ("networks", "exact model, transforms, formats"),
        ("specifications", "what must hold: VNN-LIB, own language"),
    ),
    ("2", ("formulas", "shared DAG and its one fold")),
    ("1", ("exact", "rationals, square roots"), ("kernels", "verdicts of both kernels")),
    ("0", ("core", "errors, files, effort, workers")),
)
LEFT, WIDTH, HEIGHT, GAP = 60, 640, 46, 8
#: The two ways through the house, as floors that are passed in order.
EXTRACTED = ("networks", "bounding", "extraction", "certificate", "show")
ASKED = ("questions", "bounding", "solvers", "certificate", "show")


def rooms_svg() -> str:
    """Return the drawing."""
    parts, middle = [], {}
    for row, (level, *rooms) in enumerate(FLOORS):
        y = 30 + row * (HEIGHT + GAP)
        parts.append(text(level, LEFT - 22, y + HEIGHT / 2 + 4, kind="minor"))
        width = (WIDTH - GAP * (len(rooms) - 1)) / len(rooms)
        for column, (name, holds) in enumerate(rooms):
            x = LEFT + column * (width + GAP)
            middle[name] = y + HEIGHT / 2
            box = {"x": float(x), "y": float(y), "width": width, "height": float(HEIGHT), "rx": 6, "class": "axis"}
            parts.append(element("rect", box))
            parts.append(text(name, x + 12, y + 19, "start"))
            parts.append(text(holds, x + 12, y + 36, "start", "minor"))
    parts.append(text("level", LEFT - 22, 18, kind="minor"))
    right = LEFT + WIDTH + 18
    for lane, (title, steps) in enumerate((("extract", EXTRACTED), ("ask", ASKED))):
        x, colour = right + lane * 46, COLOURS[lane]
        parts.append(text(title, x + 8, 18, kind="minor"))
        for number, name in enumerate(steps, start=1):
            y = middle[name]
            parts.append(element("circle", {"cx": float(x + 8), "cy": y, "r": 11, "fill": colour}))
            parts.append(text(str(number), x + 8, y + 4.5, kind="sign"))
    kernel_y = 30 + len(FLOORS) * (HEIGHT + GAP) + 14
    box = {"x": float(LEFT), "y": float(kernel_y), "width": float(WIDTH), "height": float(HEIGHT), "rx": 6,
           "class": "axis", "stroke-dasharray": "5 4"}  # fmt: skip
    parts.append(element("rect", box))
    parts.append(text("kernel.py", LEFT + 12, kernel_y + 19, "start"))
    told = "alone: only Python's standard library; checks what certificate/ has written; the last word on both ways"
    parts.append(text(told, LEFT + 12, kernel_y + 36, "start", "minor"))
    for lane in range(2):
        x, y = right + lane * 46 + 8, kernel_y + HEIGHT / 2
        parts.append(element("circle", {"cx": float(x), "cy": y, "r": 11, "fill": COLOURS[lane]}))
        parts.append(text("✓", x, y + 4.5, kind="sign"))
    size = (right + 92, kernel_y + HEIGHT + 16)
    attributes = {"xmlns": "http://www.w3.org/2000/svg", "class": "vmv", "viewBox": f"0 0 {size[0]} {size[1]}",
                  "width": size[0], "height": size[1], "role": "img"}  # fmt: skip
    return element("svg", attributes, element("style", {}, STYLE), *parts)
