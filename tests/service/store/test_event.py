"""The stored line: worked out by hand, checked byte by byte, and what it refuses."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_service.store.event import Draft, Event, LineError, check, decode, encode
from tests.service.store.logbook import draft

SALT = bytes(range(16))
PAYLOAD = b'{"goal":"say caf\xc3\xa9"}'


def by_hand(action: str | None = "act_9") -> tuple[bytes, bytes]:
    """The line and header that the format asks for, put together from text and hashlib alone."""
    digest = hashlib.sha256(SALT + PAYLOAD).hexdigest()
    linked = f'"action":"{action}",' if action else ""
    header = (
        f'{{{linked}"actor":"key_7","body_digest":"sha256:{digest}","n":3,"org":"org_a",'
        '"subject":"apr_1","ts":1700000000000001,"type":"approval.decided","v":1}'
    ).encode()
    leaf = hashlib.sha256(b"\x00" + header).hexdigest().encode()
    body = b'{"salt":"000102030405060708090a0b0c0d0e0f","data":' + PAYLOAD + b"}"
    return b"12 10+4 " + leaf + b" " + header + b" " + body + b"\n", header


def encoded(action: str | None = "act_9") -> bytes:
    what = Draft("org_a", "approval.decided", 1_700_000_000_000_001, "apr_1", "key_7", PAYLOAD, action)
    check(what)
    event, line = encode(what, seq=12, batch=10, n=3, salt=SALT, segment=1, offset=777, batch_size=4)
    assert event == decode(line, segment=1, offset=777)
    return line


@pytest.mark.parametrize("action", ["act_9", None])
def test_a_line_is_what_the_format_says(action: str | None) -> None:
    line, _ = by_hand(action)
    assert encoded(action) == line


def test_every_field_comes_back() -> None:
    line, header = by_hand()
    event = decode(line, segment=1, offset=777)
    assert (event.seq, event.batch, event.batch_size) == (12, 10, 4)
    assert (event.n, event.org, event.type) == (3, "org_a", "approval.decided")
    assert (event.ts, event.subject, event.action, event.actor) == (1_700_000_000_000_001, "apr_1", "act_9", "key_7")
    assert (event.segment, event.offset, event.length) == (1, 777, len(line))
    assert event.header == header
    assert event.leaf_hash == hashlib.sha256(b"\x00" + header).digest()
    assert event.data == PAYLOAD
    assert not event.erased


def test_a_header_without_an_action_has_no_such_member() -> None:
    line, _ = by_hand(None)
    assert decode(line, 1, 0).action is None
    assert b'"action"' not in line


@pytest.mark.parametrize("n", [0, 1, 10**6, 2**53 - 1])
def test_the_header_is_canonical_json(n: int) -> None:
    # For members whose names and strings are plain ASCII and whose numbers are safe integers, RFC 8785 is:
    # sorted by name, no white space, nothing escaped. Python's own encoder makes that independently.
    event, _ = encode(draft(action="a.b:c-d_E"), 1, 1, n, SALT, 1, 0)
    value = json.loads(event.header)
    assert event.header == json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    assert list(value) == ["action", "actor", "body_digest", "n", "org", "subject", "ts", "type", "v"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(
    value=st.dictionaries(st.text(), json_values, max_size=5),
    salt=st.binary(min_size=16, max_size=16),
    ascii=st.booleans(),
)
def test_any_payload_comes_back_byte_for_byte(value: dict[str, object], salt: bytes, ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii, separators=(",", ":"))
    payload = text.encode("utf-8", "surrogatepass")
    what = Draft("o", "t", 0, "s", "a", payload)
    check(what)
    event, line = encode(what, 1, 1, 0, salt, 1, 0)
    assert line.count(b"\n") == 1
    back = decode(line, 1, 0)
    assert back == event
    assert back.data == payload
    assert back.body == b'{"salt":"' + salt.hex().encode() + b'","data":' + payload + b"}"


@pytest.mark.parametrize("text", ["\u2028", "\u2029", "\x85", "\x0b\x0c\x1c", "a b  c", "\U0001f600"])
def test_what_other_programs_call_a_line_break_is_not_one(text: str) -> None:
    payload = json.dumps({"goal": text}, ensure_ascii=False).encode()
    event, line = encode(Draft("o", "t", 0, "s", "a", payload), 1, 1, 0, SALT, 1, 0)
    assert decode(line, 1, 0).data == payload == event.data


def erase(line: bytes) -> bytes:
    seq, batch, leaf, header, body = line[:-1].split(b" ", 4)
    return b" ".join((seq, batch, leaf, header, b" " * len(body))) + b"\n"


def test_an_erased_line_reads_and_its_leaf_still_verifies() -> None:
    line, header = by_hand()
    event = decode(erase(line), 1, 0)
    assert event.erased
    assert event.data is None
    assert event.length == len(line)
    assert event.leaf_hash == hashlib.sha256(b"\x00" + header).digest()


def test_a_line_erased_but_for_one_byte_is_refused() -> None:
    line = erase(by_hand()[0])
    for at in range(line.rindex(b"}") + 2, len(line) - 1):
        with pytest.raises(LineError):
            decode(line[:at] + b"x" + line[at + 1 :], 1, 0)


def test_every_other_byte_in_every_place_after_the_numbers_is_refused() -> None:
    line = by_hand()[0]
    for at in range(len(b"12 10+4"), len(line)):
        for bit in range(8):
            flipped = line[:at] + bytes([line[at] ^ 1 << bit]) + line[at + 1 :]
            with pytest.raises(LineError):
                decode(flipped, 1, 0)


def numbered(seq: bytes, batch: bytes) -> Event:
    return decode(seq + b" " + batch + b" " + by_hand()[0].split(b" ", 2)[2], 1, 0)


NOT_NUMBERS = [b"", b"0", b"012", b"-1", b"1_2", b"\xd9\xa1", b"1" * 19, b"1" * 5000, b"1.0", b"1e3", b"0x1", b"1\t"]


@pytest.mark.parametrize("number", NOT_NUMBERS)
def test_a_number_is_plain_decimal_from_one(number: bytes) -> None:
    with pytest.raises(LineError, match=r"^seq: expected a decimal number from 1, of at most 18 digits, found"):
        numbered(number, b"10+4")
    with pytest.raises(LineError, match=r"^batch: expected a decimal number from 1, of at most 18 digits, found"):
        numbered(b"12", number + b"+4")
    with pytest.raises(LineError, match=r"^count of the batch: expected a decimal number from 1, of at most 18 digits"):
        numbered(b"12", b"10+" + number)


@pytest.mark.parametrize(
    "batch", [b"10", b"10+", b"+4", b"+", b"10++4", b"10+4+1", b"+10+4", b"10-4", b"10+04", b"10+0"]
)
def test_a_batch_is_two_numbers_joined_by_a_plus(batch: bytes) -> None:
    with pytest.raises(LineError, match="batch"):
        numbered(b"12", batch)


@pytest.mark.parametrize("seq", [1, 9, 14, 15, 100, 10**18 - 1])
def test_a_batch_that_does_not_hold_the_line_is_refused(seq: int) -> None:
    with pytest.raises(LineError, match=rf"^batch: expected one that holds event {seq}, found 10\+4$"):
        numbered(b"%d" % seq, b"10+4")


@pytest.mark.parametrize("seq", [10, 11, 12, 13])
def test_a_batch_holds_as_many_lines_as_it_says(seq: int) -> None:
    assert numbered(b"%d" % seq, b"10+4").seq == seq


def test_the_largest_numbers_are_read() -> None:
    most = 10**18 - 1
    event = numbered(b"%d" % most, b"1+%d" % most)
    assert (event.seq, event.batch, event.batch_size) == (most, 1, most)


def test_upper_case_hex_is_refused_although_it_is_the_same_salt() -> None:
    line = by_hand()[0]
    at = line.index(b"0a0b")
    with pytest.raises(LineError, match="salt: expected 32 lowercase hex digits"):
        decode(line[:at] + b"0A" + line[at + 2 :], 1, 0)


def test_a_header_of_another_version_is_refused_even_with_its_right_hash() -> None:
    _, header = by_hand()
    other = header.replace(b'"v":1', b'"v":2')
    leaf = hashlib.sha256(b"\x00" + other).hexdigest().encode()
    with pytest.raises(LineError, match="header: expected the members of an event header, version 1"):
        decode(b"12 10+4 " + leaf + b" " + other + b" {}\n", 1, 0)


def test_a_cut_line_is_refused_wherever_it_is_cut() -> None:
    line = by_hand()[0]
    for end in range(len(line)):
        with pytest.raises(LineError):
            decode(line[:end], 1, 0)


GOOD = {"org": "org_a", "type": "t", "ts": 5, "subject": "s", "actor": "system", "data": b"{}", "action": None}


@pytest.mark.parametrize("field", ["org", "type", "subject", "actor", "action"])
@pytest.mark.parametrize("value", ["", "a b", "a|b", "a\n", "ä", "x" * 161, '"', "a\x00", 5, b"org"])
def test_a_name_that_cannot_be_in_a_header_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"event {field} must be 1 to 160 characters of A-Z a-z 0-9 _ . : -"):
        check(Draft(**{**GOOD, field: value}))  # type: ignore[arg-type]  # wrong types are what is tested


@pytest.mark.parametrize("field", ["org", "type", "subject", "actor"])
def test_a_missing_name_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match=f"event {field} must be"):
        check(Draft(**{**GOOD, field: None}))  # type: ignore[arg-type]  # wrong types are what is tested


@pytest.mark.parametrize("value", ["a", "x" * 160, "AZaz09_.:-"])
def test_a_name_of_the_allowed_characters_passes(value: str) -> None:
    check(Draft(value, value, 0, value, value, b"{}", value))


@pytest.mark.parametrize("ts", [-1, 2**53, 1.0, True, "5", None])
def test_a_time_that_is_not_whole_microseconds_is_refused(ts: object) -> None:
    with pytest.raises(ValueError, match="event ts must be whole microseconds"):
        check(Draft(**{**GOOD, "ts": ts}))  # type: ignore[arg-type]  # wrong types are what is tested


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"a":\n1}', b" {}", b"{}\n", "{}", bytearray(b"{}"), None])
def test_data_that_is_not_one_object_on_one_line_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match="event data must be one JSON object on one line"):
        check(Draft(**{**GOOD, "data": data}))  # type: ignore[arg-type]  # wrong types are what is tested
