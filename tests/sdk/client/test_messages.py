"""What is special about messages on the clients: files that come back, and what is refused before it is sent."""

from __future__ import annotations

import httpx
import pytest

from assent import NotFound, ServerError
from tests.sdk.client import samples
from tests.sdk.client.doubles import BASE, Stage, Way, problematic


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ("attachment; filename=\"a.txt\"; filename*=UTF-8''pl%C3%A4n%20b.txt", "plän b.txt"),
        ('attachment; filename="a.txt"', "a.txt"),
        ("attachment", "attachment"),
        (None, "attachment"),
    ],
)
async def test_a_file_comes_with_its_name_and_type(way: Way, disposition: str | None, name: str) -> None:
    headers = {"content-type": "image/png"} | ({"content-disposition": disposition} if disposition else {})
    stage = Stage(way, lambda _: httpx.Response(200, content=b"\x89\x00\xff", headers=headers))
    file = await stage("get_attachment", "att_1_1")
    assert (file.data, file.filename, file.mime_type) == (b"\x89\x00\xff", name, "image/png")
    assert file["data"] == file.data


async def test_what_is_no_file_is_an_error(way: Way) -> None:
    page = Stage(way, lambda _: httpx.Response(200, content=b"<html>", headers={"content-type": "text/html"}))
    with pytest.raises(ServerError):
        await page("get_attachment", "att_1_1")
    missing = Stage(way, lambda _: problematic(samples.problem("attachment_not_found", 404)))
    with pytest.raises(NotFound):
        await missing("get_attachment", "att_1_1")


def test_the_address_of_an_attachment_needs_no_request() -> None:
    stage = Stage("sync", lambda _: httpx.Response(500))
    assert stage.client.get_attachment_url("att_1/&") == f"{BASE}/api/messages/attachments?id=att_1%2F%26"
    assert stage.requests == []


async def test_what_cannot_be_meant_is_not_sent(way: Way) -> None:
    stage = Stage(way, lambda _: httpx.Response(500))
    with pytest.raises(ValueError, match="action is 'burn'; give one of read, archive"):
        await stage("mark_messages", ["msg_1"], "burn")
    with pytest.raises(TypeError, match="did you mean 'urgent'"):
        await stage("send_message", "hello", urgnt=True)
    assert stage.requests == []
