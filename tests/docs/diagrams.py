"""The diagrams of the documentation, as SVG: boxes on a grid and the arrows between them. `make golden` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

FOLDER = "docs/pictures"
COLUMN, ROW, WIDTH, HEIGHT, MARGIN = 196, 104, 168, 60, 24
INK, LINE, PAPER, BOX, STRONG = "#1f2937", "#6b7280", "#ffffff", "#f3f4f6", "#dbeafe"
FONT = "system-ui, sans-serif"


@dataclass(frozen=True)
class Box:
    """`title` and one line below it, in a column and a row of the grid."""

    title: str
    below: str
    column: float
    row: float
    strong: bool = False

    @property
    def middle(self) -> tuple[float, float]:
        return MARGIN + self.column * COLUMN + WIDTH / 2, MARGIN + self.row * ROW + HEIGHT / 2

    def svg(self) -> str:
        x, y = self.middle
        fill = STRONG if self.strong else BOX
        return (
            f'<rect x="{x - WIDTH / 2:g}" y="{y - HEIGHT / 2:g}" width="{WIDTH}" height="{HEIGHT}" rx="8" '
            f'fill="{fill}" stroke="{LINE}"/>'
            f'<text x="{x:g}" y="{y - 4:g}" font-size="14" font-weight="600">{escape(self.title)}</text>'
            f'<text x="{x:g}" y="{y + 15:g}" font-size="11">{escape(self.below)}</text>'
        )


@dataclass(frozen=True)
class Diagram:
    """`arrows` lead from one title to another; boxes that they join stand in one row or in one column."""

    title: str
    boxes: Sequence[Box]
    arrows: Sequence[tuple[str, str]]
    labels: dict[tuple[str, str], str] = field(default_factory=dict)

    def svg(self) -> str:
        by = {box.title: box for box in self.boxes}
        width = MARGIN * 2 + max(box.column for box in self.boxes) * COLUMN + WIDTH
        height = MARGIN * 2 + max(box.row for box in self.boxes) * ROW + HEIGHT
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
            f'aria-label="{escape(self.title)}" font-family="{FONT}" fill="{INK}" text-anchor="middle">',
            f"<title>{escape(self.title)}</title>",
            f'<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            f'orient="auto"><path d="M0 0 8 4 0 8z" fill="{LINE}"/></marker></defs>',
            f'<rect width="{width:g}" height="{height:g}" rx="10" fill="{PAPER}"/>',
            *(_arrow(by[start], by[end], self.labels.get((start, end), "")) for start, end in self.arrows),
            *(box.svg() for box in self.boxes),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"


def _arrow(start: Box, end: Box, label: str) -> str:
    """From edge to edge: along the row, else down with one bend in the middle."""
    (x, y), (to_x, to_y) = start.middle, end.middle
    if y == to_y:
        side = WIDTH / 2 if to_x > x else -WIDTH / 2
        path, at = f"M{x + side:g} {y:g}H{to_x - side:g}", ((x + to_x) / 2, y - 6)
    else:
        side = HEIGHT / 2 if to_y > y else -HEIGHT / 2
        half = (y + to_y) / 2
        bend = "" if x == to_x else f"V{half:g}H{to_x:g}"
        path, at = f"M{x:g} {y + side:g}{bend}V{to_y - side:g}", (to_x + 8, half + 14)
    told = (
        f'<text x="{at[0]:g}" y="{at[1]:g}" font-size="11" text-anchor="start">{escape(label)}</text>' if label else ""
    )
    return f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="1.5" marker-end="url(#end)"/>{told}'


DECISION = Diagram(
    "The steps from a question to its answer",
    (
        Box("Question", "type, goal, systems", 0, 0, strong=True),
        Box("Halt", "is everything stopped?", 1, 0),
        Box("Risk", "formula, template, history", 2, 0),
        Box("Policies", "every match is told", 3, 0),
        Box("Scan", "hidden instructions", 3, 1),
        Box("Webhooks", "may only raise", 2, 1),
        Box("Record", "one event, on the disk", 1, 1),
        Box("Answer", "one of four words", 0, 1, strong=True),
    ),
    (
        ("Question", "Halt"),
        ("Halt", "Risk"),
        ("Risk", "Policies"),
        ("Policies", "Scan"),
        ("Scan", "Webhooks"),
        ("Webhooks", "Record"),
        ("Record", "Answer"),
        ("Halt", "Record"),
    ),
    {("Halt", "Record"): "yes: block"},
)
LOG = Diagram(
    "One log, and what is folded from it",
    (
        Box("Request", "from an agent or operator", 0, 0),
        Box("Decide", "pure rules over memory", 1, 0),
        Box("Log", "one event, on the disk", 2, 0, strong=True),
        Box("Answer", "only when it is recorded", 3, 0),
        Box("Memory", "for the next decision", 0.5, 1),
        Box("Tables", "pages, queries, notebooks", 1.5, 1),
        Box("Trees", "a hash for each event", 2.5, 1),
        Box("Stream", "to whoever listens", 3.5, 1),
        Box("Signed heads", "size and root, kept", 2.5, 2),
        Box("Bundle", "checked by a stranger", 3.5, 2, strong=True),
    ),
    (
        ("Request", "Decide"),
        ("Decide", "Log"),
        ("Log", "Answer"),
        ("Log", "Memory"),
        ("Log", "Tables"),
        ("Log", "Trees"),
        ("Log", "Stream"),
        ("Trees", "Signed heads"),
        ("Signed heads", "Bundle"),
    ),
)


def diagrams() -> dict[str, str]:
    """The text of each picture, by its path from the top of the repository."""
    return {f"{FOLDER}/decision.svg": DECISION.svg(), f"{FOLDER}/log.svg": LOG.svg()}
