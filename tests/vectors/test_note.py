"""C2SP signed notes and checkpoints: the published key and note, a checkpoint put together by hand, what is none."""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from assent.proof.note import (
    Checkpoint,
    NoteError,
    checkpoint_text,
    key_id,
    read_checkpoint,
    sign_checkpoint,
    verify_checkpoint,
)

# The verifier key, text and signature line of the package golang.org/x/mod/sumdb/note, which signed-note comes from.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SAYING = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
LINE = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
ROOT = sha256(b"root").digest()
AT = datetime(2026, 11, 21, 9, 8, 7, 654321, tzinfo=UTC)
HEAD = Checkpoint(origin="assent/org_1", size=20852163, root=ROOT, signed_at=AT)
TEXT = "assent/org_1\n20852163\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\nsigned_at 2026-11-21T09:08:07.654321Z\n"


def test_the_published_key_id() -> None:
    name, published, encoded = PETER.split("+", 2)
    algorithm, public = b64decode(encoded)[:1], b64decode(encoded)[1:]
    assert algorithm == b"\x01"
    assert key_id(name, Ed25519PublicKey.from_public_bytes(public)).hex() == published
    # What is signed in the published note is its text, and its line begins with that id.
    signed = b64decode(LINE.split(" ")[2])
    assert signed[:4].hex() == published
    Ed25519PublicKey.from_public_bytes(public).verify(signed[4:], SAYING.encode())


def by_hand(text: str, name: str, key: Ed25519PrivateKey) -> str:
    """A note as the specification says it, without our code."""
    identity = sha256(name.encode() + bytes([0x0A, 0x01]) + key.public_key().public_bytes_raw()).digest()[:4]
    return f"{text}\n\u2014 {name} {b64encode(identity + key.sign(text.encode())).decode()}\n"


def test_a_checkpoint_put_together_by_hand() -> None:
    assert b64encode(ROOT).decode() in TEXT
    assert checkpoint_text(HEAD) == TEXT
    note = by_hand(TEXT, "assent/org_1", KEY)
    assert sign_checkpoint(HEAD, KEY) == note
    assert verify_checkpoint(note, KEY.public_key()) == HEAD
    assert read_checkpoint(note) == (HEAD, key_id("assent/org_1", KEY.public_key()), KEY.sign(TEXT.encode()))


def test_the_time_is_utc_whatever_zone_it_was_given_in() -> None:
    there = msgspec.structs.replace(HEAD, signed_at=AT.astimezone(timezone(timedelta(hours=-11))))
    assert checkpoint_text(there) == TEXT
    whole = msgspec.structs.replace(HEAD, signed_at=AT.replace(microsecond=0))
    assert "signed_at 2026-11-21T09:08:07.000000Z\n" in checkpoint_text(whole)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"origin": ""}, "the origin"),
        ({"origin": "a b"}, "the origin"),
        ({"origin": "a+b"}, "the origin"),
        ({"origin": "a\n"}, "the origin"),
        ({"origin": "ü"}, "the origin"),
        ({"origin": "a" * 257}, "the origin"),
        ({"size": -1}, "-1 leaves"),
        ({"size": 2**53}, "leaves"),
        ({"root": ROOT[:31]}, "31 bytes"),
        ({"signed_at": AT.replace(tzinfo=None)}, "no zone"),
    ],
)
def test_what_no_checkpoint_can_hold(changed: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        sign_checkpoint(msgspec.structs.replace(HEAD, **changed), KEY)


ROOT64 = TEXT.split("\n")[2]
ALTERED = {
    "no extension line": TEXT.replace("signed_at 2026-11-21T09:08:07.654321Z\n", ""),
    "two extension lines": TEXT + "more 1\n",
    "another extension line": TEXT.replace("signed_at", "made_at"),
    "the time without microseconds": TEXT.replace(".654321", ""),
    "the time with an offset": TEXT.replace("Z\n", "+00:00\n"),
    "a time that is none": TEXT.replace("2026-11-21", "2026-02-30"),
    "an hour that is none": TEXT.replace("T09", "T24"),
    "a size with a zero in front": TEXT.replace("\n2085", "\n02085"),
    "a size with a sign": TEXT.replace("\n2085", "\n+2085"),
    "a size in other digits": TEXT.replace("20852163", "２０８５"),
    "a size beyond all": TEXT.replace("20852163", "9" * 19),
    "a root without padding": TEXT.replace("=\n", "\n"),
    "a root in another spelling": TEXT.replace("7I=", "7J="),
    "a root of 33 bytes": TEXT.replace(ROOT64, b64encode(bytes(33)).decode()),
    "a root of no bytes": TEXT.replace(ROOT64, ""),
    "carriage returns": TEXT.replace("\n", "\r\n"),
    "a space at the end of a line": TEXT.replace("\n20", " \n20"),
    "an empty line": TEXT.replace("\n20", "\n\n20"),
    "nothing": "",
}


@pytest.mark.parametrize("text", ALTERED.values(), ids=ALTERED)
def test_other_forms_are_refused_however_well_they_are_signed(text: str) -> None:
    with pytest.raises(NoteError):
        verify_checkpoint(by_hand(text, "assent/org_1", KEY), KEY.public_key())


GOOD = sign_checkpoint(HEAD, KEY)
SIGNATURE_LINE = GOOD.split("\n\n")[1]


@pytest.mark.parametrize(
    "note",
    [
        GOOD + SIGNATURE_LINE,
        GOOD + by_hand(TEXT, "witness", OTHER).split("\n\n")[1],
        GOOD[:-1],
        GOOD + "\n",
        " " + GOOD,
        TEXT,
        TEXT + "\n",
        GOOD.replace("—", "-"),
        GOOD.replace("—", "–"),
        GOOD.replace("— ", "—"),
        GOOD.replace("— assent/org_1 ", "— assent/org_2 "),
        by_hand(TEXT, "assent/org_2", KEY),
        by_hand(TEXT, "assent/org_1", OTHER),
        f"{TEXT}\n— assent/org_1 {b64encode(key_id('assent/org_1', KEY.public_key())).decode()}\n",
        f"{TEXT}\n— assent/org_1 {b64encode(key_id('assent/org_1', KEY.public_key()) + bytes(64)).decode()}\n",
        GOOD.replace("Z\n\n", "Z\n \n"),
        "",
    ],
)
def test_other_signatures_are_refused(note: str) -> None:
    with pytest.raises(NoteError):
        verify_checkpoint(note, KEY.public_key())


heads = st.builds(
    Checkpoint,
    origin=st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, blacklist_characters="+"), min_size=1),
    size=st.integers(0, 2**53 - 1),
    root=st.binary(min_size=32, max_size=32),
    signed_at=st.datetimes(timezones=st.just(UTC)),
)


@given(heads)
def test_every_head_comes_back_as_it_was(head: Checkpoint) -> None:
    assert verify_checkpoint(sign_checkpoint(head, KEY), KEY.public_key()) == head


@given(st.integers(0, len(GOOD)), st.characters() | st.sampled_from(GOOD), st.sampled_from(["change", "insert", "cut"]))
def test_no_character_of_a_note_can_be_changed(at: int, new: str, how: str) -> None:
    changed = GOOD[:at] + ("" if how == "cut" else new) + GOOD[at + (how != "insert") :]
    if changed != GOOD:
        with pytest.raises(NoteError):
            verify_checkpoint(changed, KEY.public_key())
