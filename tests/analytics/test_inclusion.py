"""The tree that proves some events, against one that is built whole."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.charts import inclusion_tree
from assent_analytics.inclusion import COMPUTED, EVENT, GIVEN, ROOT, Leaf, proving_tree


def leaf(n: int) -> bytes:
    return sha256(b"\0event %d" % n).digest()


def whole(start: int, end: int) -> bytes:
    """RFC 9162, section 2.1.1, word for word."""
    if end - start == 1:
        return leaf(start)
    k = 1
    while k * 2 < end - start:
        k *= 2
    return sha256(b"\1" + whole(start, start + k) + whole(start + k, end)).digest()


def path(n: int, start: int, end: int) -> list[str]:
    """RFC 9162, section 2.1.3.1."""
    if end - start == 1:
        return []
    k = 1
    while k * 2 < end - start:
        k *= 2
    middle = start + k
    if n < middle:
        return [*path(n, start, middle), whole(middle, end).hex()]
    return [*path(n, middle, end), whole(start, middle).hex()]


def leaves(size: int, *numbers: int) -> list[Leaf]:
    return [Leaf(n, f"event.{n}", leaf(n).hex(), path(n, 0, size)) for n in numbers]


@given(st.data())
def test_every_node_has_the_hash_of_its_events(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 70))
    numbers = data.draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=6))
    nodes = proving_tree(leaves(size, *numbers), size)
    for node in nodes.iter_rows(named=True):
        assert node["hash"] == whole(node["first"], node["last"] + 1).hex()
        inside = [n for n in numbers if node["first"] <= n <= node["last"]]
        assert (node["kind"] == GIVEN) is (not inside)
        assert node["events"] == node["last"] - node["first"] + 1
    assert sorted(nodes.filter(pl.col("kind") == EVENT)["first"]) == sorted(numbers)


@given(st.data())
def test_each_node_but_the_root_hangs_over_its_parent_and_no_two_lie_on_each_other(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 3000))
    numbers = data.draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=8))
    nodes = proving_tree([Leaf(n, "", "", []) for n in numbers], size)
    assert nodes.select("place", "height").unique().height == nodes.height
    root = nodes.row(-1, named=True)
    assert (root["kind"], root["parent_place"], root["first"], root["last"]) == (ROOT, None, 0, size - 1)
    below = nodes.head(-1)
    assert (below["parent_height"] > below["height"]).all()
    parents = set(nodes.filter(pl.col("kind").is_in([COMPUTED, ROOT])).select("place", "height").iter_rows())
    assert set(below.select("parent_place", "parent_height").iter_rows()) == parents
    assert below.height == 2 * len(parents), "every node that is worked out is made of two"


def test_a_log_of_one_event_is_its_own_root() -> None:
    nodes = proving_tree(leaves(1, 0), 1)
    assert nodes.height == 1
    assert nodes["kind"].to_list() == [EVENT]


def test_a_path_that_is_too_short_gives_no_hash_and_no_root() -> None:
    short = [Leaf(2, "x", leaf(2).hex(), path(2, 0, 8)[:1])]
    nodes = proving_tree(short, 8)
    assert nodes.filter(pl.col("kind") == ROOT)["hash"].to_list() == [None]


@pytest.mark.parametrize(("numbers", "size"), [((), 4), ((4,), 4), ((-1,), 4), ((0,), 0)])
def test_what_is_not_in_the_tree_is_refused(numbers: tuple[int, ...], size: int) -> None:
    with pytest.raises(ValueError, match="does not hold"):
        proving_tree([Leaf(n, "", "", []) for n in numbers], size)


def drawn(size: int, *numbers: int, simulated: bool = False) -> dict[str, Any]:
    chart = inclusion_tree(proving_tree(leaves(size, *numbers), size), simulated=simulated)
    parsed: dict[str, Any] = json.loads(chart.to_json())
    return parsed


def test_the_picture_counts_what_it_shows_and_says_that_it_is_simulated() -> None:
    picture = drawn(16, 4, 5, 6, simulated=True)
    # 4+5 and 6 share their way from the quarter up: given are 7, the left quarter and the right half.
    said = " · ".join(picture["title"]["subtitle"])
    assert said == "n = 3 of 16 events · 3 hashes are enough · simulated"
    assert "simulated" not in json.dumps(drawn(16, 4)["title"])


def test_events_are_numbered_in_the_order_of_the_log() -> None:
    picture = drawn(16, 9, 3)
    texts = [layer for layer in picture["layer"] if layer["mark"].get("fontWeight") == "bold"]
    rows = picture["datasets"][texts[0]["data"]["name"]]
    assert [(row["number"], row["first"]) for row in rows] == [(1, 3), (2, 9)]
