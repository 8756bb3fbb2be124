"""Tampering with a bundle at random, and whether that is found.

A change hits any place of the bundle's JSON value, also inside the texts that hold further JSON or base64: one
character of a text, a number, a type, a member dropped, added, doubled or moved. Then the bundle's id is made right
again, so that it alone finds nothing, and sometimes the digest too.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy
from random import Random
from typing import Any

from assent.contract.evidence.proofs import CheckStatus
from assent.contract.evidence.wallet import Jwks
from assent.proof.bundle import bundle_id_of
from assent.proof.canonical import CanonicalError, canonical, digest
from assent.proof.verify import verify

Value = dict[str, Any]
_HIDDEN = ("header", "body", "payload")
"""Members whose text holds JSON."""
_SPECIMENS: tuple[Any, ...] = (None, True, False, 0, 1, -1, 0.5, 2**53 - 1, "", "x", "é", [], {}, [None], {"a": 1})


def misses(bundles: Sequence[Value], keys: Jwks, trials: int, random: Random) -> list[Value]:
    """The tampered bundles that verified, of so many trials; there should be none."""
    found = []
    for _ in range(trials):
        tampered = tamper(random.choice(bundles), random)
        said = verify(tampered, keys=keys)
        named = [check.name for check in said.checks if check.status is CheckStatus.FAIL]
        if said.ok or not named:
            found.append(tampered)
    return found


def tamper(bundle: Value, random: Random) -> Value:
    """The bundle with one change and another JSON value."""
    before = _form(bundle)
    while True:
        changed = deepcopy(bundle)
        _change(changed, random)
        _repair(changed, random)
        if _form(changed) != before:
            return changed


def _form(value: Value) -> bytes | None:
    """What two equal values have in common; None for what is no JSON value, which equals nothing."""
    try:
        return canonical(value)
    except CanonicalError:
        return None


def _repair(bundle: Value, random: Random) -> None:
    if random.random() < 0.3:
        with suppress(KeyError, TypeError, ValueError):  # where what was changed is on the way there
            payload = b64decode(bundle["attestation"]["payload"])
            bundle["digest"] = digest(json.loads(payload)["predicate"])
    with suppress(CanonicalError):
        bundle["bundle_id"] = bundle_id_of(bundle)


def _places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to everything in the value, itself left out."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = []
    for step, inner in items:
        found += [(*way, step), *_places(inner, (*way, step))]
    return found


def _change(bundle: Value, random: Random) -> None:
    way = random.choice([place for place in _places(bundle) if place != ("bundle_id",)])
    holder: Any = bundle
    for step in way[:-1]:
        holder = holder[step]
    last = way[-1]
    value = holder[last]
    if last in _HIDDEN and isinstance(value, str) and random.random() < 0.6:
        holder[last] = _inside(last, value, random)
    elif random.random() < 0.25:
        _reshape(holder, last, random)
    else:
        holder[last] = _other(value, random)


def _inside(name: str, text: str, random: Random) -> str:
    """The text with its JSON changed."""
    inner = json.loads(b64decode(text) if name == "payload" else text)
    places = _places(inner)
    holder, way = inner, random.choice(places)
    for step in way[:-1]:
        holder = holder[step]
    if random.random() < 0.3:
        _reshape(holder, way[-1], random)
    else:
        holder[way[-1]] = _other(holder[way[-1]], random)
    written = json.dumps(inner, separators=(",", ":"), ensure_ascii=False, sort_keys=name == "payload")
    return b64encode(written.encode("utf-8", "surrogatepass")).decode() if name == "payload" else written


def _reshape(holder: Any, step: Any, random: Random) -> None:
    """A member or an entry dropped, added, doubled or moved."""
    how: list[Callable[[], object]] = [lambda: holder.__delitem__(step)]
    if isinstance(holder, list):
        how += [
            lambda: holder.insert(step, deepcopy(holder[step])),
            lambda: holder.append(random.choice(_SPECIMENS)),
            lambda: random.shuffle(holder),
            lambda: holder.insert(0, holder.pop()),
        ]
    else:
        how += [
            lambda: holder.__setitem__(random.choice(("note", "Schema", "", "é")), random.choice(_SPECIMENS)),
            lambda: holder.__setitem__(step + random.choice(" x_"), holder.pop(step)),
        ]
    random.choice(how)()


def _other(value: Any, random: Random) -> Any:
    """Another value, often a close one."""
    if random.random() < 0.15:
        return random.choice(_SPECIMENS)
    match value:
        case bool():
            return not value
        case int():
            return value + random.choice((1, -1, 256, 2**32))
        case float():
            return value * random.choice((1.0000000001, -1, 2))
        case str():
            return _other_text(value, random)
        case list() | dict():
            return type(value)() if value else [None]
        case _:
            return random.choice(_SPECIMENS)


def _other_text(text: str, random: Random) -> str:
    """One character changed, dropped, doubled, added, or in the other case."""
    if not text:
        return random.choice(("x", " ", "\0"))
    at = random.randrange(len(text))
    char = text[at]
    near = chr(ord(char) ^ 1 << random.randrange(7))
    others = (near, near, near, "", char * 2, char + " ", char.swapcase(), "=", "\n", "\u200b", "\ud800")
    return text[:at] + random.choice(others) + text[at + 1 :]
