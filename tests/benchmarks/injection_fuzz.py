"""The scan of mutated texts: no crash, and none that takes long.

    python -m tests.benchmarks.injection --only fuzz [--inputs 1000000]

Short inputs are made of attacks and benign texts of the test suite, of words of the lexicon, of blocks of Unicode and
of encodings, cut, doubled, turned and nested at random from one seed. What took longest for its length is then said
again and again, up to a megabyte: the growth exponent is the slope of log time over log size, 1 for linear.
"""

from __future__ import annotations

import heapq
import math
import random
import sys
import time
from collections.abc import Callable, Sequence

from assent_analytics.injection import scan
from assent_analytics.injection.rules import Rules
from tests.analytics.injection.attacks import ATTACKS, BENIGN
from tests.analytics.injection.transforms import TRANSFORMS

SEED = 9
LONGEST = 400
FLAT = 200
"""Characters added to each length when a text's cost is divided by it: a scan of nothing costs something."""
WORST = 8
SIZES = (62_500, 250_000, 1_000_000)
BLOCKS = (
    *((0x20, 0x7F), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x530), (0x600, 0x700), (0x900, 0x980), (0x2000, 0x2070)),
    *((0x3040, 0x3100), (0x4E00, 0x5200), (0xAC00, 0xAD00), (0xFF00, 0xFFF0), (0x1D400, 0x1D500), (0xE0020, 0xE0080)),
)
GLUE = ("", " ", "  ", ".", "\n", "%20", "&#32;", "\\u0020", "\u200b", "=", "0", "<|", "[", "]", '"')
STARTS = [text for texts in ATTACKS.values() for text in texts] + list(BENIGN)


def _mutations(draw: random.Random) -> dict[str, Callable[[str], str]]:
    words = sorted(Rules().lexicon.words)

    def block(text: str) -> str:
        low, high = draw.choice(BLOCKS)
        return text + "".join(chr(draw.randrange(low, high)) for _ in range(draw.randrange(1, 40)))

    def change(text: str) -> str:
        chars = list(text)
        for _ in range(draw.randrange(1, 6)):
            low, high = draw.choice(BLOCKS)
            chars[draw.randrange(len(chars))] = chr(draw.randrange(low, high))
        return "".join(chars)

    def cut(text: str) -> str:
        first = draw.randrange(len(text))
        return text[first : first + draw.randrange(1, LONGEST)]

    def encode(text: str) -> str:
        return TRANSFORMS[draw.choice(sorted(TRANSFORMS))](text[: draw.randrange(1, 80)])

    return {
        "block": block,
        "change": change,
        "cut": cut,
        "encode": encode,
        "join": lambda text: text + draw.choice(GLUE) + draw.choice(STARTS),
        "glue": lambda text: draw.choice(GLUE).join(text[:120]),
        "again": lambda text: text[: draw.randrange(1, 30)] * draw.randrange(2, 30),
        "words": lambda text: text + draw.choice(GLUE) + " ".join(draw.choices(words, k=draw.randrange(1, 20))),
    }


def _took(text: str) -> float:
    begun = time.process_time()
    scan(text)
    return time.process_time() - begun


def fuzz(inputs: int) -> None:
    draw = random.Random(SEED)
    mutations = _mutations(draw)
    crashes: list[str] = []
    worst: list[tuple[float, str, str]] = []
    begun = time.monotonic()
    text = ""
    for many in range(inputs):
        if many % 20_000 == 0:
            print(f"{many:,} of {inputs:,}, {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
        kinds = draw.choices(sorted(mutations), k=draw.randrange(1, 4))
        text = draw.choice(STARTS) if many % 3 else text or STARTS[0]
        for kind in kinds:
            text = mutations[kind](text)[:LONGEST] or STARTS[0]
        try:
            cost = _took(text) * 1e6 / (len(text) + FLAT)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for.
            crashes.append(f"{'+'.join(kinds)}: {type(error).__name__}: {error}")
            continue
        if len(worst) < WORST * 4 or cost > worst[0][0]:
            heapq.heappush(worst, (cost, "+".join(kinds), text))
            if len(worst) > WORST * 4:
                heapq.heappop(worst)
    print(f"\n{inputs:,} inputs in {time.monotonic() - begun:.0f} s, {len(crashes)} crashes")
    for crash in crashes[:WORST]:
        print(f"  {crash}")
    # Twice, and the smaller: what else the machine did is not the text's fault.
    again = sorted(
        ((min(_took(text) for _ in range(3)), kind, text) for _, kind, text in worst), key=_each, reverse=True
    )
    print("\n| mutations | characters | us a character (+200) | ms at 1 MB of it | growth exponent |")
    print("|---|---|---|---|---|")
    for took, kind, text in again[:WORST]:
        times = [min(_took((text * (size // len(text) + 1))[:size]) for _ in range(2)) for size in SIZES]
        each = took * 1e6 / (len(text) + FLAT)
        print(f"| {kind} | {len(text)} | {each:.1f} | {times[-1] * 1e3:.0f} | {_slope(times):.2f} |")


def _each(item: tuple[float, str, str]) -> float:
    return item[0] / (len(item[2]) + FLAT)


def _slope(times: Sequence[float]) -> float:
    return math.log(times[-1] / times[0]) / math.log(SIZES[-1] / SIZES[0])
