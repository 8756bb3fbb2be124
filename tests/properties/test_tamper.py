"""Whatever is changed in a bundle, verification finds it and names a check."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.properties.tamper import misses, tamper
from tests.tiers import examples
from tests.vectors.sealing import FOLDER, JWKS

BUNDLES: list[dict[str, Any]] = [
    json.loads((FOLDER / f"{name}.json").read_bytes())
    for name in ("action_approved", "action_erased", "action_after_rotation", "action_blocked", "organization")
]


@examples(3)
@given(st.integers(0, 2**64 - 1))
def test_no_change_goes_unnoticed(seed: int) -> None:
    assert misses(BUNDLES, JWKS, 1, Random(seed)) == []


def test_the_changes_reach_every_member() -> None:
    random, bundle = Random(1), BUNDLES[2]
    reached: set[str] = set()
    for _ in range(600):
        tampered = tamper(bundle, random)
        reached |= {name for name in bundle if tampered.get(name) != bundle[name]}
    assert reached == set(bundle)


def test_an_unchanged_bundle_would_be_a_miss() -> None:
    import tests.properties.tamper as tampering

    original = tampering.tamper
    tampering.tamper = lambda bundle, random: bundle
    try:
        assert len(misses(BUNDLES, JWKS, 3, Random(1))) == 3
    finally:
        tampering.tamper = original
