"""Lines and messages: what has one reading, and what has none. Pure."""

from __future__ import annotations

import itertools
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.mcp_proxy import servers
from assent.mcp_proxy.frames import Lines, LongLine, Unreadable, key_of, read, refuse_lookalikes


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=6))
def test_lines_do_not_depend_on_where_the_bytes_are_split(content: bytes, cuts: list[int]) -> None:
    lines = Lines()
    at = [0, *sorted(min(cut, len(content)) for cut in cuts), len(content)]
    found = [line for begin, end in itertools.pairwise(at) for line in lines.feed(content[begin:end])]
    found += lines.end()
    assert found == [line for line in content.split(b"\n") if line.strip()]


def test_a_long_line_is_not_held_and_the_next_one_is_whole() -> None:
    lines = Lines(largest=100)
    assert list(lines.feed(b"x" * 60)) == []
    assert list(lines.feed(b"y" * 60)) == []
    (long, short) = lines.feed(b'z,"id":7}\n{"a":1}\n')
    assert isinstance(long, LongLine)
    assert (long.size, long.id, short) == (129, 7, b'{"a":1}')
    assert list(lines.feed(b"x" * 100 + b"\n")) == [b"x" * 100]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b'{"jsonrpc":"2.0","id":12,"result":{"text":"', 12),
        (b'{"id": "a b", "result":{"text":"', "a b"),
        (b'{"result":{"id":3,"text":""},"jsonrpc":"2.0","id":4}\r', 4),
        (b'{"result" : {"id":3} , "id" : 4 , "jsonrpc" : "2.0"}', 4),
        # Inside of something else it is no id of the message.
        (b'{"result":{"id":3},"jsonrpc":"2.0","x":{"y":1,"id":4}}', None),
        (b'{"result":{"id":3,"text":"', None),
        (b'{"result":"\\",\\"id\\":4}"}', None),
    ],
)
def test_the_id_of_a_long_line_is_at_its_edges(line: bytes, found: object) -> None:
    assert LongLine(10**9, line[:4096], line[-4096:]).id == found


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"no JSON",
        b"7",
        b'"text"',
        b'{"id":1,"id":2}',
        b'{"params":{"name":"safe","name":"wipe"}}',
        b'{"Method":"tools/call"}',
        b'{"method":"ping","METHOD":"tools/call"}',
        '{"re\u017fult":{}}'.encode(),
        b'{"n":NaN}',
        b'{"n":' + b"1" * 5000 + b"}",
        b"\xff{}",
        b"\xef\xbb\xbf{}",
        json.dumps({"a": 1}).encode("utf-16"),
        b"[" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    ],
)
def test_what_can_be_read_in_two_ways_is_not_read(line: bytes) -> None:
    with pytest.raises(Unreadable):
        read(line)


def test_a_message_keeps_members_that_the_protocol_does_not_know() -> None:
    assert read('{"jsonrpc":"2.0","méthode":1,"x":{"Method":2}}'.encode()) == {
        "jsonrpc": "2.0",
        "méthode": 1,
        "x": {"Method": 2},
    }
    assert read(b"[]") == []


def test_members_of_a_call_have_no_lookalikes() -> None:
    refuse_lookalikes(["name", "arguments", "_meta"], ("name", "arguments"))
    with pytest.raises(Unreadable, match="could be taken for 'name'"):
        refuse_lookalikes(["name", "Name"], ("name", "arguments"))


@pytest.mark.parametrize(
    ("identifier", "key"), [(1, "1"), ("1", '"1"'), (True, None), (None, None), (1.0, None), ([], None)]
)
def test_ids_are_told_apart_by_their_kind(identifier: object, key: str | None) -> None:
    assert key_of(identifier) == key


@pytest.mark.parametrize(("piece", "pause", "endless"), [(1, 0.02, 10**9), (10_000, 0.0, 100_000)])
async def test_a_servers_line_without_an_end_is_its_last(
    monkeypatch: pytest.MonkeyPatch, piece: int, pause: float, endless: int
) -> None:
    monkeypatch.setattr(servers, "SECONDS", 0.5 if pause else 60.0)
    monkeypatch.setattr(servers, "ENDLESS", endless)
    script = (
        "import sys, time\nprint('{}', flush=True)\nsys.stdout.write('{\"id\":7,')\n"
        f"while True: sys.stdout.write('x' * {piece}); sys.stdout.flush(); time.sleep({pause})"
    )
    server = await servers.ProcessServer.start([sys.executable, "-c", script], {})
    monkeypatch.setattr(servers, "LEAVING", 0.2)
    found = [frame async for frame in server.frames()]
    await server.close()
    whole, last = found
    assert whole == b"{}"
    assert isinstance(last, bytes)
    assert last.startswith(b'{"id":7,x')
