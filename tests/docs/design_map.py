"""What DESIGN.md shows of the code: the picture of the whole (docs/map.svg) and the table of who may import whom.

`make golden` writes both anew.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tests.architecture.layers import CLIENT_STACK, PARTS, WINGS, nouns

TOP = Path(__file__).parents[2]
PICTURE = "docs/map.svg"
PAGE = "DESIGN.md"
OPENING, CLOSING = "<!-- layers: written by make golden -->", "<!-- end of layers -->"

# The tables

STACK = "client stack"


def layering() -> str:
    """The table of the parts: what each may import at any time, and what only inside a function."""
    rows = ["| part | may import | only inside a function |", "|---|---|---|"]
    for part in PARTS:
        always = _imports((*part.allowed, *(f"assent.{name}" for name in part.door)), part.name)
        lazily = _imports(part.lazily, "") if part.lazily != (part.name,) else "all of it"
        rows.append(f"| `{_short(part.name)}` | {always} | {lazily} |")
    return "\n".join(rows)


def design_page() -> str:
    """DESIGN.md as it is, with the table as the rules are now."""
    before, opening, rest = (TOP / PAGE).read_text(encoding="utf-8").partition(OPENING)
    _, closing, after = rest.partition(CLOSING)
    assert opening, f"{PAGE} has no line {OPENING}"
    assert closing, f"{PAGE} has no line {CLOSING}"
    return f"{before}{opening}\n\n{layering()}\n\n*{STACK}*: {_names(CLIENT_STACK)}.\n\n{closing}{after}"


def _imports(names: Iterable[str], own: str) -> str:
    """What is listed, the client's stack by its name; a part's own name says nothing."""
    listed = [name for name in names if name != own]
    whole = set(CLIENT_STACK) - {own} <= set(listed)
    rest = [name for name in listed if not (whole and name in CLIENT_STACK)]
    return ", ".join([STACK] * whole + ([_names(rest)] if rest else []))


def _names(names: Iterable[str]) -> str:
    return ", ".join(_short(name) for name in dict.fromkeys(names))


def _short(name: str) -> str:
    """`assent.proof` as `proof`; the packages beside the SDK keep their names."""
    return name.removeprefix("assent.")


def _last(name: str) -> str:
    return name.rpartition(".")[2]


# The picture

WIDTH, EDGE, GAP = 1000, 24, 14
LINE = 18
LETTER = 6.6
"""Width of a letter of the small size, on the safe side; the picture is drawn without asking a font."""
JOINED = "\N{NO-BREAK SPACE}"
"""Between the words of one name, which stay on one line."""

STYLE = """
text { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1c2733; font-size: 13px }
.title { font-weight: 600; font-size: 15px }
.ground { fill: #fbfcfd }
.box { fill: #ffffff; stroke: #b8c4d0 }
.service { fill: #f1f5f9; stroke: #8799ab }
.log { fill: #dbe8f7; stroke: #2b5fa8; stroke-width: 2 }
.arrow { stroke: #51647a; stroke-width: 1.5; fill: none; marker-end: url(#tip) }
.tip { fill: #51647a }
@media (prefers-color-scheme: dark) {
  text { fill: #e4eaf0 }
  .ground { fill: #12171d }
  .box { fill: #1c242d; stroke: #4a5968 }
  .service { fill: #171e26; stroke: #6b7c8e }
  .log { fill: #1c3350; stroke: #7fb0ee }
  .arrow { stroke: #9fb0c2 }
  .tip { fill: #9fb0c2 }
}
"""

CALLERS = (
    ("agents", "client, @governed, adapters, hooks, MCP"),
    ("operators", "dashboard, terminal"),
    ("analysts", "frames, notebooks, assent_analytics"),
    ("auditors", "assent verify, without the service"),
)
FOLDS = (
    ("memory", "what waits, what is valid, windows of time"),
    ("trees", "one for each organization, signed heads"),
    ("tables", "DuckDB: pages, numbers, exports"),
    ("subscribers", "the stream, webhooks, alerts"),
)


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    width: float
    height: float
    kind: str = "box"

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    def drawn(self, title: str, says: str = "") -> list[str]:
        shape = (
            f'<rect class="{self.kind}" x="{self.left:g}" y="{self.top:g}" width="{self.width:g}" '
            f'height="{self.height:g}" rx="6"/>'
        )
        lines = [f'<text class="title" x="{self.left + 12:g}" y="{self.top + 22:g}">{escape(title)}</text>']
        for number, line in enumerate(wrapped(says, self.width - 24), 1):
            lines.append(f'<text x="{self.left + 12:g}" y="{self.top + 22 + number * LINE:g}">{escape(line)}</text>')
        return [shape, *lines]


def wrapped(says: str, width: float) -> list[str]:
    return [line.replace(JOINED, " ") for line in textwrap.wrap(says, int(width / LETTER))]


def arrow(from_x: float, from_y: float, to_x: float, to_y: float) -> str:
    return f'<path class="arrow" d="M{from_x:g} {from_y:g} L{to_x:g} {to_y:g}"/>'


def label(x: float, y: float, says: str) -> str:
    return f'<text x="{x:g}" y="{y:g}">{escape(says)}</text>'


def wing_texts() -> dict[str, str]:
    """The nouns of each wing, as the folders of the service have them."""
    texts = {}
    for wing in WINGS:
        inside = sorted(_last(noun) for noun in nouns() if noun.split(".")[1] == wing and noun.count(".") == 2)
        texts[wing] = ", ".join(name.replace("_", JOINED) for name in inside)
    return texts


def across(boxes: int, left: float, width: float, top: float, height: float) -> list[Box]:
    each = (width - GAP * (boxes - 1)) / boxes
    return [Box(left + number * (each + GAP), top, each, height) for number in range(boxes)]


def design_map() -> str:
    """The whole in one picture: who calls, what a request goes through, the wings, the log and what follows it."""
    drawn: list[str] = []
    callers = across(len(CALLERS), EDGE, WIDTH - 2 * EDGE, EDGE, 68)
    for box, (who, how) in zip(callers, CALLERS, strict=True):
        drawn += box.drawn(who, how)

    inner = WIDTH - 4 * EDGE
    texts = wing_texts()
    heights = [34 + LINE * len(wrapped(text, inner - 24)) for text in texts.values()]
    service_top = callers[0].bottom + 44
    door = Box(2 * EDGE, service_top + 34, inner, 52)
    wings_top = door.bottom + GAP + 22
    wings_height = sum(heights) + 6 * (len(heights) - 1)
    ledger = Box(2 * EDGE, wings_top + wings_height + GAP + 22, inner, 52)
    service = Box(EDGE, service_top, WIDTH - 2 * EDGE, ledger.bottom + EDGE - service_top, "service")
    drawn += service.drawn("the service: one process, one data folder")
    drawn += door.drawn(
        "the door", "core: an endpoint of the contract, the key and its role, limits, the body as a struct"
    )
    drawn.append(label(door.left, door.bottom + 24, "the wings, each on those below it:"))
    top: float = wings_top
    for (wing, text), tall in reversed(list(zip(texts.items(), heights, strict=True))):
        drawn += Box(door.left, top, inner, tall).drawn(wing, text)
        top += tall + 6
    drawn.append(
        label(
            door.left,
            ledger.top - 8,
            "read and decide under fences, by pure functions; then events, each with its whole row",
        )
    )
    drawn += ledger.drawn("the ledger", "store: numbers, hashes and appends; answers once the write is on the disk")
    for box in callers[:3]:
        drawn.append(arrow(box.middle, box.bottom, box.middle, service.top))
    drawn.append(label(callers[0].middle + 10, callers[0].bottom + 27, "HTTP, by one contract"))

    log = Box(2 * EDGE, service.bottom + 34, inner, 52, "log")
    drawn += log.drawn(
        "the evidence log",
        "the only truth: lines that are hashed, in files that only grow; one fdatasync for each batch",
    )
    drawn.append(arrow(ledger.middle, ledger.bottom, log.middle, log.top))
    folds = across(len(FOLDS), 2 * EDGE, inner, log.bottom + 44, 68)
    for box, (name, says) in zip(folds, FOLDS, strict=True):
        drawn += box.drawn(name, says)
        drawn.append(arrow(box.middle, log.bottom, box.middle, box.top))
    drawn.append(label(folds[0].middle + 10, log.bottom + 27, "folds, made again at any time"))
    # What an auditor gets: a file, on no way through the service.
    drawn.append(label(callers[3].left + 12, callers[3].bottom + 27, "a file: events, proofs, signatures"))

    height = folds[0].bottom + EDGE
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
            'aria-label="The map of Assent: callers, the door, the wings, the ledger, the log and its folds">',
            f"<style>{STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            '<path class="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>',
            f'<rect class="ground" width="{WIDTH}" height="{height:g}"/>',
            *drawn,
            "</svg>",
            "",
        ]
    )
