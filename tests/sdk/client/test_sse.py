"""The parser against the standard: its own examples, every line end, every way to split, and a rendering of our own."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.client import sse
from assent.client.sse import Parser, ServerSentEvent, StreamTooLargeError

Seen = tuple[str, str, str, int | None]


def parse(*chunks: bytes) -> list[Seen]:
    parser = Parser()
    messages = [message for chunk in chunks for message in parser.feed(chunk)]
    return [(m.event, m.data, m.id, m.retry) for m in messages]


CASES: list[tuple[str, bytes, list[Seen]]] = [
    # The first five are the examples of the standard, section 9.2.6.
    (
        "three events",
        b"data: This is the first message.\n\ndata: This is the second message, it\ndata: has two lines.\n\n"
        b"data: This is the third message.\n\n",
        [
            ("message", "This is the first message.", "", None),
            ("message", "This is the second message, it\nhas two lines.", "", None),
            ("message", "This is the third message.", "", None),
        ],
    ),
    ("stock ticker", b"data: YHOO\ndata: +2\ndata: 10\n\n", [("message", "YHOO\n+2\n10", "", None)]),
    (
        "comment, ids, id without a value, leading space, unfinished block",
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        [
            ("message", "first event", "1", None),
            ("message", "second event", "", None),
            ("message", " third event", "", None),
        ],
    ),
    ("data without a value", b"data\n\ndata\ndata\n\ndata:", [("message", "", "", None), ("message", "\n", "", None)]),
    ("one space is taken away", b"data:test\n\ndata: test\n\n", [("message", "test", "", None)] * 2),
    (
        "named",
        b"event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n",
        [("add", "73857293", "", None), ("remove", "2153", "", None)],
    ),
    (
        "the name does not stay",
        b"event: add\ndata: 1\n\ndata: 2\n\n",
        [("add", "1", "", None), ("message", "2", "", None)],
    ),
    ("the id stays", b"id: 7\ndata: 1\n\ndata: 2\n\n", [("message", "1", "7", None), ("message", "2", "7", None)]),
    ("an id without data counts for the next", b"id: 7\n\ndata: 2\n\n", [("message", "2", "7", None)]),
    ("a name without data is dropped", b"event: add\n\ndata: 2\n\n", [("message", "2", "", None)]),
    ("an id with NUL is ignored", b"id: 7\nid: 8\0\ndata: 1\n\n", [("message", "1", "7", None)]),
    ("retry", b"retry: 2500\ndata: 1\n\n", [("message", "1", "", 2500)]),
    (
        "retry that is no number",
        b"retry: 25s\nretry: -1\nretry: \xc2\xb2\nretry:\ndata: 1\n\n",
        [("message", "1", "", None)],
    ),
    ("retry beyond reason", b"retry: 3000\nretry: 99999999999999\ndata: 1\n\n", [("message", "1", "", 3000)]),
    ("unknown fields", b"foo: bar\nDATA: x\n data: y\ndata : z\ndata: 1\n\n", [("message", "1", "", None)]),
    ("colons in the value", b"data: a: b:c\n\n", [("message", "a: b:c", "", None)]),
    ("byte order mark", b"\xef\xbb\xbfdata: 1\n\n", [("message", "1", "", None)]),
    ("only the first mark is one", b"\xef\xbb\xbf\xef\xbb\xbfdata: 1\n\ndata: 2\n\n", [("message", "2", "", None)]),
    ("no UTF-8", b"data: a\xff\xc3\n\n", [("message", "a\ufffd\ufffd", "", None)]),
    ("CR alone", b"data: 1\r\rdata: 2\r\r", [("message", "1", "", None), ("message", "2", "", None)]),
    ("CRLF", b"data: 1\r\n\r\ndata: 2\r\n\r\n", [("message", "1", "", None), ("message", "2", "", None)]),
    ("mixed", b"data: 1\r\ndata: 2\rdata: 3\n\r\n", [("message", "1\n2\n3", "", None)]),
    ("LF CR is two", b"data: 1\n\rdata: 2\n\n", [("message", "1", "", None), ("message", "2", "", None)]),
    ("heartbeats", b": heartbeat\n\n: heartbeat\n\n", []),
    (
        "other line ends of Unicode are letters",
        "data: a\u2028b\x0bc\x85\n\n".encode(),
        [("message", "a\u2028b\x0bc\x85", "", None)],
    ),
    ("nothing", b"", []),
]


@pytest.mark.parametrize(("name", "stream", "expected"), CASES, ids=[case[0] for case in CASES])
def test_a_stream_is_read_as_the_standard_says(name: str, stream: bytes, expected: list[Seen]) -> None:
    assert parse(stream) == expected


@pytest.mark.parametrize(("name", "stream", "expected"), CASES, ids=[case[0] for case in CASES])
def test_byte_by_byte_is_the_same(name: str, stream: bytes, expected: list[Seen]) -> None:
    assert parse(*(stream[at : at + 1] for at in range(len(stream)))) == expected


TOKENS = [
    b"data",
    b"id",
    b"event",
    b"retry",
    b":",
    b" ",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"1",
    b"x",
    b"\0",
    b"\xef\xbb\xbf",
]
soup = st.lists(st.sampled_from(TOKENS) | st.binary(min_size=1, max_size=3), max_size=60).map(b"".join)


@given(stream=soup, cuts=st.lists(st.integers(0, 200), max_size=20))
def test_any_split_is_the_same(stream: bytes, cuts: list[int]) -> None:
    at = sorted({0, len(stream), *(min(cut, len(stream)) for cut in cuts)})
    whole = parse(stream)
    assert parse(*(stream[a:b] for a, b in pairwise(at))) == whole
    assert parse(*(stream[i : i + 1] for i in range(len(stream)))) == whole


texts = st.text(st.characters(blacklist_characters="\r\n\0", blacklist_categories=["Cs"]), max_size=12)
names = texts.filter(bool)


@given(
    events=st.lists(st.tuples(names, st.lists(texts, min_size=1, max_size=4), texts), max_size=8),
    end=st.sampled_from([b"\n", b"\r", b"\r\n"]),
)
def test_what_was_written_is_read(events: list[tuple[str, list[str], str]], end: bytes) -> None:
    stream = b""
    for name, lines, number in events:
        stream += b": a comment" + end + b"event: " + name.encode() + end + b"id: " + number.encode() + end
        stream += b"".join(b"data: " + line.encode() + end for line in lines) + end
    assert parse(stream) == [(name, "\n".join(lines), number, None) for name, lines, number in events]


def test_an_event_ends_without_waiting_for_what_follows_its_last_cr() -> None:
    parser = Parser()
    assert parser.feed(b"data: 1\r") == []
    assert parser.feed(b"\r") == [ServerSentEvent(event="message", data="1", id="", retry=None)]
    assert parser.feed(b"\n") == []


@pytest.mark.parametrize("chunk", [b"x" * 1000, b"data: " + b"x" * 500 + b"\n"])
def test_an_event_without_end_is_given_up(chunk: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT", 10_000)
    parser = Parser()
    for _ in range(9_000 // len(chunk)):
        parser.feed(chunk)
    with pytest.raises(StreamTooLargeError, match="10000 bytes"):
        parser.feed(chunk * 3)


def test_many_small_events_are_not_one_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT", 1000)
    parser = Parser()
    assert sum(len(parser.feed(b"data: " + b"x" * 100 + b"\n\n")) for _ in range(100)) == 100
