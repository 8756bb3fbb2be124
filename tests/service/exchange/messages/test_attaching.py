"""Which files may be attached, and how they are handed out."""

from __future__ import annotations

import email.message
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assent.contract.exchange.attachments import ATTACHMENT_TYPES, NewAttachment
from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.exchange.messages.attaching import attached, attachment_id, disposition, message_of
from tests.service.exchange.messages.post import file

MOST = 5 * 1024 * 1024
ID = "msg_" + "0" * 32


def new(**members: Any) -> NewAttachment:
    return msgspec.convert(file() | members, NewAttachment)


@given(st.lists(st.binary(min_size=1, max_size=60), min_size=1, max_size=3))
def test_what_is_recorded_is_what_was_given(contents: list[bytes]) -> None:
    records, files = attached([new(**file(each)) for each in contents], ID)
    assert files == contents
    assert [each.size_bytes for each in records] == [len(each) for each in contents]
    assert [each.sha256 for each in records] == [sha256(each).hexdigest() for each in contents]
    assert [message_of(each.id) for each in records] == [ID] * len(contents)
    assert len({each.id for each in records}) == len(contents)


@pytest.mark.parametrize("kind", ATTACHMENT_TYPES)
def test_nine_types_may_be_attached(kind: str) -> None:
    assert len(ATTACHMENT_TYPES) == 9
    ((record,), _) = attached([new(mime_type=kind.upper() + "; charset=utf-8")], ID)
    assert record.mime_type == kind


def test_the_limit_is_five_mebibytes() -> None:
    ((record,), _) = attached([new(data=b64encode(b"x" * MOST).decode())], ID)
    assert record.size_bytes == MOST


# "YQ==" is "a"; "YR==" would decode to the same byte.
@pytest.mark.parametrize(
    ("members", "place", "says"),
    [
        ({"data": b64encode(b"x" * (MOST + 1)).decode()}, "data", "the most"),
        ({"data": "A" * 8_000_000}, "data", "the most"),
        ({"data": ""}, "data", "empty"),
        ({"data": "YQ"}, "data", "base64"),
        ({"data": "YQ="}, "data", "base64"),
        ({"data": "Y Q=="}, "data", "base64"),
        ({"data": "YQ==\n"}, "data", "base64"),
        ({"data": "YQ==YQ=="}, "data", "base64"),
        ({"data": "YR=="}, "data", "base64"),
        ({"data": "_-8="}, "data", "base64"),
        ({"data": "é"}, "data", "base64"),
        ({"data": "data:text/plain;base64,YQ=="}, "data", "without what stands before"),
        ({"mime_type": "text/html"}, "mime_type", "text/html"),
        ({"mime_type": "image/svg+xml"}, "mime_type", "image/png"),
        ({"mime_type": "application/javascript"}, "mime_type", "application/pdf"),
        ({"mime_type": "png"}, "mime_type", "image/png"),
        ({"filename": "../../etc/passwd"}, "filename", "plain name"),
        ({"filename": "a\\b"}, "filename", "plain name"),
        ({"filename": ".."}, "filename", "plain name"),
        ({"filename": "a\r\nx: y"}, "filename", "plain name"),
        ({"filename": " a"}, "filename", "plain name"),
        ({"filename": "a\u202etxt.exe"}, "filename", "plain name"),
    ],
)
def test_what_may_not_be_attached(members: dict[str, Any], place: str, says: str) -> None:
    with pytest.raises(Refusal) as refusal:
        attached([new(), new(**members)], ID)
    assert refusal.value.code is Code.INVALID_BODY
    assert [each.place for each in refusal.value.errors] == [f"attachments[1].{place}"]
    assert says in refusal.value.detail
    assert len(refusal.value.detail) < 500


@given(st.binary(max_size=20), st.integers(0, 30), st.characters(codec="utf-8"))
def test_only_the_one_way_of_writing_bytes_is_taken(content: bytes, at: int, letter: str) -> None:
    written = b64encode(content).decode()
    changed = written[:at] + letter + written[at + 1 :]
    try:
        _, (taken,) = attached([new(data=changed)], ID)
    except Refusal:
        return
    assert b64encode(taken).decode() == changed
    assert b64decode(changed) == taken


@pytest.mark.parametrize("text", ["", "att_", "att_1", "att_x_", "att_x_y", "msg_x_1", "att_x_²", "x"])
def test_what_is_no_attachments_id(text: str) -> None:
    found = message_of(text)
    assert found is None or attachment_id(found, 0) != text


@given(st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=60))
def test_a_name_arrives_whole_and_breaks_nothing(name: str) -> None:
    assume(name == name.strip())
    header = disposition(name)
    assert header.isascii()
    assert header.isprintable()
    assert header.startswith('attachment; filename="')
    assert header.count('"') == 2
    parts = email.message.Message()
    parts["content-disposition"] = "attachment; " + header.rpartition("; ")[2]
    assert parts.get_filename() == name
