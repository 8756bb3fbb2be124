"""Whatever is handed to `verify`, an answer comes back: bytes, any JSON, and what a signer may have signed."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.evidence.proofs import BundleEvent, CheckStatus, ProofBundle, ProofKind
from assent.contract.evidence.wallet import Jwk, Jwks
from assent.proof.bundle import bundle_id_of
from assent.proof.dsse import PAYLOAD_TYPE, seal, statement_bytes
from assent.proof.jwk import jwk_of
from assent.proof.verify import verify
from tests.tiers import examples
from tests.vectors.recorded import Written, write
from tests.vectors.sealing import FOLDER, JWKS, KEY, Setting, approved, good_bundles

GOOD: dict[str, Any] = json.loads((FOLDER / "action_approved.json").read_bytes())

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | st.sampled_from(list(GOOD)), inner)
    ),
    max_leaves=8,
)


@examples(2)
@given(st.binary(max_size=200) | st.text(max_size=200) | anything)
def test_whatever_it_is(given_: Any) -> None:
    found = verify(given_, keys=JWKS, since="x")
    assert not found.ok
    assert found.checks[0].name == "schema"
    assert found.checks[0].status is CheckStatus.FAIL


@examples(2)
@given(st.dictionaries(st.sampled_from(list(GOOD)), anything, min_size=1, max_size=3))
def test_a_bundle_with_other_members(members: dict[str, Any]) -> None:
    found = verify(GOOD | members, keys=JWKS)
    assert isinstance(found.ok, bool)
    msgspec.json.encode(found)


def test_what_holds_itself() -> None:
    inside: dict[str, Any] = dict(GOOD)
    inside["policies"] = [inside]
    assert not verify(inside).ok
    endless: list[Any] = []
    endless.append(endless)
    assert not verify(GOOD | {"policies": endless}).ok


jwk_text = st.sampled_from(
    ["OKP", "EC", "Ed25519", "Ed448", "", "é", "\ud800", KEY.public_key().public_bytes_raw().hex()]
)


@given(st.lists(st.builds(Jwk, kty=jwk_text, crv=jwk_text, x=jwk_text, kid=jwk_text), max_size=3))
def test_any_key_set(keys: list[Jwk]) -> None:
    found = verify(GOOD, keys=Jwks(keys=[*keys]))
    assert not found.ok


# What a signer may sign: rows with members of any type


@examples(2)
@given(
    st.integers(0, 12),
    st.integers(0, 60),
    anything.filter(lambda value: _plain(value)),
)
def test_rows_with_members_of_any_type(place: int, member: int, value: Any) -> None:
    events = approved()
    old = events[place]
    header = json.loads(old.header)
    data = json.loads(old.body or "")["data"]
    name = sorted(data)[member % len(data)]
    data[name] = value
    if isinstance(value, dict):
        data |= value
    changed = write(
        old.n, header["type"], header["subject"], data, action=header.get("action"), minutes=0, actor=header["actor"]
    )
    found = verify(_sealed([*events[:place], changed, *events[place + 1 :]]), keys=JWKS)
    statuses = {check.name.value: check.status for check in found.checks}
    assert statuses["signature"] is CheckStatus.PASS
    msgspec.json.encode(found)


def _plain(value: Any) -> bool:
    """Whether the log could hold it."""
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        return False
    return True


@cache
def _good() -> tuple[ProofBundle, dict[str, Any]]:
    certificate = verify(GOOD).certificate
    assert certificate is not None
    return good_bundles()["action_approved"], certificate


def _sealed(events: list[Written]) -> Any:
    """The events under the good bundle's certificate, signed."""
    setting = Setting(events)
    grove = setting.grove()
    good, certificate = _good()
    note = setting.note(200, KEY, setting.signed_at)
    signed = statement_bytes(ProofKind.ACTION, "act_1", good.digest, certificate)
    bundle = msgspec.structs.replace(
        good,
        checkpoint=note,
        attestation=seal(signed, PAYLOAD_TYPE, jwk_of(KEY.public_key()).kid, KEY),
        events=[
            BundleEvent(header=event.header, body=event.body, inclusion=grove.inclusion(event.n, 200))
            for event in events
        ],
    )
    return msgspec.structs.replace(bundle, bundle_id=bundle_id_of(bundle))


@pytest.mark.parametrize("count", [10_001])
def test_too_many_of_anything(count: int) -> None:
    event = GOOD["events"][0]
    many = {
        "events": [event] * count,
        "policies": [{}] * count,
        "keys": [GOOD["keys"][0]] * count,
        "consistency": [{"checkpoint": "", "hashes": []}] * count,
    }
    for name, value in many.items():
        found = verify(GOOD | {name: value})
        assert [check.name for check in found.checks] == ["schema"]
        assert f"$.{name} has {count} entries" in found.checks[0].detail
    free = verify(GOOD | {"policies": [{"a": [0.5] * 500_000}]})
    assert "$.policies holds more than 500000 values" in free.checks[0].detail
    for large in (
        {"events": [event | {"body": "x" * (8 << 20 | 1)}]},
        {"attestation": GOOD["attestation"] | {"payload": "A" * (8 << 20 | 1)}},
    ):
        assert "a text has 8388609 characters" in verify(GOOD | large).checks[0].detail
    long = GOOD | {"events": [event | {"inclusion": ["0" * 64] * 65}]}
    assert "65 hashes" in verify(long).checks[0].detail
