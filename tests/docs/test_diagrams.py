"""The diagrams can be read: whole SVG, words inside of their boxes, no box on another. Pure."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest

from tests.docs.diagrams import DECISION, HEIGHT, LOG, WIDTH, Diagram

BOTH = pytest.mark.parametrize("diagram", [DECISION, LOG], ids=lambda diagram: diagram.title)
LETTER = {"title": 8.4, "below": 6.3}
"""About how wide a letter is, in the sizes of both lines."""


@BOTH
def test_words_fit_into_their_box(diagram: Diagram) -> None:
    wide = [box.title for box in diagram.boxes if len(box.title) * LETTER["title"] > WIDTH]
    assert wide + [box.below for box in diagram.boxes if len(box.below) * LETTER["below"] > WIDTH] == []


@BOTH
def test_no_box_lies_on_another(diagram: Diagram) -> None:
    for one, other in combinations(diagram.boxes, 2):
        (x, y), (other_x, other_y) = one.middle, other.middle
        assert abs(x - other_x) >= WIDTH or abs(y - other_y) >= HEIGHT, (one.title, other.title)


@BOTH
def test_it_is_an_image_with_a_name_and_all_its_boxes(diagram: Diagram) -> None:
    image = ElementTree.fromstring(diagram.svg())
    assert image.attrib["aria-label"] == diagram.title
    texts = {each.text for each in image.iter("{http://www.w3.org/2000/svg}text")}
    assert {box.title for box in diagram.boxes} | {box.below for box in diagram.boxes} <= texts
    arrows = [each for each in image.iter("{http://www.w3.org/2000/svg}path") if "marker-end" in each.attrib]
    assert len(arrows) == len(diagram.arrows)
