"""Reading a bundle that may be anything: exactly the members of `svc.proof.v1`, each of its type, and nothing else.

Before anything is parsed its size is looked at, and before anything is checked the number of its events, hashes, heads,
keys and values; so a hostile bundle costs little more than reading it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec
from msgspec import Struct

from assent.contract.evidence.proofs import BUNDLE_LIMIT, SCHEMA, ProofBundle, ProofKind
from assent.contract.prepared import prepared
from assent.proof.canonical import CanonicalError, canonical
from assent.proof.strict import StrictError, exceeds, read_json

MAX_EVENTS = 10_000
MAX_HASHES = 64
"""Of one path: a tree of 2^53 leaves needs 53, a step of consistency one more."""
MAX_STEPS = 64
MAX_KEYS = 64
MAX_POLICIES = 10_000
MAX_VALUES = 500_000
"""JSON values in all policies together; they are the only free content outside texts."""
MAX_PARTS = 1_000_000
"""Commas, brackets and braces outside texts (`assent.proof.strict`)."""
MAX_CONTENT = 4_000_000
"""The same in the bodies of all events together. Agents write those."""
MAX_SIGNED = 500_000
"""The same in the signed payload."""
MAX_TEXT = 8 * 1024 * 1024
"""Characters of a header, a body or the signed payload."""


class Read(Struct, frozen=True):
    """A bundle as a struct, and as the JSON value that it was read from."""

    bundle: ProofBundle
    value: dict[str, Any]


class ReadingError(ValueError):
    """What cannot be read as a bundle; the message says what and where. `expected` and `found` where two values were
    compared; `value` is what was read, as far as it is an object."""

    def __init__(
        self,
        message: str,
        expected: str | None = None,
        found: str | None = None,
        value: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.expected, self.found, self.value = expected, found, value or {}


def read_bundle(given: bytes | str | Mapping[str, Any] | ProofBundle) -> Read:
    """Raises ReadingError."""
    value = _value(given)
    if not isinstance(value, dict):
        raise ReadingError(f"a bundle is a JSON object, this is a {type(value).__name__}")
    members = cast("dict[str, Any]", value)
    if members.get("schema") != SCHEMA:
        found = repr(members.get("schema"))[:80]
        raise ReadingError(f"its schema is {found}; this program reads {SCHEMA}", SCHEMA, found, members)
    try:
        bundle = msgspec.convert(members, prepared(ProofBundle))
    except msgspec.ValidationError as error:
        raise ReadingError(str(error)[:400], value=members) from None
    unknown = _unknown(members, msgspec.to_builtins(bundle), "$")
    if unknown is not None:
        raise ReadingError(f"{unknown[:200]} is not a member that a bundle has", value=members)
    wrong = _bounded(bundle) or _kind(bundle)
    if wrong is not None:
        raise ReadingError(wrong, value=members)
    return Read(bundle, members)


def read_value(given: bytes | str) -> object:
    """The JSON value of a text that may be anything. Raises ReadingError."""
    if len(given) > BUNDLE_LIMIT:
        raise ReadingError(f"it has more than {BUNDLE_LIMIT} bytes; no more are read")
    if exceeds([given], MAX_PARTS):
        raise ReadingError(f"it has more than {MAX_PARTS} values; no bundle has so many")
    try:
        return read_json(given)
    except StrictError as error:
        raise ReadingError(str(error)[:400]) from None


def _value(given: bytes | str | Mapping[str, Any] | ProofBundle) -> object:
    if isinstance(given, bytes | str):
        return read_value(given)
    value: object = msgspec.to_builtins(given) if isinstance(given, ProofBundle) else given
    if isinstance(value, Mapping) and not isinstance(value, dict):
        value = dict(cast("Mapping[str, Any]", value))
    try:
        size = len(canonical(value))
    except CanonicalError as error:
        raise ReadingError(f"it is no JSON value: {str(error)[:400]}") from None
    if size > BUNDLE_LIMIT:
        raise ReadingError(f"it has {size} bytes; at most {BUNDLE_LIMIT} are read")
    return value


def _unknown(given: object, known: object, path: str) -> str | None:
    """The path of the first member of `given` that `known` lacks; conversion passes over those."""
    if isinstance(given, dict) and isinstance(known, dict):
        for name, value in given.items():
            if name not in known:
                return f"{path}.{name}"
            found = _unknown(value, known[name], f"{path}.{name}")
            if found is not None:
                return found
    elif isinstance(given, list | tuple) and isinstance(known, list):
        for at, value in enumerate(given):
            found = _unknown(value, known[at], f"{path}[{at}]")
            if found is not None:
                return found
    return None


def _bounded(bundle: ProofBundle) -> str | None:
    for name, count, most in (
        ("events", len(bundle.events), MAX_EVENTS),
        ("policies", len(bundle.policies or ()), MAX_POLICIES),
        ("consistency", len(bundle.consistency), MAX_STEPS),
        ("keys", len(bundle.keys), MAX_KEYS),
        ("attestation.signatures", len(bundle.attestation.signatures), MAX_KEYS),
    ):
        if count > most:
            return f"$.{name} has {count} entries; at most {most} are read"
    texts = [bundle.attestation.payload, *(text for each in bundle.events for text in (each.header, each.body or ""))]
    longest_text = max(map(len, texts))
    if longest_text > MAX_TEXT:
        return f"a text has {longest_text} characters; at most {MAX_TEXT} are read"
    if exceeds([each.body for each in bundle.events if each.body is not None], MAX_CONTENT):
        return f"the bodies of its events hold more than {MAX_CONTENT} values; no more are read"
    if _count(bundle.policies, MAX_VALUES) > MAX_VALUES:
        return f"$.policies holds more than {MAX_VALUES} values"
    hashes = max((len(event.inclusion) for event in bundle.events), default=0)
    longest = max(hashes, max((len(step.hashes) for step in bundle.consistency), default=0))
    return f"a path has {longest} hashes; no log is that large" if longest > MAX_HASHES else None


def _count(value: object, most: int) -> int:
    """How many values there are in `value`, itself included; counting ends soon after `most`."""
    waiting, count = [value], 0
    while waiting and count <= most:
        count += 1
        found = waiting.pop()
        if isinstance(found, dict):
            waiting += cast("dict[str, object]", found).values()
        elif isinstance(found, list):
            waiting += cast("list[object]", found)
    return count


def _kind(bundle: ProofBundle) -> str | None:
    """An action's bundle has the action and its events, an organization's has neither."""
    if bundle.kind is ProofKind.ACTION:
        if bundle.action_id is None:
            return "$.action_id is null in the bundle of an action"
        return None if bundle.events else "$.events is empty in the bundle of an action"
    if bundle.action_id is not None:
        return "$.action_id is not null in the bundle of an organization"
    return "$.events is not empty in the bundle of an organization" if bundle.events else None
